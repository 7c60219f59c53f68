//! Prefix sums of the whole input, in a single pass.

use super::launches::{in_tiles, per_element, upload_at};
use super::scalar::{Scalar, for_each_scalar};
use crate::baseline::Sum;
use crate::baseline::scan::{Kind, scan};
use crate::case::{Case, Cx};
use crate::compare::Comparison;
use crate::{Arg, Buffer, Device, Error, LaunchConfig};

pub(super) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    macro_rules! add {
        ($t:ident) => {
            cases.push(case::<$t>("inclusive", Kind::Inclusive));
            cases.push(case::<$t>("exclusive", Kind::Exclusive));
        };
    }
    for_each_scalar!(add!());
    cases.push(unaligned::<i32>("inclusive", Kind::Inclusive));
    cases.push(unaligned::<u64>("exclusive", Kind::Exclusive));
    cases
}

fn case<T: Scalar>(name: &'static str, kind: Kind) -> Case {
    let dtype = T::DTYPE;
    let size = size_of::<T>() as u64;
    let kernel = format!("scan_{name}_{dtype}");
    let launched = kernel.clone();
    Case::new(format!("scan/{name}/{dtype}"), "scan", dtype, move |cx| {
        run::<T>(cx, kind, 0, &launched)
    })
    .about(format!(
        "{name} prefix sums of {dtype}, by decoupled look-back"
    ))
    .kernels([kernel])
    .traffic(per_element(size, size))
}

fn unaligned<T: Scalar>(name: &'static str, kind: Kind) -> Case {
    let dtype = T::DTYPE;
    let kernel = format!("scan_{name}_{dtype}");
    let launched = kernel.clone();
    let path = format!("unaligned/scan/{name}/{dtype}");
    Case::new(path, "unaligned", dtype, move |cx| {
        run::<T>(cx, kind, 1, &launched)
    })
    .about(format!(
        "{name} prefix sums of {dtype}, one element after a 16-byte boundary"
    ))
    .kernels([kernel])
    .traffic(per_element(size_of::<T>() as u64, size_of::<T>() as u64))
}

fn run<T: Scalar>(
    cx: &mut Cx<'_>,
    kind: Kind,
    offset: usize,
    kernel: &str,
) -> Result<Option<Comparison>, Error> {
    let data = cx.input::<T>()?;
    let inclusive = kind == Kind::Inclusive;
    let exact = cx.baseline(
        || scan::<T, Sum>(&data, kind),
        |parallel| {
            let mut running = T::default();
            let prefix = |&x: &T| {
                let before = running;
                running = running.plus(x);
                if inclusive { running } else { before }
            };
            let sequential = data.iter().map(prefix).collect();
            T::prefixes(&data, usize::MAX, sequential, inclusive, &|len| len as u64)
                .compare("prefixes", parallel)
        },
    )?;
    let Some(device) = cx.device() else {
        return Ok(None);
    };
    let tile = kernels::scan::tile_len(size_of::<T>());
    let mut carry = T::default();
    // Input, output, and a few words of state per tile.
    let parts = in_tiles(
        cx,
        data.len(),
        2 * size_of::<T>() as u64 + 1,
        |cx, range| {
            let mut part = on_device(cx, device, kernel, &data[range.clone()], offset)?;
            if range.start > 0 {
                part.iter_mut().for_each(|x| *x = carry.plus(*x));
            }
            if let (Some(&prefix), Some(&value)) = (part.last(), data[range].last()) {
                carry = if inclusive {
                    prefix
                } else {
                    prefix.plus(value)
                };
            }
            Ok(part)
        },
    )?;
    // Inside a thread, a warp and a block at most 24 additions; then the tiles before, in the
    // worst case one by one; then the chunks.
    let depth = |len: usize| 56 + (len.div_ceil(tile) + parts.len()) as u64;
    let expected = T::prefixes(&data, usize::MAX, exact, inclusive, &depth);
    Ok(Some(expected.compare("prefixes", &parts.concat())))
}

fn on_device<T: Scalar>(
    cx: &mut Cx<'_>,
    device: &Device,
    kernel: &str,
    data: &[T],
    offset: usize,
) -> Result<Vec<T>, Error> {
    let size = size_of::<T>();
    let grid = kernels::scan::grid(data.len() as u64, size);
    let input = upload_at(device, data, offset)?;
    let out: Buffer<T> = device.alloc(data.len() + offset)?;
    let state: Buffer<u64> = device.alloc(kernels::look_back::state_len(grid as usize, size))?;
    cx.measure(|| {
        let args = [
            input.part(offset, data.len()),
            Arg::from(out.address() + (offset * size) as u64),
            state.as_arg(),
        ];
        let config = LaunchConfig::linear(grid, kernels::scan::BLOCK);
        // SAFETY: an output of the input's length, and a zeroed state for the grid.
        unsafe { device.launch(kernel, config, &args) }
    })?;
    Ok(out.download()?.split_off(offset))
}
