//! Choosing one lane.

/// The lowest lane of `mask`; 32 if it is empty. No communication.
///
/// ```
/// # use cuda_std::warp::*;
/// # unsafe fn example() {
/// assert_eq!(leader(0b1100), 2);
/// # }
/// ```
#[inline(always)]
pub const fn leader(mask: u32) -> u32 {
    mask.trailing_zeros()
}

/// True in exactly one lane of `mask`, and the same one every time: its [`leader`].
///
/// PTX `elect.sync` from sm_90 on (PTX ISA 8.0), which promises one lane, and the same for the same
/// mask (the H200 picks the lowest); below it the comparison with [`leader`], after a `bar.warp.sync` so that it synchronises alike.
///
/// ```
/// # use cuda_std::warp::*;
/// # unsafe fn example() {
/// # unsafe {
/// if warp_elect(FULL_MASK) {
///     // One lane alone comes here.
/// }
/// # }
/// # }
/// ```
///
/// # Safety
/// - The calling lane is in `mask`; no lane of `mask` has exited; all of them make this call with
///   the same `mask`.
#[inline(always)]
pub unsafe fn warp_elect(mask: u32) -> bool {
    // SAFETY: the caller's duty.
    unsafe {
        #[cfg(all(target_feature = "sm_90", target_feature = "ptx80"))]
        {
            crate::intrinsics::elect(mask).1
        }
        #[cfg(not(all(target_feature = "sm_90", target_feature = "ptx80")))]
        {
            super::sync_warp(mask);
            super::lane_id() == leader(mask)
        }
    }
}
