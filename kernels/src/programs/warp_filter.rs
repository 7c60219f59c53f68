//! Filtering inside a warp: the ballot counts, the bits below the lane give the place.
//!
//! **Problem.** The positive elements of each warp, moved to the front of the warp's 32 places in
//! their order, and their number. (The whole input in one piece: [`crate::compact`].)
//! **Launch.** [`BLOCK`] threads, one element each.
//! **Lanes.** With −1, 5, −2, 7 in lanes 0…3: the ballot is 0b1010; lane 1 has no set bit below it and
//! writes place 0, lane 3 has one and writes place 1; the count is 2.
//! **Preconditions.** `out` holds zeros, which stay in the places that are not taken.
//! **Expected PTX.** `vote.sync.ballot`, `popc.b32` of `%lanemask_lt & ballot`.
//! **Cost.** One vote; no shared memory, no barrier, no atomic.

use cuda_std::prelude::*;
use cuda_std::warp::warp_vote_ballot;

use crate::index;
use crate::warp_level::{FULL, WARP};

/// Threads in a block.
pub const BLOCK: u32 = 256;

/// Keeps the positive elements.
///
/// # Safety
/// - `out` is as long as the input and holds zeros; `counts` holds a value per warp.
#[kernel(block = BLOCK)]
pub unsafe fn warp_filter_i32(input: &[i32], out: *mut i32, counts: *mut u32) {
    let i = index::global();
    let value = input.get(i).copied().unwrap_or(0);
    let kept = value > 0;
    // SAFETY: no lane left the warp.
    let ballot = unsafe { warp_vote_ballot(FULL, kept) };
    let start = i / WARP as usize * WARP as usize;
    if kept {
        let place = (ballot & warp::lanemask_lt()).count_ones() as usize;
        // SAFETY: the place is at most this lane's own.
        unsafe { out.add(start + place).write(value) }
    }
    if i == start && i < input.len() {
        // SAFETY: a slot per warp by the contract.
        unsafe { counts.add(i / WARP as usize).write(ballot.count_ones()) }
    }
}
