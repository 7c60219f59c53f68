//! Where a thread stands, as indices wide enough for any buffer.

use cuda_std::thread;

/// This thread's number in a one-dimensional grid. 64 bits: more than 2³² elements fit a device.
#[inline(always)]
pub(crate) fn global() -> usize {
    block() * thread::block_dim_x() as usize + in_block()
}

/// This thread's number in a one-dimensional block.
#[inline(always)]
pub(crate) fn in_block() -> usize {
    thread::thread_idx_x() as usize
}

/// This block's number in a one-dimensional grid.
#[inline(always)]
pub(crate) fn block() -> usize {
    thread::block_idx_x() as usize
}

/// Threads in a one-dimensional grid.
#[inline(always)]
pub(crate) fn grid_threads() -> usize {
    thread::grid_dim_x() as usize * thread::block_dim_x() as usize
}
