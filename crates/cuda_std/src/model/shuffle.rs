//! `shfl.sync`, by the pseudo-code of the PTX ISA, "Data Movement and Conversion Instructions:
//! shfl.sync".

use super::{LANES, contains};
use crate::warp::WarpShuffleMode;

/// Where a lane reads from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The lane that is read: its own where the source is out of range.
    pub lane: usize,
    /// The instruction's predicate: whether the source is in range. It does not say that the
    /// source lane is active.
    pub in_range: bool,
}

/// The source of `lane` for operands `b` (lane or offset) and `c` (clamp in bits 0…4, segment mask
/// in bits 8…12). Names are those of the ISA's pseudo-code.
pub fn source_lane(mode: WarpShuffleMode, lane: usize, b: u32, c: u32) -> Source {
    let lane = lane as i32;
    let bval = (b & 0x1f) as i32;
    let cval = (c & 0x1f) as i32;
    let segmask = (c >> 8 & 0x1f) as i32;
    let max_lane = (lane & segmask) | (cval & !segmask);
    let min_lane = lane & segmask;
    let (j, in_range) = match mode {
        WarpShuffleMode::Up => (lane - bval, lane - bval >= max_lane),
        WarpShuffleMode::Down => (lane + bval, lane + bval <= max_lane),
        WarpShuffleMode::Xor => (lane ^ bval, lane ^ bval <= max_lane),
        WarpShuffleMode::Idx => {
            let j = min_lane | (bval & !segmask);
            (j, j <= max_lane)
        }
    };
    Source {
        lane: if in_range { j } else { lane } as usize,
        in_range,
    }
}

/// `shfl.sync` with the raw operand `c`: for every lane of `mask` the value, where it is defined,
/// and the predicate.
pub fn shfl_sync<T: Copy>(
    mode: WarpShuffleMode,
    mask: u32,
    a: &[T; LANES],
    b: &[u32; LANES],
    c: u32,
) -> [Option<(Option<T>, bool)>; LANES] {
    core::array::from_fn(|lane| {
        contains(mask, lane).then(|| {
            let source = source_lane(mode, lane, b[lane], c);
            (
                contains(mask, source.lane).then(|| a[source.lane]),
                source.in_range,
            )
        })
    })
}

/// A shuffle in segments of `width` lanes, as CUDA's `__shfl_*_sync` defines it: the clamp is the
/// segment's last lane, and for `Up` its first.
///
/// # Panics
/// If `width` is not 1, 2, 4, 8, 16 or 32.
pub fn shuffle<T: Copy>(
    mode: WarpShuffleMode,
    mask: u32,
    a: &[T; LANES],
    b: &[u32; LANES],
    width: u32,
) -> [Option<(Option<T>, bool)>; LANES] {
    assert!(
        width.is_power_of_two() && width <= 32,
        "a width is 1, 2, 4, 8, 16 or 32"
    );
    let clamp = if mode == WarpShuffleMode::Up { 0 } else { 0x1f };
    // The segment mask holds the bits of the lane number that a shuffle may not change.
    let segment = !(width - 1) & 0x1f;
    shfl_sync(mode, mask, a, b, segment << 8 | clamp)
}

#[cfg(test)]
mod tests {
    use super::WarpShuffleMode::{Down, Idx, Up, Xor};
    use super::*;

    const FULL: u32 = u32::MAX;

    /// Lane i holds 100 + i and gives the operand; lanes are expected to read `expected(i)`.
    #[track_caller]
    fn check(
        mode: WarpShuffleMode,
        operand: u32,
        width: u32,
        expected: impl Fn(usize) -> (usize, bool),
    ) {
        let values = core::array::from_fn(|lane| 100 + lane);
        let got = shuffle(mode, FULL, &values, &[operand; LANES], width);
        for (lane, &got) in got.iter().enumerate() {
            let (source, in_range) = expected(lane);
            assert_eq!(
                got,
                Some((Some(100 + source), in_range)),
                "{mode:?} {operand} width {width}, lane {lane}"
            );
        }
    }

    #[test]
    fn whole_warp() {
        check(Idx, 5, 32, |_| (5, true));
        check(Idx, 37, 32, |_| (5, true));
        check(Up, 1, 32, |lane| {
            if lane == 0 {
                (0, false)
            } else {
                (lane - 1, true)
            }
        });
        check(Up, 0, 32, |lane| (lane, true));
        check(Down, 1, 32, |lane| {
            if lane == 31 {
                (31, false)
            } else {
                (lane + 1, true)
            }
        });
        check(Down, 31, 32, |lane| {
            if lane == 0 { (31, true) } else { (lane, false) }
        });
        check(Xor, 3, 32, |lane| (lane ^ 3, true));
        check(Xor, 31, 32, |lane| (31 - lane, true));
    }

    #[test]
    fn segments() {
        check(Idx, 3, 8, |lane| (lane / 8 * 8 + 3, true));
        check(Idx, 11, 8, |lane| (lane / 8 * 8 + 3, true));
        check(Up, 2, 8, |lane| {
            if lane % 8 < 2 {
                (lane, false)
            } else {
                (lane - 2, true)
            }
        });
        check(Down, 4, 16, |lane| {
            if lane % 16 > 11 {
                (lane, false)
            } else {
                (lane + 4, true)
            }
        });
        check(Down, 1, 1, |lane| (lane, false));
        // A butterfly may reach back into an earlier segment, but not forward into a later one.
        check(Xor, 8, 8, |lane| {
            if lane / 8 % 2 == 1 {
                (lane - 8, true)
            } else {
                (lane, false)
            }
        });
        check(Xor, 1, 2, |lane| (lane ^ 1, true));
    }

    #[test]
    fn literals() {
        assert_eq!(
            source_lane(Up, 3, 5, 0),
            Source {
                lane: 3,
                in_range: false
            }
        );
        assert_eq!(
            source_lane(Up, 5, 5, 0),
            Source {
                lane: 0,
                in_range: true
            }
        );
        assert_eq!(
            source_lane(Down, 30, 2, 0x1f),
            Source {
                lane: 30,
                in_range: false
            }
        );
        assert_eq!(
            source_lane(Idx, 17, 2, 0x181f),
            Source {
                lane: 18,
                in_range: true
            }
        );
        // What a port that passes 0x1f for every mode gets: no lane but the last is in range.
        assert_eq!(
            source_lane(Up, 5, 1, 0x1f),
            Source {
                lane: 5,
                in_range: false
            }
        );
    }

    #[test]
    fn partial_masks() {
        let values = core::array::from_fn(|lane| lane);
        let got = shuffle(Xor, 0x0000_0003, &values, &[2; LANES], 32);
        assert_eq!(
            got[0],
            Some((None, true)),
            "lane 2 is not in the mask: in range, but undefined"
        );
        assert_eq!(got[2], None);
        let got = shuffle(Down, 0x8000_0000, &values, &[1; LANES], 32);
        assert_eq!(got[31], Some((Some(31), false)));
    }
}
