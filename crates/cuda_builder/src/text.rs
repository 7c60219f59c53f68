//! The PTX text as LLVM leaves it, made fit to embed.

/// Removes LLVM's commentary, which is two thirds of the text: block names, "begin function", and
/// each `.loc`'s own position once more. What stays behind a `.loc` is where its line was inlined:
/// `// @[ file:line:col ]`, innermost call first.
pub(crate) fn compact(ptx: &str) -> String {
    let mut out = String::with_capacity(ptx.len() / 2);
    for line in ptx.lines() {
        // LLVM leaves an empty section behind line directives.
        if line.starts_with("\t.section\t.debug_macinfo") {
            continue;
        }
        let (code, comment) = split_comment(line);
        let code = code.trim_end();
        // Labels that only debug sections would refer to.
        if code.is_empty() || code.starts_with("$L__tmp") {
            continue;
        }
        out.push_str(code);
        if code.starts_with("\t.loc\t")
            && let Some(at) = comment.find("@[")
        {
            out.push_str("\t// ");
            out.push_str(comment[at..].trim_end());
        }
        out.push('\n');
    }
    out
}

/// A line and its `//` comment, which does not start inside a string.
fn split_comment(line: &str) -> (&str, &str) {
    let mut in_string = false;
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b'"' => in_string = !in_string,
            b'/' if !in_string && line[at..].starts_with("//") => return line.split_at(at),
            _ => {}
        }
    }
    (line, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_inlining_stays() {
        let ptx = "// Generated\n.entry k()     // @k\n{\n$L__tmp7:\n\t.loc\t1 2 3   // a.rs:2:3 @[ b.rs:4:5 ]\n\
                   \t.loc\t1 2 3   // a.rs:2:3\n\tret;\n}\n\t.section\t.debug_macinfo\t{\t}\n\
                   \t.file\t1 \"http://x\"\n";
        assert_eq!(
            compact(ptx),
            ".entry k()\n{\n\t.loc\t1 2 3\t// @[ b.rs:4:5 ]\n\t.loc\t1 2 3\n\tret;\n}\n\
             \t.file\t1 \"http://x\"\n"
        );
    }
}
