//! Tables of single instructions: `add.s32 | 5, 7 | 12`.
//!
//! A line is an instruction without its operands, the values it reads, and the values it writes.
//! A value without a type has the one that the ISA gives the operand. `!` in front of a source
//! predicate negates it in the instruction. Each line becomes a kernel of one warp in which the
//! odd lanes execute the instruction and the even ones, behind a false guard, must keep what they
//! had.

use super::value::{Value, register_bits};
use ptx::{Instruction, Opcode, ScalarType as T, Statement};
use std::fmt::Write;

/// Bytes of a slot for one value.
pub const SLOT: usize = 16;
/// What destinations hold before.
const BEFORE: u128 = 0x5AA5_1234_8765_5AA5_5AA5_1234_8765_5AA5;

/// One line of a table.
#[derive(Clone, Debug)]
pub struct Case {
    pub line: usize,
    pub text: String,
    pub instruction: String,
    pub sources: Vec<Value>,
    negated: Vec<bool>,
    pub results: Vec<Value>,
}

impl Case {
    /// Reads a line; `None` for an empty one and for a comment.
    ///
    /// # Panics
    /// If the line is malformed.
    pub fn read(line: usize, text: &str) -> Option<Case> {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            return None;
        }
        let parts: Vec<_> = text.split('|').map(str::trim).collect();
        let [instruction, sources, results] = parts[..] else {
            panic!("line {line}: `{text}` has not three parts")
        };
        let shape = shape(instruction);
        let split = |list: &str| -> Vec<String> {
            list.split(',')
                .map(|it| it.trim().to_owned())
                .filter(|it| !it.is_empty())
                .collect()
        };
        let (mut values, mut negated) = (Vec::new(), Vec::new());
        for (index, word) in split(sources).iter().enumerate() {
            let plain = word.strip_prefix('!');
            negated.push(plain.is_some());
            values.push(Value::read(
                plain.unwrap_or(word),
                source_type(&shape, index),
            ));
        }
        let results = split(results);
        let results = results.iter().enumerate();
        let results = results
            .map(|(index, word)| Value::read(word, result_type(&shape, index)))
            .collect();
        Some(Case {
            line,
            text: text.to_owned(),
            instruction: instruction.to_owned(),
            sources: values,
            negated,
            results,
        })
    }

    /// The name of its kernel.
    pub fn entry(&self) -> String {
        format!("line_{}", self.line)
    }

    /// The bytes that the kernel reads.
    pub fn input(&self) -> Vec<u8> {
        self.sources
            .iter()
            .flat_map(|value| value.bits.to_le_bytes())
            .collect()
    }

    /// Bytes that the kernel writes, for its 32 lanes.
    pub fn output_len(&self) -> usize {
        32 * SLOT * self.results.len()
    }

    /// Holds what the kernel wrote against the table.
    ///
    /// # Errors
    /// The first lane that differs.
    pub fn check(&self, output: &[u8]) -> Result<(), String> {
        for lane in 0..32 {
            for (index, &expected) in self.results.iter().enumerate() {
                let at = (lane * self.results.len() + index) * SLOT;
                let bytes: [u8; SLOT] = output[at..at + SLOT].try_into().expect("a slot");
                let width = register_bits(expected.ty);
                let mask = if width == 128 {
                    u128::MAX
                } else {
                    (1 << width) - 1
                };
                let got = Value {
                    ty: expected.ty,
                    bits: u128::from_le_bytes(bytes) & mask,
                };
                let untouched = Value {
                    ty: expected.ty,
                    bits: BEFORE & mask,
                };
                let (wanted, what) = if lane % 2 == 1 {
                    (expected, "the result")
                } else {
                    (untouched, "behind a false guard, what was there")
                };
                if !got.matches(wanted) {
                    return Err(format!(
                        "line {}: {}\n  lane {lane}, result {index}: {got}, but {what} is {wanted}",
                        self.line, self.text
                    ));
                }
            }
        }
        Ok(())
    }

    fn kernel(&self, out: &mut String) {
        let name = self.entry();
        let _ = write!(
            out,
            ".visible .entry {name}(.param .u64 in, .param .u64 out)\n{{\n\
             .reg .b64 %in, %out, %at; .reg .b32 %lane, %odd, %wide; .reg .pred %run;\n\
             ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n\
             mov.u32 %lane, %laneid; and.b32 %odd, %lane, 1; setp.ne.u32 %run, %odd, 0;\n\
             mul.wide.u32 %at, %lane, {}; add.u64 %out, %out, %at;\n",
            SLOT * self.results.len()
        );
        let mut sources = Vec::new();
        for (index, value) in self.sources.iter().enumerate() {
            let register = format!("%s{index}");
            load(out, &register, value.ty, index * SLOT);
            let sign = if self.negated[index] { "!" } else { "" };
            // The truth table of `lop3` has to be a constant.
            sources.push(match shape(&self.instruction).opcode {
                Opcode::Lop3 if index == 3 => format!("{}", value.bits),
                _ => format!("{sign}{register}"),
            });
        }
        for (index, value) in self.results.iter().enumerate() {
            before(out, &format!("%d{index}"), value.ty);
        }
        let results: Vec<_> = (0..self.results.len())
            .map(|index| format!("%d{index}"))
            .collect();
        let operands = operands(&self.instruction, &results, &sources);
        let _ = writeln!(out, "@%run {} {operands};", self.instruction);
        for (index, value) in self.results.iter().enumerate() {
            store(out, &format!("%d{index}"), value.ty, index * SLOT);
        }
        out.push_str("ret;\n}\n");
    }
}

/// Reads a table.
pub fn cases(table: &str) -> Vec<Case> {
    table
        .lines()
        .enumerate()
        .filter_map(|(at, line)| Case::read(at + 1, line))
        .collect()
}

/// A module with a kernel for every case.
pub fn module(cases: &[Case]) -> String {
    let mut text = ".version 8.7\n.target sm_100a\n.address_size 64\n".to_owned();
    cases.iter().for_each(|case| case.kernel(&mut text));
    text
}

/// `d, a, b`, with the second result behind a bar and vectors in braces where the instruction
/// wants that.
fn operands(instruction: &str, results: &[String], sources: &[String]) -> String {
    let opcode = shape(instruction).opcode;
    let braces = |list: &[String]| match list {
        [one] => one.clone(),
        many => format!("{{{}}}", many.join(", ")),
    };
    if opcode == Opcode::Mov {
        return format!("{}, {}", braces(results), braces(sources));
    }
    let results = results.join("|");
    [&[results][..], sources].concat().join(", ")
}

fn load(out: &mut String, register: &str, ty: T, at: usize) {
    if ty == T::Pred {
        let _ = writeln!(
            out,
            ".reg .pred {register}; ld.global.b32 %wide, [%in+{at}]; setp.ne.b32 {register}, %wide, 0;"
        );
        return;
    }
    let (declared, bits) = (register_type(ty), register_bits(ty));
    let _ = writeln!(
        out,
        ".reg .{declared} {register}; ld.global.b{bits} {register}, [%in+{at}];"
    );
}

fn before(out: &mut String, register: &str, ty: T) {
    let declared = register_type(ty);
    let _ = match register_bits(ty) {
        1 => writeln!(out, ".reg .pred {register}; setp.eq.u32 {register}, 0, 0;"),
        128 => writeln!(
            out,
            ".reg .b128 {register}; .reg .b64 {register}_; mov.b64 {register}_, {};\n\
             mov.b128 {register}, {{{register}_, {register}_}};",
            BEFORE as u64
        ),
        bits => writeln!(
            out,
            ".reg .{declared} {register}; mov.b{bits} {register}, {};",
            BEFORE as u64 & (u64::MAX >> (64 - bits))
        ),
    };
}

fn store(out: &mut String, register: &str, ty: T, at: usize) {
    let _ = match register_bits(ty) {
        1 => writeln!(
            out,
            "selp.b32 %wide, 1, 0, {register}; st.global.b32 [%out+{at}], %wide;"
        ),
        bits => writeln!(out, "st.global.b{bits} [%out+{at}], {register};"),
    };
}

fn register_type(ty: T) -> String {
    match ty {
        T::F32 | T::F64 => ty.as_str().to_owned(),
        other => format!("b{}", register_bits(other)),
    }
}

/// The instruction with its modifiers, parsed without operands.
fn shape(instruction: &str) -> Instruction {
    let text = format!(".version 8.0\n.target sm_90\n.func f() {{ {instruction}; }}");
    let module = ptx::parse(&text).unwrap_or_else(|errors| panic!("{instruction}: {errors}"));
    let body = module
        .functions()
        .next()
        .and_then(|function| function.body.clone());
    match body.expect("a body").statements.first() {
        Some(Statement::Instruction(instruction)) => (**instruction).clone(),
        _ => panic!("`{instruction}` is no instruction"),
    }
}

fn first(shape: &Instruction) -> T {
    shape.ty(0).unwrap_or(T::B32)
}

fn wide(ty: T) -> T {
    match ty {
        T::U16 => T::U32,
        T::S16 => T::S32,
        T::S32 => T::S64,
        _ => T::U64,
    }
}

fn result_type(shape: &Instruction, index: usize) -> T {
    use Opcode as O;
    let is_wide = shape.part() == Some(ptx::modifier::Part::Wide);
    match shape.opcode {
        O::Setp | O::Testp | O::Isspacep => T::Pred,
        _ if index > 0 && shape.opcode != O::Mov => T::Pred,
        O::Popc | O::Clz | O::Bfind => T::U32,
        O::Dp4a | O::Dp2a | O::CvtPack => T::B32,
        O::Vset | O::Vset2 | O::Vset4 => T::U32,
        _ if is_wide => wide(first(shape)),
        _ => first(shape),
    }
}

fn source_type(shape: &Instruction, index: usize) -> T {
    use Opcode as O;
    let second = shape.ty(1);
    let is_wide = shape.part() == Some(ptx::modifier::Part::Wide);
    match (&shape.opcode, index) {
        (O::Set | O::Setp, 2) => T::Pred,
        (O::Selp, 2) | (O::Lop3, 4) => T::Pred,
        (O::Cvt, 2) => T::B32,
        (O::Cvt | O::Set, _) => second.unwrap_or(T::B32),
        (O::CvtPack, _) | (O::Dp4a | O::Dp2a, _) => T::B32,
        (O::Slct, 2) => second.unwrap_or(T::S32),
        (O::Shl | O::Shr, 1) | (O::Szext, 1) | (O::Shf, 2) => T::U32,
        (O::Bfe, 1..) | (O::Bfi, 2..) => T::U32,
        (O::Add | O::Sub, 0) if second.is_some() => second.unwrap_or(T::F16),
        (O::Fma, 0 | 1) if second.is_some() => second.unwrap_or(T::F16),
        (O::Mad, 2) if is_wide => wide(first(shape)),
        _ => first(shape),
    }
}
