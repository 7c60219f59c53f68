//! Runs cases and records what came out.

use simt::SimtError;

use crate::case::{Case, Cx, Plan, Sizes};
use crate::device::Ceilings;
use crate::report::{Record, Times, Verdict};
use crate::{Device, Error};

/// Runs one case at one n, on `device` if there is one; `reason` says why there is none.
pub fn run_case(
    device: Option<&Device>,
    case: &Case,
    plan: &Plan,
    n: u64,
    ceilings: Option<&Ceilings>,
) -> Record {
    let n = match case.size_rule() {
        Sizes::Fixed(fixed) => fixed,
        _ => n,
    };
    let mut record = Record::new(case, device, n);
    if let Some(reason) = refusal(case.size_rule(), n) {
        record.verdict = Verdict::Skipped { reason };
        return record;
    }
    let mut cx = Cx::new(case, plan, device, n);
    let outcome = case.run(&mut cx);
    fill(&mut record, &cx, ceilings);
    match outcome {
        Ok(Some(comparison)) => {
            record.verdict = if comparison.is_equal() {
                Verdict::Equal
            } else {
                Verdict::Wrong
            };
            record.comparison = Some(comparison);
        }
        Ok(None) => record.verdict = Verdict::BaselineOnly,
        Err(error) => record.verdict = verdict_of(&error),
    }
    record
}

/// Why a case does not take this n.
fn refusal(rule: Sizes, n: u64) -> Option<String> {
    match rule {
        Sizes::AtLeast(least) if n < least => Some(format!("takes n ≥ {least}")),
        Sizes::AtMost(most) if n > most => Some(format!("takes n ≤ {most}")),
        _ => None,
    }
}

fn fill(record: &mut Record, cx: &Cx<'_>, ceilings: Option<&Ceilings>) {
    record.cpu = Times::of(cx.cpu_times());
    record.gpu = Times::of(cx.gpu_times());
    record.chunks = cx.chunks();
    record.notes = cx.notes().to_vec();
    let (Some(gpu), Some(bytes)) = (&record.gpu, record.bytes) else {
        return;
    };
    let rate = bytes as f64 / gpu.median_s / 1e9;
    if !rate.is_finite() {
        return;
    }
    record.gb_per_s = Some(rate);
    record.ceiling_share = ceilings.map(|ceilings| rate / ceilings.reference().gb_per_s);
}

/// Outcomes that are never merged: a wrong result, an input that does not suit, an environment
/// that lacks something.
fn verdict_of(error: &Error) -> Verdict {
    let message = error.to_string();
    match error {
        Error::Unsuitable { .. } => Verdict::Skipped { reason: message },
        Error::Kernel { source, .. } if source.is_sticky() => Verdict::Failed {
            message,
            lost: true,
        },
        // The program's fault, and a bug of the emulator, are failures; what it does not support,
        // and its limits, are the environment's.
        Error::Simt { source, .. } => match **source {
            SimtError::Fault(_) | SimtError::Launch(_) | SimtError::Internal(_) => {
                Verdict::Failed {
                    message,
                    lost: false,
                }
            }
            _ => Verdict::Environment { message },
        },
        Error::Kernel { .. } | Error::Contract(_) | Error::Baseline { .. } => Verdict::Failed {
            message,
            lost: false,
        },
        // What a kernel did wrong is reported by the next call that waits for it.
        Error::Driver(driver) if driver.is_sticky() => Verdict::Failed {
            message,
            lost: true,
        },
        _ => Verdict::Environment { message },
    }
}
