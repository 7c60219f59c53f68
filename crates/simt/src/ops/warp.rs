//! Operations among the lanes of a warp, on 32 values and a mask (PTX ISA, "Parallel
//! Synchronization and Communication Instructions").

/// Modes of `shfl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShuffleMode {
    /// From a lower lane.
    Up,
    /// From a higher lane.
    Down,
    /// From the lane whose number differs in the given bits.
    Butterfly,
    /// From the given lane.
    Index,
}

/// Modes of `vote`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VoteMode {
    /// True in all lanes.
    All,
    /// True in any lane.
    Any,
    /// The same in all lanes.
    Uniform,
    /// The mask of lanes where it is true.
    Ballot,
}

/// What `redux` computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceOp {
    /// Wrapping sum.
    Add,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Unsigned minimum.
    MinU,
    /// Unsigned maximum.
    MaxU,
    /// Signed minimum.
    MinS,
    /// Signed maximum.
    MaxS,
    /// Minimum of floats; `.abs` and `.NaN` as flags.
    MinF {
        /// Compares magnitudes.
        abs: bool,
        /// NaN wins.
        nan: bool,
    },
    /// Maximum of floats.
    MaxF {
        /// Compares magnitudes.
        abs: bool,
        /// NaN wins.
        nan: bool,
    },
}

/// Where lane `lane` reads from, and whether that lies in its segment: `shfl`'s source and
/// predicate. Out of range, a lane reads itself.
///
/// `b` holds the lane or distance; `c` the clamp in bits 0 to 4 and the segment mask in 8 to 12.
#[inline(always)]
pub fn shuffle_source(mode: ShuffleMode, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (value, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
    let low = lane & segment;
    let most = low | (clamp & !segment);
    let (source, in_range) = match mode {
        ShuffleMode::Up => (
            lane.wrapping_sub(value),
            lane as i32 - value as i32 >= most as i32,
        ),
        ShuffleMode::Down => (lane + value, lane + value <= most),
        ShuffleMode::Butterfly => (lane ^ value, lane ^ value <= most),
        ShuffleMode::Index => {
            let source = low | (value & !segment);
            (source, source <= most)
        }
    };
    if in_range {
        (source & 31, true)
    } else {
        (lane, false)
    }
}

/// `vote` over the lanes of `members`: the result of a lane, a ballot as its mask.
pub fn vote(mode: VoteMode, members: u32, predicates: u32) -> u32 {
    let set = predicates & members;
    match mode {
        VoteMode::All => u32::from(set == members),
        VoteMode::Any => u32::from(set != 0),
        VoteMode::Uniform => u32::from(set == members || set == 0),
        VoteMode::Ballot => set,
    }
}

/// `match.any`: for lane `lane`, the members with the same value.
pub fn match_any(members: u32, values: &[u64; 32], lane: usize) -> u32 {
    lanes(members)
        .filter(|&i| values[i] == values[lane])
        .fold(0, |mask, i| mask | 1 << i)
}

/// `match.all`: the members if all hold the same value, else none.
pub fn match_all(members: u32, values: &[u64; 32]) -> Option<u32> {
    let first = values[members.trailing_zeros() as usize & 31];
    lanes(members)
        .all(|i| values[i] == first)
        .then_some(members)
}

/// `redux`.
pub fn reduce(op: ReduceOp, members: u32, values: &[u32; 32]) -> u32 {
    use super::float;
    lanes(members)
        .map(|i| match op {
            ReduceOp::MinF { abs: true, .. } | ReduceOp::MaxF { abs: true, .. } => {
                values[i] & 0x7fff_ffff
            }
            _ => values[i],
        })
        .reduce(|a, b| {
            let (x, y) = (f32::from_bits(a), f32::from_bits(b));
            match op {
                ReduceOp::Add => a.wrapping_add(b),
                ReduceOp::And => a & b,
                ReduceOp::Or => a | b,
                ReduceOp::Xor => a ^ b,
                ReduceOp::MinU => a.min(b),
                ReduceOp::MaxU => a.max(b),
                ReduceOp::MinS => (a as i32).min(b as i32) as u32,
                ReduceOp::MaxS => (a as i32).max(b as i32) as u32,
                ReduceOp::MinF { nan: false, .. } => float::min32(x, y).to_bits(),
                ReduceOp::MinF { nan: true, .. } => float::min32_nan(x, y).to_bits(),
                ReduceOp::MaxF { nan: false, .. } => float::max32(x, y).to_bits(),
                ReduceOp::MaxF { nan: true, .. } => float::max32_nan(x, y).to_bits(),
            }
        })
        .unwrap_or(0)
}

fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |i| mask >> i & 1 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The clamp and segment operand of a width, as CUDA's intrinsics compute it.
    fn c(width: u32, up: bool) -> u32 {
        (32 - width) << 8 | if up { 0 } else { 31 }
    }

    #[test]
    fn shuffles_by_definition_for_every_width() {
        for width in [1, 2, 4, 8, 16, 32] {
            for lane in 0..32u32 {
                for b in 0..32u32 {
                    let start = lane / width * width;
                    let inside = |source: i64| {
                        let inside = (i64::from(start)..i64::from(start + width)).contains(&source);
                        if inside {
                            (source as u32, true)
                        } else {
                            (lane, false)
                        }
                    };
                    let (l, d) = (i64::from(lane), i64::from(b));
                    let check = |mode, up, expected| {
                        let got = shuffle_source(mode, lane, b, c(width, up));
                        assert_eq!(got, expected, "{mode:?} {width} {lane} {b}");
                    };
                    check(ShuffleMode::Up, true, inside(l - d));
                    check(ShuffleMode::Down, false, inside(l + d));
                    let index = start + b % width;
                    check(ShuffleMode::Index, false, (index, true));
                    // A butterfly may leave its segment downwards.
                    let other = lane ^ b;
                    let end = start + width;
                    let expected = if other < end {
                        (other, true)
                    } else {
                        (lane, false)
                    };
                    check(ShuffleMode::Butterfly, false, expected);
                }
            }
        }
    }

    #[test]
    fn votes() {
        let members = 0xff00;
        assert_eq!(vote(VoteMode::All, members, 0xff00), 1);
        assert_eq!(vote(VoteMode::All, members, 0xfe01), 0);
        assert_eq!(vote(VoteMode::Any, members, 0x00ff), 0);
        assert_eq!(vote(VoteMode::Uniform, members, 0x00ff), 1);
        assert_eq!(vote(VoteMode::Ballot, members, 0x1234), 0x1200);
    }

    #[test]
    fn matches_and_reductions() {
        let values: [u64; 32] = std::array::from_fn(|i| i as u64 % 3);
        assert_eq!(match_any(0b111_1111, &values, 0), 0b100_1001);
        assert_eq!(match_all(0b1001, &values), Some(0b1001));
        assert_eq!(match_all(0b0011, &values), None);
        let values: [u32; 32] = std::array::from_fn(|i| (i as u32).wrapping_sub(4));
        assert_eq!(reduce(ReduceOp::MinS, 0xff, &values) as i32, -4);
        assert_eq!(reduce(ReduceOp::MinU, 0xff, &values), 0);
        assert_eq!(reduce(ReduceOp::Add, 0xff, &values) as i32, -4);
    }
}
