//! Which instructions the checker takes: the verdicts are ptxas 13.5's for sm_100a, but for the
//! few lines that say why they differ.

/// Parses and checks one instruction among declared registers and variables.
fn verdict(instruction: &str) -> Result<(), String> {
    let text = format!(
        ".version 9.2\n.target sm_100a\n.address_size 64\n.entry k(.param .u64 a)\n{{\n\
         .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b128 %q<9>;\n\
         .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .pred %p<9>; .reg .v2 .b32 v;\n\
         .shared .b32 tile[64];\nL: T: .branchtargets L;\n{instruction}\n}}\n"
    );
    let checked = ptx::parse(&text).and_then(|module| module.check());
    checked.map_err(|errors| errors.render("k.ptx", &text))
}

#[test]
fn what_the_isa_has_is_taken() {
    let lines = include_str!("data/accepted.txt").lines();
    let lines: Vec<_> = lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    assert!(lines.len() > 200, "{} lines", lines.len());
    for line in lines {
        if let Err(error) = verdict(line) {
            panic!("{error}");
        }
    }
}

#[test]
fn what_the_isa_lacks_is_refused() {
    let lines = include_str!("data/refused.txt").lines();
    let lines: Vec<_> = lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    assert!(lines.len() > 60, "{} lines", lines.len());
    for line in lines {
        assert!(verdict(line).is_err(), "{line}");
    }
}
