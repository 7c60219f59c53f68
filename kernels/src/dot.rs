//! The dot product, in one launch.
//!
//! **Problem.** `out[0]` = Σ aᵢ · bᵢ.
//! **Launch.** [`BLOCK`] threads, [`grid`] blocks; the last block finishes.
//! **Lanes.** Each thread multiplies and adds its share: packs of 16 bytes of both inputs where their
//! addresses have the same remainder modulo 16, single elements otherwise. Then as in step 10.
//! With aᵢ = 1 and bᵢ = *i*, n = 4: 6.
//! **Preconditions.** `ticket[0]` is 0; it is 0 again afterwards.
//! **Expected PTX.** Two 16-byte loads for four `fma.rn.f32` (`mad.lo.s32`).
//! **Cost.** Twice the bytes of a sum per element.

use cuda_std::prelude::*;

use crate::element::{PACK_BYTES, head_len};
use crate::fma::MulAdd;
use crate::index;
use crate::op::{Op, Sum};
use crate::reduce::{v9_many, v10_last_block};
use crate::warp_level::ReduxOp;

/// Threads in a block.
pub const BLOCK: u32 = v9_many::WIDE_BLOCK;
/// Blocks per multiprocessor: the packs of two inputs want 40 registers.
const RESIDENT: u32 = 3;

/// Blocks to launch for so many elements on so many multiprocessors.
pub const fn grid(len: u64, element_size: usize, multiprocessors: u32) -> u32 {
    let share = BLOCK as u64 * 2 * (PACK_BYTES / element_size) as u64;
    let blocks = len.div_ceil(share);
    let most = RESIDENT as u64 * multiprocessors as u64;
    let blocks = if blocks < most { blocks } else { most };
    if blocks == 0 { 1 } else { blocks as u32 }
}

/// This thread's share of the sum, over the shorter length.
#[inline(always)]
fn share<T: MulAdd>(a: &[T], b: &[T]) -> T
where
    Sum: Op<T>,
{
    let len = if a.len() < b.len() { a.len() } else { b.len() };
    let alike = a.as_ptr().addr() % PACK_BYTES == b.as_ptr().addr() % PACK_BYTES;
    // Without a common boundary everything counts as ragged end, after no packs.
    let head = if alike { head_len(a.as_ptr(), len) } else { 0 };
    let packs = if alike { (len - head) / T::PER_PACK } else { 0 };
    let mut sums = [Sum::IDENTITY; 2];
    let step = index::grid_threads();
    let first = index::global();
    let mut pack = first;
    while pack + step < packs {
        // SAFETY: both packs lie inside, at 16-byte boundaries.
        let loaded = unsafe {
            let (at, next) = (
                head + pack * T::PER_PACK,
                head + (pack + step) * T::PER_PACK,
            );
            [
                T::load(a.as_ptr().add(at)),
                T::load(b.as_ptr().add(at)),
                T::load(a.as_ptr().add(next)),
                T::load(b.as_ptr().add(next)),
            ]
        };
        sums[0] = multiply_add::<T>(loaded[0], loaded[1], sums[0]);
        sums[1] = multiply_add::<T>(loaded[2], loaded[3], sums[1]);
        pack += 2 * step;
    }
    if pack < packs {
        let at = head + pack * T::PER_PACK;
        // SAFETY: the pack lies inside, at a 16-byte boundary.
        let (x, y) = unsafe { (T::load(a.as_ptr().add(at)), T::load(b.as_ptr().add(at))) };
        sums[0] = multiply_add::<T>(x, y, sums[0]);
    }
    let mut sum = Sum::combine(sums[0], sums[1]);
    if first < head {
        // SAFETY: the head is at most the shorter length.
        let (x, y) = unsafe { (a.get_unchecked(first), b.get_unchecked(first)) };
        sum = MulAdd::mul_add(*x, *y, sum);
    }
    let mut i = head + packs * T::PER_PACK + first;
    while let (Some(&x), Some(&y)) = (a.get(i), b.get(i)) {
        sum = MulAdd::mul_add(x, y, sum);
        i += step;
    }
    sum
}

#[inline(always)]
fn multiply_add<T: MulAdd>(a: T::Pack, b: T::Pack, mut sum: T) -> T {
    for (x, y) in a.as_ref().iter().zip(b.as_ref()) {
        sum = MulAdd::mul_add(*x, *y, sum);
    }
    sum
}

#[inline(always)]
unsafe fn dot<T: MulAdd>(a: &[T], b: &[T], to: v10_last_block::Targets<T>, slots: *mut T)
where
    Sum: ReduxOp<T>,
{
    // SAFETY: the caller's promise is the same.
    unsafe { v10_last_block::finish::<T, Sum>(share(a, b), to, slots) }
}

macro_rules! dot_kernels {
    ($($t:ident => $name:ident;)*) => {$(
        #[doc = concat!("The dot product of two `", stringify!($t), "` arrays.")]
        ///
        /// # Safety
        /// - `partials` is valid for writes of one value per block, `out` for one.
        /// - `ticket` is valid and 0.
        #[kernel(block = BLOCK, min_blocks = RESIDENT)]
        pub unsafe fn $name(
            a: &[$t],
            b: &[$t],
            partials: *mut $t,
            ticket: *mut u32,
            out: *mut $t,
        ) {
            let slots = shared_array![$t; v9_many::WIDE_WARPS as usize];
            let to = v10_last_block::Targets { partials, ticket, out };
            // SAFETY: the caller's promise; the shared array has a slot per warp.
            unsafe { dot::<$t>(a, b, to, slots) }
        }
    )*};
}

dot_kernels! {
    i32 => dot_i32;
    u32 => dot_u32;
    i64 => dot_i64;
    u64 => dot_u64;
    f32 => dot_f32;
    f64 => dot_f64;
}
