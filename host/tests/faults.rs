//! The faults of `kernels/src/faults.rs` are found, at the line that is wrong; their mended twins
//! are silent.

use lockstep::case::{self, Plan};
use lockstep::report::Verdict;
use lockstep::{Device, IMAGES, runner};
use simt::{Checks, Finding, Kind, Options, Place, Policy, SimtError};

const FAULTS: &[(&str, Kind)] = &[
    ("out_of_bounds", Kind::OutOfBounds),
    ("misaligned", Kind::Misaligned),
    ("uninitialized", Kind::UninitializedMemory),
    ("race_between_warps", Kind::SharedRace),
    ("race_in_warp", Kind::SharedRace),
    ("divergent_barrier", Kind::DivergentBarrier),
    ("mask", Kind::MaskLacksCaller),
];

/// What the emulator says about a case, and what came out of it.
fn check(name: &str, policy: Policy) -> (Vec<Finding>, Verdict) {
    let options = Options {
        checks: Checks::ALL,
        policy,
        ..Options::default()
    };
    let device = Device::emulator(IMAGES, options).expect("the emulator needs nothing");
    let cases = case::find(&[name.to_owned()]).expect("a case of this name");
    let mut plan = Plan::default();
    plan.reps = 1;
    let record = runner::run_case(Some(&device), cases[0], &plan, 0, None);
    let Device::Simt(device) = &device else {
        unreachable!("an emulator was opened");
    };
    let mut findings = device.take_findings();
    if let Some(SimtError::Fault(finding)) = device.take_failure() {
        findings.push(*finding);
    }
    (findings, record.verdict)
}

/// The line of the kernel: that of the call where a function of `cuda_std` was inlined.
fn own_line<'a>(place: &Place, source: &'a str) -> Option<&'a str> {
    let mut places = place.source.iter().chain(&place.inlined_at);
    let own = places.find(|place| place.file.ends_with("kernels/src/faults.rs"))?;
    source.lines().nth(own.line as usize - 1)
}

#[test]
fn faults_are_found_where_they_are() {
    let source = include_str!("../../kernels/src/faults.rs");
    for &(name, kind) in FAULTS {
        for &policy in Policy::ALL {
            let (findings, _) = check(&format!("faults/{name}/faulty"), policy);
            // What ends the launch names what was found before it.
            let before = format!("before this, {}:", kind.name());
            let tells = |finding: &&Finding| {
                let mut notes = finding.notes.iter();
                finding.kind == kind || notes.any(|note| note.starts_with(&before))
            };
            let finding = findings.iter().find(tells);
            let finding = finding.unwrap_or_else(|| panic!("{name}, {policy}: {findings:?}"));
            // Of two accesses either may come first.
            let places = [&finding.here].into_iter();
            let places = places.chain(finding.earlier.iter().map(|(_, place)| place));
            let lines: Vec<_> = places.filter_map(|place| own_line(place, source)).collect();
            assert!(
                lines.iter().any(|line| line.ends_with("// fault")),
                "{name}, {policy}: at {lines:?}\n{finding}"
            );
            // Where the other warp has not written yet, that is one more.
            let too_early = |finding: &Finding| {
                kind == Kind::SharedRace && finding.kind == Kind::UninitializedMemory
            };
            let others: Vec<_> = findings
                .iter()
                .filter(|finding| !tells(finding) && !too_early(finding))
                .collect();
            assert!(others.is_empty(), "{name}, {policy}: {others:?}");
        }
    }
}

#[test]
fn mended_kernels_are_silent_and_right() {
    for &(name, _) in FAULTS {
        for &policy in Policy::ALL {
            let (findings, verdict) = check(&format!("faults/{name}/mended"), policy);
            assert!(findings.is_empty(), "{name}, {policy}: {findings:?}");
            assert!(
                matches!(verdict, Verdict::Equal),
                "{name}, {policy}: {verdict:?}"
            );
        }
    }
}
