//! Printing from the device: `warpSize` from eight threads, and two arms of a branch.
//!
//! **Problem.** What every thread knows about itself.
//! **Launch.** [`hello_warp_size`]: 2 blocks of 4 threads, so eight lines `warpSize=32`.
//! [`hello_two_arms`]: 1 block of 9 threads; the lines of one arm come together, since the arms of
//! a warp run one after the other.
//! **Lanes.** After: `out[i]` = 32; or `out[i]` = *i* + 1, negated in the arm above 8.
//! **Expected PTX.** A call of `vprintf` per `println!`.
//! **Cost.** One warp a block, of which 4 or 9 lanes are used.

use cuda_std::prelude::*;

use crate::index;

/// The launch of [`hello_warp_size`]: blocks and threads.
pub const WARP_SIZE_LAUNCH: (u32, u32) = (2, 4);
/// The launch of [`hello_two_arms`]: blocks and threads.
pub const TWO_ARMS_LAUNCH: (u32, u32) = (1, 9);
/// The last number of the first arm.
pub const FIRST_ARM: u32 = 8;

/// Every thread prints and writes the size of a warp.
///
/// # Safety
/// - `out` holds a value per thread.
#[kernel]
pub unsafe fn hello_warp_size(out: *mut u32) {
    println!("warpSize={}", thread::warp_size());
    // SAFETY: a slot per thread by the contract.
    unsafe { out.add(index::global()).write(thread::warp_size()) }
}

/// The threads up to number 8 take one arm, the ninth the other.
///
/// # Safety
/// - `out` holds a value per thread.
#[kernel]
pub unsafe fn hello_two_arms(out: *mut i32) {
    let number = thread::thread_idx_x() + 1;
    let value = if number <= FIRST_ARM {
        println!("id<=8 id={}", number);
        number as i32
    } else {
        println!("id> 8 id={}", number);
        -(number as i32)
    };
    // SAFETY: a slot per thread by the contract.
    unsafe { out.add(index::global()).write(value) }
}
