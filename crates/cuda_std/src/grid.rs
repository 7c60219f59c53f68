//! Between the blocks of a grid: who is last, what the blocks before have found, and a barrier.

use core::sync::atomic::Ordering;

use crate::atomic::{AtomicU32, AtomicU64, Scope, fence};
use crate::block;
use crate::group::Group;
use crate::ops::ReduceOp;
use crate::thread;
use crate::tile::Tile;
use crate::warp::{self, FULL_MASK, Pod};

/// Whether this block is the last of the grid to come here. **Every thread of the block has the
/// answer.** What other blocks wrote to global memory before is visible to the last one.
///
/// `ticket` starts at 0 and is 0 again when the kernel ends, ready for the next launch.
///
/// PTX: `bar.sync`; in thread 0 `fence.acq_rel.gpu`, `atom.inc`, `fence.acq_rel.gpu`; a broadcast
/// through shared memory. sm_70.
///
/// ```
/// use cuda_std::atomic::AtomicU32;
/// use cuda_std::prelude::*;
/// use cuda_std::{grid, ops};
///
/// /// The sum of everything, in one launch.
/// ///
/// /// # Safety
/// /// - `x` has one element per thread, `partial` one per block; `ticket` is 0.
/// #[kernel]
/// pub unsafe fn sum(x: &[f32], partial: *mut f32, ticket: &AtomicU32, out: *mut f32) {
///     // SAFETY: whole blocks take part; the last block reads partials after their writers' fences.
///     unsafe {
///         let sum = block::reduce(x[thread::index_1d() as usize], ops::Add);
///         if thread::thread_idx_x() == 0 {
///             *partial.add(thread::block_idx_x() as usize) = sum;
///         }
///         if grid::last_block(ticket) {
///             let mut total = 0.0;
///             let mut i = thread::thread_idx_x();
///             while i < thread::grid_dim_x() {
///                 total += *partial.add(i as usize);
///                 i += thread::block_dim_x();
///             }
///             let total = block::reduce(total, ops::Add);
///             if thread::thread_idx_x() == 0 {
///                 *out = total;
///             }
///         }
///     }
/// }
/// ```
///
/// # Safety
/// - Every thread of every block makes this call once, with the same `ticket`; none has exited.
/// - `ticket` is in global memory and used for nothing else meanwhile.
#[inline(always)]
pub unsafe fn last_block(ticket: &AtomicU32) -> bool {
    // What the other threads of the block wrote is ordered before thread 0's fence.
    thread::sync_threads();
    let mut last = 0;
    if thread::thread_rank() == 0 {
        fence(Ordering::AcqRel, Scope::Device);
        let blocks = thread::grid_size();
        // SAFETY: the caller's duty.
        let arrived = unsafe { increment_wrapping(ticket, blocks - 1) };
        fence(Ordering::AcqRel, Scope::Device);
        last = u32::from(arrived == blocks - 1);
    }
    // SAFETY: the whole block is here.
    unsafe { block::broadcast(last, 0) != 0 }
}

/// Adds 1, or goes back to 0 from `most`; returns the old value. PTX `atom.inc.u32`, relaxed,
/// device scope.
///
/// # Safety
/// - None: `unsafe` because its PTX is inline.
#[inline(always)]
unsafe fn increment_wrapping(counter: &AtomicU32, most: u32) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    {
        let old: u32;
        // SAFETY: the reference is valid and aligned.
        unsafe {
            core::arch::asm!(
                "atom.relaxed.gpu.inc.u32 {o}, [{p}], {m};",
                o = lateout(reg32) old, p = in(reg64) counter.as_ptr(), m = in(reg32) most, options(nostack)
            );
        }
        old
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let _ = (counter, most);
        crate::device_only()
    }
}

/// Waits until every block of the grid is here; what any thread wrote to global memory before is
/// visible to all threads after.
///
/// Needs a *cooperative launch*: all blocks resident at once. In an ordinary launch that is larger
/// than the device it never returns. Every kernel of a module shares one barrier word, so at most
/// one such kernel of a module may run at a time.
///
/// PTX: `bar.sync`; in thread 0 `fence.acq_rel.gpu`, `atom.add`, a loop of `ld.relaxed.gpu`,
/// `fence.acq_rel.gpu`; `bar.sync`. sm_70.
///
/// ```
/// # use cuda_std::grid;
/// # unsafe fn example(written: *mut u32) {
/// # unsafe {
/// // Nobody reads what another block has not yet written.
/// written.write(1);
/// grid::grid_sync();
/// let all = written.read();
/// # let _ = all;
/// # }
/// # }
/// ```
///
/// # Safety
/// - Every thread of every block makes this call, as often as any other; none has exited.
/// - The launch is cooperative.
#[inline(always)]
pub unsafe fn grid_sync() {
    static BARRIER: AtomicU32 = AtomicU32::new(0);
    const PHASE: u32 = 1 << 31;
    thread::sync_threads();
    if thread::thread_rank() == 0 {
        fence(Ordering::AcqRel, Scope::Device);
        // All other blocks add 1, block 0 what is missing to flip the top bit: the low bits are 0
        // again when all have come.
        let arrival = if thread::block_rank() == 0 {
            PHASE - (thread::grid_size() - 1)
        } else {
            1
        };
        let before = BARRIER.fetch_add(arrival, Ordering::Relaxed);
        while (BARRIER.load(Ordering::Relaxed) ^ before) & PHASE == 0 {}
        fence(Ordering::AcqRel, Scope::Device);
    }
    thread::sync_threads();
}

/// The state of a single-pass scan by decoupled look-back: one word per tile, which says what is
/// known of it so far.
///
/// A block takes the next tile with [`next_tile`], reduces it, publishes the aggregate, looks back
/// over the tiles before it until it meets one whose whole prefix is known, and publishes its own
/// prefix. 4-byte values travel in the same 8-byte word as their status, so that no fence is
/// needed.
#[derive(Clone, Copy, Debug)]
pub struct LookBack<'a> {
    words: &'a [AtomicU64],
}

/// What a tile's word says in its high half; 0 is "nothing yet".
const AGGREGATE: u64 = 1 << 32;
const PREFIX: u64 = 2 << 32;

/// The number of the next tile, in the order in which blocks start, so that a block never waits
/// for one that has not started. **Every thread of the block has it.**
///
/// ```
/// # use cuda_std::grid;
/// # unsafe fn example(counter: &cuda_std::atomic::AtomicU32) {
/// # unsafe {
/// let tile = grid::next_tile(counter);
/// # let _ = tile;
/// # }
/// # }
/// ```
///
/// # Safety
/// - Every thread of the block makes this call; `counter` starts at 0.
#[inline(always)]
pub unsafe fn next_tile(counter: &AtomicU32) -> u32 {
    let mut tile = 0;
    if thread::thread_rank() == 0 {
        tile = counter.fetch_add(1, Ordering::Relaxed);
    }
    // SAFETY: the whole block is here.
    unsafe { block::broadcast(tile, 0) }
}

impl<'a> LookBack<'a> {
    /// A scan over as many tiles as there are words. All words are 0 when the kernel starts.
    #[inline(always)]
    pub const fn new(words: &'a [AtomicU64]) -> Self {
        Self { words }
    }

    /// Publishes `aggregate`, the reduction of tile `tile`, and returns the reduction of all tiles
    /// before it; none for tile 0. **Every lane of the calling warp has the result.**
    ///
    /// Looks at 32 tiles at a time. PTX: `st.relaxed.gpu`, `ld.relaxed.gpu`, votes and shuffles.
    ///
    /// # Safety
    /// - One full warp of the block that owns `tile` makes this call, once, with the same
    ///   arguments in all lanes; all tiles before are owned by blocks that have started.
    /// - `tile` is below the number of words.
    #[inline(always)]
    pub unsafe fn exclusive_prefix<T: Pod, O: ReduceOp<T>>(
        self,
        tile: u32,
        aggregate: T,
        op: O,
    ) -> Option<T> {
        const { assert!(size_of::<T>() == 4, "look-back carries 4-byte values") };
        let lane = warp::lane_id();
        if tile == 0 {
            self.publish(lane, tile, PREFIX, aggregate);
            return None;
        }
        self.publish(lane, tile, AGGREGATE, aggregate);
        // SAFETY: the whole warp is here.
        let prefix = unsafe { self.look_back(tile, lane, op) };
        self.publish(lane, tile, PREFIX, op.combine(prefix, aggregate));
        Some(prefix)
    }

    #[inline(always)]
    fn publish<T: Pod>(self, lane: u32, tile: u32, status: u64, value: T) {
        if lane == 0 {
            // SAFETY: T has 4 bytes, all initialised; the tile is in bounds by exclusive_prefix.
            unsafe {
                let bits: u32 = core::mem::transmute_copy(&value);
                self.words
                    .get_unchecked(tile as usize)
                    .store(status | u64::from(bits), Ordering::Relaxed);
            }
        }
    }

    /// The reduction of tiles 0…tile−1.
    ///
    /// # Safety
    /// - As [`Self::exclusive_prefix`]; `tile` is not 0.
    #[inline(always)]
    unsafe fn look_back<T: Pod, O: ReduceOp<T>>(self, tile: u32, lane: u32, op: O) -> T {
        // SAFETY: the whole warp is here for good.
        let warp_tile = unsafe { Tile::<32>::new() };
        // Lane 31 looks at the tile just before, lane 0 at the one 32 before.
        let mut end = tile;
        let mut found: Option<T> = None;
        loop {
            let distance = 32 - lane;
            let there = distance <= end;
            // SAFETY: the whole warp is here; the index is in bounds where the lane looks.
            let (window, complete, first) =
                unsafe { self.window(there, end.wrapping_sub(distance)) };
            // Lanes before the last complete prefix do not count: the segment starts there.
            let counted = if complete == 0 {
                first
            } else {
                31 - complete.leading_zeros()
            };
            let total = warp_tile.shuffle(
                warp_tile.scan_back(window, lane - counted.min(lane), op),
                31,
            );
            found = Some(match found {
                Some(later) => op.combine(total, later),
                None => total,
            });
            if complete != 0 {
                // `found` is Some by the line above.
                return found.unwrap_or(total);
            }
            end -= 32;
        }
    }

    /// The values of 32 tiles, when all of them that matter are there: those from the last
    /// complete prefix on. Also the lanes with a complete prefix, and the first lane that looks.
    ///
    /// # Safety
    /// - As [`Self::look_back`]; `index` is in bounds where `there` holds.
    #[inline(always)]
    unsafe fn window<T: Pod>(self, there: bool, index: u32) -> (T, u32, u32) {
        loop {
            // Tiles that do not exist never hold the search up: tile 0 is complete and comes after.
            let mut word = AGGREGATE;
            // SAFETY: the caller's duty; all 32 lanes vote.
            unsafe {
                if there {
                    word = self
                        .words
                        .get_unchecked(index as usize)
                        .load(Ordering::Relaxed);
                }
                let complete = warp::warp_vote_ballot(FULL_MASK, there && word & PREFIX != 0);
                let missing = warp::warp_vote_ballot(FULL_MASK, word >> 32 == 0);
                let looks = warp::warp_vote_ballot(FULL_MASK, there);
                let needed = if complete == 0 {
                    u32::MAX
                } else {
                    u32::MAX << (31 - complete.leading_zeros())
                };
                if missing & needed == 0 {
                    let value = core::mem::transmute_copy::<u32, T>(&(word as u32));
                    return (value, complete, looks.trailing_zeros());
                }
            }
        }
    }
}
