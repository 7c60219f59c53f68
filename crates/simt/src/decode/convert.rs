//! Moves and conversions.

use super::float::rounding;
use super::function::{Decoder, Op};
use super::names::Named;
use super::operands::{constant_special, register_bytes};
use super::packing::merge;
use crate::exec::lanes::{Pair, each, each_test, map1, with3};
use crate::exec::misc;
use crate::memory::window::{self, Space};
use crate::ops::convert::{self, Conversion, Scalar};
use crate::ops::narrow::Half;
use crate::ops::soft::Rounding;
use ptx::modifier::{Flag, Rounding as Mode};
use ptx::{Instruction, Operand, ScalarType as T, SpecialRegister, StateSpace};

fn scalar(ty: T) -> Option<Scalar> {
    Some(match ty {
        T::U8 | T::B8 => Scalar::U8,
        T::S8 => Scalar::S8,
        T::U16 | T::B16 => Scalar::U16,
        T::S16 => Scalar::S16,
        T::U32 | T::B32 => Scalar::U32,
        T::S32 => Scalar::S32,
        T::U64 | T::B64 => Scalar::U64,
        T::S64 => Scalar::S64,
        T::F16 => Scalar::F16,
        T::Bf16 => Scalar::Bf16,
        T::F32 => Scalar::F32,
        T::F64 => Scalar::F64,
        _ => return None,
    })
}

/// The space that an instruction names.
pub(crate) fn space_of(space: StateSpace) -> Result<Space, String> {
    match space.base() {
        StateSpace::Global | StateSpace::Const => Ok(Space::Global),
        StateSpace::Shared => Ok(Space::Shared),
        StateSpace::Local => Ok(Space::Local),
        StateSpace::Param => Ok(Space::Param),
        other => Err(format!("the state space .{other} is not supported")),
    }
}

/// Integer to integer without saturation: fields of `m` are the source's bits, whether it is
/// signed, the destination's bits, whether it is signed.
fn resize(m: u64, a: u64) -> u64 {
    let (from, to) = (m as u32 & 127, (m >> 8) as u32 & 127);
    let x = a << (64 - from);
    let x = if m >> 7 & 1 != 0 {
        ((x as i64) >> (64 - from)) as u64
    } else {
        x >> (64 - from)
    };
    let x = x << (64 - to);
    if m >> 15 & 1 != 0 {
        ((x as i64) >> (64 - to)) as u64
    } else {
        x >> (64 - to)
    }
}

/// Instances of `f` for every width of source and destination registers.
macro_rules! widths {
    ($l:expr, $from:expr, $to:expr, $f:path) => {
        match ($from, $to) {
            (2, 2) => with3($l, |m, a: u16, (): (), (): ()| $f(m, a.into()) as u16),
            (2, 4) => with3($l, |m, a: u16, (): (), (): ()| $f(m, a.into()) as u32),
            (2, 8) => with3($l, |m, a: u16, (): (), (): ()| $f(m, a.into())),
            (4, 2) => with3($l, |m, a: u32, (): (), (): ()| $f(m, a.into()) as u16),
            (4, 4) => with3($l, |m, a: u32, (): (), (): ()| $f(m, a.into()) as u32),
            (4, 8) => with3($l, |m, a: u32, (): (), (): ()| $f(m, a.into())),
            (8, 2) => with3($l, |m, a: u64, (): (), (): ()| $f(m, a) as u16),
            (8, 4) => with3($l, |m, a: u64, (): (), (): ()| $f(m, a) as u32),
            (8, 8) => with3($l, |m, a: u64, (): (), (): ()| $f(m, a)),
            (from, to) => {
                return Err(format!("registers of {} and {} bits", from * 8, to * 8));
            }
        }
    };
}

macro_rules! widths_each {
    ($from:expr, $to:expr, $f:path) => {
        match ($from, $to) {
            (2, 2) => each(|m, a: u16, (): (), (): ()| $f(m, a.into()) as u16),
            (2, 4) => each(|m, a: u16, (): (), (): ()| $f(m, a.into()) as u32),
            (2, 8) => each(|m, a: u16, (): (), (): ()| $f(m, a.into())),
            (4, 2) => each(|m, a: u32, (): (), (): ()| $f(m, a.into()) as u16),
            (4, 4) => each(|m, a: u32, (): (), (): ()| $f(m, a.into()) as u32),
            (4, 8) => each(|m, a: u32, (): (), (): ()| $f(m, a.into())),
            (8, 2) => each(|m, a: u64, (): (), (): ()| $f(m, a) as u16),
            (8, 4) => each(|m, a: u64, (): (), (): ()| $f(m, a) as u32),
            (8, 8) => each(|m, a: u64, (): (), (): ()| $f(m, a)),
            (from, to) => {
                return Err(format!("registers of {} and {} bits", from * 8, to * 8));
            }
        }
    };
}

fn apply(m: u64, a: u64) -> u64 {
    Conversion::decode(m).apply(a)
}

impl Decoder<'_> {
    /// A source whose register may be wider than the type: its offset and the register's bytes.
    fn wide_src(&mut self, operand: &Operand, ty: T) -> Result<(u32, u32), String> {
        if let Operand::Name(name) | Operand::Element(name, _) = operand
            && let Some((_, Named::Register { .. })) = self.names.find(self.scope, name)
        {
            let reg = self.register(operand)?;
            if reg.bytes < ty.bytes() {
                return Err(format!("`{operand}` has fewer bits than .{ty}"));
            }
            return Ok((reg.offset, reg.bytes));
        }
        Ok((self.src(operand, ty)?, register_bytes(ty)))
    }

    /// `cvt`.
    pub(crate) fn cvt(&mut self, i: &Instruction) -> Result<Op, String> {
        let (d, s) = (self.ty(i, 0)?, self.ty(i, 1)?);
        let (Some(to), Some(from)) = (scalar(d), scalar(s)) else {
            return self.packed_cvt(i, d, s);
        };
        let l = self.level;
        let (a, from_bytes) = self.wide_src(self.operand(i, 1)?, s)?;
        let reg = match self.operand(i, 0)? {
            Operand::Sink => None,
            other => Some(self.register(other)?),
        };
        let to_bytes = reg.map_or(register_bytes(d), |reg| reg.bytes);
        if to_bytes < d.bytes() {
            return Err(format!("the destination has fewer bits than .{d}"));
        }
        let destination = match reg {
            Some(reg) => reg.offset,
            None => self.frame.room(to_bytes, 1),
        };
        let integral = matches!(
            i.rounding(),
            Some(Mode::Rni | Mode::Rzi | Mode::Rmi | Mode::Rpi)
        );
        let mode = rounding(i.rounding())?;
        let conversion = Conversion {
            from,
            to,
            rounding: mode,
            integral,
            ftz: i.has(Flag::Ftz),
            sat: i.has(Flag::Sat),
            satfinite: i.has(Flag::Satfinite),
            relu: i.has(Flag::Relu),
        };
        let plain = !(conversion.ftz || conversion.sat || conversion.satfinite || conversion.relu);
        let natural = from_bytes == register_bytes(s) && to_bytes == register_bytes(d);
        let mut imm = conversion.encode();
        let pair: Pair = if from.format().is_none() && to.format().is_none() && !conversion.sat {
            imm = u64::from(from.bits())
                | u64::from(from.is_signed()) << 7
                | u64::from(to.bits()) << 8
                | u64::from(to.is_signed()) << 15;
            match (from, to, natural) {
                (Scalar::U32, Scalar::U64 | Scalar::S64, true) => map1(l, |a: u32| u64::from(a)),
                (Scalar::S32, Scalar::U64 | Scalar::S64, true) => map1(l, |a: i32| i64::from(a)),
                (Scalar::U64 | Scalar::S64, Scalar::U32 | Scalar::S32, true) => {
                    map1(l, |a: u64| a as u32)
                }
                (Scalar::U16, Scalar::U32 | Scalar::S32, true) => map1(l, |a: u16| u32::from(a)),
                (Scalar::S16, Scalar::U32 | Scalar::S32, true) => map1(l, |a: i16| i32::from(a)),
                (Scalar::U32 | Scalar::S32, Scalar::U16 | Scalar::S16, true) => {
                    map1(l, |a: u32| a as u16)
                }
                _ => widths!(l, from_bytes, to_bytes, resize),
            }
        } else {
            match (from, to, mode, plain && natural) {
                (Scalar::S32, Scalar::F32, Rounding::Nearest, true) => map1(l, |a: i32| a as f32),
                (Scalar::U32, Scalar::F32, Rounding::Nearest, true) => map1(l, |a: u32| a as f32),
                (Scalar::S32, Scalar::F64, _, true) => map1(l, |a: i32| f64::from(a)),
                (Scalar::U32, Scalar::F64, _, true) => map1(l, |a: u32| f64::from(a)),
                (Scalar::S64, Scalar::F64, Rounding::Nearest, true) => map1(l, |a: i64| a as f64),
                (Scalar::U64, Scalar::F64, Rounding::Nearest, true) => map1(l, |a: u64| a as f64),
                (Scalar::S64, Scalar::F32, Rounding::Nearest, true) => map1(l, |a: i64| a as f32),
                (Scalar::U64, Scalar::F32, Rounding::Nearest, true) => map1(l, |a: u64| a as f32),
                (Scalar::F32, Scalar::S32, Rounding::Zero, true) => map1(l, |a: f32| a as i32),
                (Scalar::F32, Scalar::U32, Rounding::Zero, true) => map1(l, |a: f32| a as u32),
                (Scalar::F32, Scalar::F64, _, true) if !integral => map1(l, |a: f32| {
                    if a.is_nan() {
                        f64::from_bits(0x7fff_ffff_e000_0000)
                    } else {
                        f64::from(a)
                    }
                }),
                (Scalar::F64, Scalar::F32, Rounding::Nearest, true) if !integral => {
                    map1(l, |a: f64| crate::ops::float::canonical(a as f32))
                }
                (Scalar::F16, Scalar::F32, _, true) if !integral => {
                    map1(l, |a: u16| crate::ops::float::canonical(Half::F16.widen(a)))
                }
                (Scalar::F32, Scalar::F16, Rounding::Nearest, true) if !integral => {
                    map1(l, |a: f32| Half::F16.narrow(a))
                }
                (Scalar::Bf16, Scalar::F32, _, true) if !integral => map1(l, |a: u16| {
                    crate::ops::float::canonical(Half::Bf16.widen(a))
                }),
                (Scalar::F32, Scalar::Bf16, Rounding::Nearest, true) if !integral => {
                    map1(l, |a: f32| Half::Bf16.narrow(a))
                }
                _ => widths_each!(from_bytes, to_bytes, apply),
            }
        };
        Ok(Op { a, ..Op::new(pair) }.to(destination, to_bytes).imm(imm))
    }

    /// Conversions to packed floats and tf32.
    fn packed_cvt(&mut self, i: &Instruction, d: T, s: T) -> Result<Op, String> {
        if i.rounding() == Some(Mode::Rs) {
            return self.tiny_cvt(i, d, s);
        }
        let mode = rounding(i.rounding())?;
        let relu = i.has(Flag::Relu);
        let satfinite = i.has(Flag::Satfinite);
        let spec = |to| Conversion {
            from: Scalar::F32,
            to,
            rounding: mode,
            integral: false,
            ftz: false,
            sat: false,
            satfinite,
            relu,
        };
        match (d, s) {
            (T::F16x2 | T::Bf16x2, T::F32) => {
                let to = if d == T::F16x2 {
                    Scalar::F16
                } else {
                    Scalar::Bf16
                };
                // The first source goes into the upper half.
                let pair = each(|m, a: u32, b: u32, (): ()| {
                    (apply(m, a.into()) as u32) << 16 | apply(m, b.into()) as u32 & 0xffff
                });
                Ok(self
                    .op2(i, pair, [T::B32, T::F32, T::F32])?
                    .imm(spec(to).encode()))
            }
            (T::Tf32, T::F32) => {
                let pair: Pair = if mode == Rounding::NearestAway {
                    each(|_, a: f32, (): (), (): ()| convert::to_tf32(a, Rounding::NearestAway))
                } else if mode == Rounding::Zero {
                    each(|_, a: f32, (): (), (): ()| convert::to_tf32(a, Rounding::Zero))
                } else {
                    each(|_, a: f32, (): (), (): ()| convert::to_tf32(a, Rounding::Nearest))
                };
                self.op1(i, pair, [T::B32, T::F32])
            }
            _ => self.tiny_cvt(i, d, s),
        }
    }

    /// `mov`.
    pub(crate) fn mov(&mut self, i: &Instruction) -> Result<Op, String> {
        let ty = self.ty(i, 0)?;
        let (to, from) = (self.operand(i, 0)?, self.operand(i, 1)?);
        if ty == T::Pred {
            return self.logic(i);
        }
        match (to, from) {
            (_, Operand::Special(register))
                if constant_special(*register).is_none()
                    && *register != ptx::SpecialRegister::WarpSize =>
            {
                self.changing(to, *register)
            }
            (Operand::Vector(parts), whole) => self.unpack(parts, whole, ty),
            (whole, Operand::Vector(parts)) => self.pack(whole, parts, ty),
            (_, Operand::Name(name)) | (_, Operand::Offset(name, _))
                if self.is_frame_variable(name) =>
            {
                let offset = if let Operand::Offset(_, offset) = from {
                    *offset
                } else {
                    0
                };
                self.frame_address(to, name, offset, 0)
            }
            _ => {
                let bytes = register_bytes(ty);
                let a = self.src(from, ty)?;
                let d = self.dst(to, bytes)?;
                Ok(Op {
                    a,
                    ..Op::new(misc::copy(self.level, bytes))
                }
                .to(d, bytes))
            }
        }
    }

    /// Whether a name is a variable whose address depends on the call depth.
    fn is_frame_variable(&self, name: &str) -> bool {
        let found = self.names.find(self.scope, name);
        let in_frame = |space: StateSpace| matches!(space, StateSpace::Local | StateSpace::Param);
        !self.is_entry
            && matches!(found, Some((_, Named::Variable { space, .. })) if in_frame(space))
    }

    fn frame_address(
        &mut self,
        to: &Operand,
        name: &str,
        offset: i64,
        base: u64,
    ) -> Result<Op, String> {
        let Some((key, Named::Variable { bytes, align, .. })) = self.names.find(self.scope, name)
        else {
            return Err(format!("`{name}` is not declared"));
        };
        let at = self.frame.local(&key, bytes, align)?;
        let reg = self.register(to)?;
        let pair = match reg.bytes {
            4 => misc::local_address(|x| x as u32),
            8 => misc::local_address(|x| x),
            _ => return Err("an address needs 32 or 64 bits".to_owned()),
        };
        let imm = u64::from(at).wrapping_add(offset as u64).wrapping_add(base);
        Ok(Op::new(pair).to(reg.offset, reg.bytes).imm(imm))
    }

    /// Special registers that change: clocks and timers. A step of the emulator counts as a cycle
    /// and as a nanosecond.
    fn changing(&mut self, to: &Operand, register: SpecialRegister) -> Result<Op, String> {
        use SpecialRegister as R;
        let (bytes, pair) = match register {
            R::Clock | R::GlobaltimerLo => (4, misc::clock(|t| t as u32)),
            R::ClockHi | R::GlobaltimerHi => (4, misc::clock(|t| (t >> 32) as u32)),
            R::Clock64 | R::Globaltimer => (8, misc::clock(|t| t)),
            other => return Err(format!("the special register {other} is not supported")),
        };
        let d = self.dst(to, bytes)?;
        Ok(Op::new(pair).to(d, bytes))
    }

    fn unpack(&mut self, parts: &[Operand], whole: &Operand, ty: T) -> Result<Op, String> {
        let bytes = ty.bytes() / parts.len().max(1) as u32;
        let a = self.src(whole, ty)?;
        let mut ops = Vec::new();
        for (k, part) in parts.iter().enumerate() {
            if *part == Operand::Sink {
                continue;
            }
            let pair: Pair = match (ty.bytes(), bytes) {
                (2, 1) => each(|m, a: u16, (): (), (): ()| (a >> (8 * m)) & 0xff),
                (4, 1) => each(|m, a: u32, (): (), (): ()| (a >> (8 * m)) as u16 & 0xff),
                (4, 2) => with3(self.level, |m, a: u32, (): (), (): ()| {
                    (a >> (16 * m)) as u16
                }),
                (8, 2) => with3(self.level, |m, a: u64, (): (), (): ()| {
                    (a >> (16 * m)) as u16
                }),
                (8, 4) => with3(self.level, |m, a: u64, (): (), (): ()| {
                    (a >> (32 * m)) as u32
                }),
                (16, 8) => each(|m, a: u128, (): (), (): ()| (a >> (64 * m)) as u64),
                (16, 4) => each(|m, a: u128, (): (), (): ()| (a >> (32 * m)) as u32),
                _ => return Err(format!("{} parts of .{ty}", parts.len())),
            };
            let d = self.dst(part, bytes.max(2))?;
            ops.push(Op { a, ..Op::new(pair) }.to(d, bytes.max(2)).imm(k as u64));
        }
        // The source may be overwritten by no part but the last: parts are narrower registers.
        Ok(if ops.len() == 1 {
            ops[0]
        } else {
            self.sequence(&ops)
        })
    }

    fn pack(&mut self, whole: &Operand, parts: &[Operand], ty: T) -> Result<Op, String> {
        let bits = ty.bits() / parts.len().max(1) as u32;
        let part_ty = match bits {
            8 => T::B8,
            16 => T::B16,
            32 => T::B32,
            64 => T::B64,
            _ => return Err(format!("{} parts of .{ty}", parts.len())),
        };
        let sources = parts
            .iter()
            .map(|part| self.src(part, part_ty))
            .collect::<Result<Vec<_>, String>>()?;
        let bytes = register_bytes(ty);
        let d = self.dst(whole, bytes)?;
        let l = self.level;
        let op = match (ty.bytes(), sources.as_slice()) {
            (4, &[a, b]) => {
                let pair = with3(l, |_, a: u16, b: u16, (): ()| {
                    u32::from(b) << 16 | u32::from(a)
                });
                Op {
                    a,
                    b,
                    ..Op::new(pair)
                }
                .to(d, bytes)
            }
            (8, &[a, b]) => {
                let pair = with3(l, |_, a: u32, b: u32, (): ()| {
                    u64::from(b) << 32 | u64::from(a)
                });
                Op {
                    a,
                    b,
                    ..Op::new(pair)
                }
                .to(d, bytes)
            }
            (16, &[a, b]) => {
                let pair = each(|_, a: u64, b: u64, (): ()| u128::from(b) << 64 | u128::from(a));
                Op {
                    a,
                    b,
                    ..Op::new(pair)
                }
                .to(d, bytes)
            }
            (2, &[a, b]) => {
                let pair = each(|_, a: u16, b: u16, (): ()| b << 8 | a & 0xff);
                Op {
                    a,
                    b,
                    ..Op::new(pair)
                }
                .to(d, bytes)
            }
            _ => {
                // Four parts: one after the other into a scratch register, then a move.
                let scratch = self.frame.room(bytes, 1);
                let mut ops = Vec::new();
                for (k, &b) in sources.iter().enumerate() {
                    let pair: Pair = match (ty.bytes(), bits) {
                        (4, 8) => {
                            each(|m, a: u32, b: u16, (): ()| merge(m, a.into(), b.into(), 8) as u32)
                        }
                        (8, 16) => each(|m, a: u64, b: u16, (): ()| {
                            merge(m, a.into(), b.into(), 16) as u64
                        }),
                        (16, 32) => each(|m, a: u128, b: u32, (): ()| merge(m, a, b.into(), 32)),
                        _ => return Err(format!("{} parts of .{ty}", parts.len())),
                    };
                    let step = Op {
                        a: scratch,
                        b,
                        ..Op::new(pair)
                    };
                    ops.push(step.to(scratch, bytes).imm(k as u64));
                }
                ops.push(
                    Op {
                        a: scratch,
                        ..Op::new(misc::copy(l, bytes))
                    }
                    .to(d, bytes),
                );
                let op = self.sequence(&ops);
                Op { d, ..op }
            }
        };
        Ok(op)
    }

    /// `cvta`.
    pub(crate) fn cvta(&mut self, i: &Instruction) -> Result<Op, String> {
        let ty = self.ty(i, 0)?;
        let space = space_of(i.space().ok_or("the state space is missing")?)?;
        let base = if i.has(Flag::To) {
            space.base().wrapping_neg()
        } else {
            space.base()
        };
        let from = self.operand(i, 1)?;
        if let Operand::Name(name) = from
            && self.is_frame_variable(name)
        {
            return self.frame_address(self.operand(i, 0)?, name, 0, base);
        }
        match ty.bits() {
            64 => {
                let pair = if base == 0 {
                    map1(self.level, |a: u64| a)
                } else {
                    with3(self.level, |m, a: u64, (): (), (): ()| a.wrapping_add(m))
                };
                Ok(self.op1(i, pair, [T::U64; 2])?.imm(base))
            }
            _ if base == 0 => self.op1(i, map1(self.level, |a: u32| a), [T::U32; 2]),
            _ => Err("32-bit generic addresses of this space".to_owned()),
        }
    }

    /// `isspacep` (PTX ISA 9.7.9.19).
    pub(crate) fn isspacep(&mut self, i: &Instruction) -> Result<Op, String> {
        let space = i.space().ok_or("the state space is missing")?;
        let pair: Pair = match space.base() {
            StateSpace::Shared => each_test(|_, a: u64, _| Space::of(a) == Space::Shared),
            StateSpace::Local => each_test(|_, a: u64, _| Space::of(a) == Space::Local),
            StateSpace::Param => each_test(|_, a: u64, _| Space::of(a) == Space::Param),
            // The parameters' window lies inside that of global memory, by the ISA.
            StateSpace::Global => misc::in_memory(|a, constant| {
                Space::of(a) == Space::Param || (a < window::FIRST && !constant)
            }),
            StateSpace::Const => misc::in_memory(|_, constant| constant),
            other => return Err(format!("isspacep.{other}")),
        };
        let d = self.dst(self.operand(i, 0)?, 0)?;
        let operand = self.operand(i, 1)?;
        let (a, widen) = match self.src(operand, T::U64) {
            Ok(a) => (a, None),
            Err(_) => self.widened(operand)?,
        };
        let test = Op {
            a,
            b: a,
            ..Op::new(pair)
        };
        let parts: Vec<Op> = widen.into_iter().chain([test.to(d, 0)]).collect();
        Ok(match parts[..] {
            [single] => single,
            _ => self.sequence(&parts).to(d, 0),
        })
    }
}
