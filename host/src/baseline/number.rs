//! The element types and operations of the baselines.

use std::fmt::Debug;

/// An element type: `i32`, `u32`, `i64`, `u64`, `f32`, `f64`.
pub trait Number: Copy + Debug + Default + PartialEq + PartialOrd + Send + Sync + 'static {
    /// One.
    const ONE: Self;
    /// The identity of the minimum: the largest value, +∞ for floats.
    const HIGHEST: Self;
    /// The identity of the maximum: the smallest value, −∞ for floats.
    const LOWEST: Self;
    /// Sum; integers wrap.
    fn plus(self, other: Self) -> Self;
    /// Product; integers wrap.
    fn times(self, other: Self) -> Self;
    /// `self · a + b`, rounded once for floats; integers wrap.
    fn times_plus(self, a: Self, b: Self) -> Self;
    /// The smaller one; a NaN loses, −0 is smaller than +0.
    fn smaller(self, other: Self) -> Self;
    /// The larger one; a NaN loses, −0 is smaller than +0.
    fn larger(self, other: Self) -> Self;
}

/// A float type and what its rounding errors are measured by.
pub trait Float: Number {
    /// The unit roundoff u: 2⁻²⁴ or 2⁻⁵³.
    const UNIT: f64;
    /// The smallest normal number; below it the relative error says nothing.
    const MIN_NORMAL: f64;
    /// The largest finite number.
    const LARGEST: f64;
    /// Exact.
    fn to_f64(self) -> f64;
}

macro_rules! integer {
    ($($t:ident),*) => {$(
        impl Number for $t {
            const ONE: Self = 1;
            const HIGHEST: Self = $t::MAX;
            const LOWEST: Self = $t::MIN;
            #[inline]
            fn plus(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline]
            fn times(self, other: Self) -> Self { self.wrapping_mul(other) }
            #[inline]
            fn times_plus(self, a: Self, b: Self) -> Self { self.wrapping_mul(a).wrapping_add(b) }
            #[inline]
            fn smaller(self, other: Self) -> Self { self.min(other) }
            #[inline]
            fn larger(self, other: Self) -> Self { self.max(other) }
        }
    )*};
}

macro_rules! float {
    ($($t:ident: $unit:expr);*) => {$(
        impl Number for $t {
            const ONE: Self = 1.0;
            const HIGHEST: Self = $t::INFINITY;
            const LOWEST: Self = $t::NEG_INFINITY;
            #[inline]
            fn plus(self, other: Self) -> Self { self + other }
            #[inline]
            fn times(self, other: Self) -> Self { self * other }
            #[inline]
            fn times_plus(self, a: Self, b: Self) -> Self { self.mul_add(a, b) }
            #[inline]
            fn smaller(self, other: Self) -> Self {
                let first = self < other
                    || other.is_nan()
                    || (self == other && self.is_sign_negative());
                if first { self } else { other }
            }
            #[inline]
            fn larger(self, other: Self) -> Self {
                let first = self > other
                    || other.is_nan()
                    || (self == other && self.is_sign_positive());
                if first { self } else { other }
            }
        }
        impl Float for $t {
            const UNIT: f64 = $unit;
            const MIN_NORMAL: f64 = $t::MIN_POSITIVE as f64;
            const LARGEST: f64 = $t::MAX as f64;
            #[inline]
            fn to_f64(self) -> f64 { self as f64 }
        }
    )*};
}

integer!(i32, u32, i64, u64);
float!(f32: f32::EPSILON as f64 / 2.0; f64: f64::EPSILON / 2.0);

/// An associative operation with an identity.
pub trait Operation: Send + Sync + 'static {
    /// What the reduction of nothing gives.
    fn identity<T: Number>() -> T;
    /// The operation.
    fn apply<T: Number>(a: T, b: T) -> T;
}

/// Addition.
#[derive(Clone, Copy, Debug)]
pub struct Sum;
/// Multiplication.
#[derive(Clone, Copy, Debug)]
pub struct Product;
/// Minimum.
#[derive(Clone, Copy, Debug)]
pub struct Min;
/// Maximum.
#[derive(Clone, Copy, Debug)]
pub struct Max;

macro_rules! operation {
    ($($op:ident: $identity:expr, $apply:ident);*) => {$(
        impl Operation for $op {
            #[inline]
            fn identity<T: Number>() -> T { $identity }
            #[inline]
            fn apply<T: Number>(a: T, b: T) -> T { a.$apply(b) }
        }
    )*};
}

operation!(
    Sum: T::default(), plus;
    Product: T::ONE, times;
    Min: T::HIGHEST, smaller;
    Max: T::LOWEST, larger
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_loses_and_negative_zero_is_smaller() {
        let nan = f32::NAN;
        let table: [(f32, f32, f32, f32); 6] = [
            (1.0, 2.0, 1.0, 2.0),
            (nan, 2.0, 2.0, 2.0),
            (2.0, nan, 2.0, 2.0),
            (0.0, -0.0, -0.0, 0.0),
            (-0.0, 0.0, -0.0, 0.0),
            (f32::NEG_INFINITY, nan, f32::NEG_INFINITY, f32::NEG_INFINITY),
        ];
        for (a, b, smaller, larger) in table {
            assert_eq!(
                a.smaller(b).to_bits(),
                smaller.to_bits(),
                "min of {a} and {b}"
            );
            assert_eq!(
                a.larger(b).to_bits(),
                larger.to_bits(),
                "max of {a} and {b}"
            );
        }
        assert!(nan.smaller(nan).is_nan());
    }

    #[test]
    fn integers_wrap() {
        assert_eq!(i32::MAX.plus(1), i32::MIN);
        assert_eq!(u64::MAX.times(u64::MAX), 1);
    }
}
