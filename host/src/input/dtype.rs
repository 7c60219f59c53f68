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
        Self::I8, Self::I16, Self::I32, Self::I64, Self::U8, Self::U16, Self::U32, Self::U64,
        Self::F16, Self::Bf16, Self::F32, Self::F64,
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

    /// The element as an `f64`, rounded where it must be.
    fn to_f64(self) -> f64;

    /// The nearest element to `value`: rounded, and for integers truncated and saturated.
    fn from_f64(value: f64) -> Self;

    /// The element whose bits are the low ones of `bits`, for integers uniform over the whole
    /// type.
    fn from_bits64(bits: u64) -> Self;
}

macro_rules! elements {
    ($($element:ident $dtype:ident $to:expr, $from:expr, $bits:expr;)*) => { $(
        impl Element for $element {
            const DTYPE: Dtype = Dtype::$dtype;

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
    )* };
}
elements! {
    i8 I8 f64::from, |v| v as i8, |b| b as i8;
    i16 I16 f64::from, |v| v as i16, |b| b as i16;
    i32 I32 f64::from, |v| v as i32, |b| b as i32;
    i64 I64 |v| v as f64, |v| v as i64, |b| b as i64;
    u8 U8 f64::from, |v| v as u8, |b| b as u8;
    u16 U16 f64::from, |v| v as u16, |b| b as u16;
    u32 U32 f64::from, |v| v as u32, |b| b as u32;
    u64 U64 |v| v as f64, |v| v as u64, |b| b;
    f16 F16 f64::from, f16::from_f64, |b| f16::from_bits(b as u16);
    bf16 Bf16 f64::from, bf16::from_f64, |b| bf16::from_bits(b as u16);
    f32 F32 f64::from, |v| v as f32, |b| f32::from_bits(b as u32);
    f64 F64 |v| v, |v| v, f64::from_bits;
}
