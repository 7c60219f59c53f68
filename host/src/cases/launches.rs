//! What the cases' launches have in common.

use crate::case::Traffic;
use crate::{Device, LaunchConfig};

/// Threads per block as the kernels' modules name them, blocks as the work needs.
pub(super) fn one_per_element(n: usize, block: u32) -> LaunchConfig {
    let blocks = (n as u64).div_ceil(u64::from(block)).max(1);
    LaunchConfig::linear(u32::try_from(blocks).unwrap_or(u32::MAX), block)
}

/// Multiprocessors of the device, for grids that walk over their input.
pub(super) fn multiprocessors(device: &Device) -> u32 {
    device.info().sms.max(1)
}

/// `read` and `written` bytes per element.
pub(super) fn per_element(read: u64, written: u64) -> impl Fn(u64) -> Traffic + Send + Sync {
    move |n| Traffic {
        read: read * n,
        written: written * n,
    }
}
