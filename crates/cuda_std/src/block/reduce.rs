//! Block reductions.

use super::{Place, first_lanes};
use crate::collective;
use crate::ops::ReduceOp;
use crate::shared::warp_slots;
use crate::thread;
use crate::warp::{FULL_MASK, WarpShuffleValue};

/// Combines `value` of all threads of the block, in thread order. **Thread 0 has the result**;
/// what other threads get is unspecified.
///
/// Before: thread i holds `value` xᵢ. After: thread 0 holds x₀ ∘ x₁ ∘ … ∘ xₙ₋₁. With 48 threads
/// that hold 1 and [`crate::ops::Add`], thread 0 gets 48.
///
/// PTX: per warp `redux.sync` (sm_80, 32-bit integers) or five `shfl.sync.down`; `st.shared`,
/// `bar.sync`, `ld.shared`; the same again in warp 0; `bar.sync`. Shared memory: 32 slots of the
/// value's size (up to 64 bytes). Two barriers; none for a block of one warp.
///
/// ```
/// use cuda_std::ops;
/// use cuda_std::prelude::*;
///
/// /// # Safety
/// /// - `x` has one element per thread, `out` one per block.
/// #[kernel]
/// pub unsafe fn block_sums(x: *const f32, out: *mut f32) {
///     // SAFETY: the whole block takes part; the indices are in bounds by the contract above.
///     unsafe {
///         let sum = block::reduce(*x.add(thread::index_1d() as usize), ops::Add);
///         if thread::thread_idx_x() == 0 {
///             *out.add(thread::block_idx_x() as usize) = sum;
///         }
///     }
/// }
/// ```
///
/// # Safety
/// - Every thread of the block makes this call, and none has exited.
#[inline(always)]
pub unsafe fn reduce<T: WarpShuffleValue, O: ReduceOp<T>>(value: T, op: O) -> T {
    // SAFETY: the caller's duty.
    unsafe { reduce_at(Place::of_size(thread::block_size()), 32, value, op) }
}

/// [`reduce`] for a one-dimensional block whose size is known at compile time: no code for what
/// cannot occur. **Thread 0 has the result.**
///
/// With `SIZE` = 256 and f32: 5 + 3 `shfl.sync.down`. In a kernel that declares another block
/// (`#[kernel(block = …)]`) it does not compile; in one that declares none, a debug assertion checks.
///
/// ```
/// # use cuda_std::{block, ops};
/// # unsafe fn example(x: f32) {
/// # unsafe {
/// let sum = block::reduce_sized::<256, _, _>(x, ops::Add);
/// # let _ = sum;
/// # }
/// # }
/// ```
///
/// # Safety
/// - The block has `SIZE` threads along x and 1 along y and z (say so to the launch, with
///   `#[kernel(block = SIZE)]`).
/// - Every thread of the block makes this call, and none has exited.
#[inline(always)]
pub unsafe fn reduce_sized<const SIZE: u32, T: WarpShuffleValue, O: ReduceOp<T>>(
    value: T,
    op: O,
) -> T {
    const { assert!(SIZE >= 1 && SIZE <= 1024, "a block has 1 to 1024 threads") };
    crate::demand::block_of::<SIZE>();
    // SAFETY: the caller's duty.
    unsafe { reduce_at(Place::along_x(SIZE), SIZE.div_ceil(32), value, op) }
}

/// Combines `value` of all threads of the block, in thread order. **Every thread has the result**,
/// bit for bit the same.
///
/// As [`reduce`], but every warp combines the slots itself instead of warp 0 alone: the same two
/// barriers, no further trip through shared memory.
///
/// ```
/// # use cuda_std::{block, ops};
/// # unsafe fn example(x: f32) {
/// # unsafe {
/// // Every thread learns the largest value, say to scale by it.
/// let largest = block::reduce_all(x, ops::Max);
/// # let _ = largest;
/// # }
/// # }
/// ```
///
/// # Safety
/// - Every thread of the block makes this call, and none has exited.
#[inline(always)]
pub unsafe fn reduce_all<T: WarpShuffleValue, O: ReduceOp<T>>(value: T, op: O) -> T {
    let place = Place::of_size(thread::block_size());
    // SAFETY: the whole block is here; slots are written by lane 0 of each warp before the barrier
    // and read after it, and the last barrier keeps later writers out.
    unsafe {
        let partial = reduce_warp(place, value, op);
        let slots = warp_slots::<T>();
        if place.lane == 0 {
            slots.add(place.warp as usize).write(partial);
        }
        thread::sync_threads();
        let mut total = slots.read();
        for warp in 1..place.warps() {
            total = op.combine(total, slots.add(warp as usize).read());
        }
        thread::sync_threads();
        total
    }
}

/// # Safety
/// - As [`reduce`]; `place.size` is the block's size, and it has at most `max_warps` warps.
#[inline(always)]
unsafe fn reduce_at<T: WarpShuffleValue, O: ReduceOp<T>>(
    place: Place,
    max_warps: u32,
    value: T,
    op: O,
) -> T {
    // SAFETY: as in reduce_all.
    unsafe {
        let partial = reduce_warp(place, value, op);
        if place.size <= 32 {
            return partial;
        }
        let slots = warp_slots::<T>();
        if place.lane == 0 {
            slots.add(place.warp as usize).write(partial);
        }
        thread::sync_threads();
        let mut total = partial;
        if place.warp == 0 {
            // All 32 lanes are here; those beyond the last warp hold a copy that does not count.
            let warps = place.warps();
            let value = slots.add(place.lane.min(warps - 1) as usize).read();
            total = reduce_slots(value, place.lane, warps, max_warps, op);
        }
        thread::sync_threads();
        total
    }
}

/// Reduces the threads of one warp, all of which take part; lane 0 has the result.
///
/// # Safety
/// - As [`reduce`].
#[inline(always)]
unsafe fn reduce_warp<T: WarpShuffleValue, O: ReduceOp<T>>(place: Place, value: T, op: O) -> T {
    // SAFETY: the lanes of the mask are exactly those of the warp.
    unsafe {
        if place.size.is_multiple_of(32) {
            if let Some(total) = op.redux(FULL_MASK, value) {
                return total;
            }
            collective::tree::<T, O, 32>(FULL_MASK, value, op)
        } else {
            let lanes = place.lanes();
            let mask = first_lanes(lanes);
            if let Some(total) = op.redux(mask, value) {
                return total;
            }
            collective::tree_of_first(mask, value, lanes, 32, op)
        }
    }
}

/// Reduces lanes 0…warps−1 of warp 0, all of whose 32 lanes are here; lane 0 has the result.
///
/// # Safety
/// - As [`reduce`].
#[inline(always)]
unsafe fn reduce_slots<T: WarpShuffleValue, O: ReduceOp<T>>(
    value: T,
    lane: u32,
    warps: u32,
    max_warps: u32,
    op: O,
) -> T {
    // SAFETY: the lanes named in the masks are here.
    unsafe {
        if O::HARDWARE {
            let mask = first_lanes(warps);
            if lane < warps
                && let Some(total) = op.redux(mask, value)
            {
                return total;
            }
            return value;
        }
        collective::tree_of_first(FULL_MASK, value, warps, max_warps, op)
    }
}
