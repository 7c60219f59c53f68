//! Lockstep, the host library: devices, buffers, launches, collectives; cases with their CPU
//! baselines; reports.
//!
//! - [`Device`] is an NVIDIA GPU or the SIMT emulator, with the kernels of this repository loaded;
//!   [`Buffer`] is typed memory on it.
//! - [`collectives`] are reductions and scans of buffers, for programs that want the result and no
//!   kernel.
//! - [`case`], [`runner`] and [`report`] are what the `lockstep` command runs and shows;
//!   [`selftest`] tests a device.
//!
//! # Depending on this crate
//!
//! The CUDA driver is opened at run time, so nothing of CUDA is needed to build. The build script
//! of `cust`, however, insists on a folder that looks like a CUDA installation: any folder that
//! holds a `lib64` will do, such as `/usr` on many systems, or this crate's `driver-stub`. Name it
//! in the `.cargo/config.toml` of your workspace:
//!
//! ```toml
//! [env]
//! CUDA_LIBRARY_PATH = "/usr"
//! ```
//!
//! The library that `cust` then asks the linker for is found by itself: this crate's build script
//! names the folder of its empty stub.

pub mod baseline;
pub mod case;
mod cases;
pub mod collectives;
pub mod compare;
pub mod conformance;
pub mod device;
mod driver;
mod error;
mod images;
pub mod input;
pub mod masks;
pub mod names;
pub mod report;
pub mod runner;
pub mod selftest;
pub mod units;

pub use case::Case;
pub use device::{Arg, Buffer, Device, DeviceChoice, DeviceInfo, LaunchConfig};
pub use driver::{DriverError, DriverStatus, status as driver_status};
pub use error::Error;
pub use images::IMAGES;
pub use input::{Distribution, Dtype, Element};
pub use simt;
