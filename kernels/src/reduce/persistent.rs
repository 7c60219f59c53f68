//! What steps 9–11 share: a grid that fits the device at once and walks over the input in tiles.

use cuda_std::thread;

use crate::element::{Element, head_len};
use crate::index;
use crate::op::Op;

/// Independent 16-byte loads that a thread has in flight.
pub(super) const LOADS: usize = 4;

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
            if STREAMING {
                T::load_streaming(source)
            } else {
                T::load(source)
            }
        }
    }
}

/// Hands this thread its share of the input, in packs and, at the ragged ends, in single elements.
///
/// Tile *i* is `LOADS` × `block` packs and belongs to block *i* mod grid; inside it thread *t* takes
/// packs *t*, *t* + `block`, … so that each load instruction of a warp reads 512 bytes in a row.
/// `on_pack` is told which of the `LOADS` loads it was and the index of the pack's first element.
#[inline(always)]
pub(crate) fn walk<T: Element, const STREAMING: bool>(
    input: &[T],
    block: usize,
    mut on_pack: impl FnMut(usize, usize, T::Pack),
    mut on_single: impl FnMut(usize, T),
) {
    let head = head_len(input.as_ptr(), input.len());
    // SAFETY: head is at most the length.
    let first = unsafe { input.as_ptr().add(head) };
    let packs = Packs {
        first,
        len: (input.len() - head) / T::PER_PACK,
    };
    let index_of = |pack: usize| head + pack * T::PER_PACK;
    let tile = LOADS * block;
    let step = tile * thread::grid_dim_x() as usize;
    let mut at = index::block() * tile + index::in_block();
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
        on_pack(0, index_of(at), loaded[0]);
        on_pack(1, index_of(at + block), loaded[1]);
        on_pack(2, index_of(at + 2 * block), loaded[2]);
        on_pack(3, index_of(at + 3 * block), loaded[3]);
        at += step;
    }
    // At most one tile is left to this thread, and less than four packs of it.
    while at < packs.len {
        // SAFETY: just compared.
        on_pack(0, index_of(at), unsafe { packs.load::<STREAMING>(at) });
        at += block;
    }
    if index::block() == 0 {
        let t = index::in_block();
        if t < head {
            on_single(t, input[t]);
        }
        if let Some(&value) = input.get(index_of(packs.len) + t) {
            on_single(index_of(packs.len) + t, value);
        }
    }
}

/// This thread's share, reduced. Separate accumulators keep the additions of different loads
/// independent: one for each load, or for each pair of loads where they take two registers.
#[inline(always)]
pub(super) fn accumulate<T: Element, O: Op<T>, const STREAMING: bool>(
    input: &[T],
    block: usize,
) -> T {
    let mut sums = [O::IDENTITY; LOADS];
    let mut ragged = O::IDENTITY;
    walk::<T, STREAMING>(
        input,
        block,
        |load, _, pack| {
            let sum = &mut sums[load % T::PER_PACK];
            *sum = O::combine(*sum, O::fold(pack));
        },
        |_, value| ragged = O::combine(ragged, value),
    );
    let sum = O::combine(O::combine(sums[0], sums[1]), O::combine(sums[2], sums[3]));
    O::combine(sum, ragged)
}
