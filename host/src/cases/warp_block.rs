//! Warp and block reductions, warp and block scans: a result per group of the input.

use super::launches::{in_tiles, one_per_element, per_element};
use super::scalar::{Expected, Scalar, for_each_scalar};
use crate::baseline::reduce::reduce_groups;
use crate::baseline::scan::{Kind, scan_groups};
use crate::baseline::{Max, Min, Operation, Sum};
use crate::case::{Case, Cx, Traffic};
use crate::compare::Comparison;
use crate::{Arg, Buffer, Error};

const WARP: usize = 32;

pub(super) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    macro_rules! add {
        ($t:ident) => {
            reductions::<$t, Sum>(&mut cases, "sum");
            reductions::<$t, Min>(&mut cases, "min");
            reductions::<$t, Max>(&mut cases, "max");
            scans::<$t>(&mut cases);
        };
    }
    for_each_scalar!(add!());
    cases
}

/// How a group's result is written.
#[derive(Clone, Copy, PartialEq)]
enum Written {
    /// Once.
    PerGroup,
    /// By each of its lanes.
    PerElement,
}

/// One kernel: its group of so many elements, who writes, and how many additions an element of a
/// float sum goes through.
#[derive(Clone, Copy)]
struct Shape {
    group: usize,
    written: Written,
    depth: u64,
}

fn reductions<T: Scalar, O: Operation>(cases: &mut Vec<Case>, op: &'static str) {
    let warp = |written| Shape {
        group: WARP,
        written,
        depth: 6,
    };
    let block = kernels::block_reduce::BLOCK as usize;
    let in_block = |depth| Shape {
        group: block,
        written: Written::PerGroup,
        depth,
    };
    let variants = [
        (
            "warp",
            "down",
            "by shuffles down: lane 0 has it",
            warp(Written::PerGroup),
        ),
        (
            "warp",
            "xor",
            "by the butterfly: every lane has it",
            warp(Written::PerElement),
        ),
        (
            "warp",
            "redux",
            "by redux.sync where the type has it",
            warp(Written::PerElement),
        ),
        (
            "block",
            "tree",
            "by a tree in shared memory: 8 barriers",
            in_block(9),
        ),
        (
            "block",
            "shuffle",
            "by shuffles and a shared slot a warp: 1 barrier",
            in_block(11),
        ),
    ];
    for (scope, how, about, shape) in variants {
        let dtype = T::DTYPE;
        let kernel = format!("{scope}_{op}_{dtype}_{how}");
        let launched = kernel.clone();
        let size = size_of::<T>() as u64;
        let case = Case::new(
            format!("{scope}/{op}/{dtype}/{how}"),
            scope,
            dtype,
            move |cx| run_reduction::<T, O>(cx, op, shape, &launched),
        );
        let written = move |n: u64| match shape.written {
            Written::PerGroup => n.div_ceil(shape.group as u64),
            Written::PerElement => n,
        };
        cases.push(
            case.about(format!("{op} of each {scope}'s {dtype} values, {about}"))
                .kernels([kernel])
                .traffic(move |n| Traffic {
                    read: n * size,
                    written: written(n) * size,
                }),
        );
    }
}

fn run_reduction<T: Scalar, O: Operation>(
    cx: &mut Cx<'_>,
    op: &'static str,
    shape: Shape,
    kernel: &str,
) -> Result<Option<Comparison>, Error> {
    let data = cx.input::<T>()?;
    let expect = |exact: Vec<T>| {
        let groups: Vec<&[T]> = data.chunks(shape.group).collect();
        match op {
            "sum" => T::sums(&groups, exact, &|_| shape.depth, 0.0),
            _ => Expected::Exact(exact),
        }
    };
    let exact = cx.baseline(
        || reduce_groups::<T, O>(&data, shape.group),
        |parallel| {
            let groups = data.chunks(shape.group);
            let fold = |group: &[T]| group.iter().copied().fold(O::identity(), O::apply);
            let sequential = groups.map(fold).collect();
            let groups: Vec<&[T]> = data.chunks(shape.group).collect();
            let expected = match op {
                "sum" => T::sums(&groups, sequential, &|len| len as u64, 0.0),
                _ => Expected::Exact(sequential),
            };
            expected.compare(op, parallel)
        },
    )?;
    let groups = exact.len();
    let written = |len: usize| match shape.written {
        Written::PerGroup => len.div_ceil(shape.group),
        Written::PerElement => len,
    };
    let Some(got) = run_one_to_many(cx, kernel, &data, written)? else {
        return Ok(None);
    };
    let results = every_group(&got, shape, groups);
    let mut comparison = expect(exact).compare(op, &results);
    if shape.written == Written::PerElement {
        let spread: Vec<T> = (0..got.len()).map(|i| results[i / shape.group]).collect();
        comparison = comparison.and(crate::compare::exact("lanes", &got, &spread));
    }
    Ok(Some(comparison))
}

/// What the first lane of each group wrote.
fn every_group<T: Copy>(got: &[T], shape: Shape, groups: usize) -> Vec<T> {
    match shape.written {
        Written::PerGroup => got.to_vec(),
        Written::PerElement => (0..groups).map(|group| got[group * shape.group]).collect(),
    }
}

fn scans<T: Scalar>(cases: &mut Vec<Case>) {
    let block = kernels::warp_scan::BLOCK as usize;
    for (scope, group, depth) in [("warp", WARP, 6), ("block", block, 12)] {
        for (kind, name) in [
            (Kind::Inclusive, "inclusive"),
            (Kind::Exclusive, "exclusive"),
        ] {
            let dtype = T::DTYPE;
            let kernel = format!("{scope}_scan_{name}_{dtype}");
            let launched = kernel.clone();
            let size = size_of::<T>() as u64;
            let case = Case::new(
                format!("{scope}/scan/{dtype}/{name}"),
                scope,
                dtype,
                move |cx| run_scan::<T>(cx, group, kind, depth, &launched),
            );
            cases.push(
                case.about(format!(
                    "{name} prefix sums of each {scope}'s {dtype} values"
                ))
                .kernels([kernel])
                .traffic(per_element(size, size)),
            );
        }
    }
}

fn run_scan<T: Scalar>(
    cx: &mut Cx<'_>,
    group: usize,
    kind: Kind,
    depth: u64,
    kernel: &str,
) -> Result<Option<Comparison>, Error> {
    let data = cx.input::<T>()?;
    let inclusive = kind == Kind::Inclusive;
    let exact = cx.baseline(
        || scan_groups::<T, Sum>(&data, group, kind),
        |parallel| {
            let mut sequential = Vec::with_capacity(data.len());
            for group in data.chunks(group) {
                let mut running = T::default();
                for &x in group {
                    let next = running.plus(x);
                    sequential.push(if inclusive { next } else { running });
                    running = next;
                }
            }
            T::prefixes(&data, group, sequential, inclusive, &|len| len as u64)
                .compare("prefixes", parallel)
        },
    )?;
    let Some(got) = run_one_to_many(cx, kernel, &data, |len| len)? else {
        return Ok(None);
    };
    let expected = T::prefixes(&data, group, exact, inclusive, &|_| depth);
    Ok(Some(expected.compare("prefixes", &got)))
}

/// Runs a kernel of the parameters `(input: &[T], out: *mut T)`, one thread per element, which
/// writes `written(n)` values for n elements.
pub(super) fn run_one_to_many<T: Scalar>(
    cx: &mut Cx<'_>,
    kernel: &str,
    data: &[T],
    written: impl Fn(usize) -> usize,
) -> Result<Option<Vec<T>>, Error> {
    let Some(device) = cx.device() else {
        return Ok(None);
    };
    let parts = in_tiles(cx, data.len(), 2 * size_of::<T>() as u64, |cx, range| {
        let input = device.upload(&data[range])?;
        let config = one_per_element(input.len(), kernels::warp_reduce::BLOCK);
        let written = written(input.len());
        // The one block of an empty input writes, too.
        let out: Buffer<T> = device.alloc(written.max(config.grid[0] as usize))?;
        cx.measure(|| {
            let args: [Arg<'_>; 2] = [input.as_slice(), out.as_arg()];
            // SAFETY: the output has the length that the kernel's contract asks for.
            unsafe { device.launch(kernel, config, &args) }
        })?;
        let mut results = out.download()?;
        results.truncate(written);
        Ok(results)
    })?;
    Ok(Some(parts.concat()))
}
