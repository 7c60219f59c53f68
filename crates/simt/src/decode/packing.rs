//! Several narrow values in one word.

use crate::ops::convert;
use crate::ops::narrow::Half;
use crate::ops::soft::{self, Rounding};

/// Puts part `k` of so many bits into a word.
pub(super) fn merge(k: u64, word: u128, part: u128, bits: u32) -> u128 {
    let shift = k as u32 * bits;
    let mask = (u128::MAX >> (128 - bits)) << shift;
    word & !mask | part << shift & mask
}

pub(super) fn halves(a: u32) -> [f32; 2] {
    [Half::F16.widen(a as u16), Half::F16.widen((a >> 16) as u16)]
}

/// The first operand goes into the upper byte.
pub(super) fn bytes(format: soft::Format, relu: bool, a: f32, b: f32) -> u16 {
    let byte = |x| u16::from(convert::to_byte_float(format, x, relu));
    byte(a) << 8 | byte(b)
}

pub(super) fn from_bytes(format: soft::Format, relu: bool, a: u16) -> u32 {
    let half = |x: u16| {
        let bits = convert::float_to_float(format, soft::F16, x.into(), Rounding::Nearest) as u16;
        u32::from(if relu { Half::F16.relu(bits) } else { bits })
    };
    half(a >> 8) << 16 | half(a & 0xff)
}
