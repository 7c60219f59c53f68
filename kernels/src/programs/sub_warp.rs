//! The `width` argument: a warp as four groups of eight lanes, each summing for itself.
//!
//! **Problem.** The sum of every 8 elements.
//! **Launch.** [`BLOCK`] threads, one element each; lanes past the end hold 0.
//! **Lanes.** Before: lane *l* holds element *l*. After: lanes 0, 8, 16 and 24 hold the sums of their
//! groups and write them; with `input[i]` = *i*: 28, 92, 156, 220.
//! **Expected PTX.** Three `shfl.sync.down` whose last operand is 0x181f: segment mask 24, clamp 31.
//! **Cost.** 3 steps for four sums.

use cuda_std::prelude::*;
use cuda_std::warp::warp_shuffle_down;

use crate::index;
use crate::warp_level::FULL;

/// Threads in a block.
pub const BLOCK: u32 = 128;
/// Lanes in a group.
pub const WIDTH: u32 = 8;

/// The first lane of each group writes the group's sum.
///
/// # Safety
/// - `out` holds a value per group of eight elements.
#[kernel(block = BLOCK)]
pub unsafe fn sub_warp_sum_f32(input: &[f32], out: *mut f32) {
    let i = index::global();
    let mut value = input.get(i).copied().unwrap_or(0.0);
    let mut offset = WIDTH / 2;
    while offset > 0 {
        // SAFETY: no lane left the warp.
        value += unsafe { warp_shuffle_down(FULL, value, offset, WIDTH) }.0;
        offset /= 2;
    }
    if i.is_multiple_of(WIDTH as usize) && i < input.len() {
        // SAFETY: a slot per group by the contract.
        unsafe { out.add(i / WIDTH as usize).write(value) }
    }
}
