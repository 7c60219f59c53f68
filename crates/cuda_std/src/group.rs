//! The collectives that a part of a warp offers, whether it is a tile or whichever lanes are there.

use crate::ops::{self, Redux};
use crate::ops::{Integer, Monoid, ReduceOp, Scalar};
use crate::warp::{self, WarpMatchValue, WarpShuffleValue};

pub(crate) trait Sealed {}

/// A set of lanes of one warp that work together, numbered by *rank*: 0 in its lowest lane.
///
/// Every method is a collective, to be called in all lanes of the group together, which whoever
/// made the group has promised. Values are combined in rank order, so that an operation need be
/// associative only. The methods say in which lanes their result is valid.
///
/// Nothing but shuffles, votes and `redux.sync`: no shared memory, no barrier.
#[expect(private_bounds, reason = "sealed")]
pub trait Group: Copy + Sealed {
    /// The lanes of the group.
    fn mask(self) -> u32;

    /// This lane's number in the group.
    fn rank(self) -> u32;

    /// The number of lanes in the group.
    fn size(self) -> u32;

    /// The warp's lane that has the given rank.
    fn lane_of(self, rank: u32) -> u32;

    /// The rank of one of the group's lanes.
    fn rank_of(self, lane: u32) -> u32;

    /// `value` of the lane of rank `rank` (modulo N in a tile). Valid in every lane.
    fn shuffle<T: WarpShuffleValue>(self, value: T, rank: u32) -> T;

    /// `value` of the lane `delta` ranks below; the first `delta` ranks keep their own.
    fn shuffle_up<T: WarpShuffleValue>(self, value: T, delta: u32) -> T;

    /// `value` of the lane `delta` ranks above; the last `delta` ranks keep their own.
    fn shuffle_down<T: WarpShuffleValue>(self, value: T, delta: u32) -> T;

    /// `value` of the lane whose rank differs in the bits of `ranks`; a lane whose partner is not
    /// in the group keeps its own.
    fn shuffle_xor<T: WarpShuffleValue>(self, value: T, ranks: u32) -> T;

    /// Combines `value` of all lanes. **Rank 0 has the result**; others hold leftovers.
    fn reduce<T: WarpShuffleValue, O: ReduceOp<T>>(self, value: T, op: O) -> T;

    /// Combines `value` of all lanes. **Every lane has the result**, bit for bit the same.
    fn reduce_all<T: WarpShuffleValue, O: ReduceOp<T>>(self, value: T, op: O) -> T;

    /// Waits for all lanes of the group; orders their memory accesses. PTX `bar.warp.sync`.
    #[inline(always)]
    fn sync(self) {
        // SAFETY: promised at the construction of the group.
        unsafe { warp::sync_warp(self.mask()) }
    }

    /// `value` of rank `rank`. Valid in every lane.
    #[inline(always)]
    fn broadcast<T: WarpShuffleValue>(self, value: T, rank: u32) -> T {
        self.shuffle(value, rank)
    }

    /// Whether `predicate` holds in all lanes. Valid in every lane.
    #[inline(always)]
    fn all(self, predicate: bool) -> bool {
        // SAFETY: promised at the construction of the group.
        unsafe { warp::warp_vote_all(self.mask(), predicate) }
    }

    /// Whether `predicate` holds in any lane. Valid in every lane.
    #[inline(always)]
    fn any(self, predicate: bool) -> bool {
        // SAFETY: promised at the construction of the group.
        unsafe { warp::warp_vote_any(self.mask(), predicate) }
    }

    /// The *lanes of the warp* in which `predicate` holds, of those in the group. Valid in every
    /// lane. [`Self::rank_in`] numbers them.
    #[inline(always)]
    fn ballot(self, predicate: bool) -> u32 {
        // SAFETY: promised at the construction of the group.
        unsafe { warp::warp_vote_ballot(self.mask(), predicate) }
    }

    /// The lanes of the group that have the same `value` as this one. Valid in every lane. sm_70.
    #[inline(always)]
    fn match_any<T: WarpMatchValue>(self, value: T) -> u32 {
        // SAFETY: promised at the construction of the group.
        unsafe { warp::warp_match_any(self.mask(), value) }
    }

    /// Whether all lanes have the same `value`. Valid in every lane. sm_70.
    #[inline(always)]
    fn match_all<T: WarpMatchValue>(self, value: T) -> bool {
        // SAFETY: promised at the construction of the group.
        unsafe { warp::warp_match_all(self.mask(), value).is_some() }
    }

    /// This lane's number among the lanes of `ballot`: how many of them are below it.
    #[inline(always)]
    fn rank_in(self, ballot: u32) -> u32 {
        (ballot & warp::lanemask_lt()).count_ones()
    }

    /// The sum of `value`; wraps for integers. Valid in every lane.
    #[inline(always)]
    fn sum<T: Scalar + Redux>(self, value: T) -> T {
        self.reduce_all(value, ops::Add)
    }

    /// The product of `value`; wraps for integers. Valid in every lane.
    #[inline(always)]
    fn product<T: Scalar + Redux>(self, value: T) -> T {
        self.reduce_all(value, ops::Mul)
    }

    /// The smallest `value`; a NaN loses against a number. Valid in every lane.
    #[inline(always)]
    fn min<T: Scalar + Redux>(self, value: T) -> T {
        self.reduce_all(value, ops::Min)
    }

    /// The largest `value`; a NaN loses against a number. Valid in every lane.
    #[inline(always)]
    fn max<T: Scalar + Redux>(self, value: T) -> T {
        self.reduce_all(value, ops::Max)
    }

    /// The bitwise and of `value`. Valid in every lane.
    #[inline(always)]
    fn and<T: Integer + Redux>(self, value: T) -> T {
        self.reduce_all(value, ops::And)
    }

    /// The bitwise or of `value`. Valid in every lane.
    #[inline(always)]
    fn or<T: Integer + Redux>(self, value: T) -> T {
        self.reduce_all(value, ops::Or)
    }

    /// The bitwise exclusive or of `value`. Valid in every lane.
    #[inline(always)]
    fn xor<T: Integer + Redux>(self, value: T) -> T {
        self.reduce_all(value, ops::Xor)
    }

    /// The smallest `value` and the lowest rank that has it; a NaN loses against a number. Valid in
    /// every lane.
    #[inline(always)]
    fn arg_min<T: Scalar>(self, value: T) -> (T, u32) {
        self.reduce_all((value, self.rank()), ops::arg_min)
    }

    /// The largest `value` and the lowest rank that has it; a NaN loses against a number. Valid in
    /// every lane.
    #[inline(always)]
    fn arg_max<T: Scalar>(self, value: T) -> (T, u32) {
        self.reduce_all((value, self.rank()), ops::arg_max)
    }

    /// x₀ ∘ … ∘ xᵣ in rank r. Valid in every lane. log₂ of the size steps.
    #[inline(always)]
    fn inclusive_scan<T: WarpShuffleValue, O: ReduceOp<T>>(self, value: T, op: O) -> T {
        self.scan_back(value, self.rank(), op)
    }

    /// x₀ ∘ … ∘ xᵣ₋₁ in rank r, and the identity in rank 0. Valid in every lane.
    #[inline(always)]
    fn exclusive_scan<T: WarpShuffleValue, O: Monoid<T>>(self, value: T, op: O) -> T {
        self.exclusive_scan_from(value, op.identity(), op)
    }

    /// `first` ∘ x₀ ∘ … ∘ xᵣ₋₁ in rank r, for an operation without an identity. Valid in every lane.
    #[inline(always)]
    fn exclusive_scan_from<T: WarpShuffleValue, O: ReduceOp<T>>(
        self,
        value: T,
        first: T,
        op: O,
    ) -> T {
        let before = self.shuffle_up(self.inclusive_scan(value, op), 1);
        if self.rank() == 0 {
            first
        } else {
            op.combine(first, before)
        }
    }

    /// [`Self::inclusive_scan`] that starts afresh in each lane whose `head` is true. Valid in
    /// every lane. The first lane is a head in any case.
    #[inline(always)]
    fn segmented_inclusive_scan<T: WarpShuffleValue, O: ReduceOp<T>>(
        self,
        value: T,
        head: bool,
        op: O,
    ) -> T {
        let first = self.segment_first(self.ballot(head));
        self.scan_back(value, self.rank() - first, op)
    }

    /// [`Self::exclusive_scan`] that starts afresh in each lane whose `head` is true: the identity
    /// there. Valid in every lane.
    #[inline(always)]
    fn segmented_exclusive_scan<T: WarpShuffleValue, O: Monoid<T>>(
        self,
        value: T,
        head: bool,
        op: O,
    ) -> T {
        let first = self.segment_first(self.ballot(head));
        let before = self.shuffle_up(self.scan_back(value, self.rank() - first, op), 1);
        if self.rank() == first {
            op.identity()
        } else {
            before
        }
    }

    /// Combines `value` within each segment; a segment starts in each lane whose `head` is true.
    /// **Every lane has its segment's result.**
    #[inline(always)]
    fn segmented_reduce<T: WarpShuffleValue, O: ReduceOp<T>>(
        self,
        value: T,
        head: bool,
        op: O,
    ) -> T {
        let heads = self.ballot(head);
        let scanned = self.scan_back(value, self.rank() - self.segment_first(heads), op);
        let next = heads & warp::lanemask_gt();
        let last = if next == 0 {
            self.size()
        } else {
            self.rank_of(next.trailing_zeros())
        } - 1;
        self.shuffle(scanned, last)
    }

    /// The kept values, in order, in ranks 0…count−1, and the count. The value is **valid in
    /// ranks below the count**, the count in every lane.
    #[inline(always)]
    fn compact<T: WarpShuffleValue>(self, value: T, keep: bool) -> (T, u32) {
        let kept = self.ballot(keep);
        let count = kept.count_ones();
        let source = if self.rank() < count {
            self.rank_of(nth_lane(kept, self.rank()))
        } else {
            self.rank()
        };
        (self.shuffle(value, source), count)
    }

    /// The values in ascending order of rank. Valid in every lane.
    ///
    /// A bitonic network: log₂ n (log₂ n + 1) / 2 compare-exchanges, 15 for 32 lanes. Not stable.
    /// Values that do not compare (NaN) may end up anywhere.
    #[inline(always)]
    fn sort<T: WarpShuffleValue + PartialOrd>(self, value: T) -> T {
        self.sort_by(value, |a, b| a < b)
    }

    /// Pairs in ascending order of `key`. Valid in every lane. Not stable.
    #[inline(always)]
    fn sort_pairs<K: WarpShuffleValue + PartialOrd, V: WarpShuffleValue>(
        self,
        key: K,
        value: V,
    ) -> (K, V) {
        self.sort_by((key, value), |a, b| a.0 < b.0)
    }

    /// The values in the order of `less`, a strict weak order. Valid in every lane. Not stable.
    #[inline(always)]
    fn sort_by<T: WarpShuffleValue, F: Fn(&T, &T) -> bool>(self, value: T, less: F) -> T {
        let mut value = value;
        let mut run = 2;
        // Partners beyond the end count as greater than everything: all comparisons put the
        // smaller value into the lower rank, so that nothing happens there.
        while run < 2 * self.size() {
            value = self.compare_exchange(value, run - 1, &less);
            let mut distance = run / 4;
            while distance > 0 {
                value = self.compare_exchange(value, distance, &less);
                distance /= 2;
            }
            run *= 2;
        }
        value
    }

    /// Keeps the smaller of this lane's value and that of the lane whose rank differs in `ranks`
    /// in the lower of the two, the larger in the higher.
    #[doc(hidden)]
    #[inline(always)]
    fn compare_exchange<T: WarpShuffleValue, F: Fn(&T, &T) -> bool>(
        self,
        value: T,
        ranks: u32,
        less: &F,
    ) -> T {
        let other = self.shuffle_xor(value, ranks);
        let partner = self.rank() ^ ranks;
        let lower = self.rank() < partner;
        let swap = if lower {
            less(&other, &value)
        } else {
            less(&value, &other)
        };
        if swap && partner < self.size() {
            other
        } else {
            value
        }
    }

    /// The inclusive scan over the `distance` lanes before this one and itself.
    #[doc(hidden)]
    #[inline(always)]
    fn scan_back<T: WarpShuffleValue, O: ReduceOp<T>>(self, value: T, distance: u32, op: O) -> T {
        let mut total = value;
        let mut step = 1;
        while step < self.size() {
            let before = self.shuffle_up(total, step);
            if distance >= step {
                total = op.combine(before, total);
            }
            step *= 2;
        }
        total
    }

    /// The rank at which this lane's segment starts.
    #[doc(hidden)]
    #[inline(always)]
    fn segment_first(self, heads: u32) -> u32 {
        let up_to_here = heads & warp::lanemask_le();
        if up_to_here == 0 {
            0
        } else {
            self.rank_of(31 - up_to_here.leading_zeros())
        }
    }
}

/// The lane of the `n`-th set bit of `mask`, counted from 0; unspecified if there are fewer.
///
/// A binary search by `popc`: PTX's `fns.b32` is a loop in software.
#[inline(always)]
pub(crate) const fn nth_lane(mask: u32, n: u32) -> u32 {
    let (mut lane, mut left, mut width) = (0, n, 16);
    while width > 0 {
        let below = ((mask >> lane) & ((1 << width) - 1)).count_ones();
        if left >= below {
            left -= below;
            lane += width;
        }
        width /= 2;
    }
    lane
}

#[cfg(test)]
mod tests {
    use super::nth_lane;

    #[test]
    fn nth_lane_finds_every_set_bit() {
        for mask in [
            1u32,
            0x8000_0000,
            0xFFFF_FFFF,
            0xA5A5_0F01,
            0x0001_0000,
            0x8000_0001,
        ] {
            let lanes = (0..32).filter(|lane| mask >> lane & 1 == 1);
            for (n, lane) in lanes.enumerate() {
                assert_eq!(nth_lane(mask, n as u32), lane, "bit {n} of {mask:#010x}");
            }
        }
    }
}
