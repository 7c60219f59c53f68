//! The operations of reductions and scans, written once for every scope.
//!
//! A reduction takes a [`ReduceOp`]: one of [`Add`], [`Mul`], [`Min`], [`Max`], [`And`], [`Or`],
//! [`Xor`], or any closure `Fn(T, T) -> T + Copy` that is associative. Values are always combined
//! in lane order, so that the operation need not be commutative.

use crate::intrinsics as nvvm;
use crate::warp::Pod;

/// An associative operation.
pub trait ReduceOp<T>: Copy {
    /// Whether `combine(a, b)` equals `combine(b, a)`: then a butterfly needs no selects.
    const COMMUTATIVE: bool = false;

    /// Whether [`Self::redux`] has an instruction on this target.
    #[doc(hidden)]
    const HARDWARE: bool = false;

    /// `a ∘ b`, where `a` comes from lower lanes.
    fn combine(self, a: T, b: T) -> T;

    /// The whole reduction over the lanes of a mask by one instruction, where there is one.
    ///
    /// # Safety
    /// - As [`crate::warp::warp_reduce`].
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn redux(self, _mask: u32, _value: T) -> Option<T> {
        None
    }
}

impl<T, F: Fn(T, T) -> T + Copy> ReduceOp<T> for F {
    #[inline(always)]
    fn combine(self, a: T, b: T) -> T {
        self(a, b)
    }
}

/// An operation with a neutral element: `combine(identity, x) == x`.
pub trait Monoid<T>: ReduceOp<T> {
    /// The neutral element, which is also the result over no values at all.
    fn identity(self) -> T;
}

/// A number that every reduction takes.
pub trait Scalar: Pod + PartialOrd + sealed::Sealed {
    /// The identity of [`Add`].
    const ZERO: Self;
    /// The identity of [`Mul`].
    const ONE: Self;
    /// The identity of [`Max`]: the least value, −∞ for floats.
    const LEAST: Self;
    /// The identity of [`Min`]: the greatest value, +∞ for floats.
    const GREATEST: Self;

    /// The sum; wraps for integers.
    fn plus(self, other: Self) -> Self;
    /// The product; wraps for integers.
    fn times(self, other: Self) -> Self;
    /// The smaller one. Floats: PTX `min`, so a NaN loses against a number, and −0 is below +0.
    fn smaller(self, other: Self) -> Self;
    /// The larger one. Floats: PTX `max`, so a NaN loses against a number, and +0 is above −0.
    fn larger(self, other: Self) -> Self;
}

/// An integer, with bitwise operations.
pub trait Integer: Scalar {
    /// The identity of [`And`]: all bits set.
    const ALL_ONES: Self;
    /// Bitwise and.
    fn and(self, other: Self) -> Self;
    /// Bitwise or.
    fn or(self, other: Self) -> Self;
    /// Bitwise exclusive or.
    fn xor(self, other: Self) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! integers {
    ($($ty:ident),*) => {$(
        impl sealed::Sealed for $ty {}
        impl Scalar for $ty {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const LEAST: Self = $ty::MIN;
            const GREATEST: Self = $ty::MAX;
            #[inline(always)]
            fn plus(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn times(self, other: Self) -> Self { self.wrapping_mul(other) }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self { if other < self { other } else { self } }
            #[inline(always)]
            fn larger(self, other: Self) -> Self { if other > self { other } else { self } }
        }
        impl Integer for $ty {
            const ALL_ONES: Self = !0;
            #[inline(always)]
            fn and(self, other: Self) -> Self { self & other }
            #[inline(always)]
            fn or(self, other: Self) -> Self { self | other }
            #[inline(always)]
            fn xor(self, other: Self) -> Self { self ^ other }
        }
    )*};
}
integers!(
    i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize
);

macro_rules! floats {
    ($($ty:ident: $min:ident, $max:ident;)*) => {$(
        impl sealed::Sealed for $ty {}
        impl Scalar for $ty {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const LEAST: Self = $ty::NEG_INFINITY;
            const GREATEST: Self = $ty::INFINITY;
            #[inline(always)]
            fn plus(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn times(self, other: Self) -> Self { self * other }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self { $min(self, other) }
            #[inline(always)]
            fn larger(self, other: Self) -> Self { $max(self, other) }
        }
    )*};
}
floats! {
    f32: min_f32, max_f32;
    f64: min_f64, max_f64;
}

/// PTX `min`/`max` on the device, the same rules in plain Rust on the host.
macro_rules! float_extremes {
    ($($name:ident($ty:ident) = $intrinsic:ident, $wins:expr;)*) => {$(
        #[inline(always)]
        fn $name(a: $ty, b: $ty) -> $ty {
            #[cfg(target_arch = "nvptx64")]
            // SAFETY: plain arithmetic.
            return unsafe { nvvm::$intrinsic(a, b) };
            #[cfg(not(target_arch = "nvptx64"))]
            {
                let wins: fn($ty, $ty) -> bool = $wins;
                if a.is_nan() {
                    b
                } else if b.is_nan() || wins(a, b) {
                    a
                } else {
                    b
                }
            }
        }
    )*};
}
float_extremes! {
    min_f32(f32) = fmin_f32, |a, b| a < b || (a == b && a.is_sign_negative());
    max_f32(f32) = fmax_f32, |a, b| a > b || (a == b && b.is_sign_negative());
    min_f64(f64) = fmin_f64, |a, b| a < b || (a == b && a.is_sign_negative());
    max_f64(f64) = fmax_f64, |a, b| a > b || (a == b && b.is_sign_negative());
}

macro_rules! operations {
    ($($(#[$doc:meta])* $op:ident: $bound:ident, $method:ident, $identity:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $op;

        impl<T: $bound + Redux> ReduceOp<T> for $op {
            const COMMUTATIVE: bool = true;
            const HARDWARE: bool = T::HARDWARE && !matches!(Kind::$op, Kind::Mul);
            #[inline(always)]
            fn combine(self, a: T, b: T) -> T {
                a.$method(b)
            }
            #[inline(always)]
            unsafe fn redux(self, mask: u32, value: T) -> Option<T> {
                // SAFETY: the caller's duty.
                unsafe { T::redux(Kind::$op, mask, value) }
            }
        }

        impl<T: $bound + Redux> Monoid<T> for $op {
            #[inline(always)]
            fn identity(self) -> T {
                T::$identity
            }
        }
    )*};
}
operations! {
    /// The sum; wraps for integers. Identity 0.
    Add: Scalar, plus, ZERO;
    /// The product; wraps for integers. Identity 1.
    Mul: Scalar, times, ONE;
    /// The smallest value. Identity: the greatest value, +∞ for floats. A NaN loses against a
    /// number (PTX `min`), so that the minimum of NaNs alone and the identity is +∞.
    Min: Scalar, smaller, GREATEST;
    /// The largest value. Identity: the least value, −∞ for floats. A NaN loses against a number.
    Max: Scalar, larger, LEAST;
    /// Bitwise and. Identity: all bits set.
    And: Integer, and, ALL_ONES;
    /// Bitwise or. Identity 0.
    Or: Integer, or, ZERO;
    /// Bitwise exclusive or. Identity 0.
    Xor: Integer, xor, ZERO;
}

/// The smaller value with its index; of equal ones the one with the lower index. A NaN loses
/// against a number. An operation for [`ReduceOp`].
#[inline(always)]
pub fn arg_min<T: Scalar>(a: (T, u32), b: (T, u32)) -> (T, u32) {
    if b.0 < a.0 || is_nan(a.0) && !is_nan(b.0) || same(a.0, b.0) && b.1 < a.1 {
        b
    } else {
        a
    }
}

/// The larger value with its index; of equal ones the one with the lower index. A NaN loses
/// against a number. An operation for [`ReduceOp`].
#[inline(always)]
pub fn arg_max<T: Scalar>(a: (T, u32), b: (T, u32)) -> (T, u32) {
    if b.0 > a.0 || is_nan(a.0) && !is_nan(b.0) || same(a.0, b.0) && b.1 < a.1 {
        b
    } else {
        a
    }
}

#[expect(clippy::eq_op, reason = "only a NaN differs from itself")]
#[inline(always)]
fn is_nan<T: Scalar>(value: T) -> bool {
    value != value
}

/// Whether neither is below the other and both are numbers, or both are NaN.
#[inline(always)]
fn same<T: Scalar>(a: T, b: T) -> bool {
    a == b || is_nan(a) && is_nan(b)
}

/// The operations by name, for [`Redux`].
#[doc(hidden)]
#[derive(Clone, Copy)]
pub enum Kind {
    Add,
    Mul,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// Types for which `redux.sync` may exist (sm_80: 32-bit integers).
#[doc(hidden)]
pub trait Redux: Sized {
    /// Whether this target has them.
    const HARDWARE: bool = false;
    /// # Safety
    /// - As [`crate::warp::warp_reduce`].
    #[inline(always)]
    unsafe fn redux(_op: Kind, _mask: u32, _value: Self) -> Option<Self> {
        None
    }
}

macro_rules! no_redux {
    ($($ty:ty),*) => {$(impl Redux for $ty {})*};
}
no_redux!(i64, i128, isize, u64, u128, usize, f32, f64);

macro_rules! redux {
    ($($ty:ty as $wide:ty: $min:ident, $max:ident;)*) => {$(
        impl Redux for $ty {
            const HARDWARE: bool = cfg!(target_feature = "sm_80");
            #[inline(always)]
            unsafe fn redux(op: Kind, mask: u32, value: Self) -> Option<Self> {
                if !Self::HARDWARE {
                    return None;
                }
                let wide = <$wide>::from(value);
                // SAFETY: the caller's duty; sm_80 has the instructions.
                unsafe {
                    Some(match op {
                        Kind::Add => nvvm::redux_add(wide as u32, mask) as Self,
                        Kind::Min => nvvm::$min(wide, mask) as Self,
                        Kind::Max => nvvm::$max(wide, mask) as Self,
                        Kind::And => nvvm::redux_and(wide as u32, mask) as Self,
                        Kind::Or => nvvm::redux_or(wide as u32, mask) as Self,
                        Kind::Xor => nvvm::redux_xor(wide as u32, mask) as Self,
                        Kind::Mul => return None,
                    })
                }
            }
        }
    )*};
}
redux! {
    i8 as i32: redux_min, redux_max;
    i16 as i32: redux_min, redux_max;
    i32 as i32: redux_min, redux_max;
    u8 as u32: redux_umin, redux_umax;
    u16 as u32: redux_umin, redux_umax;
    u32 as u32: redux_umin, redux_umax;
}
