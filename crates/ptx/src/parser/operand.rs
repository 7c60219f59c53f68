//! Operands.

use super::{MAX_NESTING, Parsed, Parser};
use crate::lexer::TokenKind;
use crate::{Address, Base, Component, Error, Operand, SpecialRegister};
use smol_str::SmolStr;

impl<'a> Parser<'a> {
    /// One operand; `lists` says whether `(` opens a list, as in a `call`.
    pub(super) fn operand(&mut self, lists: bool) -> Parsed<Operand> {
        let first = self.simple_operand(lists, 0)?;
        if !self.at(b'|') {
            return Ok(first);
        }
        self.bump();
        let second = self.simple_operand(false, 0)?;
        Ok(Operand::Pair(Box::new([first, second])))
    }

    fn simple_operand(&mut self, lists: bool, depth: u32) -> Parsed<Operand> {
        match self.token.kind {
            TokenKind::Word(word) => {
                self.bump();
                self.named(word)
            }
            TokenKind::Punct(b'!') if self.word_follows() => {
                self.bump();
                Ok(Operand::Not(SmolStr::new(self.word("a predicate")?)))
            }
            TokenKind::Punct(b'-') if self.word_follows() => {
                self.bump();
                self.minus()
            }
            TokenKind::Punct(b'[') => {
                self.bump();
                self.address(depth)
            }
            TokenKind::Punct(b'{') => {
                self.bump();
                Ok(Operand::Vector(self.operands_to(b'}', depth)?))
            }
            TokenKind::Punct(b'(') if lists => {
                self.bump();
                Ok(Operand::List(self.operands_to(b')', depth)?))
            }
            TokenKind::Integer(_) | TokenKind::F32(_) | TokenKind::F64(_) => {
                Ok(Operand::Immediate(self.immediate()?))
            }
            TokenKind::Punct(b'-' | b'+' | b'~' | b'!' | b'(') => {
                Ok(Operand::Immediate(self.immediate()?))
            }
            _ => self.unexpected("an operand"),
        }
    }

    /// `-%r1.h0`, behind its sign.
    fn minus(&mut self) -> Parsed<Operand> {
        let name = SmolStr::new(self.word("a register")?);
        let TokenKind::Dot(word) = self.token.kind else {
            return Ok(Operand::Minus(name, None));
        };
        match Component::from_word(word) {
            Some(component) => {
                self.bump();
                Ok(Operand::Minus(name, Some(component)))
            }
            None => self.unexpected("a part of the register"),
        }
    }

    fn word_follows(&self) -> bool {
        let mut ahead = self.lexer;
        matches!(ahead.next().kind, TokenKind::Word(_))
    }

    /// What a word begins: a name, a special register, an element, `name+8`, `name[8]`.
    fn named(&mut self, word: &'a str) -> Parsed<Operand> {
        if word == "_" {
            return Ok(Operand::Sink);
        }
        if let TokenKind::Dot(component) = self.token.kind {
            let Some(part) = Component::from_word(component) else {
                let message = format!("`.{component}` is no component of a register");
                return self.record(Error::invalid(message, self.token.span));
            };
            self.bump();
            // By the component's own name: `%tid.r` is `%tid.x`.
            return Ok(
                match SpecialRegister::from_parts(word, Some(&part.to_string())) {
                    Some(special) => Operand::Special(special),
                    None => Operand::Element(SmolStr::new(word), part),
                },
            );
        }
        if let Some(special) = SpecialRegister::from_parts(word, None) {
            return Ok(Operand::Special(special));
        }
        let name = SmolStr::new(word);
        match self.token.kind {
            TokenKind::Punct(b'+' | b'-') => Ok(Operand::Offset(name, self.offset()?)),
            TokenKind::Punct(b'[') => {
                self.bump();
                let offset = self.constant()?.bits as i64;
                self.expect(b']')?;
                Ok(Operand::Address(Address {
                    base: Base::Name(name),
                    offset,
                }))
            }
            _ => Ok(Operand::Name(name)),
        }
    }

    /// `+8`, `-8` or `+-8`.
    fn offset(&mut self) -> Parsed<i64> {
        // Reading `-8` as a signed constant also takes `-8+4` the way it is meant.
        self.eat(b'+');
        Ok(self.constant()?.bits as i64)
    }

    /// Behind `[`.
    fn address(&mut self, depth: u32) -> Parsed<Operand> {
        let base = match self.token.kind {
            TokenKind::Word(word) => {
                self.bump();
                Base::Name(SmolStr::new(word))
            }
            _ => Base::Immediate(self.constant()?),
        };
        let signed = self.at(b'+') || self.at(b'-');
        let offset = if signed { self.offset()? } else { 0 };
        let address = Operand::Address(Address { base, offset });
        if self.eat(b']') {
            return Ok(address);
        }
        if !self.eat(b',') {
            return self.unexpected("`]`, or `+` and an offset");
        }
        if self.at(b']') {
            return self.unexpected("the coordinates");
        }
        let mut all = vec![address];
        all.extend(self.operands_to(b']', depth)?);
        Ok(Operand::Coordinates(all))
    }

    /// Operands separated by commas, up to `close`.
    fn operands_to(&mut self, close: u8, depth: u32) -> Parsed<Vec<Operand>> {
        if depth >= MAX_NESTING {
            return self.limit("the nesting of operands", MAX_NESTING);
        }
        let mut operands = Vec::new();
        if self.eat(close) {
            return Ok(operands);
        }
        loop {
            operands.push(self.simple_operand(false, depth + 1)?);
            if self.eat(close) {
                return Ok(operands);
            }
            if !self.eat(b',') {
                return self.unexpected(&format!("`,` or `{}`", close as char));
            }
        }
    }
}
