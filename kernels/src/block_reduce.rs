//! Block reductions of the first article: the shared tree, and shuffles with one shared slot a warp.
//!
//! **Problem.** Each 256 elements of the input to one value.
//! **Launch.** [`BLOCK`] threads, one element each.
//! **Lanes.** Before: thread *t* of block *b* holds `input[256·b + t]`. After: thread 0 holds the block's
//! result and writes `out[b]`; with all ones, 256.
//! **Expected PTX.** `_tree`: `ld.shared`, `st.shared` and `bar.sync` in a loop, no `shfl`. `_shuffle`: ten
//! `shfl.sync.down` (twenty for 8-byte types) and one `bar.sync`.
//! **Cost** for 4-byte types, as the article counts:
//!
//! | | steps | shared bytes | barriers |
//! |---|---|---|---|
//! | `_tree` | 8 | 1024 | 8 |
//! | `_shuffle` | 10 | 128 | 1 |

use crate::element::Element;
use crate::index;
use crate::op::Op;
use crate::reduce::{block_by_shuffle, load_or_identity, v3_sequential, write_partial};
use crate::warp_level::WARP;

/// Threads in a block.
pub const BLOCK: u32 = 256;
/// Shared slots of `_shuffle`: enough for the 32 warps of the largest block, as in the article.
pub const SLOTS: usize = 32;

#[inline(always)]
unsafe fn tree<T: Element, O: Op<T>>(input: &[T], out: *mut T, tile: *mut T) {
    let value = load_or_identity::<T, O>(input, index::global());
    // SAFETY: the tile has a value per thread, and the whole block is here.
    let value = unsafe { v3_sequential::halve_to::<T, O>(value, tile, 0) };
    write_block::<T, O>(input, out, value)
}

#[inline(always)]
unsafe fn shuffle<T: Element, O: Op<T>>(input: &[T], out: *mut T, slots: *mut T) {
    let value = load_or_identity::<T, O>(input, index::global());
    // SAFETY: a slot per warp, and the whole block is here.
    let value = unsafe { block_by_shuffle::<T, O>(value, slots, BLOCK / WARP) };
    write_block::<T, O>(input, out, value)
}

/// A block without elements, which only an empty input has, writes nothing.
#[inline(always)]
fn write_block<T: Element, O: Op<T>>(input: &[T], out: *mut T, value: T) {
    if index::block() * (BLOCK as usize) < input.len() {
        // SAFETY: a slot per block of the input by the kernels' contract.
        unsafe { write_partial::<T, O>(out, value) }
    }
}

macro_rules! block_kernels {
    ($($op:ident, $t:ident: $tree:ident, $shuffle:ident;)*) => {$(
        /// The block's result by a tree in shared memory.
        ///
        /// # Safety
        /// - `out` holds a value per block.
        #[cuda_std::kernel(block = BLOCK)]
        pub unsafe fn $tree(input: &[$t], out: *mut $t) {
            let tile = cuda_std::shared_array![$t; BLOCK as usize];
            // SAFETY: the tile has a value per thread, and the shape is the caller's promise.
            unsafe { tree::<$t, crate::op::$op>(input, out, tile) }
        }
        /// The block's result by shuffles and one shared slot a warp.
        ///
        /// # Safety
        /// - `out` holds a value per block.
        #[cuda_std::kernel(block = BLOCK)]
        pub unsafe fn $shuffle(input: &[$t], out: *mut $t) {
            let slots = cuda_std::shared_array![$t; SLOTS];
            // SAFETY: there are slots for 32 warps, and the shape is the caller's promise.
            unsafe { shuffle::<$t, crate::op::$op>(input, out, slots) }
        }
    )*};
}

block_kernels! {
    Sum, i32: block_sum_i32_tree, block_sum_i32_shuffle;
    Sum, u32: block_sum_u32_tree, block_sum_u32_shuffle;
    Sum, i64: block_sum_i64_tree, block_sum_i64_shuffle;
    Sum, u64: block_sum_u64_tree, block_sum_u64_shuffle;
    Sum, f32: block_sum_f32_tree, block_sum_f32_shuffle;
    Sum, f64: block_sum_f64_tree, block_sum_f64_shuffle;
    Min, i32: block_min_i32_tree, block_min_i32_shuffle;
    Min, u32: block_min_u32_tree, block_min_u32_shuffle;
    Min, i64: block_min_i64_tree, block_min_i64_shuffle;
    Min, u64: block_min_u64_tree, block_min_u64_shuffle;
    Min, f32: block_min_f32_tree, block_min_f32_shuffle;
    Min, f64: block_min_f64_tree, block_min_f64_shuffle;
    Max, i32: block_max_i32_tree, block_max_i32_shuffle;
    Max, u32: block_max_u32_tree, block_max_u32_shuffle;
    Max, i64: block_max_i64_tree, block_max_i64_shuffle;
    Max, u64: block_max_u64_tree, block_max_u64_shuffle;
    Max, f32: block_max_f32_tree, block_max_f32_shuffle;
    Max, f64: block_max_f64_tree, block_max_f64_shuffle;
}
