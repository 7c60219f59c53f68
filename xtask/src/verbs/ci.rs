//! `cargo xtask ci`: what continuous integration runs. Warnings are errors here, and only here.

use super::{test, tidy};
use crate::workspace::{cargo_command, status};
use anyhow::{Result, bail};
use std::process::ExitCode;

/// Tests first, then everything that only reads.
pub(crate) fn run() -> Result<ExitCode> {
    let mut failed = Vec::new();
    if test::run(&[])? != ExitCode::SUCCESS {
        failed.push("test");
    }
    let checks: [(&str, &[&str]); 3] = [
        ("formatting", &["fmt", "--all", "--check"]),
        (
            "clippy",
            &[
                "clippy",
                "--workspace",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ],
        ),
        ("doc", &["doc", "--workspace", "--no-deps", "--quiet"]),
    ];
    for (name, arguments) in checks {
        println!("\n== {name}");
        let mut command = cargo_command(arguments);
        if name == "doc" {
            command.env("RUSTDOCFLAGS", "-D warnings");
        }
        if status(command)? != 0 {
            failed.push(name);
        }
    }
    println!("\n== tidy");
    if tidy::run()? != ExitCode::SUCCESS {
        failed.push("tidy");
    }
    if failed.is_empty() {
        println!("all checks passed");
        return Ok(ExitCode::SUCCESS);
    }
    bail!("failed: {}", failed.join(", "));
}
