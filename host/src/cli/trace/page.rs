//! A trace as a page: one file that needs nothing else.

use std::collections::BTreeMap;

use lockstep::device::Trace;
use serde_json::{Value, json};

use crate::cli::ptx::text;

const PAGE: &str = include_str!("page.html");

/// The page for some launches.
pub(super) fn render(heading: &str, traces: &[Trace]) -> anyhow::Result<String> {
    let mut sources: BTreeMap<String, Value> = BTreeMap::new();
    for trace in traces {
        for line in &trace.listing.instructions {
            for source in line.source.iter().chain(&line.inlined_at) {
                if !sources.contains_key(&source.file) {
                    let lines = text::read(&source.file);
                    sources.insert(source.file.clone(), json!(lines));
                }
            }
        }
    }
    let launches: Vec<Value> = traces.iter().map(launch).collect();
    let data = json!({ "heading": heading, "launches": launches, "sources": sources });
    // Inside a script element only `</` could end it.
    let data = serde_json::to_string(&data)?.replace("</", "<\\/");
    Ok(PAGE.replace("\"@DATA@\"", &data))
}

fn launch(trace: &Trace) -> Value {
    let listing: Vec<Value> = trace
        .listing
        .instructions
        .iter()
        .map(|line| {
            let place = |source: &simt::Source| json!([source.file, source.line]);
            let places: Vec<Value> = line
                .source
                .iter()
                .chain(&line.inlined_at)
                .map(place)
                .collect();
            json!([line.text, line.ptx_line, places])
        })
        .collect();
    let hex = |mask: u64| format!("{mask:x}");
    let steps: Vec<Value> = trace
        .steps
        .iter()
        .map(|step| {
            let others: Vec<Value> = step
                .others
                .iter()
                .map(|(pc, mask)| json!([pc, hex(*mask)]))
                .collect();
            let values = step
                .values
                .as_ref()
                .map(|values| values.iter().map(|value| hex(*value)).collect::<Vec<_>>());
            json!([step.pc, hex(step.mask), others, values])
        })
        .collect();
    let outcome = match &trace.outcome {
        Ok(report) => {
            let counters = &report.counters;
            format!(
                "{} warp instructions, {:.2} active lanes on average, SIMD efficiency {:.1} %, {} of {} branches divergent",
                counters.warp_instructions,
                counters.average_active_lanes(),
                counters.simd_efficiency() * 100.0,
                counters.divergent_branches,
                counters.branches,
            )
        }
        Err(error) => error.to_string(),
    };
    let config = trace.config;
    json!({
        "kernel": trace.kernel,
        "shape": format!("grid {:?}, block {:?}", config.grid, config.block),
        "listing": listing,
        "steps": steps,
        "outcome": outcome,
    })
}
