//! Step 8: vector loads: 16 bytes a thread in one instruction.
//!
//! **Problem.** One partial per block of 1024 elements (512 of 8 bytes).
//! **Launch.** 256 threads, one 16-byte pack each.
//! **Lanes.** Thread *t* of block *b* holds pack 256·*b* + *t*, counted from the first 16-byte boundary of
//! the input, and folds it pairwise; the rest is step 7. The up to three elements before the
//! boundary and after the last whole pack fall to the first threads of block 0.
//! **Preconditions.** `input` is aligned to its elements, no more.
//! **Expected PTX.** One `ld.global.v4.b32` or `ld.global.v2.b64`.
//! **Cost.** As step 7, for twice the bytes (at 4-byte types) and one load instruction.

use super::v7_redux::block_by_redux;
use super::{BLOCK, WARPS, instantiate, write_partial};
use crate::element::{Element, head_len};
use crate::index;
use crate::op::Op;
use crate::warp_level::ReduxOp;

/// The elements outside the whole packs: `input[t]` before the first boundary, and one after the
/// last pack. Only the first few threads have any.
#[inline(always)]
pub(super) fn load_ragged<T: Element, O: Op<T>>(input: &[T], head: usize, packs: usize) -> T {
    let t = index::in_block();
    let tail = head + packs * T::PER_PACK + t;
    let mut value = O::IDENTITY;
    if t < head {
        value = super::load_or_identity::<T, O>(input, t);
    }
    O::combine(value, super::load_or_identity::<T, O>(input, tail))
}

#[inline(always)]
unsafe fn body<T: Element, O: ReduxOp<T>>(input: &[T], partials: *mut T, slots: *mut T) {
    let head = head_len(input.as_ptr(), input.len());
    let packs = (input.len() - head) / T::PER_PACK;
    let mine = index::block() * BLOCK as usize + index::in_block();
    let mut value = O::IDENTITY;
    if mine < packs {
        // SAFETY: pack `mine` lies inside the input and starts at a 16-byte boundary.
        value = O::fold(unsafe { T::load(input.as_ptr().add(head + mine * T::PER_PACK)) });
    }
    if index::block() == 0 {
        value = O::combine(value, load_ragged::<T, O>(input, head, packs));
    }
    // SAFETY: a slot per warp, and the whole block is here.
    unsafe {
        let value = block_by_redux::<T, O>(value, slots, WARPS);
        write_partial::<T, O>(partials, value);
    }
}

instantiate! {
    contract = (block = BLOCK),
    shared = WARPS as usize,
    body = body,
    Sum:
        i32 => reduce_sum_i32_v8_vector,
        u32 => reduce_sum_u32_v8_vector,
        i64 => reduce_sum_i64_v8_vector,
        u64 => reduce_sum_u64_v8_vector,
        f32 => reduce_sum_f32_v8_vector,
        f64 => reduce_sum_f64_v8_vector,
    ;
    Min:
        i32 => reduce_min_i32_v8_vector,
        u32 => reduce_min_u32_v8_vector,
        i64 => reduce_min_i64_v8_vector,
        u64 => reduce_min_u64_v8_vector,
        f32 => reduce_min_f32_v8_vector,
        f64 => reduce_min_f64_v8_vector,
    ;
    Max:
        i32 => reduce_max_i32_v8_vector,
        u32 => reduce_max_u32_v8_vector,
        i64 => reduce_max_i64_v8_vector,
        u64 => reduce_max_u64_v8_vector,
        f32 => reduce_max_f32_v8_vector,
        f64 => reduce_max_f64_v8_vector,
    ;
}
