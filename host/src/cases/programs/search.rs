//! Looking for a value, with votes and with an early exit.

use std::cell::RefCell;

use kernels::programs::search::{BLOCK, NOWHERE};

use super::super::launches::{in_tiles, multiprocessors, one_per_element};
use crate::baseline::search::find_first;
use crate::case::{Case, Cx, Traffic};
use crate::compare::{self, Comparison};
use crate::{Arg, Buffer, Device, Dtype, Error, LaunchConfig};

pub(super) fn all() -> Vec<Case> {
    let about = [
        (
            "any",
            "every warp looks, and one lane of each with a hit reports",
        ),
        (
            "early_exit",
            "warps walk over the input and stop where a lower index is known",
        ),
    ];
    let mut cases = Vec::new();
    for (how, about) in about {
        for (place, share) in [("middle", Some(2)), ("nowhere", None)] {
            let kernel = format!("search_{how}_i32");
            let launched = kernel.clone();
            let name = format!("search/{how}/{place}");
            let case = Case::new(name, "programs", Dtype::I32, move |cx| {
                run(cx, &launched, share)
            });
            cases.push(
                case.about(format!(
                    "first index of a value that stands {place}: {about}"
                ))
                .kernels([kernel])
                .traffic(|n| Traffic {
                    read: 4 * n,
                    written: 8,
                }),
            );
        }
    }
    cases
}

/// Odd, while the data that is searched is even.
const TARGET: i32 = 77;

/// `share`: the target stands at n / share, and again further on.
fn run(cx: &mut Cx<'_>, kernel: &str, share: Option<usize>) -> Result<Option<Comparison>, Error> {
    let mut data = crate::baseline::elementwise::map(&cx.input::<i32>()?, |_, x| x & !1);
    if let Some(share) = share {
        let first = data.len() / share;
        for at in [first, first + first / 2, data.len().wrapping_sub(1)] {
            if let Some(x) = data.get_mut(at) {
                *x = TARGET;
            }
        }
    }
    let index = |found: Option<usize>| found.map_or(NOWHERE, |i| i as u64);
    let expected = cx.baseline(
        || index(find_first(&data, TARGET)),
        |parallel| {
            let sequential = index(data.iter().position(|&x| x == TARGET));
            compare::exact("index", &[*parallel], &[sequential])
        },
    )?;
    let Some(device) = cx.device() else {
        return Ok(None);
    };
    let parts = in_tiles(cx, data.len(), 4, |cx, range| {
        let found = on_device(cx, device, kernel, &data[range.clone()])?;
        Ok(if found == NOWHERE {
            NOWHERE
        } else {
            range.start as u64 + found
        })
    })?;
    let found = parts.into_iter().min().unwrap_or(NOWHERE);
    Ok(Some(compare::exact("index", &[found], &[expected])))
}

fn on_device(cx: &mut Cx<'_>, device: &Device, kernel: &str, data: &[i32]) -> Result<u64, Error> {
    let input = device.upload(data)?;
    let found: RefCell<Buffer<u64>> = RefCell::new(device.alloc(1)?);
    let mut config = one_per_element(data.len(), BLOCK);
    if kernel.contains("early_exit") {
        let resident = multiprocessors(device) * 8;
        config = LaunchConfig::linear(config.grid[0].min(resident), BLOCK);
    }
    cx.measure_with(
        || found.borrow_mut().fill(NOWHERE),
        || {
            let found = found.borrow();
            let args = [input.as_slice(), Arg::from(TARGET), found.as_arg()];
            // SAFETY: one slot for the result, which holds NOWHERE.
            unsafe { device.launch(kernel, config, &args) }
        },
    )?;
    let found = found.into_inner().download()?;
    Ok(found[0])
}
