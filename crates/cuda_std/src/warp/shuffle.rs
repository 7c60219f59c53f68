//! Shuffles: every lane reads a register of another lane. PTX `shfl.sync` (PTX ISA 6.0, sm_30).

use half::{bf16, f16};

use crate::demand::demand;
use crate::intrinsics as nvvm;

/// Which lane a lane reads from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum WarpShuffleMode {
    /// The lane `delta` below, within the segment.
    Up,
    /// The lane `delta` above, within the segment.
    Down,
    /// The lane with number `lane` of the segment.
    Idx,
    /// The lane whose number differs in the bits of `lane_mask`.
    Xor,
}

/// Plain old data: values that may be taken apart into 4-byte pieces and put together again.
///
/// Derive it for a struct: `#[derive(Clone, Copy, Pod)] #[repr(C)]`.
///
/// # Safety
/// - Every bit pattern is a valid value.
/// - There is no padding: every byte of a value is initialised.
/// - There is no interior mutability, and no pointer to thread-local memory.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not plain old data, so it cannot travel between lanes",
    label = "not plain old data",
    note = "numbers, bool, f16, bf16, arrays of them and structs with `#[derive(Clone, Copy, Pod)] #[repr(C)]` can"
)]
pub unsafe trait Pod: Copy + 'static {}

/// A value that can be shuffled: plain old data, `bool`, and tuples of such, part by part.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shuffled between lanes",
    label = "not plain old data",
    note = "numbers, bool, f16, bf16, arrays of them and structs with `#[derive(Clone, Copy, Pod)] #[repr(C)]` can"
)]
pub trait WarpShuffleValue: Copy {
    /// The `shfl.sync` of one value; `c` is the instruction's clamp and segment operand.
    ///
    /// # Safety
    /// - As [`warp_shuffle_idx`].
    #[doc(hidden)]
    unsafe fn shuffle(
        mode: WarpShuffleMode,
        mask: u32,
        value: Self,
        lane: u32,
        c: u32,
    ) -> (Self, bool);
}

impl<T: Pod> WarpShuffleValue for T {
    #[inline(always)]
    unsafe fn shuffle(
        mode: WarpShuffleMode,
        mask: u32,
        value: Self,
        lane: u32,
        c: u32,
    ) -> (Self, bool) {
        // SAFETY: the caller's duty; T is plain old data.
        unsafe { shuffle_pieces(mode, mask, value, lane, c) }
    }
}

impl WarpShuffleValue for bool {
    #[inline(always)]
    unsafe fn shuffle(
        mode: WarpShuffleMode,
        mask: u32,
        value: Self,
        lane: u32,
        c: u32,
    ) -> (Self, bool) {
        // SAFETY: the caller's duty.
        let (word, in_range) = unsafe { shuffle_word(mode, mask, u32::from(value), lane, c) };
        (word != 0, in_range)
    }
}

macro_rules! tuple_value {
    ($first:ident $($name:ident)*) => {
        impl<$first: WarpShuffleValue, $($name: WarpShuffleValue),*> WarpShuffleValue for ($first, $($name),*) {
            #[inline(always)]
            #[allow(non_snake_case, reason = "the type parameters name the parts too")]
            unsafe fn shuffle(mode: WarpShuffleMode, mask: u32, value: Self, lane: u32, c: u32) -> (Self, bool) {
                let ($first, $($name),*) = value;
                // SAFETY: the caller's duty.
                unsafe {
                    let ($first, in_range) = $first::shuffle(mode, mask, $first, lane, c);
                    $(let $name = $name::shuffle(mode, mask, $name, lane, c).0;)*
                    (($first, $($name),*), in_range)
                }
            }
        }
    };
}
tuple_value!(A B);
tuple_value!(A B C);
tuple_value!(A B C D);

macro_rules! pod {
    ($($ty:ty),*) => {$(
        // SAFETY: a number: every bit pattern is one, and there is no padding.
        unsafe impl Pod for $ty {}
    )*};
}
pod!(
    i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64, f16, bf16
);

// SAFETY: an array has the bytes of its elements and no others.
unsafe impl<T: Pod, const N: usize> Pod for [T; N] {}

/// Each lane reads `value` of lane `lane` (modulo `width`) of its segment of `width` lanes.
///
/// PTX `shfl.sync.idx.b32`, one per 4 bytes. Returns the value and whether the source is *in
/// range*, which for this mode it always is.
///
/// Defined in the lanes of `mask` whose source lane is in `mask` too; elsewhere the value is
/// unspecified. The flag does not tell: it says in range, not active.
///
/// ```
/// use cuda_std::prelude::*;
///
/// /// Lane i of each group of 8 gets what lane 3 of the group has: 3, 3, … 11, 11, … 19, … 27.
/// ///
/// /// # Safety
/// /// - One block of 32 threads; `out` holds 32 elements.
/// #[kernel(block = 32)]
/// pub unsafe fn third_of_eight(out: *mut u32) {
///     let lane = warp::lane_id();
///     // SAFETY: all 32 lanes call it; one slot per lane.
///     unsafe {
///         let (value, _) = warp::warp_shuffle_idx(warp::FULL_MASK, lane, 3, 8);
///         *out.add(lane as usize) = value;
///     }
/// }
/// ```
///
/// # Safety
/// - The calling lane is in `mask`; no lane of `mask` has exited; all of them make this call with
///   the same `mask`.
/// - `width` is 1, 2, 4, 8, 16 or 32: a constant that is none of these does not compile for the
///   device; computed ones are checked where debug assertions are on.
#[inline(always)]
pub unsafe fn warp_shuffle_idx<T: WarpShuffleValue>(
    mask: u32,
    value: T,
    lane: u32,
    width: u32,
) -> (T, bool) {
    // SAFETY: the caller's duty.
    unsafe { exchange(WarpShuffleMode::Idx, mask, value, lane, width) }
}

/// Each lane reads `value` of the lane `delta` below it; the first `delta` lanes of a segment keep
/// their own value and get `false`.
///
/// PTX `shfl.sync.up.b32` with clamp 0, one per 4 bytes. Defined in the lanes of `mask` whose
/// source is in `mask`, or out of range.
///
/// ```
/// # use cuda_std::warp::*;
/// # unsafe fn example(x: u32) {
/// # unsafe {
/// // Lane i gets the value of lane i − 1; lane 0 keeps its own, and `in_range` is false there.
/// let (left, in_range) = warp_shuffle_up(FULL_MASK, x, 1, 32);
/// # let _ = (left, in_range);
/// # }
/// # }
/// ```
///
/// # Safety
/// - As [`warp_shuffle_idx`].
#[inline(always)]
pub unsafe fn warp_shuffle_up<T: WarpShuffleValue>(
    mask: u32,
    value: T,
    delta: u32,
    width: u32,
) -> (T, bool) {
    // SAFETY: the caller's duty.
    unsafe { exchange(WarpShuffleMode::Up, mask, value, delta, width) }
}

/// Each lane reads `value` of the lane `delta` above it; the last `delta` lanes of a segment keep
/// their own value and get `false`.
///
/// PTX `shfl.sync.down.b32`, one per 4 bytes. Defined in the lanes of `mask` whose source is in
/// `mask`, or out of range.
///
/// ```
/// # use cuda_std::warp::*;
/// # unsafe fn example(x: u32) {
/// # unsafe {
/// // In each group of 8, lane i gets the value of lane i + 4; the upper four keep their own.
/// let (value, in_range) = warp_shuffle_down(FULL_MASK, x, 4, 8);
/// # let _ = (value, in_range);
/// # }
/// # }
/// ```
///
/// # Safety
/// - As [`warp_shuffle_idx`].
#[inline(always)]
pub unsafe fn warp_shuffle_down<T: WarpShuffleValue>(
    mask: u32,
    value: T,
    delta: u32,
    width: u32,
) -> (T, bool) {
    // SAFETY: the caller's duty.
    unsafe { exchange(WarpShuffleMode::Down, mask, value, delta, width) }
}

/// Each lane reads `value` of the lane whose number is its own with the bits of `lane_mask`
/// flipped; a source beyond the end of the segment keeps its own value and gets `false` (one in an
/// earlier segment is in range).
///
/// PTX `shfl.sync.bfly.b32`, one per 4 bytes. Defined in the lanes of `mask` whose source is in
/// `mask`, or out of range.
///
/// ```
/// # use cuda_std::warp::*;
/// # unsafe fn example(x: u32) {
/// # unsafe {
/// // Neighbours 0 and 1, 2 and 3, … swap their values.
/// let (neighbour, _) = warp_shuffle_xor(FULL_MASK, x, 1, 32);
/// # let _ = neighbour;
/// # }
/// # }
/// ```
///
/// # Safety
/// - As [`warp_shuffle_idx`].
#[inline(always)]
pub unsafe fn warp_shuffle_xor<T: WarpShuffleValue>(
    mask: u32,
    value: T,
    lane_mask: u32,
    width: u32,
) -> (T, bool) {
    // SAFETY: the caller's duty.
    unsafe { exchange(WarpShuffleMode::Xor, mask, value, lane_mask, width) }
}

/// Every lane of `mask` gets `value` of lane `lane`. PTX `shfl.sync.idx.b32`, one per 4 bytes.
///
/// Defined in the lanes of `mask` if `lane` (modulo 32) is in `mask`.
///
/// ```
/// # use cuda_std::warp::*;
/// # unsafe fn example(x: u32) {
/// # unsafe {
/// // Everybody gets what lane 7 has.
/// let seventh = warp_broadcast(FULL_MASK, x, 7);
/// # let _ = seventh;
/// # }
/// # }
/// ```
///
/// # Safety
/// - As [`warp_shuffle_idx`].
#[inline(always)]
pub unsafe fn warp_broadcast<T: WarpShuffleValue>(mask: u32, value: T, lane: u32) -> T {
    // SAFETY: the caller's duty.
    unsafe { exchange(WarpShuffleMode::Idx, mask, value, lane, 32).0 }
}

/// Any shuffle, by mode and width.
///
/// # Safety
/// - As [`warp_shuffle_idx`].
#[inline(always)]
pub(crate) unsafe fn exchange<T: WarpShuffleValue>(
    mode: WarpShuffleMode,
    mask: u32,
    value: T,
    lane: u32,
    width: u32,
) -> (T, bool) {
    demand!(
        width,
        width.is_power_of_two() && width <= 32,
        "the width of a shuffle is 1, 2, 4, 8, 16 or 32"
    );
    demand!(mask, mask != 0, "the mask of a shuffle names no lane");
    // SAFETY: the caller's duty.
    unsafe { T::shuffle(mode, mask, value, lane, clamp_and_segment(mode, width)) }
}

/// The `c` operand of `shfl.sync`: the segment mask in bits 8…12, the clamp in bits 0…4.
///
/// The clamp is the last lane that may be read, counted in the segment, and for `.up` the first: 0.
#[inline(always)]
pub(crate) const fn clamp_and_segment(mode: WarpShuffleMode, width: u32) -> u32 {
    let clamp = match mode {
        WarpShuffleMode::Up => 0,
        WarpShuffleMode::Down | WarpShuffleMode::Idx | WarpShuffleMode::Xor => 31,
    };
    ((32 - width) << 8) | clamp
}

/// # Safety
/// - As [`warp_shuffle_idx`].
#[inline(always)]
unsafe fn shuffle_word(
    mode: WarpShuffleMode,
    mask: u32,
    word: u32,
    lane: u32,
    c: u32,
) -> (u32, bool) {
    // SAFETY: the caller's duty.
    unsafe {
        match mode {
            WarpShuffleMode::Up => nvvm::shfl_up_p(mask, word, lane, c),
            WarpShuffleMode::Down => nvvm::shfl_down_p(mask, word, lane, c),
            WarpShuffleMode::Idx => nvvm::shfl_idx_p(mask, word, lane, c),
            WarpShuffleMode::Xor => nvvm::shfl_bfly_p(mask, word, lane, c),
        }
    }
}

/// The same without the flag, for the further words of a value.
///
/// # Safety
/// - As [`warp_shuffle_idx`].
#[inline(always)]
unsafe fn shuffle_next_word(mode: WarpShuffleMode, mask: u32, word: u32, lane: u32, c: u32) -> u32 {
    // SAFETY: the caller's duty.
    unsafe {
        match mode {
            WarpShuffleMode::Up => nvvm::shfl_up(mask, word, lane, c),
            WarpShuffleMode::Down => nvvm::shfl_down(mask, word, lane, c),
            WarpShuffleMode::Idx => nvvm::shfl_idx(mask, word, lane, c),
            WarpShuffleMode::Xor => nvvm::shfl_bfly(mask, word, lane, c),
        }
    }
}

/// # Safety
/// - As [`warp_shuffle_idx`].
#[inline(always)]
unsafe fn shuffle_u64(
    mode: WarpShuffleMode,
    mask: u32,
    value: u64,
    lane: u32,
    c: u32,
) -> (u64, bool) {
    // SAFETY: the caller's duty.
    unsafe {
        let (low, in_range) = shuffle_word(mode, mask, value as u32, lane, c);
        let high = shuffle_next_word(mode, mask, (value >> 32) as u32, lane, c);
        (u64::from(high) << 32 | u64::from(low), in_range)
    }
}

/// Shuffles plain old data of any size, 4 bytes at a time.
///
/// Numbers of the common sizes go through registers, so that no mode of compilation puts them into
/// local memory; the rest is a loop of a constant number of turns.
///
/// # Safety
/// - As [`warp_shuffle_idx`].
#[inline(always)]
unsafe fn shuffle_pieces<T: Pod>(
    mode: WarpShuffleMode,
    mask: u32,
    value: T,
    lane: u32,
    c: u32,
) -> (T, bool) {
    use core::mem::transmute_copy;
    // SAFETY: the caller's duty; the copies are between plain old data of the same size.
    unsafe {
        match size_of::<T>() {
            1 => {
                let (word, p) = shuffle_word(
                    mode,
                    mask,
                    u32::from(transmute_copy::<T, u8>(&value)),
                    lane,
                    c,
                );
                (transmute_copy::<u8, T>(&(word as u8)), p)
            }
            2 => {
                let (word, p) = shuffle_word(
                    mode,
                    mask,
                    u32::from(transmute_copy::<T, u16>(&value)),
                    lane,
                    c,
                );
                (transmute_copy::<u16, T>(&(word as u16)), p)
            }
            4 => {
                let (word, p) = shuffle_word(mode, mask, transmute_copy::<T, u32>(&value), lane, c);
                (transmute_copy::<u32, T>(&word), p)
            }
            8 => {
                let (word, p) = shuffle_u64(mode, mask, transmute_copy::<T, u64>(&value), lane, c);
                (transmute_copy::<u64, T>(&word), p)
            }
            _ => shuffle_long(mode, mask, value, lane, c),
        }
    }
}

/// # Safety
/// - As [`warp_shuffle_idx`].
#[inline(always)]
unsafe fn shuffle_long<T: Pod>(
    mode: WarpShuffleMode,
    mask: u32,
    value: T,
    lane: u32,
    c: u32,
) -> (T, bool) {
    let mut result = value;
    let source = (&raw const value).cast::<u8>();
    let target = (&raw mut result).cast::<u8>();
    let mut in_range = true;
    let mut at = 0;
    // SAFETY: the pieces lie inside value and result, which are plain old data; else the caller's duty.
    unsafe {
        while at < size_of::<T>() {
            let bytes = if size_of::<T>() - at < 4 {
                size_of::<T>() - at
            } else {
                4
            };
            let mut word = 0u32;
            core::ptr::copy_nonoverlapping(source.add(at), (&raw mut word).cast(), bytes);
            let moved = if at == 0 {
                let (moved, p) = shuffle_word(mode, mask, word, lane, c);
                in_range = p;
                moved
            } else {
                shuffle_next_word(mode, mask, word, lane, c)
            };
            core::ptr::copy_nonoverlapping((&raw const moved).cast(), target.add(at), bytes);
            at += 4;
        }
    }
    (result, in_range)
}
