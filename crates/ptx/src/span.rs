//! Where something stands in the text.

use std::fmt;

/// A stretch of the source text, with the line and column at which it starts.
///
/// Spans never take part in comparisons: any two are equal. Two modules are therefore equal when
/// they *say* the same, wherever it stands, which is what a round trip through
/// [`Display`](std::fmt::Display) has to hold.
#[derive(Clone, Copy, Default)]
pub struct Span {
    /// Byte offset of the first byte.
    pub start: u32,
    /// Byte offset just past the last byte.
    pub end: u32,
    /// Line, from 1; 0 when the node was not parsed from text.
    pub line: u32,
    /// Column in characters, from 1; 0 when the node was not parsed from text.
    pub column: u32,
}

impl Span {
    /// From the start of `self` to the end of `other`.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span {
            end: other.end.max(self.start),
            ..self
        }
    }

    /// The text under the span; empty when the span does not belong to `source`.
    #[must_use]
    pub fn text(self, source: &str) -> &str {
        source
            .get(self.start as usize..self.end as usize)
            .unwrap_or("")
    }
}

impl PartialEq for Span {
    fn eq(&self, _: &Span) -> bool {
        true
    }
}

impl Eq for Span {}

impl std::hash::Hash for Span {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
