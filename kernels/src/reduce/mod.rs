//! The reduction ladder: from the slowest textbook version to the fastest, one idea a step.
//!
//! Each step is a generic body, instantiated for sum, min and max over `i32`, `u32`, `i64`, `u64`,
//! `f32` and `f64`; the kernels are called `reduce_OP_TYPE_vN_NAME`, as in
//! `reduce_sum_f32_v3_sequential` (`Step::kernel` of the host spells it so). [`STEPS`] lists
//! them with their launch shapes. The results are defined in [`crate::op`]: integer sums wrap, NaN
//! loses in minimum and maximum, and nothing gives the identity.
//!
//! Steps 1–9 write one partial per block, which a second launch of the same step reduces, and so
//! on until one block is left. Step 0 needs no partials and step 10 and 11 need no second launch.

pub mod v0_atomic;
pub mod v10_last_block;
pub mod v11_streaming;
pub mod v1_interleaved_modulo;
pub mod v2_interleaved_strided;
pub mod v3_sequential;
pub mod v4_first_add;
pub mod v5_last_warp_shuffle;
pub mod v6_shuffle_shared;
pub mod v7_redux;
pub mod v8_vector;
pub mod v9_many;

mod ladder;
mod persistent;

pub use ladder::{Extent, Finish, STEPS, Step, launches, step};
pub(crate) use persistent::walk;

use cuda_std::thread;

use crate::element::Element;
use crate::index;
use crate::op::Op;
use crate::warp_level::{WARP, reduce_down};

/// Threads in a block of steps 0–9.
pub const BLOCK: u32 = 256;
/// Warps in such a block.
pub const WARPS: u32 = BLOCK / WARP;

/// `input[index]`, or the identity past the end: one predicated load.
#[inline(always)]
pub(crate) fn load_or_identity<T: Element, O: Op<T>>(input: &[T], index: usize) -> T {
    match input.get(index) {
        Some(&value) => value,
        None => O::IDENTITY,
    }
}

/// Thread 0 writes the block's result. It takes the identity in, so that a NaN never comes out.
///
/// # Safety
/// - `target` is aligned and valid for a write at the index of this block.
#[inline(always)]
pub(crate) unsafe fn write_partial<T: Element, O: Op<T>>(target: *mut T, value: T) {
    if index::in_block() == 0 {
        // SAFETY: valid by the caller's promise; no other thread writes this block's slot.
        unsafe {
            target
                .add(index::block())
                .write(O::combine(O::IDENTITY, value))
        }
    }
}

/// Shuffles inside each warp, one shared slot a warp, then the first warp reduces the slots. The
/// result is in thread 0. One barrier, or two when `slots` may still be read from an earlier use.
///
/// # Safety
/// - Every thread of a block of `warps` whole warps calls this together.
/// - `slots` is shared memory for `warps` values, which no thread still reads.
#[inline(always)]
pub(crate) unsafe fn block_by_shuffle<T: Element, O: Op<T>>(
    value: T,
    slots: *mut T,
    warps: u32,
) -> T {
    let t = thread::thread_idx_x();
    // SAFETY: the whole block is here, so each warp is.
    let mut value = unsafe { reduce_down::<T, O>(value) };
    // SAFETY: one slot per warp; the barrier is reached by the whole block.
    unsafe {
        if t.is_multiple_of(WARP) {
            slots.add((t / WARP) as usize).write(value);
        }
        thread::sync_threads();
    }
    if t < WARP {
        value = O::IDENTITY;
        if t < warps {
            // SAFETY: written before the barrier.
            value = unsafe { slots.add(t as usize).read() };
        }
        // SAFETY: the whole first warp is here.
        value = unsafe { reduce_down::<T, O>(value) };
    }
    value
}

/// Writes the eighteen kernels of a step: `BODY::<type, op>(arguments…)` in each.
macro_rules! instantiate {
    (
        contract = $contract:tt,
        shared = $shared:expr,
        body = $body:ident,
        $($op:ident: $($t:ident => $name:ident),* $(,)?;)*
    ) => {$($(
        #[doc = concat!("The step's kernel for `", stringify!($op), "` over `", stringify!($t), "`; see the module.")]
        ///
        /// # Safety
        /// - The block has the step's shape, and the grid as many blocks as the step's table says.
        /// - `partials` is valid for writes of one value per block.
        #[cuda_std::kernel $contract]
        pub unsafe fn $name(input: &[$t], partials: *mut $t) {
            let shared = cuda_std::shared_array![$t; $shared];
            // SAFETY: the shape and the pointers are the caller's promise; the shared array is
            // this block's own.
            unsafe { $body::<$t, crate::op::$op>(input, partials, shared) }
        }
    )*)*};
}
pub(crate) use instantiate;
