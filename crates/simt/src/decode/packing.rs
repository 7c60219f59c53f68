//! Several narrow values in one word.

use super::function::{Decoder, Op};
use crate::exec::lanes::{Pair, each};
use crate::ops::narrow::Half;
use crate::ops::tiny::{self, Tiny};
use ptx::modifier::{Flag, Rounding};
use ptx::{Instruction, ScalarType as T};

/// Puts part `k` of so many bits into a word.
pub(super) fn merge(k: u64, word: u128, part: u128, bits: u32) -> u128 {
    let shift = k as u32 * bits;
    let mask = (u128::MAX >> (128 - bits)) << shift;
    word & !mask | part << shift & mask
}

/// The place of a packed type's format in [`Tiny::FORMATS`].
fn format(ty: T) -> Option<usize> {
    let types = [T::E4m3x2, T::E5m2x2, T::E2m1x2, T::E2m3x2, T::E3m2x2];
    types.iter().position(|&it| it == ty)
}

fn half(ty: T) -> Half {
    if ty == T::Bf16x2 {
        Half::Bf16
    } else {
        Half::F16
    }
}

/// Bits of the word that tells conversions to scale factors, and `cvt.rs`, what to do.
const UP: u64 = 1;
const SATFINITE: u64 = 2;
const RELU: u64 = 4;
const BF16: u64 = 8;

fn scales(m: u64, a: f32, b: f32) -> u16 {
    tiny::to_scales(a, b, m & UP != 0, m & SATFINITE != 0)
}

/// The upper half of the random bits is for the first source (PTX ISA, "cvt").
fn random(m: u64, a: f32, b: f32, random: u32) -> u32 {
    let half = if m & BF16 != 0 { Half::Bf16 } else { Half::F16 };
    let narrow = |x: f32, bits: u32| {
        let (relu, satfinite) = (m & RELU != 0, m & SATFINITE != 0);
        u32::from(tiny::stochastic(half, x, bits as u16, relu, satfinite))
    };
    narrow(a, random >> 16) << 16 | narrow(b, random)
}

impl Decoder<'_> {
    /// `cvt` to and from pairs of floats of 4, 6 and 8 bits and of scale factors, and `cvt.rs`
    /// (PTX ISA 9.7.9.21).
    pub(super) fn tiny_cvt(&mut self, i: &Instruction, d: T, s: T) -> Result<Op, String> {
        let flag = |flag, bit| if i.has(flag) { bit } else { 0 };
        let options = flag(Flag::Satfinite, SATFINITE) | flag(Flag::Relu, RELU);
        let up = if i.rounding() == Some(Rounding::Rp) {
            UP
        } else {
            0
        };
        if i.rounding() == Some(Rounding::Rs) {
            if !matches!((d, s), (T::F16x2 | T::Bf16x2, T::F32)) {
                return Err(format!(
                    "how four values of .{d} share the random bits is not documented"
                ));
            }
            let pair = each(|m, a: f32, b: f32, r: u32| random(m, a, b, r));
            let wide = if d == T::Bf16x2 { BF16 } else { 0 };
            let op = self.op3(i, pair, [T::B32, T::F32, T::F32, T::B32])?;
            return Ok(op.imm(options | wide));
        }
        let tiny = |format, ty| {
            let relu = i.has(Flag::Relu);
            let half = half(ty);
            Tiny { format, relu, half }.encode()
        };
        match (d, s, format(d), format(s)) {
            (_, T::F32, Some(to), _) => {
                let pair: Pair = each(|m, a: f32, b: f32, (): ()| Tiny::decode(m).pack(a, b));
                let op = self.op2(i, pair, [T::B16, T::F32, T::F32])?;
                Ok(op.imm(tiny(to, s)))
            }
            (_, T::F16x2 | T::Bf16x2, Some(to), _) => {
                let pair: Pair = each(|m, a: u32, (): (), (): ()| Tiny::decode(m).pack_halves(a));
                Ok(self.op1(i, pair, [T::B16, T::B32])?.imm(tiny(to, s)))
            }
            (T::F16x2 | T::Bf16x2, _, _, Some(from)) => {
                let pair: Pair = each(|m, a: u16, (): (), (): ()| Tiny::decode(m).unpack(a));
                Ok(self.op1(i, pair, [T::B32, T::B16])?.imm(tiny(from, d)))
            }
            (T::Ue8m0x2, T::F32, ..) => {
                let pair: Pair = each(|m, a: f32, b: f32, (): ()| scales(m, a, b));
                let op = self.op2(i, pair, [T::B16, T::F32, T::F32])?;
                Ok(op.imm(options | up))
            }
            (T::Ue8m0x2, T::Bf16x2, ..) => {
                let pair: Pair = each(|m, a: u32, (): (), (): ()| {
                    let [a, b] = [a & 0xffff_0000, a << 16].map(f32::from_bits);
                    scales(m, a, b)
                });
                Ok(self.op1(i, pair, [T::B16, T::B32])?.imm(options | up))
            }
            (T::Bf16x2, T::Ue8m0x2, ..) => {
                let pair: Pair = each(|_, a: u16, (): (), (): ()| tiny::from_scales(a));
                self.op1(i, pair, [T::B32, T::B16])
            }
            _ => Err(format!("a conversion from .{s} to .{d}")),
        }
    }

    /// `cvt.pack.sat.u8.s32.b32 d, a, b, c` and its like (PTX ISA 9.7.9.22).
    pub(crate) fn cvt_pack(&mut self, i: &Instruction) -> Result<Op, String> {
        let ty = self.ty(i, 0)?;
        let imm = u64::from(ty.bits()) | u64::from(ty.is_signed()) << 8;
        match (ty, i.operands.len()) {
            (T::U2 | T::S2 | T::U4 | T::S4 | T::U8 | T::S8, 4) => {
                let pair = each(pack3);
                Ok(self
                    .op3(i, pair, [T::B32, T::S32, T::S32, T::B32])?
                    .imm(imm))
            }
            (T::U16 | T::S16, 3) => {
                let pair = each(|m, a: i32, b: i32, (): ()| pack3(m, a, b, 0));
                Ok(self.op2(i, pair, [T::B32, T::S32, T::S32])?.imm(imm))
            }
            _ => Err(format!("cvt.pack to .{ty}")),
        }
    }
}

/// Two saturated integers below what `c` holds; the first source lies above the second.
fn pack3(m: u64, a: i32, b: i32, c: u32) -> u32 {
    let bits = m as u32 & 0xff;
    let range = match m >> 8 {
        0 => (0, (1 << bits) - 1),
        _ => (-1 << (bits - 1), (1 << (bits - 1)) - 1),
    };
    let part = |x: i32| x.clamp(range.0, range.1) as u32 & ((1 << bits) - 1);
    // Two of 16 bits leave no room for a third operand.
    c.checked_shl(2 * bits).unwrap_or(0) | part(a) << bits | part(b)
}
