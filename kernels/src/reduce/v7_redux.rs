//! Step 7: the warp's five shuffles become one `redux.sync`.
//!
//! **Problem.** As step 4.
//! **Launch.** 256 threads, two elements each.
//! **Lanes.** As step 6, but every lane of a warp holds the warp's result after the first instruction.
//! **Expected PTX** from sm_80 on: two `redux.sync` for 32-bit integers and `f32` minimum and maximum;
//! four for 64-bit minimum and maximum, six for 64-bit sums ([`ReduxOp`] says how). Float sums have
//! no such instruction and keep the shuffles, as do all types on sm_70.
//! **Cost.** 2 steps, 1 barrier, 8 × `size_of::<T>()` shared bytes.

use super::v4_first_add::load_two;
use super::{BLOCK, WARPS, instantiate, write_partial};
use crate::element::Element;
use crate::warp_level::{ReduxOp, WARP};
use cuda_std::thread;

#[inline(always)]
unsafe fn body<T: Element, O: ReduxOp<T>>(input: &[T], partials: *mut T, slots: *mut T) {
    // SAFETY: a slot per warp, and the whole block is here.
    unsafe {
        let value = block_by_redux::<T, O>(load_two::<T, O>(input), slots, WARPS);
        write_partial::<T, O>(partials, value);
    }
}

/// As [`super::block_by_shuffle`], with `redux.sync` where the type has it. The result is in every
/// thread of the first warp.
///
/// # Safety
/// - Every thread of a block of `warps` whole warps calls this together.
/// - `slots` is shared memory for `warps` values, which no thread still reads.
#[inline(always)]
pub(super) unsafe fn block_by_redux<T: Element, O: ReduxOp<T>>(
    value: T,
    slots: *mut T,
    warps: u32,
) -> T {
    let t = thread::thread_idx_x();
    // SAFETY: the whole block is here, so each warp is.
    let mut value = unsafe { O::redux(value) };
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
        value = unsafe { O::redux(value) };
    }
    value
}

instantiate! {
    contract = (block = BLOCK),
    shared = WARPS as usize,
    body = body,
    Sum:
        i32 => reduce_sum_i32_v7_redux,
        u32 => reduce_sum_u32_v7_redux,
        i64 => reduce_sum_i64_v7_redux,
        u64 => reduce_sum_u64_v7_redux,
        f32 => reduce_sum_f32_v7_redux,
        f64 => reduce_sum_f64_v7_redux,
    ;
    Min:
        i32 => reduce_min_i32_v7_redux,
        u32 => reduce_min_u32_v7_redux,
        i64 => reduce_min_i64_v7_redux,
        u64 => reduce_min_u64_v7_redux,
        f32 => reduce_min_f32_v7_redux,
        f64 => reduce_min_f64_v7_redux,
    ;
    Max:
        i32 => reduce_max_i32_v7_redux,
        u32 => reduce_max_u32_v7_redux,
        i64 => reduce_max_i64_v7_redux,
        u64 => reduce_max_u64_v7_redux,
        f32 => reduce_max_f32_v7_redux,
        f64 => reduce_max_f64_v7_redux,
    ;
}
