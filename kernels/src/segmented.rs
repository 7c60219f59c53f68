//! Reductions of consecutive segments of different lengths.
//!
//! **Problem.** `out[s]` = the sum (minimum, maximum) of `input[offsets[s]..offsets[s + 1]]`; the identity
//! for an empty segment.
//! **Launch.** `_lanes4`, `_lanes32`: [`BLOCK`] threads, of which 4 or 32 lanes work on a segment; `_block`: 256
//! threads on a segment. [`variant`] chooses by the mean length.
//! **Lanes.** The group's lanes walk over the segment side by side, in packs of 16 bytes between its
//! first and last 16-byte boundary; two or five butterfly steps leave the result in all of them.
//! **Preconditions.** The offsets do not decrease and stay within the input.
//! **Expected PTX.** `ld.global.v4.b32`, `shfl.sync.bfly` with the group's width.
//! **Cost.** Short segments want few lanes: with 32 elements, four lanes hold two packs each.

use cuda_std::prelude::*;
use cuda_std::warp::warp_shuffle_xor;

use crate::element::{Element, head_len};
use crate::index;
use crate::op::Op;
use crate::reduce::{block_by_shuffle, write_partial};
use crate::warp_level::{FULL, WARP};

/// Threads in a block.
pub const BLOCK: u32 = 256;
const WARPS: u32 = BLOCK / WARP;

/// How many threads work on a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The last part of the kernels' names.
    pub name: &'static str,
    /// Threads per segment.
    pub threads: u32,
}

/// Few lanes, a warp, a block.
pub const VARIANTS: [Variant; 3] = [
    Variant {
        name: "lanes4",
        threads: 4,
    },
    Variant {
        name: "lanes32",
        threads: 32,
    },
    Variant {
        name: "block",
        threads: BLOCK,
    },
];

/// The variant for segments of so many elements on average.
pub const fn variant(mean_len: u64) -> Variant {
    if mean_len <= 64 {
        VARIANTS[0]
    } else if mean_len <= 2048 {
        VARIANTS[1]
    } else {
        VARIANTS[2]
    }
}

/// Blocks to launch: at least one.
pub const fn grid(segments: u64, variant: Variant) -> u32 {
    let blocks = segments.div_ceil((BLOCK / variant.threads) as u64);
    if blocks == 0 { 1 } else { blocks as u32 }
}

/// The share of one of `threads` threads in a segment.
#[inline(always)]
fn share<T: Element, O: Op<T>>(segment: &[T], rank: usize, threads: usize) -> T {
    let head = head_len(segment.as_ptr(), segment.len());
    let packs = (segment.len() - head) / T::PER_PACK;
    let tail = head + packs * T::PER_PACK;
    let mut sum = O::IDENTITY;
    if rank < head {
        sum = O::combine(sum, segment[rank]);
    }
    let mut pack = rank;
    while pack < packs {
        // SAFETY: inside the segment, and at a 16-byte boundary.
        let values = unsafe { T::load(segment.as_ptr().add(head + pack * T::PER_PACK)) };
        sum = O::combine(sum, O::fold(values));
        pack += threads;
    }
    if let Some(&value) = segment.get(tail + rank) {
        sum = O::combine(sum, value);
    }
    sum
}

/// The segment of that number.
///
/// # Safety
/// - The offsets do not decrease and stay within the input, and there is one more than `index`.
#[inline(always)]
unsafe fn segment<'a, T>(input: &'a [T], offsets: &[u32], index: usize) -> &'a [T] {
    // SAFETY: the caller's promise.
    unsafe {
        let start = *offsets.get_unchecked(index) as usize;
        let end = *offsets.get_unchecked(index + 1) as usize;
        input.get_unchecked(start..end)
    }
}

/// `LANES` is a power of two from 4 (so that the ragged ends have a lane each) to 32.
#[inline(always)]
unsafe fn by_lanes<T: Element, O: Op<T>, const LANES: usize>(
    input: &[T],
    offsets: &[u32],
    out: *mut T,
) {
    let i = index::global();
    let (which, rank) = (i / LANES, i % LANES);
    let exists = which + 1 < offsets.len();
    let mut value = O::IDENTITY;
    if exists {
        // SAFETY: the kernels' contract.
        value = share::<T, O>(unsafe { segment(input, offsets, which) }, rank, LANES);
    }
    let mut bit = LANES as u32 / 2;
    while bit > 0 {
        // SAFETY: no lane left the warp.
        let (other, _) = unsafe { warp_shuffle_xor(FULL, value, bit, WARP) };
        value = O::combine(value, other);
        bit /= 2;
    }
    if exists && rank == 0 {
        // SAFETY: a slot per segment by the kernels' contract.
        unsafe { out.add(which).write(O::combine(O::IDENTITY, value)) }
    }
}

#[inline(always)]
unsafe fn by_block<T: Element, O: Op<T>>(input: &[T], offsets: &[u32], out: *mut T, slots: *mut T) {
    if index::block() + 1 >= offsets.len() {
        return;
    }
    // SAFETY: the kernels' contract; the whole block is here, and there is a slot per warp.
    unsafe {
        let segment = segment(input, offsets, index::block());
        let value = share::<T, O>(segment, index::in_block(), BLOCK as usize);
        write_partial::<T, O>(out, block_by_shuffle::<T, O>(value, slots, WARPS));
    }
}

macro_rules! segmented_kernels {
    ($($op:ident, $t:ident => $lanes4:ident, $lanes32:ident, $block:ident;)*) => {$(
        /// Four lanes per segment.
        ///
        /// # Safety
        /// - The offsets do not decrease and stay within the input; `out` holds a value per segment.
        #[kernel(block = BLOCK)]
        pub unsafe fn $lanes4(input: &[$t], offsets: &[u32], out: *mut $t) {
            // SAFETY: the caller's promise is the same.
            unsafe { by_lanes::<$t, crate::op::$op, 4>(input, offsets, out) }
        }
        /// A warp per segment.
        ///
        /// # Safety
        /// - As for four lanes.
        #[kernel(block = BLOCK)]
        pub unsafe fn $lanes32(input: &[$t], offsets: &[u32], out: *mut $t) {
            // SAFETY: the caller's promise is the same.
            unsafe { by_lanes::<$t, crate::op::$op, 32>(input, offsets, out) }
        }
        /// A block per segment.
        ///
        /// # Safety
        /// - As for four lanes.
        #[kernel(block = BLOCK)]
        pub unsafe fn $block(input: &[$t], offsets: &[u32], out: *mut $t) {
            let slots = shared_array![$t; WARPS as usize];
            // SAFETY: the caller's promise is the same; a slot per warp.
            unsafe { by_block::<$t, crate::op::$op>(input, offsets, out, slots) }
        }
    )*};
}

segmented_kernels! {
    Sum, i32 => segmented_sum_i32_lanes4, segmented_sum_i32_lanes32, segmented_sum_i32_block;
    Sum, f32 => segmented_sum_f32_lanes4, segmented_sum_f32_lanes32, segmented_sum_f32_block;
    Sum, f64 => segmented_sum_f64_lanes4, segmented_sum_f64_lanes32, segmented_sum_f64_block;
    Min, i32 => segmented_min_i32_lanes4, segmented_min_i32_lanes32, segmented_min_i32_block;
    Min, f32 => segmented_min_f32_lanes4, segmented_min_f32_lanes32, segmented_min_f32_block;
    Min, f64 => segmented_min_f64_lanes4, segmented_min_f64_lanes32, segmented_min_f64_block;
    Max, i32 => segmented_max_i32_lanes4, segmented_max_i32_lanes32, segmented_max_i32_block;
    Max, f32 => segmented_max_f32_lanes4, segmented_max_f32_lanes32, segmented_max_f32_block;
    Max, f64 => segmented_max_f64_lanes4, segmented_max_f64_lanes32, segmented_max_f64_block;
}
