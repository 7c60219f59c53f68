//! The `.approx` and `.full` operations (PTX ISA, "Floating Point Instructions").
//!
//! Each is computed in double precision and rounded once, which is inside the bound that the ISA
//! states for it; the special values are those of the ISA's tables.

use super::float::{NAN32, canonical, flush};

fn narrow(x: f64) -> f32 {
    canonical(x as f32)
}

/// `rcp.approx.f32`.
pub fn rcp(x: f32) -> f32 {
    narrow(1.0 / f64::from(x))
}

/// `sqrt.approx.f32`.
pub fn sqrt(x: f32) -> f32 {
    canonical(x.sqrt())
}

/// `rsqrt.approx.f32`.
pub fn rsqrt(x: f32) -> f32 {
    narrow(1.0 / f64::from(x).sqrt())
}

/// `sin.approx.f32`.
pub fn sin(x: f32) -> f32 {
    narrow(f64::from(x).sin())
}

/// `cos.approx.f32`.
pub fn cos(x: f32) -> f32 {
    narrow(f64::from(x).cos())
}

/// `lg2.approx.f32`.
pub fn lg2(x: f32) -> f32 {
    narrow(f64::from(x).log2())
}

/// `ex2.approx.f32`.
pub fn ex2(x: f32) -> f32 {
    narrow(f64::from(x).exp2())
}

/// `tanh.approx.f32`.
pub fn tanh(x: f32) -> f32 {
    narrow(f64::from(x).tanh())
}

/// `div.approx.f32`: for `2^126 < |b| < 2^128` the result is 0 of its sign, NaN when `a` is infinite.
pub fn div(a: f32, b: f32) -> f32 {
    let magnitude = b.abs();
    if magnitude > 2f32.powi(126) && magnitude.is_finite() {
        return if a.is_infinite() || a.is_nan() {
            NAN32
        } else {
            0.0f32.copysign(a) * b.signum()
        };
    }
    div_full(a, b)
}

/// `div.full.f32`: full range.
pub fn div_full(a: f32, b: f32) -> f32 {
    canonical(a / b)
}

/// `rcp.approx.ftz.f64` and `rsqrt.approx.ftz.f64` work on the upper half of the double: the lower
/// 32 bits of the operand are ignored and those of the result are zero.
pub fn high_word(x: f64, f: fn(f64) -> f64) -> f64 {
    let cut = f64::from_bits(x.to_bits() & !0xffff_ffff);
    let flushed = if cut.is_subnormal() {
        0.0f64.copysign(cut)
    } else {
        cut
    };
    let result = f(flushed);
    if result.is_nan() {
        return f64::from_bits(0x7fff_ffff_0000_0000);
    }
    let result = if result.is_subnormal() {
        0.0f64.copysign(result)
    } else {
        result
    };
    // To nearest in the upper word; a carry walks into the exponent as it should.
    f64::from_bits(result.to_bits().wrapping_add(0x8000_0000) & !0xffff_ffff)
}

/// Applies `.ftz` to the operand and the result of a unary operation.
pub fn with_flush(x: f32, f: fn(f32) -> f32) -> f32 {
    flush(f(flush(x)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values() {
        let inf = f32::INFINITY;
        type Row = (fn(f32) -> f32, f32, f32);
        let table: [Row; 16] = [
            (rcp, 0.0, inf),
            (rcp, -0.0, -inf),
            (rcp, -inf, -0.0),
            (rsqrt, 0.0, inf),
            (rsqrt, -0.0, -inf),
            (rsqrt, inf, 0.0),
            (rsqrt, -1.0, NAN32),
            (sqrt, -0.0, -0.0),
            (sin, inf, NAN32),
            (cos, 0.0, 1.0),
            (lg2, 0.0, -inf),
            (lg2, -1.0, NAN32),
            (lg2, inf, inf),
            (ex2, -inf, 0.0),
            (ex2, 3.0, 8.0),
            (tanh, -inf, -1.0),
        ];
        for (f, x, expected) in table {
            assert_eq!(f(x).to_bits(), expected.to_bits(), "at {x}");
        }
    }

    #[test]
    fn division_by_the_largest_is_zero() {
        assert_eq!(div(1.0, 2f32.powi(127)), 0.0);
        assert!(div(f32::INFINITY, 2f32.powi(127)).is_nan());
        assert_eq!(div_full(2f32.powi(127), 2f32.powi(127)), 1.0);
    }

    #[test]
    fn double_reciprocal_ignores_the_low_word() {
        assert_eq!(high_word(3.0, |x| 1.0 / x).to_bits() & 0xffff_ffff, 0);
        assert!((high_word(3.0, |x| 1.0 / x) - 1.0 / 3.0).abs() < 1e-6);
    }
}
