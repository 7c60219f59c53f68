//! Collectives of a whole block, for every block size from 1 to 1024 threads, of one, two or three
//! dimensions, multiples of 32 or not.
//!
//! All of them work alike: shuffles inside the warps, one slot of shared memory per warp, one
//! barrier in between, and one at the end so that the next collective may use the slots again.
//!
//! Every thread of the block must take part: a call in a branch that only some threads take hangs
//! or hands out wrong values, as with [`crate::thread::sync_threads`].

mod exchange;
mod reduce;
mod scan;

pub use exchange::{
    blocked_to_striped, broadcast, compact, exchange, histogram, striped_to_blocked,
};
pub use reduce::{reduce, reduce_all, reduce_sized};
pub use scan::{exclusive_scan, exclusive_scan_from, exclusive_sum, inclusive_scan};

use crate::thread;

/// Where a thread stands in its block, as the collectives need it.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// Threads in the block.
    pub(crate) size: u32,
    /// This thread's warp.
    pub(crate) warp: u32,
    /// This thread's lane.
    pub(crate) lane: u32,
}

impl Place {
    #[inline(always)]
    pub(crate) fn of_size(size: u32) -> Self {
        let rank = thread::thread_rank();
        Self {
            size,
            warp: rank / 32,
            lane: rank % 32,
        }
    }

    /// For a block whose only dimension is x.
    #[inline(always)]
    pub(crate) fn along_x(size: u32) -> Self {
        let rank = thread::thread_idx_x();
        Self {
            size,
            warp: rank / 32,
            lane: rank % 32,
        }
    }

    /// The number of warps, of which the last may be partial.
    #[inline(always)]
    pub(crate) fn warps(self) -> u32 {
        self.size.div_ceil(32)
    }

    /// The number of threads in this thread's warp.
    #[inline(always)]
    pub(crate) fn lanes(self) -> u32 {
        if self.size.is_multiple_of(32) {
            32
        } else {
            (self.size - self.warp * 32).min(32)
        }
    }
}

/// The mask of lanes 0…count−1; count is 1…32.
#[inline(always)]
pub(crate) const fn first_lanes(count: u32) -> u32 {
    u32::MAX >> (32 - count)
}
