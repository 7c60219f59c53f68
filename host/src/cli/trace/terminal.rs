//! A trace in the terminal: one row a step.

use std::fmt::Write as _;

use lockstep::device::Trace;
use simt::{ListingLine, Step};

use crate::cli::style;

/// The rows of one launch.
pub(super) fn render(trace: &Trace, values: bool) -> String {
    let mut out = String::new();
    let [x, y, z] = trace.config.grid;
    let [bx, by, bz] = trace.config.block;
    let _ = writeln!(
        out,
        "\n{}  grid ({x}, {y}, {z}), block ({bx}, {by}, {bz})",
        style::bold(&trace.kernel)
    );
    let lanes = if trace
        .steps
        .iter()
        .any(|step| (step.mask | others(step)) >> 32 != 0)
    {
        64
    } else {
        32
    };
    let _ = writeln!(
        out,
        "{:>6}  {:<lanes$}  {:>4}  {:<46} Rust",
        "step", "lanes", "PC", "instruction"
    );
    let mut last = None;
    for step in &trace.steps {
        let line = trace.listing.instructions.get(step.pc as usize);
        let source = line.and_then(place);
        let shown = if source == last {
            String::new()
        } else {
            source.clone().unwrap_or_default()
        };
        last = source;
        let text = line.map_or("", |line| line.text.as_str());
        let _ = writeln!(
            out,
            "{:>6}  {}  {:>4}  {:<46} {}",
            step.number,
            cells(step, lanes),
            step.pc,
            clip(text, 46),
            style::dim(&shown)
        );
        if let Some(list) = step.values.as_ref().filter(|_| values) {
            let _ = writeln!(out, "{:>6}  {}", "", style::dim(&lane_values(step, list)));
        }
    }
    match &trace.outcome {
        Ok(report) => {
            let counters = &report.counters;
            let _ = writeln!(
                out,
                "{} warp instructions, {:.2} active lanes on average, SIMD efficiency {:.1} %, {} of {} branches divergent",
                counters.warp_instructions,
                counters.average_active_lanes(),
                counters.simd_efficiency() * 100.0,
                counters.divergent_branches,
                counters.branches,
            );
        }
        Err(error) => {
            let _ = writeln!(out, "{error}");
        }
    }
    out
}

/// Lanes that stand elsewhere.
fn others(step: &Step) -> u64 {
    step.others.iter().fold(0, |all, (_, mask)| all | mask)
}

/// `█` executes, `░` stands elsewhere, a blank is gone.
fn cells(step: &Step, lanes: usize) -> String {
    let waiting = others(step);
    (0..lanes)
        .map(|lane| match (step.mask >> lane & 1, waiting >> lane & 1) {
            (1, _) => '█',
            (_, 1) => '░',
            _ => ' ',
        })
        .collect()
}

fn place(line: &ListingLine) -> Option<String> {
    // The innermost line that is not the library's.
    let all = line.source.iter().chain(&line.inlined_at);
    let own = all.clone().find(|source| source.file.contains("kernels/"));
    own.or(line.source.as_ref()).map(|source| {
        let name = source.file.rsplit('/').next().unwrap_or(&source.file);
        format!("{name}:{}", source.line)
    })
}

fn clip(text: &str, width: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= width {
        return text;
    }
    text.chars().take(width - 1).chain(['…']).collect()
}

fn lane_values(step: &Step, values: &[u64]) -> String {
    let active = (0..64).filter(|lane| step.mask >> lane & 1 != 0);
    let shown: Vec<String> = active
        .filter_map(|lane| values.get(lane).map(|value| format!("{value:x}")))
        .collect();
    shown.join(" ")
}
