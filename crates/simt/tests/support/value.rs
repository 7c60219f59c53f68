//! Values as the tables write them.

use half::{bf16, f16};
use ptx::ScalarType as T;

/// A value with its type; a predicate is 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    pub ty: T,
    pub bits: u128,
}

impl Value {
    /// Reads `5`, `-5`, `0x1F` (bits), `1.5`, `inf`, `nan`, each perhaps with a type: `u32:5`.
    ///
    /// # Panics
    /// If the text is none of these.
    pub fn read(text: &str, default: T) -> Value {
        let (ty, text) = match text.split_once(':') {
            Some((ty, rest)) => (
                T::from_word(ty).unwrap_or_else(|| panic!("{ty} is no type")),
                rest,
            ),
            None => (default, text),
        };
        let wrong = format!("`{text}` is no value of type {ty}");
        let bits = if let Some(hex) = text.strip_prefix("0x") {
            u128::from_str_radix(&hex.replace('_', ""), 16).unwrap_or_else(|_| panic!("{wrong}"))
        } else if is_plain_float(ty) {
            let value: f64 = text.parse().unwrap_or_else(|_| panic!("{wrong}"));
            match ty {
                T::F64 => value.to_bits().into(),
                T::F32 => (value as f32).to_bits().into(),
                T::F16 => f16::from_f64(value).to_bits().into(),
                _ => bf16::from_f64(value).to_bits().into(),
            }
        } else {
            let value: i128 = text.parse().unwrap_or_else(|_| panic!("{wrong}"));
            value as u128
        };
        let width = register_bits(ty);
        Value {
            ty,
            bits: if width == 128 {
                bits
            } else {
                bits & ((1 << width) - 1)
            },
        }
    }

    /// Whether this is a NaN of a plain float type.
    pub fn is_nan(self) -> bool {
        match self.ty {
            T::F64 => f64::from_bits(self.bits as u64).is_nan(),
            T::F32 => f32::from_bits(self.bits as u32).is_nan(),
            T::F16 => f16::from_bits(self.bits as u16).is_nan(),
            T::Bf16 => bf16::from_bits(self.bits as u16).is_nan(),
            _ => false,
        }
    }

    /// Equal bits, or both NaN: the ISA leaves a NaN's bits open.
    pub fn matches(self, other: Value) -> bool {
        self.bits == other.bits || (self.is_nan() && other.is_nan())
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.ty {
            T::F64 => write!(f, "{} ", f64::from_bits(self.bits as u64))?,
            T::F32 => write!(f, "{} ", f32::from_bits(self.bits as u32))?,
            T::F16 => write!(f, "{} ", f16::from_bits(self.bits as u16))?,
            T::Bf16 => write!(f, "{} ", bf16::from_bits(self.bits as u16))?,
            _ => {}
        }
        write!(f, "{}:{:#x}", self.ty, self.bits)
    }
}

fn is_plain_float(ty: T) -> bool {
    matches!(ty, T::F16 | T::Bf16 | T::F32 | T::F64)
}

/// Bits of the register that holds the type; 1 for a predicate.
pub fn register_bits(ty: T) -> u32 {
    if ty == T::Pred { 1 } else { ty.bits().max(16) }
}
