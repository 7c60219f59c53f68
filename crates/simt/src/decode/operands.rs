//! Operands: registers, constants, special registers, addresses of variables.

use super::function::Decoder;
use super::names::Named;
use crate::code::{Constant, Guard, Special};
use crate::memory::window;
use ptx::{Immediate, Operand, ScalarType, SpecialRegister, StateSpace};

/// Bytes of an element of a register of this type; 0 for predicates.
pub(crate) fn register_bytes(ty: ScalarType) -> u32 {
    match ty {
        ScalarType::Pred => 0,
        // There are no 8-bit registers to compute with: they take the room of 16 bits.
        other => other.bytes().max(2),
    }
}

/// A register that an operand names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reg {
    pub(crate) offset: u32,
    pub(crate) bytes: u32,
}

impl Decoder<'_> {
    /// The register that an operand names.
    pub(crate) fn register(&mut self, operand: &Operand) -> Result<Reg, String> {
        let (name, index) = match operand {
            Operand::Name(name) => (name, 0),
            Operand::Element(name, component) => {
                let index = component
                    .index()
                    .ok_or("a byte selector is not supported")?;
                (name, index as u32)
            }
            other => return Err(format!("`{other}` is not a register")),
        };
        match self.names.find(self.scope, name) {
            Some((key, Named::Register { ty, count })) => {
                let bytes = register_bytes(ty);
                let start = self.frame.register(&key, bytes, count);
                if index >= count {
                    return Err(format!("`{operand}`: the register has {count} elements"));
                }
                let step = if bytes == 0 {
                    4
                } else {
                    (bytes * 32).next_multiple_of(64)
                };
                Ok(Reg {
                    offset: start + index * step,
                    bytes,
                })
            }
            Some(_) => Err(format!("`{name}` is not a register")),
            None => Err(format!("`{name}` is not declared")),
        }
    }

    /// A destination of exactly so many bytes.
    pub(crate) fn dst(&mut self, operand: &Operand, bytes: u32) -> Result<u32, String> {
        if *operand == Operand::Sink {
            return Ok(self.frame.room(bytes, 1));
        }
        let reg = self.register(operand)?;
        if reg.bytes != bytes {
            return Err(format!(
                "`{operand}` has {} bits where {} are wanted",
                reg.bytes * 8,
                bytes * 8
            ));
        }
        Ok(reg.offset)
    }

    /// A source of a type.
    pub(crate) fn src(&mut self, operand: &Operand, ty: ScalarType) -> Result<u32, String> {
        let bytes = register_bytes(ty);
        match operand {
            Operand::Immediate(immediate) => {
                let bits = immediate_bits(*immediate, ty)?;
                Ok(self.frame.constant(Constant::Bits(bits), bytes))
            }
            Operand::Special(register) => self.special(*register, bytes),
            Operand::Name(name) | Operand::Offset(name, _)
                if !matches!(
                    self.names.find(self.scope, name),
                    Some((_, Named::Register { .. }))
                ) =>
            {
                let offset = if let Operand::Offset(_, offset) = operand {
                    *offset
                } else {
                    0
                };
                self.symbol(name, offset, bytes)
            }
            Operand::Offset(..) => Err(format!("`{operand}`: a register plus an offset")),
            _ => {
                let reg = self.register(operand)?;
                if reg.bytes != bytes {
                    return Err(format!(
                        "`{operand}` has {} bits where {} are wanted",
                        reg.bytes * 8,
                        bytes * 8
                    ));
                }
                Ok(reg.offset)
            }
        }
    }

    /// A predicate source, perhaps negated.
    pub(crate) fn predicate(&mut self, operand: &Operand) -> Result<Guard, String> {
        match operand {
            Operand::Not(name) => {
                let predicate = self.dst(&Operand::Name(name.clone()), 0)?;
                Ok(Guard {
                    predicate,
                    negated: true,
                })
            }
            Operand::Immediate(Immediate::Integer(value)) => {
                let constant = if value.bits != 0 {
                    Special::One
                } else {
                    Special::Zero
                };
                let predicate = self.frame.constant(Constant::Special(constant), 0);
                Ok(Guard {
                    predicate,
                    negated: false,
                })
            }
            other => Ok(Guard {
                predicate: self.dst(other, 0)?,
                negated: false,
            }),
        }
    }

    /// A predicate that is not negated: a negated one is turned into one by an instruction ahead.
    pub(crate) fn uniform_value(&self, operand: &Operand) -> Option<u32> {
        match operand {
            Operand::Immediate(immediate) => immediate_bits(*immediate, ScalarType::U32)
                .ok()
                .map(|bits| bits as u32),
            _ => None,
        }
    }

    /// The slot with a variable's or function's address.
    pub(crate) fn symbol(&mut self, name: &str, offset: i64, bytes: u32) -> Result<u32, String> {
        let constant = self.address_of(name, offset)?;
        if bytes != 8 && bytes != 4 {
            return Err(format!(
                "the address of `{name}` does not fit {} bits",
                bytes * 8
            ));
        }
        Ok(self.frame.constant(constant, bytes))
    }

    /// The address of a variable in its space, or of a function.
    pub(crate) fn address_of(&mut self, name: &str, offset: i64) -> Result<Constant, String> {
        if let Some((key, named)) = self.names.find(self.scope, name) {
            let Named::Variable {
                space,
                bytes,
                align,
                ..
            } = named
            else {
                return Err(format!("`{name}` has no address"));
            };
            return match space {
                StateSpace::Shared => {
                    let at = self.shared_offset(name).unwrap_or(0);
                    Ok(Constant::Bits(at.wrapping_add(offset as u64)))
                }
                StateSpace::Param if self.is_entry && key.0 == 0 => {
                    let at = self.param_offset(name)?;
                    Ok(Constant::Bits(u64::from(at).wrapping_add(offset as u64)))
                }
                // In the entry the frame starts at 0, and so its addresses are known.
                StateSpace::Local | StateSpace::Param if self.is_entry => {
                    let at = self.frame.local(&key, bytes, align)?;
                    Ok(Constant::Bits(u64::from(at).wrapping_add(offset as u64)))
                }
                other => Err(format!("the address of `{name}` in .{other} is taken")),
            };
        }
        if let Some(at) = self.shared_offset(name) {
            return Ok(Constant::Bits(at.wrapping_add(offset as u64)));
        }
        if let Some(symbol) = self.module.symbol(name) {
            return Ok(Constant::Symbol(symbol, offset));
        }
        if let Some(number) = self.module.function_number(name) {
            return Ok(Constant::Bits(window::CODE + 16 * u64::from(number)));
        }
        Err(format!("`{name}` is not declared"))
    }

    /// The slot of a special register, where it does not change while a block runs.
    fn special(&mut self, register: SpecialRegister, bytes: u32) -> Result<u32, String> {
        if register == SpecialRegister::WarpSize {
            return Ok(self.frame.constant(Constant::Bits(32), bytes));
        }
        let special = constant_special(register)
            .ok_or_else(|| format!("`{register}` can only be read by `mov`"))?;
        let bytes = if register == SpecialRegister::IsExplicitCluster {
            0
        } else {
            bytes
        };
        Ok(self.frame.constant(Constant::Special(special), bytes))
    }
}

/// The special registers that are constant while a block runs.
pub(crate) fn constant_special(register: SpecialRegister) -> Option<Special> {
    use SpecialRegister as R;
    Some(match register {
        R::TidX => Special::Tid(0),
        R::TidY => Special::Tid(1),
        R::TidZ => Special::Tid(2),
        R::NtidX => Special::Ntid(0),
        R::NtidY => Special::Ntid(1),
        R::NtidZ => Special::Ntid(2),
        R::CtaidX | R::ClusteridX => Special::Ctaid(0),
        R::CtaidY | R::ClusteridY => Special::Ctaid(1),
        R::CtaidZ | R::ClusteridZ => Special::Ctaid(2),
        R::NctaidX | R::NclusteridX => Special::Nctaid(0),
        R::NctaidY | R::NclusteridY => Special::Nctaid(1),
        R::NctaidZ | R::NclusteridZ => Special::Nctaid(2),
        R::Laneid => Special::LaneId,
        R::Warpid => Special::WarpId,
        R::Nwarpid => Special::WarpCount,
        R::Smid => Special::SmId,
        R::Nsmid => Special::SmCount,
        R::Gridid => Special::GridId,
        R::LanemaskEq => Special::LanemaskEq,
        R::LanemaskLe => Special::LanemaskLe,
        R::LanemaskLt => Special::LanemaskLt,
        R::LanemaskGe => Special::LanemaskGe,
        R::LanemaskGt => Special::LanemaskGt,
        R::DynamicSmemSize => Special::DynamicShared,
        R::TotalSmemSize | R::AggrSmemSize => Special::TotalShared,
        // A block is its own cluster where none is asked for.
        R::ClusterNctaidX | R::ClusterNctaidY | R::ClusterNctaidZ => Special::One,
        R::ClusterNctarank => Special::One,
        R::ClusterCtaidX | R::ClusterCtaidY | R::ClusterCtaidZ => Special::Zero,
        R::ClusterCtarank | R::IsExplicitCluster | R::CurrentGraphExec => Special::Zero,
        R::ReservedSmemOffsetBegin | R::ReservedSmemOffsetEnd => Special::Zero,
        R::ReservedSmemOffsetCap | R::ReservedSmemOffset0 => Special::Zero,
        R::ReservedSmemOffset1 => Special::Zero,
        other if other.as_str().starts_with("%envreg") => Special::Zero,
        other if other.as_str().starts_with("%pm") => Special::Zero,
        _ => return None,
    })
}

/// The bits of an immediate as an operand of a type.
pub(crate) fn immediate_bits(immediate: Immediate, ty: ScalarType) -> Result<u64, String> {
    Ok(match (immediate, ty) {
        (Immediate::Integer(value), ScalarType::F32) => u64::from((value.value() as f32).to_bits()),
        (Immediate::Integer(value), ScalarType::F64) => (value.value() as f64).to_bits(),
        (Immediate::Integer(value), _) => value.bits,
        (Immediate::F32(bits), ScalarType::F64) => f64::from(f32::from_bits(bits)).to_bits(),
        (Immediate::F32(bits), _) => u64::from(bits),
        (Immediate::F64(bits), ScalarType::F32) => {
            u64::from((f64::from_bits(bits) as f32).to_bits())
        }
        (Immediate::F64(bits), ty) if ty.bits() == 64 => bits,
        (Immediate::F64(_), ty) => return Err(format!("a double as an operand of .{ty}")),
    })
}
