//! One function: instruction after instruction into the kernel's tables.

use super::frame::Frame;
use super::names::{Named, Names};
use super::operands::register_bytes;
use super::{KernelBuilder, ModuleInfo};
use crate::code::{Class, Control, Flow, FunctionCode, Guard, Info, Passed};
use crate::error::Unsupported;
use crate::exec::lanes::{Ins, Level, Pair};
use crate::exec::misc;
use crate::findings::Source;
use ptx::{Instruction, Opcode, Operand, ScalarType, StateSpace};

/// The state while a function is decoded.
pub(crate) struct Decoder<'a> {
    pub(crate) module: &'a ModuleInfo,
    pub(crate) kernel: &'a mut KernelBuilder,
    pub(crate) function: &'a ptx::Function,
    pub(crate) names: Names<'a>,
    pub(crate) scope: usize,
    pub(crate) frame: Frame,
    pub(crate) is_entry: bool,
    pub(crate) level: Level,
    /// The carry of extended-precision arithmetic, once it is used.
    pub(crate) carry: Option<u32>,
    /// Number of the function's first instruction.
    pub(crate) start: u32,
}

/// A straight instruction before it has its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    pub(crate) pair: Pair,
    pub(crate) d: u32,
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) c: u32,
    pub(crate) imm: u64,
    /// Bytes of an element of the destination, for traces; `None` where there is no destination.
    pub(crate) width: Option<u32>,
}

impl Op {
    pub(crate) fn new(pair: Pair) -> Op {
        Op {
            pair,
            d: 0,
            a: 0,
            b: 0,
            c: 0,
            imm: 0,
            width: None,
        }
    }

    pub(crate) fn to(self, d: u32, bytes: u32) -> Op {
        Op {
            d,
            width: Some(bytes),
            ..self
        }
    }

    pub(crate) fn imm(self, imm: u64) -> Op {
        Op { imm, ..self }
    }
}

/// What an instruction became.
pub(crate) enum Decoded {
    Straight(Op),
    Control(Flow),
}

/// Types of the operands, destination first.
pub(crate) type Types<const N: usize> = [ScalarType; N];

impl Decoder<'_> {
    /// Decodes the whole function.
    pub(crate) fn decode(mut self) -> Result<FunctionCode, Box<Unsupported>> {
        let listed = std::mem::take(&mut self.names.instructions);
        let number = self.kernel.functions.len() as u32;
        for &(instruction, scope) in &listed {
            self.scope = scope;
            let guard = match &instruction.guard {
                Some(guard) => {
                    let operand = Operand::Name(guard.register.clone());
                    let predicate = match self.dst(&operand, 0) {
                        Ok(predicate) => predicate,
                        Err(what) => return Err(self.unsupported(instruction, what)),
                    };
                    Some(Guard {
                        predicate,
                        negated: guard.negated,
                    })
                }
                None => None,
            };
            if self.is_entry {
                let effects = self.effects(instruction, guard);
                self.kernel.effects.push(effects);
            }
            match self.instruction(instruction) {
                Ok(decoded) => self.emit(instruction, guard, decoded, number),
                Err(what) => return Err(self.unsupported(instruction, what)),
            }
        }
        // Running off the end returns.
        self.finish_body(number);
        let (params, returns) = match self.signature() {
            Ok(signature) => signature,
            Err(what) => {
                return Err(Box::new(Unsupported {
                    what,
                    function: self.function.name.to_string(),
                    ptx_line: self.function.span.line,
                    place: None,
                }));
            }
        };
        Ok(FunctionCode {
            name: self.function.name.to_string(),
            start: self.start,
            end: self.kernel.ins.len() as u32,
            frame_bytes: self.frame.bytes(),
            slots: std::mem::take(&mut self.frame.slots),
            local_bytes: self.frame.local_bytes(),
            params,
            returns,
        })
    }

    fn unsupported(&self, instruction: &Instruction, what: String) -> Box<Unsupported> {
        Box::new(Unsupported {
            what: format!("`{instruction}`: {what}"),
            function: self.function.name.to_string(),
            ptx_line: instruction.span.line,
            place: self.source(instruction).0,
        })
    }

    fn signature(&mut self) -> Result<(Vec<Passed>, Vec<Passed>), String> {
        if self.is_entry {
            return Ok((Vec::new(), Vec::new()));
        }
        let function = self.function;
        let params = function
            .params
            .iter()
            .map(|p| self.passed(0, &p.name))
            .collect::<Result<_, _>>()?;
        let returns = function
            .returns
            .iter()
            .map(|p| self.passed(0, &p.name))
            .collect::<Result<_, _>>()?;
        Ok((params, returns))
    }

    /// How a variable named in a signature or a call is passed.
    pub(crate) fn passed(&mut self, scope: usize, name: &str) -> Result<Passed, String> {
        match self.names.find(scope, name) {
            Some((
                key,
                Named::Variable {
                    space: StateSpace::Param,
                    bytes,
                    align,
                    ..
                },
            )) => {
                let offset = self.frame.local(&key, bytes, align)?;
                Ok(Passed::Memory {
                    offset,
                    bytes: bytes as u32,
                })
            }
            Some((key, Named::Register { ty, count: 1 })) => {
                let bytes = register_bytes(ty);
                Ok(Passed::Register {
                    offset: self.frame.register(&key, bytes, 1),
                    bytes,
                })
            }
            _ => Err(format!("`{name}` cannot be a parameter")),
        }
    }

    fn source(&self, instruction: &Instruction) -> (Option<Source>, Vec<Source>) {
        let Some(loc) = &instruction.loc else {
            return (None, Vec::new());
        };
        let file = self.module.file(loc.file);
        let source = (loc.line != 0).then(|| Source {
            file: file.unwrap_or_else(|| format!("file {}", loc.file)),
            line: loc.line,
            column: loc.column,
        });
        let outer = loc.inlined_at.iter().flat_map(|frames| frames.iter());
        let outer = outer.map(|frame| Source {
            file: frame.file.to_string(),
            line: frame.line,
            column: frame.column,
        });
        (source, outer.collect())
    }

    fn emit(&mut self, i: &Instruction, guard: Option<Guard>, decoded: Decoded, function: u32) {
        let pc = self.kernel.ins.len() as u32;
        let (source, inlined_at) = self.source(i);
        let mut destination = None;
        let ins = match decoded {
            Decoded::Straight(op) => {
                destination = op.width.map(|width| (op.d, width));
                let ins = place(op, pc);
                match guard {
                    None => ins,
                    Some(guard) => {
                        // A check would look at lanes that the guard switches off.
                        self.kernel.checks.retain(|&(at, _)| at != pc);
                        let index = self.kernel.inner(ins, Some(guard));
                        let pair = misc::guarded();
                        place(
                            Op {
                                width: None,
                                ..Op::new(pair)
                            }
                            .imm(index),
                            pc,
                        )
                    }
                }
            }
            Decoded::Control(flow) => {
                let index = self.kernel.controls.len();
                self.kernel.control_at.insert(pc, index as u32);
                let ins = self.kernel.control_ins(&flow, guard, index, pc);
                self.kernel.controls.push(Control { guard, flow });
                ins
            }
        };
        self.kernel.ins.push(ins);
        self.kernel.info.push(Info {
            opcode: mnemonic(i),
            class: class(i),
            text: i.to_string().trim_end_matches(';').to_owned(),
            line: i.span.line,
            source,
            inlined_at,
            function,
            destination,
        });
    }

    fn finish_body(&mut self, function: u32) {
        if self.is_entry {
            self.kernel.effects.push(super::defined::Effects::default());
        }
        let pc = self.kernel.ins.len() as u32;
        let flow = if self.is_entry {
            Flow::Exit
        } else {
            Flow::Return
        };
        let index = self.kernel.controls.len();
        self.kernel.control_at.insert(pc, index as u32);
        let ins = self.kernel.control_ins(&flow, None, index, pc);
        self.kernel.controls.push(Control { guard: None, flow });
        self.kernel.ins.push(ins);
        let line = self.function.lines().1;
        self.kernel.info.push(Info {
            opcode: "ret".to_owned(),
            class: Class::Control,
            text: "ret".to_owned(),
            line,
            source: None,
            inlined_at: Vec::new(),
            function,
            destination: None,
        });
    }

    /// Operand `n` of an instruction.
    pub(crate) fn operand<'i>(&self, i: &'i Instruction, n: usize) -> Result<&'i Operand, String> {
        i.operands
            .get(n)
            .ok_or_else(|| format!("operand {} is missing", n + 1))
    }

    /// `d = f(a)` of the given types.
    pub(crate) fn op1(
        &mut self,
        i: &Instruction,
        pair: Pair,
        [d, a]: Types<2>,
    ) -> Result<Op, String> {
        let a = self.src(self.operand(i, 1)?, a)?;
        let bytes = register_bytes(d);
        let d = self.dst(self.operand(i, 0)?, bytes)?;
        Ok(Op { a, ..Op::new(pair) }.to(d, bytes))
    }

    /// `d = f(a, b)`.
    pub(crate) fn op2(
        &mut self,
        i: &Instruction,
        pair: Pair,
        [d, a, b]: Types<3>,
    ) -> Result<Op, String> {
        let b = self.src(self.operand(i, 2)?, b)?;
        Ok(Op {
            b,
            ..self.op1(i, pair, [d, a])?
        })
    }

    /// `d = f(a, b, c)`.
    pub(crate) fn op3(&mut self, i: &Instruction, pair: Pair, t: Types<4>) -> Result<Op, String> {
        let [d, a, b, c] = t;
        let c = self.src(self.operand(i, 3)?, c)?;
        Ok(Op {
            c,
            ..self.op2(i, pair, [d, a, b])?
        })
    }

    /// The type at `index`, or what is missing.
    pub(crate) fn ty(&self, i: &Instruction, index: usize) -> Result<ScalarType, String> {
        i.ty(index).ok_or_else(|| "a type is missing".to_owned())
    }
}

/// An operation at its place.
pub(crate) fn place(op: Op, pc: u32) -> Ins {
    Ins {
        full: op.pair.full,
        masked: op.pair.masked,
        d: op.d,
        a: op.a,
        b: op.b,
        c: op.c,
        imm: op.imm,
        pc,
    }
}

/// The mnemonic with what tells its kind: `ld.global`, `atom.shared.add`.
fn mnemonic(i: &Instruction) -> String {
    let mut text = i.opcode.as_str().to_owned();
    let with_space = matches!(
        i.opcode,
        Opcode::Ld | Opcode::Ldu | Opcode::St | Opcode::Atom | Opcode::Red
    );
    if let Some(space) = i.space().filter(|_| with_space) {
        text += ".";
        text += space.as_str();
    }
    text
}

fn class(i: &Instruction) -> Class {
    use Opcode as O;
    let space = i.space().map(StateSpace::base);
    match i.opcode {
        O::Atom | O::Red => Class::Atomic,
        O::Ld | O::Ldu | O::St | O::CpAsync => match space {
            Some(StateSpace::Shared) => Class::Shared,
            Some(StateSpace::Local) => Class::Local,
            Some(StateSpace::Param) => Class::Move,
            _ => Class::Global,
        },
        O::Bra | O::BrxIdx | O::Call | O::Ret | O::Exit | O::Trap => Class::Control,
        O::Bar | O::Barrier | O::BarWarpSync | O::Fence | O::Membar => Class::Barrier,
        O::Shfl | O::Vote | O::Match | O::Redux | O::Elect | O::Activemask => Class::Warp,
        O::Mov | O::Cvt | O::Cvta | O::Selp | O::Prmt => Class::Move,
        O::Nanosleep | O::Other(_) => Class::Other,
        _ if i.ty(0).is_some_and(ScalarType::is_float) => Class::Float,
        _ => Class::Integer,
    }
}
