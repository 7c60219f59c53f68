//! Lockstep, the host library: devices, buffers, launches, cases with their CPU baselines, and
//! reports.

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
mod names;
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
