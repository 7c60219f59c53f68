//! Barriers in memory, and the asynchronous copies that complete on them. A copy is made at once,
//! so that whoever waits for it finds it done.

use super::function::{Decoder, Op};
use crate::code::{Access, AccessKind, NONE};
use crate::exec::atomic::atomic;
use crate::exec::lanes::{Pair, each, each_test};
use crate::memory::window::Space;
use crate::ops::mbarrier;
use ptx::modifier::Flag;
use ptx::{Instruction, Integer, Opcode, Operand, ScalarType as T, StateSpace};

pub(super) const ARRIVES: AccessKind = AccessKind::Atomic {
    acquire: false,
    release: true,
};
const WAITS: AccessKind = AccessKind::StrongLoad { acquire: true };
const SETS: AccessKind = AccessKind::StrongStore { release: false };

impl Decoder<'_> {
    /// `mbarrier.*`.
    pub(crate) fn mbarrier(&mut self, i: &Instruction) -> Result<Op, String> {
        use Opcode as O;
        match i.opcode {
            O::MbarrierInit => {
                let init = atomic(|_: u64, b, _| mbarrier::init(b as u32));
                let parts = self.update(i, (init, SETS), 0, i.operands.get(1))?;
                Ok(self.parts(parts, None))
            }
            O::MbarrierInval => {
                let inval = atomic(|_: u64, _, _| 0);
                let parts = self.update(i, (inval, SETS), 0, None)?;
                Ok(self.parts(parts, None))
            }
            O::MbarrierExpectTx => {
                let expect = atomic(|old: u64, b, _| mbarrier::expect(old, b as u32));
                let parts = self.update(i, (expect, ARRIVES), 0, i.operands.get(1))?;
                Ok(self.parts(parts, None))
            }
            O::MbarrierCompleteTx => {
                let parts = self.update(i, (complete(), ARRIVES), 0, i.operands.get(1))?;
                Ok(self.parts(parts, None))
            }
            O::MbarrierArrive | O::MbarrierArriveDrop => self.arrive(i),
            O::MbarrierTestWait | O::MbarrierTryWait => self.test_wait(i),
            O::MbarrierPendingCount => {
                let pair = each(|_, a: u64, (): (), (): ()| mbarrier::pending_count(a));
                self.op1(i, pair, [T::U32, T::B64])
            }
            _ => Err("the instruction is not supported".to_owned()),
        }
    }

    /// `cp.async.mbarrier.arrive`: the copies before it are done. Without `.noinc` the pending
    /// count goes up and down again.
    pub(crate) fn copies_arrive(&mut self, i: &Instruction) -> Result<Op, String> {
        let arrive = if i.has(Flag::Noinc) {
            atomic(|old: u64, _, _| mbarrier::arrive(old, 1))
        } else {
            atomic(|old: u64, _, _| old)
        };
        let parts = self.update(i, (arrive, ARRIVES), 0, None)?;
        Ok(self.parts(parts, None))
    }

    fn arrive(&mut self, i: &Instruction) -> Result<Op, String> {
        let expects = i.has(Flag::ExpectTx);
        let pair = match (i.opcode == Opcode::MbarrierArriveDrop, expects) {
            (false, false) => atomic(|old: u64, b, _| mbarrier::arrive(old, b as u32)),
            (true, false) => atomic(|old: u64, b, _| mbarrier::arrive_drop(old, b as u32)),
            (false, true) => {
                atomic(|old: u64, b, _| mbarrier::arrive(mbarrier::expect(old, b as u32), 1))
            }
            (true, true) => {
                atomic(|old: u64, b, _| mbarrier::arrive_drop(mbarrier::expect(old, b as u32), 1))
            }
        };
        let parts = self.update(i, (pair, ARRIVES), 1, i.operands.get(2))?;
        let result = match self.operand(i, 0)? {
            Operand::Sink => None,
            result => Some(self.dst(result, 8)?),
        };
        Ok(self.parts(parts, result))
    }

    fn test_wait(&mut self, i: &Instruction) -> Result<Op, String> {
        let look = atomic(|old: u64, _, _| old);
        let mut parts = self.update(i, (look, WAITS), 1, None)?;
        let now = self.frame.room(8, 1);
        if let Some(last) = parts.last_mut() {
            *last = last.to(now, 8);
        }
        let (test, state) = if i.has(Flag::Parity) {
            let (wide, widen) = self.widened(self.operand(i, 2)?)?;
            parts.extend(widen);
            let test =
                each_test(|_, now: u64, parity: u64| mbarrier::passed_parity(now, parity as u32));
            (test, wide)
        } else {
            let state = self.src(self.operand(i, 2)?, T::B64)?;
            (
                each_test(|_, now: u64, state: u64| mbarrier::passed(now, state)),
                state,
            )
        };
        let p = self.dst(self.operand(i, 0)?, 0)?;
        let test = Op {
            a: now,
            b: state,
            ..Op::new(test)
        };
        parts.push(test.to(p, 0));
        let op = self.sequence(&parts);
        Ok(op.to(p, 0))
    }

    /// An update of the barrier at operand `at` by a 32-bit amount, or by 1 where none is given:
    /// what widens the amount, and the update itself, which has no result yet.
    pub(super) fn update(
        &mut self,
        i: &Instruction,
        (pair, kind): (Pair, AccessKind),
        at: usize,
        by: Option<&Operand>,
    ) -> Result<Vec<Op>, String> {
        let one = Operand::Immediate(ptx::Immediate::Integer(Integer::unsigned(1)));
        let (amount, widen) = self.widened(by.unwrap_or(&one))?;
        // In shared memory, or behind a generic address.
        let space = match i.space().map(StateSpace::base) {
            Some(StateSpace::Shared) => Some(Space::Shared),
            _ if matches!(i.opcode, Opcode::CpAsyncBulk | Opcode::CpReduceAsyncBulk) => {
                Some(Space::Shared)
            }
            _ => None,
        };
        let (space, base, offset) = self.address_in(space, self.operand(i, at)?)?;
        let imm = self.add_access(Access {
            space,
            base,
            offset,
            bytes: 8,
            registers: vec![amount],
            kind,
            site: 0,
            simple: false,
        });
        let update = Op {
            c: amount,
            d: NONE,
            ..Op::new(pair)
        };
        Ok(widen.into_iter().chain([update.imm(imm)]).collect())
    }

    /// A 32-bit operand as a 64-bit one, and the instruction that makes it so.
    pub(super) fn widened(&mut self, operand: &Operand) -> Result<(u32, Option<Op>), String> {
        if matches!(operand, Operand::Immediate(_)) {
            return Ok((self.src(operand, T::U64)?, None));
        }
        let a = self.src(operand, T::U32)?;
        let wide = self.frame.room(8, 1);
        let widen = Op {
            a,
            ..Op::new(each(|_, a: u32, (): (), (): ()| u64::from(a)))
        };
        Ok((wide, Some(widen.to(wide, 8))))
    }

    /// Several operations as one, the last of which may have a result.
    pub(super) fn parts(&mut self, mut parts: Vec<Op>, result: Option<u32>) -> Op {
        if let (Some(last), Some(d)) = (parts.last_mut(), result) {
            *last = last.to(d, 8);
        }
        if let [single] = parts[..] {
            return single;
        }
        let op = self.sequence(&parts);
        match result {
            Some(d) => op.to(d, 8),
            None => Op {
                d: NONE,
                width: None,
                ..op
            },
        }
    }
}

pub(super) fn complete() -> Pair {
    atomic(|old: u64, b, _| mbarrier::complete(old, b as u32))
}
