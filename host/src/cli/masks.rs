//! `lockstep masks`: who is together where, under each execution model and on a GPU.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Context;
use lockstep::masks::{self, PROGRAMS, Program, Recorded, Recording};
use lockstep::{Device, DeviceChoice, IMAGES, names};
use simt::{Model, Options};

use super::{Outcome, style};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    lockstep masks nested_break\n  \
    lockstep masks --device cuda --json masks.json")]
pub(crate) struct Args {
    /// Programs; none means all
    programs: Vec<String>,
    /// A GPU to run them on too: cuda or cuda:N; without it, the masks that were recorded on an H200
    #[arg(long, value_name = "DEVICE")]
    device: Option<DeviceChoice>,
    /// Write the GPU's masks as JSON to this file
    #[arg(long, value_name = "FILE", requires = "device")]
    json: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let programs = select(&args.programs)?;
    let recording = match args.device {
        Some(choice) => record(choice, &programs)?,
        None => masks::h200()?,
    };
    if let Some(path) = &args.json {
        let text = serde_json::to_string(&recording)? + "\n";
        std::fs::write(path, text).with_context(|| path.display().to_string())?;
    }
    let mut machines = vec![(recording.device, recording.programs)];
    for &model in Model::ALL {
        let options = Options {
            model,
            ..Options::default()
        };
        let device = Device::emulator(IMAGES, options)?;
        machines.push((model.to_string(), all(&device, &programs)?));
    }
    let mut agreeing = vec![(0, 0); machines.len()];
    for program in &programs {
        let columns: Vec<_> = machines.iter().map(|(_, list)| of(list, program)).collect();
        style::print(&table(program, &machines, &columns))?;
        for (column, (same, events)) in columns.iter().zip(&mut agreeing) {
            for (mine, gpu) in column.iter().zip(columns[0]) {
                *same += usize::from(set(mine) == set(gpu));
                *events += 1;
            }
        }
    }
    let mut text = String::new();
    for ((name, _), (same, events)) in machines.iter().zip(&agreeing).skip(1) {
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{name}: the GPU's groups at {same} of {events} events"
        );
    }
    style::print(&text)?;
    Ok(Outcome::Fine)
}

fn select(wanted: &[String]) -> anyhow::Result<Vec<&'static Program>> {
    for name in wanted {
        let known = || PROGRAMS.iter().map(|program| program.name);
        if !known().any(|it| it == name) {
            let near = names::nearest(name, known());
            let list = if near.is_empty() {
                known().collect::<Vec<_>>().join(", ")
            } else {
                near.join(" or ")
            };
            anyhow::bail!("no program `{name}`: did you mean {list}?");
        }
    }
    let chosen =
        |program: &&Program| wanted.is_empty() || wanted.iter().any(|it| it == program.name);
    Ok(PROGRAMS.iter().filter(chosen).collect())
}

fn record(choice: DeviceChoice, programs: &[&'static Program]) -> anyhow::Result<Recording> {
    let device = Device::open(choice)?;
    Ok(Recording {
        device: device.info().name.clone(),
        programs: all(&device, programs)?,
    })
}

fn all(device: &Device, programs: &[&'static Program]) -> anyhow::Result<Vec<Recorded>> {
    let one = |program: &&'static Program| {
        Ok(Recorded {
            name: program.name.to_owned(),
            events: masks::record(device, program)?,
        })
    };
    programs.iter().map(one).collect()
}

/// What a machine did with a program; nothing where it was not recorded.
fn of<'a>(list: &'a [Recorded], program: &Program) -> &'a [Vec<u32>] {
    let found = list.iter().find(|recorded| recorded.name == program.name);
    found.map_or(&[], |recorded| &recorded.events)
}

fn set(groups: &[u32]) -> BTreeSet<u32> {
    groups.iter().copied().collect()
}

/// One row an event: the lanes that come, and the groups in which they come on each machine.
fn table(
    program: &Program,
    machines: &[(String, Vec<Recorded>)],
    columns: &[&[Vec<u32>]],
) -> String {
    let cell = |groups: Option<&Vec<u32>>| {
        let hex: Vec<_> = groups
            .into_iter()
            .flatten()
            .map(|mask| format!("{mask:08x}"))
            .collect();
        hex.join(" ")
    };
    let heads = ["event", "lanes"]
        .into_iter()
        .chain(machines.iter().map(|(name, _)| name.as_str()));
    let mut rows = vec![heads.map(str::to_owned).collect::<Vec<_>>()];
    for (event, lanes) in masks::reached(program).0.iter().enumerate() {
        let groups = columns.iter().map(|column| cell(column.get(event)));
        rows.push(
            [event.to_string(), format!("{lanes:08x}")]
                .into_iter()
                .chain(groups)
                .collect(),
        );
    }
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<_> = (0..rows[0].len()).map(width).collect();
    let mut text = format!("{}:{}\n", style::bold(program.name), program.about);
    for row in &rows {
        let cells: Vec<_> = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        text += cells.join("  ").trim_end();
        text.push('\n');
    }
    text.push('\n');
    text
}
