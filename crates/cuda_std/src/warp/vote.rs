//! Votes: one bit from every lane, combined for all. PTX `vote.sync` (PTX ISA 6.0, sm_30).

use crate::intrinsics as nvvm;

/// Whether `predicate` holds in every lane of `mask`. PTX `vote.sync.all.pred`.
///
/// Defined, and the same, in the lanes of `mask`.
///
/// ```
/// # use cuda_std::warp::*;
/// # unsafe fn example(x: u32) {
/// # unsafe {
/// if warp_vote_all(FULL_MASK, x > 0) {
///     // No lane of the warp needs the slow path.
/// }
/// # }
/// # }
/// ```
///
/// # Safety
/// - The calling lane is in `mask`; no lane of `mask` has exited; all of them make this call with
///   the same `mask`.
#[inline(always)]
pub unsafe fn warp_vote_all(mask: u32, predicate: bool) -> bool {
    // SAFETY: the caller's duty.
    unsafe { nvvm::vote_all(mask, predicate) }
}

/// Whether `predicate` holds in any lane of `mask`. PTX `vote.sync.any.pred`.
///
/// Defined, and the same, in the lanes of `mask`.
///
/// ```
/// # use cuda_std::warp::*;
/// # unsafe fn example(x: u32) {
/// # unsafe {
/// if warp_vote_any(FULL_MASK, x == 0) {
///     // Somebody has found it: the whole warp may stop.
/// }
/// # }
/// # }
/// ```
///
/// # Safety
/// - As [`warp_vote_all`].
#[inline(always)]
pub unsafe fn warp_vote_any(mask: u32, predicate: bool) -> bool {
    // SAFETY: the caller's duty.
    unsafe { nvvm::vote_any(mask, predicate) }
}

/// Whether `predicate` is the same in every lane of `mask`. PTX `vote.sync.uni.pred`.
///
/// Defined, and the same, in the lanes of `mask`.
///
/// ```
/// # use cuda_std::warp::*;
/// # unsafe fn example(x: u32) {
/// # unsafe {
/// if warp_vote_uni(FULL_MASK, x > 0) {
///     // A branch on `x > 0` does not diverge.
/// }
/// # }
/// # }
/// ```
///
/// # Safety
/// - As [`warp_vote_all`].
#[inline(always)]
pub unsafe fn warp_vote_uni(mask: u32, predicate: bool) -> bool {
    // SAFETY: the caller's duty.
    unsafe { nvvm::vote_uni(mask, predicate) }
}

/// The lanes of `mask` in which `predicate` holds, bit i for lane i; other bits are 0. PTX
/// `vote.sync.ballot.b32`.
///
/// Defined, and the same, in the lanes of `mask`.
///
/// ```
/// use cuda_std::prelude::*;
///
/// /// Keeps the positive values of 32, in order.
/// ///
/// /// # Safety
/// /// - One block of 32 threads; `x` and `out` hold 32 elements.
/// #[kernel(block = 32)]
/// pub unsafe fn filter(x: *const i32, out: *mut i32) {
///     // SAFETY: all 32 lanes vote; each kept value has a slot of its own.
///     unsafe {
///         let value = *x.add(warp::lane_id() as usize);
///         let kept = warp::warp_vote_ballot(warp::FULL_MASK, value > 0);
///         if value > 0 {
///             *out.add((kept & warp::lanemask_lt()).count_ones() as usize) = value;
///         }
///     }
/// }
/// ```
///
/// # Safety
/// - As [`warp_vote_all`].
#[inline(always)]
pub unsafe fn warp_vote_ballot(mask: u32, predicate: bool) -> u32 {
    // SAFETY: the caller's duty.
    unsafe { nvvm::vote_ballot(mask, predicate) }
}
