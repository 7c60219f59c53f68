//! Half precision and bfloat16 arithmetic (PTX ISA, "Half Precision Floating Point Instructions"),
//! on the bits of a value.

use super::soft::{self, Format, Rounding};

/// Which of the two 16-bit formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Half {
    /// IEEE half precision.
    F16,
    /// bfloat16.
    Bf16,
}

impl Half {
    /// The layout.
    pub const fn format(self) -> Format {
        match self {
            Half::F16 => soft::F16,
            Half::Bf16 => soft::BF16,
        }
    }

    /// The value in single precision, exactly.
    pub fn widen(self, bits: u16) -> f32 {
        match self {
            Half::F16 => half::f16::from_bits(bits).to_f32(),
            Half::Bf16 => f32::from_bits(u32::from(bits) << 16),
        }
    }

    /// The nearest value, NaN canonical.
    pub fn narrow(self, x: f32) -> u16 {
        if x.is_nan() {
            return 0x7fff;
        }
        match self {
            Half::F16 => half::f16::from_f32(x).to_bits(),
            Half::Bf16 => half::bf16::from_f32(x).to_bits(),
        }
    }

    const fn exponent(self) -> u16 {
        match self {
            Half::F16 => 0x7c00,
            Half::Bf16 => 0x7f80,
        }
    }

    /// `.ftz`.
    pub const fn flush(self, bits: u16) -> u16 {
        if bits & self.exponent() == 0 {
            bits & 0x8000
        } else {
            bits
        }
    }

    /// Whether the value is not a number.
    pub const fn is_nan(self, bits: u16) -> bool {
        bits & 0x7fff > self.exponent()
    }

    /// `.sat`.
    pub fn saturate(self, bits: u16) -> u16 {
        let one = self.narrow(1.0);
        match self.widen(bits) {
            x if x >= 1.0 => one,
            x if x > 0.0 => bits,
            _ => 0,
        }
    }

    /// `.relu`: negative values and NaN... the ISA clamps to 0, NaN results are canonical.
    pub fn relu(self, bits: u16) -> u16 {
        if self.is_nan(bits) {
            0x7fff
        } else if bits & 0x8000 != 0 {
            0
        } else {
            bits
        }
    }

    /// `add.rn`.
    pub fn add(self, a: u16, b: u16) -> u16 {
        // Exact to 24 bits, which is more than twice 11 plus one: rounding twice is rounding once.
        self.narrow(self.widen(a) + self.widen(b))
    }

    /// `sub.rn`.
    pub fn sub(self, a: u16, b: u16) -> u16 {
        self.narrow(self.widen(a) - self.widen(b))
    }

    /// `mul.rn`.
    pub fn mul(self, a: u16, b: u16) -> u16 {
        match self {
            Half::F16 => self.narrow(self.widen(a) * self.widen(b)),
            // The product of two bfloat16 may lie below f32's subnormals.
            Half::Bf16 => soft::mul(soft::BF16, a.into(), b.into(), Rounding::Nearest) as u16,
        }
    }

    /// `fma.rn`.
    pub fn fma(self, a: u16, b: u16, c: u16) -> u16 {
        soft::fma(
            self.format(),
            a.into(),
            b.into(),
            c.into(),
            Rounding::Nearest,
        ) as u16
    }

    /// `min` (−0 below +0; a NaN loses, with `propagate` it wins).
    pub fn min(self, a: u16, b: u16, propagate: bool) -> u16 {
        self.extremum(a, b, propagate, false)
    }

    /// `max`.
    pub fn max(self, a: u16, b: u16, propagate: bool) -> u16 {
        self.extremum(a, b, propagate, true)
    }

    fn extremum(self, a: u16, b: u16, propagate: bool, greater: bool) -> u16 {
        match (self.is_nan(a), self.is_nan(b)) {
            (true, true) => 0x7fff,
            (true, false) => {
                if propagate {
                    0x7fff
                } else {
                    b
                }
            }
            (false, true) => {
                if propagate {
                    0x7fff
                } else {
                    a
                }
            }
            // Sign and magnitude order as integers once the negatives are mirrored.
            (false, false) => {
                if (key(a) > key(b)) == greater {
                    a
                } else {
                    b
                }
            }
        }
    }

    /// `ex2.approx`.
    pub fn ex2(self, a: u16) -> u16 {
        self.narrow(f64::from(self.widen(a)).exp2() as f32)
    }

    /// `tanh.approx`.
    pub fn tanh(self, a: u16) -> u16 {
        self.narrow(f64::from(self.widen(a)).tanh() as f32)
    }
}

fn key(bits: u16) -> i32 {
    let magnitude = i32::from(bits & 0x7fff);
    if bits & 0x8000 == 0 {
        magnitude
    } else {
        -magnitude - 1
    }
}

/// Applies a binary operation to both halves of a packed pair.
pub fn both(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    let low = f(a as u16, b as u16);
    let high = f((a >> 16) as u16, (b >> 16) as u16);
    u32::from(high) << 16 | u32::from(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_a_sample_rounds_as_the_exact_operation() {
        for half in [Half::F16, Half::Bf16] {
            let sample: Vec<u16> = (0..=u16::MAX).step_by(257).collect();
            for &a in &sample {
                for &b in &sample {
                    let exact = |f: fn(Format, u64, u64, Rounding) -> u64| {
                        f(half.format(), a.into(), b.into(), Rounding::Nearest) as u16
                    };
                    assert_eq!(
                        half.add(a, b),
                        exact(soft::add),
                        "{half:?} {a:04x} + {b:04x}"
                    );
                    assert_eq!(
                        half.mul(a, b),
                        exact(soft::mul),
                        "{half:?} {a:04x} × {b:04x}"
                    );
                }
            }
        }
    }

    #[test]
    fn extrema() {
        let h = Half::F16;
        let (one, two, nan) = (0x3c00, 0x4000, 0x7e00);
        assert_eq!((h.min(one, two, false), h.max(one, two, false)), (one, two));
        assert_eq!(
            (h.min(0x8000, 0, false), h.max(0x8000, 0, false)),
            (0x8000, 0)
        );
        assert_eq!(
            (h.min(nan, two, false), h.min(nan, two, true)),
            (two, 0x7fff)
        );
        assert_eq!(
            (h.saturate(two), h.saturate(0xbc00), h.saturate(nan)),
            (one, 0, 0)
        );
        assert_eq!((h.relu(0xbc00), h.relu(one)), (0, one));
    }
}
