//! Decoupled look-back: how a block learns the sum of everything before it while the blocks before
//! it are still at work (D. Merrill and M. Garland, *Single-pass Parallel Prefix Scan with
//! Decoupled Look-back*, NVIDIA NVR-2016-002).
//!
//! Each tile first publishes its own total, then walks back over its predecessors, 32 at a time: as
//! soon as one of them has published its prefix, the totals in between complete this tile's own
//! prefix, which it publishes in turn.
//!
//! The state is an array of `u64` in global memory, zeroed once: [`HEADER`] words, then [`words`]
//! of them per tile. Each word holds 32 bits of a value beside the launch's number and what kind of
//! value it is, so that a word is complete or not there at all and needs no fence; an 8-byte value
//! goes in two words, which belong together when their tags are equal. The launch's number makes
//! the words of earlier launches invisible; nothing has to be cleared in between.
//!
//! Blocks take their tile from a counter, not from their number: so the tiles before it have all
//! been begun, whatever the order in which the device starts its blocks.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;
use cuda_std::thread;
use cuda_std::warp::{lane_id, warp_vote_ballot};

use crate::element::Element;
use crate::index;
use crate::warp_level::{FULL, ReduxOp, WARP};

/// Words before the tiles' own: the tile counter, the counter of finished blocks, the launches.
pub const HEADER: usize = 3;

/// Words of state per tile for values of so many bytes.
pub const fn words(value_size: usize) -> usize {
    value_size.div_ceil(4)
}

/// Words of state for so many tiles.
pub const fn state_len(tiles: usize, value_size: usize) -> usize {
    HEADER + tiles * words(value_size)
}

/// A tile's total is there.
const TOTAL: u32 = 1;
/// A tile's inclusive prefix is there.
const PREFIX: u32 = 2;

/// A value as one or two 32-bit words.
pub trait Words: Element {
    /// The low word, and the high one (0 for 4-byte types).
    fn split(self) -> [u32; 2];
    /// Back again.
    fn join(words: [u32; 2]) -> Self;
}

macro_rules! words_of_4_bytes {
    ($($t:ident: $to:expr, $from:expr);*) => {$(
        impl Words for $t {
            #[inline(always)]
            fn split(self) -> [u32; 2] { [$to(self), 0] }
            #[inline(always)]
            fn join(words: [u32; 2]) -> Self { $from(words[0]) }
        }
    )*};
}
macro_rules! words_of_8_bytes {
    ($($t:ident: $to:expr, $from:expr);*) => {$(
        impl Words for $t {
            #[inline(always)]
            fn split(self) -> [u32; 2] {
                let bits: u64 = $to(self);
                [bits as u32, (bits >> 32) as u32]
            }
            #[inline(always)]
            fn join(words: [u32; 2]) -> Self {
                $from(u64::from(words[0]) | (u64::from(words[1]) << 32))
            }
        }
    )*};
}
words_of_4_bytes!(u32: |x| x, |x| x; i32: |x| x as u32, |x| x as i32; f32: f32::to_bits, f32::from_bits);
words_of_8_bytes!(u64: |x| x, |x| x; i64: |x| x as u64, |x| x as i64; f64: f64::to_bits, f64::from_bits);

/// One block's part in the look-back.
#[derive(Clone, Copy)]
pub(crate) struct LookBack {
    state: *mut u64,
    launch: u32,
    /// The tile that this block works on.
    pub(crate) tile: usize,
}

impl LookBack {
    /// Takes a tile. Every thread of the block gets the same answer, through `slot`.
    ///
    /// # Safety
    /// - The whole block calls this together.
    /// - `state` is valid for a word per header and tile; `slot` is shared memory for two values.
    #[inline(always)]
    pub(crate) unsafe fn begin(state: *mut u64, slot: *mut u32) -> Self {
        // SAFETY: valid and shared atomically by the caller's promise; the barrier is reached by
        // the whole block.
        unsafe {
            if index::in_block() == 0 {
                slot.write(AtomicU64::from_ptr(state).fetch_add(1, Relaxed) as u32);
                slot.add(1)
                    .write(AtomicU64::from_ptr(state.add(2)).load(Relaxed) as u32);
            }
            thread::sync_threads();
            Self {
                state,
                launch: slot.add(1).read(),
                tile: slot.read() as usize,
            }
        }
    }

    /// Counts this block as done; the last one prepares the state for the next launch.
    ///
    /// # Safety
    /// - One thread of each block calls this once, after its last look at the state.
    #[inline(always)]
    pub(crate) unsafe fn end(self) {
        let all = u64::from(thread::grid_dim_x() - 1);
        // SAFETY: valid and shared atomically by the promise to `begin`. The blocks before have
        // all taken their tiles and read the launch's number.
        unsafe {
            if AtomicU64::from_ptr(self.state.add(1)).fetch_add(1, Relaxed) == all {
                AtomicU64::from_ptr(self.state).store(0, Relaxed);
                AtomicU64::from_ptr(self.state.add(1)).store(0, Relaxed);
                AtomicU64::from_ptr(self.state.add(2)).store(u64::from(self.launch) + 1, Relaxed);
            }
        }
    }

    #[inline(always)]
    fn tag(self, kind: u32) -> u32 {
        (self.launch << 2) | kind
    }

    #[inline(always)]
    unsafe fn word<T>(self, tile: usize, which: usize) -> &'static AtomicU64 {
        // SAFETY: inside the state by the promise to `begin`.
        unsafe {
            AtomicU64::from_ptr(
                self.state
                    .add(HEADER + tile * words(size_of::<T>()) + which),
            )
        }
    }

    #[inline(always)]
    unsafe fn publish<T: Words>(self, kind: u32, value: T) {
        let halves = value.split();
        let mut which = 0;
        while which < words(size_of::<T>()) {
            let word = (u64::from(self.tag(kind)) << 32) | u64::from(halves[which]);
            // SAFETY: this tile's own words.
            unsafe { self.word::<T>(self.tile, which) }.store(word, Relaxed);
            which += 1;
        }
    }

    /// The kind of what a tile has published (0: nothing, or not all of it yet), and the value.
    #[inline(always)]
    unsafe fn look<T: Words>(self, tile: usize) -> (u32, T) {
        // SAFETY: inside the state by the promise to `begin`.
        let first = unsafe { self.word::<T>(tile, 0) }.load(Relaxed);
        let mut second = first & !u64::from(u32::MAX);
        if words(size_of::<T>()) == 2 {
            // SAFETY: as above.
            second = unsafe { self.word::<T>(tile, 1) }.load(Relaxed);
        }
        let tag = (first >> 32) as u32;
        let whole = tag == (second >> 32) as u32 && tag >> 2 == self.launch & (u32::MAX >> 2);
        (
            if whole { tag & 3 } else { 0 },
            T::join([first as u32, second as u32]),
        )
    }

    /// The prefix of this tile, in every lane of the warp that calls, from its total.
    ///
    /// # Safety
    /// - One whole warp of the block calls this together, with the same total.
    #[inline(always)]
    pub(crate) unsafe fn prefix<T: Words, O: ReduxOp<T>>(self, total: T) -> T {
        let lane = lane_id();
        let mut prefix = O::IDENTITY;
        // SAFETY: the warp is whole, and no lane leaves the loops before the others.
        unsafe {
            if self.tile > 0 {
                if lane == 0 {
                    self.publish(TOTAL, total);
                }
                let mut end = self.tile;
                loop {
                    let (sum, done) = self.window::<T, O>(end);
                    prefix = O::combine(sum, prefix);
                    if done {
                        break;
                    }
                    end -= WARP as usize;
                }
            }
            if lane == 0 {
                self.publish(PREFIX, O::combine(prefix, total));
            }
        }
        prefix
    }

    /// What the 32 tiles before `end` contribute, and whether one of them knew its prefix. Lane 0
    /// looks at the nearest; there are always enough, or tile 0, whose total is its prefix, is
    /// among them.
    #[inline(always)]
    unsafe fn window<T: Words, O: ReduxOp<T>>(self, end: usize) -> (T, bool) {
        let back = lane_id() as usize + 1;
        // SAFETY: the promise of `prefix`.
        unsafe {
            // Nothing beyond the nearest prefix matters; up to it every tile must have spoken.
            let (value, nearest) = loop {
                let (kind, value) = if back <= end {
                    self.look::<T>(end - back)
                } else {
                    (PREFIX, O::IDENTITY)
                };
                let silent = warp_vote_ballot(FULL, kind == 0).trailing_zeros();
                let nearest = warp_vote_ballot(FULL, kind == PREFIX).trailing_zeros();
                if silent >= nearest {
                    break (value, nearest);
                }
            };
            let counts = lane_id() <= nearest;
            let sum = O::redux(if counts { value } else { O::IDENTITY });
            (sum, nearest < WARP)
        }
    }
}
