//! Lockstep's GPU kernels, and the launch constants that the host imports.
//!
//! Device code in `no_std` Rust, one file per idea; the module doc of each states the problem, the
//! launch shape, what each lane holds before and after, preconditions, the PTX that one should see,
//! and the cost. The same crate compiles for the host, where its constants and tables are used and
//! the kernels are only type-checked.
#![no_std]
#![cfg_attr(
    target_arch = "nvptx64",
    allow(internal_features),
    feature(abi_ptx, asm_experimental_arch)
)]

pub mod block_reduce;
pub mod broken;
pub mod element;
pub mod op;
pub mod reduce;
pub mod warp_level;
pub mod warp_reduce;
