//! Which instructions of the ISA's tables the emulator executes: every form of crates/ptx against
//! the decoder.

use simt::{Program, SimtError};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The forms that ptxas and crates/ptx take.
const FORMS: &str = include_str!("../../ptx/tests/data/accepted.txt");

fn outcome(instruction: &str) -> Result<(), SimtError> {
    let text = format!(
        ".version 9.2\n.target sm_100a\n.address_size 64\n.entry k(.param .u64 a)\n{{\n\
         .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b128 %q<9>;\n\
         .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .pred %p<9>; .reg .v2 .b32 v;\n\
         .shared .b32 tile[64];\nL:\nT: .branchtargets L;\n{instruction}\n}}\n"
    );
    let module = ptx::parse(&text).unwrap_or_else(|errors| panic!("{instruction}: {errors}"));
    Program::new(Arc::new(module)).prepare("k")
}

/// Opcodes of which not every form is executed: `cvt.rs` to four values, whose share of the random
/// bits is not documented.
const NOT_ALL: &[&str] = &["cvt"];

#[test]
fn forms_of_the_isa() {
    let (mut good, mut bad) = (0, BTreeSet::new());
    for line in FORMS
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        match outcome(line) {
            Ok(()) => good += 1,
            Err(SimtError::Unsupported(why)) => {
                println!("{line}\n    {}", why.what);
                let name = line.split([' ', ';']).next().unwrap_or(line);
                let names = ptx::Opcode::ALL.iter().map(|opcode| opcode.as_str());
                let named = names
                    .filter(|it| name.starts_with(*it))
                    .max_by_key(|it| it.len());
                bad.insert(named.unwrap_or(name).to_owned());
            }
            Err(other) => panic!("{line}: {other}"),
        }
    }
    println!("{good} forms are executed, not all of: {bad:?}");
    let news: Vec<_> = bad
        .iter()
        .filter(|it| !NOT_ALL.contains(&it.as_str()))
        .collect();
    assert!(
        news.is_empty(),
        "no longer executed in every form: {news:?}"
    );
    assert!(good >= 1311, "{good} forms");
}

/// What a kernel that is refused is told, and the line that it is about.
fn refusal(declarations: &str, directives: &str, body: &str) -> (String, u32) {
    let text = format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n{declarations}\n\
         .entry k()\n{directives}\n{{\n.reg .b64 %rd<3>;\n{body}\nret;\n}}\n"
    );
    let module = ptx::parse(&text).unwrap_or_else(|errors| panic!("{errors}"));
    match Program::new(Arc::new(module)).prepare("k") {
        Err(SimtError::Unsupported(it)) => (it.what, it.ptx_line),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_refused_is_named_with_its_line() {
    let (what, line) = refusal(
        ".extern .func cudaDeviceSynchronize();",
        "",
        "call cudaDeviceSynchronize, ();",
    );
    let expected = "`call cudaDeviceSynchronize, ();`: `cudaDeviceSynchronize` has no body, and \
                    the device does not provide it: it has vprintf, __assertfail, malloc and free";
    assert_eq!((what.as_str(), line), (expected, 9));

    let declared = ".extern .func (.param .b64 r) malloc(.param .b64 a);";
    let (what, line) = refusal(declared, "", "call (%rd1), malloc, (%rd2, %rd2);");
    let expected = "`malloc` takes 1 arguments and gives 1 results";
    assert!(what.ends_with(expected), "{what}");
    assert_eq!(line, 9);

    let (what, line) = refusal("", ".reqnctapercluster 2, 1, 1", "");
    let expected = "clusters of (2, 1, 1) blocks: a cluster has one block here";
    assert_eq!((what.as_str(), line), (expected, 5));

    let scaled = "cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.e4m3x2 %rd1, %rd2, %rd2;";
    let (what, line) = refusal("", "", scaled);
    assert!(
        what.ends_with("`.scaled::n2::ue8m0` is not known"),
        "{what}"
    );
    assert_eq!(line, 9);

    let (what, line) = refusal(
        "",
        "",
        "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 %rd1;",
    );
    assert!(what.contains("mma.sync"), "{what}");
    assert_eq!(line, 9);
}
