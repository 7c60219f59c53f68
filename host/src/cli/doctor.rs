//! `lockstep doctor`: what this machine has, what is missing, and what mends it.

use cuda_builder::{Ptxas, Toolchain};
use lockstep::report::Stamp;
use lockstep::{Device, DeviceInfo, DriverStatus, IMAGES, driver_status, units};
use serde::Serialize;

use super::{Outcome, style};

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  lockstep doctor --json")]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    what: &'static str,
    /// Whether it is there, or does not matter.
    fine: bool,
    found: String,
    /// What mends it.
    mend: Option<String>,
}

impl Finding {
    fn fine(what: &'static str, found: impl Into<String>) -> Self {
        Self {
            what,
            fine: true,
            found: found.into(),
            mend: None,
        }
    }

    fn missing(what: &'static str, found: impl Into<String>, mend: impl Into<String>) -> Self {
        Self {
            what,
            fine: false,
            found: found.into(),
            mend: Some(mend.into()),
        }
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let findings = findings();
    let text = match args.json {
        true => serde_json::to_string_pretty(&findings)? + "\n",
        false => findings.iter().map(line).collect(),
    };
    style::print(&text)?;
    let complete = findings.iter().all(|finding| finding.fine);
    Ok(if complete {
        Outcome::Fine
    } else {
        Outcome::Impossible
    })
}

fn line(finding: &Finding) -> String {
    let mark = if finding.fine { "ok     " } else { "MISSING" };
    let mut text = format!("{mark} {}: {}\n", style::bold(finding.what), finding.found);
    if let Some(mend) = &finding.mend {
        text += &format!("        {mend}\n");
    }
    text
}

fn findings() -> Vec<Finding> {
    let stamp = Stamp::now(None);
    let build = format!(
        "{} ({}), {}, {}",
        stamp.version,
        stamp.commit.unwrap_or("no commit"),
        stamp.rustc,
        if stamp.optimised {
            "optimised"
        } else {
            "unoptimised"
        }
    );
    let cpu = format!(
        "{}, {} threads, {}",
        stamp.cpu, stamp.cpu_threads, stamp.system
    );
    let mut findings = vec![
        Finding::fine("lockstep", build),
        Finding::fine("cpu", cpu),
        images(),
        driver(),
    ];
    findings.extend(devices());
    findings.push(toolchain());
    findings.push(ptxas());
    findings
}

fn images() -> Finding {
    if IMAGES.is_empty() {
        let mend = "build lockstep where there is a kernel toolchain: cargo xtask setup";
        return Finding::missing("embedded kernels", "none", mend);
    }
    let of: Vec<String> = IMAGES
        .iter()
        .map(|image| format!("sm_{} ({})", image.sm, units::bytes(image.ptx.len() as u64)))
        .collect();
    Finding::fine("embedded kernels", of.join(", "))
}

fn driver() -> Finding {
    match driver_status() {
        DriverStatus::Open(path) => Finding::fine("CUDA driver", path.display().to_string()),
        DriverStatus::Missing(why) => Finding::missing(
            "CUDA driver",
            format!("none ({why})"),
            "needs an NVIDIA GPU: install its driver (Debian: apt-get install nvidia-driver); in a \
             container, start it with --gpus all",
        ),
    }
}

fn devices() -> Vec<Finding> {
    if matches!(driver_status(), DriverStatus::Missing(_)) {
        return Vec::new();
    }
    let mend = "see what `nvidia-smi` says; in a container, start it with --gpus all";
    match Device::list() {
        Ok(devices) if devices.is_empty() => vec![Finding::missing("GPU", "none", mend)],
        Ok(devices) => devices.iter().map(device).collect(),
        Err(error) => vec![Finding::missing("GPU", error.to_string(), mend)],
    }
}

fn device(device: &DeviceInfo) -> Finding {
    let (major, minor) = device.driver;
    let found = format!(
        "{}, sm_{}, {} SMs, {}, L2 {}, driver CUDA {major}.{minor}",
        device.name,
        device.sm(),
        device.sms,
        units::bytes(device.memory),
        units::bytes(device.l2),
    );
    let oldest = IMAGES.iter().map(|image| image.sm).min();
    match oldest {
        Some(oldest) if oldest > device.sm() => {
            let mend = format!("build with LOCKSTEP_ARCHS=sm_{}", device.sm());
            Finding::missing(
                "GPU",
                format!("{found}; no embedded kernel is for it"),
                mend,
            )
        }
        _ => Finding::fine("GPU", found),
    }
}

/// Needed to build, not to run.
fn toolchain() -> Finding {
    match Toolchain::find(None) {
        Ok(found) => Finding::fine("kernel toolchain", found.description),
        Err(_) => Finding::fine(
            "kernel toolchain",
            "none; needed to build kernels only, not to run them (cargo xtask setup)",
        ),
    }
}

fn ptxas() -> Finding {
    match Ptxas::all().first() {
        Some(found) => Finding::fine(
            "ptxas",
            format!("{} at {}", found.release, found.path.display()),
        ),
        None => Finding::fine(
            "ptxas",
            "none; needed for `ptx --sass` only (cargo xtask setup)",
        ),
    }
}
