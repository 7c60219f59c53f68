//! A module as PTX text again.

use crate::instruction::{Frame, Guard};
use crate::module::*;
use crate::operand::{Base, Immediate, Integer};
use crate::{Address, Instruction, Operand};
use std::fmt::{self, Display, Formatter, Write};

/// Writes items separated by `, `.
fn list<T>(
    f: &mut Formatter<'_>,
    items: &[T],
    mut each: impl FnMut(&mut Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        each(f, item)?;
    }
    Ok(())
}

fn shown<T: Display>(f: &mut Formatter<'_>, item: &T) -> fmt::Result {
    item.fmt(f)
}

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, ".version {}.{}", self.version.0, self.version.1)?;
        f.write_str(".target ")?;
        list(f, &self.target, shown)?;
        writeln!(f, "\n.address_size {}\n", self.address_size)?;
        for item in &self.items {
            writeln!(f, "{item}")?;
        }
        Ok(())
    }
}

impl Display for Item {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Item::Variable(it) => write!(f, "{it};"),
            Item::Function(it) => it.fmt(f),
            Item::File(it) => {
                write!(f, ".file {} \"{}\"", it.index, it.name)?;
                it.stamp
                    .map_or(Ok(()), |(time, size)| write!(f, ", {time}, {size}"))
            }
            Item::Section(it) => write!(f, ".section .{} {{{}}}", it.name, it.text),
            Item::Alias(it) => write!(f, ".alias {}, {};", it.name, it.aliasee),
            Item::Pragma(it) => it.fmt(f),
        }
    }
}

impl Display for Pragma {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(".pragma ")?;
        list(f, &self.texts, |f, text| write!(f, "\"{text}\""))?;
        f.write_char(';')
    }
}

/// Without the semicolon, so that parameters print the same way.
impl Display for Variable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(linkage) = self.linkage {
            write!(f, ".{linkage} ")?;
        }
        write!(f, ".{}", self.space)?;
        attributes(f, &self.attributes)?;
        if let Some(align) = self.align {
            write!(f, " .align {align}")?;
        }
        if let Some(vector) = self.vector {
            write!(f, " .{vector}")?;
        }
        write!(f, " .{}", self.ty)?;
        if let Some(pointer) = self.pointer {
            f.write_str(" .ptr")?;
            pointer
                .space
                .map_or(Ok(()), |space| write!(f, " .{space}"))?;
            pointer
                .align
                .map_or(Ok(()), |align| write!(f, " .align {align}"))?;
        }
        write!(f, " {}", self.name)?;
        self.range.map_or(Ok(()), |range| write!(f, "<{range}>"))?;
        for dimension in &self.dimensions {
            match dimension {
                Some(size) => write!(f, "[{size}]")?,
                None => f.write_str("[]")?,
            }
        }
        self.initializer
            .as_ref()
            .map_or(Ok(()), |value| write!(f, " = {value}"))
    }
}

fn attributes(f: &mut Formatter<'_>, attributes: &[smol_str::SmolStr]) -> fmt::Result {
    if attributes.is_empty() {
        return Ok(());
    }
    f.write_str(" .attribute(")?;
    list(f, attributes, |f, attribute| write!(f, ".{attribute}"))?;
    f.write_char(')')
}

impl Display for Initializer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Initializer::Immediate(value) => value.fmt(f),
            Initializer::Address {
                name,
                offset,
                generic,
                mask,
            } => {
                if let Some(mask) = mask {
                    write!(f, "{mask}(")?;
                }
                if *generic {
                    write!(f, "generic({name})")?;
                } else {
                    f.write_str(name)?;
                }
                if *offset != 0 {
                    write!(f, "{offset:+}")?;
                }
                if mask.is_some() {
                    f.write_char(')')
                } else {
                    Ok(())
                }
            }
            Initializer::List(values) => {
                f.write_char('{')?;
                list(f, values, shown)?;
                f.write_char('}')
            }
        }
    }
}

fn parameters(f: &mut Formatter<'_>, params: &[Variable]) -> fmt::Result {
    f.write_char('(')?;
    list(f, params, shown)?;
    f.write_char(')')
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(linkage) = self.linkage {
            write!(f, ".{linkage} ")?;
        }
        f.write_str(if self.is_entry { ".entry " } else { ".func " })?;
        if !self.returns.is_empty() {
            parameters(f, &self.returns)?;
            f.write_char(' ')?;
        }
        f.write_str(&self.name)?;
        parameters(f, &self.params)?;
        for directive in &self.directives {
            write!(f, " {directive}")?;
        }
        match &self.body {
            None => f.write_char(';'),
            Some(body) => {
                f.write_char('\n')?;
                block(f, body, 0)?;
                f.write_char('\n')
            }
        }
    }
}

impl Display for FunctionDirective {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        use FunctionDirective as D;
        match self {
            D::RequiredThreads([x, y, z]) => write!(f, ".reqntid {x}, {y}, {z}"),
            D::MaxThreads([x, y, z]) => write!(f, ".maxntid {x}, {y}, {z}"),
            D::RequiredClusterBlocks([x, y, z]) => write!(f, ".reqnctapercluster {x}, {y}, {z}"),
            D::MinBlocksPerSm(n) => write!(f, ".minnctapersm {n}"),
            D::MaxBlocksPerSm(n) => write!(f, ".maxnctapersm {n}"),
            D::MaxRegisters(n) => write!(f, ".maxnreg {n}"),
            D::MaxClusterRank(n) => write!(f, ".maxclusterrank {n}"),
            D::AbiPreserve(n) => write!(f, ".abi_preserve {n}"),
            D::AbiPreserveControl(n) => write!(f, ".abi_preserve_control {n}"),
            D::NoReturn => f.write_str(".noreturn"),
            D::ExplicitCluster => f.write_str(".explicitcluster"),
            D::BlocksAreClusters => f.write_str(".blocksareclusters"),
            D::Attribute(word) if word == "unique" => f.write_str(".unique"),
            D::Attribute(word) => write!(f, ".attribute(.{word})"),
            D::Pragma(pragma) => pragma.fmt(f),
        }
    }
}

/// Deeper scopes are not indented further, so that the text stays as long as the module is.
const MAX_INDENT: usize = 8;

fn indent(f: &mut Formatter<'_>, depth: usize) -> fmt::Result {
    (0..depth.min(MAX_INDENT)).try_for_each(|_| f.write_char('\t'))
}

fn block(f: &mut Formatter<'_>, body: &Block, depth: usize) -> fmt::Result {
    indent(f, depth)?;
    f.write_str("{\n")?;
    for statement in &body.statements {
        match statement {
            Statement::Label(label) => write!(f, "{}:", label.name)?,
            Statement::Block(inner) => block(f, inner, depth + 1)?,
            other => {
                indent(f, depth + 1)?;
                other.fmt(f)?;
            }
        }
        f.write_char('\n')?;
    }
    indent(f, depth)?;
    f.write_char('}')
}

impl Display for Block {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        block(f, self, 0)
    }
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Statement::Instruction(it) => it.fmt(f),
            Statement::Label(it) => write!(f, "{}:", it.name),
            Statement::Variable(it) => write!(f, "{it};"),
            Statement::Block(it) => it.fmt(f),
            Statement::Loc(it) => it.fmt(f),
            Statement::Pragma(it) => it.fmt(f),
            Statement::BranchTargets(it) => targets(f, ".branchtargets", it),
            Statement::CallTargets(it) => targets(f, ".calltargets", it),
            Statement::CallPrototype(it) => it.fmt(f),
        }
    }
}

fn targets(f: &mut Formatter<'_>, directive: &str, it: &Targets) -> fmt::Result {
    write!(f, "{}: {directive} ", it.name)?;
    list(f, &it.targets, shown)?;
    f.write_char(';')
}

impl Display for Prototype {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: .callprototype ", self.name)?;
        if !self.returns.is_empty() {
            parameters(f, &self.returns)?;
            f.write_char(' ')?;
        }
        f.write_str("_ ")?;
        parameters(f, &self.params)?;
        for directive in &self.directives {
            write!(f, " {directive}")?;
        }
        f.write_char(';')
    }
}

impl Display for Loc {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, ".loc {} {} {}", self.file, self.line, self.column)?;
        if let Some((label, offset)) = &self.function_name {
            write!(f, ", function_name {label}")?;
            if *offset != 0 {
                write!(f, "+{offset}")?;
            }
        }
        if let Some((file, line, column)) = self.inlined_at {
            write!(f, ", inlined_at {file} {line} {column}")?;
        }
        for (index, frame) in self.frames.iter().enumerate() {
            write!(f, "{} @[ {frame}", if index == 0 { " //" } else { "" })?;
        }
        self.frames.iter().try_for_each(|_| f.write_str(" ]"))
    }
}

impl Display for Frame {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        // A name that ends in a number would be read as one with a line.
        let ends = self.file.rsplit_once(':');
        let ambiguous = ends.is_some_and(|(_, last)| last.parse::<u32>().is_ok());
        if self.column == 0 && !ambiguous {
            Ok(())
        } else {
            write!(f, ":{}", self.column)
        }
    }
}

impl Display for Guard {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "@{}{}",
            if self.negated { "!" } else { "" },
            self.register
        )
    }
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(guard) = &self.guard {
            write!(f, "{guard} ")?;
        }
        f.write_str(self.opcode.as_str())?;
        for modifier in &self.modifiers {
            write!(f, ".{modifier}")?;
        }
        if !self.operands.is_empty() {
            f.write_char(' ')?;
            list(f, &self.operands, shown)?;
        }
        f.write_char(';')
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Name(name) => f.write_str(name),
            Operand::Special(register) => register.fmt(f),
            Operand::Element(name, component) => write!(f, "{name}.{component}"),
            Operand::Minus(name, None) => write!(f, "-{name}"),
            Operand::Minus(name, Some(component)) => write!(f, "-{name}.{component}"),
            Operand::Offset(name, offset) => write!(f, "{name}{offset:+}"),
            Operand::Immediate(value) => value.fmt(f),
            Operand::Sink => f.write_char('_'),
            Operand::Not(name) => write!(f, "!{name}"),
            Operand::Pair(pair) => write!(f, "{}|{}", pair[0], pair[1]),
            Operand::Address(address) => address.fmt(f),
            Operand::Coordinates(all) => {
                f.write_char('[')?;
                for (index, part) in all.iter().enumerate() {
                    match part {
                        Operand::Address(address) if index == 0 => bare_address(f, address)?,
                        other => write!(f, ", {other}")?,
                    }
                }
                f.write_char(']')
            }
            Operand::Vector(all) => {
                f.write_char('{')?;
                list(f, all, shown)?;
                f.write_char('}')
            }
            Operand::List(all) => {
                f.write_char('(')?;
                list(f, all, shown)?;
                f.write_char(')')
            }
        }
    }
}

fn bare_address(f: &mut Formatter<'_>, address: &Address) -> fmt::Result {
    match &address.base {
        Base::Name(name) => f.write_str(name)?,
        Base::Immediate(value) => value.fmt(f)?,
    }
    if address.offset == 0 {
        Ok(())
    } else {
        write!(f, "{:+}", address.offset)
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('[')?;
        bare_address(f, self)?;
        f.write_char(']')
    }
}

impl Display for Integer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // A literal above `i64::MAX` is unsigned without being told.
        let suffix = if self.unsigned && self.bits <= i64::MAX as u64 {
            "U"
        } else {
            ""
        };
        write!(f, "{}{suffix}", self.value())
    }
}

impl Display for Immediate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Immediate::Integer(value) => value.fmt(f),
            Immediate::F32(bits) => write!(f, "0f{bits:08X}"),
            Immediate::F64(bits) => write!(f, "0d{bits:016X}"),
        }
    }
}
