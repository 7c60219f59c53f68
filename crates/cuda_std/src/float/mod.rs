//! Float mathematics for `no_std`: [`GpuFloat`] with the functions of `std`, [`FloatExt`] with
//! further ones, and [`fast`] approximations by one hardware instruction.
//!
//! `sqrt`, `mul_add`, `floor`, `ceil` and `trunc` are PTX instructions, rounded as IEEE 754 says.
//! The rest is the code of the `libm` crate, within about 1 unit in the last place, the same on
//! the GPU as on the host. Its `sin`, `cos` and `tan` reduce very large arguments with an array,
//! which goes to local memory.

mod ext;
pub mod fast;

pub use ext::FloatExt;

#[cfg(target_arch = "nvptx64")]
use crate::intrinsics as nvvm;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}
pub(crate) use sealed::Sealed;

/// The functions of `std`'s floats, for kernels.
///
/// ```
/// use cuda_std::GpuFloat;
/// use cuda_std::prelude::*;
///
/// /// # Safety
/// /// - `x` has one element per thread.
/// #[kernel]
/// pub unsafe fn gauss(x: *mut f32) {
///     // SAFETY: one element per thread.
///     unsafe {
///         let x = &mut *x.add(thread::index_1d() as usize);
///         *x = (-*x * *x).exp();
///     }
/// }
/// ```
pub trait GpuFloat: Copy + PartialOrd + Sealed {
    /// The largest integer not above `self`. PTX `cvt.rmi`.
    fn floor(self) -> Self;
    /// The smallest integer not below `self`. PTX `cvt.rpi`.
    fn ceil(self) -> Self;
    /// The nearest integer, halves away from zero.
    fn round(self) -> Self;
    /// The integer part. PTX `cvt.rzi`.
    fn trunc(self) -> Self;
    /// The fractional part, with the sign of `self`.
    fn fract(self) -> Self;
    /// The absolute value. PTX `abs`.
    fn abs(self) -> Self;
    /// ±1 with the sign of `self`; NaN for NaN.
    fn signum(self) -> Self;
    /// The magnitude of `self` with the sign of `sign`. PTX `copysign`.
    fn copysign(self, sign: Self) -> Self;
    /// `self · a + b`, rounded once. PTX `fma.rn`.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// The quotient of Euclidean division, an integer.
    fn div_euclid(self, rhs: Self) -> Self;
    /// The remainder of Euclidean division, not negative.
    fn rem_euclid(self, rhs: Self) -> Self;
    /// An integer power, by repeated multiplication.
    fn powi(self, n: i32) -> Self;
    /// A power.
    fn powf(self, n: Self) -> Self;
    /// The square root. PTX `sqrt.rn`.
    fn sqrt(self) -> Self;
    /// e to the power of `self`.
    fn exp(self) -> Self;
    /// 2 to the power of `self`.
    fn exp2(self) -> Self;
    /// The natural logarithm.
    fn ln(self) -> Self;
    /// The logarithm to a base.
    fn log(self, base: Self) -> Self;
    /// The logarithm to base 2.
    fn log2(self) -> Self;
    /// The logarithm to base 10.
    fn log10(self) -> Self;
    /// The cube root.
    fn cbrt(self) -> Self;
    /// √(self² + other²) without overflow on the way.
    fn hypot(self, other: Self) -> Self;
    /// The sine of an angle in radians.
    fn sin(self) -> Self;
    /// The cosine of an angle in radians.
    fn cos(self) -> Self;
    /// The tangent of an angle in radians.
    fn tan(self) -> Self;
    /// The arcsine, in −π/2…π/2.
    fn asin(self) -> Self;
    /// The arccosine, in 0…π.
    fn acos(self) -> Self;
    /// The arctangent, in −π/2…π/2.
    fn atan(self) -> Self;
    /// The angle of the point (`other`, `self`), in −π…π.
    fn atan2(self, other: Self) -> Self;
    /// Sine and cosine.
    fn sin_cos(self) -> (Self, Self);
    /// e to the power of `self`, minus 1, accurate near 0.
    fn exp_m1(self) -> Self;
    /// ln(1 + self), accurate near 0.
    fn ln_1p(self) -> Self;
    /// The hyperbolic sine.
    fn sinh(self) -> Self;
    /// The hyperbolic cosine.
    fn cosh(self) -> Self;
    /// The hyperbolic tangent.
    fn tanh(self) -> Self;
    /// The inverse hyperbolic sine.
    fn asinh(self) -> Self;
    /// The inverse hyperbolic cosine.
    fn acosh(self) -> Self;
    /// The inverse hyperbolic tangent.
    fn atanh(self) -> Self;
}

/// Functions that are one instruction on the device and `libm`'s on the host.
macro_rules! instructions {
    ($($method:ident($($arg:ident),*) = $intrinsic:ident, $libm:ident;)*) => {$(
        #[inline(always)]
        fn $method(self $(, $arg: Self)*) -> Self {
            #[cfg(target_arch = "nvptx64")]
            // SAFETY: plain arithmetic.
            return unsafe { nvvm::$intrinsic(self $(, $arg)*) };
            #[cfg(not(target_arch = "nvptx64"))]
            libm::$libm(self $(, $arg)*)
        }
    )*};
}

/// Functions that are `libm`'s everywhere.
macro_rules! library {
    ($($method:ident($($arg:ident),*) = $libm:ident;)*) => {$(
        #[inline]
        fn $method(self $(, $arg: Self)*) -> Self {
            libm::$libm(self $(, $arg)*)
        }
    )*};
}

macro_rules! gpu_float {
    ($ty:ident, $sin_cos:ident, $instructions:tt, $library:tt) => {
        impl GpuFloat for $ty {
            instructions! $instructions
            library! $library

            #[inline(always)]
            fn fract(self) -> Self {
                self - GpuFloat::trunc(self)
            }

            #[inline(always)]
            fn abs(self) -> Self {
                Self::from_bits(self.to_bits() & (Self::MAX.to_bits() | Self::INFINITY.to_bits() | Self::NAN.to_bits()))
            }

            #[inline(always)]
            fn signum(self) -> Self {
                if self.is_nan() { Self::NAN } else { GpuFloat::copysign(1.0, self) }
            }

            #[inline(always)]
            fn copysign(self, sign: Self) -> Self {
                const SIGN: $ty = -0.0;
                Self::from_bits(self.to_bits() & !SIGN.to_bits() | sign.to_bits() & SIGN.to_bits())
            }

            #[inline(always)]
            fn div_euclid(self, rhs: Self) -> Self {
                let quotient = GpuFloat::trunc(self / rhs);
                if self % rhs >= 0.0 {
                    quotient
                } else if rhs > 0.0 {
                    quotient - 1.0
                } else {
                    quotient + 1.0
                }
            }

            #[inline(always)]
            fn rem_euclid(self, rhs: Self) -> Self {
                let remainder = self % rhs;
                if remainder < 0.0 { remainder + GpuFloat::abs(rhs) } else { remainder }
            }

            #[inline]
            fn powi(self, n: i32) -> Self {
                let (mut base, mut left, mut power) = (self, n.unsigned_abs(), 1.0);
                while left > 0 {
                    if left & 1 == 1 {
                        power *= base;
                    }
                    base *= base;
                    left >>= 1;
                }
                if n < 0 { 1.0 / power } else { power }
            }

            #[inline(always)]
            fn log(self, base: Self) -> Self {
                GpuFloat::ln(self) / GpuFloat::ln(base)
            }

            #[inline]
            fn sin_cos(self) -> (Self, Self) {
                libm::$sin_cos(self)
            }
        }
    };
}

gpu_float!(f32, sincosf, {
    floor() = floor_f32, floorf;
    ceil() = ceil_f32, ceilf;
    trunc() = trunc_f32, truncf;
    sqrt() = sqrt_f32, sqrtf;
    mul_add(a, b) = fma_f32, fmaf;
}, {
    round() = roundf;
    powf(n) = powf;
    exp() = expf;
    exp2() = exp2f;
    ln() = logf;
    log2() = log2f;
    log10() = log10f;
    cbrt() = cbrtf;
    hypot(other) = hypotf;
    sin() = sinf;
    cos() = cosf;
    tan() = tanf;
    asin() = asinf;
    acos() = acosf;
    atan() = atanf;
    atan2(other) = atan2f;
    exp_m1() = expm1f;
    ln_1p() = log1pf;
    sinh() = sinhf;
    cosh() = coshf;
    tanh() = tanhf;
    asinh() = asinhf;
    acosh() = acoshf;
    atanh() = atanhf;
});

gpu_float!(f64, sincos, {
    floor() = floor_f64, floor;
    ceil() = ceil_f64, ceil;
    trunc() = trunc_f64, trunc;
    sqrt() = sqrt_f64, sqrt;
    mul_add(a, b) = fma_f64, fma;
}, {
    round() = round;
    powf(n) = pow;
    exp() = exp;
    exp2() = exp2;
    ln() = log;
    log2() = log2;
    log10() = log10;
    cbrt() = cbrt;
    hypot(other) = hypot;
    sin() = sin;
    cos() = cos;
    tan() = tan;
    asin() = asin;
    acos() = acos;
    atan() = atan;
    atan2(other) = atan2;
    exp_m1() = expm1;
    ln_1p() = log1p;
    sinh() = sinh;
    cosh() = cosh;
    tanh() = tanh;
    asinh() = asinh;
    acosh() = acosh;
    atanh() = atanh;
});

#[cfg(test)]
mod tests {
    use super::GpuFloat;

    #[test]
    fn agrees_with_the_standard_library() {
        for x in [-7.5f64, -1.0, -0.25, 0.0, 0.3, 1.0, 2.5, 9.75] {
            assert_eq!(GpuFloat::floor(x), x.floor());
            assert_eq!(GpuFloat::abs(x).to_bits(), x.abs().to_bits());
            assert_eq!(GpuFloat::copysign(x, -2.0), x.copysign(-2.0));
            assert_eq!(GpuFloat::signum(x), x.signum());
            assert_eq!(GpuFloat::div_euclid(x, -2.0), x.div_euclid(-2.0));
            assert_eq!(GpuFloat::rem_euclid(x, 2.0), x.rem_euclid(2.0));
            assert!((GpuFloat::powi(x + 10.0, -3) - (x + 10.0).powi(-3)).abs() < 1e-15);
            assert!((GpuFloat::sin(x) - x.sin()).abs() < 1e-15);
        }
        assert_eq!(GpuFloat::abs(f32::NEG_INFINITY), f32::INFINITY);
        assert!(GpuFloat::abs(f32::NAN).is_nan());
    }
}
