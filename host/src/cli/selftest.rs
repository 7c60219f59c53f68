//! `lockstep selftest`: the device's tests, on a machine without cargo.

use std::process::Command;

use lockstep::selftest::{self, Check, Extent, Outcome as CheckOutcome, Tally};
use lockstep::{Device, DeviceChoice, Error};

use super::progress::Progress;
use super::{Outcome, style};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lockstep selftest\n  lockstep selftest --device cuda --json tests.json"
)]
pub(crate) struct Args {
    /// Where to run: auto, cuda, cuda:N or simt
    #[arg(long, default_value_t)]
    device: DeviceChoice,
    /// Write the checks as JSON to this file
    #[arg(long, value_name = "FILE")]
    json: Option<std::path::PathBuf>,
    /// A few sizes only
    #[arg(long)]
    brief: bool,
    /// Print failures and the summary only
    #[arg(long, short)]
    quiet: bool,
    /// The one check that a device does not survive, in a process of its own
    #[arg(long, hide = true)]
    fault: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    if args.fault {
        return Ok(fault(args));
    }
    let mut checks = Vec::new();
    let (tally, missing) = match Device::open(args.device) {
        Ok(device) => (all(args, &device, &mut checks), None),
        Err(error @ (Error::NoDevice { .. } | Error::NoKernels)) => {
            let reason = error.to_string();
            (
                selftest::skipped(&reason, &mut |check| checks.push(check.clone())),
                Some(reason),
            )
        }
        Err(error) => return Err(error.into()),
    };
    if let Some(path) = &args.json {
        let text = serde_json::to_string_pretty(&checks)? + "\n";
        std::fs::write(path, text)
            .map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
    }
    let shown = checks
        .iter()
        .filter(|check| missing.is_none() && is_shown(args, check));
    let text: String = shown.map(line).collect();
    style::print(&format!("{text}selftest: {tally}\n"))?;
    if let Some(reason) = missing {
        eprintln!("{} nothing was tested: {reason}", style::error_prefix());
        return Ok(Outcome::Impossible);
    }
    Ok(if tally.failed == 0 {
        Outcome::Fine
    } else {
        Outcome::Wrong
    })
}

fn all(args: &Args, device: &Device, checks: &mut Vec<Check>) -> Tally {
    // The emulator takes its time.
    let extent = if args.brief || !device.is_timed() {
        Extent::Brief
    } else {
        Extent::Full
    };
    let progress = Progress::new(lockstep::case::all().len(), args.quiet);
    let mut tally = selftest::run(device, args.device, extent, &mut |check| {
        progress.step(check.name.clone());
        progress.done();
        checks.push(check.clone());
    });
    if device.info().kind == "cuda" {
        let check = fault_elsewhere(args);
        tally.add(&check.outcome);
        checks.push(check);
    }
    tally
}

/// The check of a fault, in this process.
fn fault(args: &Args) -> Outcome {
    match selftest::fault(args.device).outcome {
        CheckOutcome::Passed => Outcome::Fine,
        CheckOutcome::Failed(why) | CheckOutcome::Skipped(why) => {
            eprintln!("{why}");
            Outcome::Wrong
        }
    }
}

/// The same in another process, whose device may be lost.
fn fault_elsewhere(args: &Args) -> Check {
    let name = "a fault names the kernel, and spares other processes".to_owned();
    let run = std::env::current_exe().and_then(|this| {
        Command::new(this)
            .args(["selftest", "--fault", "--device", &args.device.to_string()])
            .output()
    });
    let outcome = match run {
        Ok(output) if output.status.success() => CheckOutcome::Passed,
        Ok(output) => {
            CheckOutcome::Failed(String::from_utf8_lossy(&output.stderr).trim().to_owned())
        }
        Err(error) => CheckOutcome::Failed(format!("cannot start it: {error}")),
    };
    Check { name, outcome }
}

fn is_shown(args: &Args, check: &Check) -> bool {
    !args.quiet || !matches!(check.outcome, CheckOutcome::Passed)
}

fn line(check: &Check) -> String {
    match &check.outcome {
        CheckOutcome::Passed => format!("ok      {}\n", check.name),
        CheckOutcome::Failed(why) => format!("FAILED  {}: {why}\n", check.name),
        CheckOutcome::Skipped(why) => format!("skipped {}: {why}\n", check.name),
    }
}
