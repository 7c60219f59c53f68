//! What steps 9–11 share: a grid that fits the device at once and walks over the input in tiles.

use cuda_std::thread;

use super::v8_vector::load_ragged;
use super::{block_in_grid, lane_in_block};
use crate::element::{Element, head_len};
use crate::op::Op;

/// Independent 16-byte loads that a thread has in flight.
pub const LOADS: usize = 4;

/// Where the packs come from.
#[derive(Clone, Copy)]
pub(super) struct Packs<T> {
    first: *const T,
    len: usize,
}

impl<T: Element> Packs<T> {
    /// # Safety
    /// - `index < self.len`.
    #[inline(always)]
    unsafe fn load<const STREAMING: bool>(self, index: usize) -> T::Pack {
        // SAFETY: inside the input by the caller's promise, and at a 16-byte boundary.
        unsafe {
            let source = self.first.add(index * T::PER_PACK);
            if STREAMING { T::load_streaming(source) } else { T::load(source) }
        }
    }
}

/// This thread's share of the input. Tile *i* is `LOADS` × `block` packs and belongs to block
/// *i* mod grid; inside it thread *t* takes packs *t*, *t* + `block`, … so that each load
/// instruction of a warp reads 512 bytes in a row. One accumulator per load keeps the additions of
/// different loads independent.
#[inline(always)]
pub(super) fn accumulate<T: Element, O: Op<T>, const STREAMING: bool>(
    input: &[T],
    block: usize,
) -> T {
    let head = head_len(input.as_ptr(), input.len());
    // SAFETY: head is at most the length.
    let first = unsafe { input.as_ptr().add(head) };
    let packs = Packs { first, len: (input.len() - head) / T::PER_PACK };
    let tile = LOADS * block;
    let step = tile * thread::grid_dim_x() as usize;
    let mut at = block_in_grid() * tile + lane_in_block();
    let mut sums = [O::IDENTITY; LOADS];
    while at + (tile - block) < packs.len {
        // SAFETY: the largest index, at + 3 · block, lies inside.
        let loaded = unsafe {
            [
                packs.load::<STREAMING>(at),
                packs.load::<STREAMING>(at + block),
                packs.load::<STREAMING>(at + 2 * block),
                packs.load::<STREAMING>(at + 3 * block),
            ]
        };
        for (sum, pack) in sums.iter_mut().zip(loaded) {
            *sum = O::combine(*sum, O::fold(pack));
        }
        at += step;
    }
    // At most one tile is left to this thread, and less than four packs of it.
    while at < packs.len {
        // SAFETY: just compared.
        sums[0] = O::combine(sums[0], O::fold(unsafe { packs.load::<STREAMING>(at) }));
        at += block;
    }
    if block_in_grid() == 0 {
        sums[1] = O::combine(sums[1], load_ragged::<T, O>(input, head, packs.len));
    }
    O::combine(O::combine(sums[0], sums[1]), O::combine(sums[2], sums[3]))
}
