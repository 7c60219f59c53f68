//! One line of textual LLVM IR, as far as the passes look into it.

/// A global variable's definition or declaration.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Global<'a> {
    /// The symbol, without `@` and quotes.
    pub(super) name: &'a str,
    /// Everything behind `@name = `.
    pub(super) body: &'a str,
}

/// Reads `@name = …`; anything else gives none.
pub(super) fn global(line: &str) -> Option<Global<'_>> {
    let (name, rest) = symbol(line)?;
    let body = rest.strip_prefix(" = ")?;
    Some(Global { name, body })
}

impl<'a> Global<'a> {
    /// The section that the source put it into.
    pub(super) fn section(&self) -> Option<&'a str> {
        let at = find_outside_strings(self.body, ", section \"")?;
        self.body[at + ", section \"".len()..].split('"').next()
    }

    /// The text of a byte-string initialiser, with LLVM's `\xx` escapes left as they are.
    pub(super) fn bytes(&self) -> Option<&'a str> {
        let start = self.body.find(" c\"")? + " c\"".len();
        self.body[start..].split('"').next()
    }
}

/// Reads the symbol at the start of `text`, which begins with `@`: its name and what follows.
pub(super) fn symbol(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix('@')?;
    if let Some(quoted) = rest.strip_prefix('"') {
        let end = quoted.find('"')?;
        return Some((&quoted[..end], &quoted[end + 1..]));
    }
    let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
    (end > 0).then(|| rest.split_at(end))
}

/// The name in a function's header.
pub(super) fn function(header: &str) -> Option<&str> {
    symbol(&header[header.find('@')?..]).map(|(name, _)| name)
}

/// Whether `c` may stand in an unquoted LLVM identifier.
fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-')
}

/// Splits a line into pieces that are symbols (`@name`) and pieces that are not, skipping over
/// string literals, in which an `@` means nothing.
pub(super) fn pieces(line: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::new();
    let (mut rest, mut start, mut at) = (line, 0, 0);
    while let Some(offset) = rest.find(['@', '"', ';']) {
        at += offset;
        match line.as_bytes()[at] {
            b'"' => at = skip_string(line, at),
            b';' => break,
            _ => match symbol(&line[at..]) {
                Some((name, after)) => {
                    out.push(Piece::Text(&line[start..at]));
                    out.push(Piece::Symbol(name));
                    at = line.len() - after.len();
                    start = at;
                }
                None => at += 1,
            },
        }
        rest = &line[at..];
    }
    out.push(Piece::Text(&line[start..]));
    out
}

/// Part of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Text between symbols, verbatim.
    Text(&'a str),
    /// A symbol's name.
    Symbol(&'a str),
}

/// Byte offset behind the string literal that opens at `open`.
fn skip_string(line: &str, open: usize) -> usize {
    line[open + 1..]
        .find('"')
        .map_or(line.len(), |end| open + 1 + end + 1)
}

/// Like `str::find`, but only outside string literals.
fn find_outside_strings(text: &str, pattern: &str) -> Option<usize> {
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with(pattern) {
            return Some(at);
        }
        at = match text.as_bytes()[at] {
            b'"' => skip_string(text, at),
            // Symbols and strings are ASCII; anything else is skipped by whole characters.
            _ => at + text[at..].chars().next().map_or(1, char::len_utf8),
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globals() {
        let line =
            r#"@S = internal unnamed_addr global [4 x i8] undef, section ".shared", align 4"#;
        let global = global(line).unwrap();
        assert_eq!(global.name, "S");
        assert_eq!(global.section(), Some(".shared"));
        assert_eq!(super::global("  store ptr @S, ptr %x"), None);
    }

    #[test]
    fn a_section_named_inside_a_string_is_none() {
        let line = r#"@S = constant [3 x i8] c", section \22.shared\22", align 1"#;
        assert_eq!(global(line).unwrap().section(), None);
    }

    #[test]
    fn symbols_are_whole_names() {
        use Piece::{Symbol, Text};
        assert_eq!(
            pieces(r#"  call void @f.1(ptr @"a b", [2 x i8] c"@S") ; @S"#),
            [
                Text("  call void "),
                Symbol("f.1"),
                Text("(ptr "),
                Symbol("a b"),
                Text(r#", [2 x i8] c"@S") ; @S"#),
            ]
        );
    }
}
