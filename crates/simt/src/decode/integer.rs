//! Integer arithmetic, logic, shifts and bit fields.

use super::function::{Decoder, Op};
use crate::exec::lanes::{Pair, each, map1, map2, map3, masks, with3};
use crate::exec::misc;
use crate::ops::bits::{self, Permute};
use crate::ops::int;
use ptx::modifier::{Flag, Part, PermuteMode};
use ptx::{Instruction, Opcode, ScalarType as T};

/// Instances of a driver for the integer types.
macro_rules! by_type {
    ($ty:expr, $types:ident, $make:expr) => {
        match $ty {
            T::U16 => {
                type $types = u16;
                $make
            }
            T::S16 => {
                type $types = i16;
                $make
            }
            T::U32 => {
                type $types = u32;
                $make
            }
            T::S32 => {
                type $types = i32;
                $make
            }
            T::U64 => {
                type $types = u64;
                $make
            }
            T::S64 => {
                type $types = i64;
                $make
            }
            other => return Err(format!("the type .{other} is not supported here")),
        }
    };
}

/// Instances by width alone, the integers being unsigned.
macro_rules! by_width {
    ($ty:expr, $types:ident, $make:expr) => {
        match $ty.bits() {
            16 => {
                type $types = u16;
                $make
            }
            32 => {
                type $types = u32;
                $make
            }
            64 => {
                type $types = u64;
                $make
            }
            _ => return Err(format!("the type .{} is not supported here", $ty)),
        }
    };
}

/// A packed operation on the two halves of a word.
fn halves16(f: impl Fn(u16, u16) -> u16, a: u32, b: u32) -> u32 {
    crate::ops::narrow::both(a, b, f)
}

impl Decoder<'_> {
    /// `add`, `sub`, `mul`, `mad` and the like on integers.
    pub(crate) fn integer(&mut self, i: &Instruction) -> Result<Op, String> {
        use Opcode as O;
        let l = self.level;
        let ty = self.ty(i, 0)?;
        let same2 = [ty; 3];
        if i.has(Flag::Cc) || matches!(i.opcode, O::Addc | O::Subc | O::Madc) {
            return self.with_carry(i, ty);
        }
        match i.opcode {
            O::Add | O::Sub => self.sum(i, ty),
            O::Mul | O::Mad => self.product(i, ty),
            O::Mul24 | O::Mad24 => self.product24(i, ty),
            O::Sad => {
                let pair = by_type!(ty, N, each(|_, a: N, b: N, c: N| int::sad(a, b, c)));
                self.op3(i, pair, [ty; 4])
            }
            O::Div => {
                let pair = by_type!(
                    ty,
                    N,
                    each(|_, a: N, b: N, (): ()| { if b == 0 { !0 } else { a.wrapping_div(b) } })
                );
                self.note_divisor(i, ty)?;
                self.op2(i, pair, same2)
            }
            O::Rem => {
                let pair = by_type!(
                    ty,
                    N,
                    each(|_, a: N, b: N, (): ()| { if b == 0 { a } else { a.wrapping_rem(b) } })
                );
                self.note_divisor(i, ty)?;
                self.op2(i, pair, same2)
            }
            O::Abs => {
                let pair = match ty {
                    T::S16 => map1(l, |a: i16| a.wrapping_abs()),
                    T::S32 => map1(l, |a: i32| a.wrapping_abs()),
                    T::S64 => map1(l, |a: i64| a.wrapping_abs()),
                    other => return Err(format!("the type .{other} is not supported here")),
                };
                self.op1(i, pair, [ty; 2])
            }
            O::Neg => {
                let pair = by_width!(ty, N, map1(l, |a: N| a.wrapping_neg()));
                self.op1(i, pair, [ty; 2])
            }
            O::Min | O::Max => self.extremum(i, ty),
            _ => self.counting(i, ty),
        }
    }

    fn sum(&mut self, i: &Instruction, ty: T) -> Result<Op, String> {
        let l = self.level;
        let add = i.opcode == Opcode::Add;
        let pair = match (ty, add, i.has(Flag::Sat)) {
            (T::S32, true, true) => map2(l, |a: i32, b: i32| a.saturating_add(b)),
            (T::S32, false, true) => map2(l, |a: i32, b: i32| a.saturating_sub(b)),
            (_, _, true) => return Err(format!(".sat on .{ty}")),
            (T::U16x2 | T::S16x2, true, _) => {
                map2(l, |a: u32, b: u32| halves16(u16::wrapping_add, a, b))
            }
            (_, true, _) => by_width!(ty, N, map2(l, |a: N, b: N| a.wrapping_add(b))),
            (_, false, _) => by_width!(ty, N, map2(l, |a: N, b: N| a.wrapping_sub(b))),
        };
        self.op2(i, pair, [ty; 3])
    }

    fn product(&mut self, i: &Instruction, ty: T) -> Result<Op, String> {
        let l = self.level;
        let mad = i.opcode == Opcode::Mad;
        match (i.part(), mad) {
            (Some(Part::Lo) | None, false) => {
                let pair = by_width!(ty, N, map2(l, |a: N, b: N| a.wrapping_mul(b)));
                self.op2(i, pair, [ty; 3])
            }
            (Some(Part::Lo) | None, true) => {
                let pair = by_width!(
                    ty,
                    N,
                    map3(l, |a: N, b: N, c: N| { a.wrapping_mul(b).wrapping_add(c) })
                );
                self.op3(i, pair, [ty; 4])
            }
            (Some(Part::Hi), false) => {
                let pair = match ty {
                    T::U32 => map2(l, |a: u32, b: u32| {
                        ((u64::from(a) * u64::from(b)) >> 32) as u32
                    }),
                    T::S32 => map2(l, |a: i32, b: i32| {
                        ((i64::from(a) * i64::from(b)) >> 32) as i32
                    }),
                    _ => by_type!(ty, N, each(|_, a: N, b: N, (): ()| int::mul_hi(a, b))),
                };
                self.op2(i, pair, [ty; 3])
            }
            (Some(Part::Hi), true) => {
                let pair = if i.has(Flag::Sat) {
                    each(|_, a: i32, b: i32, c: i32| int::mad_hi_sat(a, b, c))
                } else {
                    by_type!(
                        ty,
                        N,
                        each(|_, a: N, b: N, c: N| int::mul_hi(a, b).wrapping_add(c))
                    )
                };
                self.op3(i, pair, [ty; 4])
            }
            (Some(Part::Wide), mad) => self.wide(i, ty, mad),
            _ => Err("the part of the product is not supported".to_owned()),
        }
    }

    fn wide(&mut self, i: &Instruction, ty: T, mad: bool) -> Result<Op, String> {
        let l = self.level;
        let (wide, pair) = match (ty, mad) {
            (T::U16, false) => (
                T::U32,
                map2(l, |a: u16, b: u16| u32::from(a) * u32::from(b)),
            ),
            (T::S16, false) => (
                T::S32,
                map2(l, |a: i16, b: i16| i32::from(a) * i32::from(b)),
            ),
            (T::U32, false) => (
                T::U64,
                map2(l, |a: u32, b: u32| u64::from(a) * u64::from(b)),
            ),
            (T::S32, false) => (
                T::S64,
                map2(l, |a: i32, b: i32| i64::from(a) * i64::from(b)),
            ),
            (T::U16, true) => (
                T::U32,
                map3(l, |a: u16, b: u16, c: u32| {
                    (u32::from(a) * u32::from(b)).wrapping_add(c)
                }),
            ),
            (T::S16, true) => (
                T::S32,
                map3(l, |a: i16, b: i16, c: i32| {
                    (i32::from(a) * i32::from(b)).wrapping_add(c)
                }),
            ),
            (T::U32, true) => (
                T::U64,
                map3(l, |a: u32, b: u32, c: u64| {
                    (u64::from(a) * u64::from(b)).wrapping_add(c)
                }),
            ),
            (T::S32, true) => (
                T::S64,
                map3(l, |a: i32, b: i32, c: i64| {
                    (i64::from(a) * i64::from(b)).wrapping_add(c)
                }),
            ),
            (other, _) => return Err(format!(".wide of .{other}")),
        };
        if mad {
            self.op3(i, pair, [wide, ty, ty, wide])
        } else {
            self.op2(i, pair, [wide, ty, ty])
        }
    }

    fn product24(&mut self, i: &Instruction, ty: T) -> Result<Op, String> {
        let hi = i.part() == Some(Part::Hi);
        let sat = i.has(Flag::Sat);
        let pair = match (i.opcode == Opcode::Mad24, ty, hi) {
            (false, T::U32, false) => each(|_, a: u32, b: u32, (): ()| int::mul24_lo(a, b)),
            (false, T::U32, true) => each(|_, a: u32, b: u32, (): ()| int::mul24_hi(a, b)),
            (false, T::S32, false) => each(|_, a: i32, b: i32, (): ()| int::mul24_lo(a, b)),
            (false, T::S32, true) => each(|_, a: i32, b: i32, (): ()| int::mul24_hi(a, b)),
            (true, T::S32, true) if sat => {
                each(|_, a: i32, b: i32, c: i32| int::mul24_hi(a, b).saturating_add(c))
            }
            (true, T::U32, false) => {
                each(|_, a: u32, b: u32, c: u32| int::mul24_lo(a, b).wrapping_add(c))
            }
            (true, T::U32, true) => {
                each(|_, a: u32, b: u32, c: u32| int::mul24_hi(a, b).wrapping_add(c))
            }
            (true, T::S32, false) => {
                each(|_, a: i32, b: i32, c: i32| int::mul24_lo(a, b).wrapping_add(c))
            }
            (true, T::S32, true) => {
                each(|_, a: i32, b: i32, c: i32| int::mul24_hi(a, b).wrapping_add(c))
            }
            (_, other, _) => return Err(format!("the type .{other} is not supported here")),
        };
        if i.opcode == Opcode::Mad24 {
            self.op3(i, pair, [ty; 4])
        } else {
            self.op2(i, pair, [ty; 3])
        }
    }

    fn with_carry(&mut self, i: &Instruction, ty: T) -> Result<Op, String> {
        self.kernel.unfollowed = true;
        let flags = match self.carry {
            Some(flags) => flags,
            None => *self.carry.insert(self.frame.room(0, 1)),
        };
        let reads = matches!(i.opcode, Opcode::Addc | Opcode::Subc | Opcode::Madc);
        let subtracts = matches!(i.opcode, Opcode::Sub | Opcode::Subc);
        let mode = u64::from(subtracts) | u64::from(reads) << 1 | u64::from(i.has(Flag::Cc)) << 2;
        if matches!(i.opcode, Opcode::Mad | Opcode::Madc) {
            let high = u64::from(i.part() == Some(Part::Hi));
            let pair = by_type!(ty, N, misc::mad_carry::<N>());
            let op = self.op3(i, pair, [ty; 4])?;
            return Ok(op.imm(mode | high << 3 | u64::from(flags) << 32));
        }
        let pair = by_width!(ty, N, misc::carry::<N>());
        let op = self.op2(i, pair, [ty; 3])?;
        Ok(Op { c: flags, ..op }.imm(mode))
    }

    fn extremum(&mut self, i: &Instruction, ty: T) -> Result<Op, String> {
        let l = self.level;
        let relu = i.has(Flag::Relu);
        let pair = match (ty, i.opcode == Opcode::Min, relu) {
            (T::U16x2, true, _) => map2(l, |a: u32, b: u32| halves16(u16::min, a, b)),
            (T::U16x2, false, _) => map2(l, |a: u32, b: u32| halves16(u16::max, a, b)),
            (T::S16x2, true, false) => map2(l, |a: u32, b: u32| {
                halves16(|x, y| (x as i16).min(y as i16) as u16, a, b)
            }),
            (T::S16x2, false, false) => map2(l, |a: u32, b: u32| {
                halves16(|x, y| (x as i16).max(y as i16) as u16, a, b)
            }),
            (T::S16x2, true, true) => map2(l, |a: u32, b: u32| {
                halves16(|x, y| (x as i16).min(y as i16).max(0) as u16, a, b)
            }),
            (T::S16x2, false, true) => map2(l, |a: u32, b: u32| {
                halves16(|x, y| (x as i16).max(y as i16).max(0) as u16, a, b)
            }),
            (T::S32, true, true) => map2(l, |a: i32, b: i32| a.min(b).max(0)),
            (T::S32, false, true) => map2(l, |a: i32, b: i32| a.max(b).max(0)),
            (_, true, false) => by_type!(ty, N, map2(l, |a: N, b: N| if b < a { b } else { a })),
            (_, false, false) => by_type!(ty, N, map2(l, |a: N, b: N| if b > a { b } else { a })),
            (other, ..) => return Err(format!(".relu on .{other}")),
        };
        self.op2(i, pair, [ty; 3])
    }

    fn counting(&mut self, i: &Instruction, ty: T) -> Result<Op, String> {
        use Opcode as O;
        let l = self.level;
        let u32_from = [T::U32, ty];
        match i.opcode {
            O::Popc => {
                let pair = by_width!(ty, N, map1(l, |a: N| a.count_ones()));
                self.op1(i, pair, u32_from)
            }
            O::Clz => {
                let pair = by_width!(ty, N, map1(l, |a: N| a.leading_zeros()));
                self.op1(i, pair, u32_from)
            }
            O::Brev => {
                let pair = by_width!(ty, N, map1(l, |a: N| a.reverse_bits()));
                self.op1(i, pair, [ty; 2])
            }
            O::Bfind => {
                // `imm`: bit 0 signed, bit 1 shift amount.
                let pair = match ty.bits() {
                    32 => each(|m, a: u32, (): (), (): ()| {
                        bits::bfind(a.into(), 32, m & 1 != 0, m & 2 != 0)
                    }),
                    _ => {
                        each(|m, a: u64, (): (), (): ()| bits::bfind(a, 64, m & 1 != 0, m & 2 != 0))
                    }
                };
                let mode = u64::from(ty.is_signed()) | u64::from(i.has(Flag::Shiftamt)) << 1;
                Ok(self.op1(i, pair, u32_from)?.imm(mode))
            }
            O::Fns => {
                let pair = each(|_, a: u32, b: u32, c: i32| bits::fns(a, b, c));
                self.op3(i, pair, [T::B32, T::B32, T::B32, T::S32])
            }
            O::Bfe => {
                let signed = u64::from(ty.is_signed());
                let pair = match ty.bits() {
                    32 => with3(l, |m, a: u32, b: u32, c: u32| {
                        bits::bfe(a.into(), b, c, 32, m != 0) as u32
                    }),
                    _ => with3(l, |m, a: u64, b: u32, c: u32| {
                        bits::bfe(a, b, c, 64, m != 0)
                    }),
                };
                Ok(self.op3(i, pair, [ty, ty, T::U32, T::U32])?.imm(signed))
            }
            O::Bfi => self.insert_field(i, ty),
            O::Bmsk => {
                let wrap = u64::from(i.has(Flag::Wrap));
                let pair = with3(l, |m, a: u32, b: u32, (): ()| bits::bmsk(a, b, m != 0));
                Ok(self.op2(i, pair, [T::B32; 3])?.imm(wrap))
            }
            O::Szext => {
                let mode = u64::from(ty.is_signed()) | u64::from(i.has(Flag::Wrap)) << 1;
                let pair = with3(l, |m, a: u32, b: u32, (): ()| {
                    bits::szext(a, b, m & 1 != 0, m & 2 != 0)
                });
                Ok(self.op2(i, pair, [ty, ty, T::U32])?.imm(mode))
            }
            O::Dp4a | O::Dp2a => {
                let other = self.ty(i, 1)?;
                let upper = i.part() == Some(Part::Hi);
                let mode = u64::from(ty.is_signed())
                    | u64::from(other.is_signed()) << 1
                    | u64::from(upper) << 2;
                let pair = if i.opcode == O::Dp4a {
                    with3(l, |m, a: u32, b: u32, c: u32| {
                        int::dp4a(a, m & 1 != 0, b, m & 2 != 0, c)
                    })
                } else {
                    with3(l, |m, a: u32, b: u32, c: u32| {
                        int::dp2a(a, m & 1 != 0, b, m & 2 != 0, m & 4 != 0, c)
                    })
                };
                Ok(self.op3(i, pair, [T::B32; 4])?.imm(mode))
            }
            _ => Err("the instruction is not supported".to_owned()),
        }
    }

    /// `bfi d, a, b, pos, len`: the fifth operand goes by way of a second step.
    fn insert_field(&mut self, i: &Instruction, ty: T) -> Result<Op, String> {
        // The length lies at the offset in `imm`, relative to the frame: a driver of its own.
        let len = self.src(self.operand(i, 4)?, T::U32)?;
        let pair = if ty.bits() == 32 {
            misc::insert_field::<u32>()
        } else {
            misc::insert_field::<u64>()
        };
        Ok(self.op3(i, pair, [ty, ty, ty, T::U32])?.imm(len.into()))
    }

    /// `and`, `or`, `xor`, `not`, `cnot`, `lop3`, shifts, `prmt`.
    pub(crate) fn logic(&mut self, i: &Instruction) -> Result<Op, String> {
        use Opcode as O;
        let l = self.level;
        let ty = self.ty(i, 0)?;
        if ty == T::Pred {
            return self.predicate_logic(i);
        }
        match i.opcode {
            O::And => {
                let pair = by_width!(ty, N, map2(l, |a: N, b: N| a & b));
                self.op2(i, pair, [ty; 3])
            }
            O::Or => {
                let pair = by_width!(ty, N, map2(l, |a: N, b: N| a | b));
                self.op2(i, pair, [ty; 3])
            }
            O::Xor => {
                let pair = by_width!(ty, N, map2(l, |a: N, b: N| a ^ b));
                self.op2(i, pair, [ty; 3])
            }
            O::Not => {
                let pair = by_width!(ty, N, map1(l, |a: N| !a));
                self.op1(i, pair, [ty; 2])
            }
            O::Cnot => {
                let pair = by_width!(ty, N, map1(l, |a: N| N::from(a == 0)));
                self.op1(i, pair, [ty; 2])
            }
            O::Shl | O::Shr => self.shift(i, ty),
            O::Shf => {
                let wrap = u64::from(i.has(Flag::Wrap));
                let pair: Pair = if i.has(Flag::Left) {
                    with3(l, |m, a: u32, b: u32, c: u32| bits::shf_l(a, b, c, m != 0))
                } else {
                    with3(l, |m, a: u32, b: u32, c: u32| bits::shf_r(a, b, c, m != 0))
                };
                Ok(self.op3(i, pair, [T::B32; 4])?.imm(wrap))
            }
            O::Lop3 => {
                let lut = self.uniform_value(self.operand(i, 4)?);
                let lut = lut.ok_or("the table has to be a constant")?;
                let pair = with3(l, |m, a: u32, b: u32, c: u32| bits::lop3(a, b, c, m as u32));
                if i.operation().is_some() {
                    return self.lop3_with_predicate(i, pair, u64::from(lut & 0xff));
                }
                Ok(self.op3(i, pair, [T::B32; 4])?.imm(u64::from(lut & 0xff)))
            }
            O::Prmt => {
                let pair: Pair = match i.permute() {
                    None => with3(l, |_, a: u32, b: u32, c: u32| {
                        bits::prmt(a, b, c, Permute::Index)
                    }),
                    Some(PermuteMode::F4e) => {
                        each(|_, a: u32, b: u32, c: u32| bits::prmt(a, b, c, Permute::Forward4))
                    }
                    Some(PermuteMode::B4e) => {
                        each(|_, a: u32, b: u32, c: u32| bits::prmt(a, b, c, Permute::Backward4))
                    }
                    Some(PermuteMode::Rc8) => {
                        each(|_, a: u32, b: u32, c: u32| bits::prmt(a, b, c, Permute::Replicate8))
                    }
                    Some(PermuteMode::Ecl) => {
                        each(|_, a: u32, b: u32, c: u32| bits::prmt(a, b, c, Permute::ClampLeft))
                    }
                    Some(PermuteMode::Ecr) => {
                        each(|_, a: u32, b: u32, c: u32| bits::prmt(a, b, c, Permute::ClampRight))
                    }
                    Some(PermuteMode::Rc16) => {
                        each(|_, a: u32, b: u32, c: u32| bits::prmt(a, b, c, Permute::Replicate16))
                    }
                    Some(other) => return Err(format!("the mode .{other} is not supported")),
                };
                self.op3(i, pair, [T::B32; 4])
            }
            _ => Err("the instruction is not supported".to_owned()),
        }
    }

    fn shift(&mut self, i: &Instruction, ty: T) -> Result<Op, String> {
        let l = self.level;
        let pair = match (i.opcode == Opcode::Shl, ty.bits(), ty.is_signed()) {
            (true, 16, _) => map2(l, bits::shl16),
            (true, 32, _) => map2(l, |a: u32, b: u32| bits::shl32(a, b)),
            (true, 64, _) => map2(l, |a: u64, b: u32| bits::shl64(a, b)),
            (false, 16, false) => map2(l, |a: u16, b: u32| bits::shr16(a, b)),
            (false, 32, false) => map2(l, |a: u32, b: u32| bits::shr32(a, b)),
            (false, 64, false) => map2(l, |a: u64, b: u32| bits::shr64(a, b)),
            (false, 16, true) => map2(l, |a: i16, b: u32| bits::sar16(a, b)),
            (false, 32, true) => map2(l, |a: i32, b: u32| bits::sar32(a, b)),
            (false, 64, true) => map2(l, |a: i64, b: u32| bits::sar64(a, b)),
            _ => return Err(format!("the type .{ty} is not supported here")),
        };
        let op = self.op2(i, pair, [ty, ty, T::U32])?;
        Ok(self.note_shift(op, ty))
    }

    fn predicate_logic(&mut self, i: &Instruction) -> Result<Op, String> {
        use Opcode as O;
        let d = self.dst(self.operand(i, 0)?, 0)?;
        let a = self.predicate(self.operand(i, 1)?)?;
        let b = match i.operands.get(2) {
            Some(operand) => self.predicate(operand)?,
            None => a,
        };
        let pair = match (&i.opcode, a.negated, b.negated) {
            (O::And, false, false) => masks(|a, b, _| a & b),
            (O::And, true, false) => masks(|a, b, _| !a & b),
            (O::And, false, true) => masks(|a, b, _| a & !b),
            (O::And, true, true) => masks(|a, b, _| !a & !b),
            (O::Or, false, false) => masks(|a, b, _| a | b),
            (O::Or, true, false) => masks(|a, b, _| !a | b),
            (O::Or, false, true) => masks(|a, b, _| a | !b),
            (O::Or, true, true) => masks(|a, b, _| !a | !b),
            (O::Xor, x, y) if x == y => masks(|a, b, _| a ^ b),
            (O::Xor, ..) => masks(|a, b, _| !(a ^ b)),
            (O::Not, false, _) => masks(|a, _, _| !a),
            (O::Not, true, _) | (O::Mov, false, _) => masks(|a, _, _| a),
            (O::Mov, true, _) => masks(|a, _, _| !a),
            _ => return Err("the instruction is not supported on predicates".to_owned()),
        };
        Ok(Op {
            a: a.predicate,
            b: b.predicate,
            ..Op::new(pair)
        }
        .to(d, 0))
    }

    /// Remembers that the instruction divides, for findings.
    fn note_divisor(&mut self, i: &Instruction, ty: T) -> Result<(), String> {
        let offset = self.src(self.operand(i, 2)?, ty)?;
        let bytes = super::operands::register_bytes(ty);
        self.kernel
            .note_check(crate::code::Check::Divisor { offset, bytes });
        Ok(())
    }

    fn note_shift(&mut self, op: Op, ty: T) -> Op {
        self.kernel.note_check(crate::code::Check::Shift {
            offset: op.b,
            width: ty.bits(),
        });
        op
    }
}
