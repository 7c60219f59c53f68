//! Exact binary floating point on integers: every operation, every format, every rounding mode.
//!
//! Values are unpacked to `±sig × 2^exp`, the exact result is formed in 128 bits with a sticky bit
//! below it, and rounded once. The hardware paths in [`super::float`] serve the common cases; this
//! module serves the directed roundings and the narrow formats, and is the oracle of the tests.

/// How a result that does not fit is rounded (PTX ISA, "Rounding Modifiers").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// `.rn`: to nearest, ties to even.
    Nearest,
    /// `.rna`: to nearest, ties away from zero.
    NearestAway,
    /// `.rz`: towards zero.
    Zero,
    /// `.rm`: towards minus infinity.
    Down,
    /// `.rp`: towards plus infinity.
    Up,
}

/// A binary interchange format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    pub(super) exp_bits: u32,
    pub(super) mant_bits: u32,
    /// What a new NaN is written as.
    pub(super) nan: u64,
    pub(super) top: Top,
}

/// What the largest exponent stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Top {
    /// Infinity and NaNs, as in IEEE's formats.
    Infinity,
    /// Numbers, and one NaN (`e4m3`).
    Nan,
    /// Numbers alone (`e2m1`, `e2m3`, `e3m2`): a NaN becomes the largest.
    Numbers,
}

/// IEEE half precision.
pub const F16: Format = Format {
    exp_bits: 5,
    mant_bits: 10,
    nan: 0x7fff,
    top: Top::Infinity,
};
/// bfloat16.
pub const BF16: Format = Format {
    exp_bits: 8,
    mant_bits: 7,
    nan: 0x7fff,
    top: Top::Infinity,
};
/// TensorFloat-32 in the upper bits of 19; [`crate::ops::convert`] shifts it into an `f32`.
pub const TF32: Format = Format {
    exp_bits: 8,
    mant_bits: 10,
    nan: 0x3ffff,
    top: Top::Infinity,
};
/// IEEE single precision; PTX's canonical NaN is `0x7fffffff`.
pub const F32: Format = Format {
    exp_bits: 8,
    mant_bits: 23,
    nan: 0x7fff_ffff,
    top: Top::Infinity,
};
/// IEEE double precision.
pub const F64: Format = Format {
    exp_bits: 11,
    mant_bits: 52,
    nan: 0x7fff_ffff_ffff_ffff,
    top: Top::Infinity,
};
/// 8-bit float with 4 exponent bits, no infinity.
pub const E4M3: Format = Format {
    exp_bits: 4,
    mant_bits: 3,
    nan: 0x7f,
    top: Top::Nan,
};
/// 8-bit float with 5 exponent bits.
pub const E5M2: Format = Format {
    exp_bits: 5,
    mant_bits: 2,
    nan: 0x7f,
    top: Top::Infinity,
};

impl Format {
    pub(super) const fn bias(self) -> i32 {
        (1 << (self.exp_bits - 1)) - 1
    }

    const fn exp_mask(self) -> u64 {
        (1 << self.exp_bits) - 1
    }

    const fn mant_mask(self) -> u64 {
        (1 << self.mant_bits) - 1
    }

    const fn sign_shift(self) -> u32 {
        self.exp_bits + self.mant_bits
    }

    /// The canonical NaN's bits.
    pub const fn nan(self) -> u64 {
        self.nan
    }

    /// The bits of the largest finite value, or for a format without infinity its largest value.
    pub const fn max_finite(self) -> u64 {
        let all = (self.exp_mask() << self.mant_bits) | self.mant_mask();
        match self.top {
            Top::Infinity => all - (1 << self.mant_bits),
            Top::Nan => all - 1,
            Top::Numbers => all,
        }
    }

    /// The bits of +∞; for a format without one, its NaN.
    pub const fn infinity(self) -> u64 {
        match self.top {
            Top::Infinity => self.exp_mask() << self.mant_bits,
            _ => self.nan,
        }
    }

    /// Whether `bits` is a NaN.
    pub const fn is_nan(self, bits: u64) -> bool {
        let magnitude = bits & ((1 << self.sign_shift()) - 1);
        match self.top {
            Top::Infinity => magnitude > self.infinity(),
            Top::Nan => magnitude == self.nan,
            Top::Numbers => false,
        }
    }
}

/// A value taken apart: `(-1)^sign × sig × 2^exp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Not a number.
    Nan,
    /// Signed infinity.
    Infinity(bool),
    /// A finite value, zero included (`sig == 0`).
    Finite {
        /// Negative.
        sign: bool,
        /// Power of two that the significand is scaled by.
        exp: i32,
        /// Integer significand.
        sig: u128,
    },
}

/// Takes `bits` apart.
pub fn unpack(format: Format, bits: u64) -> Value {
    let sign = bits >> format.sign_shift() & 1 == 1;
    let exp = bits >> format.mant_bits & format.exp_mask();
    let mant = bits & format.mant_mask();
    if format.is_nan(bits) {
        Value::Nan
    } else if exp == format.exp_mask() && format.top == Top::Infinity {
        Value::Infinity(sign)
    } else {
        let implicit = u64::from(exp != 0) << format.mant_bits;
        let exp = (exp.max(1) as i32) - format.bias() - format.mant_bits as i32;
        Value::Finite {
            sign,
            exp,
            sig: u128::from(mant | implicit),
        }
    }
}

/// Rounds a value into `format`.
pub fn pack(format: Format, value: Value, rounding: Rounding) -> u64 {
    match value {
        Value::Nan => format.nan,
        Value::Infinity(sign) => signed(format, sign, format.infinity()),
        Value::Finite { sign, exp, sig } => round(format, sign, exp, sig, false, rounding),
    }
}

fn signed(format: Format, sign: bool, magnitude: u64) -> u64 {
    magnitude | u64::from(sign) << format.sign_shift()
}

/// Whether the magnitude grows by one unit in the last place, given the last kept bit, the first
/// lost bit and whether anything below that is set.
fn grows(rounding: Rounding, sign: bool, odd: bool, half: bool, below: bool) -> bool {
    match rounding {
        Rounding::Nearest => half && (below || odd),
        Rounding::NearestAway => half,
        Rounding::Zero => false,
        Rounding::Down => sign && (half || below),
        Rounding::Up => !sign && (half || below),
    }
}

/// Rounds `±(sig + sticky·ε) × 2^exp` into `format`; `sticky` says that something non-zero lies
/// below the last bit of `sig`.
pub fn round(
    format: Format,
    sign: bool,
    exp: i32,
    sig: u128,
    sticky: bool,
    rounding: Rounding,
) -> u64 {
    if sig == 0 {
        return signed(format, sign, 0);
    }
    let top = 127 - sig.leading_zeros() as i32;
    // The exponent of the last bit that is kept: limited below by the subnormals.
    let lowest = 1 - format.bias() - format.mant_bits as i32;
    let last = (exp + top - format.mant_bits as i32).max(lowest);
    let drop = last - exp;
    let (mut kept, half, below) = if drop <= 0 {
        (sig << (-drop).min(127), false, sticky)
    } else if drop > 128 {
        (0, false, true)
    } else if drop == 128 {
        (0, sig >> 127 == 1, sig << 1 != 0 || sticky)
    } else {
        let lost = sig & ((1u128 << drop) - 1);
        let half = 1u128 << (drop - 1);
        (
            sig >> drop,
            lost & half != 0,
            lost & (half - 1) != 0 || sticky,
        )
    };
    if grows(rounding, sign, kept & 1 == 1, half, below) {
        kept += 1;
    }
    // `kept` counts units of 2^last. A carry into the next binade leaves a power of two, whose
    // mantissa is zero: adding it to the biased exponent's field does the right thing.
    let implicit = 1u128 << format.mant_bits;
    let biased = if kept < implicit {
        0
    } else {
        (last - lowest) as u128 + 1
    };
    let mantissa = if kept < implicit {
        kept
    } else {
        kept - implicit
    };
    let magnitude = (biased << format.mant_bits) + mantissa;
    if magnitude > u128::from(format.max_finite()) {
        return overflow(format, sign, rounding);
    }
    signed(format, sign, magnitude as u64)
}

fn overflow(format: Format, sign: bool, rounding: Rounding) -> u64 {
    let to_infinity = match rounding {
        Rounding::Nearest | Rounding::NearestAway => true,
        Rounding::Zero => false,
        Rounding::Down => sign,
        Rounding::Up => !sign,
    };
    signed(
        format,
        sign,
        if to_infinity {
            format.infinity()
        } else {
            format.max_finite()
        },
    )
}

/// `a + b`.
pub fn add(format: Format, a: u64, b: u64, rounding: Rounding) -> u64 {
    match sum(unpack(format, a), unpack(format, b), rounding) {
        Exact(value, sticky) => pack_sticky(format, value, sticky, rounding),
    }
}

/// `a × b`.
pub fn mul(format: Format, a: u64, b: u64, rounding: Rounding) -> u64 {
    pack(
        format,
        product(unpack(format, a), unpack(format, b)),
        rounding,
    )
}

/// `a × b + c`, rounded once.
pub fn fma(format: Format, a: u64, b: u64, c: u64, rounding: Rounding) -> u64 {
    let product = product(unpack(format, a), unpack(format, b));
    let Exact(value, sticky) = sum(product, unpack(format, c), rounding);
    pack_sticky(format, value, sticky, rounding)
}

/// `a / b`.
pub fn div(format: Format, a: u64, b: u64, rounding: Rounding) -> u64 {
    let (a, b) = (unpack(format, a), unpack(format, b));
    let sign = sign_of(a) != sign_of(b);
    match (a, b) {
        (Value::Nan, _) | (_, Value::Nan) | (Value::Infinity(_), Value::Infinity(_)) => format.nan,
        (Value::Infinity(_), _) => signed(format, sign, format.infinity()),
        (_, Value::Infinity(_)) => signed(format, sign, 0),
        (
            Value::Finite {
                exp: ea, sig: sa, ..
            },
            Value::Finite {
                exp: eb, sig: sb, ..
            },
        ) => {
            if sb == 0 {
                return if sa == 0 {
                    format.nan
                } else {
                    signed(format, sign, format.infinity())
                };
            }
            if sa == 0 {
                return signed(format, sign, 0);
            }
            let up = sa.leading_zeros() as i32;
            let scaled = sa << up;
            let (quotient, rest) = (scaled / sb, scaled % sb);
            round(format, sign, ea - eb - up, quotient, rest != 0, rounding)
        }
    }
}

/// `√a`.
pub fn sqrt(format: Format, a: u64, rounding: Rounding) -> u64 {
    match unpack(format, a) {
        Value::Nan | Value::Infinity(true) => format.nan,
        Value::Infinity(false) => format.infinity(),
        Value::Finite { sig: 0, sign, .. } => signed(format, sign, 0),
        Value::Finite { sign: true, .. } => format.nan,
        Value::Finite { exp, sig, .. } => {
            let mut up = sig.leading_zeros() as i32;
            if (exp - up) % 2 != 0 {
                up -= 1;
            }
            let scaled = sig << up;
            let root = scaled.isqrt();
            round(
                format,
                false,
                (exp - up) / 2,
                root,
                root * root != scaled,
                rounding,
            )
        }
    }
}

/// An exact result, of which what lies below 128 bits is one sticky bit.
struct Exact(Value, bool);

fn pack_sticky(format: Format, value: Value, sticky: bool, rounding: Rounding) -> u64 {
    match value {
        Value::Finite { sign, exp, sig } => round(format, sign, exp, sig, sticky, rounding),
        other => pack(format, other, rounding),
    }
}

fn sign_of(value: Value) -> bool {
    match value {
        Value::Nan => false,
        Value::Infinity(sign) | Value::Finite { sign, .. } => sign,
    }
}

fn product(a: Value, b: Value) -> Value {
    let sign = sign_of(a) != sign_of(b);
    match (a, b) {
        (Value::Nan, _) | (_, Value::Nan) => Value::Nan,
        (Value::Infinity(_), Value::Finite { sig: 0, .. })
        | (Value::Finite { sig: 0, .. }, Value::Infinity(_)) => Value::Nan,
        (Value::Infinity(_), _) | (_, Value::Infinity(_)) => Value::Infinity(sign),
        (
            Value::Finite {
                exp: ea, sig: sa, ..
            },
            Value::Finite {
                exp: eb, sig: sb, ..
            },
        ) => {
            // Significands have at most 53 bits here, so that the product fits.
            Value::Finite {
                sign,
                exp: ea + eb,
                sig: sa * sb,
            }
        }
    }
}

fn sum(a: Value, b: Value, rounding: Rounding) -> Exact {
    match (a, b) {
        (Value::Nan, _) | (_, Value::Nan) => Exact(Value::Nan, false),
        (Value::Infinity(x), Value::Infinity(y)) if x != y => Exact(Value::Nan, false),
        (Value::Infinity(x), _) | (_, Value::Infinity(x)) => Exact(Value::Infinity(x), false),
        (
            Value::Finite {
                sign: ga,
                exp: ea,
                sig: sa,
            },
            Value::Finite {
                sign: gb,
                exp: eb,
                sig: sb,
            },
        ) => finite_sum((ga, ea, sa), (gb, eb, sb), rounding),
    }
}

type Part = (bool, i32, u128);

fn finite_sum(a: Part, b: Part, rounding: Rounding) -> Exact {
    // The sum of two zeros, and an exact cancellation, are −0 only when both are −0 or the
    // rounding is downwards (IEEE 754, 6.3).
    let zero_sign = if a.0 == b.0 {
        a.0
    } else {
        rounding == Rounding::Down
    };
    match (a.2 == 0, b.2 == 0) {
        (true, true) => {
            return Exact(
                Value::Finite {
                    sign: zero_sign,
                    exp: 0,
                    sig: 0,
                },
                false,
            );
        }
        (true, false) => {
            return Exact(
                Value::Finite {
                    sign: b.0,
                    exp: b.1,
                    sig: b.2,
                },
                false,
            );
        }
        (false, true) => {
            return Exact(
                Value::Finite {
                    sign: a.0,
                    exp: a.1,
                    sig: a.2,
                },
                false,
            );
        }
        (false, false) => {}
    }
    let (a, b) = (normalised(a), normalised(b));
    // The larger exponent first; both have their top bit at position 125.
    let (big, small) = if (a.1, a.2) >= (b.1, b.2) {
        (a, b)
    } else {
        (b, a)
    };
    let shift = (big.1 - small.1) as u32;
    let (moved, sticky) = match shift {
        0 => (small.2, false),
        1..=126 => (small.2 >> shift, small.2 & ((1 << shift) - 1) != 0),
        _ => (0, true),
    };
    let (sign, exp) = (big.0, big.1);
    if big.0 == small.0 {
        return Exact(
            Value::Finite {
                sign,
                exp,
                sig: big.2 + moved,
            },
            sticky,
        );
    }
    // Subtracting something a little larger than `moved`: one less, and something above it.
    let sig = big.2 - moved - u128::from(sticky);
    let sign = if sig == 0 && !sticky { zero_sign } else { sign };
    Exact(Value::Finite { sign, exp, sig }, sticky)
}

fn normalised((sign, exp, sig): Part) -> Part {
    let up = sig.leading_zeros() - 2;
    (sign, exp - up as i32, sig << up)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::hint::black_box;

    proptest! {
        #[test]
        fn nearest_is_the_hardware(a: u32, b: u32, c: u32) {
            let (x, y, z) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
            check32(add(F32, a.into(), b.into(), Rounding::Nearest), x + y);
            check32(mul(F32, a.into(), b.into(), Rounding::Nearest), x * y);
            check32(div(F32, a.into(), b.into(), Rounding::Nearest), x / y);
            check32(sqrt(F32, a.into(), Rounding::Nearest), x.sqrt());
            check32(fma(F32, a.into(), b.into(), c.into(), Rounding::Nearest), x.mul_add(y, z));
        }

        #[test]
        fn nearest_is_the_hardware_in_double(a: u64, b: u64, c: u64, near in -60i64..60) {
            // Half of the addends near the product, where cancellation and stickiness matter.
            let (x, y) = (f64::from_bits(a), f64::from_bits(b));
            let close = (x * y).to_bits().wrapping_add((near as u64) << 52) ^ (c & 1) << 63;
            for c in [c, close] {
                let z = f64::from_bits(c);
                check64(add(F64, a, c, Rounding::Nearest), x + z);
                check64(mul(F64, a, b, Rounding::Nearest), x * y);
                check64(div(F64, a, b, Rounding::Nearest), x / y);
                check64(sqrt(F64, a, Rounding::Nearest), x.sqrt());
                check64(fma(F64, a, b, c, Rounding::Nearest), x.mul_add(y, z));
            }
        }

        #[test]
        fn directed_roundings_bracket_the_value(a: u32, b: u32) {
            let down = add(F32, a.into(), b.into(), Rounding::Down);
            let up = add(F32, a.into(), b.into(), Rounding::Up);
            let (down, up) = (f32::from_bits(down as u32), f32::from_bits(up as u32));
            if !down.is_nan() {
                let exact = f64::from(f32::from_bits(a)) + f64::from(f32::from_bits(b));
                prop_assert!(f64::from(down) <= exact && exact <= f64::from(up));
                prop_assert!(down == up || down.next_up() == up);
            }
        }
    }

    // Behind a black box: optimised, "is it NaN" was once answered for another value than the one
    // that was compared.
    fn check32(got: u64, expected: f32) {
        let expected = black_box(expected);
        let expected = if expected.is_nan() {
            0x7fff_ffff
        } else {
            expected.to_bits()
        };
        assert_eq!(got, u64::from(expected));
    }

    fn check64(got: u64, expected: f64) {
        let expected = black_box(expected);
        let expected = if expected.is_nan() {
            F64.nan()
        } else {
            expected.to_bits()
        };
        assert_eq!(got, expected);
    }

    #[test]
    fn overflow_follows_the_direction() {
        let max = u64::from(f32::MAX.to_bits());
        let table = [
            (Rounding::Nearest, f32::INFINITY),
            (Rounding::Zero, f32::MAX),
            (Rounding::Down, f32::MAX),
            (Rounding::Up, f32::INFINITY),
        ];
        for (rounding, expected) in table {
            check32(add(F32, max, max, rounding), expected);
        }
    }

    #[test]
    fn e4m3_has_no_infinity() {
        let four_hundred_forty_eight = E4M3.max_finite();
        assert_eq!(four_hundred_forty_eight, 0x7e);
        let value = unpack(F32, u64::from(448f32.to_bits()));
        assert_eq!(pack(E4M3, value, Rounding::Nearest), 0x7e);
        let value = unpack(F32, u64::from(1e9f32.to_bits()));
        assert_eq!(pack(E4M3, value, Rounding::Nearest), 0x7f);
    }
}
