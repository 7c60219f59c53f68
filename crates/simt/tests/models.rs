//! Execution models: the step tables of the two programs of the article on reconvergence, for a
//! warp of four lanes, and what each model makes of a spin lock inside a warp.

use simt::{
    Kind, LaunchConfig, Memory, Model, Options, Policy, Program, SimtError, Step, TraceRequest,
    launch_traced,
};
use std::fmt::Write as _;
use std::sync::Arc;

/// `if (tid < 2) OUT[tid] += 10; OUT[tid] += 100;`
const SIMPLE: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry test(.param .u64 out) {
    .reg .pred %p; .reg .b32 %t, %v; .reg .b64 %a, %o;
    ld.param.u64 %o, [out];
    mov.u32 %t, %tid.x;
    mad.wide.u32 %a, %t, 4, %o;
    setp.ge.u32 %p, %t, 2;
    @%p bra JOIN;
    red.global.add.u32 [%a], 10;
JOIN:
    red.global.add.u32 [%a], 100;
    ret;
}";

/// The nested program of the article: instructions 2 to 10 are the `red`s and branches.
const NESTED: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry test(.param .u64 out) {
    .reg .pred %p; .reg .b32 %t; .reg .b64 %a, %o;
    ld.param.u64 %o, [out];
    mov.u32 %t, %tid.x;
    mad.wide.u32 %a, %t, 4, %o;
    setp.ge.u32 %p, %t, 2;
    @%p bra ELSE;
    red.global.add.u32 [%a], 10;
    setp.ge.u32 %p, %t, 1;
    @%p bra INNER1;
    red.global.add.s32 [%a], -10;
    bra JOIN;
INNER1:
    red.global.add.s32 [%a], -5;
    bra JOIN;
ELSE:
    red.global.add.u32 [%a], 20;
    setp.ge.u32 %p, %t, 3;
    @%p bra INNER2;
    red.global.add.s32 [%a], -10;
    bra JOIN;
INNER2:
    red.global.add.s32 [%a], -5;
JOIN:
    red.global.add.u32 [%a], 100;
    ret;
}";

/// Runs a program on one block of `threads`, and returns its output and steps.
#[track_caller]
fn run(text: &str, threads: u32, options: &Options) -> Result<(Vec<u32>, Vec<Step>), SimtError> {
    let program = Program::new(Arc::new(ptx::parse(text).expect("well-formed")));
    let mut memory = Memory::new();
    let image = program.load(&mut memory)?;
    let out = memory.alloc(4 * u64::from(threads)).expect("room");
    let options = Options {
        trace: Some(TraceRequest::default()),
        ..options.clone()
    };
    let mut steps = Vec::new();
    let config = LaunchConfig::linear(1, threads);
    let params = out.to_le_bytes();
    let mut sink = |step: &Step| steps.push(step.clone());
    launch_traced(
        &image,
        "test",
        &config,
        &params,
        &mut memory,
        &options,
        &mut sink,
    )?;
    let mut bytes = vec![0; 4 * threads as usize];
    memory.read(out, &mut bytes).expect("allocated");
    let words = bytes
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    Ok((words.collect(), steps))
}

/// PC and the lanes of each step: `#` executes, a digit or letter is where a lane waits.
fn table(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        let _ = write!(text, "{:<2} ", step.pc);
        for lane in 0..4 {
            if step.mask >> lane & 1 != 0 {
                text.push_str("  #");
                continue;
            }
            let at = step.others.iter().find(|(_, mask)| mask >> lane & 1 != 0);
            match at {
                Some((pc, _)) => {
                    let _ = write!(text, "{pc:>3}");
                }
                None => text.push_str("  ."),
            }
        }
        text.push('\n');
    }
    text
}

fn options(model: Model) -> Options {
    Options {
        model,
        width: 4,
        ..Options::default()
    }
}

#[test]
fn smallest_pc_runs_the_simple_program_as_the_article_has_it() {
    let (out, steps) = run(SIMPLE, 4, &options(Model::SmallestPc)).expect("runs");
    assert_eq!(out, [110, 110, 100, 100]);
    expect_test::expect![[r#"
        0    #  #  #  #
        1    #  #  #  #
        2    #  #  #  #
        3    #  #  #  #
        4    #  #  #  #
        5    #  #  6  6
        6    #  #  #  #
        7    #  #  #  #
    "#]]
    .assert_eq(&table(&steps));
}

#[test]
fn smallest_pc_runs_the_nested_program_as_the_article_has_it() {
    let (out, steps) = run(NESTED, 4, &options(Model::SmallestPc)).expect("runs");
    assert_eq!(out, [100, 105, 110, 115]);
    expect_test::expect![[r#"
        0    #  #  #  #
        1    #  #  #  #
        2    #  #  #  #
        3    #  #  #  #
        4    #  #  #  #
        5    #  # 12 12
        6    #  # 12 12
        7    #  # 12 12
        8    # 10 12 12
        9    # 10 12 12
        10  18  # 12 12
        11  18  # 12 12
        12  18 18  #  #
        13  18 18  #  #
        14  18 18  #  #
        15  18 18  # 17
        16  18 18  # 17
        17  18 18 18  #
        18   #  #  #  #
        19   #  #  #  #
    "#]]
    .assert_eq(&table(&steps));
}

#[test]
fn every_model_width_and_policy_gives_the_same_result() {
    for &model in Model::ALL {
        for width in [4, 8, 16, 32, 64] {
            for &policy in Policy::ALL {
                for seed in 0..3 {
                    let options = Options {
                        model,
                        width,
                        policy,
                        seed,
                        ..Options::default()
                    };
                    let expected = |lane: u32| match lane {
                        0 => 100,
                        1 => 105,
                        2 => 110,
                        _ => 115,
                    };
                    let (out, _) = run(NESTED, 70, &options).expect("runs");
                    let expected: Vec<u32> = (0..70).map(expected).collect();
                    assert_eq!(out, expected, "{model} {width} {policy} {seed}");
                }
            }
        }
    }
}

#[test]
fn the_stack_joins_at_the_post_dominator() {
    let (_, steps) = run(NESTED, 4, &options(Model::PostDominatorStack)).expect("runs");
    let last: Vec<u64> = steps
        .iter()
        .filter(|s| s.pc >= 18)
        .map(|s| s.mask)
        .collect();
    assert_eq!(last, [0xf, 0xf]);
    let issued: u32 = steps.iter().map(|step| step.mask.count_ones()).sum();
    assert_eq!(issued, 5 * 4 + 2 * (3 * 2) + 2 + 2 + 2 + 1 + 2 * 4);
}

/// Each thread takes a lock, adds to a counter, and gives the lock back.
const LOCK: &str = "
.version 8.0
.target sm_90
.address_size 64
.global .u32 lock;
.visible .entry test(.param .u64 out) {
    .reg .pred %p; .reg .b32 %r, %v; .reg .b64 %o;
    ld.param.u64 %o, [out];
SPIN:
    atom.global.cas.b32 %r, [lock], 0, 1;
    setp.ne.u32 %p, %r, 0;
    @%p bra SPIN;
    ld.volatile.global.u32 %v, [%o];
    add.u32 %v, %v, 1;
    st.volatile.global.u32 [%o], %v;
    membar.gl;
    atom.global.exch.b32 %r, [lock], 0;
    ret;
}";

#[test]
fn a_spin_lock_inside_a_warp_ends_under_independent_scheduling_only() {
    for &policy in Policy::ALL {
        let options = Options {
            policy,
            budget: 1 << 20,
            ..Options::default()
        };
        let (out, _) = run(LOCK, 32, &options).unwrap_or_else(|e| panic!("{policy}: {e}"));
        assert_eq!(out[0], 32, "{policy}");
    }
    for model in [Model::PostDominatorStack, Model::SmallestPc] {
        let options = Options {
            model,
            budget: 1 << 16,
            ..Options::default()
        };
        match run(LOCK, 32, &options) {
            Err(SimtError::Fault(finding)) => assert_eq!(finding.kind, Kind::Livelock, "{model}"),
            other => panic!("{model}: {other:?}"),
        }
    }
}

/// k-way branch: lane modulo k picks one of k arms of equal length.
fn ways(k: u32) -> String {
    let mut text = String::from(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry test(.param .u64 out) {\n\
         .reg .pred %p; .reg .b32 %t, %m, %v; .reg .b64 %a, %o;\n\
         ld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\nmad.wide.u32 %a, %t, 4, %o;\n",
    );
    let _ = writeln!(text, "rem.u32 %m, %t, {k};\nmov.u32 %v, 0;");
    let labels: Vec<String> = (0..k).map(|i| format!("L{i}")).collect();
    let _ = writeln!(
        text,
        "T: .branchtargets {};\nbrx.idx %m, T;",
        labels.join(", ")
    );
    for i in 0..k {
        let _ = writeln!(text, "L{i}:");
        for _ in 0..100 {
            let _ = writeln!(text, "add.u32 %v, %v, {};", i + 1);
        }
        let _ = writeln!(text, "bra JOIN;");
    }
    text + "JOIN:\nst.global.u32 [%a], %v;\nret;\n}"
}

#[test]
fn k_ways_leave_a_kth_of_the_lanes_active() {
    for k in [1, 2, 3, 4, 7, 8, 16, 31, 32] {
        let (out, steps) = run(&ways(k), 32, &Options::default()).expect("runs");
        let expected: Vec<u32> = (0..32).map(|t| 100 * (t % k + 1)).collect();
        assert_eq!(out, expected);
        let arms: Vec<&Step> = steps.iter().filter(|s| s.pc > 5).collect();
        let inside = arms.iter().filter(|s| (6..6 + 101 * k).contains(&s.pc));
        let (count, lanes) = inside.fold((0, 0), |(n, l), s| (n + 1, l + s.mask.count_ones()));
        assert_eq!(count, 101 * k, "each arm is issued once");
        assert!(
            (f64::from(lanes) / f64::from(count) - 32.0 / f64::from(k)).abs() < 1e-9,
            "k = {k}"
        );
    }
}
