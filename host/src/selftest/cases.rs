//! Every case at many sizes and distributions, equal to the CPU; broken kernels caught.

use super::{Answer, Extent, Outcome};
use crate::case::{self, Case, Plan, Sizes};
use crate::report::{Record, Verdict};
use crate::{Device, Distribution, runner};

/// Around warps, blocks and tiles; odd; large.
const SIZES: &[u64] = &[
    0,
    1,
    2,
    31,
    32,
    33,
    63,
    255,
    256,
    257,
    511,
    512,
    513,
    1023,
    1025,
    4095,
    4097,
    9999,
    65_537,
    (1 << 20) + 7,
];
const FEW_SIZES: &[u64] = &[0, 1, 33, 1025];

/// A size for the distributions: some blocks, and a ragged end.
const SIZE: u64 = 20_011;
const SMALL: u64 = 1025;

/// Bytes of device memory for the tests in chunks, and a size that exceeds them.
const LITTLE: u64 = 1 << 20;
const TOO_LARGE: u64 = (1 << 19) + 3;

pub(super) fn run(device: &Device, extent: Extent, tell: &mut dyn FnMut(String, Outcome)) {
    let mut lost = None;
    for case in case::all() {
        let outcome = match &lost {
            Some(culprit) => Outcome::Skipped(format!("the device was lost to {culprit}")),
            None if case.is_hidden() && !case.is_broken() => continue,
            None => match check(device, case, extent) {
                Ok(()) => Outcome::Passed,
                Err(Failure { why, is_lost }) => {
                    if is_lost {
                        lost = Some(case.name());
                    }
                    Outcome::Failed(why)
                }
            },
        };
        tell(format!("case {}", case.name()), outcome);
    }
    if lost.is_none() && extent == Extent::Full {
        chunks(device, tell);
    }
}

struct Failure {
    why: String,
    is_lost: bool,
}

fn check(device: &Device, case: &Case, extent: Extent) -> Result<(), Failure> {
    let (sizes, size) = match extent {
        Extent::Full => (SIZES, SIZE),
        Extent::Brief => (FEW_SIZES, SMALL),
    };
    let plan = |distribution| {
        let mut plan = Plan::default();
        plan.distribution = distribution;
        plan.reps = 1;
        plan
    };
    if case.is_broken() {
        return caught(&runner::run_case(
            Some(device),
            case,
            &plan(Distribution::Uniform),
            size,
            None,
        ));
    }
    let of_size = sizes.iter().map(|n| (Distribution::Uniform, *n));
    let of_distribution = Distribution::ALL
        .into_iter()
        .map(|distribution| (distribution, size));
    for (distribution, n) in of_size.chain(of_distribution) {
        let record = runner::run_case(Some(device), case, &plan(distribution), n, None);
        equal(&record).map_err(|failure| Failure {
            why: format!("n = {n}, {distribution}: {}", failure.why),
            ..failure
        })?;
        if matches!(case.size_rule(), Sizes::Fixed(_)) {
            break;
        }
    }
    Ok(())
}

fn equal(record: &Record) -> Result<(), Failure> {
    let why = match &record.verdict {
        Verdict::Equal | Verdict::Skipped { .. } => return Ok(()),
        Verdict::Failed { message, lost } => {
            return Err(Failure {
                why: message.clone(),
                is_lost: *lost,
            });
        }
        Verdict::Environment { message } => message.clone(),
        Verdict::Wrong | Verdict::BaselineOnly => {
            let comparison = record.comparison.as_ref();
            let first = comparison.and_then(|comparison| comparison.first.as_ref());
            first.map_or_else(|| "no result".to_owned(), ToString::to_string)
        }
    };
    Err(Failure {
        why,
        is_lost: false,
    })
}

/// A broken kernel must be wrong, and the comparison must name the first place.
fn caught(record: &Record) -> Result<(), Failure> {
    let failure = |why: &str| Failure {
        why: why.to_owned(),
        is_lost: false,
    };
    match (&record.verdict, &record.comparison) {
        (Verdict::Wrong, Some(comparison)) if comparison.first.is_some() => Ok(()),
        (Verdict::Wrong, _) => Err(failure("its first wrong element is not named")),
        (verdict, _) => Err(failure(&format!("not caught: {verdict:?}"))),
    }
}

/// Cases whose input exceeds the device's memory: in chunks, or refused by name.
fn chunks(device: &Device, tell: &mut dyn FnMut(String, Outcome)) {
    let mut plan = Plan::default();
    plan.reps = 1;
    let mut chunked = 0;
    device.limit_bytes(Some(LITTLE));
    for case in case::all().iter().filter(|case| !case.is_hidden()) {
        let record = runner::run_case(Some(device), case, &plan, TOO_LARGE, None);
        let answer: Answer = match &record.verdict {
            Verdict::Environment { message } if message.contains("on the device") => Ok(()),
            _ => equal(&record).map_err(|failure| failure.why),
        };
        chunked += usize::from(record.chunks > 1 && answer.is_ok());
        if let Err(why) = answer {
            tell(format!("in chunks: {}", case.name()), Outcome::Failed(why));
        }
    }
    device.limit_bytes(None);
    let answer = super::expect(chunked > 0, "no case works in chunks");
    tell(
        "in chunks: cases with more input than memory".to_owned(),
        super::outcome(answer),
    );
}
