//! `cargo xtask doctor`: what is here to build with, then what the `lockstep` binary says of
//! devices.

use super::lockstep;
use crate::workspace::hand_on;
use anyhow::Result;
use cuda_builder::{NvvmArch, Ptxas, Toolchain, tools_folder};
use std::process::{Command, ExitCode};

/// Prints what is there and what is missing; exit code 2 where something needed is missing.
pub(crate) fn run() -> Result<ExitCode> {
    let toolchain = Toolchain::find(None);
    match &toolchain {
        Ok(found) => {
            println!("kernel toolchain  {}", found.description);
            println!("                  {}", found.rustc.display());
            println!(
                "LLVM {}           {}",
                found.llvm_major,
                found.opt.display()
            );
            println!("                  {}", found.llc.display());
        }
        Err(missing) => println!("kernel toolchain  missing: {missing}"),
    }
    for arch in NvvmArch::from_env()? {
        match Ptxas::find(arch) {
            Ok(ptxas) => println!(
                "ptxas for {:<7} {} ({})",
                arch.sm(),
                ptxas.release,
                ptxas.path.display()
            ),
            Err(missing) => println!("ptxas for {:<7} missing: {missing}", arch.sm()),
        }
    }
    println!("fetched tools     {}", tools_folder().display());
    if toolchain.is_err() {
        println!("lockstep          not built: it embeds the kernels");
        return Ok(ExitCode::from(2));
    }
    let mut command = Command::new(lockstep::build()?);
    command.arg("doctor");
    hand_on(command)
}
