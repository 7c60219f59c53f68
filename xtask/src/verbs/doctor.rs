//! `cargo xtask doctor`: the `lockstep` binary's, or what keeps it from being built.

use super::lockstep;
use crate::workspace::hand_on;
use anyhow::Result;
use cuda_builder::Toolchain;
use std::ffi::OsString;
use std::process::{Command, ExitCode};

/// Prints what is there and what is missing; exit code 2 where something needed is missing.
/// Installs nothing.
pub(crate) fn run(arguments: &[OsString]) -> Result<ExitCode> {
    if let Err(missing) = Toolchain::find(None) {
        println!("MISSING kernel toolchain: {missing}");
        println!("        lockstep embeds the kernels, so it cannot be built before");
        return Ok(ExitCode::from(2));
    }
    let mut command = Command::new(lockstep::build()?);
    command.arg("doctor").args(arguments);
    hand_on(command)
}
