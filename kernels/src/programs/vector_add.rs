//! Vector addition: one thread per element, a guard for the threads past the end.
//!
//! **Problem.** `c[i] = a[i] + b[i]`.
//! **Launch.** Any number of blocks of any size that has a thread per element; the article's is 4
//! blocks of 100 threads, so that the last warp of each block has 4 of its 32 lanes.
//! **Lanes.** Thread *t* of block *b* holds element `b · blockDim + t`: in the article's launch block 2's
//! thread 5 holds element 205.
//! **Expected PTX.** Two `ld.global`, one `add`, one `st.global` under one guard.
//! **Cost.** 12 bytes moved per `f32` addition.

use cuda_std::prelude::*;

use crate::index;

/// The article's launch: blocks and threads.
pub const LAUNCH: (u32, u32) = (4, 100);

/// `c = a + b`.
///
/// # Safety
/// - `b` is as long as `a`, and `c` is valid for as many writes.
#[kernel]
pub unsafe fn vector_add_f32(a: &[f32], b: &[f32], c: *mut f32) {
    let i = index::global();
    if let (Some(a), Some(b)) = (a.get(i), b.get(i)) {
        // SAFETY: i is below the length, for which `c` is valid.
        unsafe { c.add(i).write(a + b) }
    }
}
