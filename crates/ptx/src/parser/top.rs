//! The outer level: the module's header, variables, functions, files and sections.

use super::{Parsed, Parser};
use crate::lexer::TokenKind;
use crate::module::{Alias, File, Function, Linkage, Pragma, Section};
use crate::{Error, Item, Module, Span, StateSpace};
use smol_str::SmolStr;

impl Parser<'_> {
    /// The whole text.
    pub(super) fn module(&mut self) -> Module {
        let mut module = Module {
            version: (0, 0),
            target: Vec::new(),
            address_size: 32,
            items: Vec::new(),
        };
        if self.header(&mut module).is_err() {
            self.skip_statement();
        }
        while !self.at_end() && !self.gave_up() {
            if self.item(&mut module).is_err() {
                self.skip_item();
            }
        }
        module
    }

    /// `.version`, `.target` and, where given, `.address_size`.
    fn header(&mut self, module: &mut Module) -> Parsed<()> {
        if !self.eat_dot("version") {
            return self.unexpected("`.version`, with which every PTX text begins");
        }
        module.version = self.version()?;
        if !self.eat_dot("target") {
            return self.unexpected("`.target`, which follows `.version`");
        }
        self.target(&mut module.target)?;
        if self.eat_dot("address_size") {
            module.address_size = self.address_size()?;
        }
        Ok(())
    }

    fn version(&mut self) -> Parsed<(u32, u32)> {
        let span = self.token.span;
        // `8.10` is version 8, minor 10: the lexer's number is no use, its text is.
        let text = match self.token.kind {
            TokenKind::F64(_) => self.source(span),
            _ => return self.unexpected("a version such as `8.0`"),
        };
        let parts = text
            .split_once('.')
            .map(|(major, minor)| (major.parse(), minor.parse()));
        match parts {
            Some((Ok(major), Ok(minor))) => {
                self.bump();
                Ok((major, minor))
            }
            _ => self.unexpected("a version such as `8.0`"),
        }
    }

    fn target(&mut self, words: &mut Vec<SmolStr>) -> Parsed<()> {
        loop {
            words.push(SmolStr::new(self.word("a target such as `sm_90`")?));
            if !self.eat(b',') {
                return Ok(());
            }
        }
    }

    fn address_size(&mut self) -> Parsed<u32> {
        let span = self.token.span;
        match self.u32("32 or 64")? {
            size @ (32 | 64) => Ok(size),
            size => {
                let message = format!("an address size is 32 or 64, not {size}");
                self.record(Error::invalid(message, span).in_section("11.1.3"))
            }
        }
    }

    fn item(&mut self, module: &mut Module) -> Parsed<()> {
        let start = self.token.span;
        if self.eat(b';') {
            return Ok(());
        }
        let mut linkage = None;
        loop {
            let word = self.dot("a directive")?;
            if let Some(found) = Linkage::from_word(word) {
                linkage = Some(found);
                continue;
            }
            return self.directive(module, word, linkage, start);
        }
    }

    fn directive(
        &mut self,
        module: &mut Module,
        word: &str,
        linkage: Option<Linkage>,
        start: Span,
    ) -> Parsed<()> {
        let item = match word {
            "entry" | "func" => {
                let function = self.function(linkage, word == "entry", start)?;
                Item::Function(Box::new(function))
            }
            "file" => Item::File(self.file(start)?),
            "section" => Item::Section(self.section(start)?),
            "alias" => Item::Alias(self.alias(start)?),
            "pragma" => Item::Pragma(self.pragma(start)?),
            // Texts that were joined repeat the header; the last one wins, as in a linked module.
            "version" => return self.version().map(|version| module.version = version),
            "target" => {
                module.target.clear();
                return self.target(&mut module.target);
            }
            "address_size" => {
                return self.address_size().map(|size| module.address_size = size);
            }
            _ => match StateSpace::from_word(word) {
                Some(space) if space != StateSpace::Reg && space != StateSpace::Sreg => {
                    let items = &mut module.items;
                    return self.variables(linkage, space, start, |variable| {
                        items.push(Item::Variable(variable));
                    });
                }
                _ => {
                    let message = format!("`.{word}` is no directive of a module");
                    return self.record(Error::invalid(message, start).in_section("4.3"));
                }
            },
        };
        module.items.push(item);
        Ok(())
    }

    /// Behind `.entry` or `.func`.
    fn function(
        &mut self,
        linkage: Option<Linkage>,
        is_entry: bool,
        start: Span,
    ) -> Parsed<Function> {
        let mut attributes = Vec::new();
        while self.eat_dot("attribute") {
            self.attribute(&mut attributes)?;
        }
        let returns = if self.eat(b'(') {
            self.parameters()?
        } else {
            Vec::new()
        };
        let name = SmolStr::new(self.word("the function's name")?);
        let params = if self.eat(b'(') {
            self.parameters()?
        } else {
            Vec::new()
        };
        let mut directives: Vec<_> = attributes
            .into_iter()
            .map(crate::module::FunctionDirective::Attribute)
            .collect();
        self.function_directives(&mut directives)?;
        let span = start.to(self.previous);
        self.locations.enter_function();
        let body = if self.eat(b';') {
            None
        } else if self.at(b'{') {
            Some(self.block(0)?)
        } else {
            return self.unexpected("`{`, `;`, or a directive such as `.reqntid`");
        };
        Ok(Function {
            linkage,
            is_entry,
            name,
            returns,
            params,
            directives,
            body,
            span,
        })
    }

    fn file(&mut self, start: Span) -> Parsed<File> {
        let index = self.u32("the file's number")?;
        let name = SmolStr::new(self.text("the file's name")?);
        let mut stamp = None;
        if self.eat(b',') {
            let time = self.constant()?.bits;
            self.expect(b',')?;
            stamp = Some((time, self.constant()?.bits));
        }
        Ok(File {
            index,
            name,
            stamp,
            span: start.to(self.previous),
        })
    }

    fn section(&mut self, start: Span) -> Parsed<Section> {
        let name = SmolStr::new(self.dot("the section's name")?);
        if !self.at(b'{') {
            return self.unexpected("`{`");
        }
        let inside = self.token.span.end as usize;
        if let Err(why) = self.lexer.skip_braces(1) {
            return self.record(Error::new(crate::ErrorKind::Lexical(why.to_owned()), start));
        }
        let end = self.lexer.offset().saturating_sub(1);
        let text = self.lexer.slice(inside, end).to_owned();
        let mut span = start;
        span.end = self.lexer.offset() as u32;
        self.bump();
        Ok(Section { name, text, span })
    }

    fn alias(&mut self, start: Span) -> Parsed<Alias> {
        let name = SmolStr::new(self.word("the new name")?);
        self.expect(b',')?;
        let aliasee = SmolStr::new(self.word("a function")?);
        self.expect(b';')?;
        Ok(Alias {
            name,
            aliasee,
            span: start.to(self.previous),
        })
    }

    /// Behind `.pragma`.
    pub(super) fn pragma(&mut self, start: Span) -> Parsed<Pragma> {
        let mut texts = Vec::new();
        loop {
            texts.push(SmolStr::new(self.text("a string")?));
            if self.eat(b';') {
                return Ok(Pragma {
                    texts,
                    span: start.to(self.previous),
                });
            }
            if !self.eat(b',') {
                return self.unexpected("`,` or `;`");
            }
        }
    }

    /// Skips to where an item may begin: past a `;` or past a whole `{ … }`.
    fn skip_item(&mut self) {
        let mut depth = 0_usize;
        while !self.at_end() {
            let kind = self.token.kind;
            self.bump();
            match kind {
                TokenKind::Punct(b'{') => depth += 1,
                TokenKind::Punct(b'}') if depth <= 1 => return,
                TokenKind::Punct(b'}') => depth -= 1,
                TokenKind::Punct(b';') if depth == 0 => return,
                _ => {}
            }
        }
    }

    fn source(&self, span: Span) -> &str {
        self.lexer.slice(span.start as usize, span.end as usize)
    }
}
