//! Looking for a value, with and without votes.
//!
//! **Problem.** The lowest index at which `target` stands, or `u64::MAX`.
//! **Launch.** [`BLOCK`] threads. `search_any`: one element each. `search_early_exit`: a grid that fits
//! the device walks over the input.
//! **Lanes.** `search_any`: each lane compares its element; `vote.any` sends the warps without a hit
//! past everything else, as in the article; the ballot's lowest bit is the warp's first hit, and one
//! lane per warp goes to memory, not one per hit. `search_early_exit`: the whole warp stops as soon as
//! a hit below its position is known.
//! **Preconditions.** `found[0]` is `u64::MAX`.
//! **Expected PTX.** `vote.sync.any` and `vote.sync.ballot`, one `atom.min` (or `red.min`) behind a branch that is
//! uniform in the warp.
//! **Cost.** One vote per warp and 32 elements; one atomic per warp with a hit.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;
use cuda_std::prelude::*;
use cuda_std::warp::{warp_vote_any, warp_vote_ballot};

use crate::index;
use crate::warp_level::{FULL, WARP};

/// Threads in a block.
pub const BLOCK: u32 = 256;

/// What `found` holds as long as nothing was found.
pub const NOWHERE: u64 = u64::MAX;

/// Every warp looks at its 32 elements.
///
/// # Safety
/// - `found` is valid, and holds [`NOWHERE`].
#[kernel(block = BLOCK)]
pub unsafe fn search_any_i32(input: &[i32], target: i32, found: *mut u64) {
    let i = index::global();
    let hit = input.get(i).is_some_and(|&x| x == target);
    // SAFETY: no lane left the warp; `found` is shared atomically.
    unsafe {
        if warp_vote_any(FULL, hit) {
            let first = warp_vote_ballot(FULL, hit).trailing_zeros();
            if warp::lane_id() == first {
                AtomicU64::from_ptr(found).fetch_min(i as u64, Relaxed);
            }
        }
    }
}

/// The warps walk over the input and stop where a lower index is already known.
///
/// # Safety
/// - `found` is valid, and holds [`NOWHERE`].
#[kernel(block = BLOCK)]
pub unsafe fn search_early_exit_i32(input: &[i32], target: i32, found: *mut u64) {
    let lane = warp::lane_id() as usize;
    let mut start = index::global() - lane;
    // SAFETY: aligned and valid by the contract.
    let found = unsafe { AtomicU64::from_ptr(found) };
    while start < input.len() {
        // Lane 0 asks for all: lanes that asked one by one could disagree and leave the warp.
        // SAFETY: the loop's condition is the same in all lanes, so none left the warp.
        let known = unsafe { warp::warp_broadcast(FULL, found.load(Relaxed), 0) };
        if known < start as u64 {
            return;
        }
        let hit = input.get(start + lane).is_some_and(|&x| x == target);
        // SAFETY: as above.
        let hits = unsafe { warp_vote_ballot(FULL, hit) };
        if hits != 0 {
            if lane == 0 {
                found.fetch_min(start as u64 + u64::from(hits.trailing_zeros()), Relaxed);
            }
            return;
        }
        start += index::grid_threads();
    }
}

const _: () = assert!(
    BLOCK.is_multiple_of(WARP),
    "a warp's start is computed from its lane"
);
