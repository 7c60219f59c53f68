//! A SIMT emulator that executes PTX warp by warp on the CPU.

mod code;
mod counters;
mod decode;
mod error;
mod exec;
pub mod findings;
mod machine;
pub mod memory;
pub mod ops;
mod options;
mod program;
mod trace;
mod watch;

pub use code::Class;
pub use counters::{Count, Counters, InstructionCount, MemoryCounters};
pub use error::{LaunchError, SimtError, Unsupported};
pub use findings::{Finding, Kind, Place, Source};
pub use memory::{Memory, MemoryError};
pub use options::{Checks, LaunchConfig, Model, Options, Policy, TraceRequest};
pub use program::{Image, Program, Report, launch, launch_traced};
pub use trace::{Listing, ListingLine, Step};
