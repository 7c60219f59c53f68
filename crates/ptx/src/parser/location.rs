//! `.loc`, its comment, and the chains of inlined calls.

use super::{Parsed, Parser};
use crate::instruction::{Frame, SourceLocation};
use crate::module::Loc;
use smol_str::SmolStr;
use std::collections::HashMap;
use std::sync::Arc;

/// Longest chain of inlined calls that is kept.
const MAX_FRAMES: usize = 64;

type Place = (u32, u32, u32);

/// What is known about source places while a text is read.
pub(super) struct Locations {
    files: HashMap<u32, SmolStr>,
    current: Option<SourceLocation>,
    /// Chains of the places seen in this function: nvcc names only the innermost call.
    chains: HashMap<Place, Option<Arc<[Frame]>>>,
}

impl Locations {
    /// Looks for the `.file` directives first: nvcc writes them at the end of the text.
    pub(super) fn new(source: &str) -> Locations {
        let mut files = HashMap::new();
        for line in source.lines() {
            let Some(line) = line.trim_start().strip_prefix(".file") else {
                continue;
            };
            let mut parts = line.splitn(3, '"');
            let index = parts.next().and_then(|number| number.trim().parse().ok());
            if let (Some(index), Some(name)) = (index, parts.next()) {
                files.insert(index, SmolStr::new(name));
            }
        }
        Locations {
            files,
            current: None,
            chains: HashMap::new(),
        }
    }

    /// The `.loc` in force.
    pub(super) fn current(&self) -> Option<SourceLocation> {
        self.current.clone()
    }

    /// Forgets the function before.
    pub(super) fn enter_function(&mut self) {
        self.current = None;
        self.chains.clear();
    }

    fn file_name(&self, index: u32) -> SmolStr {
        self.files.get(&index).cloned().unwrap_or_default()
    }

    fn set(&mut self, loc: &Loc) {
        let place = (loc.file, loc.line, loc.column);
        let inlined_at = match (loc.inlined_at, loc.frames.as_slice()) {
            (Some(at), []) => Some(self.chain_from(at)),
            (None, []) => None,
            (_, frames) => Some(frames.into()),
        };
        if loc.inlined_at.is_some() || !self.chains.contains_key(&place) {
            self.chains.insert(place, inlined_at.clone());
        }
        let (file, line, column) = place;
        self.current = Some(SourceLocation {
            file,
            line,
            column,
            inlined_at,
        });
    }

    fn chain_from(&self, at: Place) -> Arc<[Frame]> {
        let outer = self
            .chains
            .get(&at)
            .and_then(Option::as_deref)
            .unwrap_or_default();
        let first = Frame {
            file: self.file_name(at.0),
            line: at.1,
            column: at.2,
        };
        std::iter::once(first)
            .chain(outer.iter().cloned())
            .take(MAX_FRAMES)
            .collect()
    }
}

impl Parser<'_> {
    /// `.loc file line column{, function_name label{+n}, inlined_at file line column}`, behind
    /// its first word.
    pub(super) fn loc(&mut self) -> Parsed<Loc> {
        let start = self.previous;
        let file = self.u32("the number of a file")?;
        let line = self.u32("a line")?;
        let column = self.u32("a column")?;
        let comment = self.lexer.trailing_comment(self.previous.end);
        let frames = comment.map(frames).unwrap_or_default();
        let (mut function_name, mut inlined_at) = (None, None);
        while self.eat(b',') {
            match self.word("`function_name` or `inlined_at`")? {
                "function_name" => {
                    let label = SmolStr::new(self.word("a label of `.debug_str`")?);
                    let offset = if self.eat(b'+') {
                        self.u32("an offset")?
                    } else {
                        0
                    };
                    function_name = Some((label, u64::from(offset)));
                }
                "inlined_at" => {
                    let file = self.u32("the number of a file")?;
                    let line = self.u32("a line")?;
                    inlined_at = Some((file, line, self.u32("a column")?));
                }
                _ => return self.unexpected("`function_name` or `inlined_at` before it"),
            }
        }
        let span = start.to(self.previous);
        let loc = Loc {
            file,
            line,
            column,
            function_name,
            inlined_at,
            frames,
            span,
        };
        self.locations.set(&loc);
        Ok(loc)
    }
}

/// The calls in LLVM's `src/a.rs:3:5 @[ src/b.rs:7:9 @[ src/c.rs:1:2 ] ]`, where the place itself may
/// be left out; empty if it is anything else.
fn frames(comment: &str) -> Vec<Frame> {
    let text = comment.trim_end_matches([' ', ']', '\t', '\r']);
    let mut parts = text.split("@[").map(str::trim).take(MAX_FRAMES + 1);
    let own = parts.next().unwrap_or_default();
    if !own.is_empty() && frame(own).is_none() {
        return Vec::new();
    }
    let frames: Option<Vec<Frame>> = parts.map(frame).collect();
    frames.unwrap_or_default()
}

fn frame(text: &str) -> Option<Frame> {
    let (rest, last) = text.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    if let Some((file, line)) = rest.rsplit_once(':')
        && let Ok(line) = line.parse()
    {
        return Some(Frame {
            file: file.into(),
            line,
            column: last,
        });
    }
    // LLVM leaves a column of 0 out.
    Some(Frame {
        file: rest.into(),
        line: last,
        column: 0,
    })
}
