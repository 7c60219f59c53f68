//! `lockstep conformance`: every function of `cuda_std` on a device, against the reference model.

use lockstep::conformance::{self, ConformanceReport, IMAGES};
use lockstep::{DeviceChoice, Error};

use super::{Outcome, style};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    lockstep conformance\n  \
    lockstep conformance shuffle --device simt --json")]
pub(crate) struct Args {
    /// Only the kernels whose name contains this
    #[arg(default_value = "")]
    kernel: String,
    /// Where to run them: auto, cuda, cuda:N or simt
    #[arg(long, default_value = "auto")]
    device: DeviceChoice,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut reports = Vec::new();
    for image in IMAGES {
        let device = match conformance::open(args.device, image) {
            // An older device than this image is for; the images before it have run.
            Err(Error::NoImage { .. }) if !reports.is_empty() => continue,
            device => device?,
        };
        let report = conformance::run(&device, |kernel| kernel.contains(&args.kernel))?;
        anyhow::ensure!(
            report.kernels > 0,
            "no test kernel has `{}` in its name",
            args.kernel
        );
        if !args.json {
            style::print(&format!("{}: {report}\n", device.info().name))?;
        }
        reports.push(report);
    }
    if args.json {
        style::print(&(serde_json::to_string_pretty(&reports)? + "\n"))?;
    }
    let wrong = |report: &ConformanceReport| report.mismatches > 0;
    Ok(if reports.iter().any(wrong) {
        Outcome::Wrong
    } else {
        Outcome::Fine
    })
}
