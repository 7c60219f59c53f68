//! The operations of the reductions: sum, min, max, product.
//!
//! Integer sums and products wrap. Float min and max follow `f32::min` and PTX's `min.f32`: a NaN
//! loses against any number, and −0 is smaller than +0. Every reduction also takes the identity
//! in, so that a NaN never comes out: the minimum of nothing, or of NaNs alone, is +∞, the maximum
//! −∞. The order of the operands therefore never shows in a minimum or maximum; in a float sum it
//! does, within the rounding error.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::{AtomicF32, AtomicF64, AtomicI32, AtomicI64, AtomicU32, AtomicU64};

use crate::element::Element;

/// An associative, commutative operation with an identity.
pub trait Op<T: Element>: 'static {
    /// `combine(IDENTITY, x)` is `x` for every number `x`.
    const IDENTITY: T;

    /// The operation itself.
    fn combine(a: T, b: T) -> T;

    /// Folds a pack pairwise: `(a·b)·(c·d)`.
    #[inline(always)]
    fn fold(pack: T::Pack) -> T {
        let pack = pack.as_ref();
        if T::PER_PACK == 4 {
            Self::combine(
                Self::combine(pack[0], pack[1]),
                Self::combine(pack[2], pack[3]),
            )
        } else {
            Self::combine(pack[0], pack[1])
        }
    }
}

/// An operation that global memory can do by itself.
pub trait AtomicOp<T: Element>: Op<T> {
    /// `*target = combine(*target, value)`, atomically at device scope.
    ///
    /// # Safety
    /// - `target` is aligned, valid for reads and writes, and only accessed atomically meanwhile.
    unsafe fn atomic(target: *mut T, value: T);
}

/// Addition; integers wrap.
pub struct Sum;
/// The smaller one; NaN loses.
pub struct Min;
/// The larger one; NaN loses.
pub struct Max;
/// Multiplication; integers wrap.
pub struct Product;

macro_rules! integer_ops {
    ($($t:ident, $atomic:ident);*) => {$(
        impl Op<$t> for Sum {
            const IDENTITY: $t = 0;
            #[inline(always)]
            fn combine(a: $t, b: $t) -> $t { a.wrapping_add(b) }
        }
        impl Op<$t> for Product {
            const IDENTITY: $t = 1;
            #[inline(always)]
            fn combine(a: $t, b: $t) -> $t { a.wrapping_mul(b) }
        }
        impl Op<$t> for Min {
            const IDENTITY: $t = $t::MAX;
            #[inline(always)]
            fn combine(a: $t, b: $t) -> $t { a.min(b) }
        }
        impl Op<$t> for Max {
            const IDENTITY: $t = $t::MIN;
            #[inline(always)]
            fn combine(a: $t, b: $t) -> $t { a.max(b) }
        }
        integer_ops!(@atomic Sum, fetch_add, $t, $atomic);
        integer_ops!(@atomic Min, fetch_min, $t, $atomic);
        integer_ops!(@atomic Max, fetch_max, $t, $atomic);
    )*};
    (@atomic $op:ident, $fetch:ident, $t:ident, $atomic:ident) => {
        impl AtomicOp<$t> for $op {
            #[inline(always)]
            unsafe fn atomic(target: *mut $t, value: $t) {
                // SAFETY: aligned, valid and shared atomically by the caller's promise.
                unsafe { $atomic::from_ptr(target) }.$fetch(value, Relaxed);
            }
        }
    };
}

integer_ops!(i32, AtomicI32; u32, AtomicU32; i64, AtomicI64; u64, AtomicU64);

macro_rules! float_ops {
    ($($t:ident, $add:ident, $signed:ident, $signed_atomic:ident, $bits_atomic:ident);*) => {$(
        impl Op<$t> for Sum {
            const IDENTITY: $t = 0.0;
            #[inline(always)]
            fn combine(a: $t, b: $t) -> $t { a + b }
        }
        impl Op<$t> for Product {
            const IDENTITY: $t = 1.0;
            #[inline(always)]
            fn combine(a: $t, b: $t) -> $t { a * b }
        }
        impl Op<$t> for Min {
            const IDENTITY: $t = $t::INFINITY;
            #[inline(always)]
            fn combine(a: $t, b: $t) -> $t { a.min(b) }
        }
        impl Op<$t> for Max {
            const IDENTITY: $t = $t::NEG_INFINITY;
            #[inline(always)]
            fn combine(a: $t, b: $t) -> $t { a.max(b) }
        }
        impl AtomicOp<$t> for Sum {
            #[inline(always)]
            unsafe fn atomic(target: *mut $t, value: $t) {
                // SAFETY: aligned, valid and shared atomically by the caller's promise.
                unsafe { &*target.cast::<$add>() }.fetch_add(value, Relaxed);
            }
        }
        // Non-negative floats are ordered as their bits are as signed integers, negative ones the
        // other way round as unsigned integers, in which each of them is above each non-negative.
        impl AtomicOp<$t> for Min {
            #[inline(always)]
            unsafe fn atomic(target: *mut $t, value: $t) {
                if value.is_nan() {
                } else if value.is_sign_positive() {
                    // SAFETY: aligned, valid and shared atomically by the caller's promise.
                    unsafe { $signed_atomic::from_ptr(target.cast()) }
                        .fetch_min(value.to_bits() as $signed, Relaxed);
                } else {
                    // SAFETY: as above.
                    unsafe { $bits_atomic::from_ptr(target.cast()) }
                        .fetch_max(value.to_bits(), Relaxed);
                }
            }
        }
        impl AtomicOp<$t> for Max {
            #[inline(always)]
            unsafe fn atomic(target: *mut $t, value: $t) {
                if value.is_nan() {
                } else if value.is_sign_positive() {
                    // SAFETY: aligned, valid and shared atomically by the caller's promise.
                    unsafe { $signed_atomic::from_ptr(target.cast()) }
                        .fetch_max(value.to_bits() as $signed, Relaxed);
                } else {
                    // SAFETY: as above.
                    unsafe { $bits_atomic::from_ptr(target.cast()) }
                        .fetch_min(value.to_bits(), Relaxed);
                }
            }
        }
    )*};
}

float_ops!(f32, AtomicF32, i32, AtomicI32, AtomicU32; f64, AtomicF64, i64, AtomicI64, AtomicU64);
