//! The place of the smallest and of the largest value, in one launch.
//!
//! **Problem.** `value[0]` and `index[0]`: the extreme value and the lowest index at which it stands.
//! **Launch.** [`BLOCK`] threads, [`crate::reduce::step`] 10's grid; the last block finishes.
//! **Lanes.** Each thread carries the best value of its share and where it stood; five shuffle steps per
//! warp move both. With 3, 1, 2, 1 in lanes 0…3, lane 0 ends with value 1, index 1.
//! **Preconditions.** `ticket[0]` is 0; it is 0 again afterwards.
//! **NaN** is passed over; −0 and +0 are equal, so the first of them wins. Nothing, or NaNs alone, give
//! the identity (the largest or smallest value, ±∞) and index [`NOWHERE`].
//! **Expected PTX.** 16-byte loads, three to four `shfl.sync.down` a step (the index has 8 bytes).
//! **Cost.** 10 steps, 3 barriers, 16 × (8 + `size_of::<T>()`) shared bytes.

use cuda_std::prelude::*;
use cuda_std::warp::warp_shuffle_down;

use crate::element::Element;
use crate::index;
use crate::last_block::is_last_block;
use crate::op::{Max, Min, Op};
use crate::reduce::{v9_many, walk};
use crate::warp_level::{FULL, WARP};

/// Threads in a block.
pub const BLOCK: u32 = v9_many::WIDE_BLOCK;
const WARPS: usize = (BLOCK / WARP) as usize;

/// The index that stands for "there is none".
pub const NOWHERE: u64 = u64::MAX;

/// An operation that prefers one value to another.
trait Prefer<T: Element>: Op<T> {
    fn better(a: T, b: T) -> bool;
}

impl<T: Element + PartialOrd> Prefer<T> for Min
where
    Min: Op<T>,
{
    #[inline(always)]
    fn better(a: T, b: T) -> bool {
        a < b
    }
}

impl<T: Element + PartialOrd> Prefer<T> for Max
where
    Max: Op<T>,
{
    #[inline(always)]
    fn better(a: T, b: T) -> bool {
        a > b
    }
}

#[derive(Clone, Copy)]
struct Place<T> {
    value: T,
    index: u64,
}

impl<T: Element> Place<T> {
    #[inline(always)]
    fn nowhere<O: Prefer<T>>() -> Self {
        Place {
            value: O::IDENTITY,
            index: NOWHERE,
        }
    }

    #[inline(always)]
    fn best<O: Prefer<T>>(self, other: Self) -> Self {
        let first = other.value == self.value && other.index < self.index;
        if O::better(other.value, self.value) || first {
            other
        } else {
            self
        }
    }
}

/// One array for the values and one for the indices, global or shared.
#[derive(Clone, Copy)]
struct Places<T> {
    values: *mut T,
    indices: *mut u64,
}

impl<T: Element> Places<T> {
    /// # Safety
    /// - Both arrays are valid at `at`.
    #[inline(always)]
    unsafe fn write(self, at: usize, place: Place<T>) {
        // SAFETY: valid by the caller's promise. Volatile: other blocks read it in this launch.
        unsafe {
            self.values.add(at).write_volatile(place.value);
            self.indices.add(at).write_volatile(place.index);
        }
    }

    /// # Safety
    /// - Both arrays are valid at `at`.
    #[inline(always)]
    unsafe fn read(self, at: usize) -> Place<T> {
        // SAFETY: valid by the caller's promise. Volatile: other blocks wrote it in this launch.
        unsafe {
            Place {
                value: self.values.add(at).read_volatile(),
                index: self.indices.add(at).read_volatile(),
            }
        }
    }
}

#[inline(always)]
unsafe fn best_of_warp<T: Element, O: Prefer<T>>(mut place: Place<T>) -> Place<T> {
    let mut offset = WARP / 2;
    while offset > 0 {
        // SAFETY: the caller keeps the warp together.
        let other = unsafe {
            Place {
                value: warp_shuffle_down(FULL, place.value, offset, WARP).0,
                index: warp_shuffle_down(FULL, place.index, offset, WARP).0,
            }
        };
        place = place.best::<O>(other);
        offset /= 2;
    }
    place
}

/// The block's best, in thread 0.
#[inline(always)]
unsafe fn best_of_block<T: Element, O: Prefer<T>>(place: Place<T>, slots: Places<T>) -> Place<T> {
    let t = index::in_block();
    // SAFETY: the whole block is here; a slot per warp, and a barrier between writes and reads.
    unsafe {
        let mut place = best_of_warp::<T, O>(place);
        if t.is_multiple_of(WARP as usize) {
            slots.write(t / WARP as usize, place);
        }
        thread::sync_threads();
        if t < WARP as usize {
            place = if t < WARPS {
                slots.read(t)
            } else {
                Place::nowhere::<O>()
            };
            place = best_of_warp::<T, O>(place);
        }
        place
    }
}

#[inline(always)]
unsafe fn arg<T: Element, O: Prefer<T>>(
    input: &[T],
    partials: Places<T>,
    ticket: *mut u32,
    out: Places<T>,
    slots: Places<T>,
) {
    let mut mine = Place::nowhere::<O>();
    let mut ragged = mine;
    walk::<T, false>(
        input,
        BLOCK as usize,
        |_, first, pack| {
            for (index, &value) in (first as u64..).zip(pack.as_ref()) {
                mine = mine.best::<O>(Place { value, index });
            }
        },
        |index, value| {
            ragged = ragged.best::<O>(Place {
                value,
                index: index as u64,
            })
        },
    );
    // SAFETY: the whole block is here; the barrier in `is_last_block` lies between the two uses of
    // the slots. The last block alone reads the partials, all written.
    unsafe {
        let best = best_of_block::<T, O>(mine.best::<O>(ragged), slots);
        if index::in_block() == 0 {
            partials.write(index::block(), best);
        }
        if !is_last_block(ticket) {
            return;
        }
        let mut best = Place::nowhere::<O>();
        let mut i = index::in_block();
        while i < thread::grid_dim_x() as usize {
            best = best.best::<O>(partials.read(i));
            i += BLOCK as usize;
        }
        let best = best_of_block::<T, O>(best, slots);
        if index::in_block() == 0 {
            out.write(0, best);
        }
    }
}

macro_rules! arg_kernels {
    ($($op:ident, $t:ident => $name:ident;)*) => {$(
        #[doc = concat!("The place of the extreme of `", stringify!($t), "` values.")]
        ///
        /// # Safety
        /// - The partials hold a value per block, `value` and `index` one each; `ticket` is 0.
        #[kernel(block = BLOCK, min_blocks = v9_many::RESIDENT)]
        pub unsafe fn $name(
            input: &[$t],
            partial_values: *mut $t,
            partial_indices: *mut u64,
            ticket: *mut u32,
            value: *mut $t,
            index: *mut u64,
        ) {
            let values = shared_array![$t; WARPS];
            let indices = shared_array![u64; WARPS];
            let partials = Places { values: partial_values, indices: partial_indices };
            let out = Places { values: value, indices: index };
            // SAFETY: the caller's promise; the shared arrays have a slot per warp.
            unsafe { arg::<$t, $op>(input, partials, ticket, out, Places { values, indices }) }
        }
    )*};
}

arg_kernels! {
    Min, i32 => arg_min_i32;
    Min, u32 => arg_min_u32;
    Min, i64 => arg_min_i64;
    Min, u64 => arg_min_u64;
    Min, f32 => arg_min_f32;
    Min, f64 => arg_min_f64;
    Max, i32 => arg_max_i32;
    Max, u32 => arg_max_u32;
    Max, i64 => arg_max_i64;
    Max, u64 => arg_max_u64;
    Max, f32 => arg_max_f32;
    Max, f64 => arg_max_f64;
}
