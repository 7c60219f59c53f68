//! Step 3: sequential addressing: no bank conflicts.
//!
//! **Problem.** As step 1.
//! **Launch.** 256 threads, one element each.
//! **Lanes.** At stride *s* = 128, 64 … 1 thread *t* < *s* adds `tile[t + s]` to `tile[t]`: neighbours
//! touch neighbouring words. With `tile[t]` = *t*: `tile[0]` holds 128, then 0 + 64 + 128 + 192 = 384,
//! at the end 32640.
//! **Expected PTX.** `ld.shared`, `st.shared`, `bar.sync`; no `rem`, no `mul` in the loop.
//! **Cost.** 8 steps, 8 barriers, 256 × `size_of::<T>()` shared bytes. Half of the threads do nothing
//! but load.

use cuda_std::thread;

use super::{BLOCK, instantiate, load_or_identity, write_partial};
use crate::element::Element;
use crate::index;
use crate::op::Op;

#[inline(always)]
unsafe fn body<T: Element, O: Op<T>>(input: &[T], partials: *mut T, tile: *mut T) {
    let t = index::in_block();
    let mut value = load_or_identity::<T, O>(input, index::block() * BLOCK as usize + t);
    // SAFETY: t < BLOCK, the length of the tile.
    unsafe {
        value = halve_to::<T, O>(value, tile, 0);
        write_partial::<T, O>(partials, value);
    }
}

/// The tree with sequential addressing, from half a block down to a stride above `floor`. The
/// partial results end in the first threads, twice `floor` of them (one for `floor` 0).
///
/// # Safety
/// - The whole block calls this together; `tile` is shared memory for a value per thread.
#[inline(always)]
pub(crate) unsafe fn halve_to<T: Element, O: Op<T>>(mut value: T, tile: *mut T, floor: usize) -> T {
    let t = index::in_block();
    let mut stride = thread::block_dim_x() as usize / 2;
    // SAFETY: t + stride < 2 · stride ≤ the block; barriers separate writers from readers.
    unsafe {
        tile.add(t).write(value);
        while stride > floor {
            thread::sync_threads();
            if t < stride {
                value = O::combine(value, tile.add(t + stride).read());
                tile.add(t).write(value);
            }
            stride /= 2;
        }
    }
    value
}

instantiate! {
    contract = (block = BLOCK),
    shared = BLOCK as usize,
    body = body,
    Sum:
        i32 => reduce_sum_i32_v3_sequential,
        u32 => reduce_sum_u32_v3_sequential,
        i64 => reduce_sum_i64_v3_sequential,
        u64 => reduce_sum_u64_v3_sequential,
        f32 => reduce_sum_f32_v3_sequential,
        f64 => reduce_sum_f64_v3_sequential,
    ;
    Min:
        i32 => reduce_min_i32_v3_sequential,
        u32 => reduce_min_u32_v3_sequential,
        i64 => reduce_min_i64_v3_sequential,
        u64 => reduce_min_u64_v3_sequential,
        f32 => reduce_min_f32_v3_sequential,
        f64 => reduce_min_f64_v3_sequential,
    ;
    Max:
        i32 => reduce_max_i32_v3_sequential,
        u32 => reduce_max_u32_v3_sequential,
        i64 => reduce_max_i64_v3_sequential,
        u64 => reduce_max_u64_v3_sequential,
        f32 => reduce_max_f32_v3_sequential,
        f64 => reduce_max_f64_v3_sequential,
    ;
}
