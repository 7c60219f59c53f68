//! The ISA's forms of every modelled instruction, as tables.
//!
//! A form is one line of text, read once at first use:
//!
//! ```text
//! mul .lo/hi .@int | d s s
//! │   │      │       └ operands
//! │   │      └ one word of the named set `int`, required
//! │   └ one of these words, required; `?.ftz` would be optional
//! └ opcode
//! ```
//!
//! Operands are a letter for the kind and, where it is not the first type among the modifiers, a
//! type: `s:1` (the second type), `s:b32` (that type), `d:w` (twice as wide as the first). A
//! leading `?` marks those that may be left out, a leading `~` the one that is there exactly with
//! `.L2::cache_hint`. The letters:
//!
//! | letter | operand |
//! |---|---|
//! | `d` | register that is written, or `_` |
//! | `s` | register or constant that is read |
//! | `i` | constant |
//! | `p` | predicate that is written |
//! | `c` | predicate that is read, may be negated |
//! | `P` | one or two predicates that are written, `p\|q` |
//! | `D` | register that is written, and perhaps a predicate, `d\|p` |
//! | `m` | memory, `[address]` |
//! | `a` | address as a value: register or variable |
//! | `v` | register that is written, or as many of them as the vector width says |
//! | `V` | the same, read |
//! | `l` | label |
//! | `t` | list of labels |
//! | `e` | register that is written, or a part of it, `d.b0`, `d.h10` |
//! | `f` | register or constant that is read, or a part of it |
//! | `g` | the same, perhaps negated |
//! | `x` | either a register, a constant or a predicate |
//!
//! Types have to come in the form's order, and so have state spaces. The other words are taken in
//! any order: NVIDIA's own headers write `atom.add.release.gpu.u32` where the ISA's grammar wants
//! `atom.release.gpu.add.u32`, and no combination has two meanings.

mod data;
mod float;
mod integer;
mod memory;
mod sync;
mod video;

use crate::{Modifier, Opcode, ScalarType};
use std::collections::HashMap;
use std::sync::LazyLock;

/// A section of the ISA and the forms that it defines.
pub(crate) type Section = (&'static str, &'static [&'static str]);

/// One form of an instruction.
#[derive(Debug)]
pub(crate) struct Form {
    pub(crate) section: &'static str,
    pub(crate) slots: Vec<Slot>,
    pub(crate) operands: Vec<OperandForm>,
}

/// A place for one modifier.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) optional: bool,
    pub(crate) words: Vec<Modifier>,
}

/// Whether an operand has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    Optional,
    /// Exactly where `.L2::cache_hint` is among the modifiers.
    CacheHint,
}

/// What an operand has to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OperandForm {
    pub(crate) presence: Presence,
    pub(crate) kind: u8,
    pub(crate) ty: TypeForm,
}

/// The type of an operand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TypeForm {
    /// The type at this place among the modifiers.
    Modifier(usize),
    /// Twice as wide as the first.
    Wide,
    /// This one.
    Fixed(ScalarType),
    /// As wide as an address.
    Address,
}

/// Named sets of words: `.@int`.
const SETS: &[(&str, &str)] = &[
    ("int", "u16/u32/u64/s16/s32/s64"),
    ("all", "u8/u16/u32/u64/s8/s16/s32/s64"),
    ("carry", "u32/s32/u64/s64"),
    ("bits", "b16/b32/b64"),
    ("scalar", "b16/b32/b64/u16/u32/u64/s16/s32/s64/f32/f64"),
    (
        "memory",
        "b8/b16/b32/b64/b128/u8/u16/u32/u64/s8/s16/s32/s64/f32/f64",
    ),
    ("word", "b32/u32/s32/f32"),
    ("long", "b64/u64/s64/f64"),
    ("half", "f16/f16x2"),
    ("bfloat", "bf16/bf16x2"),
    ("rnd", "rn/rz/rm/rp"),
    ("irnd", "rni/rzi/rmi/rpi"),
    ("order", "eq/ne/lt/le/gt/ge"),
    ("unsigned", "eq/ne/lt/le/gt/ge/lo/ls/hi/hs"),
    ("float", "eq/ne/lt/le/gt/ge/equ/neu/ltu/leu/gtu/geu/num/nan"),
    ("bool", "and/or/xor"),
    ("sem", "relaxed/acquire/release/acq_rel"),
    ("scope", "cta/cluster/gpu/sys"),
    ("shared", "shared/shared::cta/shared::cluster"),
    ("cta", "shared/shared::cta"),
    (
        "load",
        "const/global/local/param/param::entry/param::func/shared/shared::cta/shared::cluster",
    ),
    (
        "store",
        "global/local/param/param::func/shared/shared::cta/shared::cluster",
    ),
    (
        "l1",
        "L1::evict_normal/L1::evict_unchanged/L1::evict_first/L1::evict_last/L1::no_allocate",
    ),
    ("l2", "L2::evict_normal/L2::evict_first/L2::evict_last"),
    (
        "primary",
        "L2::evict_last/L2::evict_normal/L2::evict_first/L2::evict_unchanged",
    ),
    ("secondary", "L2::evict_first/L2::evict_unchanged"),
    ("prefetch", "L2::64B/L2::128B/L2::256B"),
    ("narrow", "e4m3x2/e5m2x2/e2m1x2/e2m3x2/e3m2x2"),
    ("quad", "e4m3x4/e5m2x4/e2m1x4/e2m3x4/e3m2x4"),
];

static FORMS: LazyLock<HashMap<Opcode, Vec<Form>>> = LazyLock::new(|| {
    let mut forms: HashMap<Opcode, Vec<Form>> = HashMap::new();
    for (section, lines) in all_sections() {
        for text in *lines {
            if let Some((opcode, form)) = read_form(section, text) {
                forms.entry(opcode).or_default().push(form);
            }
        }
    }
    forms
});

fn all_sections() -> impl Iterator<Item = &'static Section> {
    let tables = [
        integer::SECTIONS,
        float::SECTIONS,
        data::SECTIONS,
        memory::SECTIONS,
        sync::SECTIONS,
        video::SECTIONS,
    ];
    tables.into_iter().flatten()
}

/// The forms of an opcode; none for [`Opcode::Other`].
pub(crate) fn forms(opcode: &Opcode) -> &'static [Form] {
    FORMS.get(opcode).map_or(&[], Vec::as_slice)
}

/// The sections and lines as they stand, for tests and tools.
#[cfg(test)]
pub(crate) fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    all_sections().flat_map(|(section, lines)| lines.iter().map(move |line| (*section, *line)))
}

/// `None` only for a line that does not follow the grammar above; a test holds that none is.
pub(crate) fn read_form(section: &'static str, text: &'static str) -> Option<(Opcode, Form)> {
    let (head, operands) = text.split_once('|')?;
    let mut words = head.split_whitespace();
    let opcode = Opcode::from_name(words.next()?)?;
    let slots = words
        .map(|word| slot(&opcode, word))
        .collect::<Option<_>>()?;
    let operands = operands
        .split_whitespace()
        .map(operand)
        .collect::<Option<_>>()?;
    Some((
        opcode,
        Form {
            section,
            slots,
            operands,
        },
    ))
}

fn slot(opcode: &Opcode, word: &'static str) -> Option<Slot> {
    let (optional, word) = match word.strip_prefix('?') {
        Some(rest) => (true, rest),
        None => (false, word),
    };
    let word = word.strip_prefix('.')?;
    let mut words = Vec::new();
    for choice in word.split('/') {
        match choice.strip_prefix('@') {
            None => words.push(Modifier::from_word(opcode, choice)),
            Some(name) => {
                let (_, set) = SETS.iter().find(|(set, _)| *set == name)?;
                words.extend(set.split('/').map(|word| Modifier::from_word(opcode, word)));
            }
        }
    }
    Some(Slot { optional, words })
}

fn operand(word: &'static str) -> Option<OperandForm> {
    let (presence, word) = match (word.strip_prefix('?'), word.strip_prefix('~')) {
        (Some(rest), _) => (Presence::Optional, rest),
        (_, Some(rest)) => (Presence::CacheHint, rest),
        _ => (Presence::Required, word),
    };
    let (kind, ty) = word.split_once(':').unwrap_or((word, "0"));
    let kind = match kind.as_bytes() {
        [kind @ (b'd' | b's' | b'i' | b'p' | b'c' | b'P' | b'D' | b'm' | b'a' | b'v' | b'V')]
        | [kind @ (b'l' | b't' | b'x' | b'e' | b'f' | b'g')] => *kind,
        _ => return None,
    };
    let ty = match ty {
        "0" => TypeForm::Modifier(0),
        "1" => TypeForm::Modifier(1),
        "2" => TypeForm::Modifier(2),
        "w" => TypeForm::Wide,
        "a" => TypeForm::Address,
        other => TypeForm::Fixed(ScalarType::from_word(other)?),
    };
    Some(OperandForm { presence, kind, ty })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_reads_and_every_opcode_has_a_form() {
        for (section, line) in lines() {
            let (_, form) = read_form(section, line).unwrap_or_else(|| panic!("{section}: {line}"));
            assert!(
                form.slots.len() < 32,
                "the checker keeps them as bits: {line}"
            );
        }
        for opcode in Opcode::ALL {
            // Their operands follow no line of the table; the checker knows them by name.
            if !matches!(opcode, Opcode::Mov | Opcode::Call) {
                assert!(!forms(opcode).is_empty(), "{opcode}");
            }
        }
    }
}
