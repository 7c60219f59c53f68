//! Step 5: the last warp finishes by shuffles: five steps without a barrier.
//!
//! **Problem.** As step 4.
//! **Launch.** 256 threads, two elements each.
//! **Lanes.** Step 3's tree stops when 32 values are left, in lanes 0…31 of warp 0; `shfl.down` by 16,
//! 8, 4, 2, 1 brings their sum to lane 0. With all ones the lanes hold 16 each, then 32, 64 … 512.
//! **Expected PTX.** A loop of `bar.sync` as before, then five `shfl.sync.down` (ten for 8-byte types).
//! **Cost.** 3 + 5 steps, 3 barriers, 256 × `size_of::<T>()` shared bytes.

use super::v3_sequential::halve_to;
use super::v4_first_add::load_two;
use super::{BLOCK, instantiate, write_partial};
use crate::element::Element;
use crate::index;
use crate::op::Op;
use crate::warp_level::{WARP, reduce_down};

#[inline(always)]
unsafe fn body<T: Element, O: Op<T>>(input: &[T], partials: *mut T, tile: *mut T) {
    // SAFETY: the tile has a value per thread; the whole block, then the whole first warp is here.
    unsafe {
        let mut value = halve_to::<T, O>(load_two::<T, O>(input), tile, WARP as usize / 2);
        if index::in_block() < WARP as usize {
            value = reduce_down::<T, O>(value);
        }
        write_partial::<T, O>(partials, value);
    }
}

instantiate! {
    contract = (block = BLOCK),
    shared = BLOCK as usize,
    body = body,
    Sum:
        i32 => reduce_sum_i32_v5_last_warp_shuffle,
        u32 => reduce_sum_u32_v5_last_warp_shuffle,
        i64 => reduce_sum_i64_v5_last_warp_shuffle,
        u64 => reduce_sum_u64_v5_last_warp_shuffle,
        f32 => reduce_sum_f32_v5_last_warp_shuffle,
        f64 => reduce_sum_f64_v5_last_warp_shuffle,
    ;
    Min:
        i32 => reduce_min_i32_v5_last_warp_shuffle,
        u32 => reduce_min_u32_v5_last_warp_shuffle,
        i64 => reduce_min_i64_v5_last_warp_shuffle,
        u64 => reduce_min_u64_v5_last_warp_shuffle,
        f32 => reduce_min_f32_v5_last_warp_shuffle,
        f64 => reduce_min_f64_v5_last_warp_shuffle,
    ;
    Max:
        i32 => reduce_max_i32_v5_last_warp_shuffle,
        u32 => reduce_max_u32_v5_last_warp_shuffle,
        i64 => reduce_max_i64_v5_last_warp_shuffle,
        u64 => reduce_max_u64_v5_last_warp_shuffle,
        f32 => reduce_max_f32_v5_last_warp_shuffle,
        f64 => reduce_max_f64_v5_last_warp_shuffle,
    ;
}
