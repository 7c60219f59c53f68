//! Whether an operand is of the kind and type that a form wants.

use super::Checker;
use super::scope::Symbol;
use crate::isa::{OperandForm, TypeForm};
use crate::module::Variable;
use crate::{
    Address, Base, Component, Error, ErrorKind, Immediate, Instruction, Opcode, Operand,
    ScalarType, Span, SpecialRegister, StateSpace,
};

/// What a register has to be for an operand.
#[derive(Clone, Copy)]
enum Wanted {
    /// Agrees with the type (ISA 9.4).
    Type(ScalarType),
    /// The same, or wider (ISA 9.4.1): loads, stores and conversions.
    AtLeast(ScalarType),
    /// An unsigned or untyped integer of this many bits.
    Bits(u32),
    /// Any of the two widths of an address.
    Address,
    /// Anything.
    Any,
}

impl<'a> Checker<'a> {
    /// Checks operand number `at`.
    pub(super) fn operand(
        &self,
        instruction: &'a Instruction,
        at: usize,
        form: &OperandForm,
    ) -> Result<(), Error> {
        let span = instruction
            .operand_spans
            .get(at)
            .copied()
            .unwrap_or(instruction.span);
        let Some(operand) = instruction.operands.get(at) else {
            return Ok(());
        };
        let wanted = self.wanted(instruction, form);
        let pred = Wanted::Type(ScalarType::Pred);
        match (form.kind, operand) {
            (b'd' | b'v' | b'p' | b'P' | b'D', Operand::Sink) => Ok(()),
            (b'd' | b'v', _) if is_register(operand) => self.register(operand, wanted, span),
            (b'p' | b'c' | b'P', _) if is_register(operand) => self.register(operand, pred, span),
            (b'c', Operand::Immediate(Immediate::Integer(_))) => Ok(()),
            (b'c', Operand::Not(name)) => self.named_register(name, pred, span),
            (b's' | b'V', Operand::Immediate(value)) => immediate(*value, wanted, span),
            (b's' | b'V' | b'D', _) if is_register(operand) => self.register(operand, wanted, span),
            (b's', Operand::Not(name)) if matches!(wanted, Wanted::Type(ScalarType::Pred)) => {
                self.named_register(name, pred, span)
            }
            (b's', Operand::Special(register)) => special(instruction, *register, span),
            (b'v' | b'V', Operand::Vector(parts)) => self.vector(instruction, parts, wanted, span),
            (b'P' | b'D', Operand::Pair(pair)) => {
                let first = if form.kind == b'P' { pred } else { wanted };
                self.result(&pair[0], first, span)?;
                self.result(&pair[1], pred, span)
            }
            (b'i', Operand::Immediate(Immediate::Integer(_))) => Ok(()),
            (b'm', Operand::Address(address)) => self.address(instruction, address, span),
            (b'a', Operand::Name(name) | Operand::Offset(name, _)) => self.location(name, span),
            (b'l', Operand::Name(name)) => match self.find(name, span)? {
                Symbol::Label => Ok(()),
                _ => Err(Error::invalid(format!("`{name}` is no label"), span)),
            },
            (b't', Operand::Name(name)) => match self.find(name, span)? {
                Symbol::BranchTargets => Ok(()),
                _ => Err(Error::invalid(
                    format!("`{name}` is no `.branchtargets` list"),
                    span,
                )),
            },
            (b'e', Operand::Sink) | (b'f' | b'g', Operand::Immediate(_)) => Ok(()),
            (b'e' | b'f' | b'g', Operand::Name(name) | Operand::Element(name, _))
            | (b'g', Operand::Minus(name, _)) => self.named_register(name, Wanted::Bits(32), span),
            (b'x', Operand::Immediate(_) | Operand::Not(_)) => Ok(()),
            (b'x', _) if is_register(operand) => self.register(operand, Wanted::Any, span),
            _ => Err(Error::new(
                ErrorKind::Unexpected {
                    found: format!("`{operand}`"),
                    expected: form.name().to_owned(),
                },
                span,
            )),
        }
    }

    fn wanted(&self, instruction: &Instruction, form: &OperandForm) -> Wanted {
        let ty = match form.ty {
            TypeForm::Modifier(index) => instruction.ty(index),
            TypeForm::Fixed(ty) => Some(ty),
            TypeForm::Address => return Wanted::Address,
            TypeForm::Wide => {
                return instruction
                    .ty(0)
                    .map_or(Wanted::Any, |ty| Wanted::Bits(ty.bits() * 2));
            }
        };
        let relaxed = matches!(
            instruction.opcode,
            Opcode::Ld | Opcode::Ldu | Opcode::St | Opcode::StAsync | Opcode::Cvt
        );
        match ty {
            None => Wanted::Any,
            Some(ty) if relaxed => Wanted::AtLeast(ty),
            Some(ty) => Wanted::Type(ty),
        }
    }

    pub(super) fn find(&self, name: &str, span: Span) -> Result<Symbol<'a>, Error> {
        self.scopes
            .find(name)
            .ok_or_else(|| Error::new(ErrorKind::Undeclared(name.to_owned()), span))
    }

    /// A result that may be thrown away.
    fn result(&self, operand: &Operand, wanted: Wanted, span: Span) -> Result<(), Error> {
        match operand {
            Operand::Sink => Ok(()),
            _ if is_register(operand) => self.register(operand, wanted, span),
            _ => Err(Error::invalid(format!("`{operand}` is no register"), span)),
        }
    }

    fn register(&self, operand: &Operand, wanted: Wanted, span: Span) -> Result<(), Error> {
        match operand {
            Operand::Name(name) => self.named_register(name, wanted, span),
            Operand::Element(name, component) => {
                let variable = self.register_variable(name, span)?;
                element_fits(variable, *component, span)?;
                agrees(variable.ty, name, wanted, span)
            }
            _ => Ok(()),
        }
    }

    fn named_register(&self, name: &str, wanted: Wanted, span: Span) -> Result<(), Error> {
        let variable = self.register_variable(name, span)?;
        agrees(variable.ty, name, wanted, span)
    }

    fn register_variable(&self, name: &str, span: Span) -> Result<&'a Variable, Error> {
        match self.find(name, span)? {
            Symbol::Variable(variable) if variable.space == StateSpace::Reg => Ok(variable),
            _ => Err(Error::invalid(format!("`{name}` is no register"), span)),
        }
    }

    fn vector(
        &self,
        instruction: &Instruction,
        parts: &[Operand],
        wanted: Wanted,
        span: Span,
    ) -> Result<(), Error> {
        if let Some(width) = instruction.vector()
            && width.count() != parts.len()
        {
            let message = format!(
                "`.{width}` wants {} parts, not {}",
                width.count(),
                parts.len()
            );
            return Err(Error::invalid(message, span).in_section("5.4.2"));
        }
        parts.iter().try_for_each(|part| match part {
            Operand::Immediate(value) => immediate(*value, wanted, span),
            other => self.result(other, wanted, span),
        })
    }

    fn address(
        &self,
        instruction: &Instruction,
        address: &Address,
        span: Span,
    ) -> Result<(), Error> {
        let Base::Name(name) = &address.base else {
            return Ok(());
        };
        match self.find(name, span)? {
            Symbol::Variable(variable) if variable.space == StateSpace::Reg => {
                agrees(variable.ty, name, Wanted::Address, span)
            }
            Symbol::Variable(variable) => {
                let spaces = instruction
                    .modifiers
                    .iter()
                    .filter_map(|modifier| match modifier {
                        crate::Modifier::Space(space) => Some(space.base()),
                        _ => None,
                    });
                let spaces: Vec<_> = spaces.collect();
                if spaces.is_empty() || spaces.contains(&variable.space.base()) {
                    return Ok(());
                }
                let message = format!(
                    "`{name}` lives in `.{}`, and the instruction addresses `.{}`",
                    variable.space,
                    spaces
                        .iter()
                        .map(ToString::to_string)
                        .collect::<Vec<_>>()
                        .join("` and `."),
                );
                Err(Error::invalid(message, span))
            }
            _ => Err(Error::invalid(
                format!("`{name}` has no address in memory"),
                span,
            )),
        }
    }

    /// A register that holds an address, or something that has one.
    fn location(&self, name: &str, span: Span) -> Result<(), Error> {
        match self.find(name, span)? {
            Symbol::Variable(variable) if variable.space == StateSpace::Reg => {
                agrees(variable.ty, name, Wanted::Address, span)
            }
            Symbol::Variable(_) | Symbol::Function(_) => Ok(()),
            _ => Err(Error::invalid(format!("`{name}` has no address"), span)),
        }
    }

    /// `mov` (ISA 9.7.9.3, 9.7.9.4): plain, of an address, and packing or unpacking a vector.
    pub(super) fn mov(&self, instruction: &'a Instruction) -> Result<(), Error> {
        let in_section = |error: Error| error.in_section("9.7.9.3");
        let [crate::Modifier::Type(ty)] = instruction.modifiers.as_slice() else {
            let message = "`mov` takes one modifier, the type".to_owned();
            return Err(in_section(Error::invalid(message, instruction.span)));
        };
        let [to, from] = instruction.operands.as_slice() else {
            let message = format!(
                "`mov.{ty}` takes 2 operands, not {}",
                instruction.operands.len()
            );
            return Err(in_section(Error::invalid(message, instruction.span)));
        };
        let span = |at: usize| {
            instruction
                .operand_spans
                .get(at)
                .copied()
                .unwrap_or(instruction.span)
        };
        self.mov_side(to, *ty, true, span(0)).map_err(in_section)?;
        self.mov_side(from, *ty, false, span(1)).map_err(in_section)
    }

    fn mov_side(
        &self,
        side: &Operand,
        ty: ScalarType,
        writes: bool,
        span: Span,
    ) -> Result<(), Error> {
        match side {
            Operand::Sink if writes => Ok(()),
            Operand::Immediate(value) if !writes => immediate(*value, Wanted::Type(ty), span),
            Operand::Special(register) if !writes => {
                agrees(register.ty(), register.as_str(), Wanted::Type(ty), span)
            }
            Operand::Name(name) if !writes => match self.find(name, span)? {
                Symbol::Variable(variable) if variable.space == StateSpace::Reg => {
                    agrees(variable.ty, name, Wanted::Type(ty), span)
                }
                Symbol::Variable(_) | Symbol::Function(_) => Ok(()),
                _ => Err(Error::invalid(format!("`{name}` has no address"), span)),
            },
            Operand::Offset(name, _) if !writes => self.location(name, span),
            Operand::Vector(parts) => self.pack(parts, ty, span),
            _ if is_register(side) => self.register(side, Wanted::Type(ty), span),
            _ => Err(Error::invalid(
                format!("`{side}` is no operand of `mov`"),
                span,
            )),
        }
    }

    /// The parts of a vector fill the type exactly.
    fn pack(&self, parts: &[Operand], ty: ScalarType, span: Span) -> Result<(), Error> {
        let count = parts.len() as u32;
        if !matches!(count, 2 | 4) || !ty.is_bits() {
            let message = format!("`mov.{ty}` does not pack {count} parts");
            return Err(Error::invalid(message, span));
        }
        let each = ty.bits() / count;
        parts.iter().try_for_each(|part| match part {
            Operand::Sink | Operand::Immediate(_) => Ok(()),
            Operand::Name(name) => {
                let variable = self.register_variable(name, span)?;
                if variable.ty.bits() == each {
                    return Ok(());
                }
                let message = format!(
                    "`{name}` has {} bits, and each of {count} parts of `.{ty}` has {each}",
                    variable.ty.bits()
                );
                Err(Error::invalid(message, span))
            }
            other => self.result(other, Wanted::Any, span),
        })
    }
}

/// Whether the operand may be a register, by its form.
fn is_register(operand: &Operand) -> bool {
    matches!(operand, Operand::Name(_) | Operand::Element(..))
}

fn element_fits(variable: &Variable, component: Component, span: Span) -> Result<(), Error> {
    let count = variable.vector.map_or(1, |vector| vector.count());
    match component.index() {
        Some(index) if index < count => Ok(()),
        _ => {
            let message = format!("`{}` has no component `.{}`", variable.name, component);
            Err(Error::invalid(message, span))
        }
    }
}

/// Special registers are read by `mov` and `cvt` alone; `WARP_SZ` is a constant.
fn special(instruction: &Instruction, register: SpecialRegister, span: Span) -> Result<(), Error> {
    if instruction.opcode == Opcode::Cvt || register == SpecialRegister::WarpSize {
        return Ok(());
    }
    let opcode = &instruction.opcode;
    let message = format!("`{opcode}` does not read special registers; `mov` {register} first");
    Err(Error::invalid(message, span).in_section("10"))
}

fn immediate(value: Immediate, wanted: Wanted, span: Span) -> Result<(), Error> {
    let (Wanted::Type(ty) | Wanted::AtLeast(ty)) = wanted else {
        return Ok(());
    };
    let fits = match value {
        _ if matches!(ty, ScalarType::F16 | ScalarType::Bf16) => false,
        Immediate::Integer(_) => !matches!(ty, ScalarType::F32 | ScalarType::F64),
        Immediate::F32(_) => ty.is_bits() || ty.is_float(),
        Immediate::F64(_) => ty.is_bits() || ty.is_float(),
    };
    if fits {
        return Ok(());
    }
    Err(Error::invalid(
        format!("`{value}` is no constant of type `.{ty}`"),
        span,
    ))
}

/// ISA table 24: which register types an operand of an instruction type takes.
fn agrees(register: ScalarType, name: &str, wanted: Wanted, span: Span) -> Result<(), Error> {
    let is_word_float = |ty| matches!(ty, ScalarType::F32 | ScalarType::F64);
    let (fits, text) = match wanted {
        Wanted::Any => (true, String::new()),
        Wanted::Address => (
            matches!(register.bits(), 32 | 64) && !is_word_float(register),
            "an address, in 32 or 64 bits".to_owned(),
        ),
        Wanted::Bits(bits) => (
            register.bits() == bits && !is_word_float(register),
            format!("an integer of {bits} bits"),
        ),
        Wanted::Type(ty) | Wanted::AtLeast(ty) => {
            let exact = matches!(wanted, Wanted::Type(_)) || (register.is_float() && ty.is_float());
            let wide = if exact {
                register.bits() == ty.bits()
            } else {
                register.bits() >= ty.bits()
            };
            let same_kind = register.is_bits()
                || ty.is_bits()
                || register == ty
                || (!is_word_float(register) && !is_word_float(ty));
            let pred = (register == ScalarType::Pred) == (ty == ScalarType::Pred);
            (wide && same_kind && pred, format!("`.{ty}`"))
        }
    };
    if fits {
        return Ok(());
    }
    let message =
        format!("`{name}` is a register of type `.{register}`, and {text} is wanted here");
    Err(Error::invalid(message, span))
}
