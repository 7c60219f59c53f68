//! Step 4: the first addition happens on load, so no thread is idle from the start.
//!
//! **Problem.** One partial per block of 512 elements.
//! **Launch.** 256 threads, two elements each.
//! **Lanes.** Thread *t* starts with `input[512·b + t]` + `input[512·b + 256 + t]`; the tree is step 3's.
//! **Expected PTX.** Two independent `ld.global` before the first barrier.
//! **Cost.** 8 steps and 8 barriers for twice the elements, 256 × `size_of::<T>()` shared bytes.

use super::v3_sequential::halve_to;
use super::{BLOCK, instantiate, load_or_identity, write_partial};
use crate::element::Element;
use crate::index;
use crate::op::Op;

/// The thread's two elements, combined.
#[inline(always)]
pub(super) fn load_two<T: Element, O: Op<T>>(input: &[T]) -> T {
    let block = BLOCK as usize;
    let i = index::block() * 2 * block + index::in_block();
    O::combine(
        load_or_identity::<T, O>(input, i),
        load_or_identity::<T, O>(input, i + block),
    )
}

#[inline(always)]
unsafe fn body<T: Element, O: Op<T>>(input: &[T], partials: *mut T, tile: *mut T) {
    // SAFETY: the tile has a value per thread, and the whole block is here.
    unsafe {
        let value = halve_to::<T, O>(load_two::<T, O>(input), tile, 0);
        write_partial::<T, O>(partials, value);
    }
}

instantiate! {
    contract = (block = BLOCK),
    shared = BLOCK as usize,
    body = body,
    Sum:
        i32 => reduce_sum_i32_v4_first_add,
        u32 => reduce_sum_u32_v4_first_add,
        i64 => reduce_sum_i64_v4_first_add,
        u64 => reduce_sum_u64_v4_first_add,
        f32 => reduce_sum_f32_v4_first_add,
        f64 => reduce_sum_f64_v4_first_add,
    ;
    Min:
        i32 => reduce_min_i32_v4_first_add,
        u32 => reduce_min_u32_v4_first_add,
        i64 => reduce_min_i64_v4_first_add,
        u64 => reduce_min_u64_v4_first_add,
        f32 => reduce_min_f32_v4_first_add,
        f64 => reduce_min_f64_v4_first_add,
    ;
    Max:
        i32 => reduce_max_i32_v4_first_add,
        u32 => reduce_max_u32_v4_first_add,
        i64 => reduce_max_i64_v4_first_add,
        u64 => reduce_max_u64_v4_first_add,
        f32 => reduce_max_f32_v4_first_add,
        f64 => reduce_max_f64_v4_first_add,
    ;
}
