//! The embedded PTX of the kernels, one text for each architecture, made by the build script.

use crate::device::Image;

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
