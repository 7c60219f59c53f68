//! Whole modules: the round trip, the checker, and what the host asks of them.

mod support;

use ptx::module::{PointerAttributes, Statement};
use ptx::{Frame, Opcode, StateSpace};
use support::TEXTS;

fn parsed(name: &str) -> ptx::Module {
    let (_, text) = TEXTS
        .iter()
        .find(|(it, _)| *it == name)
        .expect("one of the texts");
    ptx::parse(text).unwrap_or_else(|errors| panic!("{}", errors.render(name, text)))
}

#[test]
fn every_text_parses_checks_and_makes_the_round_trip() {
    for (name, text) in TEXTS {
        let module = parsed(name);
        if let Err(errors) = module.check() {
            panic!("{}", errors.render(name, text));
        }
        assert_eq!(ptx::parse(&module.to_string()), Ok(module), "{name}");
    }
}

#[test]
fn contracts_and_parameters_of_entries() {
    let module = parsed("nvcc.ptx");
    let entry = module.entry("shared_sum").expect("present");
    assert_eq!(entry.max_threads(), Some([256, 1, 1]));
    assert_eq!(entry.min_blocks_per_sm(), Some(2));
    assert_eq!(entry.required_threads(), None);
    // Two pointers and a struct of a float and an int.
    assert_eq!(entry.param_layout(), Some((vec![0, 8, 16], 24)));
    assert_eq!(entry.params[2].size(), Some(8));
    assert_eq!(module.static_shared_bytes(entry), Some(1024));
    let dynamic = module.dynamic_shared(entry).expect("an extern array");
    assert_eq!(
        (dynamic.name.as_str(), dynamic.alignment()),
        ("dynamic", 16)
    );

    let module = parsed("hand.ptx");
    let entry = module.entry("everything").expect("present");
    assert_eq!(entry.max_threads(), Some([128, 2, 1]));
    assert_eq!(
        (entry.max_registers(), entry.required_cluster()),
        (Some(64), Some([2, 1, 1]))
    );
    assert_eq!(entry.param_layout(), Some((vec![0, 8, 16], 40)));
    let pointer = PointerAttributes {
        space: Some(StateSpace::Global),
        align: Some(16),
    };
    assert_eq!(entry.params[0].pointer, Some(pointer));
    assert_eq!(module.static_shared_bytes(entry), Some(128));
    assert_eq!(module.dynamic_shared(entry), None);

    let module = parsed("llvm.ptx");
    let entry = module.entry("contract").expect("present");
    assert_eq!(entry.required_threads(), Some([256, 1, 1]));
    assert_eq!(entry.min_blocks_per_sm(), Some(2));
}

#[test]
fn functions_variables_and_histogram() {
    let module = parsed("nvcc.ptx");
    let names: Vec<_> = module.entries().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names.len(), 7);
    assert!(names.contains(&"switch_table"));
    let fibonacci = module
        .functions()
        .find(|f| f.name.contains("fibonacci") && f.body.is_some());
    let fibonacci = module
        .function(&fibonacci.expect("present").name)
        .expect("by name");
    assert!(fibonacci.body.is_some() && !fibonacci.is_entry);
    let table = module
        .variables()
        .find(|v| v.name == "table")
        .expect("present");
    assert_eq!((table.space, table.size()), (StateSpace::Const, Some(64)));
    assert_eq!(module.file(1), Some("nvcc.cu"));

    let histogram = module.opcode_histogram();
    let mut counted = 0;
    for function in module.functions() {
        function.for_each_instruction(|instruction| {
            counted += usize::from(instruction.opcode == Opcode::Bar);
        });
    }
    assert_eq!(histogram.get("bar"), Some(&counted));
    assert_eq!(histogram.get("call"), Some(&4));
}

#[test]
fn source_lines_with_what_they_were_inlined_into() {
    // nvcc says it in the directive, and its files come last.
    let module = parsed("nvcc.ptx");
    let entry = module.entry("shared_sum").expect("present");
    let mut inlined = Vec::new();
    entry.for_each_instruction(|instruction| {
        if let Some(loc) = &instruction.loc
            && let Some(frames) = &loc.inlined_at
        {
            inlined.push((loc.line, frames.to_vec()));
        }
    });
    let call = Frame {
        file: "nvcc.cu".into(),
        line: 59,
        column: 5,
    };
    assert!(inlined.contains(&(27, vec![call])), "{inlined:?}");
    let lines = module.source_lines(entry);
    assert!(
        lines
            .iter()
            .any(|(file, line)| file == "nvcc.cu" && *line == 27),
        "{lines:?}"
    );

    // LLVM says it in the comment.
    let module = parsed("hand.ptx");
    let mut chains = Vec::new();
    module
        .entry("everything")
        .expect("present")
        .for_each_instruction(|instruction| {
            if instruction.opcode == Opcode::Fma {
                chains.push(instruction.loc.clone().expect("a location"));
            }
        });
    let frames = chains[0].inlined_at.as_deref().expect("inlined");
    assert_eq!(
        frames[0],
        Frame {
            file: "deep/er.rs".into(),
            line: 7,
            column: 9
        }
    );
    assert_eq!(
        frames[1],
        Frame {
            file: "main.rs".into(),
            line: 1,
            column: 2
        }
    );
    assert_eq!((chains[0].file, chains[0].line), (2, 0));
}

/// cuda_builder leaves out of LLVM's comment what the directive says already.
#[test]
fn a_comment_may_name_the_calls_alone() {
    let chain = |comment: &str| {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"a.rs\"\n.entry k()\n{{\n\
             \t.loc\t1 3 5\t{comment}\n\tret;\n}}\n"
        );
        let module = ptx::parse(&text).expect("well-formed");
        assert_eq!(
            ptx::parse(&module.to_string()).expect("it was printed"),
            module
        );
        let mut chain = None;
        let entry = module.entry("k").expect("present");
        entry.for_each_instruction(|instruction| {
            let loc = instruction.loc.as_ref().expect("a location");
            assert_eq!((loc.line, loc.column), (3, 5));
            chain = loc.inlined_at.as_deref().map(|frames| {
                let frames = frames.iter().map(ToString::to_string);
                frames.collect::<Vec<_>>().join(" ")
            });
        });
        chain
    };
    let both = Some("b.rs:7:9 c.rs:1:2".to_owned());
    assert_eq!(chain("// @[ b.rs:7:9 @[ c.rs:1:2 ] ]"), both);
    assert_eq!(chain("// a.rs:3:5 @[ b.rs:7:9 @[ c.rs:1:2 ] ]"), both);
    assert_eq!(chain("// a.rs:3:5"), None);
    assert_eq!(chain("// something else"), None);
    assert_eq!(chain(""), None);
}

#[test]
fn constant_expressions_follow_the_isa() {
    let module = parsed("hand.ptx");
    let open = module
        .variables()
        .find(|v| v.name == "open")
        .expect("present");
    assert_eq!(open.size(), Some(24));
    let text = open.initializer.as_ref().expect("initialised").to_string();
    assert_eq!(text, "{14, 32, -1, 0, 3, 10}");
    let lowest = module
        .variables()
        .find(|v| v.name == "lowest")
        .expect("present");
    let text = lowest
        .initializer
        .as_ref()
        .expect("initialised")
        .to_string();
    assert_eq!(text, "-9223372036854775808");
}

#[test]
fn calls_split_into_their_parts() {
    let module = parsed("hand.ptx");
    let mut calls = Vec::new();
    module
        .entry("everything")
        .expect("present")
        .for_each_instruction(|instruction| {
            if let Some(call) = instruction.call() {
                let prototype = call.prototype.map(str::to_owned);
                let counts = (call.results.len(), call.arguments.len());
                calls.push((call.target.to_owned(), counts, prototype));
            }
        });
    let expected = [
        ("vprintf", (1, 2), None),
        ("helper", (1, 2), None),
        ("also_helper", (1, 2), None),
        ("%rd5", (1, 2), Some("targets")),
    ];
    let expected = expected.map(|(a, b, c)| (a.to_owned(), b, c.map(str::to_owned)));
    assert_eq!(calls, expected);
}

#[test]
fn spans_point_at_the_text() {
    for (name, text) in TEXTS {
        let module = parsed(name);
        for function in module.functions() {
            function.for_each_statement(|statement| {
                let Statement::Instruction(instruction) = statement else {
                    return;
                };
                let piece = instruction.span.text(text);
                assert!(piece.ends_with(';'), "{name}: {piece}");
                let line = text
                    .lines()
                    .nth(instruction.span.line as usize - 1)
                    .expect("a line");
                let first = piece.lines().next().expect("not empty");
                assert!(
                    line.contains(first),
                    "{name}:{}: {first}",
                    instruction.span.line
                );
                assert_eq!(instruction.operands.len(), instruction.operand_spans.len());
            });
        }
    }
}

#[test]
fn a_file_name_that_ends_in_a_number_makes_the_round_trip() {
    let text = ".version 8.0\n.target sm_90\n.func f()\n{\n.loc 1 63 0 // a.rs:7:63:0\nret;\n}\n";
    let module = ptx::parse(text).expect("well-formed");
    assert_eq!(ptx::parse(&module.to_string()), Ok(module));
}
