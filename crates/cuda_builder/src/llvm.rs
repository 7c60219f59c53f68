//! Runs LLVM's `llc`: lowered IR to PTX.

use crate::arch::NvvmArch;
use crate::error::{CudaBuilderError, fs};
use crate::text;
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
    /// From `lowered` to `ptx`. rustc has optimised the module already, and `llc` infers the state
    /// spaces of what the passes have moved.
    pub(crate) fn run(
        &self,
        toolchain: &Toolchain,
        lowered: &Path,
        ptx: &Path,
    ) -> Result<(), CudaBuilderError> {
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
        llc.arg(lowered).arg("-o").arg(&part);
        run(llc)?;
        fs::replace(ptx, &text::compact(&fs::read(&part)?))?;
        let _ = std::fs::remove_file(&part);
        Ok(())
    }
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
