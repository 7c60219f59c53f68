//! Step 2: interleaved tree, strided index: the working threads are neighbours.
//!
//! **Problem.** As step 1; only the mapping of threads to pairs changes.
//! **Launch.** 256 threads, one element each.
//! **Lanes.** At stride *s* thread *t* adds `tile[2st + s]` to `tile[2st]`, as long as 2*st* < 256: 128,
//! 64, 32 … threads work, and they are the first ones, so whole warps drop out instead of lanes.
//! **Expected PTX.** No `rem`; `ld.shared`, `st.shared`, `bar.sync`.
//! **Cost.** 8 steps, 8 barriers, 256 × `size_of::<T>()` shared bytes. The new problem: at stride *s*
//! neighbours are 2*s* words apart, so 2*s* of them meet in one bank (32-way at *s* = 16).

use cuda_std::thread;

use super::{BLOCK, instantiate, load_or_identity, write_partial};
use crate::element::Element;
use crate::index;
use crate::op::Op;

#[inline(always)]
unsafe fn body<T: Element, O: Op<T>>(input: &[T], partials: *mut T, tile: *mut T) {
    let t = index::in_block();
    let block = thread::block_dim_x() as usize;
    // SAFETY: t < BLOCK, the length of the tile; barriers separate writers from readers.
    unsafe {
        tile.add(t).write(load_or_identity::<T, O>(
            input,
            index::block() * BLOCK as usize + t,
        ));
        let mut stride = 1;
        while stride < block {
            thread::sync_threads();
            let at = 2 * stride * t;
            if at < block {
                let other = tile.add(at + stride).read();
                tile.add(at).write(O::combine(tile.add(at).read(), other));
            }
            stride *= 2;
        }
        write_partial::<T, O>(partials, tile.read());
    }
}

instantiate! {
    contract = (block = BLOCK),
    shared = BLOCK as usize,
    body = body,
    Sum:
        i32 => reduce_sum_i32_v2_interleaved_strided,
        u32 => reduce_sum_u32_v2_interleaved_strided,
        i64 => reduce_sum_i64_v2_interleaved_strided,
        u64 => reduce_sum_u64_v2_interleaved_strided,
        f32 => reduce_sum_f32_v2_interleaved_strided,
        f64 => reduce_sum_f64_v2_interleaved_strided,
    ;
    Min:
        i32 => reduce_min_i32_v2_interleaved_strided,
        u32 => reduce_min_u32_v2_interleaved_strided,
        i64 => reduce_min_i64_v2_interleaved_strided,
        u64 => reduce_min_u64_v2_interleaved_strided,
        f32 => reduce_min_f32_v2_interleaved_strided,
        f64 => reduce_min_f64_v2_interleaved_strided,
    ;
    Max:
        i32 => reduce_max_i32_v2_interleaved_strided,
        u32 => reduce_max_u32_v2_interleaved_strided,
        i64 => reduce_max_i64_v2_interleaved_strided,
        u64 => reduce_max_u64_v2_interleaved_strided,
        f32 => reduce_max_f32_v2_interleaved_strided,
        f64 => reduce_max_f64_v2_interleaved_strided,
    ;
}
