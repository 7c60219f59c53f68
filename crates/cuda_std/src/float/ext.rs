//! Special functions.

use super::{GpuFloat, Sealed};

/// Functions beyond those of `std`: error function, gamma, Bessel, scaled trigonometry.
///
/// Computed in f64 for both types where `libm` has no f32 form.
pub trait FloatExt: Sized + Sealed {
    /// cos(π · self), exact at multiples of ½.
    fn cospi(self) -> Self;
    /// sin(π · self), exact at multiples of ½.
    fn sinpi(self) -> Self;
    /// sin(π · self) and cos(π · self).
    fn sincospi(self) -> (Self, Self);
    /// erf(self).
    fn error_function(self) -> Self;
    /// erfc(self) = 1 − erf(self).
    fn complementary_error_function(self) -> Self;
    /// The x with erfc(x) = self, for self in 0…2.
    fn inv_complementary_error_function(self) -> Self;
    /// exp(self²) · erfc(self).
    fn scaled_complementary_error_function(self) -> Self;
    /// A fraction in ½…1 and an exponent: self = fraction · 2^exponent.
    fn frexp(self) -> (Self, i32);
    /// The exponent of self: ⌊log₂ |self|⌋.
    fn unbiased_exp(self) -> i32;
    /// self · 2^exp.
    fn ldexp(self, exp: i32) -> Self;
    /// self · 2^exp.
    fn scale_by_n(self, exp: i32) -> Self;
    /// Bessel function of the first kind, order 0.
    fn j0(self) -> Self;
    /// Bessel function of the first kind, order 1.
    fn j1(self) -> Self;
    /// Bessel function of the first kind, any order.
    fn jn(self, order: i32) -> Self;
    /// Bessel function of the second kind, order 0.
    fn y0(self) -> Self;
    /// Bessel function of the second kind, order 1.
    fn y1(self) -> Self;
    /// Bessel function of the second kind, any order.
    fn yn(self, order: i32) -> Self;
    /// ln |Γ(self)|.
    fn log_gamma(self) -> Self;
    /// Γ(self).
    fn gamma(self) -> Self;
    /// ln(1 + self).
    fn log1p(self) -> Self;
    /// The cumulative distribution of the standard normal distribution.
    fn norm_cdf(self) -> Self;
    /// Its inverse, for self in 0…1.
    fn inv_norm_cdf(self) -> Self;
    /// 1 / ∛self.
    fn rcbrt(self) -> Self;
    /// self, but at least +0 and at most 1; +0 for NaN.
    fn saturate(self) -> Self;
}

macro_rules! float_ext {
    ($ty:ident: $erf:ident $erfc:ident $frexp:ident $ilogb:ident $ldexp:ident $scalbn:ident $j0:ident $j1:ident $jn:ident $y0:ident $y1:ident $yn:ident $lgamma:ident $tgamma:ident $log1p:ident) => {
        impl FloatExt for $ty {
            #[inline]
            fn cospi(self) -> Self {
                self.sincospi().1
            }
            #[inline]
            fn sinpi(self) -> Self {
                self.sincospi().0
            }
            #[inline]
            fn sincospi(self) -> (Self, Self) {
                let (sin, cos) = sin_cos_pi(f64::from(self));
                (sin as Self, cos as Self)
            }
            #[inline]
            fn error_function(self) -> Self {
                libm::$erf(self)
            }
            #[inline]
            fn complementary_error_function(self) -> Self {
                libm::$erfc(self)
            }
            #[inline]
            fn inv_complementary_error_function(self) -> Self {
                inverse_erfc(f64::from(self)) as Self
            }
            #[inline]
            fn scaled_complementary_error_function(self) -> Self {
                scaled_erfc(f64::from(self)) as Self
            }
            #[inline]
            fn frexp(self) -> (Self, i32) {
                libm::$frexp(self)
            }
            #[inline]
            fn unbiased_exp(self) -> i32 {
                libm::$ilogb(self)
            }
            #[inline]
            fn ldexp(self, exp: i32) -> Self {
                libm::$ldexp(self, exp)
            }
            #[inline]
            fn scale_by_n(self, exp: i32) -> Self {
                libm::$scalbn(self, exp)
            }
            #[inline]
            fn j0(self) -> Self {
                libm::$j0(self)
            }
            #[inline]
            fn j1(self) -> Self {
                libm::$j1(self)
            }
            #[inline]
            fn jn(self, order: i32) -> Self {
                libm::$jn(order, self)
            }
            #[inline]
            fn y0(self) -> Self {
                libm::$y0(self)
            }
            #[inline]
            fn y1(self) -> Self {
                libm::$y1(self)
            }
            #[inline]
            fn yn(self, order: i32) -> Self {
                libm::$yn(order, self)
            }
            #[inline]
            fn log_gamma(self) -> Self {
                libm::$lgamma(self)
            }
            #[inline]
            fn gamma(self) -> Self {
                libm::$tgamma(self)
            }
            #[inline]
            fn log1p(self) -> Self {
                libm::$log1p(self)
            }
            #[inline]
            fn norm_cdf(self) -> Self {
                (0.5 * libm::erfc(-f64::from(self) * core::f64::consts::FRAC_1_SQRT_2)) as Self
            }
            #[inline]
            fn inv_norm_cdf(self) -> Self {
                (-core::f64::consts::SQRT_2 * inverse_erfc(2.0 * f64::from(self))) as Self
            }
            #[inline]
            fn rcbrt(self) -> Self {
                1.0 / GpuFloat::cbrt(self)
            }
            #[inline(always)]
            fn saturate(self) -> Self {
                // A NaN fails both comparisons.
                if self > 0.0 {
                    if self < 1.0 { self } else { 1.0 }
                } else {
                    0.0
                }
            }
        }
    };
}
float_ext!(f32: erff erfcf frexpf ilogbf ldexpf scalbnf j0f j1f jnf y0f y1f ynf lgammaf tgammaf log1pf);
float_ext!(f64: erf erfc frexp ilogb ldexp scalbn j0 j1 jn y0 y1 yn lgamma tgamma log1p);

/// sin(πx) and cos(πx), by reduction to |x| ≤ ¼, which is exact.
fn sin_cos_pi(x: f64) -> (f64, f64) {
    if !x.is_finite() {
        return (f64::NAN, f64::NAN);
    }
    let quarters = GpuFloat::round(2.0 * x);
    let angle = (x - 0.5 * quarters) * core::f64::consts::PI;
    let (sin, cos) = libm::sincos(angle);
    // 2 x beyond 2⁵³ is a multiple of 4 quarters or a half turn, which the remainder tells.
    match GpuFloat::rem_euclid(quarters, 4.0) as u32 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// The x with erfc(x) = y: an asymptotic start and Halley's iteration.
fn inverse_erfc(y: f64) -> f64 {
    if !(0.0..=2.0).contains(&y) {
        return f64::NAN;
    }
    if y == 0.0 {
        return f64::INFINITY;
    }
    // erfc(−x) = 2 − erfc(x): only the right half is needed.
    let (target, sign) = if y > 1.0 { (2.0 - y, -1.0) } else { (y, 1.0) };
    if target == 0.0 {
        return f64::NEG_INFINITY;
    }
    let t = GpuFloat::sqrt(-2.0 * GpuFloat::ln(0.5 * target));
    // Hastings' rational approximation of the normal quantile, good to 4.5e-4.
    let quantile = t
        - (2.515_517 + t * (0.802_853 + t * 0.010_328))
            / (1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308)));
    let mut x = quantile * core::f64::consts::FRAC_1_SQRT_2;
    for _ in 0..3 {
        // In units of the density 2/√π e^(−x²), which may be very small.
        let density = core::f64::consts::FRAC_2_SQRT_PI * GpuFloat::exp(-x * x);
        let error = (libm::erfc(x) - target) / density;
        x += error / (1.0 + x * error);
    }
    sign * x
}

/// exp(x²) erfc(x): the product where it does not underflow, else a continued fraction.
fn scaled_erfc(x: f64) -> f64 {
    if x < 20.0 {
        // x² = high + low exactly, so that the exponential keeps its accuracy.
        let high = x * x;
        let low = GpuFloat::mul_add(x, x, -high);
        return GpuFloat::exp(high) * (1.0 + low) * libm::erfc(x);
    }
    let mut tail = x;
    let mut n = 10.0;
    while n > 0.0 {
        tail = x + 0.5 * n / tail;
        n -= 1.0;
    }
    0.5 * core::f64::consts::FRAC_2_SQRT_PI / tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(got: f64, expected: f64) {
        assert!(
            (got - expected).abs() <= 1e-13 * expected.abs().max(1e-300),
            "{got:e} {expected:e}"
        );
    }

    #[test]
    fn inverses() {
        for y in [1e-300, 1e-20, 1e-3, 0.25, 0.5, 0.999, 1.0 + 1e-3, 1.75] {
            near(libm::erfc(y.inv_complementary_error_function()), y);
        }
        for p in [1e-12, 0.01, 0.3, 0.9] {
            near(p.inv_norm_cdf().norm_cdf(), p);
        }
        assert_eq!(0f64.inv_complementary_error_function(), f64::INFINITY);
        assert_eq!(2f64.inv_complementary_error_function(), f64::NEG_INFINITY);
        assert!((-1f64).inv_complementary_error_function().is_nan());
    }

    #[test]
    fn turns() {
        assert_eq!(0.5f64.sincospi(), (1.0, 0.0));
        assert_eq!((-0.5f64).sinpi(), -1.0);
        assert_eq!(1e15f64.cospi(), 1.0);
        near(0.25f64.sinpi(), core::f64::consts::FRAC_1_SQRT_2);
        assert_eq!(7.0f32.cospi(), -1.0);
    }

    #[test]
    fn scaled_error_function() {
        near(0.0f64.scaled_complementary_error_function(), 1.0);
        near(
            1.0f64.scaled_complementary_error_function(),
            0.427_583_576_155_807,
        );
        // The two methods meet at 20.
        let (below, above) = (20.0f64 - 1e-9, 20.0f64 + 1e-9);
        let ratio = below.scaled_complementary_error_function()
            / above.scaled_complementary_error_function();
        assert!((ratio - 1.0 - 1e-10).abs() < 1e-12, "{ratio}");
        assert_eq!(f32::NAN.saturate(), 0.0);
    }
}
