//! Programs of several instructions, under every scheduling policy and with all findings on: right
//! results, and nothing to find.

mod support;

use simt::{Checks, LaunchConfig, Policy};
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
