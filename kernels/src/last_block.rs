//! Which block is the last one: the ticket that lets one launch do what otherwise takes two.

use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use cuda_std::atomic::{AtomicU32, Scope, fence};
use cuda_std::thread;

use crate::index;

/// Whether every other block of the grid has already been here. What thread 0 wrote before, in any
/// block, can be read afterwards by the last block; the last block also puts the ticket back to 0.
///
/// One barrier, `bar.red.or`, which tells all threads.
///
/// # Safety
/// - The whole block calls this together, once per launch.
/// - `ticket` is valid, only used by this function, and was 0 before the launch.
#[inline(always)]
pub(crate) unsafe fn is_last_block(ticket: *mut u32) -> bool {
    let mut last = 0;
    if index::in_block() == 0 {
        // SAFETY: valid and shared atomically by the caller's promise.
        let ticket = unsafe { AtomicU32::from_ptr(ticket) };
        let all = thread::grid_dim_x() - 1;
        // The first fence puts this block's results before the ticket, the second one the ticket
        // before the reads that follow the barrier.
        fence(AcqRel, Scope::Device);
        last = u32::from(ticket.fetch_add(1, Relaxed) == all);
        fence(AcqRel, Scope::Device);
        if last == 1 {
            ticket.store(0, Relaxed);
        }
    }
    thread::sync_threads_or(last) != 0
}
