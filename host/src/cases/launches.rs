//! What the cases' launches have in common.

use std::ops::Range;

use crate::case::{Cx, Traffic};
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

/// Elements that a cut must not go through: whole blocks of the kernels that work by groups.
const TILE: usize = 256;

/// Cuts `len` elements into ranges that fit the device, of `bytes` for each element with all its
/// inputs and outputs, each but the last a multiple of a block. Nothing is one empty range.
pub(super) fn in_tiles<P>(
    cx: &mut Cx<'_>,
    len: usize,
    bytes: u64,
    mut work: impl FnMut(&mut Cx<'_>, Range<usize>) -> Result<P, Error>,
) -> Result<Vec<P>, Error> {
    let starts: Vec<usize> = (0..len).step_by(TILE).collect();
    cx.in_chunks(&starts, bytes * TILE as u64, |cx, starts| {
        let start = starts.first().copied().unwrap_or(0);
        let end = starts.last().map_or(0, |last| len.min(last + TILE));
        work(cx, start..end)
    })
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
