//! Compaction of the whole input in a single pass, order kept.
//!
//! **Problem.** The elements above `threshold`, one after the other in `out`, and their number in
//! `count[0]`.
//! **Launch.** [`BLOCK`] threads; one block per tile of [`TILE`] elements, taken in the order of a counter.
//! **Lanes.** Each thread holds four packs of four elements, its warp's rows of 128 in a row. Four
//! ballots a row tell each lane how many are kept before its own: those of the lower lanes, from
//! all four, and its own earlier ones. The warps' counts meet in shared memory, warp 0 looks back
//! ([`crate::look_back`]); the kept elements go to shared memory in order, and from there to `out` in
//! runs of consecutive addresses.
//! **Preconditions.** `state` was zeroed once; `out` has room for the whole input. NaN is above nothing.
//! **Expected PTX.** Sixteen `vote.sync.ballot`, `ld.shared`/`st.shared`, 16-byte loads.
//! **Cost.** n elements read, the kept ones written; 4 barriers, 16 KiB of shared memory.

use cuda_std::prelude::*;
use cuda_std::warp::{warp_broadcast, warp_vote_ballot};

use crate::element::{Element, PACK_BYTES};
use crate::index;
use crate::look_back::LookBack;
use crate::op::Sum;
use crate::warp_level::{FULL, WARP};
use crate::warp_scan::{exclusive_of, inclusive};

/// Threads in a block.
pub const BLOCK: u32 = 256;
const WARPS: u32 = BLOCK / WARP;
const ROWS: usize = 4;
const PACK: usize = 4;
const ROW: usize = WARP as usize * PACK;

/// Elements of a tile.
pub const TILE: usize = BLOCK as usize * ROWS * PACK;

/// Blocks to launch: at least one.
pub const fn grid(len: u64) -> u32 {
    let tiles = len.div_ceil(TILE as u64);
    if tiles == 0 { 1 } else { tiles as u32 }
}

/// A 4-byte element type.
trait Comparable: Element<Pack = [Self; PACK]> + PartialOrd {}
impl Comparable for i32 {}
impl Comparable for u32 {}
impl Comparable for f32 {}

/// One row: the lane's pack, and a bit for each of its elements that exists and is kept. All rows
/// are handled in so many words: a loop would put the packs into local memory.
#[derive(Clone, Copy)]
struct Row<T> {
    pack: [T; PACK],
    kept: u32,
    /// How many elements the warp keeps before this lane's, from row 0 on.
    before: u32,
}

/// A row that begins, for this lane, at `at`.
#[inline(always)]
fn load<T: Comparable>(input: &[T], at: usize, vector: bool, threshold: T) -> Row<T> {
    let mut pack = T::EMPTY;
    let mut exist = PACK;
    if vector {
        // SAFETY: aligned, and inside the input.
        pack = unsafe { T::load(input.as_ptr().add(at)) };
    } else {
        exist = 0;
        for (j, slot) in pack.iter_mut().enumerate() {
            if let Some(&value) = input.get(at + j) {
                *slot = value;
                exist += 1;
            }
        }
    }
    let mut kept = 0;
    for (j, &value) in pack.iter().enumerate() {
        kept |= u32::from(j < exist && value > threshold) << j;
    }
    Row {
        pack,
        kept,
        before: 0,
    }
}

/// Completes `before`, and moves `total` on by what the warp keeps of the row.
///
/// # Safety
/// - Every lane of the warp calls this together.
#[inline(always)]
unsafe fn rank<T>(row: &mut Row<T>, total: &mut u32) {
    row.before = *total;
    let mut j = 0;
    while j < PACK {
        // SAFETY: all 32 lanes are here by the caller's promise.
        let ballot = unsafe { warp_vote_ballot(FULL, row.kept >> j & 1 == 1) };
        row.before += (ballot & warp::lanemask_lt()).count_ones();
        *total += ballot.count_ones();
        j += 1;
    }
}

/// Puts what is kept of a row into the tile.
///
/// # Safety
/// - `tile` has room for what the warp keeps from `start` on.
#[inline(always)]
unsafe fn place<T: Comparable>(row: &Row<T>, tile: *mut T, start: u32) {
    let mut place = (start + row.before) as usize;
    for (j, &value) in row.pack.iter().enumerate() {
        if row.kept >> j & 1 == 1 {
            // SAFETY: the caller's promise is the same.
            unsafe { tile.add(place).write(value) }
            place += 1;
        }
    }
}

/// Where the block's and each warp's kept elements begin.
#[derive(Clone, Copy)]
struct Starts {
    /// Of the block, in `out`.
    block: u32,
    /// Of this warp, in the block.
    warp: u32,
    /// How many the block keeps.
    total: u32,
}

/// # Safety
/// - The whole block calls this together; `slots` is shared memory for a value per warp and two.
#[inline(always)]
unsafe fn starts(look_back: LookBack, warp_total: u32, slots: *mut u32) -> Starts {
    let t = thread::thread_idx_x();
    let (lane, warp) = (t % WARP, (t / WARP) as usize);
    // SAFETY: a slot per warp, with a barrier between writes and reads; warp 0 is whole.
    unsafe {
        if lane == 0 {
            slots.add(warp).write(warp_total);
        }
        thread::sync_threads();
        if warp == 0 {
            let mine = if lane < WARPS {
                slots.add(lane as usize).read()
            } else {
                0
            };
            let sums = inclusive::<u32, Sum>(mine);
            let total = warp_broadcast(FULL, sums, WARP - 1);
            let prefix = look_back.prefix::<u32, Sum>(total);
            let start = exclusive_of::<u32, Sum>(sums);
            if lane < WARPS {
                slots.add(lane as usize).write(start);
            }
            if lane == 0 {
                slots.add(WARPS as usize).write(total);
                slots.add(WARPS as usize + 1).write(prefix);
                look_back.end();
            }
        }
        thread::sync_threads();
        Starts {
            block: slots.add(WARPS as usize + 1).read(),
            warp: slots.add(warp).read(),
            total: slots.add(WARPS as usize).read(),
        }
    }
}

#[inline(always)]
unsafe fn compact<T: Comparable>(
    input: &[T],
    threshold: T,
    out: *mut T,
    count: *mut u32,
    state: *mut u64,
    tile: *mut T,
    slots: *mut u32,
) {
    let t = index::in_block();
    // SAFETY: here and below the whole block takes part in every collective; `state` and the
    // shared arrays are what the kernels' contract and declarations say.
    let look_back = unsafe { LookBack::begin(state, slots.add(WARPS as usize + 2)) };
    let (lane, warp) = (t % WARP as usize, t / WARP as usize);
    let start = look_back.tile * TILE + warp * ROWS * ROW;
    let vector =
        start + ROWS * ROW <= input.len() && input.as_ptr().addr().is_multiple_of(PACK_BYTES);
    let first = start + lane * PACK;
    let mut rows = [
        load(input, first, vector, threshold),
        load(input, first + ROW, vector, threshold),
        load(input, first + 2 * ROW, vector, threshold),
        load(input, first + 3 * ROW, vector, threshold),
    ];
    let mut total = 0;
    // SAFETY: see above; a tile keeps at most all of its elements.
    let starts = unsafe {
        rank(&mut rows[0], &mut total);
        rank(&mut rows[1], &mut total);
        rank(&mut rows[2], &mut total);
        rank(&mut rows[3], &mut total);
        let starts = starts(look_back, total, slots);
        place(&rows[0], tile, starts.warp);
        place(&rows[1], tile, starts.warp);
        place(&rows[2], tile, starts.warp);
        place(&rows[3], tile, starts.warp);
        starts
    };
    thread::sync_threads();
    let mut i = t;
    while i < starts.total as usize {
        // SAFETY: written before the barrier; `out` has room for the whole input.
        unsafe { out.add(starts.block as usize + i).write(tile.add(i).read()) }
        i += BLOCK as usize;
    }
    if t == 0 && look_back.tile == thread::grid_dim_x() as usize - 1 {
        // SAFETY: valid by the kernels' contract; the last tile alone writes it.
        unsafe { count.write(starts.block + starts.total) }
    }
}

macro_rules! compact_kernels {
    ($($t:ident => $name:ident;)*) => {$(
        #[doc = concat!("The `", stringify!($t), "` values above the threshold, in order.")]
        ///
        /// # Safety
        /// - `out` has room for the whole input, `count` for one value.
        /// - `state` has [`crate::look_back::state_len`] words for the grid's tiles and 4-byte
        ///   values, was zeroed once, and is used by one launch at a time.
        #[kernel(block = BLOCK)]
        pub unsafe fn $name(
            input: &[$t],
            threshold: $t,
            out: *mut $t,
            count: *mut u32,
            state: *mut u64,
        ) {
            let tile = shared_array![$t; TILE];
            let slots = shared_array![u32; WARPS as usize + 4];
            // SAFETY: the caller's promise, and shared arrays of the sizes wanted.
            unsafe { compact(input, threshold, out, count, state, tile, slots) }
        }
    )*};
}

compact_kernels! {
    i32 => compact_i32;
    u32 => compact_u32;
    f32 => compact_f32;
}
