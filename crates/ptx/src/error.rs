//! What was wrong with the text, where, and what the ISA wants there instead.

use crate::Span;
use std::fmt;

/// One fault in a PTX text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{span}: {kind}")]
#[non_exhaustive]
pub struct Error {
    /// What was wrong.
    pub kind: ErrorKind,
    /// The offending token, or the instruction that holds it.
    pub span: Span,
    /// Section of the PTX ISA that states the rule, such as `9.7.1.1`, where there is one.
    pub section: Option<&'static str>,
}

/// The kinds of [`Error`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A token stands where another one is needed.
    #[error("found {found}, expected {expected}")]
    Unexpected {
        /// The token, as the text has it.
        found: String,
        /// What may stand there.
        expected: String,
    },
    /// The bytes form no token.
    #[error("{0}")]
    Lexical(String),
    /// Well-formed tokens whose meaning the ISA rules out.
    #[error("{0}")]
    Invalid(String),
    /// The text goes beyond a limit of this parser.
    #[error("{what} is beyond the parser's limit of {limit}")]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// A name that is used but not declared.
    #[error("`{0}` is not declared here")]
    Undeclared(String),
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, span: Span) -> Error {
        Error {
            kind,
            span,
            section: None,
        }
    }

    pub(crate) fn invalid(message: impl Into<String>, span: Span) -> Error {
        Error::new(ErrorKind::Invalid(message.into()), span)
    }

    /// States the rule's section, unless it is known already or the fault is a missing name.
    pub(crate) fn in_section(mut self, section: &'static str) -> Error {
        if self.section.is_none() && !matches!(self.kind, ErrorKind::Undeclared(_)) {
            self.section = Some(section);
        }
        self
    }

    /// The error with the line it is about and a caret below the offending token.
    ///
    /// `name` is what the text is called (a file name, say) and `source` the text that was parsed.
    #[must_use]
    pub fn render(&self, name: &str, source: &str) -> String {
        let mut out = format!("error: {}\n", self.kind);
        if self.span.line > 0 {
            render_snippet(&mut out, name, source, self.span);
        }
        if let Some(section) = self.section {
            out.push_str(&format!("  = PTX ISA, section {section}\n"));
        }
        out
    }
}

/// Longest piece of a line that a snippet shows.
const SNIPPET_WIDTH: usize = 160;

fn render_snippet(out: &mut String, name: &str, source: &str, span: Span) {
    let start = (span.start as usize).min(source.len());
    let head = source.as_bytes().get(..start).unwrap_or_default();
    let line_start = head
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |at| at + 1);
    let rest = source.get(line_start..).unwrap_or("");
    let line = rest.lines().next().unwrap_or("");
    // A line of a megabyte is not shown whole: the window keeps the caret in it.
    let column = (span.column as usize).saturating_sub(1);
    let skip = if column + 40 > SNIPPET_WIDTH {
        column.saturating_sub(SNIPPET_WIDTH / 2)
    } else {
        0
    };
    let shown: String = line.chars().skip(skip).take(SNIPPET_WIDTH).collect();
    let pad: String = shown
        .chars()
        .take(column - skip)
        .map(|c| if c == '\t' { '\t' } else { ' ' })
        .collect();
    let length = span
        .text(source)
        .lines()
        .next()
        .map_or(0, |text| text.chars().count());
    let carets = length.clamp(1, SNIPPET_WIDTH.saturating_sub(column - skip).max(1));
    let number = span.line.to_string();
    let gutter = " ".repeat(number.len());
    out.push_str(&format!(
        "{gutter}--> {name}:{}:{}\n",
        span.line, span.column
    ));
    out.push_str(&format!("{gutter} |\n{number} | {shown}\n"));
    out.push_str(&format!("{gutter} | {pad}{}\n", "^".repeat(carets)));
}

/// All the faults found in one text, in the order of the text; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors(pub(crate) Vec<Error>);

impl Errors {
    /// The faults.
    #[must_use]
    pub fn as_slice(&self) -> &[Error] {
        &self.0
    }

    /// Every error as [`Error::render`] shows it, one below the other.
    #[must_use]
    pub fn render(&self, name: &str, source: &str) -> String {
        self.0
            .iter()
            .map(|error| error.render(name, source))
            .collect::<Vec<_>>()
            .join("\n")
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}

impl<'a> IntoIterator for &'a Errors {
    type Item = &'a Error;
    type IntoIter = std::slice::Iter<'a, Error>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
