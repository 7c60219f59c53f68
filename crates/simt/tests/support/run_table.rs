//! Runs tables of single instructions.

use super::table::{Case, cases, module};
use simt::{LaunchConfig, Memory, Options, Program, launch};
use std::sync::Arc;

fn run(case: &Case, image: &simt::Image, memory: &mut Memory) -> Result<(), String> {
    let failed = |error: simt::SimtError| format!("line {}: {}\n  {error}", case.line, case.text);
    let input = memory
        .alloc(case.input().len().max(1) as u64)
        .map_err(|e| e.to_string())?;
    let output = memory
        .alloc(case.output_len() as u64)
        .map_err(|e| e.to_string())?;
    memory
        .write(input, &case.input())
        .map_err(|e| e.to_string())?;
    let params = [input.to_le_bytes(), output.to_le_bytes()].concat();
    let config = LaunchConfig::linear(1, 32);
    launch(
        image,
        &case.entry(),
        &config,
        &params,
        memory,
        &Options::default(),
    )
    .map_err(failed)?;
    let mut bytes = vec![0; case.output_len()];
    memory.read(output, &mut bytes).map_err(|e| e.to_string())?;
    case.check(&bytes)
}

/// Runs every case of a table.
///
/// # Panics
/// If one gives something else than it says.
#[track_caller]
pub fn table(name: &str, text: &str) {
    let cases = cases(text);
    let source = module(&cases);
    let parsed = ptx::parse(&source).and_then(|module| module.check().map(|()| module));
    let parsed = parsed.unwrap_or_else(|errors| panic!("{}", errors.render(name, &source)));
    let mut memory = Memory::new();
    let image = Program::new(Arc::new(parsed))
        .load(&mut memory)
        .expect("nothing to load");
    let failures: Vec<_> = cases
        .iter()
        .filter_map(|case| run(case, &image, &mut memory).err())
        .collect();
    assert!(
        failures.is_empty(),
        "{name}, {} of {}:\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
}
