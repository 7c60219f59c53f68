//! Single and double precision (PTX ISA, "Floating Point Instructions").
//!
//! Single-precision results that are NaN are the canonical NaN `0x7fffffff`; double precision keeps
//! payloads as the hardware does. Functions here are written so that a loop over lanes vectorises.

use super::soft::{self, F32, F64, Rounding};

/// PTX's canonical single-precision NaN.
pub const NAN32: f32 = f32::from_bits(0x7fff_ffff);

/// A NaN result becomes the canonical one.
#[inline(always)]
pub fn canonical(x: f32) -> f32 {
    if x.is_nan() { NAN32 } else { x }
}

/// `.ftz`: a subnormal becomes a zero of its sign.
#[inline(always)]
pub fn flush(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7f80_0000 == 0 {
        bits & 0x8000_0000
    } else {
        bits
    })
}

/// `.sat`: clamps to [0, 1], NaN becomes +0.
#[inline(always)]
pub fn saturate(x: f32) -> f32 {
    if x > 0.0 {
        if x < 1.0 { x } else { 1.0 }
    } else {
        0.0
    }
}

/// `.sat` in double precision (`cvt.sat.f64`).
pub fn saturate64(x: f64) -> f64 {
    if x > 0.0 {
        if x < 1.0 { x } else { 1.0 }
    } else {
        0.0
    }
}

/// `add.f32` with a rounding other than to nearest.
pub fn add32(a: f32, b: f32, rounding: Rounding) -> f32 {
    f32::from_bits(soft::add(F32, a.to_bits().into(), b.to_bits().into(), rounding) as u32)
}

/// `mul.f32` with a rounding other than to nearest.
pub fn mul32(a: f32, b: f32, rounding: Rounding) -> f32 {
    f32::from_bits(soft::mul(F32, a.to_bits().into(), b.to_bits().into(), rounding) as u32)
}

/// `fma.f32` with a rounding other than to nearest.
pub fn fma32(a: f32, b: f32, c: f32, rounding: Rounding) -> f32 {
    let [a, b, c] = [a, b, c].map(|x| u64::from(x.to_bits()));
    f32::from_bits(soft::fma(F32, a, b, c, rounding) as u32)
}

/// `div.f32` with a rounding other than to nearest.
pub fn div32(a: f32, b: f32, rounding: Rounding) -> f32 {
    f32::from_bits(soft::div(F32, a.to_bits().into(), b.to_bits().into(), rounding) as u32)
}

/// `sqrt.f32` with a rounding other than to nearest.
pub fn sqrt32(a: f32, rounding: Rounding) -> f32 {
    f32::from_bits(soft::sqrt(F32, a.to_bits().into(), rounding) as u32)
}

/// `rcp.f32` with a rounding other than to nearest.
pub fn rcp32(a: f32, rounding: Rounding) -> f32 {
    div32(1.0, a, rounding)
}

/// A double-precision operation with a directed rounding.
fn directed64(inputs: &[f64], result: u64) -> f64 {
    // A payload goes through as it does to nearest.
    match inputs.iter().find(|x| x.is_nan()) {
        Some(nan) => f64::from_bits(nan.to_bits() | 1 << 51),
        None if F64.is_nan(result) => f64::from_bits(0xfff8_0000_0000_0000),
        None => f64::from_bits(result),
    }
}

/// `add.f64` with a rounding other than to nearest.
pub fn add64(a: f64, b: f64, rounding: Rounding) -> f64 {
    directed64(&[a, b], soft::add(F64, a.to_bits(), b.to_bits(), rounding))
}

/// `mul.f64` with a rounding other than to nearest.
pub fn mul64(a: f64, b: f64, rounding: Rounding) -> f64 {
    directed64(&[a, b], soft::mul(F64, a.to_bits(), b.to_bits(), rounding))
}

/// `fma.f64` with a rounding other than to nearest.
pub fn fma64(a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
    let result = soft::fma(F64, a.to_bits(), b.to_bits(), c.to_bits(), rounding);
    directed64(&[a, b, c], result)
}

/// `div.f64` with a rounding other than to nearest.
pub fn div64(a: f64, b: f64, rounding: Rounding) -> f64 {
    directed64(&[a, b], soft::div(F64, a.to_bits(), b.to_bits(), rounding))
}

/// `sqrt.f64` with a rounding other than to nearest.
pub fn sqrt64(a: f64, rounding: Rounding) -> f64 {
    directed64(&[a], soft::sqrt(F64, a.to_bits(), rounding))
}

macro_rules! extrema {
    ($min:ident, $max:ident, $min_nan:ident, $max_nan:ident, $f:ty, $bits:ty, $nan:expr) => {
        /// `min`: −0 is below +0, a NaN operand loses to the other.
        #[inline(always)]
        pub fn $min(a: $f, b: $f) -> $f {
            let less = a < b || (a == b && a.is_sign_negative());
            let number = if less { a } else { b };
            let one = if a.is_nan() { b } else { number };
            let result = if b.is_nan() { a } else { one };
            if result.is_nan() { $nan } else { result }
        }

        /// `max`: +0 is above −0, a NaN operand loses to the other.
        #[inline(always)]
        pub fn $max(a: $f, b: $f) -> $f {
            let more = a > b || (a == b && b.is_sign_negative());
            let number = if more { a } else { b };
            let one = if a.is_nan() { b } else { number };
            let result = if b.is_nan() { a } else { one };
            if result.is_nan() { $nan } else { result }
        }

        /// `min.NaN`: a NaN operand wins.
        #[inline(always)]
        pub fn $min_nan(a: $f, b: $f) -> $f {
            if a.is_nan() || b.is_nan() {
                $nan
            } else {
                $min(a, b)
            }
        }

        /// `max.NaN`: a NaN operand wins.
        #[inline(always)]
        pub fn $max_nan(a: $f, b: $f) -> $f {
            if a.is_nan() || b.is_nan() {
                $nan
            } else {
                $max(a, b)
            }
        }
    };
}

extrema!(min32, max32, min32_nan, max32_nan, f32, u32, NAN32);
extrema!(
    min64,
    max64,
    min64_nan,
    max64_nan,
    f64,
    u64,
    f64::from_bits(0x7fff_ffff_ffff_ffff)
);

/// `.xorsign.abs`: the extremum of the magnitudes under the exclusive or of the signs.
pub fn xorsign_abs(a: f32, b: f32, extremum: fn(f32, f32) -> f32) -> f32 {
    let sign = (a.to_bits() ^ b.to_bits()) & 0x8000_0000;
    let magnitude = extremum(a.abs(), b.abs());
    if magnitude.is_nan() {
        NAN32
    } else {
        f32::from_bits(magnitude.to_bits() | sign)
    }
}

/// What `testp` asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TestProperty {
    /// Neither infinite nor NaN.
    Finite,
    /// Infinite.
    Infinite,
    /// Not NaN.
    Number,
    /// NaN.
    NotANumber,
    /// Neither NaN, infinite, subnormal nor zero.
    Normal,
    /// Subnormal.
    Subnormal,
}

/// `testp` on the class of a value.
pub fn testp(class: std::num::FpCategory, property: TestProperty) -> bool {
    use std::num::FpCategory::{Infinite, Nan, Normal, Subnormal};
    match property {
        TestProperty::Finite => !matches!(class, Infinite | Nan),
        TestProperty::Infinite => class == Infinite,
        TestProperty::Number => class != Nan,
        TestProperty::NotANumber => class == Nan,
        TestProperty::Normal => class == Normal,
        TestProperty::Subnormal => class == Subnormal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(got: f32, expected: f32) {
        assert_eq!(
            got.to_bits(),
            expected.to_bits(),
            "{got} instead of {expected}"
        );
    }

    #[test]
    fn extrema_order_zeros_and_drop_nan() {
        check(min32(0.0, -0.0), -0.0);
        check(min32(-0.0, 0.0), -0.0);
        check(max32(0.0, -0.0), 0.0);
        check(max32(-0.0, 0.0), 0.0);
        check(min32(f32::NAN, 1.0), 1.0);
        check(max32(1.0, f32::NAN), 1.0);
        check(max32(f32::NAN, -f32::NAN), NAN32);
        check(min32_nan(f32::NAN, 1.0), NAN32);
        check(max32_nan(2.0, 1.0), 2.0);
        check(xorsign_abs(-1.0, 2.0, max32), -2.0);
    }

    #[test]
    fn saturation_and_flush() {
        for (x, y) in [
            (-1.0, 0.0),
            (-0.0, 0.0),
            (0.25, 0.25),
            (7.0, 1.0),
            (f32::NAN, 0.0),
        ] {
            check(saturate(x), y);
        }
        check(flush(-f32::from_bits(1)), -0.0);
        check(flush(f32::MIN_POSITIVE), f32::MIN_POSITIVE);
    }

    #[test]
    fn directed_double_keeps_a_payload() {
        let nan = f64::from_bits(0x7ff8_0000_0000_1234);
        assert_eq!(add64(nan, 1.0, Rounding::Zero).to_bits(), nan.to_bits());
        assert_eq!(mul64(0.1, 0.1, Rounding::Up), 0.1 * 0.1);
        assert_eq!(mul64(0.1, 0.1, Rounding::Down), (0.1f64 * 0.1).next_down());
    }
}
