//! Numbers as the kernels hold them: bytes in, bytes out, and values for each kind of operation.

use cuda_std::ops::Scalar;

use super::batch::Numbers;

/// A type that arithmetic kernels are tried with.
pub(super) trait Number: Scalar + std::fmt::Debug {
    fn from_bytes(bytes: &[u8]) -> Self;
    fn to_bytes(self) -> Vec<u8>;
    /// Any value for integers; for floats one whose sums in any order are exact.
    fn summand(numbers: &mut Numbers) -> Self;
    /// Any value for integers; for floats a power of two, so that products are exact.
    fn factor(numbers: &mut Numbers) -> Self;
    /// A value that tries comparisons: extremes, equal ones, NaN, ±0.
    fn extreme(numbers: &mut Numbers) -> Self;
    /// A different value for each `i` below 64, in the order of `i`.
    fn ordered(i: u32) -> Self;
    /// Bitwise operations; none for floats.
    fn bitwise(self, other: Self, op: Bitwise) -> Self;
    fn is_nan(self) -> bool;
}

/// The operations that integers alone have.
#[derive(Debug, Clone, Copy)]
pub(super) enum Bitwise {
    And,
    Or,
    Xor,
}

macro_rules! integers {
    ($($ty:ident)*) => {$(
        impl Number for $ty {
            fn from_bytes(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<$ty>()];
                own.copy_from_slice(bytes);
                Self::from_le_bytes(own)
            }
            fn to_bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
            fn summand(numbers: &mut Numbers) -> Self {
                numbers.next() as Self
            }
            fn factor(numbers: &mut Numbers) -> Self {
                numbers.next() as Self | 1
            }
            fn extreme(numbers: &mut Numbers) -> Self {
                [Self::MIN, Self::MAX, 0, 1, (0 as Self).wrapping_sub(1), numbers.next() as Self][numbers.below(6) as usize]
            }
            fn ordered(i: u32) -> Self {
                i as Self
            }
            fn bitwise(self, other: Self, op: Bitwise) -> Self {
                match op {
                    Bitwise::And => self & other,
                    Bitwise::Or => self | other,
                    Bitwise::Xor => self ^ other,
                }
            }
            fn is_nan(self) -> bool {
                false
            }
        }
    )*};
}
integers!(i8 u16 i32 u32 i64 u64);

macro_rules! floats {
    ($($ty:ident)*) => {$(
        impl Number for $ty {
            fn from_bytes(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<$ty>()];
                own.copy_from_slice(bytes);
                Self::from_le_bytes(own)
            }
            fn to_bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
            fn summand(numbers: &mut Numbers) -> Self {
                Self::from(numbers.below(33) as u8) * 0.5 - 8.0
            }
            fn factor(numbers: &mut Numbers) -> Self {
                [1.0, -1.0, 2.0, 0.5][numbers.below(4) as usize]
            }
            fn extreme(numbers: &mut Numbers) -> Self {
                let own = Self::summand(numbers);
                [Self::NEG_INFINITY, Self::INFINITY, 0.0, -0.0, Self::NAN, Self::MIN_POSITIVE, own, own][numbers.below(8) as usize]
            }
            fn ordered(i: u32) -> Self {
                Self::from(i as u8) * 0.75 - 7.0
            }
            fn bitwise(self, _: Self, _: Bitwise) -> Self {
                self
            }
            fn is_nan(self) -> bool {
                self.is_nan()
            }
        }
    )*};
}
floats!(f32 f64);

/// Runs `$body` with `$ty` standing for the Rust type of a [`conformance::Value`]; `$none` where
/// no arithmetic kernel has that type.
macro_rules! with_number {
    ($value:expr, $ty:ident => $body:expr, $none:expr) => {
        match $value {
            conformance::Value::I8 => {
                type $ty = i8;
                $body
            }
            conformance::Value::U16 => {
                type $ty = u16;
                $body
            }
            conformance::Value::I32 => {
                type $ty = i32;
                $body
            }
            conformance::Value::U32 => {
                type $ty = u32;
                $body
            }
            conformance::Value::I64 => {
                type $ty = i64;
                $body
            }
            conformance::Value::U64 => {
                type $ty = u64;
                $body
            }
            conformance::Value::F32 => {
                type $ty = f32;
                $body
            }
            conformance::Value::F64 => {
                type $ty = f64;
                $body
            }
            _ => $none,
        }
    };
}
pub(super) use with_number;
