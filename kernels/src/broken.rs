//! Kernels that are wrong on purpose, so that a check can be seen to catch them.
//!
//! Never part of "all cases"; each is run only by its name.
//!
//! - [`broken_warp_sum_wrong_mode`]: `warp_sum_i32_down` with `shfl.up` where `shfl.down` is meant. Lane
//!   0 has no lane below it, keeps its own value in every step, and ends with 32 times that. Right
//!   only for a warp whose sum is 32 times its first element.
//! - [`broken_warp_sum_narrow`]: the tree starts at offset 8 instead of 16: right for the warps whose
//!   upper half is zero, which a test on small or constant input may well have.

use cuda_std::warp::{warp_shuffle_down, warp_shuffle_up};

use crate::index;
use crate::op::Sum;
use crate::reduce::load_or_identity;
use crate::warp_level::{FULL, WARP};

/// Threads in a block.
pub const BLOCK: u32 = 256;

/// Wrong on purpose: shuffles up.
///
/// # Safety
/// - `out` holds a value per warp of the input.
#[cuda_std::kernel(block = BLOCK)]
pub unsafe fn broken_warp_sum_wrong_mode(input: &[i32], out: *mut i32) {
    let i = index::global();
    let mut value = load_or_identity::<i32, Sum>(input, i);
    let mut offset = WARP / 2;
    while offset > 0 {
        // SAFETY: no lane left the warp.
        let (other, _) = unsafe { warp_shuffle_up(FULL, value, offset, WARP) };
        value = value.wrapping_add(other);
        offset /= 2;
    }
    write_warp(input, out, value);
}

/// Wrong on purpose: forgets the upper half of the warp.
///
/// # Safety
/// - `out` holds a value per warp of the input.
#[cuda_std::kernel(block = BLOCK)]
pub unsafe fn broken_warp_sum_narrow(input: &[i32], out: *mut i32) {
    let i = index::global();
    let mut value = load_or_identity::<i32, Sum>(input, i);
    let mut offset = WARP / 4;
    while offset > 0 {
        // SAFETY: no lane left the warp.
        let (other, _) = unsafe { warp_shuffle_down(FULL, value, offset, WARP) };
        value = value.wrapping_add(other);
        offset /= 2;
    }
    write_warp(input, out, value);
}

#[inline(always)]
fn write_warp(input: &[i32], out: *mut i32, value: i32) {
    let i = index::global();
    if i.is_multiple_of(WARP as usize) && i < input.len() {
        // SAFETY: a slot per warp by the kernels' contract.
        unsafe { out.add(i / WARP as usize).write(value) }
    }
}
