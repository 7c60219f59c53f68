//! Groups of whichever lanes are there: after a branch, or by a property of their values.

use crate::collective;
use crate::group::{Group, Sealed, nth_lane};
use crate::ops::ReduceOp;
use crate::warp::{self, WarpMatchValue, WarpShuffleMode, WarpShuffleValue};

/// Any non-empty set of lanes of a warp, ranked in lane order.
///
/// ```
/// use cuda_std::coalesced::CoalescedGroup;
/// use cuda_std::group::Group;
/// use cuda_std::prelude::*;
///
/// /// How many of each warp's values are negative, counted in a branch.
/// ///
/// /// # Safety
/// /// - `x` has one element per thread, `out` one per warp, all 0.
/// #[kernel]
/// pub unsafe fn count_negative(x: *const i32, out: *mut u32) {
///     let i = thread::index_1d() as usize;
///     // SAFETY: the lanes that are in the branch stay together in it.
///     unsafe {
///         if *x.add(i) < 0 {
///             let group = CoalescedGroup::active();
///             group.invoke_one(|| *out.add(i / 32) += group.size());
///         }
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CoalescedGroup {
    mask: u32,
    rank: u32,
}

impl CoalescedGroup {
    /// The lanes that execute this together with the caller now. PTX `activemask.b32`.
    ///
    /// Never empty, but which lanes it holds is a snapshot: code that needs all lanes of a branch
    /// agrees on them with a ballot before it, and uses [`Self::of`].
    ///
    /// # Safety
    /// - Whoever calls a method of the group calls it in all of its lanes, none of which has
    ///   exited: they stay together from here on.
    #[inline(always)]
    pub unsafe fn active() -> Self {
        // SAFETY: the calling lane is active; the rest is the caller's duty.
        unsafe { Self::of(warp::activemask()) }
    }

    /// The lanes of `mask`.
    ///
    /// # Safety
    /// - The calling lane is in `mask`.
    /// - Whoever calls a method of the group calls it in all of its lanes, none of which has exited.
    #[inline(always)]
    pub unsafe fn of(mask: u32) -> Self {
        Self {
            mask,
            rank: (mask & warp::lanemask_lt()).count_ones(),
        }
    }

    /// The lanes of this group whose `predicate` is the same as the caller's. A collective of this
    /// group. PTX `vote.sync.ballot.b32`.
    #[inline(always)]
    pub fn binary_partition(self, predicate: bool) -> Self {
        let yes = self.ballot(predicate);
        // SAFETY: the calling lane is in its half; the promise of this group covers its parts.
        unsafe { Self::of(if predicate { yes } else { self.mask & !yes }) }
    }

    /// The lanes of this group whose `key` is the same as the caller's. A collective of this
    /// group. PTX `match.any.sync`, sm_70.
    #[inline(always)]
    pub fn labeled_partition<T: WarpMatchValue>(self, key: T) -> Self {
        // SAFETY: as in binary_partition.
        unsafe { Self::of(self.match_any(key)) }
    }

    /// Runs `f` in rank 0 alone; `Some` of its result there, `None` in the other lanes.
    #[inline(always)]
    pub fn invoke_one<R>(self, f: impl FnOnce() -> R) -> Option<R> {
        (self.rank == 0).then(f)
    }

    /// Runs `f` in rank 0 alone and hands its result to every lane. A collective of this group.
    #[inline(always)]
    pub fn invoke_one_broadcast<R: WarpShuffleValue>(self, f: impl FnOnce() -> R) -> R {
        let mut result = core::mem::MaybeUninit::<R>::zeroed();
        if self.rank == 0 {
            result.write(f());
        }
        // SAFETY: what a lane other than rank 0 holds is plain zeroed data, and nobody gets it.
        let result = unsafe { result.assume_init() };
        self.shuffle(result, 0)
    }
}

impl Sealed for CoalescedGroup {}

impl Group for CoalescedGroup {
    #[inline(always)]
    fn mask(self) -> u32 {
        self.mask
    }

    #[inline(always)]
    fn rank(self) -> u32 {
        self.rank
    }

    #[inline(always)]
    fn size(self) -> u32 {
        self.mask.count_ones()
    }

    #[inline(always)]
    fn lane_of(self, rank: u32) -> u32 {
        nth_lane(self.mask, rank)
    }

    #[inline(always)]
    fn rank_of(self, lane: u32) -> u32 {
        (self.mask & ((1 << lane) - 1)).count_ones()
    }

    /// `value` of the lane of rank `rank`, which is below the size. Valid in every lane.
    #[inline(always)]
    fn shuffle<T: WarpShuffleValue>(self, value: T, rank: u32) -> T {
        // SAFETY: promised at the construction of the group.
        unsafe {
            collective::shuffle(
                WarpShuffleMode::Idx,
                self.mask,
                value,
                self.lane_of(rank),
                32,
            )
        }
    }

    #[inline(always)]
    fn shuffle_up<T: WarpShuffleValue>(self, value: T, delta: u32) -> T {
        let source = if self.rank >= delta {
            self.rank - delta
        } else {
            self.rank
        };
        self.shuffle(value, source)
    }

    #[inline(always)]
    fn shuffle_down<T: WarpShuffleValue>(self, value: T, delta: u32) -> T {
        let above = self.rank.saturating_add(delta);
        self.shuffle(
            value,
            if above < self.size() {
                above
            } else {
                self.rank
            },
        )
    }

    #[inline(always)]
    fn shuffle_xor<T: WarpShuffleValue>(self, value: T, ranks: u32) -> T {
        let partner = self.rank ^ ranks;
        self.shuffle(
            value,
            if partner < self.size() {
                partner
            } else {
                self.rank
            },
        )
    }

    #[inline(always)]
    fn reduce<T: WarpShuffleValue, O: ReduceOp<T>>(self, value: T, op: O) -> T {
        // SAFETY: promised at the construction of the group.
        unsafe {
            if let Some(result) = op.redux(self.mask, value) {
                return result;
            }
            collective::chain(self.mask, value, op)
        }
    }

    #[inline(always)]
    fn reduce_all<T: WarpShuffleValue, O: ReduceOp<T>>(self, value: T, op: O) -> T {
        // SAFETY: promised at the construction of the group.
        unsafe { collective::reduce_mask(self.mask, value, op) }
    }
}
