//! The `lockstep` command: runs GPU cases, compares them with the CPU, and says what this machine
//! can do.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
