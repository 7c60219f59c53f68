//! What the cases' launches have in common.

use crate::case::Traffic;
use crate::input::Element;
use crate::{Buffer, Device, Error, LaunchConfig};

/// Threads per block as the kernels' modules name them, blocks as the work needs.
pub(super) fn one_per_element(n: usize, block: u32) -> LaunchConfig {
    let blocks = (n as u64).div_ceil(u64::from(block)).max(1);
    LaunchConfig::linear(u32::try_from(blocks).unwrap_or(u32::MAX), block)
}

/// Uploads `data` behind `offset` other elements: a buffer begins at a boundary of 16 bytes and
/// more, but a user's slice need not. What stands before must not be read, so it is all ones: −1,
/// the largest unsigned integer, NaN.
pub(super) fn upload_at<T: Element>(
    device: &Device,
    data: &[T],
    offset: usize,
) -> Result<Buffer<T>, Error> {
    if offset == 0 {
        return device.upload(data);
    }
    let mut padded = vec![T::from_bits64(u64::MAX); offset];
    padded.extend_from_slice(data);
    device.upload(&padded)
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
