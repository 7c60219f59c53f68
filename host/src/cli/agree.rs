//! `lockstep agree`: the same cases on the GPU and on the emulator, results compared bit for bit.

use lockstep::case::{self, Case, Plan};
use lockstep::compare::Comparison;
use lockstep::{Device, DeviceChoice, Distribution, IMAGES, names, runner};
use serde::Serialize;

use super::progress::Progress;
use super::{Outcome, number, style};

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  lockstep agree --n 0,1,33,1000,10^5+7 --json")]
pub(crate) struct Args {
    /// Names or patterns (`*`, `?`); a name also means everything below it. None means all
    cases: Vec<String>,
    /// Elements of the input; several separated by commas
    #[arg(long, value_parser = number::parse, value_delimiter = ',', default_value = "0,1,33,1000,20011")]
    n: Vec<u64>,
    /// Distributions of the input, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "uniform,specials")]
    dist: Vec<Distribution>,
    /// Seed of the input
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Cases whose bits may differ between two right runs, and why.
const VARYING: [(&str, &str); 4] = [
    ("reduce/sum/f??/v0_atomic", "atomics add in any order"),
    ("scan/*/f??", "how far a block looks back depends on timing"),
    ("divergence/*", "exp and log are approximate"),
    ("hello/*", "prints only"),
];

#[derive(Debug, Default, Serialize)]
struct Summary {
    gpu: String,
    cases: usize,
    runs: usize,
    bit_equal: usize,
    bytes: u64,
    /// Right on both within their bounds, where the bits may vary.
    within_bounds: usize,
    skipped: usize,
    differing: Vec<Difference>,
}

#[derive(Debug, Serialize)]
struct Difference {
    case: String,
    n: u64,
    distribution: String,
    what: String,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let cases = case::find(&args.cases)?;
    let gpu = Device::open(DeviceChoice::Cuda(0))?;
    let emulator = Device::emulator_like(IMAGES, gpu.info())?;
    let mut summary = Summary {
        gpu: gpu.info().name.clone(),
        cases: cases.len(),
        ..Summary::default()
    };
    let progress = Progress::new(cases.len(), args.json);
    for case in cases {
        progress.step(case.name().to_owned());
        for (&distribution, &n) in args
            .dist
            .iter()
            .flat_map(|dist| args.n.iter().map(move |n| (dist, n)))
        {
            let mut plan = Plan::default();
            (plan.seed, plan.distribution, plan.reps) = (args.seed, distribution, 1);
            let on = |device| runner::run_case(Some(device), case, &plan, n, None);
            summary.add(case, n, distribution, &[on(&gpu), on(&emulator)]);
        }
        progress.done();
    }
    drop(progress);
    let text = match args.json {
        true => serde_json::to_string_pretty(&summary)? + "\n",
        false => summary.to_string(),
    };
    style::print(&text)?;
    Ok(if summary.differing.is_empty() {
        Outcome::Fine
    } else {
        Outcome::Wrong
    })
}

impl Summary {
    fn add(
        &mut self,
        case: &Case,
        n: u64,
        distribution: Distribution,
        records: &[lockstep::report::Record; 2],
    ) {
        self.runs += 1;
        let [gpu, emulator] = records;
        let what = match (&gpu.comparison, &emulator.comparison) {
            (Some(a), Some(b)) if same_bits(a, b) => {
                self.bit_equal += 1;
                self.bytes += a.bytes;
                return;
            }
            (Some(a), Some(b)) if a.is_equal() && b.is_equal() && varies(case.name()) => {
                self.within_bounds += 1;
                return;
            }
            (Some(a), Some(b)) => format!("digests {:016x} and {:016x}", a.digest, b.digest),
            (None, None) if gpu.verdict == emulator.verdict => {
                self.skipped += 1;
                return;
            }
            _ => format!("{:?} and {:?}", gpu.verdict, emulator.verdict),
        };
        self.differing.push(Difference {
            case: case.name().to_owned(),
            n,
            distribution: distribution.to_string(),
            what,
        });
    }
}

fn same_bits(a: &Comparison, b: &Comparison) -> bool {
    (a.bytes, a.digest) == (b.bytes, b.digest)
}

fn varies(case: &str) -> bool {
    VARYING
        .iter()
        .any(|(pattern, _)| names::matches(pattern, case))
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for difference in &self.differing {
            let Difference {
                case,
                n,
                distribution,
                what,
            } = difference;
            writeln!(
                f,
                "DIFFER  {case} at n = {n}, {distribution}: GPU and emulator {what}"
            )?;
        }
        writeln!(
            f,
            "{} and emulator: {} cases, {} runs: {} bit-equal ({} bytes), {} within their bounds, \
             {} skipped on both, {} differ",
            self.gpu,
            self.cases,
            self.runs,
            self.bit_equal,
            self.bytes,
            self.within_bounds,
            self.skipped,
            self.differing.len()
        )?;
        for (pattern, why) in VARYING {
            writeln!(f, "bits may vary in {pattern}: {why}")?;
        }
        Ok(())
    }
}
