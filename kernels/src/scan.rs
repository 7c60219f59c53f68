//! Device-wide prefix sums in a single pass.
//!
//! **Problem.** `out[i]` = the sum of `input[..=i]` (`inclusive`) or `input[..i]` (`exclusive`).
//! **Launch.** [`BLOCK`] threads; one block per tile of [`tile_len`] elements, taken in the order of a
//! counter.
//! **Lanes.** Each thread loads four packs of 16 bytes, 512 bytes of its warp apart, so that a warp owns
//! 2 KiB in a row. It adds up inside each pack; the warp scans the packs' totals row by row; the
//! warps' totals meet in shared memory; warp 0 scans them and looks back ([`crate::look_back`]) for
//! what the tiles before add up to; then everybody adds what lies before its pack and stores 16
//! bytes at once. With all ones, thread 0 of tile 1 stores 4097, 4098, 4099, 4100.
//! **Preconditions.** `state` was zeroed once and is used by one launch at a time; `input` and `out` are
//! aligned to their elements (to 16 bytes for full speed).
//! **Expected PTX.** Four `ld.global` and four `st.global` of 16 bytes; two barriers; no atomic but the two
//! counters'.
//! **Cost.** Each byte is read and written once; 3 barriers.
//! **Float sums** depend on which predecessor answered with its prefix: equal within the rounding
//! error, not to the bit, from run to run.

use cuda_std::prelude::*;
use cuda_std::warp::warp_broadcast;

use crate::element::{Element, PACK_BYTES};
use crate::index;
use crate::look_back::{LookBack, Words};
use crate::op::{Op, Sum};
use crate::warp_level::{FULL, ReduxOp, WARP};
use crate::warp_scan::{exclusive_of, inclusive};

/// Threads in a block.
pub const BLOCK: u32 = 256;
const WARPS: u32 = BLOCK / WARP;
/// Packs of a thread.
const ROWS: usize = 4;

/// Elements of a tile.
pub const fn tile_len(element_size: usize) -> usize {
    BLOCK as usize * ROWS * (PACK_BYTES / element_size)
}

/// Blocks to launch: at least one.
pub const fn grid(len: u64, element_size: usize) -> u32 {
    let tiles = len.div_ceil(tile_len(element_size) as u64);
    if tiles == 0 { 1 } else { tiles as u32 }
}

/// One warp's part of a tile: `ROWS` rows of one pack per lane.
#[derive(Clone, Copy)]
struct Strip<T: Element> {
    /// Index of the lane's first element in row 0.
    first: usize,
    packs: [T::Pack; ROWS],
}

impl<T: Element> Strip<T> {
    const ROW: usize = WARP as usize * T::PER_PACK;

    #[inline(always)]
    fn new(tile: usize) -> Self
    where
        Sum: Op<T>,
    {
        let t = index::in_block();
        let (lane, warp) = (t % WARP as usize, t / WARP as usize);
        let start = tile * tile_len(size_of::<T>()) + warp * ROWS * Self::ROW;
        let mut nothing = T::EMPTY;
        nothing.as_mut().fill(Sum::IDENTITY);
        Self {
            first: start + lane * T::PER_PACK,
            packs: [nothing; ROWS],
        }
    }

    /// Whether the whole warp may use 16-byte accesses. The same in all its lanes.
    #[inline(always)]
    fn is_vectorable(&self, start: usize, len: usize) -> bool {
        let end = self.first - index::in_block() % WARP as usize * T::PER_PACK + ROWS * Self::ROW;
        start.is_multiple_of(PACK_BYTES) && end <= len
    }

    #[inline(always)]
    fn load(&mut self, input: &[T]) {
        let vector = self.is_vectorable(input.as_ptr().addr(), input.len());
        let mut row = 0;
        while row < ROWS {
            let at = self.first + row * Self::ROW;
            if vector {
                // SAFETY: aligned, and inside the input.
                self.packs[row] = unsafe { T::load(input.as_ptr().add(at)) };
            } else {
                for (j, slot) in self.packs[row].as_mut().iter_mut().enumerate() {
                    if let Some(&value) = input.get(at + j) {
                        *slot = value;
                    }
                }
            }
            row += 1;
        }
    }

    /// # Safety
    /// - `out` is valid for `len` writes.
    #[inline(always)]
    unsafe fn store(&self, out: *mut T, len: usize) {
        let vector = self.is_vectorable(out.addr(), len);
        let mut row = 0;
        while row < ROWS {
            let at = self.first + row * Self::ROW;
            if vector {
                // SAFETY: aligned, and below the length.
                unsafe { T::store(out.add(at), self.packs[row]) }
            } else {
                for (j, &value) in self.packs[row].as_ref().iter().enumerate() {
                    if at + j < len {
                        // SAFETY: just compared.
                        unsafe { out.add(at + j).write(value) }
                    }
                }
            }
            row += 1;
        }
    }
}

#[inline(always)]
unsafe fn scan<T: Words, const INCLUSIVE: bool>(
    input: &[T],
    out: *mut T,
    state: *mut u64,
    slots: *mut T,
    tile_slot: *mut u32,
) where
    Sum: ReduxOp<T>,
{
    // SAFETY: here and below the whole block takes part in every collective; `state` and the
    // shared arrays are what the kernels' contract and declarations say.
    let look_back = unsafe { LookBack::begin(state, tile_slot) };
    let mut strip = Strip::<T>::new(look_back.tile);
    strip.load(input);

    // Inside the warp: each pack becomes its inclusive prefixes, `before[row]` what precedes it.
    // Row by row in so many words: a loop would put the packs into local memory.
    let mut total = Sum::IDENTITY;
    // SAFETY: see above.
    let before = unsafe {
        [
            scan_row(&mut strip.packs[0], &mut total),
            scan_row(&mut strip.packs[1], &mut total),
            scan_row(&mut strip.packs[2], &mut total),
            scan_row(&mut strip.packs[3], &mut total),
        ]
    };

    // SAFETY: see above.
    let start = unsafe { block_prefix(look_back, total, slots) };
    finish_row::<T, INCLUSIVE>(&mut strip.packs[0], Sum::combine(start, before[0]));
    finish_row::<T, INCLUSIVE>(&mut strip.packs[1], Sum::combine(start, before[1]));
    finish_row::<T, INCLUSIVE>(&mut strip.packs[2], Sum::combine(start, before[2]));
    finish_row::<T, INCLUSIVE>(&mut strip.packs[3], Sum::combine(start, before[3]));
    // SAFETY: `out` is as long as the input by the kernels' contract.
    unsafe { strip.store(out, input.len()) }
}

/// Adds up inside each pack of a row and across the warp. Gives what precedes this lane's pack in
/// the warp, and moves `total` on by the row.
///
/// # Safety
/// - Every lane of the warp calls this together.
#[inline(always)]
unsafe fn scan_row<T: Element>(pack: &mut T::Pack, total: &mut T) -> T
where
    Sum: Op<T>,
{
    let pack = pack.as_mut();
    let mut j = 1;
    while j < T::PER_PACK {
        pack[j] = Sum::combine(pack[j - 1], pack[j]);
        j += 1;
    }
    // SAFETY: the warp is whole by the caller's promise.
    unsafe {
        let sums = inclusive::<T, Sum>(pack[T::PER_PACK - 1]);
        let before = Sum::combine(*total, exclusive_of::<T, Sum>(sums));
        *total = Sum::combine(*total, warp_broadcast(FULL, sums, WARP - 1));
        before
    }
}

/// Puts what precedes a pack before each of its prefixes.
#[inline(always)]
fn finish_row<T: Element, const INCLUSIVE: bool>(pack: &mut T::Pack, base: T)
where
    Sum: Op<T>,
{
    let mut running = base;
    for value in pack.as_mut() {
        let next = Sum::combine(base, *value);
        *value = if INCLUSIVE { next } else { running };
        running = next;
    }
}

/// What precedes this warp in the whole input, from the warp's total.
#[inline(always)]
unsafe fn block_prefix<T: Words>(look_back: LookBack, total: T, slots: *mut T) -> T
where
    Sum: ReduxOp<T>,
{
    let t = thread::thread_idx_x();
    let (lane, warp) = (t % WARP, (t / WARP) as usize);
    // SAFETY: a slot per warp, with a barrier between writes and reads; warp 0 is whole.
    unsafe {
        if lane == 0 {
            slots.add(warp).write(total);
        }
        thread::sync_threads();
        if warp == 0 {
            let mine = if lane < WARPS {
                slots.add(lane as usize).read()
            } else {
                Sum::IDENTITY
            };
            let sums = inclusive::<T, Sum>(mine);
            let prefix = look_back.prefix::<T, Sum>(warp_broadcast(FULL, sums, WARP - 1));
            let start = Sum::combine(prefix, exclusive_of::<T, Sum>(sums));
            if lane < WARPS {
                slots.add(lane as usize).write(start);
            }
            if lane == 0 {
                look_back.end();
            }
        }
        thread::sync_threads();
        slots.add(warp).read()
    }
}

macro_rules! scan_kernels {
    ($($t:ident, $inclusive:literal => $name:ident;)*) => {$(
        #[doc = concat!("Prefix sums of `", stringify!($t), "` values; see the module.")]
        ///
        /// # Safety
        /// - `out` is as long as the input.
        /// - `state` has [`crate::look_back::state_len`] words for the grid's tiles, was zeroed
        ///   once, and is used by one launch at a time.
        #[kernel(block = BLOCK)]
        pub unsafe fn $name(input: &[$t], out: *mut $t, state: *mut u64) {
            let slots = shared_array![$t; WARPS as usize];
            let tile_slot = shared_array![u32; 2];
            // SAFETY: the caller's promise, and shared arrays of the sizes wanted.
            unsafe { scan::<$t, $inclusive>(input, out, state, slots, tile_slot) }
        }
    )*};
}

scan_kernels! {
    i32, true => scan_inclusive_i32;
    i32, false => scan_exclusive_i32;
    u32, true => scan_inclusive_u32;
    u32, false => scan_exclusive_u32;
    i64, true => scan_inclusive_i64;
    i64, false => scan_exclusive_i64;
    u64, true => scan_inclusive_u64;
    u64, false => scan_exclusive_u64;
    f32, true => scan_inclusive_f32;
    f32, false => scan_exclusive_f32;
    f64, true => scan_inclusive_f64;
    f64, false => scan_exclusive_f64;
}
