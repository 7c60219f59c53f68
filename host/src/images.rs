//! The embedded PTX of the kernels, one text for each architecture.

use crate::device::Image;

/// Newest architecture last; empty in a build without a kernel toolchain.
pub static IMAGES: &[Image<'static>] = &[];
