//! Step 1: a tree in shared memory, interleaved, chosen by modulo.
//!
//! **Problem.** One partial per block of 256 elements.
//! **Launch.** 256 threads, one element each; the last block may be ragged.
//! **Lanes.** Before: thread *t* holds `input[256·b + t]` in `tile[t]`. At stride *s* = 1, 2, 4 …
//! 128 the threads with *t* mod 2*s* = 0 add `tile[t + s]`; with all ones, `tile[0]` holds 2, 4, 8 …
//! 256. After: `partials[b]` holds the block's result.
//! **Expected PTX.** `rem.u32` in the loop, `ld.shared`, `st.shared`, `bar.sync`.
//! **Cost.** 8 steps, 8 barriers, 256 × `size_of::<T>()` shared bytes. In the first step every warp
//! runs with half of its lanes, in the fifth with one; the modulo by a variable costs about 20
//! instructions a step.

use cuda_std::thread;

use super::{BLOCK, instantiate, load_or_identity, write_partial};
use crate::element::Element;
use crate::index;
use crate::op::Op;

#[inline(always)]
unsafe fn body<T: Element, O: Op<T>>(input: &[T], partials: *mut T, tile: *mut T) {
    let t = index::in_block();
    let block = thread::block_dim_x();
    // SAFETY: t < BLOCK, the length of the tile; barriers separate writers from readers.
    unsafe {
        tile.add(t).write(load_or_identity::<T, O>(
            input,
            index::block() * BLOCK as usize + t,
        ));
        let mut stride = 1;
        while stride < block {
            thread::sync_threads();
            #[expect(
                clippy::manual_is_multiple_of,
                reason = "the modulo is what this step is about"
            )]
            if t as u32 % (2 * stride) == 0 {
                let other = tile.add(t + stride as usize).read();
                tile.add(t).write(O::combine(tile.add(t).read(), other));
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
        i32 => reduce_sum_i32_v1_interleaved_modulo,
        u32 => reduce_sum_u32_v1_interleaved_modulo,
        i64 => reduce_sum_i64_v1_interleaved_modulo,
        u64 => reduce_sum_u64_v1_interleaved_modulo,
        f32 => reduce_sum_f32_v1_interleaved_modulo,
        f64 => reduce_sum_f64_v1_interleaved_modulo,
    ;
    Min:
        i32 => reduce_min_i32_v1_interleaved_modulo,
        u32 => reduce_min_u32_v1_interleaved_modulo,
        i64 => reduce_min_i64_v1_interleaved_modulo,
        u64 => reduce_min_u64_v1_interleaved_modulo,
        f32 => reduce_min_f32_v1_interleaved_modulo,
        f64 => reduce_min_f64_v1_interleaved_modulo,
    ;
    Max:
        i32 => reduce_max_i32_v1_interleaved_modulo,
        u32 => reduce_max_u32_v1_interleaved_modulo,
        i64 => reduce_max_i64_v1_interleaved_modulo,
        u64 => reduce_max_u64_v1_interleaved_modulo,
        f32 => reduce_max_f32_v1_interleaved_modulo,
        f64 => reduce_max_f64_v1_interleaved_modulo,
    ;
}
