//! Asynchronous stores, reductions and bulk copies. Each is made at once, so that whoever waits for
//! it finds it done. A cluster has one block: `.shared::cluster` is the block's own shared memory.

use super::access::atomic_pair;
use super::function::{Decoder, Op, place};
use super::mbarrier::{ARRIVES, complete};
use super::operands::register_bytes;
use crate::code::{Access, AccessKind, Base, NONE};
use crate::exec::{bulk, misc};
use crate::memory::window::Space;
use ptx::modifier::Flag;
use ptx::{Immediate, Instruction, Integer, Modifier, Operand, ScalarType as T, StateSpace};

/// Atomics without order: what the engine of bulk copies does.
const UPDATES: AccessKind = AccessKind::Atomic {
    acquire: false,
    release: false,
};

/// Where an access lies.
type Where = (Option<Space>, Base, i64);

impl Decoder<'_> {
    /// `cp.async.bulk` between shared and global memory (PTX ISA 9.7.9.25.4.1).
    pub(crate) fn bulk_copy(&mut self, i: &Instruction) -> Result<Op, String> {
        if i.has(Flag::IgnoreOob) {
            return Err("a copy of a part of the bytes".to_owned());
        }
        let (into, out, size) = self.bulk_operands(i)?;
        let first = self.bulk_access(into, AccessKind::Store, 16);
        self.bulk_access(out, AccessKind::Load, 16);
        let mut copy = Op {
            b: size,
            c: NONE,
            d: NONE,
            ..Op::new(bulk::copy())
        };
        if i.has(Flag::CpMask) {
            // Bytes are then looked at one by one.
            self.bulk_access(into, AccessKind::Store, 1);
            self.bulk_access(out, AccessKind::Load, 1);
            copy.c = self.src(self.operand(i, i.operands.len().wrapping_sub(1))?, T::B16)?;
        }
        let mut parts = Vec::new();
        if i.has(Flag::Multicast) {
            let a = self.src(self.operand(i, 4)?, T::B16)?;
            let check = Op::new(bulk::own_block());
            parts.push(Op {
                a,
                d: NONE,
                ..check
            });
        }
        parts.push(copy.imm(first));
        self.completes(i, 3, self.operand(i, 2)?.clone(), &mut parts)?;
        Ok(self.parts(parts, None))
    }

    /// `cp.reduce.async.bulk`: an atomic on each element (PTX ISA 9.7.9.25.4.2).
    pub(crate) fn bulk_reduce(&mut self, i: &Instruction) -> Result<Op, String> {
        let ty = self.ty(i, 0)?;
        let op = i.operation().ok_or("the operation is missing")?;
        let (into, out, size) = self.bulk_operands(i)?;
        let pair = atomic_pair(op, ty, into.0)?;
        let first = self.bulk_access(into, AccessKind::Store, ty.bytes());
        self.bulk_access(out, AccessKind::Load, 16);
        // The atomic of one element: address and operand are put into these registers.
        let (address, value) = (
            self.frame.room(8, 1),
            self.frame.room(register_bytes(ty), 1),
        );
        let imm = self.add_access(Access {
            space: into.0,
            base: Base::Register64(address),
            offset: 0,
            bytes: ty.bytes(),
            registers: vec![value],
            kind: UPDATES,
            site: 0,
            simple: false,
        });
        let element = Op {
            c: value,
            d: NONE,
            ..Op::new(pair)
        };
        let element = self.kernel.inner(place(element.imm(imm), 0), None);
        let reduce = Op {
            d: address,
            a: value,
            b: size,
            c: element as u32,
            ..Op::new(bulk::reduce())
        };
        let mut parts = vec![reduce.imm(first)];
        self.completes(i, 3, self.operand(i, 2)?.clone(), &mut parts)?;
        let op = self.parts(parts, None);
        // The scratch register is no destination to show.
        Ok(Op { width: None, ..op })
    }

    /// `st.async` (PTX ISA 9.7.9.12).
    pub(crate) fn st_async(&mut self, i: &Instruction) -> Result<Op, String> {
        let mut parts = vec![self.st(i)?];
        let bytes = self.ty(i, 0)?.bytes() * i.vector().map_or(1, |vector| vector.count() as u32);
        self.completes(i, 2, number(bytes), &mut parts)?;
        Ok(self.parts(parts, None))
    }

    /// `red.async` (PTX ISA 9.7.13.7).
    pub(crate) fn red_async(&mut self, i: &Instruction) -> Result<Op, String> {
        let mut parts = vec![self.atom(i)?];
        let bytes = self.ty(i, 0)?.bytes();
        self.completes(i, 2, number(bytes), &mut parts)?;
        Ok(self.parts(parts, None))
    }

    /// `mapa` (PTX ISA 9.7.9.23): the cluster's only block sees its shared memory where it is.
    pub(crate) fn mapa(&mut self, i: &Instruction) -> Result<Op, String> {
        let ty = self.ty(i, 0)?;
        let bytes = if ty.bits() == 64 { 8 } else { 4 };
        let copy = self.op1(i, misc::copy(self.level, bytes), [ty, ty])?;
        let a = self.src(self.operand(i, 2)?, T::U32)?;
        let check = Op {
            a,
            d: NONE,
            ..Op::new(bulk::first_block())
        };
        Ok(self.sequence(&[check, copy]).to(copy.d, bytes))
    }

    /// `st.bulk`: zeros (PTX ISA 9.7.9.13).
    pub(crate) fn st_bulk(&mut self, i: &Instruction) -> Result<Op, String> {
        let zero = matches!(
            self.operand(i, 2)?,
            Operand::Immediate(Immediate::Integer(value)) if value.bits == 0
        );
        if !zero {
            return Err("the value has to be 0".to_owned());
        }
        let space =
            (i.space().map(StateSpace::base) == Some(StateSpace::Shared)).then_some(Space::Shared);
        let to = self.address_in(space, self.operand(i, 0)?)?;
        let b = self.src(self.operand(i, 1)?, T::U64)?;
        let first = self.bulk_access(to, AccessKind::Store, 8);
        let op = Op {
            b,
            d: NONE,
            ..Op::new(bulk::clear())
        };
        Ok(op.imm(first))
    }

    /// Destination, source and the register with the size.
    fn bulk_operands(&mut self, i: &Instruction) -> Result<(Where, Where, u32), String> {
        let spaces: Vec<_> = i
            .modifiers
            .iter()
            .filter_map(|modifier| match modifier {
                Modifier::Space(space) => Some(space.base()),
                _ => None,
            })
            .collect();
        let space = |index: usize| match spaces.get(index) {
            Some(StateSpace::Global) => Space::Global,
            _ => Space::Shared,
        };
        let into = self.address_in(Some(space(0)), self.operand(i, 0)?)?;
        let out = self.address_in(Some(space(1)), self.operand(i, 1)?)?;
        Ok((into, out, self.src(self.operand(i, 2)?, T::U32)?))
    }

    fn bulk_access(&mut self, (space, base, offset): Where, kind: AccessKind, bytes: u32) -> u64 {
        self.add_access(Access {
            space,
            base,
            offset,
            bytes,
            registers: vec![NONE],
            kind,
            site: 0,
            simple: false,
        })
    }

    /// `.mbarrier::complete_tx::bytes`: the barrier at operand `at` learns of so many bytes.
    fn completes(
        &mut self,
        i: &Instruction,
        at: usize,
        bytes: Operand,
        parts: &mut Vec<Op>,
    ) -> Result<(), String> {
        if i.has(Flag::CompleteTx) {
            parts.extend(self.update(i, (complete(), ARRIVES), at, Some(&bytes))?);
        }
        Ok(())
    }
}

fn number(value: u32) -> Operand {
    Operand::Immediate(Immediate::Integer(Integer::unsigned(value.into())))
}
