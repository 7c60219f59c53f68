//! `warp_reduce`: one value from all lanes of a mask, in every lane of it.

use crate::ops::{self, ReduceOp};

/// The operation of [`warp_reduce`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum WarpReductionOp {
    /// The sum, wrapping.
    Add,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
}

/// A value that [`warp_reduce`] takes: `i32` or `u32`.
#[diagnostic::on_unimplemented(
    message = "`warp_reduce` takes i32 and u32, not `{Self}`",
    note = "`cuda_std::block::reduce` takes every type and any associative operation"
)]
pub trait WarpReduceValue: Sized {
    /// # Safety
    /// - As [`warp_reduce`].
    #[doc(hidden)]
    unsafe fn reduce(mask: u32, value: Self, op: WarpReductionOp) -> Self;
}

macro_rules! reduce_value {
    ($($ty:ty),*) => {$(
        impl WarpReduceValue for $ty {
            #[inline(always)]
            unsafe fn reduce(mask: u32, value: Self, op: WarpReductionOp) -> Self {
                // SAFETY: the caller's duty.
                unsafe {
                    match op {
                        WarpReductionOp::Add => reduce_all(mask, value, ops::Add),
                        WarpReductionOp::Min => reduce_all(mask, value, ops::Min),
                        WarpReductionOp::Max => reduce_all(mask, value, ops::Max),
                        WarpReductionOp::And => reduce_all(mask, value, ops::And),
                        WarpReductionOp::Or => reduce_all(mask, value, ops::Or),
                        WarpReductionOp::Xor => reduce_all(mask, value, ops::Xor),
                    }
                }
            }
        }
    )*};
}
reduce_value!(i32, u32);

/// Combines `value` of all lanes of `mask`; every lane of `mask` gets the result.
///
/// PTX `redux.sync` from sm_80 on, one instruction; below it five `shfl.sync.bfly` for the full
/// mask and a tree over the lanes that are there for others, with the same result.
///
/// Defined, and the same, in the lanes of `mask`.
///
/// ```
/// use cuda_std::prelude::*;
/// use cuda_std::warp::WarpReductionOp;
///
/// /// # Safety
/// /// - One block of 32 threads; `out` holds one element, which becomes 0 + 1 + … + 31 = 496.
/// #[kernel(block = 32)]
/// pub unsafe fn sum_of_lanes(out: *mut u32) {
///     // SAFETY: all 32 lanes take part; all write the same value.
///     unsafe { *out = warp::warp_reduce(warp::FULL_MASK, warp::lane_id(), WarpReductionOp::Add) };
/// }
/// ```
///
/// # Safety
/// - The calling lane is in `mask`; no lane of `mask` has exited; all of them make this call with
///   the same `mask`.
#[inline(always)]
pub unsafe fn warp_reduce<T: WarpReduceValue>(mask: u32, value: T, op: WarpReductionOp) -> T {
    // SAFETY: the caller's duty.
    unsafe { T::reduce(mask, value, op) }
}

/// # Safety
/// - As [`warp_reduce`].
#[inline(always)]
unsafe fn reduce_all<T: super::WarpShuffleValue, O: ReduceOp<T>>(mask: u32, value: T, op: O) -> T {
    // SAFETY: the caller's duty.
    unsafe { crate::collective::reduce_mask(mask, value, op) }
}
