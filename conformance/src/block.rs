//! The collectives of a block, at every kind of block size. One case per block; a thread is a lane
//! here, and the mask is not used.

use cuda_std::ops;
use cuda_std::prelude::*;

use crate::{Case, Lane, numbered};

/// The shapes that the block kernels are launched in.
pub const BLOCK_SHAPES: &[[u32; 3]] = &[
    [1, 1, 1],
    [2, 1, 1],
    [31, 1, 1],
    [32, 1, 1],
    [33, 1, 1],
    [48, 1, 1],
    [63, 1, 1],
    [64, 1, 1],
    [65, 1, 1],
    [100, 1, 1],
    [128, 1, 1],
    [255, 1, 1],
    [256, 1, 1],
    [257, 1, 1],
    [500, 1, 1],
    [512, 1, 1],
    [993, 1, 1],
    [1000, 1, 1],
    [1023, 1, 1],
    [1024, 1, 1],
    [16, 16, 1],
    [8, 4, 2],
    [5, 3, 7],
    [7, 11, 13],
];

/// The most threads that a shape has.
pub const MAX_THREADS: usize = 1024;

numbered! {
    /// What a block kernel does.
    BlockOp {
        /// `reduce` by sum: thread 0.
        ReduceAdd,
        /// `reduce` by minimum: thread 0.
        ReduceMin,
        /// `reduce` by maximum: thread 0.
        ReduceMax,
        /// `reduce_all` by sum.
        ReduceAllAdd,
        /// `reduce_all` by maximum.
        ReduceAllMax,
        /// `inclusive_scan` by sum.
        InclusiveScan,
        /// `exclusive_scan` by sum.
        ExclusiveScan,
        /// `exclusive_sum`; then again the prefix of the total, to use the slots twice.
        ExclusiveSum,
        /// `broadcast` from the thread in the extra word.
        Broadcast,
        /// `exchange` with the thread in the operand, a permutation.
        Exchange,
        /// `reduce` by maximum with its thread: thread 0; the word is the thread.
        ArgMax,
    }
}

macro_rules! block_kernels {
    ($($name:ident: $ty:ty;)*) => {$(
        /// One block collective per case.
        ///
        /// # Safety
        /// - At most 1024 threads a block, one block per case; one element per thread in the other
        ///   arrays.
        #[kernel]
        pub unsafe fn $name(cases: *const Case, operands: *const u32, input: *const $ty, output: *mut $ty, words: *mut u32) {
            // SAFETY: the kernel's contract; the case is the same in the whole block.
            unsafe {
                let lane = Lane::new(cases, operands, input, output, words);
                let value = lane.value;
                let scratch = shared_array![$ty; 1024];
                let (value, word) = match lane.case.op {
                    0 => (block::reduce(value, ops::Add), 0),
                    1 => (block::reduce(value, ops::Min), 0),
                    2 => (block::reduce(value, ops::Max), 0),
                    3 => (block::reduce_all(value, ops::Add), 0),
                    4 => (block::reduce_all(value, ops::Max), 0),
                    5 => (block::inclusive_scan(value, ops::Add), 0),
                    6 => (block::exclusive_scan(value, ops::Add), 0),
                    7 => {
                        let (before, total) = block::exclusive_sum(value);
                        (before, u32::from(block::exclusive_sum(total).1 == block::reduce_all(total, ops::Add)))
                    }
                    8 => (block::broadcast(value, lane.case.extra), 0),
                    9 => (block::exchange(scratch, value, lane.operand), 0),
                    _ => block::reduce((value, lane.lane), ops::arg_max),
                };
                lane.write(value, word);
            }
        }
    )*};
}
block_kernels! {
    block_i32: i32;
    block_u32: u32;
    block_i64: i64;
    block_u64: u64;
    block_f32: f32;
    block_f64: f64;
}

/// f(x) = a·x + b under composition: op 0 `reduce`, 1 `reduce_all`, 2 `inclusive_scan`, 3
/// `exclusive_scan_from`.
///
/// # Safety
/// - As the other block kernels.
#[kernel]
pub unsafe fn block_affine(
    cases: *const Case,
    operands: *const u32,
    input: *const [u32; 2],
    output: *mut [u32; 2],
    words: *mut u32,
) {
    // SAFETY: the kernel's contract; the case is the same in the whole block.
    unsafe {
        let lane = Lane::new(cases, operands, input, output, words);
        let compose = |f: [u32; 2], g: [u32; 2]| {
            [
                f[0].wrapping_mul(g[0]),
                f[1].wrapping_mul(g[0]).wrapping_add(g[1]),
            ]
        };
        let value = match lane.case.op {
            0 => block::reduce(lane.value, compose),
            1 => block::reduce_all(lane.value, compose),
            2 => block::inclusive_scan(lane.value, compose),
            _ => block::exclusive_scan_from(lane.value, [3, lane.case.extra], compose),
        };
        lane.write(value, 0);
    }
}

/// Movement of several items: op 0 `compact` of the values whose operand is odd (to this block's
/// part of the output; the word is the count), 1 `histogram` of 4 keys into 64 bins (bin t in
/// thread t), 2 `blocked_to_striped`, 3 `striped_to_blocked`.
///
/// # Safety
/// - As the other block kernels; `input` and `output` have four words per thread.
#[kernel]
pub unsafe fn block_items(
    cases: *const Case,
    operands: *const u32,
    input: *const [u32; 4],
    output: *mut [u32; 4],
    words: *mut u32,
) {
    // SAFETY: the kernel's contract; the case is the same in the whole block.
    unsafe {
        let lane = Lane::new(cases, operands, input, output, words);
        let scratch = shared_array![u32; 4096];
        match lane.case.op {
            0 => {
                let first = lane.output.sub(lane.lane as usize);
                *lane.word = block::compact(lane.value, lane.operand & 1 == 1, first);
            }
            1 => {
                block::histogram(scratch, 64, lane.value);
                let mut bin = lane.lane;
                let mut sum = 0;
                // The bins that this thread reads, weighted so that none can stand in for another.
                while bin < 64 {
                    sum += *scratch.add(bin as usize) * (bin + 1);
                    bin += thread::block_size();
                }
                *lane.word = sum;
            }
            2 => lane.write(block::blocked_to_striped(scratch, lane.value), 0),
            _ => lane.write(block::striped_to_blocked(scratch, lane.value), 0),
        }
    }
}

/// [`block::reduce_sized`] for blocks of 32, 96, 256 and 1024 threads, by sum and maximum.
macro_rules! sized_kernels {
    ($($name:ident: $size:literal, $ty:ty;)*) => {$(
        /// op 0: sum, 1: maximum, of a block of a size that is a constant. Thread 0 has the result.
        ///
        /// # Safety
        /// - As the other block kernels.
        #[kernel(block = $size)]
        pub unsafe fn $name(cases: *const Case, operands: *const u32, input: *const $ty, output: *mut $ty, words: *mut u32) {
            // SAFETY: the kernel's contract; the case is the same in the whole block.
            unsafe {
                let lane = Lane::new(cases, operands, input, output, words);
                let value = match lane.case.op {
                    0 => block::reduce_sized::<$size, _, _>(lane.value, ops::Add),
                    _ => block::reduce_sized::<$size, _, _>(lane.value, ops::Max),
                };
                lane.write(value, 0);
            }
        }
    )*};
}
sized_kernels! {
    sized_32_i32: 32, i32;
    sized_96_i32: 96, i32;
    sized_256_i32: 256, i32;
    sized_1024_i32: 1024, i32;
    sized_32_f32: 32, f32;
    sized_96_f32: 96, f32;
    sized_256_f32: 256, f32;
    sized_1024_f32: 1024, f32;
}
