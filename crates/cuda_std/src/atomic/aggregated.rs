//! One atomic operation for all lanes that are here, instead of one each.

use core::sync::atomic::Ordering;

use super::AtomicU32;
use crate::coalesced::CoalescedGroup;
use crate::group::Group;
use crate::ops;
use crate::warp;

/// Adds `n` of every lane that is here to `counter`, with one atomic operation; each lane gets the
/// slot that is its own: the counter's old value plus what lower lanes added.
///
/// The total order is that of separate `fetch_add`s in lane order. Relaxed.
///
/// PTX: `activemask`, a scan by shuffles, one `atom.add`, one `shfl.sync.idx`.
///
/// ```
/// # use cuda_std::atomic::*;
/// # unsafe fn example(tail: &AtomicU32, x: u32) {
/// # unsafe {
/// // Each lane reserves x slots of a queue.
/// let first = atomic_add_aggregated(tail, x);
/// # let _ = first;
/// # }
/// # }
/// ```
///
/// # Safety
/// - The lanes that call it together stay together until it returns; a call in any branch is fine.
#[inline(always)]
pub unsafe fn atomic_add_aggregated(counter: &AtomicU32, n: u32) -> u32 {
    // SAFETY: nothing between here and the end parts the lanes.
    let group = unsafe { CoalescedGroup::active() };
    let upto = group.inclusive_scan(n, ops::Add);
    let total = group.shuffle(upto, group.size() - 1);
    let base = group.invoke_one_broadcast(|| counter.fetch_add(total, Ordering::Relaxed));
    base.wrapping_add(upto.wrapping_sub(n))
}

/// [`atomic_add_aggregated`] with `n` = 1: no scan, the lane's rank is its offset.
///
/// PTX: `activemask`, `popc`, one `atom.add`, one `shfl.sync.idx`.
///
/// ```
/// # use cuda_std::atomic::*;
/// # unsafe fn example(tail: &AtomicU32, x: u32) {
/// # unsafe {
/// if x > 0 {
///     let slot = atomic_inc_aggregated(tail);
///     # let _ = slot;
/// }
/// # }
/// # }
/// ```
///
/// # Safety
/// - As [`atomic_add_aggregated`].
#[inline(always)]
pub unsafe fn atomic_inc_aggregated(counter: &AtomicU32) -> u32 {
    let mask = warp::activemask();
    let rank = (mask & warp::lanemask_lt()).count_ones();
    let mut base = 0;
    if rank == 0 {
        base = counter.fetch_add(mask.count_ones(), Ordering::Relaxed);
    }
    // SAFETY: the lanes of the mask are here, and the leader is one of them.
    base = unsafe { warp::warp_broadcast(mask, base, warp::leader(mask)) };
    base + rank
}
