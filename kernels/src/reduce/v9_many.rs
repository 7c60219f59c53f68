//! Step 9: many elements per thread: the grid is as large as the device, not as the input.
//!
//! **Problem.** One partial per block, at most [`RESIDENT`] blocks per multiprocessor.
//! **Launch.** 512 threads, at least four 16-byte packs each.
//! **Lanes.** Thread *t* walks over the tiles of its block with four loads in flight (64 bytes a thread,
//! 32 KiB a block) into four accumulators; then step 7 once per block, not once per 512 elements.
//! **Preconditions.** `input` is aligned to its elements, no more.
//! **Expected PTX.** Four `ld.global.v4.b32` (`v2.b64`) side by side in one loop; no call.
//! **Cost.** One 16-byte load per 4 elements and little else; 1 barrier, 16 × `size_of::<T>()` shared
//! bytes; the second launch reduces some hundred partials.

use super::persistent::accumulate;
use super::v7_redux::block_by_redux;
use super::{instantiate, write_partial};
use crate::element::Element;
use crate::warp_level::{ReduxOp, WARP};

/// Threads in a block of steps 9–11.
pub const WIDE_BLOCK: u32 = 512;
/// Warps in such a block.
pub const WIDE_WARPS: u32 = WIDE_BLOCK / WARP;
/// Blocks per multiprocessor: 4 × 512 threads fill it on every data-centre device since sm_70. The
/// kernels' contract holds the registers down to the 32 that this leaves a thread: a grid of which
/// a quarter had to wait for the others to finish would take nearly twice as long.
pub const RESIDENT: u32 = 4;

#[inline(always)]
unsafe fn body<T: Element, O: ReduxOp<T>>(input: &[T], partials: *mut T, slots: *mut T) {
    let value = accumulate::<T, O, false>(input, WIDE_BLOCK as usize);
    // SAFETY: a slot per warp, and the whole block is here.
    unsafe {
        let value = block_by_redux::<T, O>(value, slots, WIDE_WARPS);
        write_partial::<T, O>(partials, value);
    }
}

instantiate! {
    contract = (block = WIDE_BLOCK, min_blocks = RESIDENT),
    shared = WIDE_WARPS as usize,
    body = body,
    Sum:
        i32 => reduce_sum_i32_v9_many,
        u32 => reduce_sum_u32_v9_many,
        i64 => reduce_sum_i64_v9_many,
        u64 => reduce_sum_u64_v9_many,
        f32 => reduce_sum_f32_v9_many,
        f64 => reduce_sum_f64_v9_many,
    ;
    Min:
        i32 => reduce_min_i32_v9_many,
        u32 => reduce_min_u32_v9_many,
        i64 => reduce_min_i64_v9_many,
        u64 => reduce_min_u64_v9_many,
        f32 => reduce_min_f32_v9_many,
        f64 => reduce_min_f64_v9_many,
    ;
    Max:
        i32 => reduce_max_i32_v9_many,
        u32 => reduce_max_u32_v9_many,
        i64 => reduce_max_i64_v9_many,
        u64 => reduce_max_u64_v9_many,
        f32 => reduce_max_f32_v9_many,
        f64 => reduce_max_f64_v9_many,
    ;
}
