//! The workspace's folder, and running commands in it.

use anyhow::{Context, Result};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The workspace's folder.
pub(crate) fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().map_or(here.clone(), Path::to_owned)
}

/// The cargo that runs this.
pub(crate) fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// `cargo` with arguments, in the workspace's folder.
pub(crate) fn cargo_command(arguments: &[&str]) -> Command {
    let mut command = Command::new(cargo());
    command.current_dir(root()).args(arguments);
    command
}

/// Runs a command to its end and gives its exit code.
pub(crate) fn status(mut command: Command) -> Result<u8> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command
        .status()
        .with_context(|| format!("cannot run `{program}`"))?;
    // A program that a signal ended has no code; 2 is this tool's "could not be done".
    Ok(status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(2))
}

/// Runs a command and hands its exit code on.
pub(crate) fn hand_on(command: Command) -> Result<ExitCode> {
    status(command).map(ExitCode::from)
}
