//! `lockstep run` and `lockstep bench`: cases on a device, compared with the CPU.

use std::path::PathBuf;

use lockstep::case::{self, Case, Plan, Sizes};
use lockstep::device::Ceilings;
use lockstep::input::InputFile;
use lockstep::report::{Report, Stamp, Verdict, table};
use lockstep::{Device, DeviceChoice, Distribution, Dtype, Error, runner};

use super::progress::Progress;
use super::{Outcome, number, style};

/// Sizes where none are given: on a GPU, and on the emulator, which takes its time.
struct DefaultSizes {
    gpu: &'static [u64],
    emulator: &'static [u64],
}

const USUAL: DefaultSizes = DefaultSizes {
    gpu: &[1 << 24],
    emulator: &[1 << 20],
};
const RANGE: DefaultSizes = DefaultSizes {
    gpu: &[1 << 16, 1 << 20, 1 << 24, 1 << 28],
    emulator: &[1 << 16, 1 << 20],
};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    lockstep run\n  \
    lockstep run reduce/sum --n 2^24 --n 10^6+7 --json report.json\n  \
    lockstep run '*f32' --input samples.npy")]
pub(crate) struct Args {
    #[command(flatten)]
    shared: Shared,
    /// Read the input from this file: .npy, or raw little-endian elements with --dtype
    #[arg(long, value_name = "FILE", conflicts_with_all = ["n", "dist"])]
    input: Option<PathBuf>,
    /// Timed launches of each kernel, at most
    #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..))]
    reps: u32,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  lockstep bench reduce/sum/f32 --n 2^28 --json bench.json")]
pub(crate) struct BenchArgs {
    #[command(flatten)]
    shared: Shared,
    /// Timed launches of each kernel, at most
    #[arg(long, default_value_t = 101, value_parser = clap::value_parser!(u32).range(1..))]
    reps: u32,
}

#[derive(Debug, clap::Args)]
struct Shared {
    /// Names or patterns (`*`, `?`); a name also means everything below it. None means all
    cases: Vec<String>,
    /// Where to run: auto, cuda, cuda:N or simt
    #[arg(long, default_value_t)]
    device: DeviceChoice,
    /// Elements of the input: 2^24, 1_000_000, 10^6+7, 0. Repeat it, or separate with commas
    #[arg(long, value_parser = number::parse, value_delimiter = ',')]
    n: Vec<u64>,
    /// Seed of generated input
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// Distribution of generated input: uniform, normal, constant, sorted, reverse, alternating or
    /// specials
    #[arg(long, default_value_t)]
    dist: Distribution,
    /// Only cases on this element type; of a raw --input file, the type of its elements
    #[arg(long)]
    dtype: Option<Dtype>,
    /// Write the report as JSON to this file; `-` is the standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Print nothing but what is wrong
    #[arg(long, short)]
    quiet: bool,
    /// Behave as if the device had no more memory than this; larger input goes through in chunks
    #[arg(long, value_name = "BYTES", value_parser = number::parse)]
    max_device_bytes: Option<u64>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let file = match &args.input {
        Some(path) => Some(InputFile::read(path, args.shared.dtype)?),
        None => None,
    };
    session(&args.shared, file, args.reps, &USUAL)
}

pub(crate) fn bench(args: &BenchArgs) -> anyhow::Result<Outcome> {
    session(&args.shared, None, args.reps, &RANGE)
}

fn session(
    args: &Shared,
    file: Option<InputFile>,
    reps: u32,
    sizes: &DefaultSizes,
) -> anyhow::Result<Outcome> {
    let cases = choose(args, file.as_ref())?;
    let (device, no_gpu) = open(args)?;
    let usual = if device.is_timed() {
        sizes.gpu
    } else {
        sizes.emulator
    };
    let sizes = match (&file, args.n.as_slice()) {
        (Some(file), _) => vec![file.len()],
        (None, []) => usual.to_vec(),
        (None, given) => given.to_vec(),
    };
    let input = match &file {
        Some(file) => format!(
            "{} ({} {})",
            file.path().display(),
            file.len(),
            file.dtype()
        ),
        None => format!("{}, seed {}", args.dist, args.seed),
    };
    let mut plan = Plan::default();
    plan.seed = args.seed;
    plan.distribution = args.dist;
    plan.file = file;
    plan.reps = reps;
    let mut report = Report {
        stamp: Stamp::now(Some(device.info())),
        ceilings: None,
        no_gpu,
        seed: args.seed,
        input,
        records: Vec::new(),
    };
    run_all(args, &mut report, &device, &cases, &plan, &sizes)?;
    show(args, &report)?;
    Ok(outcome(&report))
}

/// The cases that were asked for, of the element type that was asked for.
fn choose(args: &Shared, file: Option<&InputFile>) -> anyhow::Result<Vec<&'static Case>> {
    let found = case::find(&args.cases)?;
    let dtype = file.map(InputFile::dtype).or(args.dtype);
    let Some(dtype) = dtype else { return Ok(found) };
    let known = found.len();
    let fitting: Vec<_> = found
        .into_iter()
        .filter(|case| case.dtype() == dtype)
        .collect();
    anyhow::ensure!(
        !fitting.is_empty(),
        "none of the {known} cases that were asked for takes {dtype}"
    );
    Ok(fitting)
}

/// The device; and where it is the emulator because there is no GPU, why there is none.
fn open(args: &Shared) -> anyhow::Result<(Device, Option<String>)> {
    let progress = Progress::new(1, args.quiet);
    progress.step("opening the device, compiling its kernels".to_owned());
    if args.device != DeviceChoice::Auto {
        return Ok((Device::open(args.device)?, None));
    }
    match Device::open(DeviceChoice::Cuda(0)) {
        Err(error @ Error::NoDevice { .. }) => {
            Ok((Device::open(DeviceChoice::Simt)?, Some(error.to_string())))
        }
        opened => Ok((opened?, None)),
    }
}

fn run_all(
    args: &Shared,
    report: &mut Report,
    device: &Device,
    cases: &[&Case],
    plan: &Plan,
    sizes: &[u64],
) -> anyhow::Result<()> {
    let runs = runs(cases, sizes);
    let progress = Progress::new(runs.len(), args.quiet);
    progress.step("measuring the memory's ceilings".to_owned());
    report.ceilings = Ceilings::measure(device)?;
    device.limit_bytes(args.max_device_bytes);
    let mut lost: Option<String> = None;
    for (case, n) in runs {
        progress.step(format!("{} n = {n}", case.name()));
        let ceilings = report.ceilings.as_ref();
        let mut record = match &lost {
            None => runner::run_case(Some(device), case, plan, n, ceilings),
            Some(_) => runner::run_case(None, case, plan, n, None),
        };
        if let Some(culprit) = &lost {
            let message = format!("the device was lost to {culprit}");
            record.verdict = Verdict::Environment { message };
        }
        if matches!(record.verdict, Verdict::Failed { lost: true, .. }) {
            lost = Some(record.case.clone());
        }
        report.records.push(record);
        progress.done();
    }
    Ok(())
}

/// Each case at each n; those of a fixed n once.
fn runs<'a>(cases: &[&'a Case], sizes: &[u64]) -> Vec<(&'a Case, u64)> {
    let of = |case: &'a Case| -> Vec<(&'a Case, u64)> {
        match case.size_rule() {
            Sizes::Fixed(n) => vec![(case, n)],
            _ => sizes.iter().map(|n| (case, *n)).collect(),
        }
    };
    cases.iter().flat_map(|case| of(case)).collect()
}

fn show(args: &Shared, report: &Report) -> anyhow::Result<()> {
    let to_stdout = args
        .json
        .as_deref()
        .is_some_and(|path| path.as_os_str() == "-");
    if let Some(path) = &args.json {
        report.write_json(path)?;
    }
    if !(args.quiet || to_stdout) {
        style::print(&(table(report, style::stdout_colour()) + "\n"))?;
    }
    if args.quiet && report.any_wrong() {
        let mut wrong = report.clone();
        wrong.records.retain(|record| record.verdict.is_wrong());
        style::print(&(table(&wrong, style::stdout_colour()) + "\n"))?;
    }
    for obstacle in report.obstacles() {
        eprintln!("{} {obstacle}", style::error_prefix());
    }
    if let Some(reason) = report.no_gpu.as_ref().filter(|_| !args.quiet) {
        eprintln!("note: the emulator ran the kernels: {reason}");
    }
    Ok(())
}

fn outcome(report: &Report) -> Outcome {
    let ran = |verdict: &Verdict| !matches!(verdict, Verdict::Skipped { .. });
    if report.any_wrong() {
        Outcome::Wrong
    } else if !report.obstacles().is_empty() {
        Outcome::Impossible
    } else if report.records.iter().any(|record| ran(&record.verdict)) {
        Outcome::Fine
    } else {
        eprintln!("{} no case takes this input", style::error_prefix());
        Outcome::Impossible
    }
}
