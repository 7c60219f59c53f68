//! Tokens to a module: recursive descent, one function per construct, with limits on nesting.

mod expression;
mod function;
mod instruction;
mod location;
mod operand;
mod top;
mod variable;

use crate::lexer::{Lexer, Token, TokenKind};
use crate::{Error, ErrorKind, Errors, Module, Span};
use location::Locations;

/// Errors reported for one text.
const MAX_ERRORS: usize = 64;
/// Scopes inside scopes.
const MAX_BLOCK_DEPTH: u32 = 128;
/// Parentheses and operators inside a constant expression, braces inside an initialiser.
const MAX_NESTING: u32 = 64;

/// An error that was already recorded; the caller skips to where it can go on.
pub(crate) struct Recorded;

pub(crate) type Parsed<T> = Result<T, Recorded>;

/// Parses a whole text.
pub(crate) fn parse(source: &str) -> Result<Module, Errors> {
    if source.len() >= u32::MAX as usize {
        let limit = ErrorKind::Limit {
            what: "the text's length",
            limit: u64::from(u32::MAX),
        };
        return Err(Errors(vec![Error::new(limit, Span::default())]));
    }
    let mut parser = Parser::new(source);
    let module = parser.module();
    if parser.errors.is_empty() {
        Ok(module)
    } else {
        Err(Errors(parser.errors))
    }
}

pub(crate) struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The token that comes next.
    token: Token<'a>,
    /// The token before it.
    previous: Span,
    errors: Vec<Error>,
    locations: Locations,
    /// Dotted words of the instruction at hand; kept to save an allocation each.
    words: Vec<&'a str>,
}

impl<'a> Parser<'a> {
    fn new(source: &'a str) -> Parser<'a> {
        let mut lexer = Lexer::new(source);
        let token = lexer.next();
        let locations = Locations::new(source);
        let (previous, errors, words) = (Span::default(), Vec::new(), Vec::new());
        Parser {
            lexer,
            token,
            previous,
            errors,
            locations,
            words,
        }
    }

    /// Moves on and returns the token that was next.
    fn bump(&mut self) -> Token<'a> {
        let token = self.token;
        self.previous = token.span;
        self.token = self.lexer.next();
        token
    }

    fn at(&self, punct: u8) -> bool {
        self.token.kind == TokenKind::Punct(punct)
    }

    fn eat(&mut self, punct: u8) -> bool {
        let found = self.at(punct);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, punct: u8) -> Parsed<()> {
        if self.eat(punct) {
            Ok(())
        } else {
            self.unexpected(&format!("`{}`", punct as char))
        }
    }

    fn at_end(&self) -> bool {
        self.token.kind == TokenKind::End
    }

    fn word(&mut self, expected: &str) -> Parsed<&'a str> {
        match self.token.kind {
            TokenKind::Word(word) => {
                self.bump();
                Ok(word)
            }
            _ => self.unexpected(expected),
        }
    }

    fn dot(&mut self, expected: &str) -> Parsed<&'a str> {
        match self.token.kind {
            TokenKind::Dot(word) => {
                self.bump();
                Ok(word)
            }
            _ => self.unexpected(expected),
        }
    }

    /// Eats `.word` if it comes next.
    fn eat_dot(&mut self, word: &str) -> bool {
        let found = self.token.kind == TokenKind::Dot(word);
        if found {
            self.bump();
        }
        found
    }

    fn u32(&mut self, expected: &str) -> Parsed<u32> {
        if let TokenKind::Integer(value) = self.token.kind
            && let Ok(value) = u32::try_from(value.bits)
        {
            self.bump();
            return Ok(value);
        }
        self.unexpected(expected)
    }

    fn text(&mut self, expected: &str) -> Parsed<&'a str> {
        match self.token.kind {
            TokenKind::Text(text) => {
                self.bump();
                Ok(text)
            }
            _ => self.unexpected(expected),
        }
    }

    /// Records that the next token does not fit.
    fn unexpected<T>(&mut self, expected: &str) -> Parsed<T> {
        let span = self.token.span;
        let kind = match self.token.kind {
            TokenKind::Bad(why) => ErrorKind::Lexical(why.to_owned()),
            kind => ErrorKind::Unexpected {
                found: describe(kind),
                expected: expected.to_owned(),
            },
        };
        self.record(Error::new(kind, span))
    }

    fn record<T>(&mut self, error: Error) -> Parsed<T> {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
        Err(Recorded)
    }

    /// Whether so many errors were found that the rest of the text is left unread.
    fn gave_up(&self) -> bool {
        self.errors.len() >= MAX_ERRORS
    }

    fn limit<T>(&mut self, what: &'static str, limit: u32) -> Parsed<T> {
        let span = self.token.span;
        self.record(Error::new(
            ErrorKind::Limit {
                what,
                limit: u64::from(limit),
            },
            span,
        ))
    }

    /// Skips past the `;` that ends the statement at hand, or to the `}` that ends its scope.
    fn skip_statement(&mut self) {
        let mut depth = 0_usize;
        while !self.at_end() {
            match self.token.kind {
                TokenKind::Punct(b';') if depth == 0 => {
                    self.bump();
                    return;
                }
                TokenKind::Punct(b'{') => depth += 1,
                TokenKind::Punct(b'}') if depth == 0 => return,
                TokenKind::Punct(b'}') => depth -= 1,
                _ => {}
            }
            self.bump();
        }
    }
}

/// A token as an error message names it.
fn describe(kind: TokenKind<'_>) -> String {
    let short = |text: &str| text.chars().take(60).collect::<String>();
    match kind {
        TokenKind::Word(word) => format!("`{}`", short(word)),
        TokenKind::Dot(word) => format!("`.{}`", short(word)),
        TokenKind::Integer(value) => format!("`{}`", value.value()),
        TokenKind::F32(bits) => format!("`0f{bits:08X}`"),
        TokenKind::F64(bits) => format!("`0d{bits:016X}`"),
        TokenKind::Text(text) => format!("\"{}\"", short(text)),
        TokenKind::Punct(byte) => format!("`{}`", byte as char),
        TokenKind::Bad(why) => why.to_owned(),
        TokenKind::End => "the end of the text".to_owned(),
    }
}
