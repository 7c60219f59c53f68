//! The shuffle patterns that tiles, groups and blocks share.
//!
//! All of them keep lane order, so that an operation need be associative only.

use crate::ops::ReduceOp;
use crate::warp::{self, FULL_MASK, WarpShuffleMode, WarpShuffleValue, clamp_and_segment};

/// Reduces over the lanes of `mask`, whichever they are; every lane of it gets the result.
///
/// # Safety
/// - As [`crate::warp::warp_reduce`].
#[inline(always)]
pub(crate) unsafe fn reduce_mask<T: WarpShuffleValue, O: ReduceOp<T>>(
    mask: u32,
    value: T,
    op: O,
) -> T {
    // SAFETY: the caller's duty.
    unsafe {
        if let Some(result) = op.redux(mask, value) {
            result
        } else if mask == FULL_MASK {
            butterfly::<T, O, 32>(mask, value, op)
        } else {
            let total = chain(mask, value, op);
            warp::warp_broadcast(mask, total, warp::leader(mask))
        }
    }
}

/// The butterfly of log₂ N steps over segments of N lanes: every lane gets its segment's result.
///
/// # Safety
/// - As [`crate::warp::warp_reduce`]; `mask` holds whole segments.
#[inline(always)]
pub(crate) unsafe fn butterfly<T: WarpShuffleValue, O: ReduceOp<T>, const N: u32>(
    mask: u32,
    value: T,
    op: O,
) -> T {
    let lane = if O::COMMUTATIVE { 0 } else { warp::lane_id() };
    let mut total = value;
    let mut distance = 1;
    while distance < N {
        // SAFETY: the caller's duty.
        let other = unsafe { shuffle(WarpShuffleMode::Xor, mask, total, distance, 32) };
        total = if O::COMMUTATIVE || lane & distance == 0 {
            op.combine(total, other)
        } else {
            op.combine(other, total)
        };
        distance *= 2;
    }
    total
}

/// The tree of log₂ N steps towards lane 0 of each segment of N lanes; other lanes hold leftovers.
///
/// # Safety
/// - As [`crate::warp::warp_reduce`]; `mask` holds whole segments.
#[inline(always)]
pub(crate) unsafe fn tree<T: WarpShuffleValue, O: ReduceOp<T>, const N: u32>(
    mask: u32,
    value: T,
    op: O,
) -> T {
    let mut total = value;
    let mut distance = 1;
    while distance < N {
        // SAFETY: the caller's duty.
        let other = unsafe { shuffle(WarpShuffleMode::Down, mask, total, distance, N) };
        total = op.combine(total, other);
        distance *= 2;
    }
    total
}

/// The tree over lanes 0…count−1 of a warp, of which others may be there and do not count; the
/// result is in lane 0. `most` is an upper bound of count, known at compile time.
///
/// # Safety
/// - As [`crate::warp::warp_reduce`]; `mask` holds lanes 0…count−1, and count is not 0.
#[inline(always)]
pub(crate) unsafe fn tree_of_first<T: WarpShuffleValue, O: ReduceOp<T>>(
    mask: u32,
    value: T,
    count: u32,
    most: u32,
    op: O,
) -> T {
    let lane = warp::lane_id();
    let mut total = value;
    let mut distance = 1;
    while distance < most {
        // SAFETY: the caller's duty.
        let other = unsafe { shuffle(WarpShuffleMode::Down, mask, total, distance, 32) };
        if lane + distance < count {
            total = op.combine(total, other);
        }
        distance *= 2;
    }
    total
}

/// The tree over the lanes of any mask, by pointer jumping: each lane knows the next one that it
/// has not yet combined with. The result is in the lowest lane.
///
/// # Safety
/// - As [`crate::warp::warp_reduce`].
#[inline(always)]
pub(crate) unsafe fn chain<T: WarpShuffleValue, O: ReduceOp<T>>(mask: u32, value: T, op: O) -> T {
    let lane = warp::lane_id();
    let mut total = value;
    // A lane without a successor points at itself, which is a lane of the mask in any case.
    let above = mask & warp::lanemask_gt();
    let mut next = if above == 0 {
        lane
    } else {
        above.trailing_zeros()
    };
    let count = mask.count_ones();
    let mut distance = 1;
    while distance < count {
        // SAFETY: the caller's duty; `next` is a lane of the mask.
        let (other, after) = unsafe {
            (
                shuffle(WarpShuffleMode::Idx, mask, total, next, 32),
                shuffle(WarpShuffleMode::Idx, mask, next, next, 32),
            )
        };
        if next != lane {
            total = op.combine(total, other);
        }
        next = if next == after { lane } else { after };
        distance *= 2;
    }
    total
}

/// A shuffle whose flag is not wanted.
///
/// # Safety
/// - As [`crate::warp::warp_shuffle_idx`].
#[inline(always)]
pub(crate) unsafe fn shuffle<T: WarpShuffleValue>(
    mode: WarpShuffleMode,
    mask: u32,
    value: T,
    lane: u32,
    width: u32,
) -> T {
    // SAFETY: the caller's duty.
    unsafe { T::shuffle(mode, mask, value, lane, clamp_and_segment(mode, width)).0 }
}
