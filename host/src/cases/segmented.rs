//! Reductions of consecutive segments.

use kernels::segmented::{BLOCK, VARIANTS, Variant, grid};

use super::scalar::{Expected, Scalar};
use crate::baseline::{Max, Min, Operation, Sum, segmented};
use crate::case::{Case, Cx, Traffic};
use crate::compare::Comparison;
use crate::input::Distribution;
use crate::{Arg, Buffer, Device, Error, LaunchConfig};

/// Mean lengths of the segments, one for each variant of the kernels.
const MEAN: [u64; 3] = [32, 256, 4096];

pub(super) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    macro_rules! add {
        ($($t:ident),*) => {$(
            for (variant, mean) in VARIANTS.into_iter().zip(MEAN) {
                cases.push(case::<$t, Sum>("sum", variant, mean));
                cases.push(case::<$t, Min>("min", variant, mean));
                cases.push(case::<$t, Max>("max", variant, mean));
            }
        )*};
    }
    add!(i32, f32, f64);
    cases
}

fn case<T: Scalar, O: Operation>(op: &'static str, variant: Variant, mean: u64) -> Case {
    let dtype = T::DTYPE;
    let size = size_of::<T>() as u64;
    let kernel = format!("segmented_{op}_{dtype}_{}", variant.name);
    let launched = kernel.clone();
    let name = format!("segmented/{op}/{dtype}/{}", variant.name);
    Case::new(name, "segmented", dtype, move |cx| {
        run::<T, O>(cx, op, variant, mean, &launched)
    })
    .about(format!(
        "{op} of each segment of 0 to {} {dtype}, {} threads to each",
        2 * mean,
        variant.threads
    ))
    .kernels([kernel])
    .traffic(move |n| {
        let segments = n / mean;
        Traffic {
            read: n * size + 4 * (segments + 1),
            written: segments * size,
        }
    })
}

/// Segments of 0 to 2 · `mean` elements, at random, that cover `len`.
fn offsets(cx: &Cx<'_>, len: u64, mean: u64) -> Result<Vec<u32>, Error> {
    let end = u32::try_from(len).map_err(|_| cx.unsuitable("offsets have 32 bits"))?;
    let random: Vec<u32> = cx.extra(0, Distribution::Uniform, 2 + 2 * len / mean)?;
    let mut offsets = vec![0u32];
    let mut at = 0u64;
    for bits in random {
        at += (u64::from(bits) * (2 * mean + 1)) >> 32;
        if at >= len {
            break;
        }
        offsets.push(at as u32);
    }
    offsets.push(end);
    Ok(offsets)
}

fn run<T: Scalar, O: Operation>(
    cx: &mut Cx<'_>,
    op: &'static str,
    variant: Variant,
    mean: u64,
    kernel: &str,
) -> Result<Option<Comparison>, Error> {
    let data = cx.input::<T>()?;
    let offsets = offsets(cx, data.len() as u64, mean)?;
    let segments: Vec<&[T]> = offsets
        .windows(2)
        .map(|ends| &data[ends[0] as usize..ends[1] as usize])
        .collect();
    let expect = |exact, depth: &(dyn Fn(usize) -> u64 + Sync)| match op {
        "sum" => T::sums(&segments, exact, depth, 0.0),
        _ => Expected::Exact(exact),
    };
    let exact = cx.baseline(
        || segmented::reduce::<T, O>(&data, &offsets),
        |parallel| {
            let fold = |segment: &&[T]| segment.iter().copied().fold(O::identity(), O::apply);
            let sequential = segments.iter().map(fold).collect();
            expect(sequential, &|len| len as u64).compare(op, parallel)
        },
    )?;
    let Some(device) = cx.device() else {
        return Ok(None);
    };
    let numbers: Vec<usize> = (0..segments.len()).collect();
    // A segment at its longest, its end and its result.
    let bytes = (2 * mean + 2) * size_of::<T>() as u64 + 4;
    let parts = cx.in_chunks(&numbers, bytes, |cx, numbers| {
        let (Some(&first), Some(&last)) = (numbers.first(), numbers.last()) else {
            return Ok(Vec::new());
        };
        let start = offsets[first];
        let ends: Vec<u32> = offsets[first..=last + 1]
            .iter()
            .map(|end| end - start)
            .collect();
        let part = &data[start as usize..offsets[last + 1] as usize];
        on_device(cx, device, kernel, variant, part, &ends)
    })?;
    // A thread's share, one pack after the other, head, tail, folding a pack; then the lanes.
    let share = |len: usize| len.div_ceil(variant.threads as usize) as u64 + 4;
    let expected = expect(exact, &|len| share(len) + 12);
    Ok(Some(expected.compare(op, &parts.concat())))
}

fn on_device<T: Scalar>(
    cx: &mut Cx<'_>,
    device: &Device,
    kernel: &str,
    variant: Variant,
    data: &[T],
    ends: &[u32],
) -> Result<Vec<T>, Error> {
    let segments = ends.len() - 1;
    let input = device.upload(data)?;
    let end_buffer = device.upload(ends)?;
    let out: Buffer<T> = device.alloc(segments)?;
    cx.measure(|| {
        let args: [Arg<'_>; 3] = [input.as_slice(), end_buffer.as_slice(), out.as_arg()];
        let config = LaunchConfig::linear(grid(segments as u64, variant), BLOCK);
        // SAFETY: rising offsets inside the input, and a slot for each segment.
        unsafe { device.launch(kernel, config, &args) }
    })?;
    out.download()
}
