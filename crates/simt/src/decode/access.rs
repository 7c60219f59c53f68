//! Loads, stores, atomics, asynchronous copies.

use super::convert::space_of;
use super::function::{Decoder, Op};
use super::names::Named;
use super::operands::register_bytes;
use crate::code::{Access, AccessKind, Base, Constant, NONE};
use crate::exec::atomic::atomic;
use crate::exec::lanes::Pair;
use crate::exec::memory::{copy_async, load, store};
use crate::exec::misc;
use crate::memory::window::Space;
use crate::ops::float::flush;
use crate::ops::narrow::{Half, both};
use ptx::modifier::{CacheHint, CacheOperator, Flag, Operation, Order};
use ptx::{Address, Instruction, Modifier, Opcode, Operand, ScalarType as T, StateSpace};

impl Decoder<'_> {
    /// Space, base and offset of an address.
    fn address(
        &mut self,
        i: &Instruction,
        operand: &Operand,
    ) -> Result<(Option<Space>, Base, i64), String> {
        let named = i.space().map(space_of).transpose()?;
        self.address_in(named, operand)
    }

    pub(super) fn address_in(
        &mut self,
        space: Option<Space>,
        operand: &Operand,
    ) -> Result<(Option<Space>, Base, i64), String> {
        let Operand::Address(Address { base, offset }) = operand else {
            return Err(format!("`{operand}` is not an address"));
        };
        let name = match base {
            ptx::Base::Immediate(value) => {
                return Ok((space, Base::Zero, (value.bits as i64).wrapping_add(*offset)));
            }
            ptx::Base::Name(name) => name,
        };
        match self.names.find(self.scope, name) {
            Some((_, Named::Register { .. })) => {
                let reg = self.register(&Operand::Name(name.clone()))?;
                let base = match reg.bytes {
                    4 => Base::Register32(reg.offset),
                    8 => Base::Register64(reg.offset),
                    _ => return Err(format!("`{name}` is too narrow for an address")),
                };
                // Parameters of functions live in the local frame.
                let space = if space == Some(Space::Param) && !self.is_entry {
                    Some(Space::Local)
                } else {
                    space
                };
                Ok((space, base, *offset))
            }
            Some((
                key,
                Named::Variable {
                    space: declared,
                    bytes,
                    align,
                    ..
                },
            )) => match declared {
                StateSpace::Param if self.is_entry && key.0 == 0 => {
                    let at = i64::from(self.param_offset(name)?);
                    Ok((Some(Space::Param), Base::Zero, at.wrapping_add(*offset)))
                }
                StateSpace::Param | StateSpace::Local => {
                    let at = i64::from(self.frame.local(&key, bytes, align)?);
                    Ok((Some(Space::Local), Base::Frame, at.wrapping_add(*offset)))
                }
                StateSpace::Shared => {
                    let at = self.shared_offset(name).unwrap_or(0) as i64;
                    Ok((Some(Space::Shared), Base::Zero, at.wrapping_add(*offset)))
                }
                other => Err(format!("an access to a variable in .{other}")),
            },
            Some(_) => Err(format!("`{name}` is not an address")),
            None => match self.address_of(name, 0)? {
                Constant::Bits(at) => Ok((
                    Some(Space::Shared),
                    Base::Zero,
                    (at as i64).wrapping_add(*offset),
                )),
                symbol => {
                    let slot = self.frame.constant(symbol, 8);
                    Ok((Some(Space::Global), Base::Register64(slot), *offset))
                }
            },
        }
    }

    pub(super) fn add_access(&mut self, access: Access) -> u64 {
        self.kernel.add_access(access)
    }

    /// `ld`, `ldu`.
    pub(crate) fn ld(&mut self, i: &Instruction) -> Result<Op, String> {
        let ty = self.ty(i, 0)?;
        let (space, base, offset) = self.address(i, self.operand(i, 1)?)?;
        let (registers, bytes) = self.elements(self.operand(i, 0)?, ty, i)?;
        if space == Some(Space::Param)
            && base == Base::Zero
            && registers.len() == 1
            && ty.bytes() <= bytes
            && bytes <= 8
        {
            // A kernel parameter is constant for the launch.
            let constant = Constant::Param {
                offset: offset as u32,
                bytes: ty.bytes(),
                signed: ty.is_signed(),
            };
            let inside = offset >= 0
                && offset as u64 + u64::from(ty.bytes()) <= u64::from(self.kernel.params_len);
            if inside && (offset as u32).is_multiple_of(ty.bytes()) {
                let a = self.frame.constant(constant, bytes);
                return Ok(Op {
                    a,
                    ..Op::new(misc::copy(self.level, bytes))
                }
                .to(registers[0], bytes));
            }
        }
        let l = self.level;
        let pair: Pair = match (ty.bytes(), ty.is_signed(), bytes) {
            (1, false, 2) => load(l, |m: u8| u16::from(m)),
            (1, true, 2) => load(l, |m: i8| i16::from(m)),
            (1, false, 4) => load(l, |m: u8| u32::from(m)),
            (1, true, 4) => load(l, |m: i8| i32::from(m)),
            (1, false, 8) => load(l, |m: u8| u64::from(m)),
            (1, true, 8) => load(l, |m: i8| i64::from(m)),
            (2, _, 2) => load(l, |m: u16| m),
            (2, false, 4) => load(l, |m: u16| u32::from(m)),
            (2, true, 4) => load(l, |m: i16| i32::from(m)),
            (2, false, 8) => load(l, |m: u16| u64::from(m)),
            (2, true, 8) => load(l, |m: i16| i64::from(m)),
            (4, _, 4) => load(l, |m: u32| m),
            (4, false, 8) => load(l, |m: u32| u64::from(m)),
            (4, true, 8) => load(l, |m: i32| i64::from(m)),
            (8, _, 8) => load(l, |m: u64| m),
            (16, _, 16) => load(l, |m: u128| m),
            _ => {
                return Err(format!(
                    "a load of .{ty} into registers of {} bits",
                    bytes * 8
                ));
            }
        };
        let acquire = i.order() == Some(Order::Acquire);
        let kind = if strong(i) {
            AccessKind::StrongLoad { acquire }
        } else {
            AccessKind::Load
        };
        let first = registers[0];
        let access = Access {
            space,
            base,
            offset,
            bytes: ty.bytes(),
            registers,
            kind,
            site: 0,
            simple: false,
        };
        let imm = self.add_access(access);
        let op = Op::new(pair).imm(imm);
        Ok(if first == NONE {
            op
        } else {
            op.to(first, bytes)
        })
    }

    /// The registers of a vector or scalar operand of a load, and the bytes of each.
    fn elements(
        &mut self,
        operand: &Operand,
        ty: T,
        i: &Instruction,
    ) -> Result<(Vec<u32>, u32), String> {
        let single = std::slice::from_ref(operand);
        let list = if let Operand::Vector(list) = operand {
            list.as_slice()
        } else {
            single
        };
        let count = i.vector().map_or(1, |vector| vector.count());
        // A vector register may stand for its elements.
        if count > 1 && list.len() == 1 {
            return Err("a vector register as an operand".to_owned());
        }
        if list.len() != count {
            return Err(format!("{} registers where {count} are wanted", list.len()));
        }
        let mut bytes = None;
        let mut registers = Vec::new();
        for part in list {
            if *part == Operand::Sink {
                registers.push(NONE);
                continue;
            }
            let reg = self.register(part)?;
            if *bytes.get_or_insert(reg.bytes) != reg.bytes {
                return Err("registers of different widths".to_owned());
            }
            registers.push(reg.offset);
        }
        Ok((registers, bytes.unwrap_or(register_bytes(ty))))
    }

    /// `st`.
    pub(crate) fn st(&mut self, i: &Instruction) -> Result<Op, String> {
        let ty = self.ty(i, 0)?;
        let (space, base, offset) = self.address(i, self.operand(i, 0)?)?;
        let operand = self.operand(i, 1)?;
        let single = std::slice::from_ref(operand);
        let list = if let Operand::Vector(list) = operand {
            list.as_slice()
        } else {
            single
        };
        if list.len() != i.vector().map_or(1, |vector| vector.count()) {
            return Err("the number of registers does not match the vector".to_owned());
        }
        // All registers of one store have the same width: that of a named one, or the type's.
        let width = list
            .iter()
            .find_map(|part| match part {
                Operand::Name(name) => match self.names.find(self.scope, name) {
                    Some((_, Named::Register { ty, .. })) => Some(register_bytes(ty)),
                    _ => None,
                },
                _ => None,
            })
            .unwrap_or(register_bytes(ty));
        let source_ty = match width {
            2 => T::B16,
            4 if ty == T::F32 => T::F32,
            4 => T::B32,
            8 if ty == T::F64 => T::F64,
            8 => T::B64,
            16 => T::B128,
            _ => return Err("a predicate as an operand".to_owned()),
        };
        let registers = list
            .iter()
            .map(|part| self.src(part, source_ty))
            .collect::<Result<Vec<_>, String>>()?;
        let l = self.level;
        let pair: Pair = match (ty.bytes(), width) {
            (1, 2) => store(l, |r: u16| r as u8),
            (1, 4) => store(l, |r: u32| r as u8),
            (1, 8) => store(l, |r: u64| r as u8),
            (2, 2) => store(l, |r: u16| r),
            (2, 4) => store(l, |r: u32| r as u16),
            (2, 8) => store(l, |r: u64| r as u16),
            (4, 4) => store(l, |r: u32| r),
            (4, 8) => store(l, |r: u64| r as u32),
            (8, 8) => store(l, |r: u64| r),
            (16, 16) => store(l, |r: u128| r),
            _ => {
                return Err(format!(
                    "a store of .{ty} from registers of {} bits",
                    width * 8
                ));
            }
        };
        let release = i.order() == Some(Order::Release);
        let kind = if strong(i) {
            AccessKind::StrongStore { release }
        } else {
            AccessKind::Store
        };
        let access = Access {
            space,
            base,
            offset,
            bytes: ty.bytes(),
            registers,
            kind,
            site: 0,
            simple: false,
        };
        Ok(Op::new(pair).imm(self.add_access(access)))
    }

    /// `atom`, `red`.
    pub(crate) fn atom(&mut self, i: &Instruction) -> Result<Op, String> {
        let ty = self.ty(i, 0)?;
        let op = i.operation().ok_or("the operation is missing")?;
        let returns = i.opcode == Opcode::Atom;
        let first = usize::from(returns);
        let (space, base, offset) = self.address(i, self.operand(i, first)?)?;
        let operand = self.operand(i, first + 1)?;
        let single = std::slice::from_ref(operand);
        let list = if let Operand::Vector(list) = operand {
            list.as_slice()
        } else {
            single
        };
        let registers = list
            .iter()
            .map(|part| self.src(part, ty))
            .collect::<Result<Vec<_>, String>>()?;
        let pair = atomic_pair(op, ty, space)?;
        let bytes = register_bytes(ty);
        let (acquire, release) = match i.order() {
            Some(Order::Acquire) => (true, false),
            Some(Order::Release) => (false, true),
            Some(Order::AcqRel | Order::Sc) => (true, true),
            _ => (false, false),
        };
        let kind = AccessKind::Atomic { acquire, release };
        let c = match (op, i.operands.get(first + 2)) {
            (Operation::Cas, Some(c)) => self.src(c, ty)?,
            (Operation::Cas, None) => return Err("the value to write is missing".to_owned()),
            _ => registers[0],
        };
        let count = registers.len() as u32;
        let imm = self.add_access(Access {
            space,
            base,
            offset,
            bytes: ty.bytes(),
            registers,
            kind,
            site: 0,
            simple: false,
        });
        let inner = Op { c, ..Op::new(pair) }.imm(imm);
        if !returns {
            return Ok(Op { d: NONE, ..inner });
        }
        match self.operand(i, 0)? {
            Operand::Vector(results) => {
                let scratch = self.frame.room(bytes, count);
                let mut ops = vec![inner.to(scratch, bytes)];
                for (k, result) in results.iter().enumerate() {
                    let d = self.dst(result, bytes)?;
                    let a = scratch + k as u32 * bytes * 32;
                    ops.push(
                        Op {
                            a,
                            ..Op::new(misc::copy(self.level, bytes))
                        }
                        .to(d, bytes),
                    );
                }
                Ok(self.sequence(&ops))
            }
            result => {
                let d = self.dst(result, bytes)?;
                Ok(inner.to(d, bytes))
            }
        }
    }

    /// `cp.async`.
    pub(crate) fn cp_async(&mut self, i: &Instruction) -> Result<Op, String> {
        let size = match self.operand(i, 2)? {
            Operand::Immediate(ptx::Immediate::Integer(value)) => value.bits as u32,
            _ => return Err("the size has to be a constant".to_owned()),
        };
        if !matches!(size, 4 | 8 | 16) {
            return Err(format!("a copy of {size} bytes"));
        }
        let (into_space, into, into_offset) =
            self.address_in(Some(Space::Shared), self.operand(i, 0)?)?;
        let (from_space, from, from_offset) =
            self.address_in(Some(Space::Global), self.operand(i, 1)?)?;
        // How many bytes to read: a source size, or none where the predicate to ignore is set.
        let b = match i.operands.get(3) {
            None => NONE,
            Some(operand) => match self.src(operand, T::U32) {
                Ok(offset) => offset,
                // With a cache policy and nothing else, or with `ignore-src`.
                Err(_)
                    if i.modifiers
                        .iter()
                        .any(|m| matches!(m, Modifier::Hint(CacheHint::L2CacheHint))) =>
                {
                    NONE
                }
                Err(_) => return Err("`ignore-src`".to_owned()),
            },
        };
        let access = |space, base, offset, kind| Access {
            space,
            base,
            offset,
            bytes: size,
            registers: vec![NONE],
            kind,
            site: 0,
            simple: false,
        };
        let imm = self.add_access(access(into_space, into, into_offset, AccessKind::Store));
        self.add_access(access(from_space, from, from_offset, AccessKind::Load));
        Ok(Op {
            b,
            ..Op::new(copy_async())
        }
        .imm(imm))
    }
}

/// Whether an access is more than weak.
fn strong(i: &Instruction) -> bool {
    matches!(
        i.order(),
        Some(
            Order::Volatile
                | Order::Relaxed
                | Order::Acquire
                | Order::Release
                | Order::Sc
                | Order::Mmio
        )
    ) || i.cache() == Some(CacheOperator::Cv)
        || i.has(Flag::Mbarrier)
}

/// The function of an atomic.
pub(super) fn atomic_pair(op: Operation, ty: T, space: Option<Space>) -> Result<Pair, String> {
    use Operation as O;
    Ok(match (op, ty) {
        (O::Add, T::U32 | T::S32) => atomic(|old: u32, b, _| old.wrapping_add(b)),
        (O::Add, T::U64 | T::S64) => atomic(|old: u64, b, _| old.wrapping_add(b)),
        // On global memory the hardware flushes subnormals (PTX ISA, "atom").
        (O::Add, T::F32) if space == Some(Space::Shared) => {
            atomic(|old: f32, b, _| crate::ops::float::canonical(old + b))
        }
        (O::Add, T::F32) => {
            atomic(|old: f32, b: f32, _| crate::ops::float::canonical(flush(flush(old) + flush(b))))
        }
        (O::Add, T::F64) => atomic(|old: f64, b, _| old + b),
        (O::Add, T::F16) => atomic(|old: u16, b, _| Half::F16.add(old, b)),
        (O::Add, T::Bf16) => atomic(|old: u16, b, _| Half::Bf16.add(old, b)),
        (O::Add, T::F16x2) => atomic(|old: u32, b, _| both(old, b, |x, y| Half::F16.add(x, y))),
        (O::Add, T::Bf16x2) => atomic(|old: u32, b, _| both(old, b, |x, y| Half::Bf16.add(x, y))),
        (O::Min, T::U32) => atomic(|old: u32, b, _| old.min(b)),
        (O::Min, T::S32) => atomic(|old: i32, b, _| old.min(b)),
        (O::Min, T::U64) => atomic(|old: u64, b, _| old.min(b)),
        (O::Min, T::S64) => atomic(|old: i64, b, _| old.min(b)),
        (O::Max, T::U32) => atomic(|old: u32, b, _| old.max(b)),
        (O::Max, T::S32) => atomic(|old: i32, b, _| old.max(b)),
        (O::Max, T::U64) => atomic(|old: u64, b, _| old.max(b)),
        (O::Max, T::S64) => atomic(|old: i64, b, _| old.max(b)),
        (O::Min, T::F16) => atomic(|old: u16, b, _| Half::F16.min(old, b, false)),
        (O::Max, T::F16) => atomic(|old: u16, b, _| Half::F16.max(old, b, false)),
        (O::Min, T::Bf16) => atomic(|old: u16, b, _| Half::Bf16.min(old, b, false)),
        (O::Max, T::Bf16) => atomic(|old: u16, b, _| Half::Bf16.max(old, b, false)),
        (O::Min, T::Bf16x2) => {
            atomic(|old: u32, b, _| both(old, b, |x, y| Half::Bf16.min(x, y, false)))
        }
        (O::Max, T::Bf16x2) => {
            atomic(|old: u32, b, _| both(old, b, |x, y| Half::Bf16.max(x, y, false)))
        }
        (O::Min, T::F16x2) => {
            atomic(|old: u32, b, _| both(old, b, |x, y| Half::F16.min(x, y, false)))
        }
        (O::Max, T::F16x2) => {
            atomic(|old: u32, b, _| both(old, b, |x, y| Half::F16.max(x, y, false)))
        }
        (O::Inc, T::U32) => atomic(|old: u32, b, _| if old >= b { 0 } else { old + 1 }),
        (O::Dec, T::U32) => atomic(|old: u32, b, _| if old == 0 || old > b { b } else { old - 1 }),
        (O::And, ty) if ty.bits() == 32 => atomic(|old: u32, b, _| old & b),
        (O::Or, ty) if ty.bits() == 32 => atomic(|old: u32, b, _| old | b),
        (O::Xor, ty) if ty.bits() == 32 => atomic(|old: u32, b, _| old ^ b),
        (O::And, ty) if ty.bits() == 64 => atomic(|old: u64, b, _| old & b),
        (O::Or, ty) if ty.bits() == 64 => atomic(|old: u64, b, _| old | b),
        (O::Xor, ty) if ty.bits() == 64 => atomic(|old: u64, b, _| old ^ b),
        (O::Exch, ty) if ty.bits() == 32 => atomic(|_: u32, b, _| b),
        (O::Exch, ty) if ty.bits() == 64 => atomic(|_: u64, b, _| b),
        (O::Exch, ty) if ty.bits() == 128 => atomic(|_: u128, b, _| b),
        (O::Cas, ty) if ty.bits() == 16 => atomic(|old: u16, b, c| if old == b { c } else { old }),
        (O::Cas, ty) if ty.bits() == 32 => atomic(|old: u32, b, c| if old == b { c } else { old }),
        (O::Cas, ty) if ty.bits() == 64 => atomic(|old: u64, b, c| if old == b { c } else { old }),
        (O::Cas, ty) if ty.bits() == 128 => {
            atomic(|old: u128, b, c| if old == b { c } else { old })
        }
        _ => return Err(format!("the atomic .{op}.{ty}")),
    })
}
