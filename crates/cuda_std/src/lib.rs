//! The device library: GPU programming from the thread up to the grid, in Rust.
//!
//! Names and signatures are Rust-CUDA's wherever it has them; what it lacks follows the same
//! style. The modules climb a ladder of scopes: [`thread`] → [`warp`] → [`tile`] and
//! [`coalesced`] → [`block`] → [`grid`].
//!
//! Every function is there on sm_70 and newer: where the instruction for it is younger than the
//! target, the same result comes from older ones, so that no call is above its target.
//!
//! Everything compiles for the host as well, with the same signatures, so that a kernel crate is
//! type-checked and linted by an ordinary `cargo check`. Calling an intrinsic there panics with a
//! message that names the two places where it works: the GPU and the emulator.
//!
//! A kernel crate needs no boilerplate: this crate brings the panic handler, and
//! [`kernel`] the entry's ABI.
#![no_std]
#![cfg_attr(
    target_arch = "nvptx64",
    allow(internal_features),
    feature(
        abi_unadjusted,
        allow_internal_unstable,
        asm_experimental_arch,
        link_llvm_intrinsics,
        stdarch_nvptx
    )
)]

// `shared_array!` and the attributes write `::cuda_std::…`, in this crate too.
#[allow(unused_extern_crates, reason = "used by what the macros expand to")]
extern crate self as cuda_std;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
pub mod atomic;
pub mod block;
pub mod cfg;
pub mod coalesced;
mod collective;
mod demand;
pub mod float;
pub mod grid;
pub mod group;
mod intrinsics;
pub mod io;
#[cfg(target_arch = "nvptx64")]
mod libc;
pub mod mem;
pub mod misc;
#[cfg(not(target_arch = "nvptx64"))]
pub mod model;
pub mod ops;
#[cfg(target_arch = "nvptx64")]
mod panic;
pub mod prelude;
pub mod ptr;
pub mod shared;
pub mod thread;
pub mod tile;
mod uvec;
pub mod vector;
pub mod warp;

pub use cuda_std_macros::{Pod, address_space, gpu_only, kernel};
pub use float::{FloatExt, GpuFloat};
pub use half::{self, bf16, f16};
pub use uvec::{UVec2, UVec3};

/// The body of every intrinsic off the GPU.
///
/// # Panics
/// Always: there is no warp on the host.
#[cold]
#[track_caller]
pub fn device_only() -> ! {
    panic!(
        "this is a GPU instruction: run the kernel on the GPU or on the emulator, do not call it on the host"
    )
}
