//! Device-wide collectives for Rust programs: typed, checked, without a kernel in sight.
//!
//! ```no_run
//! use lockstep::collectives::{self, Op};
//! use lockstep::{Device, DeviceChoice};
//!
//! # fn main() -> Result<(), lockstep::Error> {
//! let device = Device::open(DeviceChoice::Auto)?;
//! let samples = device.upload(&[3.0_f32, 1.0, 2.0])?;
//! assert_eq!(collectives::reduce(&device, &samples, Op::Sum)?, 6.0);
//! assert_eq!(collectives::arg_min(&device, &samples)?, Some((1, 1.0)));
//! let sums = collectives::inclusive_sum(&device, &samples)?;
//! assert_eq!(sums.download()?, [3.0, 4.0, 6.0]);
//! # Ok(())
//! # }
//! ```
//!
//! What the operations mean is what `kernels::op` says: integer sums wrap; a NaN loses in minimum
//! and maximum; a reduction of nothing gives the identity.

mod arg;
mod reduce;
mod scan;

pub use arg::{arg_max, arg_min};
pub use reduce::{Op, Reducer, reduce};
pub use scan::{exclusive_sum, inclusive_sum};

use crate::Element;

/// Element types that the collectives work on: `i32`, `u32`, `i64`, `u64`, `f32`, `f64`.
pub trait Number: Element + sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
}

macro_rules! numbers {
    ($($number:ident)*) => { $(
        impl sealed::Sealed for $number {}
        impl Number for $number {}
    )* };
}
numbers!(i32 u32 i64 u64 f32 f64);
