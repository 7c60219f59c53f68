//! Misuse that only the optimised program shows.
//!
//! `cuda_std` leaves two kinds of marks in the code, each an `asm!` of one PTX comment:
//!
//! * `// lockstep.misuse TEXT` stands in a branch that is taken for an operand that is wrong *and*
//!   known to the optimiser. Where the operand is right or not known, the branch is gone by now.
//! * `// lockstep.block N` stands where the code is right for blocks of N threads along x only.
//!
//! What is left of the first kind in code that a kernel reaches is an error, and so is the second in
//! a kernel that declares another block. The marks themselves go.

use super::lines::Nodes;
use super::{IrError, contract, line, readable};
use std::collections::{HashMap, HashSet};

const MARK: &str = "\"// lockstep.";

/// Removes the marks, having checked them.
pub(super) fn lower(ir: &str) -> Result<String, IrError> {
    if !ir.contains(MARK) {
        return Ok(ir.to_owned());
    }
    let functions = functions(ir);
    let blocks = contract::blocks(ir)?;
    let nodes = Nodes::read(ir);
    for (&kernel, function) in functions.iter().filter(|(_, function)| function.is_kernel) {
        let block = blocks.get(kernel);
        for &(mark, text) in reached(&functions, function).iter().flat_map(|f| &f.marks) {
            if let Some(message) = complaint(mark, block) {
                let at = nodes.caller(text).map(|at| format!(", at {at}"));
                let place = format!("kernel `{}`{}", readable(kernel), at.unwrap_or_default());
                return Err(IrError::Misuse { place, message });
            }
        }
    }
    let kept = ir.lines().filter(|text| mark(text).is_none());
    Ok(kept.flat_map(|text| [text, "\n"]).collect())
}

/// One function's marks and calls.
#[derive(Default)]
struct Function<'a> {
    is_kernel: bool,
    /// Each mark with its line.
    marks: Vec<(&'a str, &'a str)>,
    calls: Vec<&'a str>,
}

fn functions(ir: &str) -> HashMap<&str, Function<'_>> {
    let mut functions = HashMap::new();
    let mut open: Option<(&str, Function<'_>)> = None;
    for text in ir.lines() {
        if let Some(head) = text.strip_prefix("define ") {
            let name = line::function(head).unwrap_or_default();
            let function = Function {
                is_kernel: head.contains("ptx_kernel"),
                ..Function::default()
            };
            open = Some((name, function));
        } else if text == "}" {
            functions.extend(open.take());
        } else if let Some((_, function)) = &mut open {
            if let Some(mark) = mark(text) {
                function.marks.push((mark, text));
            } else if text.contains("call ") {
                let symbols = line::pieces(text).into_iter();
                function
                    .calls
                    .extend(symbols.filter_map(|piece| match piece {
                        line::Piece::Symbol(name) => Some(name),
                        line::Piece::Text(_) => None,
                    }));
            }
        }
    }
    functions
}

/// The function and all that it may call.
fn reached<'f, 'a>(
    functions: &'f HashMap<&'a str, Function<'a>>,
    from: &'f Function<'a>,
) -> Vec<&'f Function<'a>> {
    let (mut found, mut seen, mut next) = (vec![from], HashSet::new(), 0);
    while let Some(&function) = found.get(next) {
        let new = function.calls.iter().filter(|name| seen.insert(**name));
        let new: Vec<_> = new.filter_map(|name| functions.get(name)).collect();
        found.extend(new);
        next += 1;
    }
    found
}

/// What stands in a line that is a mark.
fn mark(text: &str) -> Option<&str> {
    let at = text.find(MARK).filter(|_| text.contains(" asm "))?;
    text[at + MARK.len()..].split('"').next()
}

/// What is wrong about a mark in a kernel that declares this block, if anything is.
fn complaint(mark: &str, block: Option<&String>) -> Option<String> {
    match mark.split_once(' ') {
        Some(("misuse", message)) => Some(message.to_owned()),
        Some(("block", size)) => block.filter(|block| **block != format!("{size},1,1")).map(|block| {
            format!(
                "a block collective for {size} threads along x, in a kernel whose blocks are declared \
                 as ({block}): say `#[kernel(block = {size})]`, or ask for the size that is declared"
            )
        }),
        _ => Some(format!("unknown mark `{mark}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kernel `k` calls `f`, which holds a mark, and nobody calls `g`, which holds another.
    fn module(mark: &str, block: &str) -> String {
        format!(
            "@K = internal constant [9 x i8] c\"reqntid={block};entry=k\", section \".lockstep.contract\", align 1\n\
             define ptx_kernel void @k(ptr %x) {{\n\
             \x20 tail call void @f(ptr %x)\n\
             }}\n\
             define internal void @f(ptr %x) {{\n\
             \x20 tail call void asm sideeffect \"// lockstep.{mark}\", \"\"() #1, !dbg !5, !srcloc !6\n\
             }}\n\
             define internal void @g() {{\n\
             \x20 call void asm sideeffect \"// lockstep.misuse dead\", \"\"()\n\
             }}\n\
             !1 = !DIFile(filename: \"lib/src/warp/a.rs\", directory: \".\")\n\
             !2 = !DIFile(filename: \"kernels/src/b.rs\", directory: \".\")\n\
             !3 = distinct !DISubprogram(name: \"shuffle\", file: !1, line: 1)\n\
             !4 = distinct !DISubprogram(name: \"k\", file: !2, line: 1)\n\
             !5 = !DILocation(line: 961, column: 18, scope: !3, inlinedAt: !6)\n\
             !6 = !DILocation(line: 7, column: 5, scope: !3, inlinedAt: !7)\n\
             !7 = !DILocation(line: 12, column: 9, scope: !4)\n"
        )
    }

    #[track_caller]
    fn check(mark: &str, block: &str, message: Option<&str>) {
        let lowered = lower(&module(mark, block));
        match message {
            None => assert!(!lowered.unwrap().contains("lockstep.misuse")),
            Some(message) => assert_eq!(lowered.unwrap_err().to_string(), message),
        }
    }

    #[test]
    fn marks_that_a_kernel_reaches_are_judged() {
        check(
            "misuse a width is a power of two",
            "0000000000,0000000000,0000000000",
            Some("in kernel `k`, at kernels/src/b.rs:12:9: a width is a power of two"),
        );
        check("block 64", "0000000064,0000000001,0000000001", None);
        check("block 64", "0000000000,0000000000,0000000000", None);
        for block in [
            "0000000128,0000000001,0000000001",
            "0000000064,0000000002,0000000001",
        ] {
            let error = lower(&module("block 64", block)).unwrap_err().to_string();
            assert!(error.contains("collective for 64 threads"), "{error}");
        }
    }
}
