//! Matrix addition in `f64`, on a two-dimensional grid.
//!
//! **Problem.** `c = a + b` for row-major matrices of `rows` × `columns`.
//! **Launch.** Blocks of 16 × 16 threads, enough to cover the matrix; threads outside return.
//! **Lanes.** x counts columns and y rows: thread (x, y) of block (X, Y) holds the element in row
//! 16·Y + y and column 16·X + x. A warp is two rows of a block, so each access of a warp is two
//! runs of 128 bytes.
//! **Expected PTX.** Two `ld.global.f64` (`b64`), one `add.rn.f64`, one store.
//! **Cost.** 24 bytes moved per addition.

use cuda_std::prelude::*;

/// Threads of a block, in x and in y.
pub const TILE: u32 = 16;

/// `c = a + b`.
///
/// # Safety
/// - `a` and `b` hold `rows · columns` elements, and `c` is valid for as many writes.
#[kernel(block = (TILE, TILE, 1))]
pub unsafe fn matrix_add_f64(a: &[f64], b: &[f64], c: *mut f64, rows: u32, columns: u32) {
    let at = thread::index_2d();
    if at.y < rows && at.x < columns {
        let i = at.y as usize * columns as usize + at.x as usize;
        // SAFETY: i is below rows · columns, which the buffers hold by the contract.
        unsafe { c.add(i).write(a.get_unchecked(i) + b.get_unchecked(i)) }
    }
}
