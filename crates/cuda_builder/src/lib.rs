//! Compiles a Rust kernel crate to PTX, from a build script or a tool.
//!
//! The interface is Rust-CUDA's `cuda_builder` where the meaning is the same. Underneath there is
//! no codegen plugin and no CUDA toolkit: rustc's own NVPTX target gives LLVM IR after link-time
//! optimisation, two small passes of this crate put shared and constant statics into their state
//! spaces and launch contracts onto their kernels, and LLVM's `llc` gives PTX.
//!
//! ```text
//! kernel crate ── cargo rustc ──> module.ll ── passes ──> lowered.ll ── llc ──> module.ptx
//!                 (core built      (after fat   (shared,                (same LLVM
//!                  from source)     LTO)         contracts, lines)   as rustc's)
//! ```
//!
//! In a build script:
//!
//! ```no_run
//! # fn main() -> Result<(), cuda_builder::CudaBuilderError> {
//! use cuda_builder::{CudaBuilder, NvvmArch};
//!
//! let images = CudaBuilder::new("../kernels")
//!     .build_for(&[NvvmArch::Compute80, NvvmArch::Compute90])?;
//! # Ok(())
//! # }
//! ```
//!
//! The toolchain is found, not installed ([`Toolchain::find`]); where there is none, the error
//! names what was looked at and the command that installs one. [`Ptxas`] checks PTX without a GPU.

mod arch;
mod builder;
mod cargo;
mod error;
mod ir;
mod llvm;
mod package;
mod ptxas;
mod text;
mod toolchain;

pub use arch::{ARCHS_VAR, NvvmArch, UnknownArch};
pub use builder::{CudaBuilder, Image};
pub use error::CudaBuilderError;
pub use ir::IrError;
pub use ptxas::{Ptxas, PtxasError, Resources, tools_folder};
pub use toolchain::{
    DEBIAN_PACKAGES, LEAST_RUSTC_MINOR, LLVM_VAR, RUSTUP_COMMAND, Rejected, TOOLCHAIN_VAR,
    Toolchain, ToolchainError, remedy,
};
