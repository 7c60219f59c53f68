//! The CUDA driver, opened at run time: the only folder of Lockstep that holds FFI.
//!
//! `cust` links against `libcuda`, which a machine without an NVIDIA driver does not have, and a
//! binary linked to it does not even start there. So `-lcuda` is satisfied by an empty linker
//! script (`host/driver-stub`), and [`forward`] defines every `cu…` function that `cust` refers
//! to. Each looks its namesake up in the driver's library when it is first called, and answers
//! `CUDA_ERROR_NO_DEVICE` where there is none. [`direct`] holds the calls that `cust` lacks.

mod direct;
mod error;
mod forward;
mod library;

pub use direct::KernelResources;
pub(crate) use direct::{
    allow_dynamic_shared, blocks_per_sm, cooperative_launch, load_ptx, max_shared_per_block,
    resources,
};
pub use error::DriverError;
pub use library::{DriverStatus, status};
