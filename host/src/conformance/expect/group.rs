//! Collectives over sets of lanes that do not depend on a number type.

use conformance::{Case, StructureOp, Which};
use cuda_std::model::{self, GroupModel, LANES};

use super::warp::word;
use super::{Given, Want, per_lane};

/// f(x) = a·x + b.
pub(super) type Affine = [u32; 2];

/// First f, then g.
pub(super) fn compose([a, b]: Affine, [c, d]: Affine) -> Affine {
    [c.wrapping_mul(a), c.wrapping_mul(b).wrapping_add(d)]
}

/// 8 bytes as a function.
pub(super) fn affine(bytes: &[u8]) -> Affine {
    [word(&bytes[..4]), word(&bytes[4..])]
}

/// A function as 8 bytes.
pub(super) fn affine_bytes(function: Affine) -> Vec<u8> {
    function
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect()
}

/// The groups that the lanes of a case form.
pub(crate) fn groups_of(which: Which, case: &Case, operands: &[u32; LANES]) -> Vec<GroupModel> {
    let masks: Vec<u32> = match which {
        Which::Tile(n) => (0..32 / n)
            .map(|tile| (u32::MAX >> (32 - n)) << (tile * n))
            .collect(),
        Which::Of | Which::Active => vec![u32::MAX],
        Which::Binary => vec![case.extra, !case.extra],
        Which::Labeled => (0..4)
            .map(|label| {
                (0..LANES)
                    .filter(|&lane| operands[lane] & 3 == label)
                    .fold(0, |mask, lane| mask | 1 << lane)
            })
            .collect(),
    };
    let present = masks
        .into_iter()
        .map(|mask| mask & case.mask)
        .filter(|&mask| mask != 0);
    present.map(|mask| GroupModel { mask }).collect()
}

/// The results of all lanes from the results of each group.
pub(super) fn by_group(
    which: Which,
    given: &Given<'_>,
    mut want: impl FnMut(GroupModel, usize) -> Want,
) -> Vec<Want> {
    let groups = groups_of(which, &given.case, &given.lane_operands());
    per_lane(given.case.mask, |lane| {
        let own = groups
            .iter()
            .find(|group| model::contains(group.mask, lane));
        own.map_or_else(Want::untouched, |&group| want(group, lane))
    })
}

pub(super) fn structure(which: Which, given: &Given<'_>) -> Vec<Want> {
    let op = StructureOp::ALL[given.case.op as usize];
    let values: [Affine; LANES] = std::array::from_fn(|lane| affine(given.bytes(lane)));
    by_group(which, given, |group, lane| match op {
        StructureOp::Votes
        | StructureOp::MatchAny
        | StructureOp::MatchAll
        | StructureOp::Identity
        | StructureOp::RankIn => question(op, given, group, lane, values[lane]),
        StructureOp::Reduce | StructureOp::ReduceAll => {
            let total = group.reduce(&values, compose).map(affine_bytes);
            Want::maybe(
                total.filter(|_| op == StructureOp::ReduceAll || group.rank(lane) == 0),
                0,
            )
        }
        StructureOp::Shuffle
        | StructureOp::ShuffleUp
        | StructureOp::ShuffleDown
        | StructureOp::ShuffleXor
        | StructureOp::Broadcast => {
            let source = source(op, given.operands[lane] as usize, group, lane);
            Want::exactly(given.bytes(source).to_vec(), 0)
        }
        _ => Want::maybe(scan(op, given, group, &values)[lane].map(affine_bytes), 0),
    })
}

/// The lane that a movement reads from.
fn source(op: StructureOp, operand: usize, group: GroupModel, lane: usize) -> usize {
    let rank = group.rank(lane);
    let rank = match op {
        StructureOp::ShuffleUp => rank.checked_sub(operand),
        StructureOp::ShuffleDown => Some(rank + operand),
        StructureOp::ShuffleXor => Some(rank ^ operand),
        _ => Some(operand),
    };
    rank.and_then(|rank| group.lane(rank)).unwrap_or(lane)
}

fn scan(
    op: StructureOp,
    given: &Given<'_>,
    group: GroupModel,
    values: &[Affine; LANES],
) -> [Option<Affine>; LANES] {
    let heads = given.case.extra;
    match op {
        StructureOp::InclusiveScan => group.inclusive_scan(values, 0, compose),
        StructureOp::ExclusiveScan => group.exclusive_scan(values, 0, [3, heads], compose),
        StructureOp::SegmentedInclusive => group.inclusive_scan(values, heads, compose),
        StructureOp::SegmentedExclusive => {
            let add = |a: Affine, b: Affine| [a[0].wrapping_add(b[0]), 0];
            group.exclusive_scan(values, heads, [0, 0], add)
        }
        _ => group.segmented_reduce(values, heads, compose),
    }
}

/// Votes, matches and ranks.
fn question(
    op: StructureOp,
    given: &Given<'_>,
    group: GroupModel,
    lane: usize,
    value: Affine,
) -> Want {
    let odd = std::array::from_fn(|lane| given.operands[lane] & 1 == 1);
    let bits = std::array::from_fn(|lane| u64::from(given.operands[lane]));
    let (value, word) = match op {
        StructureOp::Votes => {
            let votes = [
                model::vote_all(group.mask, &odd),
                model::vote_any(group.mask, &odd),
            ];
            (votes.map(u32::from), model::vote_ballot(group.mask, &odd))
        }
        StructureOp::MatchAny => (
            value,
            model::match_any(group.mask, &bits)[lane].unwrap_or(0),
        ),
        StructureOp::MatchAll => (
            value,
            u32::from(model::match_all(group.mask, &bits).is_some()),
        ),
        StructureOp::Identity => {
            let rank = given.operands[lane] as usize % group.size();
            let of_rank = group.lane(rank).unwrap_or(lane);
            (
                [group.rank(lane) as u32, group.size() as u32],
                (of_rank << 8 | rank) as u32,
            )
        }
        _ => (
            value,
            (given.operands[lane] & ((1 << lane) - 1)).count_ones(),
        ),
    };
    Want::exactly(affine_bytes(value), word)
}
