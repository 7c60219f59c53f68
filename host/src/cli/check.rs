//! `lockstep check`: cases on the emulator with every finding switched on.

use std::path::PathBuf;

use anyhow::Context;
use lockstep::case::{self, Plan};
use lockstep::report::Verdict;
use lockstep::{Device, IMAGES, runner};
use serde_json::json;
use simt::{Checks, Finding, Place};

use super::emulation::Emulation;
use super::{Outcome, number, style};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    lockstep check reduce/sum/f32\n  \
    lockstep check --n 1000 --policy adversarial --schedule-seed 7 --json findings.json")]
pub(crate) struct Args {
    /// Names or patterns (`*`, `?`); a name also means everything below it. None means all
    cases: Vec<String>,
    /// Elements of the input
    #[arg(long, default_value_t = 1000, value_parser = number::parse)]
    n: u64,
    /// Seed of generated input
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// Write the findings as JSON to this file; `-` is the standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    emulation: Emulation,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let cases = case::find(&args.cases)?;
    let mut options = args.emulation.options();
    options.checks = Checks::ALL;
    let mut plan = Plan::default();
    (plan.seed, plan.reps) = (args.seed, 1);
    let to_stdout = args
        .json
        .as_deref()
        .is_some_and(|path| path.as_os_str() == "-");
    let (mut found, mut impossible) = (Vec::new(), 0);
    for case in &cases {
        // A fresh device each: memory of one case is no business of the next.
        let device = Device::emulator(IMAGES, options.clone())?;
        let record = runner::run_case(Some(&device), case, &plan, args.n, None);
        let mut findings = match &device {
            Device::Simt(device) => device.take_findings(),
            _ => Vec::new(),
        };
        findings.extend(device_fault(&device));
        let verdict = match &record.verdict {
            Verdict::Failed { .. } if !findings.is_empty() => {
                format!("{} findings", findings.len())
            }
            Verdict::Environment { message } | Verdict::Failed { message, .. } => {
                impossible += 1;
                message.clone()
            }
            Verdict::Skipped { reason } => format!("skipped: {reason}"),
            _ if !findings.is_empty() => format!("{} findings", findings.len()),
            Verdict::Wrong => "wrong result".to_owned(),
            _ => "nothing found".to_owned(),
        };
        if !to_stdout {
            style::print(&format!("{:<44} {verdict}\n", case.name()))?;
            for finding in &findings {
                style::print(&format!("\n{finding}\n\n"))?;
            }
        }
        let wrong = matches!(record.verdict, Verdict::Wrong);
        found.extend(
            findings
                .into_iter()
                .map(|finding| (case.name().to_owned(), finding)),
        );
        if wrong {
            impossible += 1;
        }
    }
    if let Some(path) = &args.json {
        write_json(path, to_stdout, &found)?;
    }
    if !to_stdout {
        let text = format!(
            "{} cases, {}: {} findings\n",
            cases.len(),
            args.emulation.describe(),
            found.len()
        );
        style::print(&text)?;
    }
    Ok(match (found.is_empty(), impossible) {
        (false, _) => Outcome::Wrong,
        (true, 0) => Outcome::Fine,
        (true, _) => Outcome::Impossible,
    })
}

/// The fault that ended the last launch, if one did.
fn device_fault(device: &Device) -> Option<Finding> {
    let Device::Simt(device) = device else {
        return None;
    };
    match device.take_failure()? {
        simt::SimtError::Fault(finding) => Some(*finding),
        _ => None,
    }
}

fn write_json(
    path: &std::path::Path,
    to_stdout: bool,
    found: &[(String, Finding)],
) -> anyhow::Result<()> {
    let list: Vec<_> = found
        .iter()
        .map(|(case, finding)| {
            json!({
                "case": case,
                "kind": finding.kind.name(),
                "title": finding.title,
                "here": place(&finding.here),
                "earlier": finding.earlier.iter().map(|(what, at)| {
                    json!({ "what": what, "place": place(at) })
                }).collect::<Vec<_>>(),
                "notes": finding.notes,
                "help": finding.help,
                "repeats": finding.repeats,
            })
        })
        .collect();
    let text = serde_json::to_string_pretty(&list)? + "\n";
    if to_stdout {
        return style::print(&text);
    }
    std::fs::write(path, text).with_context(|| path.display().to_string())
}

fn place(place: &Place) -> serde_json::Value {
    let source = |source: &simt::Source| json!({ "file": source.file, "line": source.line, "column": source.column });
    json!({
        "block": place.block,
        "warp": place.warp,
        "lane": place.lane,
        "thread": place.thread,
        "function": place.function,
        "instruction": place.instruction,
        "ptx_line": place.ptx_line,
        "source": place.source.as_ref().map(source),
        "inlined_at": place.inlined_at.iter().map(source).collect::<Vec<_>>(),
    })
}
