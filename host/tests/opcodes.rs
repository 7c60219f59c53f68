//! Every instruction of every kernel of this repository, against the emulator's table: all PTX that
//! the host embeds, that the fixtures become, that the crates' tests keep, and that nvcc made.

use cuda_builder::{CudaBuilder, NvvmArch};
use lockstep::simt::{Program, SimtError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Not executed, with the reason.
const NOT_EXECUTED: &[(&str, &str)] = &[(
    "hand.ptx",
    "every statement of the grammar, for the parser: its kernel asks for clusters of two blocks",
)];

/// Crates with kernels that are tests of their own.
const FIXTURES: &[&str] = &[
    "crates/cuda_builder/fixtures/traps",
    "crates/cuda_std/fixtures/becomes",
    "crates/cuda_std/fixtures/rust_cuda",
];

/// Folders with texts.
const TEXTS: &[&str] = &[
    "crates/ptx/tests/data",
    "crates/simt/tests/findings",
    "crates/simt/tests/fixtures",
    "crates/simt/tests/step_tables",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The names and texts of everything that kernels are in.
fn modules() -> Vec<(String, String)> {
    let mut modules = Vec::new();
    for (name, images) in [
        ("kernels", lockstep::IMAGES),
        ("conformance", lockstep::conformance::IMAGES),
    ] {
        for image in images {
            modules.push((format!("{name}, sm_{}", image.sm), image.ptx.to_owned()));
        }
    }
    for fixture in FIXTURES {
        let images = CudaBuilder::new(root().join(fixture)).build_for(&[NvvmArch::Compute90]);
        for image in images.unwrap_or_else(|error| panic!("{fixture}: {error}")) {
            let text = std::fs::read_to_string(&image.ptx).expect("just built");
            modules.push((format!("{fixture}, {}", image.arch), text));
        }
    }
    // What nvcc made for the emulator's tests, where `cargo xtask test` runs this.
    let compiled = std::env::var("LOCKSTEP_NVCC_PTX").ok();
    for folder in TEXTS.iter().copied().chain(compiled.as_deref()) {
        let mut paths: Vec<_> = std::fs::read_dir(root().join(folder))
            .unwrap_or_else(|error| panic!("{folder}: {error}"))
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|it| it == "ptx"))
            .collect();
        paths.sort();
        for path in paths {
            let text = std::fs::read_to_string(&path).expect("readable");
            let name = path.file_name().expect("a file").to_string_lossy();
            modules.push((format!("{folder}/{name}"), text));
        }
    }
    modules
}

/// An opcode with its modifiers: `shfl.sync.bfly.b32`.
fn form(instruction: &ptx::Instruction) -> String {
    let mut form = instruction.opcode.as_str().to_owned();
    for modifier in &instruction.modifiers {
        form += ".";
        form += modifier.as_str();
    }
    form
}

#[test]
fn every_instruction_of_every_kernel_is_executed_by_the_emulator() {
    let mut histogram: BTreeMap<String, usize> = BTreeMap::new();
    let mut unknown = Vec::new();
    let (mut kernels, mut refused) = (0, Vec::new());
    let modules = modules();
    for (name, text) in &modules {
        if NOT_EXECUTED.iter().any(|(file, _)| name.ends_with(file)) {
            continue;
        }
        let module = ptx::parse(text).unwrap_or_else(|errors| panic!("{name}: {errors}"));
        for function in module.functions() {
            function.for_each_instruction(|instruction| {
                *histogram.entry(form(instruction)).or_default() += 1;
                let other = instruction
                    .modifiers
                    .iter()
                    .find(|it| matches!(it, ptx::Modifier::Other(_)));
                if matches!(instruction.opcode, ptx::Opcode::Other(_)) || other.is_some() {
                    let (line, function) = (instruction.span.line, &function.name);
                    unknown.push(format!(
                        "{name}, `{function}`, line {line}: `{instruction}`"
                    ));
                }
            });
        }
        let program = Program::new(Arc::new(module));
        for entry in program.entries() {
            kernels += 1;
            match program.prepare(&entry) {
                Ok(()) => {}
                // It names the instruction, its line and the function.
                Err(SimtError::Unsupported(what)) => {
                    refused.push(format!("{name}, kernel `{entry}`: {what}"));
                }
                Err(other) => panic!("{name}, kernel `{entry}`: {other}"),
            }
        }
    }
    let mut opcodes: BTreeMap<&str, usize> = BTreeMap::new();
    for (form, count) in &histogram {
        let opcode = form.split('.').next().unwrap_or(form);
        *opcodes.entry(opcode).or_default() += count;
    }
    let mut most: Vec<_> = opcodes.iter().collect();
    most.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let most: Vec<_> = most
        .iter()
        .map(|(opcode, count)| format!("{opcode} {count}"))
        .collect();
    println!(
        "{} texts, {kernels} kernels, {} instructions in {} forms of {} opcodes:\n{}",
        modules.len(),
        histogram.values().sum::<usize>(),
        histogram.len(),
        opcodes.len(),
        most.join(", ")
    );
    assert!(unknown.is_empty(), "not known:\n{}", unknown.join("\n"));
    assert!(refused.is_empty(), "not executed:\n{}", refused.join("\n"));
    assert!(kernels > 300, "{kernels} kernels");
}
