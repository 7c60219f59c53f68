//! Step 0: every thread adds its element to one word: no cooperation at all.
//!
//! **Problem.** The whole input to `out[0]`.
//! **Launch.** 256 threads, one element each.
//! **Lanes.** Thread *i* holds `input[i]`; nothing is exchanged.
//! **Preconditions.** `out[0]` holds the operation's identity.
//! **Expected PTX.** One `atom` (or `red`) per element; float minimum and maximum through the bits as
//! integers (see [`crate::op`]).
//! **Cost.** n atomics on one address, done one after the other in L2. Float sums come out in any
//! order, differently every time, and the error grows with n instead of with its logarithm; `f32`
//! atomics also flush subnormals to zero.

use super::BLOCK;
use crate::element::Element;
use crate::index;
use crate::op::AtomicOp;

#[inline(always)]
unsafe fn body<T: Element, O: AtomicOp<T>>(input: &[T], out: *mut T, _unused: *mut T) {
    let i = index::block() * BLOCK as usize + index::in_block();
    if let Some(&value) = input.get(i) {
        // SAFETY: valid and shared atomically by the kernel's contract.
        unsafe { O::atomic(out, value) }
    }
}

super::instantiate! {
    contract = (block = BLOCK),
    shared = 1,
    body = body,
    Sum:
        i32 => reduce_sum_i32_v0_atomic,
        u32 => reduce_sum_u32_v0_atomic,
        i64 => reduce_sum_i64_v0_atomic,
        u64 => reduce_sum_u64_v0_atomic,
        f32 => reduce_sum_f32_v0_atomic,
        f64 => reduce_sum_f64_v0_atomic,
    ;
    Min:
        i32 => reduce_min_i32_v0_atomic,
        u32 => reduce_min_u32_v0_atomic,
        i64 => reduce_min_i64_v0_atomic,
        u64 => reduce_min_u64_v0_atomic,
        f32 => reduce_min_f32_v0_atomic,
        f64 => reduce_min_f64_v0_atomic,
    ;
    Max:
        i32 => reduce_max_i32_v0_atomic,
        u32 => reduce_max_u32_v0_atomic,
        i64 => reduce_max_i64_v0_atomic,
        u64 => reduce_max_u64_v0_atomic,
        f32 => reduce_max_f32_v0_atomic,
        f64 => reduce_max_f64_v0_atomic,
    ;
}
