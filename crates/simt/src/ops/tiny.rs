//! Floats of 4, 6 and 8 bits, scale factors, and stochastic rounding (PTX ISA 5.2.3, "Alternate
//! Floating-Point Data Formats", and 9.7.9.21, "cvt").

use super::convert::saturate_finite;
use super::narrow::Half;
use super::soft::{self, E4M3, E5M2, Format, Rounding, Top, Value};

const fn numbers(exp_bits: u32, mant_bits: u32) -> Format {
    Format {
        exp_bits,
        mant_bits,
        nan: (1 << (exp_bits + mant_bits)) - 1,
        top: Top::Numbers,
    }
}

/// 4 bits: ±0, 0.5, 1, 1.5, 2, 3, 4, 6.
pub const E2M1: Format = numbers(2, 1);
/// 6 bits, up to 7.5.
pub const E2M3: Format = numbers(2, 3);
/// 6 bits, up to 28.
pub const E3M2: Format = numbers(3, 2);

/// What a conversion to or from a pair of tiny floats needs to know; fits into a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiny {
    /// Which of the formats, by its place in [`Tiny::FORMATS`].
    pub format: usize,
    /// `.relu`
    pub relu: bool,
    /// The 16-bit format on the other side.
    pub half: Half,
}

impl Tiny {
    /// The formats with the bits that a value takes in a packed pair.
    pub const FORMATS: [(Format, u32); 5] = [(E4M3, 8), (E5M2, 8), (E2M1, 4), (E2M3, 8), (E3M2, 8)];

    /// As one word.
    pub fn encode(self) -> u64 {
        self.format as u64 | u64::from(self.relu) << 8 | u64::from(self.half == Half::Bf16) << 9
    }

    /// From such a word.
    pub fn decode(word: u64) -> Tiny {
        Tiny {
            format: (word & 0xff) as usize % Tiny::FORMATS.len(),
            relu: word >> 8 & 1 != 0,
            half: if word >> 9 & 1 != 0 {
                Half::Bf16
            } else {
                Half::F16
            },
        }
    }

    fn narrow(self, x: f32) -> u16 {
        let (format, _) = Tiny::FORMATS[self.format];
        let x = if self.relu && !x.is_nan() && x.is_sign_negative() {
            0.0
        } else {
            x
        };
        saturate_finite(soft::F32, format, x.to_bits().into(), Rounding::Nearest) as u16
    }

    /// `cvt.rn.satfinite{.relu}.e4m3x2.f32` and its like: the first value goes into the upper
    /// part.
    pub fn pack(self, a: f32, b: f32) -> u16 {
        let (_, bits) = Tiny::FORMATS[self.format];
        self.narrow(a) << bits | self.narrow(b)
    }

    /// The same from two values of 16 bits.
    pub fn pack_halves(self, ab: u32) -> u16 {
        let [a, b] = [(ab >> 16) as u16, ab as u16].map(|bits| self.half.widen(bits));
        self.pack(a, b)
    }

    /// `cvt.rn{.relu}.f16x2.e4m3x2` and its like.
    pub fn unpack(self, ab: u16) -> u32 {
        let (format, bits) = Tiny::FORMATS[self.format];
        // Six bits lie in the lower part of a byte, whose two upper bits do not count.
        let width = 1 + format.exp_bits + format.mant_bits;
        let wide = |part: u16| {
            let part = u64::from(part) & ((1 << width) - 1);
            let to = self.half.format();
            let bits = soft::pack(to, soft::unpack(format, part), Rounding::Nearest) as u16;
            u32::from(if self.relu {
                self.half.relu(bits)
            } else {
                bits
            })
        };
        wide(ab >> bits) << 16 | wide(ab)
    }
}

/// To `ue8m0`: a power of two without sign, from 2⁻¹²⁷ (0) to 2¹²⁷ (0xfe); 0xff is NaN. The
/// magnitude is rounded, `up` for `.rp`, else `.rz`.
pub fn to_scale(x: f32, up: bool, satfinite: bool) -> u8 {
    let bits = x.to_bits() & 0x7fff_ffff;
    let (exp, mant) = (bits >> 23, bits & 0x7f_ffff);
    if x.is_nan() {
        return 0xff;
    }
    // A subnormal of at least half the smallest normal number is 2⁻¹²⁷ or more.
    let (below, rest) = match exp {
        0 => (0, mant > 1 << 22),
        _ => (exp, mant != 0),
    };
    let rounded = below + u32::from(up && rest);
    if satfinite {
        rounded.min(0xfe) as u8
    } else {
        rounded.min(0xff) as u8
    }
}

/// `cvt.{rz, rp}{.satfinite}.ue8m0x2.f32`: two scale factors, the first in the upper byte.
pub fn to_scales(a: f32, b: f32, up: bool, satfinite: bool) -> u16 {
    u16::from(to_scale(a, up, satfinite)) << 8 | u16::from(to_scale(b, up, satfinite))
}

/// `cvt.rn.bf16x2.ue8m0x2`: every scale factor is a bfloat16, 2⁻¹²⁷ a subnormal one.
pub fn from_scales(ab: u16) -> u32 {
    let wide = |scale: u16| match scale & 0xff {
        0 => 0x40,
        0xff => 0x7fff,
        exp => u32::from(exp) << 7,
    };
    wide(ab >> 8) << 16 | wide(ab)
}

/// `cvt.rs`: away from zero if the random bits carry when they are added to the bits of the
/// mantissa that do not fit. There are 13 of them for half precision, 16 for bfloat16.
pub fn stochastic(half: Half, x: f32, random: u16, relu: bool, satfinite: bool) -> u16 {
    let format = half.format();
    let finish = |bits: u16| if relu { half.relu(bits) } else { bits };
    let (sign, exp, sig) = match soft::unpack(soft::F32, x.to_bits().into()) {
        Value::Finite { sign, exp, sig } if sig != 0 => (sign, exp, sig),
        value if satfinite => {
            let bits = soft::pack(soft::F32, value, Rounding::Nearest);
            return finish(saturate_finite(soft::F32, format, bits, Rounding::Nearest) as u16);
        }
        value => return finish(soft::pack(format, value, Rounding::Nearest) as u16),
    };
    let top = 127 - sig.leading_zeros() as i32;
    let lowest = 1 - format.bias() - format.mant_bits as i32;
    let last = (exp + top - format.mant_bits as i32).max(lowest);
    // At least as many bits are lost as there are random ones: 13 or 16, more below the
    // subnormals, where the random bits stay on top.
    let lost = (last - exp).clamp(0, 100) as u32;
    let count = if half == Half::F16 { 13 } else { 16 };
    let below = sig & ((1u128 << lost) - 1);
    let random = u128::from(random & (u16::MAX >> (16 - count)));
    let carry = (below + (random << lost.saturating_sub(count))) >> lost;
    let too_large = exp + top > format.bias();
    let kept = if too_large {
        format.infinity()
    } else {
        let magnitude = soft::round(format, false, exp, sig, false, Rounding::Zero);
        magnitude + carry as u64
    };
    let kept = if satfinite {
        kept.min(format.max_finite())
    } else {
        kept
    };
    finish(kept as u16 | u16::from(sign) << 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(format: usize) -> Vec<f32> {
        let tiny = Tiny {
            format,
            relu: false,
            half: Half::F16,
        };
        let (format, _) = Tiny::FORMATS[format];
        (0..1 << (format.exp_bits + format.mant_bits))
            .map(|bits| Half::F16.widen(tiny.unpack(bits) as u16))
            .collect()
    }

    #[test]
    fn the_values_of_the_formats() {
        assert_eq!(values(2), [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]);
        // (mantissa / 8) × 2 below 1, then 1 + mantissa / 8 in three binades.
        let e2m3: Vec<f32> = (0..32)
            .map(|bits| match (bits >> 3, (bits & 7) as f32 / 8.0) {
                (0, fraction) => fraction,
                (exp, fraction) => (1.0 + fraction) * f32::powi(2.0, exp - 1),
            })
            .collect();
        assert_eq!(values(3), e2m3);
        assert_eq!(e2m3.last(), Some(&7.5));
        let e3m2: Vec<f32> = (0..32)
            .map(|bits| match (bits >> 2, (bits & 3) as f32 / 4.0) {
                (0, fraction) => fraction * 0.25,
                (exp, fraction) => (1.0 + fraction) * f32::powi(2.0, exp - 3),
            })
            .collect();
        assert_eq!(values(4), e3m2);
        assert_eq!(e3m2.last(), Some(&28.0));
    }

    #[test]
    fn every_value_survives_the_way_to_16_bits_and_back() {
        for format in 0..Tiny::FORMATS.len() {
            for half in [Half::F16, Half::Bf16] {
                let tiny = Tiny {
                    format,
                    relu: false,
                    half,
                };
                assert_eq!(Tiny::decode(tiny.encode()), tiny);
                let (layout, bits) = Tiny::FORMATS[format];
                let width = 1 + layout.exp_bits + layout.mant_bits;
                for value in 0..1u16 << width {
                    if layout.is_nan(value.into()) || half.is_nan(tiny.unpack(value) as u16) {
                        continue;
                    }
                    let pair = value << bits | value;
                    let back = tiny.pack_halves(tiny.unpack(pair));
                    // 0x7c is the infinity of e5m2, which becomes the largest number.
                    let infinite = format == 1 && value & 0x7f == 0x7c;
                    let expected = if infinite { pair - 0x101 } else { pair };
                    assert_eq!(back, expected, "format {format}, {value:#x}");
                }
            }
        }
    }

    #[test]
    fn rounding_and_saturation() {
        let tiny = |format| Tiny {
            format,
            relu: false,
            half: Half::F16,
        };
        // 2.5 is a tie between 2 and 3, whose mantissa is odd; 5 one between 4 and 6.
        assert_eq!(tiny(2).pack(2.5, 5.0), 0x46);
        assert_eq!(tiny(2).pack(f32::NAN, -1e9), 0x7f);
        assert_eq!(tiny(2).pack(0.25, -0.3), 0x09);
        assert_eq!(tiny(3).pack(f32::NAN, -1.0), 0x1f28);
        assert_eq!(tiny(4).pack(1e9, f32::NEG_INFINITY), 0x1f3f);
        let relu = Tiny {
            relu: true,
            ..tiny(4)
        };
        assert_eq!(relu.pack(-3.0, f32::NAN), 0x001f);
    }

    #[test]
    fn scale_factors() {
        assert_eq!(to_scales(1.0, 1.5, false, false), 0x7f7f);
        assert_eq!(to_scales(1.0, 1.5, true, false), 0x7f80);
        assert_eq!(to_scales(0.0, f32::NAN, true, true), 0x00ff);
        assert_eq!(to_scales(f32::MAX, f32::INFINITY, false, false), 0xfeff);
        assert_eq!(to_scales(f32::MAX, f32::INFINITY, true, true), 0xfefe);
        // 2⁻¹²⁷, and a little more.
        let small = [0x40_0000, 0x40_0001].map(f32::from_bits);
        assert_eq!(to_scales(small[0], small[1], true, false), 0x0001);
        assert_eq!(from_scales(0x7f00), 0x3f80_0040);
        assert_eq!(from_scales(0xff80), 0x7fff_4000);
    }

    #[test]
    fn random_bits_decide() {
        let f16 = |x: f32, random| stochastic(Half::F16, x, random, false, false);
        // 1 + 2⁻¹¹: half of the last place is lost, 0x1000 of 13 bits.
        let x = 1.0 + f32::powi(2.0, -11);
        assert_eq!((f16(x, 0x0fff), f16(x, 0x1000)), (0x3c00, 0x3c01));
        assert_eq!((f16(-x, 0x0fff), f16(-x, 0x1000)), (0xbc00, 0xbc01));
        assert_eq!((f16(1.0, 0x1fff), f16(0.0, 0x1fff)), (0x3c00, 0));
        assert_eq!((f16(65519.0, 0), f16(65519.0, 0x1fff)), (0x7bff, 0x7c00));
        assert_eq!((f16(65536.0, 0), f16(f32::NAN, 0)), (0x7c00, 0x7fff));
        // Half of the smallest subnormal, and far below it.
        let tiny = f32::powi(2.0, -25);
        assert_eq!((f16(tiny, 0x0fff), f16(tiny, 0x1000)), (0, 1));
        assert_eq!(f16(f32::from_bits(1), 0x1fff), 0);
        let bf16 = |x: u32, random, satfinite| {
            stochastic(Half::Bf16, f32::from_bits(x), random, false, satfinite)
        };
        assert_eq!(bf16(0x3f80_8000, 0x7fff, false), 0x3f80);
        assert_eq!(bf16(0x3f80_8000, 0x8000, false), 0x3f81);
        assert_eq!(bf16(0x7f7f_ffff, 0xffff, false), 0x7f80);
        assert_eq!(bf16(0x7f7f_ffff, 0xffff, true), 0x7f7f);
        assert_eq!(bf16(0x7f80_0000, 0, true), 0x7f7f);
        let relu = stochastic(Half::Bf16, -1.5, 0, true, true);
        assert_eq!(relu, 0);
    }
}
