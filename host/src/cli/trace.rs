//! `lockstep trace`: which lanes of a warp execute what, step by step, on the emulator.

mod page;
mod terminal;

use std::path::PathBuf;

use anyhow::{Context, bail};
use lockstep::case::{self, Plan};
use lockstep::device::Trace;
use lockstep::{Device, IMAGES, runner};
use simt::TraceRequest;

use super::emulation::Emulation;
use super::{Outcome, number, style};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    lockstep trace reduce/sum/f32 --n 100\n  \
    lockstep trace divergence/nested --model stack --html trace.html")]
pub(crate) struct Args {
    /// The case
    case: String,
    /// Elements of the input
    #[arg(long, default_value_t = 64, value_parser = number::parse)]
    n: u64,
    /// Seed of generated input
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// The block: its number in x, or x,y,z
    #[arg(long, default_value = "0", value_parser = block)]
    block: [u32; 3],
    /// The warp of the block
    #[arg(long, default_value_t = 0)]
    warp: u32,
    /// Only launches of kernels whose name contains this
    #[arg(long)]
    kernel: Option<String>,
    /// Steps of a launch at most
    #[arg(long, default_value_t = 2000)]
    limit: usize,
    /// Show what each lane's destination holds after a step (in the HTML page always)
    #[arg(long)]
    values: bool,
    /// Write a page with the timeline, the source beside it, and the lanes' values
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    emulation: Emulation,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let cases = case::find(std::slice::from_ref(&args.case))?;
    let [case] = cases.as_slice() else {
        let names: Vec<_> = cases.iter().map(|case| case.name()).collect();
        bail!(
            "`{}` means {} cases, take one: {}",
            args.case,
            names.len(),
            names.join(", ")
        );
    };
    let mut options = args.emulation.options();
    options.trace = Some(TraceRequest {
        block: Some(args.block),
        warp: Some(args.warp),
        values: args.values || args.html.is_some(),
        limit: args.limit,
    });
    let device = Device::emulator(IMAGES, options)?;
    let mut plan = Plan::default();
    (plan.seed, plan.reps) = (args.seed, 1);
    runner::run_case(Some(&device), case, &plan, args.n, None);
    let traces = match &device {
        Device::Simt(device) => device.take_traces(),
        _ => Vec::new(),
    };
    let wanted = |trace: &Trace| {
        args.kernel
            .as_ref()
            .is_none_or(|name| trace.kernel.contains(name))
            && (!trace.steps.is_empty() || trace.outcome.is_err())
    };
    let traces: Vec<Trace> = traces.into_iter().filter(wanted).collect();
    if traces.is_empty() {
        bail!(
            "no launch of {} has a warp {} in block {:?}: take another --warp, --block, --kernel or a larger --n",
            case.name(),
            args.warp,
            args.block
        );
    }
    let heading = format!(
        "{} at n = {}, {}",
        case.name(),
        args.n,
        args.emulation.describe()
    );
    match &args.html {
        Some(path) => {
            let page = page::render(&heading, &traces)?;
            std::fs::write(path, page).with_context(|| path.display().to_string())?;
            style::print(&format!("{}: {heading}\n", path.display()))?;
        }
        None => {
            style::print(&(style::bold(&heading) + "\n"))?;
            for trace in &traces {
                style::print(&terminal::render(trace, args.values))?;
            }
        }
    }
    let failed = traces.iter().any(|trace| trace.outcome.is_err());
    Ok(if failed {
        Outcome::Wrong
    } else {
        Outcome::Fine
    })
}

fn block(text: &str) -> Result<[u32; 3], String> {
    let mut block = [0; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err("three numbers at most".to_owned());
    }
    for (slot, part) in block.iter_mut().zip(parts) {
        *slot = part
            .trim()
            .parse()
            .map_err(|_| format!("`{part}` is no number"))?;
    }
    Ok(block)
}
