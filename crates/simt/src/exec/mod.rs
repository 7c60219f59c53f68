//! Execution of single instructions.

pub(crate) mod atomic;
pub(crate) mod bulk;
pub(crate) mod collective;
pub(crate) mod context;
mod host;
pub(crate) mod lanes;
pub(crate) mod memory;
pub(crate) mod misc;
pub(crate) mod resolve;
