//! A warp's 32 values to one, in three ways. All lanes must take part.
//!
//! | function | result in | steps |
//! |---|---|---|
//! | [`reduce_down`] | lane 0 | 5 × (`shfl.sync.down` + operation) |
//! | [`reduce_xor`] | every lane | 5 × (`shfl.sync.bfly` + operation) |
//! | [`ReduxOp::redux`] | every lane | 1–3 × `redux.sync` (sm_80), shuffles below |
//!
//! 8-byte values take two shuffles a step.

use cuda_std::warp::{WarpReductionOp, warp_reduce, warp_shuffle_down, warp_shuffle_xor};

use crate::element::Element;
use crate::op::{Max, Min, Op, Product, Sum};

/// Lanes in a warp.
pub const WARP: u32 = 32;
/// The mask that names every lane.
pub const FULL: u32 = u32::MAX;

/// The article's tree: at offset 16, 8, 4, 2, 1 each lane adds the value of the lane above it.
///
/// With lane *i* holding *i* + 1 and `Sum`: after offset 16 lane 0 holds 1 + 17 = 18, after the
/// last step 528. Lanes 1…31 end with partial results that mean nothing.
///
/// # Safety
/// - Every lane of the warp calls this together.
#[inline(always)]
pub unsafe fn reduce_down<T: Element, O: Op<T>>(mut value: T) -> T {
    let mut offset = WARP / 2;
    while offset > 0 {
        // SAFETY: all 32 lanes are here by the caller's promise.
        let (other, _) = unsafe { warp_shuffle_down(FULL, value, offset, WARP) };
        value = O::combine(value, other);
        offset /= 2;
    }
    value
}

/// The butterfly: every lane exchanges with the lane whose number differs in one bit, so that all
/// 32 lanes end with the same result, bit for bit.
///
/// # Safety
/// - Every lane of the warp calls this together.
#[inline(always)]
pub unsafe fn reduce_xor<T: Element, O: Op<T>>(mut value: T) -> T {
    let mut bit = WARP / 2;
    while bit > 0 {
        // SAFETY: all 32 lanes are here by the caller's promise.
        let (other, _) = unsafe { warp_shuffle_xor(FULL, value, bit, WARP) };
        value = O::combine(value, other);
        bit /= 2;
    }
    value
}

/// The warp's result by `redux.sync`, in every lane.
///
/// The instruction knows 32-bit integers only. The other types are put together from it:
/// - 64-bit minimum and maximum: the high words first, then the low words of the lanes that have
///   the winning high word. Two instructions instead of ten shuffles.
/// - 64-bit sum: the sum of 32 numbers of 27 bits fits 32 bits, so the value goes in pieces of 27,
///   27 and 10 bits. Three instructions.
/// - Float minimum and maximum: the bits as an integer in the same order ([`OrderedBits`]).
/// - Float sum, and all products: there is no such way; the butterfly.
pub trait ReduxOp<T: Element>: Op<T> {
    /// # Safety
    /// - Every lane of the warp calls this together.
    unsafe fn redux(value: T) -> T;
}

impl<T: Element> ReduxOp<T> for Product
where
    Product: Op<T>,
{
    #[inline(always)]
    unsafe fn redux(value: T) -> T {
        // SAFETY: the caller's promise is the same.
        unsafe { reduce_xor::<T, Product>(value) }
    }
}

macro_rules! redux_of_4_bytes {
    ($($t:ident: $($op:ident => $redux:ident),*);*) => {$($(
        impl ReduxOp<$t> for $op {
            #[inline(always)]
            unsafe fn redux(value: $t) -> $t {
                // SAFETY: all 32 lanes are here by the caller's promise.
                unsafe { warp_reduce(FULL, value, WarpReductionOp::$redux) }
            }
        }
    )*)*};
}

redux_of_4_bytes!(
    i32: Sum => Add, Min => Min, Max => Max;
    u32: Sum => Add, Min => Min, Max => Max
);

const PIECE: u64 = (1 << 27) - 1;

#[inline(always)]
unsafe fn redux_sum_u64(value: u64) -> u64 {
    // SAFETY: all 32 lanes are here by the caller's promise.
    let piece =
        |bits: u64| unsafe { u64::from(warp_reduce(FULL, bits as u32, WarpReductionOp::Add)) };
    let low = piece(value & PIECE);
    let middle = piece((value >> 27) & PIECE);
    let high = piece(value >> 54);
    low.wrapping_add(middle << 27).wrapping_add(high << 54)
}

macro_rules! redux_of_8_bytes {
    ($($t:ident, $high:ident { $($op:ident => $redux:ident, $loser:ident;)* })*) => {$(
        impl ReduxOp<$t> for Sum {
            #[inline(always)]
            unsafe fn redux(value: $t) -> $t {
                // SAFETY: the caller's promise is the same.
                unsafe { redux_sum_u64(value as u64) as $t }
            }
        }
        $(impl ReduxOp<$t> for $op {
            #[inline(always)]
            unsafe fn redux(value: $t) -> $t {
                let mine = (value >> 32) as $high;
                // SAFETY: all 32 lanes are here by the caller's promise.
                let high = unsafe { warp_reduce(FULL, mine, WarpReductionOp::$redux) };
                let low = if mine == high { value as u32 } else { u32::$loser };
                // SAFETY: as above.
                let low = unsafe { warp_reduce(FULL, low, WarpReductionOp::$redux) };
                ((high as $t) << 32) | low as $t
            }
        })*
    )*};
}

redux_of_8_bytes!(
    i64, i32 { Min => Min, MAX; Max => Max, MIN; }
    u64, u32 { Min => Min, MAX; Max => Max, MIN; }
);

/// A float as an integer that compares the same way, −0 below +0; its own inverse.
pub trait OrderedBits: Element {
    /// The integer.
    type Key: Element;
    /// Negative floats have all bits but the sign turned over.
    fn key(self) -> Self::Key;
    /// Back again.
    fn from_key(key: Self::Key) -> Self;
}

macro_rules! redux_of_floats {
    ($($t:ident, $key:ident, $shift:literal, $flip:expr);*) => {$(
        impl OrderedBits for $t {
            type Key = $key;
            #[inline(always)]
            fn key(self) -> $key {
                let bits = self.to_bits() as $key;
                bits ^ ((bits >> $shift) & $flip)
            }
            #[inline(always)]
            fn from_key(key: $key) -> Self {
                $t::from_bits((key ^ ((key >> $shift) & $flip)) as _)
            }
        }
        impl ReduxOp<$t> for Sum {
            #[inline(always)]
            unsafe fn redux(value: $t) -> $t {
                // SAFETY: the caller's promise is the same.
                unsafe { reduce_xor::<$t, Sum>(value) }
            }
        }
        redux_of_floats!(@order $t, $key, Min);
        redux_of_floats!(@order $t, $key, Max);
    )*};
    (@order $t:ident, $key:ident, $op:ident) => {
        impl ReduxOp<$t> for $op {
            #[inline(always)]
            unsafe fn redux(value: $t) -> $t {
                let number = if value.is_nan() { <$op as Op<$t>>::IDENTITY } else { value };
                // SAFETY: the caller's promise is the same.
                $t::from_key(unsafe { <$op as ReduxOp<$key>>::redux(number.key()) })
            }
        }
    };
}

redux_of_floats!(f32, i32, 31, i32::MAX; f64, i64, 63, i64::MAX);
