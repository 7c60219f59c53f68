//! Which form of the tables an instruction has.

use super::Checker;
use crate::isa::{Form, OperandForm, Presence, Slot, forms};
use crate::modifier::CacheHint;
use crate::{Error, Instruction, Modifier, ScalarType, StateSpace};
use std::mem::discriminant;

/// How the modifiers fall into a form's slots.
enum Fit {
    /// Every modifier has its slot and every required slot its modifier.
    Whole,
    /// This many modifiers found a slot, and something is left over or missing.
    Partial(usize),
}

impl<'a> Checker<'a> {
    /// Looks for a form that the instruction has.
    pub(super) fn forms(&self, instruction: &'a Instruction) -> Result<(), Error> {
        let (mut closest, mut best) = (Vec::new(), 0);
        let mut operand_error: Option<(usize, Error)> = None;
        for form in forms(&instruction.opcode) {
            match fit(form, &instruction.modifiers) {
                Fit::Partial(count) => {
                    if count > best {
                        closest.clear();
                        best = count;
                    }
                    if count == best {
                        closest.push(form);
                    }
                }
                Fit::Whole => match self.operands(instruction, form) {
                    Ok(()) => return Ok(()),
                    // The form whose operands fit furthest tells best what is wrong.
                    Err((at, error)) => {
                        if operand_error
                            .as_ref()
                            .is_none_or(|(before, _)| at > *before)
                        {
                            operand_error = Some((at, error));
                        }
                    }
                },
            }
        }
        Err(operand_error.map_or_else(|| no_form(instruction, &closest), |(_, error)| error))
    }

    /// Checks the operands; on failure says how many of them were fine.
    fn operands(
        &self,
        instruction: &'a Instruction,
        form: &'static Form,
    ) -> Result<(), (usize, Error)> {
        let hint = instruction
            .modifiers
            .contains(&Modifier::Hint(CacheHint::L2CacheHint));
        let required = |operand: &&OperandForm| match operand.presence {
            Presence::Required => true,
            Presence::Optional => false,
            Presence::CacheHint => hint,
        };
        let given = instruction.operands.len();
        let least = form.operands.iter().filter(required).count();
        let optional = form
            .operands
            .iter()
            .filter(|it| it.presence == Presence::Optional)
            .count();
        if given < least || given > least + optional {
            let error = wrong_count(instruction, least, least + optional);
            return Err((given.min(least), error.in_section(form.section)));
        }
        // Optional operands may stand in the middle: as many as there is room for are taken.
        let mut spare = given - least;
        let mut at = 0;
        for operand in &form.operands {
            if !required(&operand) {
                if spare == 0 || operand.presence == Presence::CacheHint {
                    continue;
                }
                spare -= 1;
            }
            let result = self.operand(instruction, at, operand);
            result.map_err(|error| (at + 1, error.in_section(form.section)))?;
            at += 1;
        }
        Ok(())
    }
}

fn wrong_count(instruction: &Instruction, least: usize, most: usize) -> Error {
    let wanted = if least == most {
        most.to_string()
    } else {
        format!("{least} to {most}")
    };
    let message = format!(
        "`{}` takes {wanted} operand{}, not {}",
        mnemonic(instruction),
        if most == 1 { "" } else { "s" },
        instruction.operands.len(),
    );
    Error::invalid(message, instruction.span)
}

/// The opcode with its modifiers.
pub(super) fn mnemonic(instruction: &Instruction) -> String {
    let mut text = instruction.opcode.to_string();
    for modifier in &instruction.modifiers {
        text.push('.');
        text.push_str(modifier.as_str());
    }
    text
}

/// Whether words of this kind have to come in the form's order.
fn is_ordered(modifier: &Modifier) -> bool {
    matches!(modifier, Modifier::Type(_) | Modifier::Space(_))
}

fn is_ordered_slot(slot: &Slot) -> bool {
    slot.words.first().is_some_and(is_ordered)
}

fn fit(form: &Form, modifiers: &[Modifier]) -> Fit {
    let (filled, loose) = assign(form, modifiers);
    let mut slots = form.slots.iter().enumerate();
    let complete = slots.all(|(at, slot)| slot.optional || filled & (1 << at) != 0);
    if loose.is_empty() && complete {
        return Fit::Whole;
    }
    Fit::Partial(filled.count_ones() as usize)
}

/// Gives each modifier a slot; returns the slots filled, as bits, and the modifiers left over.
fn assign<'a>(form: &Form, modifiers: &'a [Modifier]) -> (u32, Vec<&'a Modifier>) {
    // No form has more slots than there are bits in here; a test of the tables holds that.
    let mut filled = 0_u32;
    let mut loose = Vec::new();
    for sample in [
        Modifier::Type(ScalarType::B8),
        Modifier::Space(StateSpace::Reg),
    ] {
        let of_family = |it: &Modifier| discriminant(it) == discriminant(&sample);
        let mut slots = form
            .slots
            .iter()
            .enumerate()
            .filter(|(_, slot)| slot.words.first().is_some_and(of_family));
        for modifier in modifiers.iter().filter(|modifier| of_family(modifier)) {
            // A slot that does not take the word is passed over if it is optional.
            let slot = loop {
                match slots.next() {
                    Some((at, slot)) if slot.words.contains(modifier) => break Some(at),
                    Some((_, slot)) if slot.optional => {}
                    _ => break None,
                }
            };
            match slot {
                Some(at) => filled |= 1 << at,
                None => loose.push(modifier),
            }
        }
    }
    for modifier in modifiers.iter().filter(|modifier| !is_ordered(modifier)) {
        let free = form.slots.iter().enumerate().find(|(at, slot)| {
            filled & (1 << at) == 0 && !is_ordered_slot(slot) && slot.words.contains(modifier)
        });
        match free {
            Some((at, _)) => filled |= 1 << at,
            None => loose.push(modifier),
        }
    }
    (filled, loose)
}

/// The error for modifiers that no form takes: what is too much and what is missing, by the form
/// that comes closest, and the forms themselves where they are short.
fn no_form(instruction: &Instruction, closest: &[&Form]) -> Error {
    let mut message = format!("the ISA has no `{}`", mnemonic(instruction));
    let Some(first) = closest.first() else {
        return Error::invalid(message, instruction.span);
    };
    let (filled, loose) = assign(first, &instruction.modifiers);
    let mut faults = Vec::new();
    if !loose.is_empty() {
        let words: Vec<_> = loose.iter().map(|word| format!("`.{word}`")).collect();
        faults.push(format!("{} has no place in it", words.join(", ")));
    }
    for (at, slot) in first.slots.iter().enumerate() {
        if !slot.optional && filled & (1 << at) == 0 {
            let words: Vec<_> = slot.words.iter().map(|word| format!("`.{word}`")).collect();
            let one_of = if words.len() == 1 { "" } else { "one of " };
            faults.push(format!("{one_of}{} is missing", words.join(", ")));
        }
    }
    if !faults.is_empty() {
        message.push_str(&format!(": {}", faults.join(", and ")));
    }
    let forms = closest
        .iter()
        .take(3)
        .map(|form| format!("`{}`", pretty(&instruction.opcode, form)));
    let forms = forms.collect::<Vec<_>>().join(", ");
    if forms.len() <= SHORT_FORMS {
        message.push_str(&format!("; it has {forms}"));
    }
    Error::invalid(message, instruction.span).in_section(first.section)
}

/// Forms longer than this in all do not help in a message.
const SHORT_FORMS: usize = 180;

/// The form as the ISA writes it: `add{.sat}.s32`.
fn pretty(opcode: &crate::Opcode, form: &Form) -> String {
    let mut text = opcode.to_string();
    for Slot { optional, words } in &form.slots {
        let words: Vec<_> = words.iter().map(|word| format!(".{word}")).collect();
        let joined = words.join("|");
        match (optional, words.len()) {
            (true, _) => text.push_str(&format!("{{{joined}}}")),
            (false, 1) => text.push_str(&joined),
            (false, _) => text.push_str(&format!("({joined})")),
        }
    }
    text
}

impl OperandForm {
    /// The kind in words.
    pub(super) fn name(&self) -> &'static str {
        match self.kind {
            b'd' => "a register",
            b's' => "a register or a constant",
            b'i' => "an integer constant",
            b'p' => "a predicate register",
            b'c' => "a predicate register, perhaps negated",
            b'P' => "a predicate register, or two as `p|q`",
            b'D' => "a register, perhaps with a predicate as `d|p`",
            b'm' => "an address in brackets",
            b'a' => "a register or a variable",
            b'v' => "a register, or a vector of them as wide as the instruction",
            b'V' => "a value, or a vector of them as wide as the instruction",
            b'l' => "a label",
            b't' => "a `.branchtargets` list",
            b'e' => "a register, or a part of one",
            b'f' => "a register, a part of one, or a constant",
            b'g' => "a register, a part of one, or a constant, perhaps negated",
            _ => "a register, a constant or a predicate",
        }
    }
}
