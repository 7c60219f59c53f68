//! Puts the PTX of the codegen units together into one module.
//!
//! Each unit's PTX is a module of its own: header, declarations, definitions, file table. What a
//! unit took from others to inline it may be left as a function or constant in several units:
//! equal ones become one, others get names of their own.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};

/// One module being put together.
#[derive(Debug, Default)]
pub(crate) struct Merger<'a> {
    header: Vec<&'a str>,
    files: HashMap<&'a str, usize>,
    file_table: String,
    defined: HashMap<String, Definition>,
    body: String,
    units: usize,
}

#[derive(Debug)]
struct Definition {
    /// Of the text without its lines' numbers.
    hash: u64,
    /// Where its text starts in the body.
    start: usize,
    length: usize,
}

impl<'a> Merger<'a> {
    /// Adds a unit, or names the symbol that it and another one define differently although both
    /// mean the same memory or the same kernel.
    pub(crate) fn add(&mut self, ptx: &'a str) -> Result<(), String> {
        let (items, rest) = split(ptx);
        let numbers = self.take_directives(rest);
        let clashes: Vec<_> = items
            .iter()
            .filter(|item| item.kind != Kind::Declaration)
            .filter(|item| self.defined.contains_key(item.name))
            .collect();
        let equal = clashes.iter().all(|item| {
            item.kind == Kind::External || self.defined[item.name].hash == hash(item.text)
        });
        // All or none: what a unit calls is shaped by how that unit calls it.
        let mut renamed = HashMap::new();
        if !equal {
            for item in clashes.iter().filter(|item| item.kind == Kind::Private) {
                renamed.insert(item.name, format!("{}$u{}", item.name, self.units));
            }
        }
        self.units += 1;
        for item in &items {
            self.push(item, &numbers, &renamed)?;
        }
        Ok(())
    }

    /// The module's text.
    pub(crate) fn finish(self) -> String {
        let mut out = String::with_capacity(self.body.len() + self.file_table.len() + 100);
        for line in &self.header {
            out.push_str(line);
            out.push('\n');
        }
        out.push_str(&self.body);
        out.push_str(&self.file_table);
        out
    }

    /// Header and file table; gives the new number of each of the unit's files.
    fn take_directives(&mut self, lines: Vec<&'a str>) -> HashMap<&'a str, usize> {
        let mut numbers = HashMap::new();
        for line in lines {
            let file = line.trim_start().strip_prefix(".file");
            let Some((number, path)) = file.and_then(|rest| rest.trim_start().split_once(' '))
            else {
                if !self.header.contains(&line) {
                    self.header.push(line);
                }
                continue;
            };
            let next = self.files.len() + 1;
            let new = *self.files.entry(path).or_insert(next);
            if new == next {
                let _ = writeln!(self.file_table, "\t.file\t{new} {path}");
            }
            numbers.insert(number.trim(), new);
        }
        numbers
    }

    fn push(
        &mut self,
        item: &Item<'a>,
        numbers: &HashMap<&str, usize>,
        renamed: &HashMap<&str, String>,
    ) -> Result<(), String> {
        let name = renamed.get(item.name).map_or(item.name, String::as_str);
        let hash = hash(item.text);
        let start = self.body.len();
        if item.kind != Kind::Declaration || !self.defined.contains_key(name) {
            match self.defined.entry(name.to_owned()) {
                Entry::Occupied(old) if item.kind == Kind::External => {
                    let old = old.get();
                    let range = old.start..old.start + old.length;
                    return same_external(&self.body[range], item.text)
                        .then_some(())
                        .ok_or_else(|| name.to_owned());
                }
                Entry::Occupied(old) if old.get().hash == hash => return Ok(()),
                Entry::Occupied(_) => return Err(name.to_owned()),
                Entry::Vacant(_) if item.kind == Kind::Declaration => {}
                Entry::Vacant(new) => {
                    let length = item.text.len();
                    new.insert(Definition {
                        hash,
                        start,
                        length,
                    });
                }
            }
            for line in item.text.lines() {
                push_line(line, numbers, renamed, &mut self.body);
            }
        }
        Ok(())
    }
}

/// Whether two units mean the same external symbol.
fn same_external(a: &str, b: &str) -> bool {
    a.trim_end() == b.trim_end()
}

fn push_line(
    line: &str,
    numbers: &HashMap<&str, usize>,
    renamed: &HashMap<&str, String>,
    out: &mut String,
) {
    if let Some(rest) = line.strip_prefix("\t.loc\t")
        && let Some((file, place)) = rest.split_once(' ')
        && let Some(number) = numbers.get(file)
    {
        let _ = write!(out, "\t.loc\t{number} {place}");
    } else if renamed.is_empty() {
        out.push_str(line);
    } else {
        rename(line, renamed, out);
    }
    out.push('\n');
}

/// Replaces whole identifiers.
fn rename(line: &str, renamed: &HashMap<&str, String>, out: &mut String) {
    let mut rest = line;
    while let Some(start) = rest.find(is_name) {
        let length = rest[start..]
            .find(|c| !is_name(c))
            .unwrap_or(rest.len() - start);
        let (before, name) = (&rest[..start], &rest[start..start + length]);
        out.push_str(before);
        out.push_str(renamed.get(name).map_or(name, String::as_str));
        rest = &rest[start + length..];
    }
    out.push_str(rest);
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%')
}

/// Of a definition's text, without what differs with its place in a module: source positions, and
/// the numbers that LLVM counts through a module.
fn hash(text: &str) -> u64 {
    const COUNTED: [&str; 4] = ["$L__BB", "$L__func_begin", "$L__func_end", "prototype_"];
    let mut hasher = DefaultHasher::new();
    for mut line in text.lines().filter(|line| !line.starts_with("\t.loc\t")) {
        while let Some(end) = COUNTED
            .iter()
            .filter_map(|name| Some(line.find(name)? + name.len()))
            .min()
        {
            line[..end].hash(&mut hasher);
            line = line[end..].trim_start_matches(|c: char| c.is_ascii_digit());
        }
        line.hash(&mut hasher);
    }
    hasher.finish()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Only declared here, defined further down.
    Declaration,
    /// Defined outside the module, or by the launch.
    External,
    /// A kernel, or a variable that is one for all units.
    Visible,
    /// A function, constant or shared variable of this unit.
    Private,
}

#[derive(Debug, PartialEq, Eq)]
struct Item<'a> {
    kind: Kind,
    name: &'a str,
    text: &'a str,
}

/// A unit's items, and its lines that belong to no item: header and file table.
fn split(ptx: &str) -> (Vec<Item<'_>>, Vec<&str>) {
    let (mut items, mut rest) = (Vec::new(), Vec::new());
    let (mut start, mut at, mut depth) = (None, 0, 0_i32);
    for line in ptx.split_inclusive('\n') {
        let begin = at;
        at += line.len();
        let code = line.trim_end();
        if start.is_none() && is_directive(code) {
            rest.push(code);
            continue;
        }
        let first = *start.get_or_insert(begin);
        // Strings stand in directives only.
        let code = code.split("//").next().unwrap_or_default().trim_end();
        for byte in code.bytes() {
            depth += i32::from(byte == b'{') - i32::from(byte == b'}');
        }
        if depth == 0 && code.ends_with([';', '}']) {
            items.push(item(&ptx[first..at]));
            start = None;
        }
    }
    items.extend(start.map(|first| item(&ptx[first..])));
    (items, rest)
}

fn is_directive(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    matches!(
        word,
        ".version" | ".target" | ".address_size" | ".file" | ""
    )
}

fn item(text: &str) -> Item<'_> {
    let is_function = text.contains(".func") || text.contains(".entry");
    let head = text.split(['{', '=', ';']).next().unwrap_or_default();
    let name = if is_function {
        function_name(head)
    } else {
        variable_name(head)
    };
    let kind = if text.starts_with(".extern") {
        Kind::External
    } else if is_function && !text.contains('{') {
        Kind::Declaration
    } else if text.starts_with(".visible") || text.starts_with(".weak") {
        Kind::Visible
    } else {
        Kind::Private
    };
    Item {
        kind,
        // What has no name stands for itself: once in the module.
        name: name.unwrap_or(text),
        text,
    }
}

/// `.func (.param .b32 r) NAME (…`: the first word that is neither directive nor result.
fn function_name(head: &str) -> Option<&str> {
    let at = head.find(".func").map(|at| at + ".func".len());
    let at = at.or_else(|| head.find(".entry").map(|at| at + ".entry".len()))?;
    let mut rest = head[at..].trim_start();
    if rest.starts_with('(') {
        rest = rest[rest.find(')')? + 1..].trim_start();
    }
    let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

/// `.global .align 4 .b8 NAME[16]`: the last word, without its extent.
fn variable_name(head: &str) -> Option<&str> {
    let word = head.split('[').next()?.split_whitespace().next_back()?;
    word.starts_with(is_name).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    const HEAD: &str = ".version 7.8\n.target sm_90\n.address_size 64\n";

    fn unit(kernel: &str, helper: &str, file: &str) -> String {
        format!(
            "{HEAD}.func  (.param .b32 func_retval0) help\n(\n\t.param .b32 help_param_0\n)\n;\n\
             .extern .func vprintf\n(\n)\n;\n\
             .global .align 1 .b8 text[2] = {{104, 105}};\n\
             .visible .entry {kernel}(\n\t.param .u64 p\n)\n{{\n\t.loc\t1 2 3\t// @[ a;b ]\n\
             \t{{\n\tcall.uni (r), help, (a);\n\t}}\n\tret;\n}}\n\
             .func  (.param .b32 func_retval0) help(\n\t.param .b32 help_param_0\n)\n{{\n\
             \t.loc\t1 9 9\n\tmov.b32 %r1, {helper};\n}}\n\t.file\t1 \"{file}\"\n"
        )
    }

    fn merged(units: &[String]) -> Result<String, String> {
        let mut merger = Merger::default();
        for unit in units {
            merger.add(unit)?;
        }
        Ok(merger.finish())
    }

    #[test]
    fn equal_helpers_become_one() {
        let text = merged(&[unit("k", "1", "a.rs"), unit("l", "1", "b.rs")]).unwrap();
        expect![[r#"
            .version 7.8
            .target sm_90
            .address_size 64
            .func  (.param .b32 func_retval0) help
            (
            	.param .b32 help_param_0
            )
            ;
            .extern .func vprintf
            (
            )
            ;
            .global .align 1 .b8 text[2] = {104, 105};
            .visible .entry k(
            	.param .u64 p
            )
            {
            	.loc	1 2 3	// @[ a;b ]
            	{
            	call.uni (r), help, (a);
            	}
            	ret;
            }
            .func  (.param .b32 func_retval0) help(
            	.param .b32 help_param_0
            )
            {
            	.loc	1 9 9
            	mov.b32 %r1, 1;
            }
            .visible .entry l(
            	.param .u64 p
            )
            {
            	.loc	2 2 3	// @[ a;b ]
            	{
            	call.uni (r), help, (a);
            	}
            	ret;
            }
            	.file	1 "a.rs"
            	.file	2 "b.rs"
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn what_is_counted_through_a_module_makes_no_difference() {
        let body = |n: u32| format!(".func f()\n{{\n\tbra $L__BB{n}_1;\n\tprototype_{n} : x;\n}}");
        assert_eq!(hash(&body(1)), hash(&body(12)));
        assert_ne!(
            hash(".func f() { bra $L__BB1_1; }"),
            hash(".func f() { bra $L__BB1_2; }")
        );
    }

    #[test]
    fn different_helpers_keep_apart() {
        let text = merged(&[unit("k", "1", "a.rs"), unit("l", "2", "a.rs")]).unwrap();
        for part in [
            "help(\n\t.param .b32 help_param_0\n)\n{\n\t.loc\t1 9 9\n\tmov.b32 %r1, 1;",
            "help$u1\n(\n\t.param .b32 help_param_0\n)\n;",
            "call.uni (r), help$u1, (a);",
            "help$u1(\n\t.param .b32 help_param_0\n)\n{\n\t.loc\t1 9 9\n\tmov.b32 %r1, 2;",
            ".global .align 1 .b8 text$u1[2] = {104, 105};",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert_eq!(text.matches(".extern").count(), 1, "{text}");
    }

    #[test]
    fn one_variable_for_all_units_is_defined_alike() {
        let unit = |value| format!("{HEAD}.visible .global .align 4 .u32 v = {value};\n");
        assert!(merged(&[unit(1), unit(1)]).unwrap().ends_with("v = 1;\n"));
        assert_eq!(merged(&[unit(1), unit(2)]), Err("v".to_owned()));
    }
}
