//! Prefix sums inside warps and blocks.
//!
//! **Problem.** For each element the sum of those before it in its warp (of 32) or block (of 256),
//! with itself (`inclusive`) or without (`exclusive`).
//! **Launch.** [`BLOCK`] threads, one element each; threads past the end hold 0.
//! **Lanes.** At distance 1, 2, 4, 8, 16 each lane adds the value of the lane so far below it, if there is
//! one. With all ones lane *l* ends with *l* + 1 (`inclusive`) or *l* (`exclusive`: the inclusive result
//! of the lane below, and 0 in lane 0). In the block each warp's last lane leaves its total in a
//! shared slot, and every warp adds the slots of the warps before it.
//! **Expected PTX.** Five `shfl.sync.up` with clamp 0 (ten for 8-byte types), one more for `exclusive`.
//! **Cost.** Warp: 5 steps. Block: 10 steps, 1 barrier, 8 × `size_of::<T>()` shared bytes.

use cuda_std::prelude::*;
use cuda_std::warp::{warp_broadcast, warp_shuffle_up};

use crate::element::Element;
use crate::index;
use crate::op::{Op, Sum};
use crate::reduce::load_or_identity;
use crate::warp_level::{FULL, WARP};

/// Threads in a block.
pub const BLOCK: u32 = 256;
const WARPS: u32 = BLOCK / WARP;

/// The inclusive prefix of each lane.
///
/// # Safety
/// - Every lane of the warp calls this together.
#[inline(always)]
pub(crate) unsafe fn inclusive<T: Element, O: Op<T>>(mut value: T) -> T {
    let mut distance = 1;
    while distance < WARP {
        // SAFETY: all 32 lanes are here by the caller's promise.
        let (below, in_range) = unsafe { warp_shuffle_up(FULL, value, distance, WARP) };
        if in_range {
            value = O::combine(below, value);
        }
        distance *= 2;
    }
    value
}

/// The exclusive prefix, from the inclusive one.
///
/// # Safety
/// - Every lane of the warp calls this together.
#[inline(always)]
pub(crate) unsafe fn exclusive_of<T: Element, O: Op<T>>(inclusive: T) -> T {
    // SAFETY: all 32 lanes are here by the caller's promise.
    let (below, in_range) = unsafe { warp_shuffle_up(FULL, inclusive, 1, WARP) };
    if in_range { below } else { O::IDENTITY }
}

/// What the warps before this one add up to, in every lane.
///
/// # Safety
/// - Every thread of a block of `warps` whole warps calls this together.
/// - `slots` is shared memory for `warps` values, which no thread still reads.
#[inline(always)]
unsafe fn warps_before<T: Element, O: Op<T>>(inclusive_total: T, slots: *mut T) -> T {
    let t = thread::thread_idx_x();
    let (lane, mine) = (t % WARP, t / WARP);
    // SAFETY: one slot per warp, complete after the barrier; the whole block is here.
    unsafe {
        if lane == WARP - 1 {
            slots.add(mine as usize).write(inclusive_total);
        }
        thread::sync_threads();
        let total = if lane < WARPS {
            slots.add(lane as usize).read()
        } else {
            O::IDENTITY
        };
        let totals = exclusive_of::<T, O>(inclusive::<T, O>(total));
        warp_broadcast(FULL, totals, mine)
    }
}

#[inline(always)]
unsafe fn scan_warp<T: Element, const INCLUSIVE: bool>(input: &[T], out: *mut T)
where
    Sum: Op<T>,
{
    let i = index::global();
    // SAFETY: no lane left the warp.
    let mut value = unsafe { inclusive::<T, Sum>(load_or_identity::<T, Sum>(input, i)) };
    if !INCLUSIVE {
        // SAFETY: as above.
        value = unsafe { exclusive_of::<T, Sum>(value) };
    }
    if i < input.len() {
        // SAFETY: a slot per element by the kernels' contract.
        unsafe { out.add(i).write(value) }
    }
}

#[inline(always)]
unsafe fn scan_block<T: Element, const INCLUSIVE: bool>(input: &[T], out: *mut T, slots: *mut T)
where
    Sum: Op<T>,
{
    let i = index::global();
    // SAFETY: the whole block is here; a slot per warp.
    let value = unsafe {
        let mut value = inclusive::<T, Sum>(load_or_identity::<T, Sum>(input, i));
        let before = warps_before::<T, Sum>(value, slots);
        if !INCLUSIVE {
            value = exclusive_of::<T, Sum>(value);
        }
        Sum::combine(before, value)
    };
    if i < input.len() {
        // SAFETY: a slot per element by the kernels' contract.
        unsafe { out.add(i).write(value) }
    }
}

macro_rules! scan_kernels {
    ($($t:ident, $inclusive:literal => $warp:ident, $block:ident;)*) => {$(
        /// Each warp's 32 elements for themselves.
        ///
        /// # Safety
        /// - `out` is as long as the input.
        #[kernel(block = BLOCK)]
        pub unsafe fn $warp(input: &[$t], out: *mut $t) {
            // SAFETY: the caller's promise is the same.
            unsafe { scan_warp::<$t, $inclusive>(input, out) }
        }
        /// Each block's 256 elements for themselves.
        ///
        /// # Safety
        /// - `out` is as long as the input.
        #[kernel(block = BLOCK)]
        pub unsafe fn $block(input: &[$t], out: *mut $t) {
            let slots = shared_array![$t; WARPS as usize];
            // SAFETY: the caller's promise is the same; the shared array has a slot per warp.
            unsafe { scan_block::<$t, $inclusive>(input, out, slots) }
        }
    )*};
}

scan_kernels! {
    i32, true => warp_scan_inclusive_i32, block_scan_inclusive_i32;
    i32, false => warp_scan_exclusive_i32, block_scan_exclusive_i32;
    u32, true => warp_scan_inclusive_u32, block_scan_inclusive_u32;
    u32, false => warp_scan_exclusive_u32, block_scan_exclusive_u32;
    i64, true => warp_scan_inclusive_i64, block_scan_inclusive_i64;
    i64, false => warp_scan_exclusive_i64, block_scan_exclusive_i64;
    u64, true => warp_scan_inclusive_u64, block_scan_inclusive_u64;
    u64, false => warp_scan_exclusive_u64, block_scan_exclusive_u64;
    f32, true => warp_scan_inclusive_f32, block_scan_inclusive_f32;
    f32, false => warp_scan_exclusive_f32, block_scan_exclusive_f32;
    f64, true => warp_scan_inclusive_f64, block_scan_inclusive_f64;
    f64, false => warp_scan_exclusive_f64, block_scan_exclusive_f64;
}
