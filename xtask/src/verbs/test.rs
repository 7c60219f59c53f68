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
    hand_on(command)
}
