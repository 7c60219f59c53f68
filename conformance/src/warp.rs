//! Shuffles, votes, matches, reductions and special registers of a warp.

use cuda_std::prelude::*;
use cuda_std::warp::WarpReductionOp;

use crate::{Case, Lane, numbered};

numbered! {
    /// What a `shuffle_*` kernel does.
    ShuffleOp {
        /// `warp_shuffle_idx`.
        Idx,
        /// `warp_shuffle_up`.
        Up,
        /// `warp_shuffle_down`.
        Down,
        /// `warp_shuffle_xor`.
        Xor,
        /// `warp_broadcast`: width 32, the operand the same in all lanes.
        Broadcast,
    }
}

numbered! {
    /// What the `vote` kernel does.
    VoteOp {
        /// `warp_vote_all`.
        All,
        /// `warp_vote_any`.
        Any,
        /// `warp_vote_uni`.
        Uni,
        /// `warp_vote_ballot`.
        Ballot,
    }
}

numbered! {
    /// What the `reduce_*` kernels do: `warp_reduce` with the operation of the same name.
    ReduceOp {
        /// Sum.
        Add,
        /// Minimum.
        Min,
        /// Maximum.
        Max,
        /// Bitwise and.
        And,
        /// Bitwise or.
        Or,
        /// Bitwise exclusive or.
        Xor,
    }
}

numbered! {
    /// What the `special` kernel does.
    SpecialOp {
        /// `lane_id`.
        LaneId,
        /// `warp_id`.
        WarpId,
        /// `lanemask_lt`.
        LaneMaskLt,
        /// `lanemask_le`.
        LaneMaskLe,
        /// `lanemask_eq`.
        LaneMaskEq,
        /// `lanemask_ge`.
        LaneMaskGe,
        /// `lanemask_gt`.
        LaneMaskGt,
        /// `activemask` in a branch that the mask's lanes take.
        ActiveMask,
        /// `warp_elect`.
        Elect,
        /// `leader`.
        Leader,
        /// `sync_warp` between a write to shared memory and a read of a neighbour's.
        SyncWarp,
        /// `atomic_inc_aggregated` on shared memory: this lane's slot.
        IncAggregated,
        /// `atomic_add_aggregated` of the operand on shared memory: this lane's slot.
        AddAggregated,
    }
}

/// A struct of an odd number of 4-byte words, with fields of different sizes.
#[derive(Clone, Copy, Pod)]
#[repr(C)]
pub struct Particle {
    /// Three words.
    pub position: [f32; 3],
    /// Half a word.
    pub charge: i16,
    /// Two quarters of a word.
    pub kind: [u8; 2],
    /// The last word.
    pub id: u32,
}

macro_rules! shuffle_kernels {
    ($($name:ident: $ty:ty;)*) => {$(
        /// One shuffle per case.
        ///
        /// # Safety
        /// - One block of 32 threads per case; one element per thread in the other arrays.
        #[kernel(block = 32)]
        pub unsafe fn $name(cases: *const Case, operands: *const u32, input: *const $ty, output: *mut $ty, words: *mut u32) {
            // SAFETY: the kernel's contract; the lanes of the mask take the branch together.
            unsafe {
                let lane = Lane::new(cases, operands, input, output, words);
                if lane.takes_part() {
                    let (mask, width) = (lane.case.mask, lane.case.width);
                    let (value, in_range) = match lane.case.op {
                        0 => warp::warp_shuffle_idx(mask, lane.value, lane.operand, width),
                        1 => warp::warp_shuffle_up(mask, lane.value, lane.operand, width),
                        2 => warp::warp_shuffle_down(mask, lane.value, lane.operand, width),
                        3 => warp::warp_shuffle_xor(mask, lane.value, lane.operand, width),
                        _ => (warp::warp_broadcast(mask, lane.value, lane.operand), true),
                    };
                    lane.write(value, u32::from(in_range));
                }
            }
        }
    )*};
}
shuffle_kernels! {
    shuffle_i8: i8;
    shuffle_i16: i16;
    shuffle_i32: i32;
    shuffle_i64: i64;
    shuffle_i128: i128;
    shuffle_u8: u8;
    shuffle_u16: u16;
    shuffle_u32: u32;
    shuffle_u64: u64;
    shuffle_u128: u128;
    shuffle_f32: f32;
    shuffle_f64: f64;
    shuffle_f16: f16;
    shuffle_bf16: bf16;
    shuffle_bool: bool;
    shuffle_bytes3: [u8; 3];
    shuffle_halves7: [u16; 7];
    shuffle_words5: [u32; 5];
    shuffle_struct: Particle;
}

/// One vote per case.
///
/// # Safety
/// - One block of 32 threads per case; one element per thread in the other arrays.
#[kernel(block = 32)]
pub unsafe fn vote(
    cases: *const Case,
    operands: *const u32,
    input: *const bool,
    output: *mut bool,
    words: *mut u32,
) {
    // SAFETY: the kernel's contract; the lanes of the mask take the branch together.
    unsafe {
        let lane = Lane::new(cases, operands, input, output, words);
        if lane.takes_part() {
            let (mask, predicate) = (lane.case.mask, lane.value);
            let word = match lane.case.op {
                0 => u32::from(warp::warp_vote_all(mask, predicate)),
                1 => u32::from(warp::warp_vote_any(mask, predicate)),
                2 => u32::from(warp::warp_vote_uni(mask, predicate)),
                _ => warp::warp_vote_ballot(mask, predicate),
            };
            lane.write(predicate, word);
        }
    }
}

macro_rules! match_kernels {
    ($($name:ident: $ty:ty;)*) => {$(
        /// One match per case: op 0 is `warp_match_any`, 1 `warp_match_all` (0 for `None`).
        ///
        /// # Safety
        /// - One block of 32 threads per case; one element per thread in the other arrays.
        #[kernel(block = 32)]
        pub unsafe fn $name(cases: *const Case, operands: *const u32, input: *const $ty, output: *mut $ty, words: *mut u32) {
            // SAFETY: the kernel's contract; the lanes of the mask take the branch together.
            unsafe {
                let lane = Lane::new(cases, operands, input, output, words);
                if lane.takes_part() {
                    let word = match lane.case.op {
                        0 => warp::warp_match_any(lane.case.mask, lane.value),
                        _ => warp::warp_match_all(lane.case.mask, lane.value).unwrap_or(0),
                    };
                    lane.write(lane.value, word);
                }
            }
        }
    )*};
}
match_kernels! {
    match_i8: i8;
    match_i16: i16;
    match_i32: i32;
    match_i64: i64;
    match_u8: u8;
    match_u16: u16;
    match_u32: u32;
    match_u64: u64;
    match_f32: f32;
    match_f64: f64;
    match_f16: f16;
    match_bf16: bf16;
    match_bool: bool;
    match_char: char;
}

macro_rules! reduce_kernels {
    ($($name:ident: $ty:ty;)*) => {$(
        /// One `warp_reduce` per case.
        ///
        /// # Safety
        /// - One block of 32 threads per case; one element per thread in the other arrays.
        #[kernel(block = 32)]
        pub unsafe fn $name(cases: *const Case, operands: *const u32, input: *const $ty, output: *mut $ty, words: *mut u32) {
            // SAFETY: the kernel's contract; the lanes of the mask take the branch together.
            unsafe {
                let lane = Lane::new(cases, operands, input, output, words);
                if lane.takes_part() {
                    let (mask, value) = (lane.case.mask, lane.value);
                    let result = match lane.case.op {
                        0 => warp::warp_reduce(mask, value, WarpReductionOp::Add),
                        1 => warp::warp_reduce(mask, value, WarpReductionOp::Min),
                        2 => warp::warp_reduce(mask, value, WarpReductionOp::Max),
                        3 => warp::warp_reduce(mask, value, WarpReductionOp::And),
                        4 => warp::warp_reduce(mask, value, WarpReductionOp::Or),
                        _ => warp::warp_reduce(mask, value, WarpReductionOp::Xor),
                    };
                    lane.write(result, 0);
                }
            }
        }
    )*};
}
reduce_kernels! {
    reduce_i32: i32;
    reduce_u32: u32;
}

/// One special register or small function per case.
///
/// # Safety
/// - One block of 32 threads per case; one element per thread in the other arrays.
#[kernel(block = 32)]
pub unsafe fn special(
    cases: *const Case,
    operands: *const u32,
    input: *const u32,
    output: *mut u32,
    words: *mut u32,
) {
    use cuda_std::atomic::{AtomicU32, atomic_add_aggregated, atomic_inc_aggregated};
    // SAFETY: the kernel's contract; the lanes of the mask take the branch together; the counter
    // and the slots are the block's own.
    unsafe {
        let lane = Lane::new(cases, operands, input, output, words);
        let counter = shared_array![u32; 1];
        let slots = shared_array![u32; 32];
        if lane.lane == 0 {
            *counter = 0;
        }
        thread::sync_threads();
        if lane.takes_part() {
            let mask = lane.case.mask;
            let word = match lane.case.op {
                0 => warp::lane_id(),
                1 => warp::warp_id(),
                2 => warp::lanemask_lt(),
                3 => warp::lanemask_le(),
                4 => warp::lanemask_eq(),
                5 => warp::lanemask_ge(),
                6 => warp::lanemask_gt(),
                7 => warp::activemask(),
                8 => u32::from(warp::warp_elect(mask)),
                9 => warp::leader(mask),
                10 => {
                    *slots.add(lane.lane as usize) = lane.value;
                    warp::sync_warp(mask);
                    // The next lane of the mask, around.
                    let above = mask & warp::lanemask_gt();
                    let next = warp::leader(if above == 0 { mask } else { above });
                    *slots.add(next as usize)
                }
                11 => atomic_inc_aggregated(AtomicU32::from_ptr(counter)),
                _ => atomic_add_aggregated(AtomicU32::from_ptr(counter), lane.operand),
            };
            lane.write(lane.value, word);
        }
    }
}
