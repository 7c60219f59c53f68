//! Execution models: which lanes execute what, in which order.
//!
//! The `.ptx` files in `step_tables/` number the instructions that count; a table has a row for each
//! step: the instruction, the lanes that execute it (lane 0 first), and where the others stand.

mod support;

use expect_test::{Expect, expect};
use simt::{LaunchConfig, Model, TraceRequest, launch_traced};
use std::collections::HashMap;
use support::device::{Device, Param, pack, scalar};

/// One step of an instruction that has a number.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    instruction: u32,
    mask: u64,
    others: Vec<(u32, u64)>,
}

struct Run {
    steps: Vec<Step>,
    output: Vec<i32>,
}

/// The numbers that a text gives its lines.
fn numbers(text: &str) -> HashMap<u32, u32> {
    let numbered = text.lines().enumerate().filter_map(|(at, line)| {
        let (_, number) = line.split_once("// Inst ")?;
        Some((at as u32 + 1, number.trim().parse().ok()?))
    });
    numbered.collect()
}

fn run(name: &str, text: &str, model: Model, width: u32, threads: u32, k: Option<u32>) -> Run {
    let numbers = numbers(text);
    let mut device = Device::new(name, text);
    let out = device.buffer(&vec![0_i32; threads as usize]);
    let mut params = vec![Param::Buffer(out)];
    params.extend(k.map(scalar));
    device.options.model = model;
    device.options.width = width;
    device.options.trace = Some(TraceRequest::default());
    let listing = device
        .image
        .program()
        .listing(name)
        .expect("decodes")
        .instructions;
    let number = |pc: u32| {
        // Where a group stands, the next instruction with a number is told.
        let rest = listing.get(pc as usize..).unwrap_or_default();
        rest.iter()
            .find_map(|line| numbers.get(&line.ptx_line).copied())
            .unwrap_or(u32::MAX)
    };
    let mut steps = Vec::new();
    let (options, config) = (device.options.clone(), LaunchConfig::linear(1, threads));
    launch_traced(
        &device.image,
        name,
        &config,
        &pack(&params),
        &mut device.memory,
        &options,
        &mut |step| {
            let line = listing
                .get(step.pc as usize)
                .map_or(0, |line| line.ptx_line);
            if let Some(&instruction) = numbers.get(&line) {
                let others = step
                    .others
                    .iter()
                    .map(|&(pc, mask)| (number(pc), mask))
                    .collect();
                steps.push(Step {
                    instruction,
                    mask: step.mask,
                    others,
                });
            }
        },
    )
    .expect("runs");
    Run {
        steps,
        output: device.read(out, threads as usize),
    }
}

/// Lanes as a row of cells, lane 0 first.
fn cells(mask: u64, count: u32) -> String {
    (0..count)
        .map(|lane| if mask >> lane & 1 == 1 { '#' } else { '.' })
        .collect()
}

fn table(steps: &[Step], lanes: u32) -> String {
    let mut text = String::new();
    for step in steps {
        text += &format!("{:02} {}", step.instruction, cells(step.mask, lanes));
        for (at, mask) in &step.others {
            let at = if *at == u32::MAX {
                "end".to_owned()
            } else {
                at.to_string()
            };
            text += &format!(" {}@{at}", cells(*mask, lanes));
        }
        text.push('\n');
    }
    text
}

const TWO_ARMS: &str = include_str!("step_tables/two_arms.ptx");
const NESTED_ARMS: &str = include_str!("step_tables/nested_arms.ptx");
const BREAK_OUTER: &str = include_str!("step_tables/break_outer.ptx");
const ARMS: &str = include_str!("step_tables/arms.ptx");
const MODELS: [Model; 4] = [
    Model::Independent,
    Model::PostDominatorStack,
    Model::SmallestPc,
    Model::Majority,
];

#[track_caller]
fn steps_of(name: &str, text: &str, model: Model, expected: Expect) {
    let run = run(name, text, model, 4, 4, None);
    expected.assert_eq(&table(&run.steps, 4));
}

#[test]
fn the_article_s_first_program() {
    for model in MODELS {
        let run = run("two_arms", TWO_ARMS, model, 4, 4, None);
        assert_eq!(run.output, [110, 110, 100, 100], "{model:?}");
    }
    steps_of(
        "two_arms",
        TWO_ARMS,
        Model::SmallestPc,
        expect![[r#"
            00 ####
            01 ####
            02 ##.. ..##@3
            03 ####
        "#]],
    );
    steps_of(
        "two_arms",
        TWO_ARMS,
        Model::PostDominatorStack,
        expect![[r#"
            00 ####
            01 ####
            02 ##.. ..##@3
            03 ####
        "#]],
    );
    steps_of(
        "two_arms",
        TWO_ARMS,
        Model::Independent,
        expect![[r#"
            00 ####
            01 ####
            02 ##.. ..##@3
            03 ####
        "#]],
    );
    steps_of(
        "two_arms",
        TWO_ARMS,
        Model::Majority,
        expect![[r#"
            00 ####
            01 ####
            02 ##.. ..##@3
            03 ####
        "#]],
    );
}

#[test]
fn the_article_s_second_program() {
    for model in MODELS {
        let run = run("nested_arms", NESTED_ARMS, model, 4, 4, None);
        assert_eq!(run.output, [100, 105, 110, 115], "{model:?}");
    }
    steps_of(
        "nested_arms",
        NESTED_ARMS,
        Model::SmallestPc,
        expect![[r#"
            00 ####
            01 ####
            02 ##.. ..##@6
            03 ##.. ..##@6
            04 #... .#..@5 ..##@6
            05 .#.. ..##@6 #...@10
            06 ..## ##..@10
            07 ..## ##..@10
            08 ..#. ...#@9 ##..@10
            09 ...# ###.@10
            10 ####
        "#]],
    );
    steps_of(
        "nested_arms",
        NESTED_ARMS,
        Model::PostDominatorStack,
        expect![[r#"
            00 ####
            01 ####
            02 ##.. ..##@6
            03 ##.. ..##@6
            04 #... .#..@5 ..##@6
            05 .#.. ..##@6 #...@10
            06 ..## ##..@10
            07 ..## ##..@10
            08 ..#. ...#@9 ##..@10
            09 ...# ###.@10
            10 ####
        "#]],
    );
    steps_of(
        "nested_arms",
        NESTED_ARMS,
        Model::Independent,
        expect![[r#"
            00 ####
            01 ####
            06 ..## ##..@2
            07 ..## ##..@2
            09 ...# ##..@2 ..#.@8
            08 ..#. ##..@2 ...#@10
            02 ##.. ..##@10
            03 ##.. ..##@10
            05 .#.. #...@4 ..##@10
            04 #... .###@10
            10 ####
        "#]],
    );
    steps_of(
        "nested_arms",
        NESTED_ARMS,
        Model::Majority,
        expect![[r#"
            00 ####
            01 ####
            02 ##.. ..##@6
            03 ##.. ..##@6
            06 ..## #...@4 .#..@5
            07 ..## #...@4 .#..@5
            04 #... .#..@5 ..#.@8 ...#@9
            05 .#.. ..#.@8 ...#@9 #...@10
            10 ##.. ..#.@8 ...#@9
            08 ..#. ...#@9
            09 ...# ..#.@10
            10 ..##
        "#]],
    );
}

#[test]
fn a_break_out_of_two_loops() {
    for model in MODELS {
        for (width, threads) in [(4, 4), (32, 32), (8, 16), (64, 64)] {
            let run = run("break_outer", BREAK_OUTER, model, width, threads, None);
            let expected = |lane: i32| {
                // Sixteen rounds in all; beyond that the loops end by themselves.
                let rounds = (lane + 1).min(16);
                rounds + 100 * (if lane < 16 { lane / 4 } else { 4 }) + 1000
            };
            let expected: Vec<i32> = (0..threads as i32).map(expected).collect();
            assert_eq!(run.output, expected, "{model:?}, width {width}");
        }
    }
    steps_of(
        "break_outer",
        BREAK_OUTER,
        Model::Independent,
        expect![[r#"
            01 ####
            02 ####
            03 ####
            04 .### #...@7
            02 .### #...@7
            03 .### #...@7
            04 ..## ##..@7
            02 ..## ##..@7
            03 ..## ##..@7
            04 ...# ###.@7
            02 ...# ###.@7
            03 ...# ###.@7
            07 ####
        "#]],
    );
    steps_of(
        "break_outer",
        BREAK_OUTER,
        Model::PostDominatorStack,
        expect![[r#"
            01 ####
            02 ####
            03 ####
            04 .### #...@7
            02 .### #...@7
            03 .### #...@7
            04 ..## ##..@7
            02 ..## ##..@7
            03 ..## ##..@7
            04 ...# ###.@7
            02 ...# ###.@7
            03 ...# ###.@7
            07 ####
        "#]],
    );
    steps_of(
        "break_outer",
        BREAK_OUTER,
        Model::SmallestPc,
        expect![[r#"
            01 ####
            02 ####
            03 ####
            04 .### #...@7
            02 .### #...@7
            03 .### #...@7
            04 ..## ##..@7
            02 ..## ##..@7
            03 ..## ##..@7
            04 ...# ###.@7
            02 ...# ###.@7
            03 ...# ###.@7
            07 ####
        "#]],
    );
}

#[test]
fn k_arms_leave_one_kth_of_the_lanes() {
    for model in MODELS {
        for k in 1..=32_u32 {
            let run = run("arms", ARMS, model, 32, 32, Some(k));
            let arms: Vec<_> = run
                .steps
                .iter()
                .filter(|step| step.instruction == 2)
                .collect();
            if model == Model::Majority {
                // Lanes of different rounds may meet at the arm and execute it together.
                assert!(arms.len() <= k as usize, "{model:?}, k = {k}");
            } else {
                assert_eq!(arms.len(), k as usize, "{model:?}, k = {k}");
            }
            let active: u32 = arms.iter().map(|step| step.mask.count_ones()).sum();
            assert_eq!(active, 32, "{model:?}, k = {k}");
        }
    }
}

#[test]
fn a_narrower_warp_parts_less() {
    // Remedies of the article: with two lanes a warp, the first program does not part at all; a
    // warp that is issued in two halves behaves the same.
    let wide = run("two_arms", TWO_ARMS, Model::SmallestPc, 4, 8, None);
    let parted = |steps: &[Step]| steps.iter().filter(|step| !step.others.is_empty()).count();
    assert!(parted(&wide.steps) > 0);
    for width in [4, 8, 16, 32, 64] {
        let run = run("two_arms", TWO_ARMS, Model::Independent, width, 32, None);
        let issued = run
            .steps
            .iter()
            .filter(|step| step.instruction == 3)
            .count();
        assert_eq!(issued as u32, 32_u32.div_ceil(width), "width {width}");
        let narrow = run
            .steps
            .iter()
            .filter(|step| step.instruction == 2)
            .count();
        assert_eq!(
            narrow, 1,
            "only the part with lanes 0 and 1, at width {width}"
        );
    }
}
