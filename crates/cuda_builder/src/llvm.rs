//! Runs LLVM's `opt` and `llc`: lowered IR to PTX.

use crate::arch::NvvmArch;
use crate::error::{CudaBuilderError, fs};
use crate::toolchain::Toolchain;
use std::path::Path;
use std::process::Command;

/// Settings of code generation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Codegen {
    pub(crate) arch: NvvmArch,
    pub(crate) release: bool,
    /// `a * b + c` becomes one fused operation.
    pub(crate) fma_contraction: bool,
    /// Subnormal f32 values count as zero.
    pub(crate) ftz: bool,
}

impl Codegen {
    /// From `lowered` to `ptx`, with the optimised IR in `optimised`.
    pub(crate) fn run(
        &self,
        toolchain: &Toolchain,
        lowered: &Path,
        optimised: &Path,
        ptx: &Path,
    ) -> Result<(), CudaBuilderError> {
        let mut opt = Command::new(&toolchain.opt);
        // rustc has optimised the module already; what is left is what the address spaces allow.
        opt.args(["-S", "-passes=infer-address-spaces,instcombine"])
            .arg(lowered)
            .arg("-o")
            .arg(optimised);
        run(opt)?;
        let part = ptx.with_extension("part");
        let mut llc = Command::new(&toolchain.llc);
        llc.arg(if self.release { "-O3" } else { "-O1" })
            .arg(format!("-mcpu={}", self.arch))
            .arg(format!("-mattr=+ptx{}", self.arch.least_ptx()));
        if self.fma_contraction {
            llc.arg("-fp-contract=fast");
        }
        if self.ftz {
            llc.arg("-denormal-fp-math-f32=preserve-sign");
        }
        llc.arg(optimised).arg("-o").arg(&part);
        run(llc)?;
        fs::replace(ptx, &without_empty_sections(&fs::read(&part)?))?;
        let _ = std::fs::remove_file(&part);
        Ok(())
    }
}

/// Drops the empty `.debug_macinfo` that LLVM leaves behind line directives.
fn without_empty_sections(ptx: &str) -> String {
    let mut text = String::with_capacity(ptx.len());
    for line in ptx
        .lines()
        .filter(|line| !line.starts_with("\t.section\t.debug_macinfo"))
    {
        text.push_str(line);
        text.push('\n');
    }
    text
}

fn run(mut command: Command) -> Result<(), CudaBuilderError> {
    let output = command.output().map_err(|source| CudaBuilderError::Spawn {
        tool: command.get_program().into(),
        source,
    })?;
    if output.status.success() {
        return Ok(());
    }
    let arguments: Vec<_> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect();
    Err(CudaBuilderError::Tool {
        command: arguments.join(" "),
        status: output.status.to_string(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}
