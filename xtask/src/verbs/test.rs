//! `cargo xtask test`: every test, on whatever devices there are.

use super::setup;
use crate::workspace::{cargo_command, hand_on};
use anyhow::Result;
use std::ffi::OsString;
use std::process::ExitCode;

/// Sets up and runs `cargo test`, over the workspace unless the arguments choose.
pub(crate) fn run(arguments: &[OsString]) -> Result<ExitCode> {
    setup::ensure_all()?;
    let mut command = cargo_command(&["test"]);
    if arguments.is_empty() {
        command.args(["--workspace", "--no-fail-fast"]);
    }
    command.args(arguments);
    if concerns_nvcc(arguments) {
        // Tests that cannot run are counted as skipped, with this reason.
        match setup::nvcc() {
            Ok(folder) => command.env("LOCKSTEP_NVCC_PTX", folder),
            Err(error) => {
                eprintln!("note: the emulator is not tested with PTX of nvcc: {error:#}");
                command.env("LOCKSTEP_NVCC_MISSING", format!("{error:#}"))
            }
        };
    }
    hand_on(command)
}

/// Whether the emulator's tests are among those that run.
fn concerns_nvcc(arguments: &[OsString]) -> bool {
    let whole = ["--workspace", "--all", "simt", "-psimt", "--package=simt"];
    arguments.is_empty()
        || arguments
            .iter()
            .any(|it| whole.iter().any(|word| it == word))
}
