//! Moving values between the threads of a block through shared memory.

use core::sync::atomic::{AtomicU32, Ordering};

use super::{first_lanes, scan};
use crate::shared::warp_slots;
use crate::thread;
use crate::warp::{self, WarpShuffleValue};

/// `value` of thread number `source`. **Every thread has it.**
///
/// PTX: `st.shared` in one thread, `bar.sync`, `ld.shared` (a broadcast within each warp),
/// `bar.sync`.
///
/// ```
/// # use cuda_std::block;
/// # unsafe fn example(x: u32) {
/// # unsafe {
/// let of_thread_5 = block::broadcast(x, 5);
/// # let _ = of_thread_5;
/// # }
/// # }
/// ```
///
/// # Safety
/// - Every thread of the block makes this call, with the same `source`, which is below the block's
///   size; none has exited.
#[inline(always)]
pub unsafe fn broadcast<T: WarpShuffleValue>(value: T, source: u32) -> T {
    let slot = warp_slots::<T>();
    // SAFETY: one thread writes before the barrier, all read after it; the last barrier keeps
    // later writers out.
    unsafe {
        if thread::thread_rank() == source {
            slot.write(value);
        }
        thread::sync_threads();
        let value = slot.read();
        thread::sync_threads();
        value
    }
}

/// Sends `value` to thread number `target`; each thread gets what was sent to it. **Every thread
/// that is somebody's target has a defined result.**
///
/// PTX: `st.shared`, `bar.sync`, `ld.shared`, `bar.sync`.
///
/// ```
/// # use cuda_std::prelude::*;
/// # unsafe fn example(x: u32) {
/// # unsafe {
/// // The values in reverse order of threads.
/// let scratch = shared_array![u32; 256];
/// let mirrored = block::exchange(scratch, x, 255 - thread::thread_rank());
/// # let _ = mirrored;
/// # }
/// # }
/// ```
///
/// # Safety
/// - Every thread of the block makes this call, and none has exited.
/// - `scratch` is shared memory with one element per thread; no two threads have the same `target`,
///   and all targets are below the block's size.
#[inline(always)]
pub unsafe fn exchange<T: Copy>(scratch: *mut T, value: T, target: u32) -> T {
    // SAFETY: targets differ, and the barriers part writes from reads and from what comes later.
    unsafe {
        scratch.add(target as usize).write(value);
        thread::sync_threads();
        let value = scratch.add(thread::thread_rank() as usize).read();
        thread::sync_threads();
        value
    }
}

/// From blocked to striped order: before, thread t holds elements tK…tK+K−1; after, its register j
/// holds element j·size + t. **Valid in every thread.**
///
/// Striped order is what coalesced loads and stores want, blocked order what scans want.
///
/// ```
/// # use cuda_std::prelude::*;
/// # unsafe fn example(items: [u32; 4]) {
/// # unsafe {
/// let scratch = shared_array![u32; 1024];
/// let striped = block::blocked_to_striped(scratch, items);
/// # let _ = striped;
/// # }
/// # }
/// ```
///
/// # Safety
/// - Every thread of the block makes this call, and none has exited.
/// - `scratch` is shared memory with `K` elements per thread.
#[inline(always)]
pub unsafe fn blocked_to_striped<T: Copy, const K: usize>(
    scratch: *mut T,
    items: [T; K],
) -> [T; K] {
    let (t, size) = (
        thread::thread_rank() as usize,
        thread::block_size() as usize,
    );
    // SAFETY: the indices of all threads and registers are a permutation of 0…K·size−1.
    unsafe { through(scratch, items, |j| t * K + j, |j| j * size + t) }
}

/// From striped to blocked order: the inverse of [`blocked_to_striped`]. **Valid in every thread.**
///
/// ```
/// # use cuda_std::prelude::*;
/// # unsafe fn example(items: [u32; 4]) {
/// # unsafe {
/// let scratch = shared_array![u32; 1024];
/// let blocked = block::striped_to_blocked(scratch, items);
/// # let _ = blocked;
/// # }
/// # }
/// ```
///
/// # Safety
/// - As [`blocked_to_striped`].
#[inline(always)]
pub unsafe fn striped_to_blocked<T: Copy, const K: usize>(
    scratch: *mut T,
    items: [T; K],
) -> [T; K] {
    let (t, size) = (
        thread::thread_rank() as usize,
        thread::block_size() as usize,
    );
    // SAFETY: as in blocked_to_striped.
    unsafe { through(scratch, items, |j| j * size + t, |j| t * K + j) }
}

/// Writes register j to `to(j)`, reads it from `from(j)`.
///
/// # Safety
/// - As [`blocked_to_striped`]; both maps are permutations of 0…K·size−1 over threads and registers.
#[inline(always)]
unsafe fn through<T: Copy, const K: usize>(
    scratch: *mut T,
    items: [T; K],
    to: impl Fn(usize) -> usize,
    from: impl Fn(usize) -> usize,
) -> [T; K] {
    let mut out = items;
    // SAFETY: in bounds and without collisions; the barriers part writes from reads.
    unsafe {
        for (j, &item) in items.iter().enumerate() {
            scratch.add(to(j)).write(item);
        }
        thread::sync_threads();
        for (j, item) in out.iter_mut().enumerate() {
            *item = scratch.add(from(j)).read();
        }
        thread::sync_threads();
    }
    out
}

/// Counts the keys of all threads into `bins`, which it first sets to 0. **The counts are in
/// `bins`, for every thread to read.**
///
/// PTX: `st.shared` to clear, `bar.sync`, one `atom.shared.add` (`ATOMS.POPC.INC`) per key,
/// `bar.sync`. Keys beyond `bin_count` are not counted.
///
/// ```
/// # use cuda_std::prelude::*;
/// # unsafe fn example(x: u32) {
/// # unsafe {
/// let bins = shared_array![u32; 16];
/// block::histogram(bins, 16, [x & 15]);
/// // bins[k] is now the number of threads whose x ends in k.
/// # }
/// # }
/// ```
///
/// # Safety
/// - Every thread of the block makes this call, with the same `bins` and `bin_count`; none has
///   exited.
/// - `bins` is shared memory with `bin_count` elements that no thread still reads or writes.
#[inline(always)]
pub unsafe fn histogram<const K: usize>(bins: *mut u32, bin_count: u32, keys: [u32; K]) {
    let size = thread::block_size();
    let mut bin = thread::thread_rank();
    // SAFETY: the bins are the block's; they are cleared before the first barrier, counted
    // atomically between the two, read after the second.
    unsafe {
        while bin < bin_count {
            bins.add(bin as usize).write(0);
            bin += size;
        }
        thread::sync_threads();
        // By reference: an array's own iterator would put it into local memory.
        for &key in &keys {
            if key < bin_count {
                AtomicU32::from_ptr(bins.add(key as usize)).fetch_add(1, Ordering::Relaxed);
            }
        }
        thread::sync_threads();
    }
}

/// Writes the kept values of the block to `out`, in thread order, and returns how many there are.
/// **Every thread has the count.**
///
/// Before: threads 0…3 hold 5, −1, 7, −2 and keep what is positive. After: `out` begins with 5, 7,
/// and the count is 2.
///
/// PTX: `vote.sync.ballot` and `popc` per warp, a scan over the warps through shared memory; two
/// barriers.
///
/// ```
/// # use cuda_std::block;
/// # unsafe fn example(x: i32, out: *mut i32) {
/// # unsafe {
/// let kept = block::compact(x, x > 0, out);
/// # let _ = kept;
/// # }
/// # }
/// ```
///
/// # Safety
/// - Every thread of the block makes this call, with the same `out`; none has exited.
/// - `out` holds as many elements as are kept, and no other thread accesses them. They are visible
///   to other threads of the block after the next barrier.
#[inline(always)]
pub unsafe fn compact<T: Copy>(value: T, keep: bool, out: *mut T) -> u32 {
    let place = super::Place::of_size(thread::block_size());
    let lanes = place.lanes();
    // SAFETY: the lanes of the mask are those of this warp.
    let kept = unsafe { warp::warp_vote_ballot(first_lanes(lanes), keep) };
    // One lane per warp brings its count: the scan then gives each warp its base.
    let count = if place.lane == 0 {
        kept.count_ones()
    } else {
        0
    };
    // SAFETY: the whole block is here.
    let (before, total) = unsafe { scan::exclusive_sum(count) };
    // Lanes after the first see their own warp's count in the sum already.
    let base = if place.lane == 0 {
        before
    } else {
        before - kept.count_ones()
    };
    if keep {
        let rank = (kept & warp::lanemask_lt()).count_ones();
        // SAFETY: ranks of kept values differ and are below the total.
        unsafe { out.add((base + rank) as usize).write(value) };
    }
    total
}
