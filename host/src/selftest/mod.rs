//! Tests of a device, carried in the library: the same on every device there is, from `cargo test`
//! and from `lockstep selftest` on a machine without cargo.

mod cases;
mod collectives;
mod compile;
mod launch;
mod memory;
mod rust_cuda;

use std::fmt;

use serde::Serialize;

use crate::{Device, DeviceChoice, Error, LaunchConfig};

/// The PTX of the kernels that only these tests need.
const PROBE: &str = include_str!("probe.ptx");

/// One test with its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was tested.
    pub name: String,
    /// How it went.
    pub outcome: Outcome,
}

/// How a test went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "is", content = "why", rename_all = "kebab-case")]
pub enum Outcome {
    /// As it should.
    Passed,
    /// Not as it should.
    Failed(String),
    /// It could not be tried here.
    Skipped(String),
}

/// How many tests went which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Tally {
    /// Tests that went as they should.
    pub passed: usize,
    /// Tests that did not.
    pub failed: usize,
    /// Tests that could not be tried.
    pub skipped: usize,
}

impl Tally {
    /// Counts one more.
    pub fn add(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed(_) => self.failed += 1,
            Outcome::Skipped(_) => self.skipped += 1,
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            passed,
            failed,
            skipped,
        } = self;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

/// How much to test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Extent {
    /// Every case at every size and distribution.
    #[default]
    Full,
    /// A few sizes: for a device that takes its time.
    Brief,
}

/// What a test answers: why it failed, or nothing.
type Answer = Result<(), String>;

/// A test: its name, and what it does on an open device.
type Test = (&'static str, fn(&Device) -> Answer);

/// Runs all tests on `device`, of which `choice` is the name; `report` hears of each when it ends.
pub fn run(
    device: &Device,
    choice: DeviceChoice,
    extent: Extent,
    report: &mut dyn FnMut(&Check),
) -> Tally {
    let mut tally = Tally::default();
    let mut tell = |name: String, outcome: Outcome| {
        tally.add(&outcome);
        report(&Check { name, outcome });
    };
    let plain = [
        memory::TESTS,
        launch::TESTS,
        compile::TESTS,
        collectives::TESTS,
    ];
    for (name, test) in plain.into_iter().flatten() {
        tell((*name).to_owned(), outcome(test(device)));
    }
    launch::probes(choice, &mut tell);
    rust_cuda::run(choice, &mut tell);
    cases::run(device, extent, &mut tell);
    tally
}

/// How many tests there are that do not depend on the cases: what a machine without a device
/// skips.
pub fn skipped(reason: &str, report: &mut dyn FnMut(&Check)) -> Tally {
    let mut tally = Tally::default();
    let plain = [
        memory::TESTS,
        launch::TESTS,
        compile::TESTS,
        collectives::TESTS,
    ];
    let names = plain
        .into_iter()
        .flatten()
        .map(|(name, _)| (*name).to_owned());
    let cases = crate::case::all()
        .iter()
        .map(|case| format!("case {}", case.name()));
    let probes = launch::probe_names().chain(rust_cuda::names());
    for name in names.chain(probes).chain(cases) {
        let outcome = Outcome::Skipped(reason.to_owned());
        tally.add(&outcome);
        report(&Check { name, outcome });
    }
    tally
}

/// A kernel that writes where it must not: the fault must be reported with the kernel's name. The
/// device is lost to this process afterwards.
pub fn fault(choice: DeviceChoice) -> Check {
    let name = "a fault names the kernel".to_owned();
    Check {
        name,
        outcome: outcome(try_fault(choice)),
    }
}

fn try_fault(choice: DeviceChoice) -> Answer {
    let device = open_probe(choice)?;
    // SAFETY: the kernel takes no arguments; what it does wrong is the point, and the driver
    // contains it.
    unsafe { device.launch("probe_fault", LaunchConfig::linear(1, 1), &[]) }.map_err(text)?;
    let error = refused(device.synchronize(), "a write to nowhere")?;
    expect_text(&error, "probe_fault")?;
    let again = refused(device.synchronize(), "a device after a fault")?;
    expect_text(&again, "probe_fault")
}

fn open_probe(choice: DeviceChoice) -> Result<Device, String> {
    let image = crate::device::Image { sm: 70, ptx: PROBE };
    Device::open_with(choice, &[image]).map_err(text)
}

fn outcome(answer: Answer) -> Outcome {
    match answer {
        Ok(()) => Outcome::Passed,
        Err(why) => Outcome::Failed(why),
    }
}

/// An error as these tests report it.
#[allow(clippy::needless_pass_by_value)] // For `map_err`.
fn text(error: Error) -> String {
    error.to_string()
}

fn expect(holds: bool, what: impl Into<String>) -> Answer {
    if holds { Ok(()) } else { Err(what.into()) }
}

fn expect_equal<T: PartialEq + fmt::Debug>(what: &str, got: T, expected: T) -> Answer {
    expect(
        got == expected,
        format!("{what} is {got:?}, expected {expected:?}"),
    )
}

fn expect_text(message: &str, part: &str) -> Answer {
    expect(
        message.contains(part),
        format!("`{message}` does not say `{part}`"),
    )
}

/// The message of what must have been refused.
fn refused<T>(result: Result<T, Error>, what: &str) -> Result<String, String> {
    match result {
        Ok(_) => Err(format!("{what} was accepted")),
        Err(error) => Ok(error.to_string()),
    }
}
