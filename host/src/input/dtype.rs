//! Element types that cases work on.

use std::fmt;
use std::str::FromStr;

use bytemuck::Pod;
use half::{bf16, f16};
use serde::Serialize;

use super::InputError;

/// The type of an array's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)] // The names say it.
pub enum Dtype {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    Bf16,
    F32,
    F64,
}

impl Dtype {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::F16,
        Self::Bf16,
        Self::F32,
        Self::F64,
    ];

    /// Bytes of an element.
    pub const fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 | Self::Bf16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// Whether elements are floating point.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16 | Self::F32 | Self::F64)
    }

    /// As Rust writes it: `f32`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Dtype {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, InputError> {
        let found = Self::ALL.into_iter().find(|dtype| dtype.name() == text);
        found.ok_or_else(|| InputError::Dtype(text.to_owned()))
    }
}

/// A type of element: plain old data with a [`Dtype`].
pub trait Element: Pod + Send + Sync + PartialEq + fmt::Debug + 'static {
    /// Its name at run time.
    const DTYPE: Dtype;
    /// A large magnitude: for floats one at which 1 is the last bit, for integers half the range.
    const LARGE: f64;
    /// The standard deviation of normally distributed elements.
    const SPREAD: f64;
    /// Values that programs get wrong.
    const SPECIALS: &'static [Self];

    /// The element as an `f64`, rounded where it must be.
    fn to_f64(self) -> f64;

    /// The nearest element to `value`: rounded, and for integers truncated and saturated.
    fn from_f64(value: f64) -> Self;

    /// The element whose bits are the low ones of `bits`, for integers uniform over the whole
    /// type.
    fn from_bits64(bits: u64) -> Self;
}

macro_rules! element {
    ($element:ident, $dtype:ident, $large:expr, $spread:expr, $specials:expr,
     $to:expr, $from:expr, $bits:expr) => {
        impl Element for $element {
            const DTYPE: Dtype = Dtype::$dtype;
            const LARGE: f64 = $large;
            const SPREAD: f64 = $spread;
            const SPECIALS: &'static [Self] = $specials;

            fn to_f64(self) -> f64 {
                $to(self)
            }

            fn from_f64(value: f64) -> Self {
                $from(value)
            }

            fn from_bits64(bits: u64) -> Self {
                $bits(bits)
            }
        }
    };
}

macro_rules! integers {
    ($($element:ident $dtype:ident)*) => { $(
        element!(
            $element, $dtype,
            ((1_u128 << ($element::BITS - 1)) as f64),
            ((1_u128 << ($element::BITS - 4)) as f64),
            &[$element::MIN, $element::MAX, 0, 1, $element::MAX / 2],
            |v: $element| v as f64, |v: f64| v as $element, |b: u64| b as $element
        );
    )* };
}
integers!(i8 I8 i16 I16 i32 I32 i64 I64 u8 U8 u16 U16 u32 U32 u64 U64);

macro_rules! floats {
    ($($element:ident $dtype:ident $from:expr, $bits:expr, $least:expr, $zero:expr, $minus_zero:expr;)*) => { $(
        element!(
            $element, $dtype, (1_u64 << ($element::MANTISSA_DIGITS - 1)) as f64, 1.0,
            &[
                $element::NAN, $element::INFINITY, $element::NEG_INFINITY, $element::MAX,
                $element::MIN, $element::MIN_POSITIVE, $least, $zero, $minus_zero,
            ],
            f64::from, $from, $bits
        );
    )* };
}
// The least subnormal and the two zeros come last.
floats! {
    f16 F16 f16::from_f64, |b: u64| f16::from_bits(b as u16), f16::from_bits(1), f16::ZERO, f16::NEG_ZERO;
    bf16 Bf16 bf16::from_f64, |b: u64| bf16::from_bits(b as u16), bf16::from_bits(1), bf16::ZERO, bf16::NEG_ZERO;
    f32 F32 |v: f64| v as f32, |b: u64| f32::from_bits(b as u32), f32::from_bits(1), 0.0, -0.0;
    f64 F64 |v: f64| v, f64::from_bits, f64::from_bits(1), 0.0, -0.0;
}
