//! `cargo xtask VERB`: sets up what is missing, builds, and runs.
//!
//! One file per verb under `verbs/`. Verbs that the `lockstep` binary has too are built and handed
//! on with all their arguments.

mod verbs;
mod workspace;

use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;

/// Lockstep's build and set-up commands.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Build the kernels and the host, run every case and compare with the CPU
    ///
    /// Example: cargo xtask run 'reduce_*' --n 2^24
    #[command(disable_help_flag = true)]
    Run(HandedOn),
    /// Run all tests, setting up what is missing
    ///
    /// Example: cargo xtask test -p cuda_builder
    Test(HandedOn),
    /// Install what is missing to compile and check kernels, printing every command first
    ///
    /// Example: cargo xtask setup --dry-run
    Setup(verbs::setup::Arguments),
    /// Say what is here, what is missing, and the command that mends it
    ///
    /// Example: cargo xtask doctor
    #[command(disable_help_flag = true)]
    Doctor(HandedOn),
    /// List the cases
    ///
    /// Example: cargo xtask list
    #[command(disable_help_flag = true)]
    List(HandedOn),
    /// Show a kernel's PTX or SASS next to its Rust
    ///
    /// Example: cargo xtask ptx reduce_sum_f32_shuffle --arch sm_90
    #[command(disable_help_flag = true)]
    Ptx(HandedOn),
    /// Measure throughput against the device's ceilings
    ///
    /// Example: cargo xtask bench --n 2^28
    #[command(disable_help_flag = true)]
    Bench(HandedOn),
    /// Run the device tests that the `lockstep` binary carries
    ///
    /// Example: cargo xtask selftest
    #[command(disable_help_flag = true)]
    Selftest(HandedOn),
    /// Show which lanes of a warp execute what, step by step, on the emulator
    ///
    /// Example: cargo xtask trace reduce/sum/f32 --html trace.html
    #[command(disable_help_flag = true)]
    Trace(HandedOn),
    /// Show which lanes are together where, under each execution model and on a GPU
    ///
    /// Example: cargo xtask masks nested_break
    #[command(disable_help_flag = true)]
    Masks(HandedOn),
    /// Look for races, uninitialised memory and misused barriers on the emulator
    ///
    /// Example: cargo xtask check 'reduce/*' --n 1000
    #[command(disable_help_flag = true)]
    Check(HandedOn),
    /// Test every function of cuda_std on a device against the reference model
    ///
    /// Example: cargo xtask conformance --device simt
    #[command(disable_help_flag = true)]
    Conformance(HandedOn),
    /// Run cases on the GPU and on the emulator, and compare the two bit for bit
    ///
    /// Example: cargo xtask agree --n 0,1,33,1000
    #[command(disable_help_flag = true)]
    Agree(HandedOn),
    /// What continuous integration runs: tests, formatting, lints, docs, tidiness
    ///
    /// Example: cargo xtask ci
    Ci,
    /// Check the docs and the tree against the code
    ///
    /// Example: cargo xtask tidy
    Tidy,
}

/// Arguments that another program reads.
#[derive(clap::Args)]
struct HandedOn {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

fn main() -> ExitCode {
    let verb = Arguments::parse().verb;
    let result = match verb {
        Verb::Run(rest) => verbs::lockstep::run("run", &rest.arguments),
        Verb::List(rest) => verbs::lockstep::run("list", &rest.arguments),
        Verb::Ptx(rest) => verbs::lockstep::run("ptx", &rest.arguments),
        Verb::Bench(rest) => verbs::lockstep::run("bench", &rest.arguments),
        Verb::Conformance(rest) => verbs::lockstep::run("conformance", &rest.arguments),
        Verb::Agree(rest) => verbs::lockstep::run("agree", &rest.arguments),
        Verb::Selftest(rest) => verbs::lockstep::run("selftest", &rest.arguments),
        Verb::Trace(rest) => verbs::lockstep::run("trace", &rest.arguments),
        Verb::Masks(rest) => verbs::lockstep::run("masks", &rest.arguments),
        Verb::Check(rest) => verbs::lockstep::run("check", &rest.arguments),
        Verb::Test(rest) => verbs::test::run(&rest.arguments),
        Verb::Setup(arguments) => verbs::setup::run(&arguments),
        Verb::Doctor(rest) => verbs::doctor::run(&rest.arguments),
        Verb::Ci => verbs::ci::run(),
        Verb::Tidy => verbs::tidy::run(),
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        // 2: usage or environment, as the `lockstep` binary has it.
        ExitCode::from(2)
    })
}
