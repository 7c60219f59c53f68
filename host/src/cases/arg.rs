//! The place of the smallest and of the largest value.

use super::launches::multiprocessors;
use super::scalar::{Scalar, for_each_scalar};
use crate::baseline::arg::{NOWHERE, Place, arg_max, arg_min};
use crate::case::{Case, Cx, Traffic};
use crate::compare::{self, Comparison};
use crate::{Buffer, Device, Error, LaunchConfig};

pub(super) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    macro_rules! add {
        ($t:ident) => {
            cases.push(case::<$t>("arg_min", arg_min, |a, b| a < b));
            cases.push(case::<$t>("arg_max", arg_max, |a, b| a > b));
        };
    }
    for_each_scalar!(add!());
    cases
}

fn case<T: Scalar>(
    op: &'static str,
    parallel: fn(&[T]) -> Place<T>,
    better: fn(&T, &T) -> bool,
) -> Case {
    let dtype = T::DTYPE;
    let size = size_of::<T>() as u64;
    let kernel = format!("{op}_{dtype}");
    let launched = kernel.clone();
    Case::new(format!("{op}/{dtype}"), "arg", dtype, move |cx| {
        run(cx, parallel, better, &launched)
    })
    .about(format!(
        "value and lowest index of the {} {dtype}",
        if op == "arg_min" {
            "smallest"
        } else {
            "largest"
        }
    ))
    .kernels([kernel])
    .traffic(move |n| Traffic {
        read: n * size,
        written: size + 8,
    })
}

fn run<T: Scalar>(
    cx: &mut Cx<'_>,
    parallel: fn(&[T]) -> Place<T>,
    better: fn(&T, &T) -> bool,
    kernel: &str,
) -> Result<Option<Comparison>, Error> {
    let data = cx.input::<T>()?;
    let nothing = parallel(&[]);
    let expected = cx.baseline(
        || parallel(&data),
        |parallel| {
            let mut best = nothing;
            for (index, &value) in (0..).zip(data.iter()) {
                let first = value == best.value && best.index == NOWHERE;
                if better(&value, &best.value) || first {
                    best = Place { value, index };
                }
            }
            compare_places(*parallel, best)
        },
    )?;
    let Some(device) = cx.device() else {
        return Ok(None);
    };
    let mut start = 0;
    let places = cx.in_chunks(&data, size_of::<T>() as u64 + 1, |cx, chunk| {
        let mut place = on_device(cx, device, kernel, chunk)?;
        if place.index != NOWHERE {
            place.index += start;
        }
        start += chunk.len() as u64;
        Ok(place)
    })?;
    // Chunks come in order, so that of equal values the first stays.
    let best = places.into_iter().fold(nothing, |best, next| {
        let first = next.value == best.value && best.index == NOWHERE;
        if better(&next.value, &best.value) || first {
            next
        } else {
            best
        }
    });
    Ok(Some(compare_places(best, expected)))
}

fn on_device<T: Scalar>(
    cx: &mut Cx<'_>,
    device: &Device,
    kernel: &str,
    data: &[T],
) -> Result<Place<T>, Error> {
    let step = &kernels::reduce::STEPS[10];
    let grid = step.grid(data.len() as u64, size_of::<T>(), multiprocessors(device));
    let input = device.upload(data)?;
    let partial_values: Buffer<T> = device.alloc_uninit(grid as usize)?;
    let partial_indices: Buffer<u64> = device.alloc_uninit(grid as usize)?;
    let ticket: Buffer<u32> = device.alloc(1)?;
    let value: Buffer<T> = device.alloc_uninit(1)?;
    let index: Buffer<u64> = device.alloc_uninit(1)?;
    cx.measure(|| {
        let args = [
            input.as_slice(),
            partial_values.as_arg(),
            partial_indices.as_arg(),
            ticket.as_arg(),
            value.as_arg(),
            index.as_arg(),
        ];
        let config = LaunchConfig::linear(grid, kernels::arg::BLOCK);
        // SAFETY: a slot for each block's partials, a ticket of 0, one slot for each result.
        unsafe { device.launch(kernel, config, &args) }
    })?;
    Ok(Place {
        value: value.download()?[0],
        index: index.download()?[0],
    })
}

fn compare_places<T: Scalar>(got: Place<T>, expected: Place<T>) -> Comparison {
    compare::exact("index", &[got.index], &[expected.index]).and(compare::exact(
        "value",
        &[got.value],
        &[expected.value],
    ))
}
