//! Turns the launch contracts that `#[kernel(block = …)]` leaves behind into function attributes.
//!
//! The macro writes one byte string per kernel into the section `.lockstep.contract`:
//! `reqntid=X,Y,Z;maxntid=N;minctasm=N;maxnreg=N;entry=SYMBOL`, each number in ten decimal digits
//! and 0 where nothing was asked for. The pass removes those statics and attaches `nvvm.reqntid`
//! and its like to the kernel, so that the PTX itself says `.reqntid 256, 1, 1`.

use super::IrError;
use super::line::{self, Piece};
use std::collections::HashMap;
use std::fmt::Write as _;

const SECTION: &str = ".lockstep.contract";

/// Rewrites the module; also says how many kernels carry a contract.
pub(super) fn lower(ir: &str) -> Result<(String, usize), IrError> {
    let contracts = find(ir)?;
    let mut group = next_attribute_group(ir);
    let mut groups = String::new();
    let mut out = String::with_capacity(ir.len());
    let mut attached = 0;
    for text in ir.lines() {
        if let Some(global) = line::global(text) {
            match global.name {
                "llvm.used" | "llvm.compiler.used" => push_used(text, &contracts.statics, &mut out),
                name if contracts.statics.contains(&name) => continue,
                _ => push_line(text, &mut out),
            }
            continue;
        }
        match kernel(text).and_then(|name| contracts.of.get(name)) {
            Some(attributes) if !attributes.is_empty() => {
                push_line(&with_group(text, group), &mut out);
                let _ = writeln!(groups, "attributes #{group} = {{ {attributes} }}");
                group += 1;
                attached += 1;
            }
            _ => push_line(text, &mut out),
        }
    }
    out.push_str(&groups);
    Ok((out, attached))
}

/// The block that each kernel declares, as `X,Y,Z`.
pub(super) fn blocks(ir: &str) -> Result<HashMap<&str, String>, IrError> {
    let block = |attributes: &str| {
        let (_, rest) = attributes.split_once("\"nvvm.reqntid\"=\"")?;
        rest.split('"').next().map(str::to_owned)
    };
    let contracts = find(ir)?.of.into_iter();
    Ok(contracts
        .filter_map(|(kernel, attributes)| Some((kernel, block(&attributes)?)))
        .collect())
}

struct Contracts<'a> {
    /// The statics that hold them.
    statics: Vec<&'a str>,
    /// The attributes of each kernel.
    of: HashMap<&'a str, String>,
}

fn find(ir: &str) -> Result<Contracts<'_>, IrError> {
    let mut contracts = Contracts {
        statics: Vec::new(),
        of: HashMap::new(),
    };
    for global in ir.lines().filter_map(line::global) {
        if global.section() != Some(SECTION) {
            continue;
        }
        contracts.statics.push(global.name);
        let text = global.bytes().unwrap_or_default();
        let (entry, attributes) = parse(text).map_err(|reason| IrError::Contract {
            text: text.to_owned(),
            reason,
        })?;
        contracts.of.insert(entry, attributes);
    }
    Ok(contracts)
}

/// The kernel's symbol and the attributes that its contract asks for.
fn parse(text: &str) -> Result<(&str, String), String> {
    let mut entry = None;
    let mut attributes = Vec::new();
    for field in text.split(';') {
        let (key, value) = field
            .split_once('=')
            .ok_or_else(|| format!("`{field}` is no `key=value`"))?;
        match key {
            "entry" => entry = Some(value),
            "reqntid" | "maxntid" | "minctasm" | "maxnreg" => {
                if let Some(value) = numbers(key, value)? {
                    attributes.push(format!("\"nvvm.{key}\"=\"{value}\""));
                }
            }
            _ => return Err(format!("unknown key `{key}`")),
        }
    }
    let entry = entry.ok_or("no `entry=` names its kernel")?;
    Ok((entry, attributes.join(" ")))
}

/// The numbers without their leading zeros; none where all are 0.
fn numbers(key: &str, value: &str) -> Result<Option<String>, String> {
    let numbers = value
        .split(',')
        .map(str::parse::<u32>)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| format!("{key}: {error}"))?;
    if numbers.iter().all(|&n| n == 0) {
        return Ok(None);
    }
    let words: Vec<_> = numbers.iter().map(u32::to_string).collect();
    Ok(Some(words.join(",")))
}

/// The symbol of the kernel that a line defines.
fn kernel(text: &str) -> Option<&str> {
    let head = text.strip_prefix("define ")?;
    if !head.contains("ptx_kernel") {
        return None;
    }
    line::function(head)
}

/// Adds an attribute group to a function's header, behind its parameters.
fn with_group(text: &str, group: usize) -> String {
    let parameters = text.rfind(')').map_or(0, |at| at + 1);
    let tail = &text[parameters..];
    let at = parameters
        + tail
            .find(" #")
            .or_else(|| tail.find(" !"))
            .or_else(|| tail.rfind(" {"))
            .unwrap_or(tail.len());
    format!("{} #{group}{}", &text[..at], &text[at..])
}

/// `llvm.used` without the contracts' statics.
fn push_used(text: &str, statics: &[&str], out: &mut String) {
    let kept: Vec<_> = line::pieces(&text[1..])
        .into_iter()
        .filter_map(|piece| match piece {
            Piece::Symbol(name) if !statics.contains(&name) => Some(name),
            _ => None,
        })
        .collect();
    if kept.is_empty() {
        return;
    }
    let name = line::global(text).map_or("llvm.used", |global| global.name);
    let list: Vec<_> = kept.iter().map(|name| format!("ptr @\"{name}\"")).collect();
    let _ = writeln!(
        out,
        "@{name} = appending global [{} x ptr] [{}], section \"llvm.metadata\"",
        kept.len(),
        list.join(", ")
    );
}

fn push_line(text: &str, out: &mut String) {
    out.push_str(text);
    out.push('\n');
}

/// The first attribute group number that the module does not use.
fn next_attribute_group(ir: &str) -> usize {
    ir.lines()
        .filter_map(|text| text.strip_prefix("attributes #"))
        .filter_map(|rest| rest.split(' ').next()?.parse::<usize>().ok())
        .max()
        .map_or(0, |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    const CONTRACT: &str = "reqntid=0000000256,0000000001,0000000001;maxntid=0000000000;\
                            minctasm=0000000002;maxnreg=0000000000;entry=k";

    fn module(contract: &str) -> String {
        format!(
            "@K = internal constant [9 x i8] c\"{contract}\", section \"{SECTION}\", align 1\n\
             @llvm.used = appending global [2 x ptr] [ptr @K, ptr @other], section \"llvm.metadata\"\n\
             define ptx_kernel void @k(ptr %x) unnamed_addr #0 !dbg !8 {{\n\
             define ptx_kernel void @free(ptr %x) unnamed_addr #0 {{\n\
             attributes #0 = {{ convergent }}\n"
        )
    }

    #[test]
    fn the_kernel_carries_its_contract() {
        let (text, contracts) = lower(&module(CONTRACT)).unwrap();
        assert_eq!(contracts, 1);
        expect![[r##"
            @llvm.used = appending global [1 x ptr] [ptr @"other"], section "llvm.metadata"
            define ptx_kernel void @k(ptr %x) unnamed_addr #1 #0 !dbg !8 {
            define ptx_kernel void @free(ptr %x) unnamed_addr #0 {
            attributes #0 = { convergent }
            attributes #1 = { "nvvm.reqntid"="256,1,1" "nvvm.minctasm"="2" }
        "##]]
        .assert_eq(&text);
    }

    #[test]
    fn a_malformed_contract_is_named() {
        for (contract, reason) in [
            ("reqntid=1,1,1", "no `entry=` names its kernel"),
            ("colour=1;entry=k", "unknown key `colour`"),
            ("entry", "`entry` is no `key=value`"),
            (
                "minctasm=x;entry=k",
                "minctasm: invalid digit found in string",
            ),
        ] {
            let error = lower(&module(contract)).unwrap_err();
            assert_eq!(
                error,
                IrError::Contract {
                    text: contract.into(),
                    reason: reason.into()
                }
            );
        }
    }
}
