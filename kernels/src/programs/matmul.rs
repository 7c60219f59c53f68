//! Matrix product on a two-dimensional grid: naive, and tiled through shared memory.
//!
//! **Problem.** `c = a · b`, row-major, `a` of m × k, `b` of k × n.
//! **Launch.** Blocks of 16 × 16 threads, one element of `c` each; the grid covers `c`.
//! **Lanes.** Thread (x, y) of block (X, Y) computes row 16·Y + y, column 16·X + x. Both kernels add the
//! k products in the same order with one fused multiply-add each, so their results are equal to
//! the bit.
//! **Preconditions.** None on the sizes: the ragged tiles are filled with zeros.
//! **Expected PTX.** `fma.rn.f32`; naive: two `ld.global` per `fma`; tiled: two `ld.shared` per `fma`, 16
//! `fma` in a row, two `ld.global` per 16 of them, two `bar.sync` per tile.
//! **Cost.** Naive: 8 bytes of global loads per product. Tiled: 8/16 of that, 2048 shared bytes.

use cuda_std::prelude::*;

use crate::fma::MulAdd;

/// Threads of a block, and elements of a tile, in x and in y.
pub const TILE: u32 = 16;
const SIDE: usize = TILE as usize;

/// Each thread walks along its row of `a` and its column of `b`.
///
/// # Safety
/// - `a` holds m · k and `b` k · n elements, and `c` is valid for m · n writes.
#[kernel(block = (TILE, TILE, 1))]
pub unsafe fn matmul_naive_f32(a: &[f32], b: &[f32], c: *mut f32, m: u32, k: u32, n: u32) {
    let at = thread::index_2d();
    if at.y >= m || at.x >= n {
        return;
    }
    let (row, column, k, n) = (at.y as usize, at.x as usize, k as usize, n as usize);
    let mut sum = 0.0f32;
    let mut i = 0;
    while i < k {
        // SAFETY: row < m, i < k, column < n.
        let (x, y) = unsafe {
            (
                a.get_unchecked(row * k + i),
                b.get_unchecked(i * n + column),
            )
        };
        sum = MulAdd::mul_add(*x, *y, sum);
        i += 1;
    }
    // SAFETY: row < m and column < n.
    unsafe { c.add(row * n + column).write(sum) }
}

/// The block brings one tile of `a` and one of `b` into shared memory, uses each element 16 times,
/// and goes on to the next pair.
///
/// # Safety
/// - As [`matmul_naive_f32`].
#[kernel(block = (TILE, TILE, 1))]
pub unsafe fn matmul_tiled_f32(a: &[f32], b: &[f32], c: *mut f32, m: u32, k: u32, n: u32) {
    let tile_a = shared_array![f32; SIDE * SIDE];
    let tile_b = shared_array![f32; SIDE * SIDE];
    let at = thread::index_2d();
    let (x, y) = (
        thread::thread_idx_x() as usize,
        thread::thread_idx_y() as usize,
    );
    let (row, column) = (at.y as usize, at.x as usize);
    let (m, k, n) = (m as usize, k as usize, n as usize);
    let mut sum = 0.0f32;
    let mut start = 0;
    while start < k {
        let from_a = if row < m && start + x < k {
            a.get(row * k + start + x)
        } else {
            None
        };
        let from_b = if column < n && start + y < k {
            b.get((start + y) * n + column)
        } else {
            None
        };
        // SAFETY: the tiles have a slot per thread.
        unsafe {
            tile_a
                .add(y * SIDE + x)
                .write(from_a.copied().unwrap_or(0.0));
            tile_b
                .add(y * SIDE + x)
                .write(from_b.copied().unwrap_or(0.0));
        }
        thread::sync_threads();
        // Past k both factors are zeros, and add nothing.
        let mut i = 0;
        while i < SIDE {
            // SAFETY: i, x and y are below the side of the tiles, which the barrier completed.
            let (x, y) = unsafe {
                (
                    tile_a.add(y * SIDE + i).read(),
                    tile_b.add(i * SIDE + x).read(),
                )
            };
            sum = MulAdd::mul_add(x, y, sum);
            i += 1;
        }
        thread::sync_threads();
        start += SIDE;
    }
    if row < m && column < n {
        // SAFETY: row < m and column < n.
        unsafe { c.add(row * n + column).write(sum) }
    }
}
