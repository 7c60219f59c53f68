//! `lockstep list`: the cases.

use lockstep::case::{self, Case, Sizes};

use super::{Outcome, style};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lockstep list\n  lockstep list reduce '*f64' --json")]
pub(crate) struct Args {
    /// Names or patterns (`*`, `?`); a name also means everything below it. None means all
    cases: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Name the hidden cases, too: broken kernels and others that run only when named
    #[arg(long)]
    all: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let cases = match args.cases.is_empty() && args.all {
        true => case::all().iter().collect(),
        false => case::find(&args.cases)?,
    };
    let text = if args.json {
        json(&cases)?
    } else {
        table(&cases)
    };
    style::print(&text)?;
    Ok(Outcome::Fine)
}

fn table(cases: &[&Case]) -> String {
    let width = cases
        .iter()
        .map(|case| case.name().len())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    let mut group = "";
    for case in cases {
        if case.group() != group {
            group = case.group();
            text += &format!("{}\n", style::bold(group));
        }
        let mark = if case.is_hidden() {
            " (only when named)"
        } else {
            ""
        };
        text += &format!("  {:<width$}  {}{mark}\n", case.name(), case.summary());
    }
    text + &format!("{} cases\n", cases.len())
}

fn json(cases: &[&Case]) -> anyhow::Result<String> {
    let cases: Vec<_> = cases
        .iter()
        .map(|case| {
            serde_json::json!({
                "name": case.name(),
                "group": case.group(),
                "about": case.summary(),
                "dtype": case.dtype(),
                "kernels": case.kernel_names().collect::<Vec<_>>(),
                "n": sizes(case.size_rule()),
                "hidden": case.is_hidden(),
                "must_fail": case.is_broken(),
            })
        })
        .collect();
    Ok(serde_json::to_string_pretty(&cases)? + "\n")
}

fn sizes(rule: Sizes) -> String {
    match rule {
        Sizes::Any => "any".to_owned(),
        Sizes::AtLeast(least) => format!("≥ {least}"),
        Sizes::AtMost(most) => format!("≤ {most}"),
        Sizes::Fixed(n) => n.to_string(),
    }
}
