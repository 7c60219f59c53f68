//! The two barriers: of a block, and of some lanes of a warp.
//!
//! **Problem.** Values written to shared memory by one thread and read by another.
//! **Launch.** 1 block of 64 threads: two warps.
//! **Lanes.** [`block_sync_demo`]: thread *t* writes *t* and, after the barrier, reads its neighbour's:
//! `out[t]` = (*t* + 1) mod 64; thread 63 reads what another warp wrote. [`warp_sync_demo`]: in each
//! warp lanes 0…15 alone take a branch, exchange inside it behind `sync_warp(0xffff)`, and
//! `out[t]` = 32·*w* + 15 − *l*; lanes 16…31 write their own number.
//! **Preconditions.** The mask names exactly the lanes of the branch: a full mask would wait for
//! lanes that never come. The article's `__syncwarp()` without a mask names all 32.
//! **Expected PTX.** One `bar.sync`; one `bar.warp.sync` with 65535.
//! **Cost.** 256 shared bytes, one barrier.

use cuda_std::prelude::*;

use crate::warp_level::WARP;

/// Threads in the block.
pub const THREADS: u32 = 64;
/// The lanes that take the branch.
pub const LOWER_HALF: u32 = 0xffff;

/// Every thread reads its neighbour's value.
///
/// # Safety
/// - `out` holds 64 values.
#[kernel(block = THREADS)]
pub unsafe fn block_sync_demo(out: *mut u32) {
    let data = shared_array![u32; THREADS as usize];
    let t = thread::thread_idx_x();
    // SAFETY: a slot per thread; the barrier lies between the writes and the reads.
    unsafe {
        data.add(t as usize).write(t);
        thread::sync_threads();
        let neighbour = data.add(((t + 1) % THREADS) as usize).read();
        if t == 0 {
            println!("block synchronised, data[1] = {}", neighbour);
        }
        out.add(t as usize).write(neighbour);
    }
}

/// Half a warp exchanges inside a branch.
///
/// # Safety
/// - `out` holds 64 values.
#[kernel(block = THREADS)]
pub unsafe fn warp_sync_demo(out: *mut u32) {
    let data = shared_array![u32; THREADS as usize];
    let t = thread::thread_idx_x();
    let lane = t % WARP;
    let mut value = t;
    if lane < WARP / 2 {
        // SAFETY: a slot per thread; lanes 0…15, and only they, come to this barrier.
        unsafe {
            data.add(t as usize).write(t);
            warp::sync_warp(LOWER_HALF);
            value = data.add((t - lane + WARP / 2 - 1 - lane) as usize).read();
        }
        println!("thread {} synchronised inside its warp", t);
    }
    // SAFETY: a slot per thread by the contract.
    unsafe { out.add(t as usize).write(value) }
}
