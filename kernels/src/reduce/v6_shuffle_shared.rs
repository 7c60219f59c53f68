//! Step 6: shuffles inside every warp, one shared slot a warp, one barrier.
//!
//! **Problem.** As step 4.
//! **Launch.** 256 threads, two elements each.
//! **Lanes.** After five `shfl.down` lane 0 of warp *w* holds the warp's sum and writes `slots[w]`. After
//! the barrier lane *w* < 8 of warp 0 reads `slots[w]`, the others take the identity, and five more
//! shuffles give the block's sum in thread 0. With all ones: 64 a warp, 512 a block.
//! **Expected PTX.** Ten `shfl.sync.down` (twenty for 8-byte types), one `bar.sync`.
//! **Cost.** 10 steps, 1 barrier, 8 × `size_of::<T>()` shared bytes.

use super::v4_first_add::load_two;
use super::{BLOCK, WARPS, block_by_shuffle, instantiate, write_partial};
use crate::element::Element;
use crate::op::Op;

#[inline(always)]
unsafe fn body<T: Element, O: Op<T>>(input: &[T], partials: *mut T, slots: *mut T) {
    // SAFETY: a slot per warp, and the whole block is here.
    unsafe {
        let value = block_by_shuffle::<T, O>(load_two::<T, O>(input), slots, WARPS);
        write_partial::<T, O>(partials, value);
    }
}

instantiate! {
    contract = (block = BLOCK),
    shared = WARPS as usize,
    body = body,
    Sum:
        i32 => reduce_sum_i32_v6_shuffle_shared,
        u32 => reduce_sum_u32_v6_shuffle_shared,
        i64 => reduce_sum_i64_v6_shuffle_shared,
        u64 => reduce_sum_u64_v6_shuffle_shared,
        f32 => reduce_sum_f32_v6_shuffle_shared,
        f64 => reduce_sum_f64_v6_shuffle_shared,
    ;
    Min:
        i32 => reduce_min_i32_v6_shuffle_shared,
        u32 => reduce_min_u32_v6_shuffle_shared,
        i64 => reduce_min_i64_v6_shuffle_shared,
        u64 => reduce_min_u64_v6_shuffle_shared,
        f32 => reduce_min_f32_v6_shuffle_shared,
        f64 => reduce_min_f64_v6_shuffle_shared,
    ;
    Max:
        i32 => reduce_max_i32_v6_shuffle_shared,
        u32 => reduce_max_u32_v6_shuffle_shared,
        i64 => reduce_max_i64_v6_shuffle_shared,
        u64 => reduce_max_u64_v6_shuffle_shared,
        f32 => reduce_max_f32_v6_shuffle_shared,
        f64 => reduce_max_f64_v6_shuffle_shared,
    ;
}
