//! Histograms: atomics per element, per group of a warp, and in shared memory.

use std::cell::RefCell;

use kernels::histogram::{BLOCK, grid};

use super::launches::multiprocessors;
use crate::baseline::histogram::histogram;
use crate::case::{Case, Cx, Traffic};
use crate::compare::{self, Comparison};
use crate::{Arg, Buffer, Dtype, Error, LaunchConfig};

/// The bin is the value's highest bits: 16 and 256 bins.
const BITS: [u32; 2] = [4, 8];

pub(super) fn all() -> Vec<Case> {
    let variants = [
        ("plain", "an atomic per element"),
        (
            "aggregated",
            "an atomic per distinct bin of a warp, found by match.any",
        ),
        (
            "shared",
            "atomics in shared memory, then one per bin and block",
        ),
    ];
    let mut cases = Vec::new();
    for bits in BITS {
        for (how, about) in variants {
            let kernel = format!("histogram_{how}_u32");
            let launched = kernel.clone();
            let bins = 1u32 << bits;
            let name = format!("histogram/{bins}/{how}");
            let case = Case::new(name, "histogram", Dtype::U32, move |cx| {
                run(cx, bits, &launched)
            });
            cases.push(
                case.about(format!("histogram of {bins} bins, {about}"))
                    .kernels([kernel])
                    .traffic(move |n| Traffic {
                        read: 4 * n,
                        written: 4 * u64::from(bins),
                    }),
            );
        }
    }
    cases
}

fn run(cx: &mut Cx<'_>, bits: u32, kernel: &str) -> Result<Option<Comparison>, Error> {
    let data = cx.input::<u32>()?;
    let (bins, shift) = (1usize << bits, 32 - bits);
    let expected = cx.baseline(
        || histogram(&data, bins, |x| (x >> shift) as usize),
        |parallel| {
            let mut sequential = vec![0u32; bins];
            for x in data.iter() {
                sequential[(x >> shift) as usize] += 1;
            }
            compare::exact("counts", parallel, &sequential)
        },
    )?;
    let Some(device) = cx.device() else {
        return Ok(None);
    };
    let partial = cx.in_chunks(&data, 4, |cx, chunk| {
        let input = device.upload(chunk)?;
        let counts: RefCell<Buffer<u32>> = RefCell::new(device.alloc(bins)?);
        let blocks = grid(chunk.len() as u64, multiprocessors(device));
        cx.measure_with(
            || counts.borrow_mut().fill(0),
            || {
                let counts = counts.borrow();
                let args = [input.as_slice(), Arg::from(shift), counts.as_arg()];
                // SAFETY: a counter for each bin that the shift leaves.
                unsafe { device.launch(kernel, LaunchConfig::linear(blocks, BLOCK), &args) }
            },
        )?;
        counts.into_inner().download()
    })?;
    let mut got = vec![0u32; bins];
    for counts in partial {
        got.iter_mut()
            .zip(counts)
            .for_each(|(sum, count)| *sum = sum.wrapping_add(count));
    }
    Ok(Some(compare::exact("counts", &got, &expected)))
}
