//! What can go wrong on the way from a kernel crate to PTX.

use crate::ir::IrError;
use crate::toolchain::ToolchainError;
use std::path::{Path, PathBuf};

/// Why a build gave no PTX. Every message says which file or tool, and what mends it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CudaBuilderError {
    /// No toolchain that can compile kernels.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// The folder holds no Cargo package.
    #[error("`{path}` is no Cargo package that kernels could be built from: {message}")]
    NotAPackage {
        /// The folder that was given to [`CudaBuilder::new`](crate::CudaBuilder::new).
        path: PathBuf,
        /// What `cargo metadata` said.
        message: String,
    },
    /// rustc or cargo refused the kernel crate.
    #[error("the kernels in `{package}` do not compile for {arch}:\n{stderr}")]
    Compile {
        /// The kernel package.
        package: String,
        /// The architecture, as `sm_90`.
        arch: String,
        /// What cargo and rustc printed.
        stderr: String,
    },
    /// The compiled LLVM IR holds something that the builder's passes must not let through.
    #[error("{package} ({arch}): {error}")]
    Ir {
        /// The kernel package.
        package: String,
        /// The architecture, as `sm_90`.
        arch: String,
        /// What was found.
        #[source]
        error: IrError,
    },
    /// Codegen units that do not fit together.
    #[error(
        "{package} ({arch}): two modules of the package define `{symbol}`, and differently: \
         rename one of them"
    )]
    Clash {
        /// The kernel package.
        package: String,
        /// The architecture, as `sm_90`.
        arch: String,
        /// The symbol.
        symbol: String,
    },
    /// The library that rustc left could not be read.
    #[error("cannot use the compiled library `{path}`: {message}; remove it and build again")]
    Library {
        /// The archive.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A tool ran and failed.
    #[error("`{command}` failed with {status}:\n{stderr}")]
    Tool {
        /// The command line.
        command: String,
        /// Its exit status.
        status: String,
        /// What it printed on standard error.
        stderr: String,
    },
    /// A tool could not be started.
    #[error("cannot run `{tool}`: {source}")]
    Spawn {
        /// The program.
        tool: PathBuf,
        /// The operating system's reason.
        #[source]
        source: std::io::Error,
    },
    /// A file could not be read or written.
    #[error("cannot {action} `{path}`: {source}")]
    Io {
        /// "read", "write", "create", ….
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The operating system's reason.
        #[source]
        source: std::io::Error,
    },
    /// The compiler ran, but what it should have left is not there.
    #[error("cargo built `{package}` but left no {what} in `{folder}`")]
    Missing {
        /// The kernel package.
        package: String,
        /// What was expected.
        what: String,
        /// Where.
        folder: PathBuf,
    },
}

/// `fs` calls with the path in the error.
pub(crate) mod fs {
    use super::{CudaBuilderError, Path};

    fn at<'p>(
        action: &'static str,
        path: &'p Path,
    ) -> impl FnOnce(std::io::Error) -> CudaBuilderError + use<'p> {
        move |source| CudaBuilderError::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn read(path: &Path) -> Result<String, CudaBuilderError> {
        std::fs::read_to_string(path).map_err(at("read", path))
    }

    pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, CudaBuilderError> {
        std::fs::read(path).map_err(at("read", path))
    }

    pub(crate) fn create_dir(path: &Path) -> Result<(), CudaBuilderError> {
        std::fs::create_dir_all(path).map_err(at("create", path))
    }

    pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), CudaBuilderError> {
        std::fs::copy(from, to).map(drop).map_err(at("write", to))
    }

    /// Writes beside the file and renames, so that a reader never sees half of it.
    pub(crate) fn replace(path: &Path, content: impl AsRef<[u8]>) -> Result<(), CudaBuilderError> {
        let beside = path.with_extension("part");
        std::fs::write(&beside, content).map_err(at("write", &beside))?;
        rename(&beside, path)
    }

    pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), CudaBuilderError> {
        std::fs::rename(from, to).map_err(at("write", to))
    }

    pub(crate) fn list(folder: &Path) -> Result<Vec<std::path::PathBuf>, CudaBuilderError> {
        std::fs::read_dir(folder)
            .and_then(|entries| entries.map(|e| e.map(|e| e.path())).collect())
            .map_err(at("read", folder))
    }

    /// Takes the advisory lock on `path`, waiting for whoever holds it; released when dropped.
    pub(crate) fn lock(path: &Path) -> Result<std::fs::File, CudaBuilderError> {
        let file = std::fs::File::create(path).map_err(at("create", path))?;
        file.lock().map_err(at("lock", path))?;
        Ok(file)
    }
}
