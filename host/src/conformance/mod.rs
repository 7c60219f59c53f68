//! Every function of `cuda_std` on a device, lane by lane against the reference model.
//!
//! ```no_run
//! use lockstep::{DeviceChoice, conformance};
//!
//! # fn main() -> Result<(), lockstep::Error> {
//! for image in conformance::IMAGES {
//!     let device = conformance::open(DeviceChoice::Auto, image)?;
//!     let report = conformance::run(&device, |_| true)?;
//!     assert_eq!(report.mismatches, 0, "{report}");
//! }
//! # Ok(())
//! # }
//! ```

mod batch;
mod cases;
mod expect;
mod number;

use std::collections::HashSet;
use std::fmt;

use conformance::{ENTRIES, Entry, Family};
use serde::Serialize;

use crate::device::Image;
use crate::{Device, DeviceChoice, Error, LaunchConfig};
use batch::{Batch, Given};
use expect::{Want, WantValue, WantWord};

include!(concat!(env!("OUT_DIR"), "/conformance.rs"));

/// The byte that outputs are filled with, to see which a kernel left alone.
const FILL: u8 = 0xA5;

/// What came of a run.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ConformanceReport {
    /// What the kernels were compiled for: 80 for sm_80.
    pub sm: u32,
    /// Kernels that ran.
    pub kernels: usize,
    /// Different combinations of function, type, mode, width and mask (or block shape).
    pub combinations: usize,
    /// Cases: a combination with operands and values.
    pub cases: usize,
    /// Results compared, of lanes and threads.
    pub lanes: u64,
    /// Results that differ.
    pub mismatches: u64,
    /// The first of them.
    pub first: Option<Mismatch>,
}

/// A lane that got something else than the model says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// The kernel.
    pub kernel: String,
    /// What it did: function, width, mask.
    pub what: String,
    /// The lane, or the thread of the block.
    pub lane: usize,
    /// What it was given as operand and value.
    pub given: String,
    /// What it wrote.
    pub got: String,
    /// What it should have written.
    pub expected: String,
}

impl fmt::Display for ConformanceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "sm_{}: {} kernels, {} combinations, {} cases, {} results compared, {} mismatches",
            self.sm, self.kernels, self.combinations, self.cases, self.lanes, self.mismatches
        )?;
        match &self.first {
            Some(first) => write!(f, "\n{first}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kernel,
            what,
            lane,
            given,
            got,
            expected,
        } = self;
        write!(
            f,
            "first: {kernel}, {what}, lane {lane}\n  given     {given}\n  got       {got}\n  expected  {expected}"
        )
    }
}

/// Opens a device with the test kernels of one architecture.
pub fn open(choice: DeviceChoice, image: &Image<'_>) -> Result<Device, Error> {
    Device::open_with(choice, &[*image])
}

/// Runs the kernels whose name `wanted` accepts on a device that [`open`] has opened.
pub fn run(device: &Device, wanted: impl Fn(&str) -> bool) -> Result<ConformanceReport, Error> {
    let mut report = ConformanceReport {
        sm: device.image(),
        ..ConformanceReport::default()
    };
    let mut combinations = HashSet::new();
    for entry in ENTRIES.iter().filter(|entry| wanted(entry.kernel)) {
        report.kernels += 1;
        for batch in cases::batches(entry) {
            let results = launch(device, entry, &batch)?;
            for case in &batch.cases {
                combinations.insert((entry.kernel, batch.shape, case.op, case.width, case.mask));
            }
            compare(entry, &batch, &results, &mut report);
        }
    }
    report.combinations = combinations.len();
    Ok(report)
}

/// What a batch has written.
struct Results {
    values: Vec<u8>,
    words: Vec<u32>,
}

fn launch(device: &Device, entry: &Entry, batch: &Batch) -> Result<Results, Error> {
    let threads = batch.cases.len() * batch.threads();
    let cases: Vec<u32> = batch
        .cases
        .iter()
        .flat_map(|case| [case.mask, case.op, case.width, case.extra])
        .collect();
    let cases = device.upload(&cases)?;
    let operands = device.upload(&batch.operands)?;
    let input = device.upload(&batch.input)?;
    let values = device.filled(FILL, threads * batch.size)?;
    let words = device.filled(u32::from_le_bytes([FILL; 4]), threads)?;
    let config = LaunchConfig::new([batch.cases.len() as u32, 1, 1], batch.shape);
    let args = [
        cases.as_arg(),
        operands.as_arg(),
        input.as_arg(),
        values.as_arg(),
        words.as_arg(),
    ];
    // SAFETY: the arrays hold one case per block, and one element per thread of the grid.
    unsafe { device.launch(entry.kernel, config, &args)? };
    Ok(Results {
        values: values.download()?,
        words: words.download()?,
    })
}

fn compare(entry: &Entry, batch: &Batch, results: &Results, report: &mut ConformanceReport) {
    let threads = batch.threads();
    for index in 0..batch.cases.len() {
        let given = batch.given(index);
        report.cases += 1;
        for (thread, want) in expect::expected(entry, &given).iter().enumerate() {
            let at = index * threads + thread;
            let got = &results.values[at * batch.size..(at + 1) * batch.size];
            report.lanes += 1;
            if !agrees(want, got, results.words[at]) {
                report.mismatches += 1;
                let mismatch =
                    || mismatch(entry, batch, &given, thread, want, got, results.words[at]);
                report.first.get_or_insert_with(mismatch);
            }
        }
    }
}

fn agrees(want: &Want, got: &[u8], word: u32) -> bool {
    let value = match &want.value {
        WantValue::Untouched => got.iter().all(|&byte| byte == FILL),
        WantValue::Any => true,
        WantValue::Bytes(bytes) => got == bytes,
        WantValue::Nan => is_nan(got),
    };
    let word = match want.word {
        WantWord::Untouched => word == u32::from_le_bytes([FILL; 4]),
        WantWord::Any => true,
        WantWord::Exactly(expected) => word == expected,
    };
    value && word
}

fn is_nan(bytes: &[u8]) -> bool {
    match *bytes {
        [a, b, c, d] => f32::from_le_bytes([a, b, c, d]).is_nan(),
        [a, b, c, d, e, f, g, h] => f64::from_le_bytes([a, b, c, d, e, f, g, h]).is_nan(),
        _ => false,
    }
}

fn mismatch(
    entry: &Entry,
    batch: &Batch,
    given: &Given<'_>,
    lane: usize,
    want: &Want,
    got: &[u8],
    word: u32,
) -> Mismatch {
    let case = given.case;
    let what = match entry.family {
        Family::Block | Family::BlockAffine | Family::BlockItems | Family::BlockSized(_) => {
            format!(
                "{}, block {:?}, extra {}",
                operation(entry, case.op),
                batch.shape,
                case.extra
            )
        }
        _ => format!(
            "{}, width {}, mask {:#010x}, extra {:#010x}",
            operation(entry, case.op),
            case.width,
            case.mask,
            case.extra
        ),
    };
    Mismatch {
        kernel: entry.kernel.to_owned(),
        what,
        lane,
        given: format!(
            "operand {}, value {:02x?}",
            given.operands[lane],
            given.bytes(lane)
        ),
        got: format!("value {got:02x?}, word {word:#x}"),
        expected: format!("value {:02x?}, word {:x?}", want.value, want.word),
    }
}

/// The name of an operation of a kernel.
fn operation(entry: &Entry, op: u32) -> String {
    let op = op as usize;
    match entry.family {
        Family::Shuffle => format!("{:?}", conformance::ShuffleOp::ALL[op]),
        Family::Vote => format!("{:?}", conformance::VoteOp::ALL[op]),
        Family::Reduce => format!("{:?}", conformance::ReduceOp::ALL[op]),
        Family::Special => format!("{:?}", conformance::SpecialOp::ALL[op]),
        Family::Scalar(_) => format!("{:?}", conformance::ScalarOp::ALL[op]),
        Family::Structure(_) => format!("{:?}", conformance::StructureOp::ALL[op]),
        Family::Block => format!("{:?}", conformance::BlockOp::ALL[op]),
        _ => format!("operation {op}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the model expects satisfies itself, and every lane outside a mask is watched.
    #[test]
    fn expectations_are_complete() {
        for entry in ENTRIES {
            for batch in cases::batches(entry) {
                assert_eq!(batch.size, entry.value.size(), "{}", entry.kernel);
                assert!(!batch.cases.is_empty(), "{}", entry.kernel);
                for index in (0..batch.cases.len()).step_by(97) {
                    let wants = expect::expected(entry, &batch.given(index));
                    assert_eq!(wants.len(), batch.threads(), "{}", entry.kernel);
                    for want in wants {
                        if let WantValue::Bytes(bytes) = &want.value {
                            assert_eq!(bytes.len(), batch.size, "{}", entry.kernel);
                        }
                    }
                }
            }
        }
    }
}
