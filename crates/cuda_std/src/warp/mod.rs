//! A warp: 32 threads that run together and can read each other's registers.
//!
//! Threads of a block are numbered x fastest; 32 consecutive ones are a warp, and the number
//! modulo 32 is the *lane*. The functions here move values between lanes without memory.
//!
//! # Masks
//! Most take a `mask` of lanes, bit i for lane i. Every lane named in it waits until all of them
//! have come to the same call with the same mask; [`FULL_MASK`] names all 32. A lane that calls
//! must be in its own mask, and no lane of the mask may have exited: that is what makes these
//! functions `unsafe`.
//!
//! Where the text says "defined in the lanes of the mask", other lanes do not take part at all.

mod elect;
mod matching;
mod reduce;
mod shuffle;
mod vote;

pub use elect::{leader, warp_elect};
pub use matching::{WarpMatchValue, warp_match_all, warp_match_any};
pub use reduce::{WarpReduceValue, WarpReductionOp, warp_reduce};
pub(crate) use shuffle::clamp_and_segment;
pub use shuffle::{
    Pod, WarpShuffleMode, WarpShuffleValue, warp_broadcast, warp_shuffle_down, warp_shuffle_idx,
    warp_shuffle_up, warp_shuffle_xor,
};
pub use vote::{warp_vote_all, warp_vote_any, warp_vote_ballot, warp_vote_uni};

use crate::intrinsics as nvvm;
use crate::thread;

/// The mask of all 32 lanes.
pub const FULL_MASK: u32 = u32::MAX;

/// Lanes of a warp, as a constant for array lengths; [`thread::warp_size`] is the same number.
pub const WARP_SIZE: usize = 32;

/// This thread's lane, 0…31. PTX `%laneid`.
///
/// ```
/// use cuda_std::prelude::*;
///
/// /// # Safety
/// /// - `out` holds as many elements as there are threads.
/// #[kernel]
/// pub unsafe fn lanes(out: *mut u32) {
///     // SAFETY: one slot per thread.
///     unsafe { *out.add(thread::index() as usize) = warp::lane_id() };
/// }
/// ```
#[inline(always)]
pub fn lane_id() -> u32 {
    // SAFETY: reads a special register.
    unsafe { nvvm::laneid() }
}

/// This warp's number in its block, from the thread's number: `thread_rank / 32`.
///
/// Stable for the whole kernel, unlike PTX's `%warpid` (see [`thread::warp_slot`]).
///
/// ```
/// # use cuda_std::warp::*;
/// # unsafe fn example() {
/// let first_of_warp = warp_id() * 32;
/// # let _ = first_of_warp;
/// # }
/// ```
#[inline(always)]
pub fn warp_id() -> u32 {
    thread::thread_rank() / 32
}

/// The lanes that execute this instruction together with the caller right now. PTX
/// `activemask.b32` (PTX ISA 6.2, sm_30).
///
/// A snapshot and no synchronisation: lanes of the same branch may be missing from it. Do not pass
/// it as the mask of an operation that needs a known set of lanes; agree on the mask beforehand
/// with a ballot.
///
/// ```
/// # use cuda_std::warp::*;
/// # unsafe fn example(x: u32) {
/// if x > 0 {
///     // How many lanes came along with this one.
///     let together = activemask().count_ones();
///     # let _ = together;
/// }
/// # }
/// ```
#[inline(always)]
pub fn activemask() -> u32 {
    // SAFETY: reads the execution mask.
    unsafe { nvvm::activemask() }
}

/// Waits until all lanes of `mask` are here; their memory accesses before are visible to each
/// other after. PTX `bar.warp.sync` (PTX ISA 6.0, sm_30).
///
/// ```
/// # use cuda_std::warp::*;
/// # unsafe fn example(slot: *mut u32) {
/// # unsafe {
/// // Lane 0 writes, the others read after it.
/// if lane_id() == 0 {
///     slot.write(1);
/// }
/// sync_warp(FULL_MASK);
/// let value = slot.read();
/// # let _ = value;
/// # }
/// # }
/// ```
///
/// # Safety
/// - The calling lane is in `mask`.
/// - No lane of `mask` has exited, and each of them reaches a `sync_warp` with the same mask.
#[inline(always)]
pub unsafe fn sync_warp(mask: u32) {
    // SAFETY: the caller's duties are those of the instruction.
    unsafe { nvvm::bar_warp_sync(mask) }
}

macro_rules! lane_masks {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name() -> u32 {
            // SAFETY: reads a special register.
            unsafe { nvvm::$name() }
        }
    )*};
}

lane_masks! {
    /// The lanes below this one: bits 0…lane−1. PTX `%lanemask_lt`.
    ///
    /// `(ballot & lanemask_lt()).count_ones()` is this lane's rank among those that voted yes.
    lanemask_lt;
    /// The lanes up to this one: bits 0…lane. PTX `%lanemask_le`.
    lanemask_le;
    /// This lane alone: bit lane. PTX `%lanemask_eq`.
    lanemask_eq;
    /// The lanes from this one on: bits lane…31. PTX `%lanemask_ge`.
    lanemask_ge;
    /// The lanes above this one: bits lane+1…31. PTX `%lanemask_gt`.
    lanemask_gt;
}
