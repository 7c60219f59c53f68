//! Compiles a Rust kernel crate to PTX, from a build script or a tool.
//!
//! The interface is Rust-CUDA's `cuda_builder` where the meaning is the same. Underneath there is
//! no codegen plugin and no CUDA toolkit: rustc's own NVPTX target gives the bitcode of each codegen
//! unit, which is one source module. LLVM's `llvm-link` adds what a unit uses of others and `opt`
//! optimises it as one program; passes of this crate put shared and constant statics into their
//! state spaces and launch contracts onto their kernels; `llc` makes PTX, and the units' PTX is put
//! together.
//!
//! ```text
//! kernel crate ── cargo rustc ──> unit.bc ── llvm-link, opt ──> unit.ll ── passes, llc ──> unit.ptx
//!                 (incremental;   (per source  (link-time         (shared,                  │
//!                  core built      module)      optimisation)      contracts, lines)  module.ptx
//!                  from source)
//! ```
//!
//! After an edit, rustc compiles the units that changed, and only they and what they were inlined
//! into go through LLVM again.
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
mod archive;
mod builder;
mod cargo;
mod error;
mod ir;
mod llvm;
mod merge;
mod module;
mod package;
mod ptxas;
mod text;
mod toolchain;
mod units;

pub use arch::{ARCHS_VAR, NvvmArch, UnknownArch};
pub use builder::{CudaBuilder, Image};
pub use error::CudaBuilderError;
pub use ir::IrError;
pub use ptxas::{Ptxas, PtxasError, Resources, tools_folder};
pub use toolchain::{
    DEBIAN_PACKAGES, LEAST_RUSTC_MINOR, LLVM_VAR, RUSTUP_COMMAND, Rejected, TOOLCHAIN_VAR,
    Toolchain, ToolchainError, remedy,
};
