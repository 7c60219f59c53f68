//! Lockstep's GPU kernels, and the launch constants that the host imports.
//!
//! Device code in `no_std` Rust on [`cuda_std`], one file per idea; the module doc of each states the problem, the
//! launch shape, what each lane holds before and after, preconditions, the PTX that one should see,
//! and the cost. The same crate compiles for the host, where its constants and tables are used and
//! the kernels are only type-checked.
#![no_std]
#![cfg_attr(
    target_arch = "nvptx64",
    allow(internal_features),
    feature(abi_ptx, asm_experimental_arch)
)]

pub mod arg;
pub mod block_reduce;
pub mod broken;
pub mod ceiling;
pub mod compact;
pub mod dot;
pub mod element;
pub mod faults;
mod fma;
pub mod histogram;
mod index;
mod last_block;
pub mod look_back;
pub mod op;
pub mod product;
pub mod programs;
pub mod reduce;
pub mod scan;
pub mod segmented;
pub mod warp_level;
pub mod warp_reduce;
pub mod warp_scan;
