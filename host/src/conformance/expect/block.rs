//! Collectives of a block: sequential loops over its threads.

use conformance::BlockOp;

use super::super::number::Number;
use super::group::{affine as function, affine_bytes, compose};
use super::number::{best, want_number};
use super::warp::word;
use super::{Given, Want, WantValue, WantWord};

/// A result that thread 0 alone has.
fn in_thread_0(thread: usize, want: Want) -> Want {
    if thread == 0 {
        want
    } else {
        Want {
            value: WantValue::Any,
            word: WantWord::Any,
        }
    }
}

pub(super) fn block<T: Number>(given: &Given<'_>) -> Vec<Want> {
    let op = BlockOp::ALL[given.case.op as usize];
    let values: Vec<T> = (0..given.threads())
        .map(|thread| T::from_bytes(given.bytes(thread)))
        .collect();
    let fold = |combine: fn(T, T) -> T| values.iter().copied().reduce(combine).unwrap_or(T::ZERO);
    let inclusive: Vec<T> = scan(&values, T::plus);
    let mut received = values.clone();
    for (thread, &target) in given.operands.iter().enumerate() {
        if let Some(slot) = received.get_mut(target as usize) {
            *slot = values[thread];
        }
    }
    let before = |thread: usize| {
        if thread == 0 {
            T::ZERO
        } else {
            inclusive[thread - 1]
        }
    };
    let (largest, at) = best(
        values
            .iter()
            .enumerate()
            .map(|(at, &value)| (at as u32, value)),
        |a, b| a > b,
    );
    let want = |thread: usize| match op {
        BlockOp::ReduceAdd => in_thread_0(thread, want_number(fold(T::plus), 0)),
        BlockOp::ReduceMin => in_thread_0(thread, want_number(fold(T::smaller), 0)),
        BlockOp::ReduceMax => in_thread_0(thread, want_number(fold(T::larger), 0)),
        BlockOp::ReduceAllAdd => want_number(fold(T::plus), 0),
        BlockOp::ReduceAllMax => want_number(fold(T::larger), 0),
        BlockOp::InclusiveScan => want_number(inclusive[thread], 0),
        BlockOp::ExclusiveScan => want_number(before(thread), 0),
        BlockOp::ExclusiveSum => want_number(before(thread), 1),
        BlockOp::Broadcast => want_number(values[given.case.extra as usize], 0),
        BlockOp::Exchange => want_number(received[thread], 0),
        BlockOp::ArgMax => in_thread_0(thread, want_number(largest, at)),
    };
    (0..given.threads()).map(want).collect()
}

fn scan<T: Copy>(values: &[T], combine: impl Fn(T, T) -> T) -> Vec<T> {
    let step = |total: &mut Option<T>, &value: &T| {
        let next = total.map_or(value, |total| combine(total, value));
        *total = Some(next);
        Some(next)
    };
    values.iter().scan(None, step).collect()
}

pub(super) fn affine(given: &Given<'_>) -> Vec<Want> {
    let values: Vec<_> = (0..given.threads())
        .map(|thread| function(given.bytes(thread)))
        .collect();
    let inclusive = scan(&values, compose);
    let total = inclusive[inclusive.len() - 1];
    let first = [3, given.case.extra];
    let want = |thread: usize| {
        let exactly = |function| Want::exactly(affine_bytes(function), 0);
        match given.case.op {
            0 => in_thread_0(thread, exactly(total)),
            1 => exactly(total),
            2 => exactly(inclusive[thread]),
            _ if thread == 0 => exactly(first),
            _ => exactly(compose(first, inclusive[thread - 1])),
        }
    };
    (0..given.threads()).map(want).collect()
}

pub(super) fn items(given: &Given<'_>) -> Vec<Want> {
    let threads = given.threads();
    let item = |thread: usize, register: usize| {
        given.bytes(thread)[register * 4..register * 4 + 4].to_vec()
    };
    match given.case.op {
        0 => compaction(given),
        1 => histogram(given),
        op => {
            let moved = |thread: usize, j: usize| match op {
                2 => item((j * threads + thread) / 4, (j * threads + thread) % 4),
                _ => item((thread * 4 + j) % threads, (thread * 4 + j) / threads),
            };
            let want = |thread| Want::exactly((0..4).flat_map(|j| moved(thread, j)).collect(), 0);
            (0..threads).map(want).collect()
        }
    }
}

fn compaction(given: &Given<'_>) -> Vec<Want> {
    let kept: Vec<usize> = (0..given.threads())
        .filter(|&thread| given.operands[thread] & 1 == 1)
        .collect();
    let want = |thread: usize| Want {
        value: kept.get(thread).map_or(WantValue::Untouched, |&from| {
            WantValue::Bytes(given.bytes(from).to_vec())
        }),
        word: WantWord::Exactly(kept.len() as u32),
    };
    (0..given.threads()).map(want).collect()
}

fn histogram(given: &Given<'_>) -> Vec<Want> {
    let mut bins = [0u32; 64];
    for thread in 0..given.threads() {
        for key in given.bytes(thread).chunks(4).map(word) {
            if let Some(bin) = bins.get_mut(key as usize) {
                *bin += 1;
            }
        }
    }
    let sum = |thread: usize| {
        (thread..64)
            .step_by(given.threads())
            .map(|bin| bins[bin] * (bin as u32 + 1))
            .sum()
    };
    let want = |thread| Want {
        value: WantValue::Untouched,
        word: WantWord::Exactly(sum(thread)),
    };
    (0..given.threads()).map(want).collect()
}

pub(super) fn sized<T: Number>(given: &Given<'_>) -> Vec<Want> {
    let combine = if given.case.op == 0 {
        T::plus
    } else {
        T::larger
    };
    let values = (0..given.threads()).map(|thread| T::from_bytes(given.bytes(thread)));
    let total = values.reduce(combine).unwrap_or(T::ZERO);
    (0..given.threads())
        .map(|thread| in_thread_0(thread, want_number(total, 0)))
        .collect()
}
