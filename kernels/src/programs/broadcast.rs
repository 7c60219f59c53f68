//! Broadcast: every lane of a warp gets one lane's value.
//!
//! **Problem.** `out[i]` is the value of lane `source` of the warp of element *i*.
//! **Launch.** [`BLOCK`] threads, one element each; lanes past the end hold 0.
//! **Lanes.** Before: lane *l* of warp *w* holds `input[32·w + l]`. After: all 32 hold `input[32·w + source]`.
//! With `input[i]` = *i* and source 3: 3 in warp 0, 35 in warp 1.
//! **Preconditions.** `source` < 32.
//! **Expected PTX.** One `shfl.sync.idx`.
//! **Cost.** 1 step.

use cuda_std::prelude::*;

use crate::index;
use crate::warp_level::FULL;

/// Threads in a block.
pub const BLOCK: u32 = 128;

/// Every lane writes the value of lane `source`.
///
/// # Safety
/// - `out` is as long as the input, and `source` is below 32.
#[kernel(block = BLOCK)]
pub unsafe fn warp_broadcast_f32(input: &[f32], source: u32, out: *mut f32) {
    let i = index::global();
    let mine = input.get(i).copied().unwrap_or(0.0);
    // SAFETY: no lane left the warp.
    let value = unsafe { warp::warp_broadcast(FULL, mine, source) };
    if i < input.len() {
        // SAFETY: a slot per element by the contract.
        unsafe { out.add(i).write(value) }
    }
}
