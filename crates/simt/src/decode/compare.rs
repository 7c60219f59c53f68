//! Comparison and selection.

use super::function::{Decoder, Op};
use crate::code::NONE;
use crate::exec::lanes::{Pair, compare, each, each_test, masks, select};
use crate::exec::misc;
use crate::ops::float::{self, TestProperty, flush};
use crate::ops::narrow::Half;
use ptx::modifier::{Compare, Flag, FloatClass, Operation};
use ptx::{Instruction, Operand, ScalarType as T};

/// The comparisons of numbers; the unordered ones of floats come on top.
macro_rules! ordered {
    ($op:expr, $l:expr, $n:ty) => {
        match $op {
            Compare::Eq => compare($l, |a: $n, b: $n| a == b),
            Compare::Ne => compare($l, |a: $n, b: $n| a != b),
            Compare::Lt | Compare::Lo => compare($l, |a: $n, b: $n| a < b),
            Compare::Le | Compare::Ls => compare($l, |a: $n, b: $n| a <= b),
            Compare::Gt | Compare::Hi => compare($l, |a: $n, b: $n| a > b),
            Compare::Ge | Compare::Hs => compare($l, |a: $n, b: $n| a >= b),
            other => return Err(format!("the comparison .{other} of integers")),
        }
    };
}

macro_rules! floats {
    ($op:expr, $l:expr, $n:ty, $f:expr) => {
        match $op {
            Compare::Eq => compare($l, |a: $n, b: $n| $f(a) == $f(b)),
            // `ne` is false for NaN, unlike Rust's `!=`.
            Compare::Ne => compare($l, |a: $n, b: $n| $f(a) < $f(b) || $f(a) > $f(b)),
            Compare::Lt => compare($l, |a: $n, b: $n| $f(a) < $f(b)),
            Compare::Le => compare($l, |a: $n, b: $n| $f(a) <= $f(b)),
            Compare::Gt => compare($l, |a: $n, b: $n| $f(a) > $f(b)),
            Compare::Ge => compare($l, |a: $n, b: $n| $f(a) >= $f(b)),
            Compare::Equ => compare($l, |a: $n, b: $n| !($f(a) < $f(b) || $f(a) > $f(b))),
            Compare::Neu => compare($l, |a: $n, b: $n| $f(a) != $f(b)),
            Compare::Ltu => compare($l, |a: $n, b: $n| !($f(a) >= $f(b))),
            Compare::Leu => compare($l, |a: $n, b: $n| !($f(a) > $f(b))),
            Compare::Gtu => compare($l, |a: $n, b: $n| !($f(a) <= $f(b))),
            Compare::Geu => compare($l, |a: $n, b: $n| !($f(a) < $f(b))),
            Compare::Num => compare($l, |a: $n, b: $n| !a.is_nan() && !b.is_nan()),
            Compare::Nan => compare($l, |a: $n, b: $n| a.is_nan() || b.is_nan()),
            other => return Err(format!("the comparison .{other} of floats")),
        }
    };
}

/// A comparison of floats as a number for the rare types.
fn float_test(op: Compare) -> u64 {
    Compare::ALL
        .iter()
        .position(|&other| other == op)
        .unwrap_or(0) as u64
}

fn test(code: u64, a: f32, b: f32) -> bool {
    let unordered = a.is_nan() || b.is_nan();
    match Compare::ALL.get(code as usize) {
        Some(Compare::Eq) => a == b,
        Some(Compare::Ne) => !unordered && a != b,
        Some(Compare::Lt) => a < b,
        Some(Compare::Le) => a <= b,
        Some(Compare::Gt) => a > b,
        Some(Compare::Ge) => a >= b,
        Some(Compare::Equ) => unordered || a == b,
        Some(Compare::Neu) => a != b,
        Some(Compare::Ltu) => unordered || a < b,
        Some(Compare::Leu) => unordered || a <= b,
        Some(Compare::Gtu) => unordered || a > b,
        Some(Compare::Geu) => unordered || a >= b,
        Some(Compare::Num) => !unordered,
        _ => unordered,
    }
}

/// `result op c` as an operation on predicates `a` and `b`, for a mode of
/// [`Decoder::combination`].
fn combination_of(mode: u64) -> Result<Pair, String> {
    Ok(match mode {
        0 => masks(|a, b, _| a & b),
        1 => masks(|a, b, _| a | b),
        2 => masks(|a, b, _| a ^ b),
        3 => masks(|a, _, _| a),
        4 => masks(|a, b, _| a & !b),
        5 => masks(|a, b, _| a | !b),
        6 => masks(|a, b, _| a ^ !b),
        _ => return Err("the combination is not understood".to_owned()),
    })
}

/// Tests of the low and of the high half of packed values.
fn halves_tests(ty: T) -> [Pair; 2] {
    fn high(word: u32) -> u16 {
        (word >> 16) as u16
    }
    if ty == T::F16x2 {
        [
            each_test(|m, a: u32, b: u32| half_test(Half::F16, m, a as u16, b as u16)),
            each_test(|m, a: u32, b: u32| half_test(Half::F16, m, high(a), high(b))),
        ]
    } else {
        [
            each_test(|m, a: u32, b: u32| half_test(Half::Bf16, m, a as u16, b as u16)),
            each_test(|m, a: u32, b: u32| half_test(Half::Bf16, m, high(a), high(b))),
        ]
    }
}

impl Decoder<'_> {
    /// The comparison of an instruction on a type.
    #[allow(
        clippy::neg_cmp_op_on_partial_ord,
        reason = "unordered comparisons are negated ones"
    )]
    fn comparison(&mut self, op: Compare, ty: T, ftz: bool) -> Result<(Pair, u64), String> {
        let l = self.level;
        let pair = match ty {
            T::U16 | T::B16 => ordered!(op, l, u16),
            T::S16 => ordered!(op, l, i16),
            T::U32 | T::B32 => ordered!(op, l, u32),
            T::S32 => ordered!(op, l, i32),
            T::U64 | T::B64 => ordered!(op, l, u64),
            T::S64 => ordered!(op, l, i64),
            T::F32 if ftz => floats!(op, l, f32, flush),
            T::F32 => floats!(op, l, f32, |x: f32| x),
            T::F64 => floats!(op, l, f64, |x: f64| x),
            T::F16 => {
                let code = float_test(op) | u64::from(ftz) << 32;
                let pair = each_test(|m, a: u16, b: u16| half_test(Half::F16, m, a, b));
                return Ok((pair, code));
            }
            T::Bf16 => {
                let pair = each_test(|m, a: u16, b: u16| half_test(Half::Bf16, m, a, b));
                return Ok((pair, float_test(op)));
            }
            other => return Err(format!("a comparison of .{other}")),
        };
        Ok((pair, 0))
    }

    /// How `setp` and `set` combine: bits 0 and 1 the operation, bit 2 negates, and the operand.
    fn combination(&mut self, i: &Instruction) -> Result<(u64, u32), String> {
        let code = match i.operation() {
            None => return Ok((3, 0)),
            Some(Operation::And) => 0,
            Some(Operation::Or) => 1,
            Some(Operation::Xor) => 2,
            Some(other) => return Err(format!("the combination .{other}")),
        };
        let c = self.predicate(self.operand(i, 3)?)?;
        Ok((code | u64::from(c.negated) << 2, c.predicate))
    }

    /// `setp`.
    pub(crate) fn setp(&mut self, i: &Instruction) -> Result<Op, String> {
        let ty = self.ty(i, 0)?;
        let op = i.compare().ok_or("the comparison is missing")?;
        if matches!(ty, T::F16x2 | T::Bf16x2) {
            return self.setp_halves(i, ty, op);
        }
        let (pair, code) = self.comparison(op, ty, i.has(Flag::Ftz))?;
        let a = self.src(self.operand(i, 1)?, ty)?;
        let b = self.src(self.operand(i, 2)?, ty)?;
        let first = Op {
            a,
            b,
            ..Op::new(pair)
        }
        .imm(code);
        let (mode, c) = self.combination(i)?;
        let (p, q) = self.two_predicates(self.operand(i, 0)?)?;
        if mode == 3 && q == NONE {
            return Ok(first.to(p, 0));
        }
        let result = self.frame.room(0, 1);
        let inner = self
            .kernel
            .inner(super::function::place(first.to(result, 0), 0), None);
        let op = Op {
            a: result,
            b: q,
            c,
            ..Op::new(misc::setp())
        };
        Ok(op.to(p, 0).imm(inner | mode << 32))
    }

    /// `lop3.or` and `lop3.and`: `d|p`, with `p = (d ≠ 0) op q`.
    pub(crate) fn lop3_with_predicate(
        &mut self,
        i: &Instruction,
        pair: Pair,
        lut: u64,
    ) -> Result<Op, String> {
        let Operand::Pair(results) = self.operand(i, 0)? else {
            return Err("two results, `d|p`, are wanted".to_owned());
        };
        let (d, p) = (self.dst(&results[0], 4)?, self.dst(&results[1], 0)?);
        let mut sources = [0; 3];
        for (k, source) in sources.iter_mut().enumerate() {
            *source = self.src(self.operand(i, k + 1)?, T::B32)?;
        }
        let q = self.predicate(self.operand(i, 5)?)?;
        let operation = match i.operation() {
            Some(Operation::Or) => 1,
            _ => 0,
        };
        let combine = combination_of(operation | u64::from(q.negated) << 2)?;
        let [a, b, c] = sources;
        let test = self.frame.room(0, 1);
        let first = Op {
            a,
            b,
            c,
            ..Op::new(pair)
        };
        let nonzero = Op {
            a: d,
            b: d,
            ..Op::new(each_test(|_, a: u32, _| a != 0))
        };
        let last = Op {
            a: test,
            b: q.predicate,
            ..Op::new(combine)
        };
        let parts = [first.imm(lut).to(d, 4), nonzero.to(test, 0), last.to(p, 0)];
        let op = self.sequence(&parts);
        Ok(op.to(d, 4))
    }

    /// `setp` on packed halves: a predicate for each.
    fn setp_halves(&mut self, i: &Instruction, ty: T, op: Compare) -> Result<Op, String> {
        let a = self.src(self.operand(i, 1)?, ty)?;
        let b = self.src(self.operand(i, 2)?, ty)?;
        let (p, q) = self.two_predicates(self.operand(i, 0)?)?;
        let code = float_test(op) | u64::from(i.has(Flag::Ftz)) << 32;
        let (mode, c) = self.combination(i)?;
        let combine = combination_of(mode)?;
        // All is computed before anything is written: `c` may be one of the results.
        let rooms = [self.frame.room(0, 1), self.frame.room(0, 1)];
        let mut parts = Vec::new();
        for (test, room) in halves_tests(ty).into_iter().zip(rooms) {
            let test = Op {
                a,
                b,
                ..Op::new(test)
            };
            parts.push(test.to(room, 0).imm(code));
            let combined = Op {
                a: room,
                b: c,
                ..Op::new(combine)
            };
            parts.push(combined.to(room, 0));
        }
        for (room, result) in rooms.into_iter().zip([p, q]) {
            if result != NONE {
                let copy = Op {
                    a: room,
                    ..Op::new(masks(|a, _, _| a))
                };
                parts.push(copy.to(result, 0));
            }
        }
        let op = self.sequence(&parts);
        Ok(op.to(p, 0))
    }

    /// Several operations as one instruction.
    pub(crate) fn sequence(&mut self, parts: &[Op]) -> Op {
        let first = self.kernel.guarded.len() as u64;
        for part in parts {
            self.kernel.inner(super::function::place(*part, 0), None);
        }
        let op = Op {
            a: parts.len() as u32,
            ..Op::new(misc::sequence())
        }
        .imm(first);
        Op {
            d: parts.first().map_or(0, |p| p.d),
            width: parts.first().and_then(|p| p.width),
            ..op
        }
    }

    /// One or two predicate results.
    pub(crate) fn two_predicates(&mut self, operand: &Operand) -> Result<(u32, u32), String> {
        match operand {
            Operand::Pair(pair) => {
                let p = self.dst(&pair[0], 0)?;
                let q = if pair[1] == Operand::Sink {
                    NONE
                } else {
                    self.dst(&pair[1], 0)?
                };
                Ok((p, q))
            }
            other => Ok((self.dst(other, 0)?, NONE)),
        }
    }

    /// `set`.
    pub(crate) fn set(&mut self, i: &Instruction) -> Result<Op, String> {
        let (d, ty) = (self.ty(i, 0)?, self.ty(i, 1)?);
        let op = i.compare().ok_or("the comparison is missing")?;
        let bytes = super::operands::register_bytes(d);
        let destination = self.dst(self.operand(i, 0)?, bytes)?;
        let yes = match d {
            T::F32 => 1f32.to_bits(),
            T::F16 | T::F16x2 => 0x3c00,
            T::Bf16 | T::Bf16x2 => 0x3f80,
            T::U16 | T::S16 => 0xffff,
            T::U32 | T::S32 if ty.lanes() == 2 => 0xffff,
            T::U32 | T::S32 => u32::MAX,
            _ => return Err(format!("set.{d}.{ty}")),
        };
        if ty.lanes() == 1 {
            let (pair, code) = self.comparison(op, ty, i.has(Flag::Ftz))?;
            return self.set_one(i, (pair, code), yes, (destination, bytes));
        }
        // Packed halves: each by itself, then both together.
        let code = float_test(op) | u64::from(i.has(Flag::Ftz)) << 32;
        let (low, high) = (self.frame.room(4, 1), self.frame.room(4, 1));
        let [low_test, high_test] = halves_tests(ty);
        let first = self.set_one(i, (low_test, code), yes, (low, 4))?;
        let second = self.set_one(i, (high_test, code), yes << 16, (high, 4))?;
        let both = Op {
            a: low,
            b: high,
            ..Op::new(each(|_, a: u32, b: u32, (): ()| a | b))
        };
        let parts = [first, second, both.to(destination, 4)];
        let op = self.sequence(&parts);
        Ok(op.to(destination, 4))
    }

    /// One comparison of `set`, which puts `yes` or zero into a register of so many bytes.
    fn set_one(
        &mut self,
        i: &Instruction,
        (pair, code): (Pair, u64),
        yes: u32,
        (destination, bytes): (u32, u32),
    ) -> Result<Op, String> {
        let ty = self.ty(i, 1)?;
        let a = self.src(self.operand(i, 1)?, ty)?;
        let b = self.src(self.operand(i, 2)?, ty)?;
        let result = self.frame.room(0, 1);
        let test = Op {
            a,
            b,
            ..Op::new(pair)
        };
        let test = test.imm(code).to(result, 0);
        let (mode, c) = self.combination(i)?;
        let inner = self.kernel.inner(super::function::place(test, 0), None);
        let set = match bytes {
            2 => misc::set::<u16>(),
            _ => misc::set::<u32>(),
        };
        let op = Op {
            a: result,
            b: yes,
            c,
            ..Op::new(set)
        };
        Ok(op.to(destination, bytes).imm(inner | mode << 32))
    }

    /// `selp`.
    pub(crate) fn selp(&mut self, i: &Instruction) -> Result<Op, String> {
        let ty = self.ty(i, 0)?;
        let l = self.level;
        let p = self.predicate(self.operand(i, 3)?)?;
        let (first, second) = if p.negated { (2, 1) } else { (1, 2) };
        let a = self.src(self.operand(i, first)?, ty)?;
        let b = self.src(self.operand(i, second)?, ty)?;
        let bytes = super::operands::register_bytes(ty);
        let d = self.dst(self.operand(i, 0)?, bytes)?;
        let pair = match bytes {
            2 => select(l, |a: u16| a),
            4 => select(l, |a: u32| a),
            8 => select(l, |a: u64| a),
            16 => select(l, |a: u128| a),
            _ => return Err(format!("selp.{ty}")),
        };
        Ok(Op {
            a,
            b,
            c: p.predicate,
            ..Op::new(pair)
        }
        .to(d, bytes))
    }

    /// `slct`: `c ≥ 0 ? a : b`.
    pub(crate) fn slct(&mut self, i: &Instruction) -> Result<Op, String> {
        let (ty, by) = (self.ty(i, 0)?, self.ty(i, 1)?);
        let ftz = u64::from(i.has(Flag::Ftz));
        let pair: Pair = match (ty.bits(), by) {
            (16, T::S32) => each(|_, a: u16, b: u16, c: i32| if c >= 0 { a } else { b }),
            (32, T::S32) => each(|_, a: u32, b: u32, c: i32| if c >= 0 { a } else { b }),
            (64, T::S32) => each(|_, a: u64, b: u64, c: i32| if c >= 0 { a } else { b }),
            // NaN selects b; a flushed subnormal is −0, which is not below 0.
            (16, T::F32) => each(|m, a: u16, b: u16, c: f32| if at_least(m, c) { a } else { b }),
            (32, T::F32) => each(|m, a: u32, b: u32, c: f32| if at_least(m, c) { a } else { b }),
            (64, T::F32) => each(|m, a: u64, b: u64, c: f32| if at_least(m, c) { a } else { b }),
            _ => return Err(format!("slct.{ty}.{by}")),
        };
        Ok(self.op3(i, pair, [ty, ty, ty, by])?.imm(ftz))
    }

    /// `testp`.
    pub(crate) fn testp(&mut self, i: &Instruction) -> Result<Op, String> {
        let ty = self.ty(i, 0)?;
        let code = match i.class() {
            Some(FloatClass::Finite) => 0,
            Some(FloatClass::Infinite) => 1,
            Some(FloatClass::Number) => 2,
            Some(FloatClass::Notanumber) => 3,
            Some(FloatClass::Normal) => 4,
            Some(FloatClass::Subnormal) => 5,
            _ => return Err("the property is missing".to_owned()),
        };
        let pair: Pair = match ty {
            T::F32 => each_test(|m, a: f32, _| float::testp(a.classify(), property(m))),
            T::F64 => each_test(|m, a: f64, _| float::testp(a.classify(), property(m))),
            other => return Err(format!("testp on .{other}")),
        };
        let a = self.src(self.operand(i, 1)?, ty)?;
        let d = self.dst(self.operand(i, 0)?, 0)?;
        Ok(Op {
            a,
            b: a,
            ..Op::new(pair)
        }
        .to(d, 0)
        .imm(code))
    }
}

fn at_least(ftz: u64, c: f32) -> bool {
    (if ftz != 0 { flush(c) } else { c }) >= 0.0
}

fn property(code: u64) -> TestProperty {
    match code {
        0 => TestProperty::Finite,
        1 => TestProperty::Infinite,
        2 => TestProperty::Number,
        3 => TestProperty::NotANumber,
        4 => TestProperty::Normal,
        _ => TestProperty::Subnormal,
    }
}

fn half_test(half: Half, mode: u64, a: u16, b: u16) -> bool {
    let prepare = |x: u16| half.widen(if mode >> 32 != 0 { half.flush(x) } else { x });
    test(mode & 0xffff_ffff, prepare(a), prepare(b))
}
