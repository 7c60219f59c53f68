//! Histograms: one atomic per element, one per group of a warp, and counters in shared memory.
//!
//! **Problem.** `counts[x >> shift]` goes up by one for each element x.
//! **Launch.** [`BLOCK`] threads; a grid of [`grid`] blocks walks over the input.
//! **Lanes.** `plain`: each lane adds 1 to its bin in global memory. `aggregated`: `match.any` finds the
//! lanes of a warp with the same bin, and the first of them adds their number: with bins 3, 3, 5, 3
//! in lanes 0…3, lane 0 adds 3 and lane 2 adds 1. `shared`: the block counts in shared memory and adds
//! each bin once at the end.
//! **Preconditions.** `counts` holds 2^(32 − shift) values, zeros unless more is to be added to them;
//! `shared` has room for [`SHARED_BINS`] bins and wants `shift` ≥ 24.
//! **Expected PTX.** `plain`: `atom.global.add` (or `red`); `aggregated`: `match.any.sync.b32`; `shared`:
//! `atom.shared.add`, not `atom.add` on a generic address.
//! **Cost.** Atomics on global memory per element: 1, 1 per distinct bin of a warp, bins × blocks / n.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU32;
use cuda_std::prelude::*;
use cuda_std::warp::{leader, warp_match_any, warp_vote_ballot};

use crate::index;
use crate::reduce::walk;
use crate::warp_level::FULL;

/// Threads in a block.
pub const BLOCK: u32 = 256;
/// Bins of the `shared` variant at most.
pub const SHARED_BINS: usize = 256;

/// Blocks to launch for so many elements on so many multiprocessors: eight to each.
pub const fn grid(len: u64, multiprocessors: u32) -> u32 {
    let blocks = len.div_ceil(BLOCK as u64);
    let most = multiprocessors as u64 * 8;
    let blocks = if blocks < most { blocks } else { most };
    if blocks == 0 { 1 } else { blocks as u32 }
}

/// # Safety
/// - `counts` is valid at `bin`, and only accessed atomically meanwhile.
#[inline(always)]
unsafe fn add(counts: *mut u32, bin: u32, n: u32) {
    // SAFETY: the caller's promise is the same.
    unsafe { AtomicU32::from_ptr(counts.add(bin as usize)) }.fetch_add(n, Relaxed);
}

/// One atomic per element.
///
/// # Safety
/// - `counts` holds 2^(32 − shift) values; `shift` is below 32.
#[kernel(block = BLOCK)]
pub unsafe fn histogram_plain_u32(input: &[u32], shift: u32, counts: *mut u32) {
    let mut i = index::global();
    while let Some(&x) = input.get(i) {
        // SAFETY: the bin is below 2^(32 − shift).
        unsafe { add(counts, x >> shift, 1) }
        i += index::grid_threads();
    }
}

/// One atomic per distinct bin of a warp.
///
/// # Safety
/// - `counts` holds 2^(32 − shift) values; `shift` is below 32.
#[kernel(block = BLOCK)]
pub unsafe fn histogram_aggregated_u32(input: &[u32], shift: u32, counts: *mut u32) {
    let lane = warp::lane_id() as usize;
    let mut start = index::global() - lane;
    while start < input.len() {
        let i = start + lane;
        // SAFETY: the loop's condition is the same in all lanes, so none left the warp; the lanes
        // of the ballot are those that match.
        unsafe {
            let here = warp_vote_ballot(FULL, i < input.len());
            if i < input.len() {
                let bin = *input.get_unchecked(i) >> shift;
                let group = warp_match_any(here, bin);
                if leader(group) == lane as u32 {
                    add(counts, bin, group.count_ones());
                }
            }
        }
        start += index::grid_threads();
    }
}

/// Atomics in shared memory, then one per bin and block.
///
/// # Safety
/// - `counts` holds 2^(32 − shift) values; `shift` is 24 to 31.
#[kernel(block = BLOCK)]
pub unsafe fn histogram_shared_u32(input: &[u32], shift: u32, counts: *mut u32) {
    let local = shared_array![u32; SHARED_BINS];
    let bins = (1usize << 31 >> shift) * 2;
    let t = index::in_block();
    if t < bins {
        // SAFETY: at most 256 bins.
        unsafe { local.add(t).write(0) }
    }
    thread::sync_threads();
    walk::<u32, false>(
        input,
        BLOCK as usize,
        |_, _, pack| {
            for x in pack {
                // SAFETY: the bin is below the number of bins.
                unsafe { add(local, x >> shift, 1) }
            }
        },
        // SAFETY: as above.
        |_, x| unsafe { add(local, x >> shift, 1) },
    );
    thread::sync_threads();
    if t < bins {
        // SAFETY: complete after the barrier; the bin exists.
        unsafe {
            let n = local.add(t).read();
            if n != 0 {
                add(counts, t as u32, n);
            }
        }
    }
}
