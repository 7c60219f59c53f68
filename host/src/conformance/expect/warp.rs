//! Shuffles, votes, matches, reductions, special registers.

use conformance::{ShuffleOp, SpecialOp, Value, VoteOp};
use cuda_std::model::{self, LANES};
use cuda_std::warp::{WarpReductionOp, WarpShuffleMode};

use super::{Given, Want, per_lane};

pub(super) fn shuffle(given: &Given<'_>) -> Vec<Want> {
    let mode = match ShuffleOp::ALL[given.case.op as usize] {
        ShuffleOp::Up => WarpShuffleMode::Up,
        ShuffleOp::Down => WarpShuffleMode::Down,
        ShuffleOp::Xor => WarpShuffleMode::Xor,
        ShuffleOp::Idx | ShuffleOp::Broadcast => WarpShuffleMode::Idx,
    };
    let lanes: [usize; LANES] = std::array::from_fn(|lane| lane);
    let sources = model::shuffle(
        mode,
        given.case.mask,
        &lanes,
        &given.lane_operands(),
        given.case.width,
    );
    let want = |source: &Option<(Option<usize>, bool)>| match source {
        None => Want::untouched(),
        Some((source, in_range)) => Want::maybe(
            source.map(|lane| given.bytes(lane).to_vec()),
            u32::from(*in_range),
        ),
    };
    sources.iter().map(want).collect()
}

pub(super) fn vote(given: &Given<'_>) -> Vec<Want> {
    let predicates = std::array::from_fn(|lane| given.bytes(lane)[0] != 0);
    let mask = given.case.mask;
    let word = match VoteOp::ALL[given.case.op as usize] {
        VoteOp::All => u32::from(model::vote_all(mask, &predicates)),
        VoteOp::Any => u32::from(model::vote_any(mask, &predicates)),
        VoteOp::Uni => u32::from(model::vote_uni(mask, &predicates)),
        VoteOp::Ballot => model::vote_ballot(mask, &predicates),
    };
    per_lane(mask, |lane| Want::exactly(given.bytes(lane).to_vec(), word))
}

pub(super) fn matches(given: &Given<'_>) -> Vec<Want> {
    let bits = std::array::from_fn(|lane| {
        given
            .bytes(lane)
            .iter()
            .rev()
            .fold(0, |bits, &byte| bits << 8 | u64::from(byte))
    });
    let mask = given.case.mask;
    let any = model::match_any(mask, &bits);
    let all = model::match_all(mask, &bits).unwrap_or(0);
    per_lane(mask, |lane| {
        let word = if given.case.op == 0 {
            any[lane].unwrap_or(0)
        } else {
            all
        };
        Want::exactly(given.bytes(lane).to_vec(), word)
    })
}

pub(super) fn reduce(given: &Given<'_>, value: Value) -> Vec<Want> {
    use WarpReductionOp::{Add, And, Max, Min, Or, Xor};
    let op = [Add, Min, Max, And, Or, Xor][given.case.op as usize];
    let result = model::redux(given.case.mask, &words(given), op, value == Value::I32);
    per_lane(given.case.mask, |_| {
        Want::exactly(result.to_le_bytes().to_vec(), 0)
    })
}

/// The values of a warp as 4-byte words.
fn words(given: &Given<'_>) -> [u32; LANES] {
    std::array::from_fn(|lane| word(given.bytes(lane)))
}

/// 4 bytes, little-endian.
pub(super) fn word(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .rev()
        .fold(0, |word, &byte| word << 8 | u32::from(byte))
}

pub(super) fn special(given: &Given<'_>) -> Vec<Want> {
    let mask = given.case.mask;
    let group = model::GroupModel { mask };
    let op = SpecialOp::ALL[given.case.op as usize];
    per_lane(mask, |lane| {
        let [lt, le, eq, ge, gt] = model::lane_masks(lane);
        let rank = group.rank(lane);
        let result = match op {
            SpecialOp::LaneId => lane as u32,
            SpecialOp::WarpId => 0,
            SpecialOp::LaneMaskLt => lt,
            SpecialOp::LaneMaskLe => le,
            SpecialOp::LaneMaskEq => eq,
            SpecialOp::LaneMaskGe => ge,
            SpecialOp::LaneMaskGt => gt,
            SpecialOp::ActiveMask => mask,
            SpecialOp::Elect => u32::from(lane as u32 == model::elect(mask)),
            SpecialOp::Leader => model::elect(mask),
            SpecialOp::SyncWarp => {
                let next = group.lane((rank + 1) % group.size()).unwrap_or(lane);
                word(given.bytes(next))
            }
            SpecialOp::IncAggregated => rank as u32,
            SpecialOp::AddAggregated => model::lanes(mask)
                .filter(|&other| other < lane)
                .map(|other| given.operands[other])
                .sum(),
        };
        Want::exactly(given.bytes(lane).to_vec(), result)
    })
}

/// Element i of a tile's n·k is register i mod k of rank i / k in blocked order, register i / n of
/// rank i mod n in striped order.
pub(super) fn exchange(given: &Given<'_>, n: usize, k: usize) -> Vec<Want> {
    per_lane(given.case.mask, |lane| {
        let (tile, rank) = (lane / n * n, lane % n);
        let item = |j: usize| {
            let (rank, register) = match given.case.op {
                0 => ((j * n + rank) / k, (j * n + rank) % k),
                _ => ((rank * k + j) % n, (rank * k + j) / n),
            };
            given.bytes(tile + rank)[register * 4..register * 4 + 4].to_vec()
        };
        Want::exactly((0..k).flat_map(item).collect(), 0)
    })
}
