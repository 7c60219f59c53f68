//! Text to tokens.
//!
//! Written by hand rather than with a generator: PTX's words are few, a token is decided by its
//! first byte or two, and the two awkward places (`%r<22>` against `<<`, the comment behind a
//! `.loc`) need the parser's context anyway. One token is held at a time, so a long text costs no
//! memory here.

use crate::Span;
use crate::operand::Integer;

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind<'a>,
    pub(crate) span: Span,
}

/// The kinds of token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TokenKind<'a> {
    /// An identifier, register or mnemonic: `add`, `%r1`, `$L__BB0_1`, `_`.
    Word(&'a str),
    /// A word behind a dot, without the dot: `global`, `shared::cta`, `L2::128B`, `1d`.
    Dot(&'a str),
    /// An integer literal.
    Integer(Integer),
    /// `0f3F800000`.
    F32(u32),
    /// `0d3FF0000000000000`, or a decimal such as `1.5`.
    F64(u64),
    /// A string, without its quotes.
    Text(&'a str),
    /// One punctuation character.
    Punct(u8),
    /// Bytes that form no token, and why.
    Bad(&'static str),
    /// The end of the text.
    End,
}

/// The state of the scanner; `Copy`, so that the parser can look ahead and come back.
#[derive(Clone, Copy)]
pub(crate) struct Lexer<'a> {
    source: &'a str,
    at: usize,
    line: u32,
    /// Characters of the current line up to `counted`, so that columns cost linear time in all.
    column: u32,
    counted: usize,
}

impl<'a> Lexer<'a> {
    /// A scanner at the start of `source`, which must be shorter than 4 GiB.
    pub(crate) fn new(source: &'a str) -> Lexer<'a> {
        Lexer {
            source,
            at: 0,
            line: 1,
            column: 0,
            counted: 0,
        }
    }

    /// The `//` comment behind byte offset `from` on the same line, without its slashes.
    pub(crate) fn trailing_comment(&self, from: u32) -> Option<&'a str> {
        // Looks no further than the blanks before it has seen the slashes: a line of a megabyte
        // with a thousand `.loc` is read once.
        let rest = self
            .source
            .get(from as usize..)?
            .trim_start_matches([' ', '\t']);
        Some(rest.strip_prefix("//")?.lines().next().unwrap_or("").trim())
    }

    /// Skips past the `}` that closes `depth` open `{`, without forming tokens: what stands in a
    /// section is DWARF in assembler syntax, which is kept as text.
    pub(crate) fn skip_braces(&mut self, mut depth: usize) -> Result<(), &'static str> {
        loop {
            self.skip_blank()?;
            match self.bytes().get(self.at) {
                None => return Err("this section's `{` has no closing `}`"),
                Some(b'{') => depth += 1,
                Some(b'}') if depth <= 1 => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'}') => depth -= 1,
                Some(b'"') => {
                    self.string();
                    continue;
                }
                Some(_) => {}
            }
            self.at += 1;
            while !self.source.is_char_boundary(self.at) {
                self.at += 1;
            }
        }
    }

    /// The text from byte `start` to byte `end`.
    pub(crate) fn slice(&self, start: usize, end: usize) -> &'a str {
        self.source.get(start..end).unwrap_or("")
    }

    /// Byte offset of the next unread byte.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// The next token.
    pub(crate) fn next(&mut self) -> Token<'a> {
        if let Err(why) = self.skip_blank() {
            let mut span = self.span_from(self.at);
            self.at = self.source.len();
            span.end = self.at as u32;
            return Token {
                kind: TokenKind::Bad(why),
                span,
            };
        }
        let start = self.at;
        let mut span = self.span_from(start);
        let kind = self.token();
        span.end = self.at as u32;
        Token { kind, span }
    }

    fn bytes(&self) -> &'a [u8] {
        self.source.as_bytes()
    }

    fn span_from(&mut self, start: usize) -> Span {
        // Only the bytes not counted yet are looked at.
        let fresh = self.bytes().get(self.counted..start).unwrap_or_default();
        self.column += fresh.iter().filter(|&&b| b & 0xC0 != 0x80).count() as u32;
        self.counted = start.max(self.counted);
        Span {
            start: start as u32,
            end: start as u32,
            line: self.line,
            column: self.column + 1,
        }
    }

    fn new_line(&mut self, line_start: usize) {
        self.line = self.line.saturating_add(1);
        self.column = 0;
        self.counted = line_start;
    }

    fn skip_blank(&mut self) -> Result<(), &'static str> {
        let bytes = self.bytes();
        loop {
            match bytes.get(self.at) {
                Some(b'\n') => {
                    self.at += 1;
                    self.new_line(self.at);
                }
                Some(b' ' | b'\t' | b'\r' | 0x0B | 0x0C) => self.at += 1,
                Some(b'/') if bytes.get(self.at + 1) == Some(&b'/') => {
                    let rest = bytes.get(self.at..).unwrap_or_default();
                    self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                }
                Some(b'/') if bytes.get(self.at + 1) == Some(&b'*') => self.block_comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn block_comment(&mut self) -> Result<(), &'static str> {
        let bytes = self.bytes();
        let mut at = self.at + 2;
        loop {
            match bytes.get(at) {
                None => return Err("this comment has no closing `*/`"),
                Some(b'*') if bytes.get(at + 1) == Some(&b'/') => {
                    self.at = at + 2;
                    return Ok(());
                }
                Some(b'\n') => self.new_line(at + 1),
                Some(_) => {}
            }
            at += 1;
        }
    }

    fn token(&mut self) -> TokenKind<'a> {
        let bytes = self.bytes();
        let Some(&first) = bytes.get(self.at) else {
            return TokenKind::End;
        };
        let second = bytes.get(self.at + 1).copied().unwrap_or(0);
        match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => TokenKind::Word(self.word()),
            b'%' if is_word(second) => TokenKind::Word(self.word()),
            b'.' if is_word(second) => self.dot_word(),
            b'0'..=b'9' => crate::number::scan(self.source, &mut self.at),
            b'"' => self.string(),
            b'!'..=b'~' => {
                self.at += 1;
                TokenKind::Punct(first)
            }
            _ => {
                self.at += 1;
                while !self.source.is_char_boundary(self.at) {
                    self.at += 1;
                }
                TokenKind::Bad("this character has no meaning in PTX")
            }
        }
    }

    fn word(&mut self) -> &'a str {
        let start = self.at;
        let rest = self.bytes().get(start + 1..).unwrap_or_default();
        self.at += 1 + rest.iter().position(|&b| !is_word(b)).unwrap_or(rest.len());
        self.source.get(start..self.at).unwrap_or("")
    }

    fn dot_word(&mut self) -> TokenKind<'a> {
        let bytes = self.bytes();
        let start = self.at + 1;
        self.at = start;
        loop {
            while bytes.get(self.at).is_some_and(|&b| is_word(b)) {
                self.at += 1;
            }
            let more = bytes
                .get(self.at..self.at + 3)
                .is_some_and(|next| matches!(next, [b':', b':', b] if is_word(*b)));
            if !more {
                return TokenKind::Dot(self.source.get(start..self.at).unwrap_or(""));
            }
            self.at += 2;
        }
    }

    fn string(&mut self) -> TokenKind<'a> {
        let start = self.at + 1;
        let rest = self.bytes().get(start..).unwrap_or_default();
        // A string ends on its line; one that does not is reported there, and the text goes on.
        match rest.iter().position(|&b| b == b'"' || b == b'\n') {
            Some(length) if rest.get(length) == Some(&b'"') => {
                self.at = start + length + 1;
                TokenKind::Text(self.source.get(start..start + length).unwrap_or(""))
            }
            other => {
                self.at = start + other.unwrap_or(rest.len());
                TokenKind::Bad("this string has no closing quote")
            }
        }
    }
}

/// Whether `byte` may stand inside an identifier.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}
