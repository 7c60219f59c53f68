//! A SIMT emulator: executes PTX warp by warp on the CPU, exactly, and says what is wrong with a
//! program.
//!
//! A [`Program`] is made from a parsed module, loaded into a [`Memory`], and its kernels are
//! launched with a shape, parameters and [`Options`]. No IO, no knowledge of any host or of CUDA,
//! and no panic whatever the program is.
//!
//! ```
//! use simt::{LaunchConfig, Memory, Options, Program, launch};
//! use std::sync::Arc;
//!
//! let text = "
//!     .version 8.0
//!     .target sm_90
//!     .address_size 64
//!     .visible .entry double(.param .u64 data) {
//!         .reg .b32 %r<3>; .reg .b64 %rd<3>;
//!         ld.param.u64 %rd1, [data];
//!         mov.u32 %r1, %tid.x;
//!         mad.wide.u32 %rd2, %r1, 4, %rd1;
//!         ld.global.u32 %r2, [%rd2];
//!         add.s32 %r2, %r2, %r2;
//!         st.global.u32 [%rd2], %r2;
//!         ret;
//!     }";
//! let program = Program::new(Arc::new(ptx::parse(text).expect("well-formed")));
//! let mut memory = Memory::new();
//! let image = program.load(&mut memory)?;
//! let data = memory.alloc(4 * 32)?;
//! memory.write(data, &7_u32.to_le_bytes().repeat(32))?;
//! let shape = LaunchConfig::linear(1, 32);
//! let params = data.to_le_bytes();
//! let report = launch(&image, "double", &shape, &params, &mut memory, &Options::default())?;
//! let mut first = [0; 4];
//! memory.read(data, &mut first)?;
//! assert_eq!(u32::from_le_bytes(first), 14);
//! assert_eq!(report.counters.average_active_lanes(), 32.0);
//! # Ok::<(), simt::SimtError>(())
//! ```
//!
//! # How it works
//! - `decode` turns each instruction into a pair of function pointers (for a full mask, and for
//!   any) with byte offsets of registers; `exec::lanes` has the few generic drivers that they lead
//!   to, each compiled for every instruction set of the host.
//! - A register is an array of 32 values, a predicate a 32-bit mask: one instruction of a warp is a
//!   handful of vector instructions of the host.
//! - `machine` runs waves (lanes that issue together) as parts that stand at one instruction, and
//!   decides how parts come together again ([`Model`]) and who runs next ([`Policy`]).
//! - `ops` is the arithmetic, `watch` the findings and counters of memory.
//!
//! # What is deterministic
//! Everything, for a given program, input and [`Options`]: blocks run on several threads only when
//! nothing in the kernel could tell (no atomic with a result, no volatile access, no clock, no
//! output), and otherwise one after the other. Atomics of a warp happen in the order of its lanes.
//! The clock counts instructions of this machine. A kernel with a data race between blocks is the
//! exception: which block's write stays may then differ from run to run unless
//! [`Options::workers`] is 1.

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
pub use exec::lanes::{HostVectors, limit_host_vectors};
pub use findings::{Finding, Kind, Place, Source};
pub use memory::{Memory, MemoryError};
pub use options::{Checks, LaunchConfig, Model, Options, Policy, TraceRequest};
pub use program::{Image, Program, Report, launch, launch_traced};
pub use trace::{Listing, ListingLine, Step};
