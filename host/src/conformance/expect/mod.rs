//! What every thread of a case must get, by the reference model.

mod block;
pub(super) mod group;
mod number;
mod warp;

use conformance::{Entry, Family};

use super::batch::Given;
use super::number::with_number;

/// What a thread must have written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Want {
    pub(super) value: WantValue,
    pub(super) word: WantWord,
}

/// What a thread's value must be.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum WantValue {
    /// The thread does not take part: what was there before.
    Untouched,
    /// The result is undefined here.
    Any,
    /// These bytes.
    Bytes(Vec<u8>),
    /// Any NaN.
    Nan,
}

/// What a thread's word must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WantWord {
    /// What was there before.
    Untouched,
    /// Undefined here.
    Any,
    /// This.
    Exactly(u32),
}

impl Want {
    /// For a thread that does not take part.
    fn untouched() -> Self {
        Self {
            value: WantValue::Untouched,
            word: WantWord::Untouched,
        }
    }

    /// A defined value and word.
    fn exactly(bytes: Vec<u8>, word: u32) -> Self {
        Self {
            value: WantValue::Bytes(bytes),
            word: WantWord::Exactly(word),
        }
    }

    /// A value that is defined where there is one, and a word.
    fn maybe(bytes: Option<Vec<u8>>, word: u32) -> Self {
        Self {
            value: bytes.map_or(WantValue::Any, WantValue::Bytes),
            word: WantWord::Exactly(word),
        }
    }
}

/// What the threads of one case must write.
pub(super) fn expected(entry: &Entry, given: &Given<'_>) -> Vec<Want> {
    match entry.family {
        Family::Shuffle => warp::shuffle(given),
        Family::Vote => warp::vote(given),
        Family::Match => warp::matches(given),
        Family::Reduce => warp::reduce(given, entry.value),
        Family::Special => warp::special(given),
        Family::Scalar(which) => {
            with_number!(entry.value, T => number::scalar::<T>(which, given), Vec::new())
        }
        Family::Structure(which) => group::structure(which, given),
        Family::Exchange(n, k) => warp::exchange(given, n as usize, k as usize),
        Family::Block => with_number!(entry.value, T => block::block::<T>(given), Vec::new()),
        Family::BlockAffine => block::affine(given),
        Family::BlockItems => block::items(given),
        Family::BlockSized(_) => {
            with_number!(entry.value, T => block::sized::<T>(given), Vec::new())
        }
    }
}

/// One result per lane of a warp: `Untouched` outside the mask.
fn per_lane(mask: u32, mut want: impl FnMut(usize) -> Want) -> Vec<Want> {
    (0..32)
        .map(|lane| {
            if mask >> lane & 1 == 1 {
                want(lane)
            } else {
                Want::untouched()
            }
        })
        .collect()
}
