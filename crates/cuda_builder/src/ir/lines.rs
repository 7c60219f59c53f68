//! Line information as a reader of the kernels wants it.
//!
//! Most instructions of a kernel come, through several inlined calls, from one-line functions of
//! `core`: pointer arithmetic, `read`, `write`. Each such location becomes that of its innermost
//! caller outside `core`, so that PTX, SASS, profiler and emulator name lines that somebody wrote
//! for the kernel. What is left is kept as directives only: full line tables would bring DWARF
//! sections, which `ptxas` refuses.

use std::collections::HashMap;

/// Where the builder maps the source of `core` to (`--remap-path-prefix`).
const CORE: &str = "/rustc/library/";

/// Rewrites the module's locations.
pub(super) fn lower(ir: &str) -> String {
    let nodes = Nodes::read(ir);
    let mut out = String::with_capacity(ir.len());
    for line in ir.lines() {
        match nodes.outside_core(line) {
            Some((number, location)) => {
                out.push_str(&format!("!{number} = {location}"));
            }
            None if line.contains("emissionKind: LineTablesOnly") => out.push_str(&line.replace(
                "emissionKind: LineTablesOnly",
                "emissionKind: DebugDirectivesOnly",
            )),
            None => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

/// The debug metadata that locations hang together by.
pub(super) struct Nodes<'a> {
    /// Locations, by node number: the text behind `!N = `.
    locations: HashMap<u32, &'a str>,
    /// The file node of each scope.
    file_of: HashMap<u32, u32>,
    /// The name of each file node.
    name_of: HashMap<u32, &'a str>,
}

impl<'a> Nodes<'a> {
    pub(super) fn read(ir: &'a str) -> Self {
        let mut nodes = Nodes {
            locations: HashMap::new(),
            file_of: HashMap::new(),
            name_of: HashMap::new(),
        };
        for line in ir.lines() {
            let Some((number, body)) = node(line) else {
                continue;
            };
            if body.contains("!DILocation(") {
                nodes.locations.insert(number, body);
            } else if let Some(name) = body.strip_prefix("!DIFile(filename: \"") {
                let name = name.split('"').next().unwrap_or_default();
                nodes.name_of.insert(number, name);
            } else if let Some(file) = reference(body, "file: !") {
                nodes.file_of.insert(number, file);
            }
        }
        nodes
    }

    /// For a line that defines a location in `core`: its number, and its caller's location.
    fn outside_core(&self, line: &'a str) -> Option<(u32, &'a str)> {
        let (number, body) = node(line)?;
        if !body.contains("!DILocation(") || !self.in_core(body) {
            return None;
        }
        let caller = self.callers(body).find(|caller| !self.in_core(caller))?;
        Some((number, caller))
    }

    /// The place from which an instruction's crate was called: `FILE:LINE:COLUMN`.
    pub(super) fn caller(&self, instruction: &str) -> Option<String> {
        let location = self
            .locations
            .get(&reference(instruction, ", !dbg !")?)
            .copied()?;
        let crate_of = |location| Some(self.file(location)?.split("/src/").next());
        let own = crate_of(location);
        let place = std::iter::once(location)
            .chain(self.callers(location))
            .find(|location| crate_of(location) != own)
            .unwrap_or(location);
        let [line, column] = ["line: ", "column: "].map(|key| reference(place, key));
        let (line, column) = (line.unwrap_or_default(), column.unwrap_or_default());
        Some(format!("{}:{line}:{column}", self.file(place)?))
    }

    /// The locations that a location was inlined into, innermost first.
    fn callers(&self, location: &'a str) -> impl Iterator<Item = &'a str> {
        let caller = |at: &&'a str| {
            let caller = reference(at, "inlinedAt: !")?;
            self.locations.get(&caller).copied()
        };
        // A chain is never longer than there are locations; a cycle would be malformed IR.
        std::iter::successors(Some(location), caller)
            .skip(1)
            .take(self.locations.len())
    }

    fn in_core(&self, location: &str) -> bool {
        self.file(location)
            .is_some_and(|file| file.starts_with(CORE))
    }

    fn file(&self, location: &str) -> Option<&'a str> {
        let scope = reference(location, "scope: !")?;
        self.name_of.get(self.file_of.get(&scope)?).copied()
    }
}

/// `!N = body`.
fn node(line: &str) -> Option<(u32, &str)> {
    let (number, body) = line.strip_prefix('!')?.split_once(" = ")?;
    Some((number.parse().ok()?, body))
}

/// The number behind `key`.
fn reference(body: &str, key: &str) -> Option<u32> {
    let digits = &body[body.find(key)? + key.len()..];
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    digits[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn locations_in_core_become_their_callers() {
        let ir = concat!(
            "!0 = distinct !DICompileUnit(language: DW_LANG_Rust, emissionKind: LineTablesOnly)\n",
            "!1 = !DIFile(filename: \"kernels/src/a.rs\", directory: \".\")\n",
            "!2 = !DIFile(filename: \"/rustc/library/core/src/ptr/mut_ptr.rs\", directory: \"\")\n",
            "!3 = distinct !DISubprogram(name: \"k\", file: !1, line: 1)\n",
            "!4 = distinct !DISubprogram(name: \"add\", scope: !9, file: !2, line: 7)\n",
            "!5 = !DILocation(line: 961, column: 18, scope: !4, inlinedAt: !6)\n",
            "!6 = !DILocation(line: 30, column: 5, scope: !4, inlinedAt: !7)\n",
            "!7 = !DILocation(line: 12, column: 9, scope: !3)\n",
            "!8 = !DILocation(line: 1, column: 1, scope: !4)\n",
        );
        expect![[r#"
            !0 = distinct !DICompileUnit(language: DW_LANG_Rust, emissionKind: DebugDirectivesOnly)
            !1 = !DIFile(filename: "kernels/src/a.rs", directory: ".")
            !2 = !DIFile(filename: "/rustc/library/core/src/ptr/mut_ptr.rs", directory: "")
            !3 = distinct !DISubprogram(name: "k", file: !1, line: 1)
            !4 = distinct !DISubprogram(name: "add", scope: !9, file: !2, line: 7)
            !5 = !DILocation(line: 12, column: 9, scope: !3)
            !6 = !DILocation(line: 12, column: 9, scope: !3)
            !7 = !DILocation(line: 12, column: 9, scope: !3)
            !8 = !DILocation(line: 1, column: 1, scope: !4)
        "#]]
        .assert_eq(&lower(ir));
    }
}
