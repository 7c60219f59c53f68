//! Verbs of the `lockstep` binary: sets up, builds it, and hands the arguments on.

use super::setup;
use crate::workspace::{cargo_command, hand_on, root, status};
use anyhow::{Result, bail};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// Builds `lockstep` and runs one of its verbs.
pub(crate) fn run(verb: &str, arguments: &[OsString]) -> Result<ExitCode> {
    setup::ensure()?;
    let binary = build()?;
    let mut command = Command::new(binary);
    // Names its verb as the user typed it, in usage lines and hints.
    command
        .env("LOCKSTEP_INVOKED_AS", "cargo xtask")
        .arg(verb)
        .args(arguments);
    hand_on(command)
}

/// The release binary, built if need be.
pub(crate) fn build() -> Result<PathBuf> {
    let code = status(cargo_command(&[
        "build",
        "--quiet",
        "--release",
        "--package",
        "lockstep",
        "--bin",
        "lockstep",
    ]))?;
    if code != 0 {
        bail!("the host does not build (above is why)");
    }
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let name = format!("lockstep{}", std::env::consts::EXE_SUFFIX);
    Ok(root().join(target).join("release").join(name))
}
