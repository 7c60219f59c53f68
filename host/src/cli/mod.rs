//! The command line: one file for each verb.

mod agree;
mod check;
mod conformance;
mod doctor;
mod emulation;
mod list;
mod masks;
mod number;
mod progress;
mod ptx;
mod run;
mod selftest;
mod style;
mod trace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Warp-level GPU programming in pure Rust: runs cases on a device and compares them with the CPU.
#[derive(Debug, Parser)]
#[command(name = "lockstep", version, about, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

const EXIT_CODES: &str = "Exit codes: 0 all is well, 1 a result is wrong, 2 usage or environment.\n\
Environment: NO_COLOR turns colours off; LOCKSTEP_CUDA_DRIVER names the CUDA driver's library, \
or is `none` to do without.";

#[derive(Debug, Subcommand)]
enum Verb {
    /// Run cases on a device, compare every result with the CPU, print the table
    Run(run::Args),
    /// Measure throughput over a range of sizes, against the device's ceilings
    Bench(run::BenchArgs),
    /// Run cases on the GPU and on the emulator, and compare the two results bit for bit
    Agree(agree::Args),
    /// Name the cases, what they do, and the kernels that they launch
    List(list::Args),
    /// Show the PTX of a case's kernels next to its Rust lines
    Ptx(ptx::Args),
    /// Test a device: buffers, launches, faults, every case at many sizes and distributions
    Selftest(selftest::Args),
    /// Show which lanes of a warp execute what, step by step, on the emulator
    Trace(trace::Args),
    /// Show which lanes are together where, under each execution model and on a GPU
    Masks(masks::Args),
    /// Run cases on the emulator and look for what a GPU hides: races, bad masks, stray accesses
    Check(check::Args),
    /// Run every function of cuda_std on a device and compare each lane with the reference model
    Conformance(conformance::Args),
    /// Say what this machine has, what is missing, and the command that mends it
    Doctor(doctor::Args),
}

/// What a verb ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All is well.
    Fine,
    /// A result is wrong.
    Wrong,
    /// The machine or the input does not allow it; the reason was told.
    Impossible,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Fine => Self::SUCCESS,
            Outcome::Wrong => Self::from(1),
            Outcome::Impossible => Self::from(2),
        }
    }
}

/// Parses the arguments and runs the verb.
pub(crate) fn main() -> ExitCode {
    let outcome = match Cli::parse().verb {
        Verb::Run(args) => run::run(&args),
        Verb::Bench(args) => run::bench(&args),
        Verb::Agree(args) => agree::run(&args),
        Verb::List(args) => list::run(&args),
        Verb::Ptx(args) => ptx::run(&args),
        Verb::Selftest(args) => selftest::run(&args),
        Verb::Trace(args) => trace::run(&args),
        Verb::Masks(args) => masks::run(&args),
        Verb::Check(args) => check::run(&args),
        Verb::Conformance(args) => conformance::run(&args),
        Verb::Doctor(args) => doctor::run(&args),
    };
    match outcome {
        Ok(outcome) => outcome.into(),
        Err(error) if style::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{} {error:#}", style::error_prefix());
            Outcome::Impossible.into()
        }
    }
}
