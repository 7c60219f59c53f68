//! The collectives of [`Group`]: of tiles of every size, and of arbitrary lanes.

use cuda_std::coalesced::CoalescedGroup;
use cuda_std::ops;
use cuda_std::prelude::*;
use cuda_std::tile::Tile;

use crate::{Case, Lane, numbered};

numbered! {
    /// Reductions of numbers; the width of the case is 0 for `reduce`, 1 for `reduce_all`.
    ScalarOp {
        /// Sum.
        Add,
        /// Product.
        Mul,
        /// Minimum.
        Min,
        /// Maximum.
        Max,
        /// Minimum with its rank.
        ArgMin,
        /// Maximum with its rank.
        ArgMax,
        /// `inclusive_scan` by sum.
        InclusiveSum,
        /// `exclusive_scan` by sum.
        ExclusiveSum,
        /// `sort`.
        Sort,
        /// `sort_pairs` with the lane's rank as the value.
        SortPairs,
        /// `compact` of the values whose operand is odd; the word is the count.
        Compact,
        /// Bitwise and; integers.
        And,
        /// Bitwise or; integers.
        Or,
        /// Bitwise exclusive or; integers.
        Xor,
    }
}

numbered! {
    /// What does not depend on a number: movement, votes, and scans by an operation that is
    /// associative and not commutative, x ↦ ax + b under composition.
    StructureOp {
        /// `reduce` by composition.
        Reduce,
        /// `reduce_all` by composition.
        ReduceAll,
        /// `inclusive_scan` by composition.
        InclusiveScan,
        /// `exclusive_scan_from` by composition, from the function of the case's extra word.
        ExclusiveScan,
        /// `segmented_inclusive_scan`; the extra word holds the heads' lanes.
        SegmentedInclusive,
        /// `segmented_exclusive_scan` by wrapping sum of the first word.
        SegmentedExclusive,
        /// `segmented_reduce` by composition.
        SegmentedReduce,
        /// `shuffle` from the rank in the operand, below the size.
        Shuffle,
        /// `shuffle_up` by the operand, the same in all lanes.
        ShuffleUp,
        /// `shuffle_down`, likewise.
        ShuffleDown,
        /// `shuffle_xor`, likewise.
        ShuffleXor,
        /// `broadcast` from the rank in the operand.
        Broadcast,
        /// `all`, `any` and `ballot` of the operand's lowest bit: ballot, with bits of the others.
        Votes,
        /// `match_any` of the operand.
        MatchAny,
        /// `match_all` of the operand.
        MatchAll,
        /// `rank`, `size`, `lane_of` and `rank_of`: rank, size and the lane of the operand's rank.
        Identity,
        /// `rank_in` of the operand's ballot.
        RankIn,
    }
}

/// Which set of lanes a kernel works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// `Tile<N>`; a case's mask holds whole tiles.
    Tile(u32),
    /// `CoalescedGroup::of` the case's mask.
    Of,
    /// `CoalescedGroup::active()` in the branch that the mask's lanes take.
    Active,
    /// `binary_partition` of the mask's lanes by the extra word's bit.
    Binary,
    /// `labeled_partition` of the mask's lanes by the low two bits of the operand.
    Labeled,
}

/// f(x) = a·x + b, wrapping.
pub type Affine = [u32; 2];

#[inline(always)]
fn compose(f: Affine, g: Affine) -> Affine {
    [
        f[0].wrapping_mul(g[0]),
        f[1].wrapping_mul(g[0]).wrapping_add(g[1]),
    ]
}

/// The result and the word of one scalar operation.
#[inline(always)]
fn scalar<G: Group, T: ops::Scalar + ops::Redux>(group: G, lane: &Lane<T>) -> (T, u32) {
    let value = lane.value;
    macro_rules! reduction {
        ($op:expr) => {
            if lane.case.width == 0 {
                group.reduce(value, $op)
            } else {
                group.reduce_all(value, $op)
            }
        };
    }
    match lane.case.op {
        0 => (reduction!(ops::Add), 0),
        1 => (reduction!(ops::Mul), 0),
        2 => (reduction!(ops::Min), 0),
        3 => (reduction!(ops::Max), 0),
        4 => group.arg_min(value),
        5 => group.arg_max(value),
        6 => (group.inclusive_scan(value, ops::Add), 0),
        7 => (group.exclusive_scan(value, ops::Add), 0),
        8 => (group.sort(value), 0),
        9 => group.sort_pairs(value, group.rank()),
        _ => group.compact(value, lane.operand & 1 == 1),
    }
}

/// The same for integers, with the bitwise operations.
#[inline(always)]
fn integer<G: Group, T: ops::Integer + ops::Redux>(group: G, lane: &Lane<T>) -> (T, u32) {
    let value = lane.value;
    macro_rules! reduction {
        ($op:expr) => {
            if lane.case.width == 0 {
                group.reduce(value, $op)
            } else {
                group.reduce_all(value, $op)
            }
        };
    }
    match lane.case.op {
        11 => (reduction!(ops::And), 0),
        12 => (reduction!(ops::Or), 0),
        13 => (reduction!(ops::Xor), 0),
        _ => scalar(group, lane),
    }
}

/// The result and the word of one operation on structure.
#[inline(always)]
fn structure<G: Group>(group: G, lane: &Lane<Affine>) -> (Affine, u32) {
    let (value, operand, extra) = (lane.value, lane.operand, lane.case.extra);
    let head = extra >> lane.lane & 1 == 1;
    match lane.case.op {
        0 => (group.reduce(value, compose), 0),
        1 => (group.reduce_all(value, compose), 0),
        2 => (group.inclusive_scan(value, compose), 0),
        3 => (group.exclusive_scan_from(value, [3, extra], compose), 0),
        4 => (group.segmented_inclusive_scan(value, head, compose), 0),
        5 => (
            [group.segmented_exclusive_scan(value[0], head, ops::Add), 0],
            0,
        ),
        6 => (group.segmented_reduce(value, head, compose), 0),
        7 => (group.shuffle(value, operand), 0),
        8 => (group.shuffle_up(value, operand), 0),
        9 => (group.shuffle_down(value, operand), 0),
        10 => (group.shuffle_xor(value, operand), 0),
        11 => (group.broadcast(value, operand), 0),
        12 => {
            let predicate = operand & 1 == 1;
            let word = group.ballot(predicate);
            (
                [
                    u32::from(group.all(predicate)),
                    u32::from(group.any(predicate)),
                ],
                word,
            )
        }
        13 => (value, group.match_any(operand)),
        14 => (value, u32::from(group.match_all(operand))),
        15 => {
            let rank = operand % group.size();
            (
                [group.rank(), group.size()],
                group.lane_of(rank) << 8 | group.rank_of(group.lane_of(rank)),
            )
        }
        _ => (value, group.rank_in(operand)),
    }
}

macro_rules! group_kernels {
    ($make:expr => $structure:ident $($function:ident $name:ident: $ty:ty),*) => {
        /// One operation on structure per case.
        ///
        /// # Safety
        /// - One block of 32 threads per case; one element per thread in the other arrays.
        #[kernel(block = 32)]
        pub unsafe fn $structure(cases: *const Case, operands: *const u32, input: *const Affine, output: *mut Affine, words: *mut u32) {
            // SAFETY: the kernel's contract; the lanes of the mask take the branch together.
            unsafe {
                let lane = Lane::new(cases, operands, input, output, words);
                if lane.takes_part() {
                    let (value, word) = structure($make(&lane.case, lane.operand), &lane);
                    lane.write(value, word);
                }
            }
        }
        $(
            /// One operation on numbers per case.
            ///
            /// # Safety
            /// - One block of 32 threads per case; one element per thread in the other arrays.
            #[kernel(block = 32)]
            pub unsafe fn $name(cases: *const Case, operands: *const u32, input: *const $ty, output: *mut $ty, words: *mut u32) {
                // SAFETY: as above.
                unsafe {
                    let lane = Lane::new(cases, operands, input, output, words);
                    if lane.takes_part() {
                        let (value, word) = $function($make(&lane.case, lane.operand), &lane);
                        lane.write(value, word);
                    }
                }
            }
        )*
    };
}

/// # Safety
/// - As [`Tile::new`].
#[inline(always)]
unsafe fn tile<const N: u32>(_: &Case, _: u32) -> Tile<N> {
    // SAFETY: the caller's duty.
    unsafe { Tile::new() }
}

/// # Safety
/// - As [`CoalescedGroup::of`] for the case's mask.
#[inline(always)]
unsafe fn of(case: &Case, _: u32) -> CoalescedGroup {
    // SAFETY: the caller's duty.
    unsafe { CoalescedGroup::of(case.mask) }
}

/// # Safety
/// - As [`CoalescedGroup::active`].
#[inline(always)]
unsafe fn active(_: &Case, _: u32) -> CoalescedGroup {
    // SAFETY: the caller's duty.
    unsafe { CoalescedGroup::active() }
}

/// # Safety
/// - As [`of`].
#[inline(always)]
unsafe fn binary(case: &Case, operand: u32) -> CoalescedGroup {
    // SAFETY: the caller's duty.
    unsafe { of(case, operand) }.binary_partition(case.extra >> warp::lane_id() & 1 == 1)
}

/// # Safety
/// - As [`of`].
#[inline(always)]
unsafe fn labeled(case: &Case, operand: u32) -> CoalescedGroup {
    // SAFETY: the caller's duty.
    unsafe { of(case, operand) }.labeled_partition(operand & 3)
}

group_kernels!(tile::<1> => tile1_structure integer tile1_i32: i32, scalar tile1_f32: f32);
group_kernels!(tile::<2> => tile2_structure integer tile2_i32: i32, scalar tile2_f32: f32);
group_kernels!(tile::<4> => tile4_structure integer tile4_i32: i32, scalar tile4_f32: f32);
group_kernels!(tile::<8> => tile8_structure integer tile8_u32: u32, integer tile8_i8: i8, scalar tile8_f64: f64);
group_kernels!(tile::<16> => tile16_structure integer tile16_i32: i32, scalar tile16_f32: f32);
group_kernels!(tile::<32> => tile32_structure integer tile32_i32: i32, integer tile32_u32: u32, integer tile32_i64: i64, integer tile32_u64: u64, integer tile32_i8: i8, integer tile32_u16: u16, scalar tile32_f32: f32, scalar tile32_f64: f64);
group_kernels!(of => of_structure integer of_i32: i32, integer of_u64: u64, integer of_u16: u16, scalar of_f32: f32);
group_kernels!(active => active_structure integer active_u32: u32);
group_kernels!(binary => binary_structure integer binary_u32: u32);
group_kernels!(labeled => labeled_structure integer labeled_u32: u32);

macro_rules! exchange_kernels {
    ($($name:ident: $n:literal, $k:literal;)*) => {$(
        /// op 0: `blocked_to_striped`, 1: `striped_to_blocked`. The operand array is not used.
        ///
        /// # Safety
        /// - One block of 32 threads per case; `input` and `output` have one array per thread.
        #[kernel(block = 32)]
        pub unsafe fn $name(cases: *const Case, operands: *const u32, input: *const [u32; $k], output: *mut [u32; $k], words: *mut u32) {
            // SAFETY: the kernel's contract; whole tiles take the branch together.
            unsafe {
                let lane = Lane::new(cases, operands, input, output, words);
                if lane.takes_part() {
                    let tile = Tile::<$n>::new();
                    let items = match lane.case.op {
                        0 => tile.blocked_to_striped(lane.value),
                        _ => tile.striped_to_blocked(lane.value),
                    };
                    lane.write(items, 0);
                }
            }
        }
    )*};
}
exchange_kernels! {
    exchange_32_1: 32, 1;
    exchange_32_2: 32, 2;
    exchange_32_4: 32, 4;
    exchange_32_8: 32, 8;
    exchange_16_4: 16, 4;
    exchange_8_8: 8, 8;
    exchange_4_4: 4, 4;
    exchange_2_2: 2, 2;
}
