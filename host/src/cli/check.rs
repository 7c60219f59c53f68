//! `lockstep check`: cases on the emulator with everything looked for that a GPU hides.

use lockstep::case::{self, Case, Plan, Sizes};
use lockstep::simt::{Checks, Finding, Model, Options, Policy};
use lockstep::{Device, Distribution, IMAGES, runner};
use serde::Serialize;

use super::progress::Progress;
use super::{Outcome, number, style};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    lockstep check reduce/sum/f32\n  \
    lockstep check broken/warp_sum/wrong_mode --policy adversarial --json")]
pub(crate) struct Args {
    /// Names or patterns (`*`, `?`); a name also means everything below it. None means all
    cases: Vec<String>,
    /// Elements of the input
    #[arg(long, value_parser = number::parse, default_value = "1000")]
    n: u64,
    /// Seed of the input and of the scheduling
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// Distribution of the input
    #[arg(long, default_value_t)]
    dist: Distribution,
    /// How lanes that part come together again
    #[arg(long, value_enum, default_value = "independent")]
    model: ModelName,
    /// Who runs next
    #[arg(long, value_enum, default_value = "greedy-oldest")]
    policy: PolicyName,
    /// Lanes that issue together: 4, 8, 16, 32 or 64
    #[arg(long, default_value = "32", value_parser = width)]
    width: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print findings only
    #[arg(long, short)]
    quiet: bool,
}

fn width(text: &str) -> Result<u32, String> {
    let width = text
        .parse()
        .ok()
        .filter(|width| [4, 8, 16, 32, 64].contains(width));
    width.ok_or_else(|| "the emulator takes 4, 8, 16, 32 or 64".to_owned())
}

/// The emulator's execution models.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ModelName {
    /// Independent thread scheduling, since Volta
    Independent,
    /// A stack of immediate post-dominators, before Volta
    Stack,
    /// The lanes with the smallest next PC run
    SmallestPc,
    /// The PC at which most lanes stand runs
    Majority,
}

/// The emulator's schedulers.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum PolicyName {
    /// The same until it waits, then the oldest
    GreedyOldest,
    /// One after the other
    RoundRobin,
    /// Drawn from the seed
    Random,
    /// Chosen to expose missing synchronisation
    Adversarial,
}

impl From<ModelName> for Model {
    fn from(name: ModelName) -> Self {
        match name {
            ModelName::Independent => Self::Independent,
            ModelName::Stack => Self::PostDominatorStack,
            ModelName::SmallestPc => Self::SmallestPc,
            ModelName::Majority => Self::Majority,
        }
    }
}

impl From<PolicyName> for Policy {
    fn from(name: PolicyName) -> Self {
        match name {
            PolicyName::GreedyOldest => Self::GreedyOldest,
            PolicyName::RoundRobin => Self::RoundRobin,
            PolicyName::Random => Self::Random,
            PolicyName::Adversarial => Self::Adversarial,
        }
    }
}

/// What came of one case.
#[derive(Debug, Serialize)]
struct Checked {
    case: String,
    n: u64,
    /// The verdict on the result, as `run` gives it.
    result: lockstep::report::Verdict,
    findings: Vec<Found>,
}

#[derive(Debug, Serialize)]
struct Found {
    kind: &'static str,
    text: String,
}

impl From<Finding> for Found {
    fn from(finding: Finding) -> Self {
        Self {
            kind: finding.kind.name(),
            text: finding.to_string(),
        }
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let cases = case::find(&args.cases)?;
    let options = Options {
        model: args.model.into(),
        policy: args.policy.into(),
        width: args.width,
        seed: args.seed,
        checks: Checks::ALL,
        ..Options::default()
    };
    let device = Device::emulator(IMAGES, options)?;
    let mut plan = Plan::default();
    plan.seed = args.seed;
    plan.distribution = args.dist;
    let progress = Progress::new(cases.len(), args.quiet);
    let mut all = Vec::new();
    for case in cases {
        progress.step(case.name().to_owned());
        all.push(check(&device, case, &plan, args.n));
        progress.done();
    }
    drop(progress);
    let text = match args.json {
        true => serde_json::to_string_pretty(&all)? + "\n",
        false => {
            all.iter()
                .map(|checked| describe(args, checked))
                .collect::<String>()
                + &summary(&all)
        }
    };
    style::print(&text)?;
    let clean = all
        .iter()
        .all(|checked| checked.findings.is_empty() && !checked.result.is_wrong());
    Ok(if clean { Outcome::Fine } else { Outcome::Wrong })
}

fn check(device: &Device, case: &Case, plan: &Plan, n: u64) -> Checked {
    let n = match case.size_rule() {
        Sizes::Fixed(fixed) => fixed,
        _ => n,
    };
    let record = runner::run_case(Some(device), case, plan, n, None);
    let findings = match device {
        Device::Simt(emulator) => emulator.take_findings(),
        _ => Vec::new(),
    };
    Checked {
        case: record.case,
        n,
        result: record.verdict,
        findings: findings.into_iter().map(Found::from).collect(),
    }
}

fn describe(args: &Args, checked: &Checked) -> String {
    use lockstep::report::Verdict;
    let at = format!("{} at n = {}", style::bold(&checked.case), checked.n);
    let mut text = match &checked.result {
        Verdict::Failed { message, .. } | Verdict::Environment { message } => {
            format!("{at}: {message}\n")
        }
        Verdict::Wrong => format!("{at}: the result is wrong\n"),
        _ if args.quiet && checked.findings.is_empty() => String::new(),
        _ => format!("{at}: {} findings\n", checked.findings.len()),
    };
    for finding in &checked.findings {
        text += &finding.text;
        text += "\n";
    }
    text
}

fn summary(all: &[Checked]) -> String {
    let findings: usize = all.iter().map(|checked| checked.findings.len()).sum();
    let wrong = all
        .iter()
        .filter(|checked| checked.result.is_wrong())
        .count();
    format!(
        "{} cases checked: {findings} findings, {wrong} wrong or failed\n",
        all.len()
    )
}
