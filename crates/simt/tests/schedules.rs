//! Results do not depend on model, width, policy or seed; a lock inside a warp ends only where
//! lanes are scheduled independently.

use simt::{
    Kind, LaunchConfig, Memory, Model, Options, Policy, Program, SimtError, Step, TraceRequest,
    launch_traced,
};
use std::sync::Arc;

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

fn options(model: Model) -> Options {
    Options {
        model,
        width: 4,
        ..Options::default()
    }
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
