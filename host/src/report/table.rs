//! The table that a run prints.

use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, Table, presets};

use super::{Record, Report, Times, Verdict};
use crate::units;

const HEADINGS: [&str; 11] = [
    "case",
    "n",
    "GPU time",
    "±",
    "GB/s",
    "of ceiling",
    "CPU time",
    "ratio",
    "error",
    "bound",
    "verdict",
];

/// The report as text: stamp, table, what was wrong, what the percentages mean.
pub fn table(report: &Report, colour: bool) -> String {
    let mut text = report.stamp.lines().join("\n");
    text += "\n\n";
    text += &trimmed(&records(&report.records, colour));
    text += "\n";
    for line in remarks(&report.records) {
        text += &line;
        text += "\n";
    }
    text += &legend(report).join("\n");
    text
}

fn records(records: &[Record], colour: bool) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Disabled);
    if colour {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    table.set_header(HEADINGS.map(|heading| Cell::new(heading).add_attribute(Attribute::Bold)));
    for record in records {
        table.add_row(row(record));
    }
    for column in table.column_iter_mut().skip(1).take(HEADINGS.len() - 2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Without the spaces at the ends of lines.
fn trimmed(table: &Table) -> String {
    table
        .to_string()
        .lines()
        .map(str::trim_end)
        .collect::<Vec<_>>()
        .join("\n")
        + "\n"
}

fn row(record: &Record) -> Vec<Cell> {
    let time = |times: &Option<Times>| or_dash(times.as_ref().map(|t| units::time(t.median())));
    let comparison = record.comparison.as_ref();
    let small = |value: Option<f64>| or_dash(value.map(|value| format!("{value:.1e}")));
    let error = small(comparison.and_then(|comparison| comparison.error));
    let bound = small(comparison.and_then(|comparison| comparison.bound));
    vec![
        Cell::new(&record.case),
        Cell::new(units::count(record.n)),
        Cell::new(time(&record.gpu)),
        Cell::new(or_dash(
            record
                .gpu
                .as_ref()
                .map(|t| format!("{:.1} %", 100.0 * t.spread())),
        )),
        Cell::new(or_dash(record.gb_per_s.map(rate))),
        Cell::new(or_dash(
            record
                .ceiling_share
                .map(|share| format!("{:.1} %", 100.0 * share)),
        )),
        Cell::new(time(&record.cpu)),
        Cell::new(or_dash(record.ratio().map(|ratio| format!("{ratio:.1}×")))),
        Cell::new(error),
        Cell::new(bound),
        verdict(&record.verdict),
    ]
}

fn rate(gb_per_s: f64) -> String {
    if gb_per_s < 10.0 {
        format!("{gb_per_s:.2}")
    } else {
        format!("{gb_per_s:.0}")
    }
}

fn or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "–".to_owned())
}

fn verdict(verdict: &Verdict) -> Cell {
    let colour = match verdict {
        Verdict::Equal => Color::Green,
        Verdict::Wrong | Verdict::Failed { .. } => Color::Red,
        _ => Color::Yellow,
    };
    Cell::new(verdict.word()).fg(colour)
}

/// What the table has no room for: first mismatches, failures, reasons, notes.
fn remarks(records: &[Record]) -> Vec<String> {
    let mut lines = Vec::new();
    for record in records {
        let at = format!("{} at n = {}", record.case, units::count(record.n));
        match &record.verdict {
            Verdict::Wrong => lines.push(format!("{at}: {}", mismatch(record))),
            Verdict::Failed { message, .. } => lines.push(format!("{at}: failed: {message}")),
            Verdict::Skipped { reason } => lines.push(format!("{at}: skipped: {reason}")),
            Verdict::Environment { message } => lines.push(format!("{at}: not run: {message}")),
            Verdict::Equal | Verdict::BaselineOnly => {}
        }
        if record.chunks > 1 {
            lines.push(format!(
                "{at}: in {} chunks; the times are their sum",
                record.chunks
            ));
        }
        lines.extend(record.notes.iter().map(|note| format!("{at}: {note}")));
    }
    lines
}

fn mismatch(record: &Record) -> String {
    let Some(comparison) = &record.comparison else {
        return "wrong".to_owned();
    };
    let first = comparison
        .first
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default();
    let (wrong, all) = (comparison.mismatches, comparison.compared);
    format!(
        "{wrong} of {all} wrong; first: {first} ({})",
        comparison.tolerance
    )
}

/// What the columns mean.
fn legend(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(ceilings) = &report.ceilings {
        let reference = ceilings.reference();
        lines.push(format!(
            "ceiling: {:.0} GB/s by {} of {} on this device; {:.0} GB/s by {}",
            reference.gb_per_s,
            reference.by,
            units::bytes(reference.bytes),
            ceilings.copy.gb_per_s,
            ceilings.copy.by,
        ));
        lines.push(
            "GPU time: median between two events, cold L2; ±: half the distance between the \
             quartiles"
                .to_owned(),
        );
    }
    if report
        .stamp
        .device
        .as_ref()
        .is_some_and(|device| device.kind == "simt")
    {
        lines.push(
            "emulated on the CPU: the results are what a GPU computes; there is no GPU time"
                .to_owned(),
        );
    }
    let bounds = bounds(&report.records);
    if !bounds.is_empty() {
        lines.push(format!("bounds: {}", bounds.join("; ")));
        lines.push("d, k: additions on the longest path to a result; u: unit roundoff".to_owned());
    }
    let count = |word: &str| {
        report
            .records
            .iter()
            .filter(|r| r.verdict.word() == word)
            .count()
    };
    let words = ["equal", "WRONG", "FAILED", "CPU only", "skipped", "not run"];
    let counts: Vec<String> = words
        .iter()
        .filter(|word| count(word) > 0)
        .map(|word| format!("{} {word}", count(word)))
        .collect();
    lines.push(format!(
        "{} runs: {}; input: {}",
        report.records.len(),
        counts.join(", "),
        report.input
    ));
    lines
}

/// The formulas of the tolerances other than bit-equality, each once. What differs from run to run
/// (the depth, the unit roundoff) stands in the JSON report.
fn bounds(records: &[Record]) -> Vec<&str> {
    let mut seen = Vec::new();
    for comparison in records
        .iter()
        .filter_map(|record| record.comparison.as_ref())
    {
        let formula = formula(&comparison.tolerance);
        if comparison.bound.is_some() && formula != "bit-equal" && !seen.contains(&formula) {
            seen.push(formula);
        }
    }
    seen
}

/// A tolerance up to the values that it was worked out with: `…, d = 32, u = 5.96e-8`.
fn formula(tolerance: &str) -> &str {
    let values = [", d = ", ", k = ", ", u = "];
    let end = values
        .iter()
        .filter_map(|value| tolerance.find(value))
        .min();
    &tolerance[..end.unwrap_or(tolerance.len())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare;
    use crate::report::{Stamp, Times};
    use crate::{Case, Dtype};

    fn record(name: &'static str, verdict: Verdict) -> Record {
        let case = Case::new(name, "test", Dtype::I32, |_| Ok(None));
        Record {
            verdict,
            ..Record::new(&case, None, 1 << 20)
        }
    }

    fn show(records: Vec<Record>, colour: bool) -> String {
        let report = Report {
            stamp: Stamp::now(None),
            ceilings: None,
            no_gpu: None,
            seed: 1,
            input: "uniform, seed 1".to_owned(),
            records,
        };
        table(&report, colour)
    }

    #[test]
    fn a_wrong_result_is_told_with_its_first_index() {
        let mut wrong = record("bad", Verdict::Wrong);
        wrong.comparison = Some(compare::exact("sum", &[1, 2, 3], &[1, 5, 6]));
        let text = show(vec![wrong, record("good", Verdict::Equal)], false);
        let remark = "bad at n = 2^20: 2 of 3 wrong; first: sum[1] is 2, expected 5 (bit-equal)";
        assert!(text.contains(remark), "{text}");
        assert!(
            text.ends_with("2 runs: 1 equal, 1 WRONG; input: uniform, seed 1"),
            "{text}"
        );
    }

    #[test]
    fn colours_are_there_only_when_asked_for() {
        let rows = || vec![record("case", Verdict::Equal)];
        assert!(!show(rows(), false).contains('\u{1b}'));
        assert!(show(rows(), true).contains('\u{1b}'));
    }

    #[test]
    fn times_and_rates_are_shown_with_their_spread() {
        let mut fast = record("fast", Verdict::Equal);
        let times: Vec<_> = [99, 100, 101]
            .map(std::time::Duration::from_micros)
            .to_vec();
        fast.gpu = Times::of(&times);
        fast.gb_per_s = Some(4388.2);
        fast.ceiling_share = Some(0.957);
        let text = show(vec![fast], false);
        let row = text
            .lines()
            .find(|line| line.contains("fast"))
            .unwrap_or_default();
        let cells: Vec<&str> = row.split_whitespace().collect();
        let expected = ["fast", "2^20", "100", "µs", "0.5", "%", "4388", "95.7", "%"];
        assert_eq!(cells[..9], expected, "{row}");
    }
}
