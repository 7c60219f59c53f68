//! Instructions.

use super::{Parsed, Parser};
use crate::instruction::Guard;
use crate::lexer::TokenKind;
use crate::{Instruction, Modifier, Opcode};
use smol_str::SmolStr;

/// Most words behind the first that belong to an opcode: `cp.async.bulk.commit_group`.
const LONGEST_OPCODE: usize = 3;

impl<'a> Parser<'a> {
    /// An instruction with its guard, up to and including its semicolon.
    pub(super) fn instruction(&mut self) -> Parsed<Instruction> {
        let start = self.token.span;
        let guard = if self.eat(b'@') {
            Some(self.guard()?)
        } else {
            None
        };
        let word = self.word("an instruction")?;
        self.instruction_behind(word, guard, start)
    }

    /// An instruction whose first word has been read.
    pub(super) fn instruction_behind(
        &mut self,
        word: &'a str,
        guard: Option<Guard>,
        start: crate::Span,
    ) -> Parsed<Instruction> {
        let (opcode, modifiers) = self.opcode(word);
        let is_call = opcode == Opcode::Call;
        let mut operands = Vec::new();
        let mut operand_spans = Vec::new();
        while !self.at(b';') {
            if !operands.is_empty() && !self.eat(b',') {
                return self.unexpected("`,` or `;`");
            }
            let first = self.token.span;
            operands.push(self.operand(is_call)?);
            operand_spans.push(first.to(self.previous));
        }
        self.bump();
        let span = start.to(self.previous);
        let loc = self.locations.current();
        Ok(Instruction {
            guard,
            opcode,
            modifiers,
            operands,
            operand_spans,
            span,
            loc,
        })
    }

    /// Behind `@`.
    fn guard(&mut self) -> Parsed<Guard> {
        let negated = self.eat(b'!');
        let register = SmolStr::new(self.word("a predicate register")?);
        Ok(Guard { register, negated })
    }

    /// The dotted words behind `word`, split into those that name the instruction and the rest.
    fn opcode(&mut self, word: &'a str) -> (Opcode, Vec<Modifier>) {
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        while let TokenKind::Dot(dotted) = self.token.kind {
            words.push(dotted);
            self.bump();
        }
        let (opcode, used) = opcode_of(word, &words);
        let rest = words.get(used..).unwrap_or_default();
        let modifiers = rest
            .iter()
            .map(|dotted| Modifier::from_word(&opcode, dotted))
            .collect();
        self.words = words;
        (opcode, modifiers)
    }
}

/// The opcode with the longest name that the words begin with, and how many of them it takes.
fn opcode_of(word: &str, words: &[&str]) -> (Opcode, usize) {
    if Opcode::has_longer_names(word) {
        for used in (1..=words.len().min(LONGEST_OPCODE)).rev() {
            let name = [&[word], words.get(..used).unwrap_or_default()]
                .concat()
                .join(".");
            if let Some(opcode) = Opcode::from_name(&name) {
                // Copies of tensors are another family, `cp.async.bulk.tensor`.
                let is_tensor = words.get(used) == Some(&"tensor");
                return if is_tensor {
                    (Opcode::Other(word.into()), 0)
                } else {
                    (opcode, used)
                };
            }
        }
    }
    let opcode = Opcode::from_name(word).unwrap_or_else(|| Opcode::Other(SmolStr::new(word)));
    (opcode, 0)
}
