//! Programs of several instructions, under every scheduling policy and with all findings on: right
//! results, and nothing to find.

mod support;

use simt::{Checks, LaunchConfig, Policy, SimtError};
use support::device::{Device, Param};

const POLICIES: [Policy; 4] = [
    Policy::GreedyOldest,
    Policy::RoundRobin,
    Policy::Random,
    Policy::Adversarial,
];

/// Runs an entry under each policy, and holds its output against the expected one.
#[track_caller]
fn run(
    (name, text): (&str, &str),
    entry: &str,
    threads: u32,
    input: Option<&[u32]>,
    expected: &[u32],
) {
    for policy in POLICIES {
        for checks in [Checks::NONE, Checks::ALL] {
            let mut device = Device::new(name, text);
            device.options.policy = policy;
            device.options.checks = checks;
            device.options.budget = 1 << 20;
            let out = device.buffer(&vec![0_u32; expected.len()]);
            let mut params = vec![Param::Buffer(out)];
            if let Some(input) = input {
                params.push(Param::Buffer(device.buffer(input)));
            }
            let report = device.launch(entry, &LaunchConfig::linear(1, threads), &params);
            let report = report.unwrap_or_else(|error| panic!("{entry}, {policy:?}: {error}"));
            let found: Vec<_> = report.findings.iter().map(ToString::to_string).collect();
            assert!(
                found.is_empty(),
                "{entry}, {policy:?}:\n{}",
                found.join("\n\n")
            );
            let output = device.read::<u32>(out, expected.len());
            assert_eq!(output, expected, "{entry}, {policy:?}");
        }
    }
}

const MBARRIER: (&str, &str) = ("mbarrier.ptx", include_str!("fixtures/mbarrier.ptx"));

#[test]
fn barriers_in_memory() {
    let rounds: Vec<u32> = (0..64).map(|lane| lane + 8).collect();
    run(MBARRIER, "by_parity", 64, None, &rounds);
    let states: Vec<u32> = (0..64).map(|lane| (lane ^ 32) + 100).collect();
    run(MBARRIER, "by_state", 64, None, &states);
}

#[test]
fn copies_in_bulk() {
    let input: Vec<u32> = (0..64).map(|i| i * i + 7).collect();
    let mut expected: Vec<u32> = (0..64).map(|lane| input[lane ^ 63]).collect();
    expected.extend(&input[..32]);
    run(MBARRIER, "in_bulk", 64, Some(&input), &expected);
}

#[test]
fn a_cluster_of_one_block() {
    let expected: Vec<u32> = (0..32).map(|lane| lane ^ 31).collect();
    run(
        ("cluster.ptx", include_str!("fixtures/cluster.ptx")),
        "cluster",
        32,
        None,
        &expected,
    );
}

#[test]
fn other_blocks_of_a_cluster_are_not_there() {
    let text = include_str!("fixtures/cluster.ptx");
    let mut device = Device::new("cluster.ptx", text);
    let out = device.buffer(&[0_u32; 1]);
    let result = device.launch("far", &LaunchConfig::linear(1, 32), &[Param::Buffer(out)]);
    let Err(SimtError::Fault(finding)) = result else {
        panic!("{result:?}")
    };
    let title = "shared memory of block 1 of a cluster of one block";
    assert_eq!(
        (finding.title.as_str(), finding.here.lane),
        (title, Some(16))
    );
}

const ASYNC: (&str, &str) = ("async.ptx", include_str!("fixtures/async.ptx"));

#[test]
fn asynchronous_stores_and_reductions() {
    let expected: Vec<u32> = (0..32).map(|lane| (31 - lane) * 3 + 31 * 16).collect();
    run(ASYNC, "stores", 32, None, &expected);
    let sums: Vec<u32> = (0..64)
        .map(|word| 2 * (word / 2 + 100 * (word % 2)))
        .collect();
    run(ASYNC, "reduce", 32, None, &sums);
    // Bytes 1 (of 0x04030201) and 14 (of 0x08070605): the second word alone had ones added.
    run(
        ASYNC,
        "masked",
        32,
        None,
        &[0x0200, 0, 0, 0x07_0000, 0, 0, 0, 0],
    );
    run(ASYNC, "nothing", 32, None, &[0]);
    let input: Vec<u32> = (0..32).map(|i| i * i + 7).collect();
    run(ASYNC, "multicast", 32, Some(&input), &input);
}

const STACK: (&str, &str) = ("stack.ptx", include_str!("fixtures/stack.ptx"));

#[test]
fn the_dynamic_stack() {
    let sum = |lane: u32| lane * (lane * (lane + 1) / 2);
    let expected: Vec<u32> = (0..64).map(|lane| (lane + 1) * 1000 + sum(lane)).collect();
    run(STACK, "stack", 64, None, &expected);
}

#[test]
fn state_spaces_of_generic_addresses() {
    // Parameters lie inside the window of global memory.
    run(STACK, "spaces", 5, None, &[1, 2, 4, 8, 18]);
}

#[test]
fn the_heap_of_the_device() {
    let expected: Vec<u32> = (1..=64).collect();
    let text = include_str!("fixtures/heap.ptx");
    run(("heap.ptx", text), "heap", 64, None, &expected);
}
