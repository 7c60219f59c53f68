//! Warp reductions of the first article, over every warp of the input.
//!
//! **Problem.** Each 32 elements of the input to one value.
//! **Launch.** [`BLOCK`] threads, one element each; a ragged last warp is filled up with the
//! identity, so that every lane takes part.
//! **Lanes.** Before: lane *l* of warp *w* holds `input[32·w + l]`. After, with `input[i]` = *i* + 1:
//! - `_down`: lane 0 holds the result (528 for warp 0's sum) and writes `out[w]`; the others do not.
//! - `_xor` and `_redux`: every lane holds the result and writes `out[i]`, all 32 of a warp alike.
//!
//! **Expected PTX.** Five `shfl.sync.down` or `.bfly` (ten for 8-byte types); one to three
//! `redux.sync` from sm_80 on ([`ReduxOp`]).
//! **Cost.** 5, 5 and 1 steps; no shared memory, no barrier.

use crate::element::Element;
use crate::index;
use crate::op::Op;
use crate::reduce::load_or_identity;
use crate::warp_level::{ReduxOp, WARP, reduce_down, reduce_xor};

/// Threads in a block.
pub const BLOCK: u32 = 256;

#[inline(always)]
fn down<T: Element, O: Op<T>>(input: &[T], out: *mut T) {
    let i = index::global();
    // SAFETY: no lane left the warp.
    let value = unsafe { reduce_down::<T, O>(load_or_identity::<T, O>(input, i)) };
    if i.is_multiple_of(WARP as usize) && i < input.len() {
        // SAFETY: a slot per warp by the kernel's contract.
        unsafe {
            out.add(i / WARP as usize)
                .write(O::combine(O::IDENTITY, value))
        }
    }
}

#[inline(always)]
fn xor<T: Element, O: Op<T>>(input: &[T], out: *mut T) {
    let i = index::global();
    // SAFETY: no lane left the warp.
    let value = unsafe { reduce_xor::<T, O>(load_or_identity::<T, O>(input, i)) };
    if i < input.len() {
        // SAFETY: a slot per element by the kernel's contract.
        unsafe { out.add(i).write(O::combine(O::IDENTITY, value)) }
    }
}

#[inline(always)]
fn redux<T: Element, O: ReduxOp<T>>(input: &[T], out: *mut T) {
    let i = index::global();
    // SAFETY: no lane left the warp.
    let value = unsafe { O::redux(load_or_identity::<T, O>(input, i)) };
    if i < input.len() {
        // SAFETY: a slot per element by the kernel's contract.
        unsafe { out.add(i).write(O::combine(O::IDENTITY, value)) }
    }
}

macro_rules! warp_kernels {
    ($($op:ident, $t:ident: $down:ident, $xor:ident, $redux:ident;)*) => {$(
        /// Lane 0 of each warp writes the warp's result.
        ///
        /// # Safety
        /// - `out` holds a value per warp of the input.
        #[cuda_std::kernel(block = BLOCK)]
        pub unsafe fn $down(input: &[$t], out: *mut $t) {
            down::<$t, crate::op::$op>(input, out)
        }
        /// Every lane writes the warp's result, found by the butterfly.
        ///
        /// # Safety
        /// - `out` is as long as the input.
        #[cuda_std::kernel(block = BLOCK)]
        pub unsafe fn $xor(input: &[$t], out: *mut $t) {
            xor::<$t, crate::op::$op>(input, out)
        }
        /// Every lane writes the warp's result, found by `redux.sync` where the type has it.
        ///
        /// # Safety
        /// - `out` is as long as the input.
        #[cuda_std::kernel(block = BLOCK)]
        pub unsafe fn $redux(input: &[$t], out: *mut $t) {
            redux::<$t, crate::op::$op>(input, out)
        }
    )*};
}

warp_kernels! {
    Sum, i32: warp_sum_i32_down, warp_sum_i32_xor, warp_sum_i32_redux;
    Sum, u32: warp_sum_u32_down, warp_sum_u32_xor, warp_sum_u32_redux;
    Sum, i64: warp_sum_i64_down, warp_sum_i64_xor, warp_sum_i64_redux;
    Sum, u64: warp_sum_u64_down, warp_sum_u64_xor, warp_sum_u64_redux;
    Sum, f32: warp_sum_f32_down, warp_sum_f32_xor, warp_sum_f32_redux;
    Sum, f64: warp_sum_f64_down, warp_sum_f64_xor, warp_sum_f64_redux;
    Min, i32: warp_min_i32_down, warp_min_i32_xor, warp_min_i32_redux;
    Min, u32: warp_min_u32_down, warp_min_u32_xor, warp_min_u32_redux;
    Min, i64: warp_min_i64_down, warp_min_i64_xor, warp_min_i64_redux;
    Min, u64: warp_min_u64_down, warp_min_u64_xor, warp_min_u64_redux;
    Min, f32: warp_min_f32_down, warp_min_f32_xor, warp_min_f32_redux;
    Min, f64: warp_min_f64_down, warp_min_f64_xor, warp_min_f64_redux;
    Max, i32: warp_max_i32_down, warp_max_i32_xor, warp_max_i32_redux;
    Max, u32: warp_max_u32_down, warp_max_u32_xor, warp_max_u32_redux;
    Max, i64: warp_max_i64_down, warp_max_i64_xor, warp_max_i64_redux;
    Max, u64: warp_max_u64_down, warp_max_u64_xor, warp_max_u64_redux;
    Max, f32: warp_max_f32_down, warp_max_f32_xor, warp_max_f32_redux;
    Max, f64: warp_max_f64_down, warp_max_f64_xor, warp_max_f64_redux;
}
