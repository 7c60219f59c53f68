//! Test kernels for every function of `cuda_std`, and the table that describes them to the host.
//!
//! Each kernel runs one *case* per block: a mask of participating lanes, an operation, a width, an
//! operand and a value per lane. It writes what each lane got, and nothing for lanes outside the
//! mask. The host computes the same with `cuda_std::model` and compares lane by lane.
#![no_std]

pub mod block;
pub mod collective;
pub mod table;
pub mod warp;

pub use block::{BLOCK_SHAPES, BlockOp, MAX_THREADS};
pub use collective::{ScalarOp, StructureOp, Which};
pub use table::{ENTRIES, Entry, Family, Value};
pub use warp::{ReduceOp, ShuffleOp, SpecialOp, VoteOp};

/// What one block is to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Case {
    /// The participating lanes.
    pub mask: u32,
    /// The operation's number, of the family's own enumeration.
    pub op: u32,
    /// The width of a shuffle; the scale of other things.
    pub width: u32,
    /// One more parameter: heads of segments, a thread's number.
    pub extra: u32,
}

// The host copies cases as bytes.
const _: () = assert!(size_of::<Case>() == 16);

/// Declares an enumeration whose variants have the numbers 0… and that lists itself.
macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident { $($(#[$item:meta])* $variant:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum $name { $($(#[$item])* $variant),* }

        impl $name {
            /// All of them, by number.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];
        }
    };
}
use numbered;

/// The pointers of a kernel, advanced to this thread's case and lane.
#[derive(Clone, Copy)]
struct Lane<T> {
    case: Case,
    lane: u32,
    operand: u32,
    value: T,
    output: *mut T,
    word: *mut u32,
}

impl<T: Copy> Lane<T> {
    /// # Safety
    /// - The pointers have an element per thread of the grid, `cases` one per block.
    #[inline(always)]
    unsafe fn new(
        cases: *const Case,
        operands: *const u32,
        input: *const T,
        output: *mut T,
        words: *mut u32,
    ) -> Self {
        let block = cuda_std::thread::block_idx_x();
        let lane = cuda_std::thread::thread_rank();
        let at = (block * cuda_std::thread::block_size() + lane) as usize;
        // SAFETY: the caller's duty.
        unsafe {
            Self {
                case: *cases.add(block as usize),
                lane,
                operand: *operands.add(at),
                value: *input.add(at),
                output: output.add(at),
                word: words.add(at),
            }
        }
    }

    /// Whether this lane takes part.
    #[inline(always)]
    fn takes_part(&self) -> bool {
        self.case.mask >> self.lane & 1 == 1
    }

    /// Writes this lane's results.
    ///
    /// # Safety
    /// - As [`Self::new`].
    #[inline(always)]
    unsafe fn write(&self, value: T, word: u32) {
        // SAFETY: this lane's own elements.
        unsafe {
            *self.output = value;
            *self.word = word;
        }
    }
}
