//! Runs LLVM's `llvm-link`, `opt` and `llc`.

use crate::arch::NvvmArch;
use crate::error::{CudaBuilderError, fs};
use crate::text;
use crate::toolchain::Toolchain;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Settings of code generation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Codegen {
    pub(crate) arch: NvvmArch,
    pub(crate) release: bool,
    /// The PTX says which line each instruction comes from.
    pub(crate) line_info: bool,
    /// `a * b + c` becomes one fused operation.
    pub(crate) fma_contraction: bool,
    /// Subnormal f32 values count as zero.
    pub(crate) ftz: bool,
}

impl Codegen {
    /// Link-time optimisation of one linked module, of which only `kept` is seen from outside.
    ///
    /// rustc has run LLVM's pipeline before a thin link, which leaves loops rolled for the one
    /// behind it. That of a fat link does not unroll them before it splits arrays, and left some in
    /// local memory.
    pub(crate) fn optimise(
        &self,
        toolchain: &Toolchain,
        module: &Path,
        kept: &[&str],
        to: &Path,
    ) -> Result<(), CudaBuilderError> {
        let level = if self.release { "O3" } else { "O1" };
        let mut opt = Command::new(&toolchain.opt);
        opt.arg("-S")
            .arg(format!("-passes=internalize,thinlto<{level}>"))
            .arg(format!("-internalize-public-api-list={}", kept.join(",")));
        if !self.line_info {
            opt.arg("-strip-debug");
        }
        run(opt.arg(module).arg("-o").arg(to))
    }

    /// From `lowered` to `ptx`. The module is optimised already, and `llc` infers the state spaces
    /// of what the passes have moved.
    pub(crate) fn generate(
        &self,
        toolchain: &Toolchain,
        lowered: &Path,
        ptx: &Path,
    ) -> Result<(), CudaBuilderError> {
        let part = ptx.with_extension("s");
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
        run(llc.arg(lowered).arg("-o").arg(&part))?;
        fs::replace(ptx, text::compact(&fs::read(&part)?))?;
        let _ = std::fs::remove_file(&part);
        Ok(())
    }
}

/// Links `module` with what it needs of `others`, or with all of it, into a module's text.
pub(crate) fn link(
    toolchain: &Toolchain,
    module: &Path,
    others: &[PathBuf],
    to: &Path,
) -> Result<(), CudaBuilderError> {
    let mut link = Command::new(&toolchain.llvm_link);
    link.args(["-S", "--only-needed"]);
    run(link.arg(module).args(others).arg("-o").arg(to))
}

/// Links modules whole, into bitcode.
pub(crate) fn link_whole(
    toolchain: &Toolchain,
    modules: &[PathBuf],
    to: &Path,
) -> Result<(), CudaBuilderError> {
    run(Command::new(&toolchain.llvm_link)
        .args(modules)
        .arg("-o")
        .arg(to))
}

fn run(command: &mut Command) -> Result<(), CudaBuilderError> {
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
