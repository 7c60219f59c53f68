//! Collectives of numbers over sets of lanes.

use conformance::{ScalarOp, Which};
use cuda_std::model::{GroupModel, LANES, lanes};

use super::super::number::{Bitwise, Number};
use super::group::by_group;
use super::{Given, Want, WantValue, WantWord};

/// A number as what is wanted: a NaN stands for any NaN.
pub(super) fn want_number<T: Number>(value: T, word: u32) -> Want {
    let value = if value.is_nan() {
        WantValue::Nan
    } else {
        WantValue::Bytes(value.to_bytes())
    };
    Want {
        value,
        word: WantWord::Exactly(word),
    }
}

/// The best of several and where it is: a NaN loses against a number, the first wins among equals.
pub(super) fn best<T: Number>(
    values: impl Iterator<Item = (u32, T)>,
    better: impl Fn(T, T) -> bool,
) -> (T, u32) {
    let pick = |best: Option<(u32, T)>, (at, value): (u32, T)| match best {
        Some((_, old)) if better(value, old) || old.is_nan() && !value.is_nan() => {
            Some((at, value))
        }
        None => Some((at, value)),
        kept => kept,
    };
    values
        .fold(None, pick)
        .map_or((T::ZERO, 0), |(at, value)| (value, at))
}

pub(super) fn scalar<T: Number>(which: Which, given: &Given<'_>) -> Vec<Want> {
    let op = ScalarOp::ALL[given.case.op as usize];
    let values: [T; LANES] = std::array::from_fn(|lane| T::from_bytes(given.bytes(lane)));
    by_group(which, given, |group, lane| match reduction::<T>(op) {
        Some(_) if given.case.width == 0 && group.rank(lane) != 0 => Want {
            value: WantValue::Any,
            word: WantWord::Exactly(0),
        },
        Some(combine) => group
            .reduce(&values, combine)
            .map_or_else(Want::untouched, |total| want_number(total, 0)),
        None => other(op, given, group, lane, &values),
    })
}

/// The combination of a reduction.
fn reduction<T: Number>(op: ScalarOp) -> Option<fn(T, T) -> T> {
    Some(match op {
        ScalarOp::Add => T::plus,
        ScalarOp::Mul => T::times,
        ScalarOp::Min => T::smaller,
        ScalarOp::Max => T::larger,
        ScalarOp::And => |a, b| a.bitwise(b, Bitwise::And),
        ScalarOp::Or => |a, b| a.bitwise(b, Bitwise::Or),
        ScalarOp::Xor => |a, b| a.bitwise(b, Bitwise::Xor),
        _ => return None,
    })
}

fn other<T: Number>(
    op: ScalarOp,
    given: &Given<'_>,
    group: GroupModel,
    lane: usize,
    values: &[T; LANES],
) -> Want {
    let ranked = || {
        lanes(group.mask)
            .enumerate()
            .map(|(rank, lane)| (rank as u32, values[lane]))
    };
    let maybe = |value: Option<T>, word| Want::maybe(value.map(T::to_bytes), word);
    match op {
        ScalarOp::ArgMin => {
            let (value, rank) = best(ranked(), |a, b| a < b);
            want_number(value, rank)
        }
        ScalarOp::ArgMax => {
            let (value, rank) = best(ranked(), |a, b| a > b);
            want_number(value, rank)
        }
        ScalarOp::InclusiveSum => maybe(group.inclusive_scan(values, 0, T::plus)[lane], 0),
        ScalarOp::ExclusiveSum => maybe(group.exclusive_scan(values, 0, T::ZERO, T::plus)[lane], 0),
        ScalarOp::Sort => maybe(group.sort(values, |a, b| a < b)[lane], 0),
        ScalarOp::SortPairs => {
            let order: [usize; LANES] = std::array::from_fn(|lane| lane);
            let sorted = group.sort(&order, |&a, &b| values[a] < values[b])[lane].unwrap_or(lane);
            maybe(Some(values[sorted]), group.rank(sorted) as u32)
        }
        _ => {
            let keep = std::array::from_fn(|lane| given.operands[lane] & 1 == 1);
            let (kept, count) = group.compact(values, &keep);
            maybe(kept[lane], count as u32)
        }
    }
}
