//! `vote.sync`, `match.sync`, `redux.sync`, `elect.sync` and the lane masks: PTX ISA, "Parallel
//! Synchronization and Communication Instructions" and "Special Registers".

use super::{LANES, contains, lanes};
use crate::warp::WarpReductionOp;

/// `vote.sync.all`: true if the predicate holds in all lanes of the mask.
pub fn vote_all(mask: u32, predicate: &[bool; LANES]) -> bool {
    lanes(mask).all(|lane| predicate[lane])
}

/// `vote.sync.any`: true if the predicate holds in some lane of the mask.
pub fn vote_any(mask: u32, predicate: &[bool; LANES]) -> bool {
    lanes(mask).any(|lane| predicate[lane])
}

/// `vote.sync.uni`: true if the predicate is the same in all lanes of the mask.
pub fn vote_uni(mask: u32, predicate: &[bool; LANES]) -> bool {
    vote_all(mask, predicate) || !vote_any(mask, predicate)
}

/// `vote.sync.ballot`: bit i is the predicate of lane i; 0 for lanes outside the mask.
pub fn vote_ballot(mask: u32, predicate: &[bool; LANES]) -> u32 {
    lanes(mask)
        .filter(|&lane| predicate[lane])
        .fold(0, |ballot, lane| ballot | 1 << lane)
}

/// `match.any.sync`: for each lane of the mask, the lanes of the mask whose bits are the same.
pub fn match_any(mask: u32, bits: &[u64; LANES]) -> [Option<u32>; LANES] {
    core::array::from_fn(|lane| {
        let same = lanes(mask).filter(|&other| bits[other] == bits[lane]);
        contains(mask, lane).then(|| same.fold(0, |same, other| same | 1 << other))
    })
}

/// `match.all.sync`: the mask if all of its lanes have the same bits, else none (the instruction
/// gives 0 and a false predicate).
pub fn match_all(mask: u32, bits: &[u64; LANES]) -> Option<u32> {
    let first = mask.trailing_zeros() as usize;
    lanes(mask)
        .all(|lane| bits[lane] == bits[first])
        .then_some(mask)
}

/// `redux.sync` on 32 bits; `signed` chooses `.s32` for `.min` and `.max`. Addition wraps.
pub fn redux(mask: u32, values: &[u32; LANES], op: WarpReductionOp, signed: bool) -> u32 {
    let combine = |a: u32, b: u32| match op {
        WarpReductionOp::Add => a.wrapping_add(b),
        WarpReductionOp::And => a & b,
        WarpReductionOp::Or => a | b,
        WarpReductionOp::Xor => a ^ b,
        WarpReductionOp::Min if signed => (a as i32).min(b as i32) as u32,
        WarpReductionOp::Max if signed => (a as i32).max(b as i32) as u32,
        WarpReductionOp::Min => a.min(b),
        WarpReductionOp::Max => a.max(b),
    };
    lanes(mask)
        .map(|lane| values[lane])
        .reduce(combine)
        .unwrap_or(0)
}

/// `elect.sync`: the elected lane. The ISA leaves the choice open but deterministic; hardware and
/// this project take the lowest.
pub fn elect(mask: u32) -> u32 {
    mask.trailing_zeros()
}

/// `%lanemask_lt`, `_le`, `_eq`, `_ge`, `_gt` of a lane.
pub fn lane_masks(lane: usize) -> [u32; 5] {
    let collect = |keep: &dyn Fn(usize) -> bool| {
        (0..LANES)
            .filter(|&other| keep(other))
            .fold(0, |mask, other| mask | 1 << other)
    };
    [
        collect(&|other| other < lane),
        collect(&|other| other <= lane),
        collect(&|other| other == lane),
        collect(&|other| other >= lane),
        collect(&|other| other > lane),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn votes() {
        let odd = core::array::from_fn(|lane| lane % 2 == 1);
        assert_eq!(vote_ballot(u32::MAX, &odd), 0xAAAA_AAAA);
        assert_eq!(vote_ballot(0x0000_000F, &odd), 0xA);
        for (mask, all, any, uni) in [
            (u32::MAX, false, true, false),
            (0xAAAA_AAAA, true, true, true),
            (0x5555_5555, false, false, true),
            (0x0000_0002, true, true, true),
            (0x0000_0001, false, false, true),
        ] {
            let got = (
                vote_all(mask, &odd),
                vote_any(mask, &odd),
                vote_uni(mask, &odd),
            );
            assert_eq!(got, (all, any, uni), "mask {mask:#x}");
        }
    }

    #[test]
    fn matches() {
        let thirds = core::array::from_fn(|lane| lane as u64 % 3);
        let any = match_any(0x3F, &thirds);
        assert_eq!(any[0], Some(0b001001));
        assert_eq!(any[5], Some(0b100100));
        assert_eq!(any[6], None);
        assert_eq!(match_all(0x3F, &thirds), None);
        assert_eq!(match_all(0b1001, &thirds), Some(0b1001));
    }

    #[test]
    fn reductions() {
        use WarpReductionOp::{Add, And, Max, Min, Or, Xor};
        let mut values = [0; LANES];
        values[..4].copy_from_slice(&[1, 0xFFFF_FFFF, 7, 4]);
        for (op, signed, expected) in [
            (Add, false, 11),
            (Min, false, 1),
            (Min, true, 0xFFFF_FFFF),
            (Max, false, 0xFFFF_FFFF),
            (Max, true, 7),
            (And, false, 0),
            (Or, false, 0xFFFF_FFFF),
            (Xor, false, 0xFFFF_FFFD),
        ] {
            assert_eq!(
                redux(0xF, &values, op, signed),
                expected,
                "{op:?} signed {signed}"
            );
        }
    }

    #[test]
    fn masks_of_a_lane() {
        assert_eq!(lane_masks(0), [0, 1, 1, 0xFFFF_FFFF, 0xFFFF_FFFE]);
        assert_eq!(lane_masks(4), [0xF, 0x1F, 0x10, 0xFFFF_FFF0, 0xFFFF_FFE0]);
        assert_eq!(
            lane_masks(31),
            [0x7FFF_FFFF, 0xFFFF_FFFF, 0x8000_0000, 0x8000_0000, 0]
        );
        assert_eq!(elect(0b1100), 2);
    }
}
