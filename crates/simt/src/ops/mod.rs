//! The arithmetic of PTX as pure functions on plain values: no warp, no register, no memory.
//!
//! Each function cites the section of the PTX ISA that it follows.

pub mod approx;
pub mod bits;
pub mod convert;
pub mod float;
pub mod int;
pub mod mbarrier;
pub mod narrow;
pub mod printf;
pub mod soft;
pub mod tiny;
pub mod video;
pub mod warp;
