//! A SIMT emulator that executes PTX warp by warp on the CPU.

mod code;
mod decode;
mod error;
mod exec;
pub mod findings;
pub mod memory;
pub mod ops;
mod options;
mod watch;

pub use code::Class;
pub use error::{LaunchError, SimtError, Unsupported};
pub use findings::{Finding, Kind, Place, Source};
pub use memory::{Memory, MemoryError};
pub use options::{Checks, LaunchConfig, Model, Options, Policy, TraceRequest};
