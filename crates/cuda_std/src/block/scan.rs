//! Block scans: every thread gets the combination of all threads before it.

use super::{Place, first_lanes};
use crate::collective;
use crate::ops::{self, Monoid, ReduceOp, Redux, Scalar};
use crate::shared::warp_slots;
use crate::thread;
use crate::warp::{FULL_MASK, WarpShuffleMode, WarpShuffleValue};

/// x₀ ∘ … ∘ xᵢ in thread i. **Every thread has its result.**
///
/// Before: threads 0…3 hold 1, 2, 3, 4. After, with [`crate::ops::Add`]: 1, 3, 6, 10.
///
/// PTX: five `shfl.sync.up` per warp, one shared slot per warp, five more in every warp over the
/// slots; two barriers. Any block size from 1 to 1024.
///
/// ```
/// # use cuda_std::{block, ops};
/// # unsafe fn example(x: u32) {
/// # unsafe {
/// let up_to_me = block::inclusive_scan(x, ops::Add);
/// # let _ = up_to_me;
/// # }
/// # }
/// ```
///
/// # Safety
/// - Every thread of the block makes this call, and none has exited.
#[inline(always)]
pub unsafe fn inclusive_scan<T: WarpShuffleValue, O: ReduceOp<T>>(value: T, op: O) -> T {
    // SAFETY: the caller's duty.
    unsafe { scan(value, op).inclusive }
}

/// x₀ ∘ … ∘ xᵢ₋₁ in thread i, the identity in thread 0. **Every thread has its result.**
///
/// Before: threads 0…3 hold 1, 2, 3, 4. After, with [`crate::ops::Add`]: 0, 1, 3, 6. Cost as
/// [`inclusive_scan`].
///
/// ```
/// # use cuda_std::{block, ops};
/// # unsafe fn example(x: u32) {
/// # unsafe {
/// let before_me = block::exclusive_scan(x, ops::Add);
/// # let _ = before_me;
/// # }
/// # }
/// ```
///
/// # Safety
/// - Every thread of the block makes this call, and none has exited.
#[inline(always)]
pub unsafe fn exclusive_scan<T: WarpShuffleValue, O: Monoid<T>>(value: T, op: O) -> T {
    // SAFETY: the caller's duty.
    unsafe { exclusive_scan_from(value, op.identity(), op) }
}

/// `first` ∘ x₀ ∘ … ∘ xᵢ₋₁ in thread i, `first` in thread 0: for an operation without an identity,
/// or to go on from an earlier block. **Every thread has its result.** Cost as [`inclusive_scan`].
///
/// ```
/// # use cuda_std::block;
/// # unsafe fn example(x: u32) {
/// # unsafe {
/// // The largest value of the threads before, by an operation without an identity.
/// let before_me = block::exclusive_scan_from(x, 0, |a: u32, b: u32| a.max(b));
/// # let _ = before_me;
/// # }
/// # }
/// ```
///
/// # Safety
/// - Every thread of the block makes this call, with the same `first`, and none has exited.
#[inline(always)]
pub unsafe fn exclusive_scan_from<T: WarpShuffleValue, O: ReduceOp<T>>(
    value: T,
    first: T,
    op: O,
) -> T {
    // SAFETY: the caller's duty.
    match unsafe { scan(value, op).before } {
        Some(before) => op.combine(first, before),
        None => first,
    }
}

/// The sum of the threads before this one, and of all. **Every thread has both.** What a
/// compaction or an allocation of output slots needs. Cost as [`inclusive_scan`].
///
/// ```
/// # use cuda_std::block;
/// # unsafe fn example(x: u32) {
/// # unsafe {
/// let (first, all) = block::exclusive_sum(x);
/// // This thread owns the slots first…first + x of `all`.
/// # let _ = (first, all);
/// # }
/// # }
/// ```
///
/// # Safety
/// - Every thread of the block makes this call, and none has exited.
#[inline(always)]
pub unsafe fn exclusive_sum<T: Scalar + Redux>(value: T) -> (T, T) {
    // SAFETY: the caller's duty.
    let scan = unsafe { scan(value, ops::Add) };
    (scan.before.unwrap_or(T::ZERO), scan.total)
}

/// What one pass knows.
struct Scan<T> {
    /// Up to this thread, itself included.
    inclusive: T,
    /// Up to this thread, itself excluded; none in thread 0.
    before: Option<T>,
    /// The whole block.
    total: T,
}

/// # Safety
/// - As [`inclusive_scan`].
#[inline(always)]
unsafe fn scan<T: WarpShuffleValue, O: ReduceOp<T>>(value: T, op: O) -> Scan<T> {
    let place = Place::of_size(thread::block_size());
    let lanes = place.lanes();
    let mask = if place.size.is_multiple_of(32) {
        FULL_MASK
    } else {
        first_lanes(lanes)
    };
    // SAFETY: the whole block is here, so the lanes of `mask` are those of this warp; slots are
    // written by the last lane of each warp before the barrier and read after it, and the last
    // barrier keeps later writers out.
    unsafe {
        let in_warp = scan_warp(mask, value, place.lane, op);
        let below = collective::shuffle(WarpShuffleMode::Up, mask, in_warp, 1, 32);
        let slots = warp_slots::<T>();
        if place.lane == lanes - 1 {
            slots.add(place.warp as usize).write(in_warp);
        }
        thread::sync_threads();
        // Every warp scans the slots for itself: lane i ends with the total of warps 0…i.
        let slot = place.lane.min(place.warps() - 1);
        let warps = scan_slots(slots, place, slot, mask, lanes, op);
        thread::sync_threads();
        let carry = warps.before;
        Scan {
            inclusive: carry.map_or(in_warp, |carry| op.combine(carry, in_warp)),
            before: match (carry, place.lane) {
                (None, 0) => None,
                (None, _) => Some(below),
                (Some(carry), 0) => Some(carry),
                (Some(carry), _) => Some(op.combine(carry, below)),
            },
            total: warps.total,
        }
    }
}

/// The totals that one warp needs of the others.
struct Warps<T> {
    /// All warps before this one; none in warp 0.
    before: Option<T>,
    /// All warps.
    total: T,
}

/// # Safety
/// - As [`inclusive_scan`]; the slots of all warps are written.
#[inline(always)]
unsafe fn scan_slots<T: WarpShuffleValue, O: ReduceOp<T>>(
    slots: *const T,
    place: Place,
    slot: u32,
    mask: u32,
    lanes: u32,
    op: O,
) -> Warps<T> {
    // SAFETY: the slots of all warps are written, and the lanes of `mask` are those of this warp.
    unsafe {
        if lanes < place.warps() {
            // A last warp with fewer lanes than there are warps goes through the slots one by one.
            let mut total = slots.read();
            let mut before = (place.warp == 1).then_some(total);
            for warp in 1..place.warps() {
                total = op.combine(total, slots.add(warp as usize).read());
                if warp + 1 == place.warp {
                    before = Some(total);
                }
            }
            return Warps { before, total };
        }
        let scanned = scan_warp(mask, slots.add(slot as usize).read(), place.lane, op);
        let previous = place.warp.saturating_sub(1);
        let before = collective::shuffle(WarpShuffleMode::Idx, mask, scanned, previous, 32);
        let total = collective::shuffle(WarpShuffleMode::Idx, mask, scanned, place.warps() - 1, 32);
        Warps {
            before: (place.warp > 0).then_some(before),
            total,
        }
    }
}

/// The inclusive scan over lanes 0…of a warp.
///
/// # Safety
/// - As [`inclusive_scan`]; `mask` holds the first lanes of the warp.
#[inline(always)]
unsafe fn scan_warp<T: WarpShuffleValue, O: ReduceOp<T>>(
    mask: u32,
    value: T,
    lane: u32,
    op: O,
) -> T {
    let mut total = value;
    let mut distance = 1;
    while distance < 32 {
        // SAFETY: the caller's duty.
        let before = unsafe { collective::shuffle(WarpShuffleMode::Up, mask, total, distance, 32) };
        if lane >= distance {
            total = op.combine(before, total);
        }
        distance *= 2;
    }
    total
}
