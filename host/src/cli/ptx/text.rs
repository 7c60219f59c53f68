//! One kernel of a PTX text, with the Rust lines that its `.loc` directives name.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cli::style;

/// The text of one `.entry`, from its first directive to its closing brace.
pub(super) fn entry<'a>(ptx: &'a str, name: &str) -> Option<&'a str> {
    let mut from = 0;
    let (begin, after) = loop {
        let at = from + ptx[from..].find(".entry")?;
        let after = at + ".entry".len();
        let word = ptx[after..]
            .split(|c: char| c.is_whitespace() || c == '(')
            .find(|w| !w.is_empty());
        if word == Some(name) {
            break (ptx[..at].rfind('\n').map_or(0, |line| line + 1), after);
        }
        from = after;
    };
    let mut depth = 0_usize;
    for (at, c) in ptx[after..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if c == '}' && depth == 0 {
            return Some(&ptx[begin..=after + at]);
        }
    }
    None
}

/// The source files that the `.file` directives number.
pub(super) fn files(ptx: &str) -> BTreeMap<u32, String> {
    let directive = |line: &str| {
        let rest = line.trim_start().strip_prefix(".file")?;
        let (number, name) = rest.trim_start().split_once(char::is_whitespace)?;
        let name = name.split('"').nth(1)?;
        let name = name.strip_prefix("./").unwrap_or(name);
        Some((number.parse().ok()?, name.to_owned()))
    };
    ptx.lines().filter_map(directive).collect()
}

/// The kernel, with a line of Rust before the instructions that came from it.
pub(super) fn beside_rust(entry: &str, files: &BTreeMap<u32, String>) -> String {
    let mut sources = Sources::default();
    let mut out = String::new();
    let mut last = None;
    for line in entry.lines() {
        let Some(place) = location(line) else {
            out += line;
            out += "\n";
            continue;
        };
        if last.replace(place) == Some(place) {
            continue;
        }
        let (file, number) = place;
        if number == 0 {
            // Made by the compiler.
            continue;
        }
        let name = files.get(&file).map_or("?", String::as_str);
        let code = sources
            .line(name, number)
            .map(|code| format!("  {code}"))
            .unwrap_or_default();
        out += &style::dim(&format!("        // {name}:{number}{code}"));
        out += "\n";
    }
    out
}

/// File and line of a `.loc` directive.
fn location(line: &str) -> Option<(u32, u32)> {
    let rest = line.trim_start().strip_prefix(".loc")?;
    let mut numbers = rest.split_whitespace();
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Rust files, read once, where they can be found from here.
#[derive(Default)]
struct Sources {
    files: BTreeMap<String, Option<Vec<String>>>,
}

impl Sources {
    fn line(&mut self, file: &str, number: u32) -> Option<&str> {
        let lines = self
            .files
            .entry(file.to_owned())
            .or_insert_with(|| read(file));
        let line = lines
            .as_ref()?
            .get(usize::try_from(number).ok()?.checked_sub(1)?)?;
        Some(line.trim())
    }
}

/// A source file, as the PTX names it: from here, or from the checkout that this was built in.
pub(in crate::cli) fn read(file: &str) -> Option<Vec<String>> {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    let text = std::fs::read_to_string(file)
        .or_else(|_| std::fs::read_to_string(checkout))
        .ok()?;
    Some(text.lines().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "\
.version 7.8
.target sm_90
.file\t1 \"kernels/src/no_such_file.rs\"
.visible .entry first(
\t.param .u64 first_param_0
)
{
\t.loc\t1 7 5
\tmov.u32 %r1, 0;
\t.loc\t1 7 9
\t{ call f; }
\tret;
}
.visible .entry first_two() { ret; }
";

    #[test]
    fn an_entry_is_cut_out_whole() {
        let first = entry(PTX, "first").expect("there");
        assert!(
            first.starts_with(".visible .entry first(") && first.ends_with("ret;\n}"),
            "{first}"
        );
        assert_eq!(
            entry(PTX, "first_two"),
            Some(".visible .entry first_two() { ret; }")
        );
        assert_eq!(entry(PTX, "third"), None);
        assert_eq!(entry(".entry x", "x"), None);
    }

    #[test]
    fn lines_are_named_once() {
        let text = beside_rust(entry(PTX, "first").expect("there"), &files(PTX));
        assert_eq!(text.matches("no_such_file.rs:7").count(), 1, "{text}");
        assert!(!text.contains(".loc"));
    }
}
