//! Variables, parameters and their initial values.

use super::{MAX_NESTING, Parsed, Parser};
use crate::lexer::TokenKind;
use crate::module::{Linkage, PointerAttributes};
use crate::{Error, Initializer, ScalarType, Span, StateSpace, Variable, VectorWidth};
use smol_str::SmolStr;

/// Attributes of one variable.
const MAX_ATTRIBUTES: usize = 16;

/// What stands in front of the names in a declaration.
#[derive(Clone)]
struct Qualifiers {
    attributes: Vec<SmolStr>,
    align: Option<u32>,
    vector: Option<VectorWidth>,
    ty: ScalarType,
    pointer: Option<PointerAttributes>,
}

impl Parser<'_> {
    /// A declaration behind its state space, up to and including the semicolon; several names
    /// become several variables.
    pub(super) fn variables(
        &mut self,
        linkage: Option<Linkage>,
        space: StateSpace,
        start: Span,
        mut sink: impl FnMut(Variable),
    ) -> Parsed<()> {
        let qualifiers = self.qualifiers()?;
        loop {
            sink(self.declarator(linkage, space, qualifiers.clone(), start)?);
            if self.eat(b';') {
                return Ok(());
            }
            if !self.eat(b',') {
                return self.unexpected("`,` or `;`");
            }
        }
    }

    /// `(.param .u64 a, .reg .b32 b)`, behind the opening parenthesis.
    pub(super) fn parameters(&mut self) -> Parsed<Vec<Variable>> {
        let mut params = Vec::new();
        if self.eat(b')') {
            return Ok(params);
        }
        loop {
            let start = self.token.span;
            let word = self.dot("`.param` or `.reg`")?;
            let space = match word {
                "param" => StateSpace::Param,
                "reg" => StateSpace::Reg,
                _ => {
                    let message = format!("a parameter is `.param` or `.reg`, not `.{word}`");
                    return self.record(Error::invalid(message, start).in_section("5.1.6"));
                }
            };
            let qualifiers = self.qualifiers()?;
            params.push(self.declarator(None, space, qualifiers, start)?);
            if self.eat(b')') {
                return Ok(params);
            }
            if !self.eat(b',') {
                return self.unexpected("`,` or `)`");
            }
        }
    }

    fn qualifiers(&mut self) -> Parsed<Qualifiers> {
        let (mut attributes, mut align, mut vector) = (Vec::new(), None, None);
        let (mut ty, mut pointer) = (None, None);
        while let TokenKind::Dot(word) = self.token.kind {
            let span = self.token.span;
            self.bump();
            if let Some(scalar) = ScalarType::from_word(word) {
                ty = Some(scalar);
            } else if let Some(width) = VectorWidth::from_word(word) {
                vector = Some(width);
            } else if word == "align" {
                align = Some(self.alignment()?);
            } else if word == "ptr" {
                pointer = Some(self.pointer()?);
            } else if word == "attribute" {
                self.attribute(&mut attributes)?;
            } else {
                let message = format!("`.{word}` is no type, `.align`, `.ptr` or `.v2`");
                return self.record(Error::invalid(message, span).in_section("5.4.1"));
            }
        }
        match ty {
            Some(ty) => Ok(Qualifiers {
                attributes,
                align,
                vector,
                ty,
                pointer,
            }),
            None => self.unexpected("the variable's type, such as `.b32`"),
        }
    }

    fn alignment(&mut self) -> Parsed<u32> {
        let span = self.token.span;
        let align = self.u32("an alignment")?;
        if align.is_power_of_two() {
            return Ok(align);
        }
        let message = format!("the alignment {align} is not a power of two");
        self.record(Error::invalid(message, span).in_section("5.4.5"))
    }

    /// Behind `.ptr`.
    fn pointer(&mut self) -> Parsed<PointerAttributes> {
        let mut pointer = PointerAttributes {
            space: None,
            align: None,
        };
        if let TokenKind::Dot(word) = self.token.kind
            && let Some(space) = StateSpace::from_word(word)
        {
            self.bump();
            pointer.space = Some(space);
        }
        if self.eat_dot("align") {
            pointer.align = Some(self.alignment()?);
        }
        Ok(pointer)
    }

    /// Behind `.attribute`: `(.managed)`, `(.unified(1, 2))`.
    pub(super) fn attribute(&mut self, attributes: &mut Vec<SmolStr>) -> Parsed<()> {
        self.expect(b'(')?;
        loop {
            let mut text = self.dot("an attribute")?.to_owned();
            if self.eat(b'(') {
                let high = self.constant()?.bits;
                self.expect(b',')?;
                let low = self.constant()?.bits;
                self.expect(b')')?;
                text.push_str(&format!("({high}, {low})"));
            }
            // Every name of a declaration gets a copy, so that the list must stay short.
            if attributes.len() >= MAX_ATTRIBUTES {
                return self.limit("the number of attributes", MAX_ATTRIBUTES as u32);
            }
            attributes.push(SmolStr::new(text));
            if !self.eat(b',') {
                return self.expect(b')');
            }
        }
    }

    fn declarator(
        &mut self,
        linkage: Option<Linkage>,
        space: StateSpace,
        qualifiers: Qualifiers,
        start: Span,
    ) -> Parsed<Variable> {
        let name = SmolStr::new(self.word("a name")?);
        let mut range = None;
        if self.eat(b'<') {
            range = Some(self.u32("how many registers there are")?);
            self.expect(b'>')?;
        }
        let mut dimensions = Vec::new();
        while self.eat(b'[') {
            if self.eat(b']') {
                dimensions.push(None);
                continue;
            }
            dimensions.push(Some(self.constant()?.bits));
            self.expect(b']')?;
        }
        let initializer = if self.eat(b'=') {
            Some(self.initializer(0)?)
        } else {
            None
        };
        let Qualifiers {
            attributes,
            align,
            vector,
            ty,
            pointer,
        } = qualifiers;
        let span = start.to(self.previous);
        Ok(Variable {
            linkage,
            attributes,
            space,
            align,
            vector,
            ty,
            name,
            range,
            dimensions,
            pointer,
            initializer,
            span,
        })
    }

    fn initializer(&mut self, depth: u32) -> Parsed<Initializer> {
        if depth >= MAX_NESTING {
            return self.limit("the nesting of an initialiser", MAX_NESTING);
        }
        match self.token.kind {
            TokenKind::Punct(b'{') => {
                self.bump();
                self.initializer_list(depth)
            }
            TokenKind::Word("generic") => {
                self.bump();
                self.expect(b'(')?;
                let name = SmolStr::new(self.word("a variable")?);
                self.expect(b')')?;
                let offset = self.address_offset()?;
                Ok(Initializer::Address {
                    name,
                    offset,
                    generic: true,
                    mask: None,
                })
            }
            TokenKind::Word(word) => {
                self.bump();
                let (name, offset) = (SmolStr::new(word), self.address_offset()?);
                Ok(Initializer::Address {
                    name,
                    offset,
                    generic: false,
                    mask: None,
                })
            }
            TokenKind::Integer(mask) if self.is_mask() => {
                self.bump();
                self.bump();
                let inner = self.initializer(depth + 1)?;
                self.expect(b')')?;
                match inner {
                    Initializer::Address {
                        name,
                        offset,
                        generic,
                        mask: None,
                    } => Ok(Initializer::Address {
                        name,
                        offset,
                        generic,
                        mask: Some(mask),
                    }),
                    _ => self.unexpected("an address under the mask before it"),
                }
            }
            _ => Ok(Initializer::Immediate(self.immediate()?)),
        }
    }

    /// Whether `(` stands behind the integer that comes next: `0xFF(name)`.
    fn is_mask(&self) -> bool {
        let mut ahead = self.lexer;
        ahead.next().kind == TokenKind::Punct(b'(')
    }

    fn address_offset(&mut self) -> Parsed<i64> {
        let plus = self.eat(b'+');
        if plus || self.at(b'-') {
            Ok(self.constant()?.bits as i64)
        } else {
            Ok(0)
        }
    }

    fn initializer_list(&mut self, depth: u32) -> Parsed<Initializer> {
        let mut list = Vec::new();
        if self.eat(b'}') {
            return Ok(Initializer::List(list));
        }
        loop {
            list.push(self.initializer(depth + 1)?);
            if self.eat(b'}') {
                return Ok(Initializer::List(list));
            }
            if !self.eat(b',') {
                return self.unexpected("`,` or `}`");
            }
        }
    }
}
