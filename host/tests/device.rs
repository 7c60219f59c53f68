//! The device's tests under cargo: on every device there is. Where there is none, they are counted
//! as skipped, with the reason.

use std::process::ExitCode;

use lockstep::selftest::{self, Check, Extent, Outcome};
use lockstep::{Device, DeviceChoice};

fn main() -> ExitCode {
    // `cargo test -- --list` and filters are for the standard harness; this one runs all or none.
    if std::env::args().any(|argument| argument == "--list") {
        println!("device: test");
        return ExitCode::SUCCESS;
    }
    let failed =
        test(DeviceChoice::Simt, Extent::Brief) + test(DeviceChoice::Cuda(0), Extent::Full);
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Runs the tests on one device, and answers how many failed.
fn test(choice: DeviceChoice, extent: Extent) -> usize {
    let mut tell = |check: &Check| {
        if let Outcome::Failed(why) = &check.outcome {
            println!("FAILED {}: {why}", check.name);
        }
    };
    let tally = match Device::open(choice) {
        Ok(device) => selftest::run(&device, choice, extent, &mut tell),
        Err(error) => {
            println!("device tests on {choice} are skipped: {error}");
            selftest::skipped(&error.to_string(), &mut tell)
        }
    };
    println!("device tests on {choice}: {tally}");
    tally.failed
}
