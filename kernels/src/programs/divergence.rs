//! Divergent pairs: even threads take exp, odd ones log; and the same work aligned to warps.
//!
//! **Problem.** `out[i]` = exp(x) or ln(x), chosen by the thread's number.
//! **Launch.** [`BLOCK`] threads, one element each.
//! **Lanes.** `divergent`: even lanes take exp and odd ones ln, so each warp runs both arms with half of
//! its lanes. `aligned`: the warps take turns, whole warps exp and whole warps ln: no warp runs both.
//! **Expected PTX.** Both arms behind a branch, each a polynomial ([`cuda_std::float`]); a call to either
//! would do as well, a `selp` over both results would not.
//! **Cost.** Divergent: the sum of both arms per warp; aligned: one of them.

use cuda_std::GpuFloat;
use cuda_std::prelude::*;

use crate::index;
use crate::warp_level::WARP;

/// Threads in a block.
pub const BLOCK: u32 = 256;

#[inline(always)]
unsafe fn exp_or_ln(input: &[f32], out: *mut f32, exp: bool) {
    let i = index::global();
    if let Some(&x) = input.get(i) {
        let y = if exp {
            GpuFloat::exp(x)
        } else {
            GpuFloat::ln(x)
        };
        // SAFETY: a slot per element by the kernels' contract.
        unsafe { out.add(i).write(y) }
    }
}

/// Neighbours take different arms.
///
/// # Safety
/// - `out` is as long as the input.
#[kernel(block = BLOCK)]
pub unsafe fn divergent_exp_ln_f32(input: &[f32], out: *mut f32) {
    // SAFETY: the caller's promise is the same.
    unsafe { exp_or_ln(input, out, thread::thread_idx_x().is_multiple_of(2)) }
}

/// Warps take different arms.
///
/// # Safety
/// - `out` is as long as the input.
#[kernel(block = BLOCK)]
pub unsafe fn aligned_exp_ln_f32(input: &[f32], out: *mut f32) {
    // SAFETY: the caller's promise is the same.
    unsafe {
        exp_or_ln(
            input,
            out,
            (thread::thread_idx_x() / WARP).is_multiple_of(2),
        )
    }
}
