//! `lockstep conformance`: every function of `cuda_std` on a device, against the reference model.

use std::path::{Path, PathBuf};

use anyhow::Context;
use lockstep::conformance::{self, ConformanceReport, IMAGES};
use lockstep::device::Image;
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
    /// Test kernels compiled otherwise: a PTX file instead of the embedded ones
    #[arg(long, value_name = "FILE")]
    ptx: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let text = args.ptx.as_deref().map(read).transpose()?;
    let own = text.as_deref().map(image_of).transpose()?;
    let mut reports = Vec::new();
    for image in own.as_ref().map_or(IMAGES, std::slice::from_ref) {
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

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// A PTX text with the architecture that its `.target` line names.
fn image_of(ptx: &str) -> anyhow::Result<Image<'_>> {
    let target = ptx
        .lines()
        .find_map(|line| line.strip_prefix(".target sm_"));
    let digits = target.map(|rest| rest.trim_end_matches(|c: char| !c.is_ascii_digit()));
    let sm = digits.and_then(|digits| digits.parse().ok());
    let sm = sm.context("the PTX has no line `.target sm_NN`")?;
    Ok(Image { sm, ptx })
}
