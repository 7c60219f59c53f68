//! `cvt` for every pair of types (PTX ISA, "Data Movement and Conversion Instructions: cvt").

use super::float::{canonical, flush, saturate, saturate64};
use super::int::Int;
use super::narrow::Half;
use super::soft::{self, Format, Rounding, Value};

/// Integer to integer with `.sat`; without it the low bits are taken.
pub fn int_saturating<S: Int, D: Int>(x: S) -> D {
    super::int::clamp(x.wide())
}

/// Integer to any floating format.
pub fn int_to_float(format: Format, x: i128, rounding: Rounding) -> u64 {
    soft::round(format, x < 0, 0, x.unsigned_abs(), false, rounding)
}

/// Rounds to an integral value (`.rni`, `.rzi`, `.rmi`, `.rpi`), as an integer; `None` for NaN,
/// infinities at the ends of the range.
pub fn to_integer(format: Format, bits: u64, rounding: Rounding) -> Option<i128> {
    match soft::unpack(format, bits) {
        Value::Nan => None,
        Value::Infinity(true) => Some(i128::MIN),
        Value::Infinity(false) => Some(i128::MAX),
        Value::Finite { sign, exp, sig } => Some(integral(sign, exp, sig, rounding)),
    }
}

fn integral(sign: bool, exp: i32, sig: u128, rounding: Rounding) -> i128 {
    let magnitude = if exp >= 0 {
        // At most 53 bits: beyond 2^126 every integer type has been left behind.
        if exp > 73 && sig != 0 {
            i128::MAX as u128
        } else {
            sig << exp.min(73)
        }
    } else {
        let drop = exp.unsigned_abs();
        let (kept, half, below) = if drop > 127 {
            (0, false, sig != 0)
        } else {
            let half = 1u128 << (drop - 1);
            (sig >> drop, sig & half != 0, sig & (half - 1) != 0)
        };
        let grows = match rounding {
            Rounding::Nearest => half && (below || kept & 1 == 1),
            Rounding::NearestAway => half,
            Rounding::Zero => false,
            Rounding::Down => sign && (half || below),
            Rounding::Up => !sign && (half || below),
        };
        kept + u128::from(grows)
    };
    if sign {
        -(magnitude as i128)
    } else {
        magnitude as i128
    }
}

/// Float to integer: out-of-range values clamp. NaN gives 0, or where source or destination has 64
/// bits, the top bit alone.
pub fn float_to_int<D: Int>(format: Format, bits: u64, rounding: Rounding) -> D {
    match to_integer(format, bits, rounding) {
        Some(x) => super::int::clamp(x),
        None if format == soft::F64 || D::BITS == 64 => D::truncate(1i128 << (D::BITS - 1)),
        None => D::default(),
    }
}

/// Float to the same format at an integral value (`cvt.rni.f32.f32`): signed zeros are kept.
pub fn to_integral(format: Format, bits: u64, rounding: Rounding) -> u64 {
    match soft::unpack(format, bits) {
        // Large values are integral already, and may not fit 128 bits.
        Value::Finite { sign, exp, sig } if exp < 0 => {
            let whole = integral(sign, exp, sig, rounding);
            soft::round(format, sign, 0, whole.unsigned_abs(), false, rounding)
        }
        Value::Nan => format.nan(),
        _ => bits,
    }
}

/// Float to float; rounding is exact, NaN canonical.
pub fn float_to_float(from: Format, to: Format, bits: u64, rounding: Rounding) -> u64 {
    soft::pack(to, soft::unpack(from, bits), rounding)
}

/// `.satfinite`: overflow and infinities become the largest finite value, NaN the canonical NaN.
pub fn saturate_finite(from: Format, to: Format, bits: u64, rounding: Rounding) -> u64 {
    let value = soft::unpack(from, bits);
    let result = soft::pack(to, value, rounding);
    let sign = match value {
        Value::Nan => return to.nan(),
        Value::Infinity(sign) | Value::Finite { sign, .. } => sign,
    };
    let positive = soft::pack(to, absolute(value), rounding);
    if positive < to.infinity().min(to.nan()) {
        return result;
    }
    let negative_bit = soft::pack(
        to,
        Value::Finite {
            sign: true,
            exp: 0,
            sig: 0,
        },
        rounding,
    );
    to.max_finite() | if sign { negative_bit } else { 0 }
}

fn absolute(value: Value) -> Value {
    match value {
        Value::Finite { exp, sig, .. } => Value::Finite {
            sign: false,
            exp,
            sig,
        },
        Value::Infinity(_) => Value::Infinity(false),
        Value::Nan => Value::Nan,
    }
}

/// `cvt.rna.tf32.f32`, `cvt.rn.tf32.f32`: 10 bits of mantissa in an `f32`'s layout.
pub fn to_tf32(x: f32, rounding: Rounding) -> u32 {
    let bits = float_to_float(soft::F32, soft::TF32, x.to_bits().into(), rounding);
    if x.is_nan() {
        0x7fff_ffff
    } else {
        (bits as u32) << 13
    }
}

/// What comes after a conversion to single precision.
pub fn finish32(x: f32, ftz: bool, sat: bool) -> f32 {
    let x = canonical(if ftz { flush(x) } else { x });
    if sat { saturate(x) } else { x }
}

/// What comes after a conversion to double precision.
pub fn finish64(x: f64, sat: bool) -> f64 {
    if sat { saturate64(x) } else { x }
}

/// A scalar type of `cvt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant is the PTX type of that name")]
pub enum Scalar {
    U8,
    S8,
    U16,
    S16,
    U32,
    S32,
    U64,
    S64,
    F16,
    Bf16,
    F32,
    F64,
}

impl Scalar {
    const ALL: [Scalar; 12] = {
        use Scalar as S;
        [
            S::U8,
            S::S8,
            S::U16,
            S::S16,
            S::U32,
            S::S32,
            S::U64,
            S::S64,
            S::F16,
            S::Bf16,
            S::F32,
            S::F64,
        ]
    };

    /// The layout of a floating type.
    pub fn format(self) -> Option<Format> {
        match self {
            Scalar::F16 => Some(soft::F16),
            Scalar::Bf16 => Some(soft::BF16),
            Scalar::F32 => Some(soft::F32),
            Scalar::F64 => Some(soft::F64),
            _ => None,
        }
    }

    /// Width in bits.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::U8 | Scalar::S8 => 8,
            Scalar::U16 | Scalar::S16 | Scalar::F16 | Scalar::Bf16 => 16,
            Scalar::U32 | Scalar::S32 | Scalar::F32 => 32,
            Scalar::U64 | Scalar::S64 | Scalar::F64 => 64,
        }
    }

    /// Whether it is a signed integer.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::S8 | Scalar::S16 | Scalar::S32 | Scalar::S64)
    }

    fn range(self) -> (i128, i128) {
        let bits = self.bits();
        if self.is_signed() {
            (-1 << (bits - 1), (1 << (bits - 1)) - 1)
        } else {
            (0, (1 << bits) - 1)
        }
    }

    fn integer(self, bits: u64) -> i128 {
        let up = 128 - self.bits();
        let raised = i128::from(bits) << up;
        if self.is_signed() {
            raised >> up
        } else {
            ((raised as u128) >> up) as i128
        }
    }
}

/// Everything about a `cvt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Conversion {
    /// The source.
    pub from: Scalar,
    /// The destination.
    pub to: Scalar,
    /// How to round.
    pub rounding: Rounding,
    /// `.rni` and its like: to an integral value, from float to float.
    pub integral: bool,
    /// `.ftz`
    pub ftz: bool,
    /// `.sat`
    pub sat: bool,
    /// `.satfinite`
    pub satfinite: bool,
    /// `.relu`
    pub relu: bool,
}

impl Conversion {
    /// As one word.
    pub fn encode(self) -> u64 {
        let rounding = match self.rounding {
            Rounding::Nearest => 0,
            Rounding::Zero => 1,
            Rounding::Down => 2,
            Rounding::Up => 3,
            Rounding::NearestAway => 4,
        };
        let flags = [self.integral, self.ftz, self.sat, self.satfinite, self.relu];
        let flags = flags
            .iter()
            .enumerate()
            .fold(0, |word, (i, &f)| word | u64::from(f) << i);
        self.from as u64 | (self.to as u64) << 4 | rounding << 8 | flags << 11
    }

    /// From such a word.
    pub fn decode(word: u64) -> Conversion {
        let scalar = |code: u64| Scalar::ALL[(code & 15).min(11) as usize];
        let rounding = match word >> 8 & 7 {
            0 => Rounding::Nearest,
            1 => Rounding::Zero,
            2 => Rounding::Down,
            3 => Rounding::Up,
            _ => Rounding::NearestAway,
        };
        let flag = |i: u32| word >> (11 + i) & 1 != 0;
        Conversion {
            from: scalar(word),
            to: scalar(word >> 4),
            rounding,
            integral: flag(0),
            ftz: flag(1),
            sat: flag(2),
            satfinite: flag(3),
            relu: flag(4),
        }
    }

    /// Converts the low bits of `bits`; the result is extended to 64 bits with its sign.
    pub fn apply(self, bits: u64) -> u64 {
        let source = bits & super::bits::low_bits(self.from.bits());
        match (self.from.format(), self.to.format()) {
            (None, None) => {
                let x = self.from.integer(source);
                let (low, high) = self.to.range();
                let x = if self.sat { x.clamp(low, high) } else { x };
                self.to
                    .integer(x as u64 & super::bits::low_bits(self.to.bits()))
                    as u64
            }
            (None, Some(to)) => {
                let result = int_to_float(to, self.from.integer(source), self.rounding);
                self.finish(result)
            }
            (Some(from), None) => self.to_int(from, self.flushed(source)),
            (Some(from), Some(to)) => self.float(from, to, self.flushed(source)),
        }
    }

    /// `.ftz` concerns single precision only.
    fn flushed(self, bits: u64) -> u64 {
        if self.ftz && self.from == Scalar::F32 {
            flush(f32::from_bits(bits as u32)).to_bits().into()
        } else {
            bits
        }
    }

    fn to_int(self, from: Format, bits: u64) -> u64 {
        let (low, high) = self.to.range();
        match to_integer(from, bits, self.rounding) {
            Some(x) => x.clamp(low, high) as u64,
            None if self.from == Scalar::F64 || self.to.bits() == 64 => {
                self.to.integer(1 << (self.to.bits() - 1)) as u64
            }
            None => 0,
        }
    }

    fn float(self, from: Format, to: Format, bits: u64) -> u64 {
        if self.integral {
            let whole = to_integral(from, bits, self.rounding);
            return self.finish(float_to_float(from, to, whole, Rounding::Nearest));
        }
        if self.satfinite {
            return self.finish(saturate_finite(from, to, bits, self.rounding));
        }
        if self.from == self.to && from == soft::F64 {
            return self.finish(bits);
        }
        self.finish(float_to_float(from, to, bits, self.rounding))
    }

    fn finish(self, bits: u64) -> u64 {
        match self.to {
            Scalar::F32 => {
                let x = finish32(f32::from_bits(bits as u32), self.ftz, self.sat);
                let x = if self.relu && x < 0.0 { 0.0 } else { x };
                x.to_bits().into()
            }
            Scalar::F64 => finish64(f64::from_bits(bits), self.sat).to_bits(),
            Scalar::F16 | Scalar::Bf16 => {
                let half = if self.to == Scalar::F16 {
                    Half::F16
                } else {
                    Half::Bf16
                };
                let x = bits as u16;
                let x = if self.sat { half.saturate(x) } else { x };
                u64::from(if self.relu { half.relu(x) } else { x })
            }
            _ => bits,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use soft::{BF16, E4M3, E5M2, F16, F32, F64};

    proptest! {
        #[test]
        fn truncation_is_rusts(x: f64, y: f32) {
            prop_assert_eq!(float_to_int::<i32>(F64, x.to_bits(), Rounding::Zero), x as i32);
            prop_assert_eq!(float_to_int::<u64>(F64, x.to_bits(), Rounding::Zero), x as u64);
            prop_assert_eq!(float_to_int::<u8>(F32, y.to_bits().into(), Rounding::Zero), y as u8);
            let nearest = y.round_ties_even();
            prop_assert_eq!(
                to_integral(F32, y.to_bits().into(), Rounding::Nearest),
                u64::from(nearest.to_bits())
            );
        }

        #[test]
        fn integers_round_to_nearest(x: i64, y: u64) {
            let got = int_to_float(F32, x.into(), Rounding::Nearest);
            prop_assert_eq!(got, u64::from((x as f32).to_bits()));
            prop_assert_eq!(int_to_float(F64, y.into(), Rounding::Nearest), (y as f64).to_bits());
        }

        #[test]
        fn halves_are_those_of_the_half_crate(x: u32) {
            let f = f32::from_bits(x);
            prop_assume!(!f.is_nan());
            let got = float_to_float(F32, F16, x.into(), Rounding::Nearest);
            prop_assert_eq!(got, u64::from(half::f16::from_f32(f).to_bits()));
            let got = float_to_float(F32, BF16, x.into(), Rounding::Nearest);
            prop_assert_eq!(got, u64::from(half::bf16::from_f32(f).to_bits()));
        }
    }

    #[test]
    fn not_a_number_to_integer() {
        let nan = f32::NAN.to_bits().into();
        assert_eq!(float_to_int::<i32>(F32, nan, Rounding::Zero), 0);
        assert_eq!(float_to_int::<i64>(F32, nan, Rounding::Zero), i64::MIN);
        assert_eq!(
            float_to_int::<u32>(F64, f64::NAN.to_bits(), Rounding::Zero),
            1 << 31
        );
    }

    #[test]
    fn roundings_to_integral() {
        let table = [
            (Rounding::Nearest, [2, -2, 4]),
            (Rounding::Zero, [2, -2, 3]),
            (Rounding::Down, [2, -3, 3]),
            (Rounding::Up, [3, -2, 4]),
        ];
        for (rounding, expected) in table {
            let got =
                [2.5f32, -2.5, 3.5].map(|x| float_to_int::<i32>(F32, x.to_bits().into(), rounding));
            assert_eq!(got, expected, "{rounding:?}");
        }
        let minus_zero = to_integral(F32, (-0.25f32).to_bits().into(), Rounding::Nearest);
        assert_eq!(minus_zero, u64::from((-0.0f32).to_bits()));
    }

    #[test]
    fn conversions_survive_their_encoding() {
        let base = Conversion {
            from: Scalar::F32,
            to: Scalar::S8,
            rounding: Rounding::Down,
            integral: false,
            ftz: true,
            sat: false,
            satfinite: true,
            relu: false,
        };
        assert_eq!(Conversion::decode(base.encode()), base);
        let clamp = |x: f32| base.apply(x.to_bits().into()) as i64;
        assert_eq!((clamp(-1.5), clamp(300.0), clamp(f32::NAN)), (-2, 127, 0));
        let sat = Conversion {
            from: Scalar::S32,
            to: Scalar::U8,
            sat: true,
            ..base
        };
        assert_eq!(
            (sat.apply(300), sat.apply(-1i32 as u64 & 0xffff_ffff)),
            (255, 0)
        );
        let cut = Conversion { sat: false, ..sat };
        assert_eq!((cut.apply(300), cut.apply(0xffff_ffff)), (44, 255));
    }

    #[test]
    fn saturation_to_finite() {
        let bits = |x: f32| u64::from(x.to_bits());
        let narrow = |to, x| saturate_finite(F32, to, bits(x), Rounding::Nearest);
        assert_eq!(
            (narrow(E4M3, 1e9), narrow(E4M3, -1e9), narrow(E4M3, 1.0)),
            (0x7e, 0xfe, 0x38)
        );
        assert_eq!((narrow(E5M2, 1e9), narrow(E5M2, f32::NAN)), (0x7b, 0x7f));
        assert_eq!(narrow(F16, f32::INFINITY), 0x7bff);
        assert_eq!(to_tf32(1.0, Rounding::NearestAway), 1f32.to_bits());
    }
}
