//! Branches, calls, barriers and operations among lanes.

use super::function::Decoder;
use super::names::Named;
use super::operands::register_bytes;
use crate::code::{
    Barrier, BarrierKind, Builtin, Call, Collective, CollectiveOp, Flow, NONE, Passed, Source32,
    StackOp, Target,
};
use crate::ops::warp::{ReduceOp, ShuffleMode, VoteMode};
use ptx::modifier::{Flag, Operation, ShuffleMode as Shuffle, VoteMode as Vote};
use ptx::{Instruction, Opcode, Operand, ScalarType as T};

impl Decoder<'_> {
    fn label(&self, name: &str) -> Result<u32, String> {
        match self.names.find(self.scope, name) {
            Some((_, Named::Label(at))) => Ok(self.start + at),
            _ => Err(format!("`{name}` is not a label")),
        }
    }

    /// A 32-bit source, uniform where it is an immediate.
    pub(crate) fn source32(&mut self, operand: &Operand) -> Result<Source32, String> {
        match self.uniform_value(operand) {
            Some(value) => Ok(Source32::Uniform(value)),
            None => Ok(Source32::Register(self.src(operand, T::U32)?)),
        }
    }

    /// `bra`.
    pub(crate) fn bra(&mut self, i: &Instruction) -> Result<Flow, String> {
        let name = self
            .operand(i, 0)?
            .name()
            .ok_or("the target has to be a label")?;
        Ok(Flow::Branch {
            target: self.label(name)?,
            joins: NONE,
        })
    }

    /// `brx.idx`.
    pub(crate) fn brx(&mut self, i: &Instruction) -> Result<Flow, String> {
        let index = self.src(self.operand(i, 0)?, T::U32)?;
        let list = self
            .operand(i, 1)?
            .name()
            .ok_or("the table of targets is missing")?;
        let Some((_, Named::Targets(names))) = self.names.find(self.scope, list) else {
            return Err(format!("`{list}` is not a list of targets"));
        };
        let targets = names
            .iter()
            .map(|name| self.label(name))
            .collect::<Result<_, String>>()?;
        Ok(Flow::Table {
            index,
            targets,
            joins: NONE,
        })
    }

    /// `call`.
    pub(crate) fn call(&mut self, i: &Instruction) -> Result<Flow, String> {
        let call = i.call().ok_or("the call's operands are not understood")?;
        let results = call
            .results
            .iter()
            .map(|r| self.result(r))
            .collect::<Result<Vec<_>, String>>()?;
        let arguments = call
            .arguments
            .iter()
            .map(|a| self.argument(a))
            .collect::<Result<Vec<_>, String>>()?;
        let register = matches!(
            self.names.find(self.scope, call.target),
            Some((_, Named::Register { .. }))
        );
        let target = if register {
            let operand = Operand::Name(call.target.into());
            Target::Indirect(self.src(&operand, T::U64)?)
        } else if let Some(index) = self.kernel.function_index(self.module, call.target) {
            let callee = self.module.module.function(call.target);
            let fits = callee.is_none_or(|f| {
                (f.params.len(), f.returns.len()) == (arguments.len(), results.len())
            });
            if !fits {
                return Err(format!("`{}` has other parameters", call.target));
            }
            Target::Function(index)
        } else {
            Target::Builtin(builtin(call.target, (arguments.len(), results.len()))?)
        };
        Ok(Flow::Call(Box::new(Call {
            target,
            arguments,
            results,
        })))
    }

    fn result(&mut self, operand: &Operand) -> Result<Passed, String> {
        match operand {
            Operand::Sink => Ok(Passed::Nothing),
            Operand::Name(name) => self.passed(self.scope, name),
            other => Err(format!("`{other}` as a result")),
        }
    }

    fn argument(&mut self, operand: &Operand) -> Result<Passed, String> {
        match operand {
            Operand::Name(name) if self.names.find(self.scope, name).is_some() => {
                self.passed(self.scope, name)
            }
            Operand::Immediate(_) => {
                let offset = self.src(operand, T::U64)?;
                Ok(Passed::Register { offset, bytes: 8 })
            }
            other => Err(format!("`{other}` as an argument")),
        }
    }

    /// `bar` and `barrier`.
    pub(crate) fn bar(&mut self, i: &Instruction) -> Result<Flow, String> {
        let aligned = i.opcode == Opcode::Bar || i.has(Flag::Aligned);
        let barrier = |id, count, kind| {
            Ok(Flow::Barrier(Box::new(Barrier {
                id,
                count,
                kind,
                aligned,
            })))
        };
        if i.has(Flag::Red) {
            let count = i.operands.len();
            let id = self.source32(self.operand(i, 1)?)?;
            let threads = if count > 3 {
                Some(self.source32(self.operand(i, 2)?)?)
            } else {
                None
            };
            let p = self.predicate(self.operand(i, count - 1)?)?;
            let to = self.operand(i, 0)?;
            let kind = match i.operation() {
                Some(Operation::Popc) => BarrierKind::Popc {
                    d: self.dst(to, 4)?,
                    p,
                },
                Some(Operation::And) => BarrierKind::And {
                    d: self.dst(to, 0)?,
                    p,
                },
                Some(Operation::Or) => BarrierKind::Or {
                    d: self.dst(to, 0)?,
                    p,
                },
                _ => return Err("the reduction is not supported".to_owned()),
            };
            return barrier(id, threads, kind);
        }
        let id = match i.operands.first() {
            Some(operand) => self.source32(operand)?,
            None => Source32::Uniform(0),
        };
        let threads = i
            .operands
            .get(1)
            .map(|operand| self.source32(operand))
            .transpose()?;
        let kind = if i.has(Flag::Arrive) {
            BarrierKind::Arrive
        } else {
            BarrierKind::Sync
        };
        if matches!(kind, BarrierKind::Arrive) && threads.is_none() {
            return Err("the number of threads is missing".to_owned());
        }
        barrier(id, threads, kind)
    }

    /// `stacksave`, `stackrestore`, `alloca` (PTX ISA 9.7.17).
    pub(crate) fn stack(&mut self, i: &Instruction) -> Result<Flow, String> {
        let ty = self.ty(i, 0)?;
        let bytes = register_bytes(ty);
        if !matches!(bytes, 4 | 8) {
            return Err(format!("an address of .{ty}"));
        }
        let first = self.operand(i, 0)?;
        Ok(Flow::Stack(match i.opcode {
            Opcode::Stacksave => StackOp::Save {
                d: self.dst(first, bytes)?,
                bytes,
            },
            Opcode::Stackrestore => StackOp::Restore {
                a: self.src(first, ty)?,
                bytes,
            },
            _ => {
                let align = match i.operands.get(2) {
                    None => 8,
                    Some(operand) => self.uniform_value(operand).unwrap_or(0),
                };
                if !align.is_power_of_two() || align > 1 << 16 {
                    return Err("the alignment has to be a power of two, 65536 at most".to_owned());
                }
                StackOp::Alloca {
                    size: self.src(self.operand(i, 1)?, ty)?,
                    d: self.dst(first, bytes)?,
                    bytes,
                    align,
                }
            }
        }))
    }

    /// Shuffles, votes, matches and the like.
    pub(crate) fn collective(&mut self, i: &Instruction) -> Result<Flow, String> {
        let sync = i.has(Flag::Sync)
            || matches!(
                i.opcode,
                Opcode::BarWarpSync | Opcode::Elect | Opcode::Redux
            );
        let mut it = Collective {
            op: CollectiveOp::Sync,
            members: None,
            d: NONE,
            p: NONE,
            a: 0,
            negated: false,
            b: 0,
            c: 0,
        };
        let last = i
            .operands
            .len()
            .checked_sub(1)
            .ok_or("operands are missing")?;
        if sync {
            it.members = Some(self.source32(self.operand(i, last)?)?);
        }
        match i.opcode {
            Opcode::BarWarpSync => {}
            Opcode::Shfl => self.shfl(i, &mut it)?,
            Opcode::Vote => {
                let mode = match i.vote() {
                    Some(Vote::All) => VoteMode::All,
                    Some(Vote::Any) => VoteMode::Any,
                    Some(Vote::Uni) => VoteMode::Uniform,
                    Some(Vote::Ballot) => VoteMode::Ballot,
                    _ => return Err("the mode is missing".to_owned()),
                };
                it.op = CollectiveOp::Vote(mode);
                let p = self.predicate(self.operand(i, 1)?)?;
                (it.a, it.negated) = (p.predicate, p.negated);
                let bytes = if mode == VoteMode::Ballot { 4 } else { 0 };
                it.d = self.dst(self.operand(i, 0)?, bytes)?;
            }
            Opcode::Match => {
                let ty = self.ty(i, 0)?;
                it.op = match (i.vote(), ty.bits()) {
                    (Some(Vote::Any), 32) => CollectiveOp::MatchAny32,
                    (Some(Vote::Any), 64) => CollectiveOp::MatchAny64,
                    (Some(Vote::All), 32) => CollectiveOp::MatchAll32,
                    (Some(Vote::All), 64) => CollectiveOp::MatchAll64,
                    _ => return Err("the mode is missing".to_owned()),
                };
                it.a = self.src(self.operand(i, 1)?, ty)?;
                (it.d, it.p) = self.value_and_predicate(self.operand(i, 0)?)?;
            }
            Opcode::Redux => {
                let ty = self.ty(i, 0)?;
                it.op = CollectiveOp::Redux(reduce_op(i, ty)?);
                it.a = self.src(self.operand(i, 1)?, ty)?;
                it.d = self.dst(self.operand(i, 0)?, register_bytes(ty))?;
            }
            Opcode::Elect => {
                it.op = CollectiveOp::Elect;
                (it.d, it.p) = self.value_and_predicate(self.operand(i, 0)?)?;
            }
            _ => return Err("the instruction is not supported".to_owned()),
        }
        Ok(Flow::Collective(self.kernel.add_collective(it)))
    }

    fn shfl(&mut self, i: &Instruction, it: &mut Collective) -> Result<(), String> {
        it.op = CollectiveOp::Shuffle(match i.shuffle() {
            Some(Shuffle::Up) => ShuffleMode::Up,
            Some(Shuffle::Down) => ShuffleMode::Down,
            Some(Shuffle::Bfly) => ShuffleMode::Butterfly,
            Some(Shuffle::Idx) => ShuffleMode::Index,
            _ => return Err("the mode is missing".to_owned()),
        });
        it.a = self.src(self.operand(i, 1)?, T::B32)?;
        it.b = self.src(self.operand(i, 2)?, T::B32)?;
        it.c = self.src(self.operand(i, 3)?, T::B32)?;
        (it.d, it.p) = self.value_and_predicate(self.operand(i, 0)?)?;
        Ok(())
    }

    /// `d`, `d|p`, `_|p`.
    fn value_and_predicate(&mut self, operand: &Operand) -> Result<(u32, u32), String> {
        let one = |this: &mut Self, operand: &Operand, bytes| match operand {
            Operand::Sink => Ok(NONE),
            other => this.dst(other, bytes),
        };
        match operand {
            Operand::Pair(pair) => Ok((one(self, &pair[0], 4)?, one(self, &pair[1], 0)?)),
            other => Ok((one(self, other, 4)?, NONE)),
        }
    }
}

/// What the device provides to programs, by name, with arguments and results.
fn builtin(name: &str, given: (usize, usize)) -> Result<Builtin, String> {
    let (builtin, wanted) = match name {
        "vprintf" => (Builtin::Vprintf, (2, 1)),
        "__assertfail" => (Builtin::AssertFail, (5, 0)),
        "malloc" => (Builtin::Malloc, (1, 1)),
        "free" => (Builtin::Free, (1, 0)),
        other => {
            return Err(format!(
                "`{other}` has no body, and the device does not provide it: it has vprintf, \
                 __assertfail, malloc and free"
            ));
        }
    };
    if given == wanted {
        Ok(builtin)
    } else {
        let (arguments, results) = wanted;
        Err(format!(
            "`{name}` takes {arguments} arguments and gives {results} results"
        ))
    }
}

fn reduce_op(i: &Instruction, ty: T) -> Result<ReduceOp, String> {
    let (abs, nan) = (i.has(Flag::Abs), i.has(Flag::NaN));
    Ok(match (i.operation(), ty) {
        (Some(Operation::Add), T::U32 | T::S32) => ReduceOp::Add,
        (Some(Operation::And), _) => ReduceOp::And,
        (Some(Operation::Or), _) => ReduceOp::Or,
        (Some(Operation::Xor), _) => ReduceOp::Xor,
        (Some(Operation::Min), T::U32) => ReduceOp::MinU,
        (Some(Operation::Max), T::U32) => ReduceOp::MaxU,
        (Some(Operation::Min), T::S32) => ReduceOp::MinS,
        (Some(Operation::Max), T::S32) => ReduceOp::MaxS,
        (Some(Operation::Min), T::F32) => ReduceOp::MinF { abs, nan },
        (Some(Operation::Max), T::F32) => ReduceOp::MaxF { abs, nan },
        _ => return Err("the operation is not supported".to_owned()),
    })
}
