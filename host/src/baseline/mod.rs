//! What the GPU's results are compared with: the same operations on the CPU, by rayon.
//!
//! Every function here is generic over the element type, deterministic (the result does not depend
//! on the number of threads), and itself tested against a plain sequential loop. The definitions
//! are the kernels': integer sums and products wrap; a NaN loses in minimum and maximum, −0 is
//! smaller than +0, and a reduction starts from its identity, so that a NaN never comes out.

pub mod arg;
pub mod compact;
pub mod elementwise;
pub mod float_sum;
pub mod histogram;
pub mod matmul;
pub mod number;
pub mod reduce;
pub mod scan;
pub mod search;
pub mod segmented;
pub mod warp;

#[cfg(test)]
mod inputs;
#[cfg(test)]
mod properties;

pub use number::{Float, Max, Min, Number, Operation, Product, Sum};

/// Elements that one rayon task takes: large enough to be worth a task, small enough to share out.
/// Fixed, so that float results are the same on every machine.
pub const CHUNK: usize = 1 << 15;
