//! Faults that a GPU hides, each with its mended twin: what `lockstep check` must find, and must not.
//!
//! They are the faults of NVIDIA's Compute Sanitizer samples, written afresh: a stray access, a misaligned one,
//! memory that nothing wrote, a race between two warps and one inside a warp, a barrier in a branch, a
//! mask that lacks its caller. Each kernel copies its input in a way that its documentation says; the
//! line that is wrong ends in `// fault`.
//!
//! **Launch.** One block of [`THREADS`] threads over [`ELEMENTS`] elements: the last four threads have none.
//! **Expected.** The faulty kernels may well give the right result: that is why they need finding.

use cuda_std::prelude::*;

use crate::warp_level::{FULL, WARP};

/// Threads in the block.
pub const THREADS: u32 = 64;
/// Elements of the input and of the output.
pub const ELEMENTS: usize = 60;

const SLOTS: usize = THREADS as usize;

fn me() -> usize {
    thread::thread_idx_x() as usize
}

/// `out[t]` = `input[t]` + 1, without the guard for the last threads.
///
/// # Safety
/// - None can be met: it reads and writes past the end.
#[kernel(block = THREADS)]
pub unsafe fn faulty_out_of_bounds(input: &[u32], out: *mut u32) {
    let t = me();
    // SAFETY: there is none for the last four threads.
    unsafe {
        let x = input.as_ptr().add(t).read(); // fault
        out.add(t).write(x + 1);
    }
}

/// The same with the guard.
///
/// # Safety
/// - `out` is as long as the input.
#[kernel(block = THREADS)]
pub unsafe fn mended_out_of_bounds(input: &[u32], out: *mut u32) {
    let t = me();
    if let Some(x) = input.get(t) {
        // SAFETY: a slot per element.
        unsafe { out.add(t).write(x + 1) }
    }
}

/// `out[t]` = the four bytes that begin one byte behind `input[t]`, as if they were aligned.
///
/// # Safety
/// - None can be met: the address is no multiple of four.
#[kernel(block = THREADS)]
pub unsafe fn faulty_misaligned(input: &[u32], out: *mut u32) {
    let t = me();
    if t + 1 < input.len() {
        // SAFETY: in bounds, and not aligned.
        unsafe {
            let x = input.as_ptr().byte_add(4 * t + 1).read(); // fault
            out.add(t).write(x);
        }
    }
}

/// The same, byte by byte.
///
/// # Safety
/// - `out` is as long as the input.
#[kernel(block = THREADS)]
pub unsafe fn mended_misaligned(input: &[u32], out: *mut u32) {
    let t = me();
    if t + 1 < input.len() {
        // SAFETY: in bounds; a slot per element.
        unsafe {
            let x = input.as_ptr().byte_add(4 * t + 1).read_unaligned();
            out.add(t).write(x);
        }
    }
}

/// `out[t]` += `input[t]`, where nobody wrote `out` before.
///
/// # Safety
/// - `out` is as long as the input, and initialised, which its case makes sure that it is not.
#[kernel(block = THREADS)]
pub unsafe fn faulty_uninitialized(input: &[u32], out: *mut u32) {
    let t = me();
    if let Some(x) = input.get(t) {
        // SAFETY: a slot per element.
        unsafe {
            let sum = out.add(t).read(); // fault
            out.add(t).write(sum.wrapping_add(*x));
        }
    }
}

/// `out[t]` = 0 + `input[t]`.
///
/// # Safety
/// - `out` is as long as the input.
#[kernel(block = THREADS)]
pub unsafe fn mended_uninitialized(input: &[u32], out: *mut u32) {
    let t = me();
    if let Some(x) = input.get(t) {
        // SAFETY: a slot per element.
        unsafe { out.add(t).write(*x) }
    }
}

/// Each thread's element goes to the same lane of the other warp, without a barrier.
///
/// # Safety
/// - None can be met: the other warp may not have written yet.
#[kernel(block = THREADS)]
pub unsafe fn faulty_race_between_warps(input: &[u32], out: *mut u32) {
    let tile = shared_array![u32; SLOTS];
    let t = me();
    // SAFETY: a slot per thread; nothing orders the read behind the write.
    unsafe {
        tile.add(t).write(input.get(t).copied().unwrap_or(0));
        let x = tile.add(t ^ WARP as usize).read(); // fault
        write_own(input, out, x);
    }
}

/// The same with the barrier.
///
/// # Safety
/// - `out` is as long as the input.
#[kernel(block = THREADS)]
pub unsafe fn mended_race_between_warps(input: &[u32], out: *mut u32) {
    let tile = shared_array![u32; SLOTS];
    let t = me();
    // SAFETY: a slot per thread; the barrier orders.
    unsafe {
        tile.add(t).write(input.get(t).copied().unwrap_or(0));
        thread::sync_threads();
        let x = tile.add(t ^ WARP as usize).read();
        write_own(input, out, x);
    }
}

/// Neighbours of one warp exchange through shared memory, as if a warp ran in lockstep.
///
/// # Safety
/// - None can be met: the neighbour may not have written yet.
#[kernel(block = THREADS)]
pub unsafe fn faulty_race_in_warp(input: &[u32], out: *mut u32) {
    let tile = shared_array![u32; SLOTS];
    let t = me();
    // SAFETY: a slot per thread; nothing orders the read behind the write.
    unsafe {
        tile.add(t).write(input.get(t).copied().unwrap_or(0));
        let x = tile.add(t ^ 1).read(); // fault
        write_own(input, out, x);
    }
}

/// The same behind `sync_warp`.
///
/// # Safety
/// - `out` is as long as the input.
#[kernel(block = THREADS)]
pub unsafe fn mended_race_in_warp(input: &[u32], out: *mut u32) {
    let tile = shared_array![u32; SLOTS];
    let t = me();
    // SAFETY: a slot per thread; the warp's barrier orders.
    unsafe {
        tile.add(t).write(input.get(t).copied().unwrap_or(0));
        warp::sync_warp(FULL);
        let x = tile.add(t ^ 1).read();
        write_own(input, out, x);
    }
}

/// Only the threads that have an element come to the first barrier, 28 lanes of the second warp; the
/// four others wait at the second. Each group may open the other's barrier, or both may wait for ever.
///
/// # Safety
/// - None can be met: every thread of the block must come to a barrier.
#[kernel(block = THREADS)]
pub unsafe fn faulty_divergent_barrier(input: &[u32], out: *mut u32) {
    let tile = shared_array![u32; SLOTS];
    let t = me();
    let mut x = 0;
    // SAFETY: a slot per thread; the barrier lacks four threads.
    unsafe {
        if t < input.len() {
            tile.add(t).write(input[t]);
            thread::sync_threads(); // fault
            x = tile.add(input.len() - 1 - t).read();
        }
        thread::sync_threads(); // fault
        write_own(input, out, x);
    }
}

/// The barrier outside the branch.
///
/// # Safety
/// - `out` is as long as the input.
#[kernel(block = THREADS)]
pub unsafe fn mended_divergent_barrier(input: &[u32], out: *mut u32) {
    let tile = shared_array![u32; SLOTS];
    let t = me();
    let mut x = 0;
    // SAFETY: a slot per thread; the whole block is at both barriers.
    unsafe {
        if t < input.len() {
            tile.add(t).write(input[t]);
        }
        thread::sync_threads();
        if t < input.len() {
            x = tile.add(input.len() - 1 - t).read();
        }
        thread::sync_threads();
        write_own(input, out, x);
    }
}

/// All lanes wait with a mask of the lower half, which lacks the upper half that waits too.
///
/// # Safety
/// - None can be met: a lane that waits must be in its mask.
#[kernel(block = THREADS)]
pub unsafe fn faulty_mask(input: &[u32], out: *mut u32) {
    // SAFETY: there is none for lanes 16…31.
    unsafe {
        warp::sync_warp(0x0000_ffff); // fault
        write_own(input, out, input.get(me()).copied().unwrap_or(0));
    }
}

/// The mask that names all.
///
/// # Safety
/// - `out` is as long as the input.
#[kernel(block = THREADS)]
pub unsafe fn mended_mask(input: &[u32], out: *mut u32) {
    // SAFETY: all lanes are here.
    unsafe {
        warp::sync_warp(FULL);
        write_own(input, out, input.get(me()).copied().unwrap_or(0));
    }
}

/// # Safety
/// - `out` is as long as the input.
#[inline(always)]
unsafe fn write_own(input: &[u32], out: *mut u32, x: u32) {
    let t = me();
    if t < input.len() {
        // SAFETY: a slot per element.
        unsafe { out.add(t).write(x) }
    }
}
