//! The collectives of tiles and groups: sequential loops over the lanes of a mask in order.

use super::{LANES, contains, lanes};

/// A set of lanes of one warp, ranked in lane order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupModel {
    /// Its lanes.
    pub mask: u32,
}

impl GroupModel {
    /// The rank of a lane.
    pub fn rank(self, lane: usize) -> usize {
        lanes(self.mask).filter(|&other| other < lane).count()
    }

    /// The number of lanes.
    pub fn size(self) -> usize {
        lanes(self.mask).count()
    }

    /// The lane of a rank.
    pub fn lane(self, rank: usize) -> Option<usize> {
        lanes(self.mask).nth(rank)
    }

    /// All values combined in rank order; none for an empty group.
    pub fn reduce<T: Copy>(self, values: &[T; LANES], op: impl Fn(T, T) -> T) -> Option<T> {
        lanes(self.mask).map(|lane| values[lane]).reduce(op)
    }

    /// The inclusive scan in rank order, which starts afresh at each lane of `heads`.
    pub fn inclusive_scan<T: Copy>(
        self,
        values: &[T; LANES],
        heads: u32,
        op: impl Fn(T, T) -> T,
    ) -> [Option<T>; LANES] {
        let mut out = [None; LANES];
        let mut total = None;
        for lane in lanes(self.mask) {
            total = match total {
                Some(total) if !contains(heads, lane) => Some(op(total, values[lane])),
                _ => Some(values[lane]),
            };
            out[lane] = total;
        }
        out
    }

    /// The exclusive scan in rank order from `first`, which starts afresh at each lane of `heads`.
    pub fn exclusive_scan<T: Copy>(
        self,
        values: &[T; LANES],
        heads: u32,
        first: T,
        op: impl Fn(T, T) -> T,
    ) -> [Option<T>; LANES] {
        let mut out = [None; LANES];
        let mut total = first;
        for lane in lanes(self.mask) {
            if contains(heads, lane) {
                total = first;
            }
            out[lane] = Some(total);
            total = op(total, values[lane]);
        }
        out
    }

    /// The reduction of each lane's segment, in all of its lanes.
    pub fn segmented_reduce<T: Copy>(
        self,
        values: &[T; LANES],
        heads: u32,
        op: impl Fn(T, T) -> T,
    ) -> [Option<T>; LANES] {
        let mut out = self.inclusive_scan(values, heads, op);
        let mut end = None;
        for lane in lanes(self.mask).rev() {
            let total = end.or(out[lane]);
            out[lane] = total;
            end = if contains(heads, lane) { None } else { total };
        }
        out
    }

    /// The kept values in ranks 0…count−1, and the count.
    pub fn compact<T: Copy>(
        self,
        values: &[T; LANES],
        keep: &[bool; LANES],
    ) -> ([Option<T>; LANES], usize) {
        let mut out = [None; LANES];
        let mut targets = lanes(self.mask);
        let mut count = 0;
        for lane in lanes(self.mask).filter(|&lane| keep[lane]) {
            if let Some(target) = targets.next() {
                out[target] = Some(values[lane]);
                count += 1;
            }
        }
        (out, count)
    }

    /// The values in the order of `less`, by rank: insertion sort, stable.
    pub fn sort<T: Copy>(
        self,
        values: &[T; LANES],
        less: impl Fn(&T, &T) -> bool,
    ) -> [Option<T>; LANES] {
        let mut sorted = *values;
        for (count, lane) in lanes(self.mask).enumerate() {
            let mut at = count;
            while at > 0 && less(&values[lane], &sorted[at - 1]) {
                sorted[at] = sorted[at - 1];
                at -= 1;
            }
            sorted[at] = values[lane];
        }
        let mut out = [None; LANES];
        for (rank, lane) in lanes(self.mask).enumerate() {
            out[lane] = Some(sorted[rank]);
        }
        out
    }
}

/// The lane at which the segment of `lane` starts, given the heads.
pub fn segment_start(mask: u32, heads: u32, lane: usize) -> usize {
    let before = lanes(mask).filter(|&other| other <= lane);
    before
        .clone()
        .rev()
        .find(|&other| contains(heads, other))
        .or(before.clone().next())
        .unwrap_or(lane)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: GroupModel = GroupModel { mask: 0b1011_0110 };

    fn values() -> [i32; LANES] {
        core::array::from_fn(|lane| lane as i32)
    }

    #[test]
    fn ranks() {
        // Lanes 1, 2, 4, 5, 7.
        assert_eq!(GROUP.size(), 5);
        assert_eq!(
            [1, 2, 4, 5, 7].map(|lane| GROUP.rank(lane)),
            [0, 1, 2, 3, 4]
        );
        assert_eq!(GROUP.lane(3), Some(5));
        assert_eq!(GROUP.lane(5), None);
    }

    #[test]
    fn scans_and_reductions() {
        let add = |a: i32, b: i32| a + b;
        assert_eq!(GROUP.reduce(&values(), add), Some(19));
        let scan = GROUP.inclusive_scan(&values(), 0, add);
        assert_eq!(
            [1, 2, 4, 5, 7].map(|lane| scan[lane]),
            [1, 3, 7, 12, 19].map(Some)
        );
        assert_eq!(scan[0], None);
        let scan = GROUP.exclusive_scan(&values(), 1 << 5, 100, add);
        assert_eq!(
            [1, 2, 4, 5, 7].map(|lane| scan[lane]),
            [100, 101, 103, 100, 105].map(Some)
        );
        let totals = GROUP.segmented_reduce(&values(), 1 << 4, add);
        assert_eq!(
            [1, 2, 4, 5, 7].map(|lane| totals[lane]),
            [3, 3, 16, 16, 16].map(Some)
        );
        assert_eq!(segment_start(GROUP.mask, 1 << 4, 7), 4);
        assert_eq!(segment_start(GROUP.mask, 1 << 4, 2), 1);
    }

    #[test]
    fn order() {
        let (kept, count) = GROUP.compact(&values(), &core::array::from_fn(|lane| lane % 2 == 1));
        assert_eq!(
            (kept[1], kept[2], kept[4], kept[5], count),
            (Some(1), Some(5), Some(7), None, 3)
        );
        let sorted = GROUP.sort(&values(), |a, b| a > b);
        assert_eq!(
            [1, 2, 4, 5, 7].map(|lane| sorted[lane]),
            [7, 5, 4, 2, 1].map(Some)
        );
    }
}
