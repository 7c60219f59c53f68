//! The table of kernels: what each one tests, and with what type.

use crate::collective::Which;

/// The type of a kernel's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Value {
    I8,
    I16,
    I32,
    I64,
    I128,
    U8,
    U16,
    U32,
    U64,
    U128,
    F32,
    F64,
    F16,
    Bf16,
    Bool,
    Char,
    /// Any bytes: an array or a struct.
    Bytes(usize),
}

impl Value {
    /// Bytes of one value.
    pub const fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 | Self::Bool => 1,
            Self::I16 | Self::U16 | Self::F16 | Self::Bf16 => 2,
            Self::I32 | Self::U32 | Self::F32 | Self::Char => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
            Self::I128 | Self::U128 => 16,
            Self::Bytes(size) => size,
        }
    }
}

/// What a kernel tests, that is, how its cases are made and what is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// [`crate::ShuffleOp`].
    Shuffle,
    /// [`crate::VoteOp`].
    Vote,
    /// `match_any` and `match_all`.
    Match,
    /// [`crate::ReduceOp`].
    Reduce,
    /// [`crate::SpecialOp`].
    Special,
    /// [`crate::ScalarOp`] over a set of lanes.
    Scalar(Which),
    /// [`crate::StructureOp`] over a set of lanes.
    Structure(Which),
    /// `blocked_to_striped` and back in tiles of that many lanes, with that many items each.
    Exchange(u32, u32),
    /// [`crate::BlockOp`].
    Block,
    /// Composition of functions in a block.
    BlockAffine,
    /// Compaction, histogram and exchange in a block.
    BlockItems,
    /// `reduce_sized` for this size.
    BlockSized(u32),
}

/// One kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name in the PTX.
    pub kernel: &'static str,
    /// What it tests.
    pub family: Family,
    /// The type of its values.
    pub value: Value,
}

macro_rules! entries {
    ($($kernel:ident $family:expr, $value:expr;)*) => {
        /// Every kernel of this crate.
        pub const ENTRIES: &[Entry] = &[
            $(Entry { kernel: stringify!($kernel), family: $family, value: $value },)*
        ];
    };
}

use Family::{
    Block, BlockAffine, BlockItems, BlockSized, Exchange, Match, Reduce, Scalar, Shuffle, Special,
    Structure, Vote,
};
use Value::{
    Bf16, Bool, Bytes, Char, F16, F32, F64, I8, I16, I32, I64, I128, U8, U16, U32, U64, U128,
};
use Which::{Active, Binary, Labeled, Of, Tile};

entries! {
    shuffle_i8 Shuffle, I8;
    shuffle_i16 Shuffle, I16;
    shuffle_i32 Shuffle, I32;
    shuffle_i64 Shuffle, I64;
    shuffle_i128 Shuffle, I128;
    shuffle_u8 Shuffle, U8;
    shuffle_u16 Shuffle, U16;
    shuffle_u32 Shuffle, U32;
    shuffle_u64 Shuffle, U64;
    shuffle_u128 Shuffle, U128;
    shuffle_f32 Shuffle, F32;
    shuffle_f64 Shuffle, F64;
    shuffle_f16 Shuffle, F16;
    shuffle_bf16 Shuffle, Bf16;
    shuffle_bool Shuffle, Bool;
    shuffle_bytes3 Shuffle, Bytes(3);
    shuffle_halves7 Shuffle, Bytes(14);
    shuffle_words5 Shuffle, Bytes(20);
    shuffle_struct Shuffle, Bytes(20);
    vote Vote, Bool;
    match_i8 Match, I8;
    match_i16 Match, I16;
    match_i32 Match, I32;
    match_i64 Match, I64;
    match_u8 Match, U8;
    match_u16 Match, U16;
    match_u32 Match, U32;
    match_u64 Match, U64;
    match_f32 Match, F32;
    match_f64 Match, F64;
    match_f16 Match, F16;
    match_bf16 Match, Bf16;
    match_bool Match, Bool;
    match_char Match, Char;
    reduce_i32 Reduce, I32;
    reduce_u32 Reduce, U32;
    special Special, U32;
    tile1_structure Structure(Tile(1)), Bytes(8);
    tile1_i32 Scalar(Tile(1)), I32;
    tile1_f32 Scalar(Tile(1)), F32;
    tile2_structure Structure(Tile(2)), Bytes(8);
    tile2_i32 Scalar(Tile(2)), I32;
    tile2_f32 Scalar(Tile(2)), F32;
    tile4_structure Structure(Tile(4)), Bytes(8);
    tile4_i32 Scalar(Tile(4)), I32;
    tile4_f32 Scalar(Tile(4)), F32;
    tile8_structure Structure(Tile(8)), Bytes(8);
    tile8_u32 Scalar(Tile(8)), U32;
    tile8_i8 Scalar(Tile(8)), I8;
    tile8_f64 Scalar(Tile(8)), F64;
    tile16_structure Structure(Tile(16)), Bytes(8);
    tile16_i32 Scalar(Tile(16)), I32;
    tile16_f32 Scalar(Tile(16)), F32;
    tile32_structure Structure(Tile(32)), Bytes(8);
    tile32_i32 Scalar(Tile(32)), I32;
    tile32_u32 Scalar(Tile(32)), U32;
    tile32_i64 Scalar(Tile(32)), I64;
    tile32_u64 Scalar(Tile(32)), U64;
    tile32_i8 Scalar(Tile(32)), I8;
    tile32_u16 Scalar(Tile(32)), U16;
    tile32_f32 Scalar(Tile(32)), F32;
    tile32_f64 Scalar(Tile(32)), F64;
    of_structure Structure(Of), Bytes(8);
    of_i32 Scalar(Of), I32;
    of_u64 Scalar(Of), U64;
    of_u16 Scalar(Of), U16;
    of_f32 Scalar(Of), F32;
    active_structure Structure(Active), Bytes(8);
    active_u32 Scalar(Active), U32;
    binary_structure Structure(Binary), Bytes(8);
    binary_u32 Scalar(Binary), U32;
    labeled_structure Structure(Labeled), Bytes(8);
    labeled_u32 Scalar(Labeled), U32;
    exchange_32_1 Exchange(32, 1), Bytes(4);
    exchange_32_2 Exchange(32, 2), Bytes(8);
    exchange_32_4 Exchange(32, 4), Bytes(16);
    exchange_32_8 Exchange(32, 8), Bytes(32);
    exchange_16_4 Exchange(16, 4), Bytes(16);
    exchange_8_8 Exchange(8, 8), Bytes(32);
    exchange_4_4 Exchange(4, 4), Bytes(16);
    exchange_2_2 Exchange(2, 2), Bytes(8);
    block_i32 Block, I32;
    block_u32 Block, U32;
    block_i64 Block, I64;
    block_u64 Block, U64;
    block_f32 Block, F32;
    block_f64 Block, F64;
    block_affine BlockAffine, Bytes(8);
    block_items BlockItems, Bytes(16);
    sized_32_i32 BlockSized(32), I32;
    sized_96_i32 BlockSized(96), I32;
    sized_256_i32 BlockSized(256), I32;
    sized_1024_i32 BlockSized(1024), I32;
    sized_32_f32 BlockSized(32), F32;
    sized_96_f32 BlockSized(96), F32;
    sized_256_f32 BlockSized(256), F32;
    sized_1024_f32 BlockSized(1024), F32;
}
