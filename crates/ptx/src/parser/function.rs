//! Bodies: scopes, labels and the directives between instructions.

use super::{MAX_BLOCK_DEPTH, Parsed, Parser};
use crate::lexer::TokenKind;
use crate::module::{FunctionDirective, Label, Prototype, Targets};
use crate::{Block, Error, Span, StateSpace, Statement};
use smol_str::SmolStr;

impl<'a> Parser<'a> {
    /// `{ … }`, at its brace.
    pub(super) fn block(&mut self, depth: u32) -> Parsed<Block> {
        let start = self.token.span;
        self.expect(b'{')?;
        let mut statements = Vec::new();
        while !self.at(b'}') {
            if self.at_end() {
                let message = format!("the `{{` of line {} has no closing `}}`", start.line);
                return self.record(Error::invalid(message, start));
            }
            if self.statement(&mut statements, depth).is_err() {
                if self.gave_up() {
                    return Err(super::Recorded);
                }
                self.skip_statement();
            }
        }
        self.bump();
        Ok(Block {
            statements,
            span: start.to(self.previous),
        })
    }

    fn statement(&mut self, out: &mut Vec<Statement>, depth: u32) -> Parsed<()> {
        let start = self.token.span;
        match self.token.kind {
            TokenKind::Punct(b';') => {
                self.bump();
            }
            TokenKind::Punct(b'{') => {
                if depth >= MAX_BLOCK_DEPTH {
                    return self.limit("the nesting of scopes", MAX_BLOCK_DEPTH);
                }
                out.push(Statement::Block(self.block(depth + 1)?));
            }
            TokenKind::Dot(word) => {
                self.bump();
                self.body_directive(out, word, start)?;
            }
            TokenKind::Word(word) => {
                self.bump();
                if self.eat(b':') {
                    return self.labelled(out, word, start);
                }
                let instruction = self.instruction_behind(word, None, start)?;
                out.push(Statement::Instruction(Box::new(instruction)));
            }
            TokenKind::Punct(b'@') => {
                out.push(Statement::Instruction(Box::new(self.instruction()?)));
            }
            _ => return self.unexpected("an instruction, a label, a directive or `}`"),
        }
        Ok(())
    }

    fn body_directive(&mut self, out: &mut Vec<Statement>, word: &str, start: Span) -> Parsed<()> {
        match word {
            "loc" => out.push(Statement::Loc(self.loc()?)),
            "pragma" => out.push(Statement::Pragma(self.pragma(start)?)),
            _ => match StateSpace::from_word(word) {
                Some(space) => {
                    return self.variables(None, space, start, |variable| {
                        out.push(Statement::Variable(Box::new(variable)));
                    });
                }
                None => {
                    let message = format!("`.{word}` is no directive of a function's body");
                    return self.record(Error::invalid(message, start).in_section("4.3"));
                }
            },
        }
        Ok(())
    }

    /// Behind `name:`.
    fn labelled(&mut self, out: &mut Vec<Statement>, name: &str, start: Span) -> Parsed<()> {
        let name = SmolStr::new(name);
        let list = match self.token.kind {
            TokenKind::Dot("branchtargets") => Statement::BranchTargets,
            TokenKind::Dot("calltargets") => Statement::CallTargets,
            TokenKind::Dot("callprototype") => {
                self.bump();
                let prototype = self.prototype(name, start)?;
                out.push(Statement::CallPrototype(Box::new(prototype)));
                return Ok(());
            }
            _ => {
                let span = start.to(self.previous);
                out.push(Statement::Label(Label { name, span }));
                return Ok(());
            }
        };
        self.bump();
        let mut targets = Vec::new();
        loop {
            targets.push(SmolStr::new(self.word("a target")?));
            if self.eat(b';') {
                break;
            }
            if !self.eat(b',') {
                return self.unexpected("`,` or `;`");
            }
        }
        out.push(list(Targets {
            name,
            targets,
            span: start.to(self.previous),
        }));
        Ok(())
    }

    /// `(ret) _ (params) directives;`, behind `.callprototype`.
    fn prototype(&mut self, name: SmolStr, start: Span) -> Parsed<Prototype> {
        let returns = if self.eat(b'(') {
            self.parameters()?
        } else {
            Vec::new()
        };
        if self.word("`_`")? != "_" {
            return self.unexpected("`_` in the place of the function's name before it");
        }
        let params = if self.eat(b'(') {
            self.parameters()?
        } else {
            Vec::new()
        };
        let mut directives = Vec::new();
        self.function_directives(&mut directives)?;
        self.expect(b';')?;
        Ok(Prototype {
            name,
            returns,
            params,
            directives,
            span: start.to(self.previous),
        })
    }

    /// The directives between a function's parameters and its body.
    pub(super) fn function_directives(&mut self, out: &mut Vec<FunctionDirective>) -> Parsed<()> {
        while let TokenKind::Dot(word) = self.token.kind {
            let start = self.token.span;
            self.bump();
            self.function_directive(out, word, start)?;
        }
        Ok(())
    }

    fn function_directive(
        &mut self,
        out: &mut Vec<FunctionDirective>,
        word: &str,
        start: Span,
    ) -> Parsed<()> {
        use FunctionDirective as D;
        let directive = match word {
            "reqntid" => D::RequiredThreads(self.dimensions()?),
            "maxntid" => D::MaxThreads(self.dimensions()?),
            "reqnctapercluster" => D::RequiredClusterBlocks(self.dimensions()?),
            "minnctapersm" => D::MinBlocksPerSm(self.u32("a number of blocks")?),
            "maxnctapersm" => D::MaxBlocksPerSm(self.u32("a number of blocks")?),
            "maxnreg" => D::MaxRegisters(self.u32("a number of registers")?),
            "maxclusterrank" => D::MaxClusterRank(self.u32("a number of blocks")?),
            "abi_preserve" => D::AbiPreserve(self.u32("a number of registers")?),
            "abi_preserve_control" => D::AbiPreserveControl(self.u32("a number of registers")?),
            "noreturn" => D::NoReturn,
            "explicitcluster" => D::ExplicitCluster,
            "blocksareclusters" => D::BlocksAreClusters,
            "unique" => D::Attribute(SmolStr::new("unique")),
            "pragma" => D::Pragma(self.pragma(start)?),
            "attribute" => {
                let mut attributes = Vec::new();
                self.attribute(&mut attributes)?;
                out.extend(attributes.into_iter().map(D::Attribute));
                return Ok(());
            }
            _ => {
                let message = format!("`.{word}` is no directive of a function");
                return self.record(Error::invalid(message, start).in_section("11.4"));
            }
        };
        out.push(directive);
        Ok(())
    }

    /// One to three numbers; missing ones are 1.
    fn dimensions(&mut self) -> Parsed<[u32; 3]> {
        let mut dimensions = [1; 3];
        for (index, dimension) in dimensions.iter_mut().enumerate() {
            if index > 0 && !self.eat(b',') {
                break;
            }
            *dimension = self.u32("a number of threads or blocks")?;
        }
        Ok(dimensions)
    }
}
