//! Texts that are hostile by their shape: deep, long, or huge in what they ask for.

mod support;

use proptest::prelude::*;
use std::time::{Duration, Instant};
use support::mutate::{Random, Seed, exercise};

const HEADER: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";

#[test]
fn nesting_ends_in_an_error() {
    let deep = |open: &str, close: &str, count| open.repeat(count) + &close.repeat(count);
    let body = |inner: &str| format!("{HEADER}.entry k() {{ {inner} }}");
    for count in [10, 63, 64, 65, 127, 128, 129, 1000, 200_000] {
        let texts = [
            body(&deep("{", "}", count)),
            body(&format!(
                "mov.u32 %r1, {}1{};",
                "(".repeat(count),
                ")".repeat(count)
            )),
            body(&format!("mov.u32 %r1, {}1;", "-".repeat(count))),
            body(&format!("mov.u32 %r1, {}1;", "1?".repeat(count))),
            body(&format!("mov.u32 %r1, {}1;", "1+".repeat(count))),
            body(&format!("mov.u32 %r1, {};", deep("{", "}", count))),
            body(&format!("mov.u32 %r1, {};", deep("[a,", "]", count))),
            body(&format!("call {};", deep("(", ")", count))),
            format!("{HEADER}.global .u32 a[] = {};", deep("{", "}", count)),
            format!("{HEADER}.global .u32 a[] = {{{}}};", "0xFF(".repeat(count)),
            format!("{HEADER}.section .s {}", deep("{", "}", count)),
        ];
        for text in &texts {
            exercise(text);
        }
    }
}

#[test]
fn sums_are_long_but_not_deep() {
    let text = format!("{HEADER}.global .u32 a = {}1;", "1+".repeat(100_000));
    let module = ptx::parse(&text).expect("a sum of any length");
    assert!(module.to_string().contains("100001"));
}

#[test]
fn a_small_text_asks_for_much() {
    let text = format!(
        "{HEADER}.global .b8 a[18446744073709551615][18446744073709551615];\n\
         .entry k(.param .b8 p[18446744073709551615], .param .b64 q) {{\n\
         .reg .b32 %r<4294967295>; .shared .b64 s[4611686018427387904]; mov.u32 %r4294967294, 1;\n\
         st.shared.b32 [s], %r1; }}"
    );
    let module = ptx::parse(&text).expect("well-formed");
    let entry = module.entry("k").expect("present");
    assert_eq!(entry.param_layout(), None);
    assert_eq!(module.static_shared_bytes(entry), None);
    let errors = module.check().expect_err("sizes overflow").to_string();
    assert!(errors.contains("more than 64 bits"), "{errors}");
}

/// Time for a text of `count` repetitions must grow about as `count` does.
#[test]
fn time_grows_with_the_length() {
    let statements = [
        "\n",
        " ",
        ";",
        "{",
        "}",
        "a:",
        "ret;",
        "x",
        "@",
        ".loc 1 1 1 ",
        ".loc 1 1 1, inlined_at 1 1 1\n",
        ".file 1 \"a\" ",
        "add.s32 %r1, %r1, 1;",
        "ld.b32.b32.b32 %r1;",
        ".reg .b32 %r<9>; ",
        "/* */",
        "// \n",
        "\"",
        "1+",
        "(1)",
        "{1},",
        "%",
        "é",
        "0x",
        ".x",
        ".b32 a, ",
        "bra L;",
        ".pragma \"a\";",
        "call f, (a);",
        "L: .branchtargets L, L;",
        "mov.b32 {a,b}, c;",
    ];
    for statement in statements {
        for prefix in [
            HEADER.to_owned(),
            format!("{HEADER}.entry k() {{"),
            format!("{HEADER}.global "),
        ] {
            let text = prefix + &statement.repeat(400_000 / statement.len());
            let start = Instant::now();
            exercise(&text);
            let spent = start.elapsed();
            assert!(
                spent < Duration::from_secs(5),
                "{statement:?}: {spent:?} for {} bytes",
                text.len()
            );
        }
    }
}

#[test]
fn mutations_of_real_texts() {
    // The release build's `fuzz` example runs millions; this many run with the tests.
    let seeds: Vec<_> = support::TEXTS
        .iter()
        .map(|(_, text)| Seed::new(text))
        .collect();
    let (mut random, mut text, mut parsed) = (Random::new(4), String::new(), 0);
    for _ in 0..40_000 {
        seeds[random.below(seeds.len())].mutate(&mut random, &mut text);
        parsed += usize::from(exercise(&text));
    }
    assert!(
        parsed > 2_000,
        "only {parsed} mutants still parsed: the mutator is too rough"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_string_is_survived(text in "\\PC{0,400}") {
        exercise(&text);
        exercise(&format!("{HEADER}.entry k() {{ {text} }}"));
    }

    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let text = String::from_utf8_lossy(&bytes);
        exercise(&text);
        exercise(&format!("{HEADER}.global .u32 a = {text};"));
    }

    #[test]
    fn integers_make_the_round_trip(bits in any::<u64>(), signed in any::<bool>()) {
        let written = if signed { (bits as i64).to_string() } else { format!("{bits:#x}") };
        let text = format!("{HEADER}.global .u64 a = {written};");
        let module = ptx::parse(&text).expect("an integer");
        let Some(ptx::Initializer::Immediate(ptx::Immediate::Integer(value))) =
            module.variables().next().and_then(|it| it.initializer.clone())
        else { panic!("no integer in {text}") };
        prop_assert_eq!(value.bits, bits);
        prop_assert_eq!(ptx::parse(&module.to_string()), Ok(module));
    }
}
