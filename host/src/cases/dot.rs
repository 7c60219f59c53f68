//! The dot product.

use super::launches::{in_tiles, multiprocessors, upload_at};
use super::scalar::{Scalar, for_each_scalar};
use crate::baseline::Number;
use crate::case::{Case, Cx, Traffic};
use crate::compare::Comparison;
use crate::input::Distribution;
use crate::{Buffer, Device, Dtype, Error, LaunchConfig};

pub(super) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    macro_rules! add {
        ($t:ident) => {
            cases.push(case::<$t>());
        };
    }
    for_each_scalar!(add!());
    cases.push(unaligned("alike", [1, 1]));
    cases.push(unaligned("differently", [1, 2]));
    cases
}

fn case<T: Scalar>() -> Case {
    let dtype = T::DTYPE;
    let size = size_of::<T>() as u64;
    Case::new(format!("dot/{dtype}"), "dot", dtype, |cx| {
        run::<T>(cx, [0, 0])
    })
    .about(format!("dot product of two {dtype} arrays, in one launch"))
    .kernels([format!("dot_{dtype}")])
    .traffic(move |n| Traffic {
        read: 2 * n * size,
        written: size,
    })
}

fn unaligned(how: &'static str, offsets: [usize; 2]) -> Case {
    let path = format!("unaligned/dot/f32/{how}");
    Case::new(path, "unaligned", Dtype::F32, move |cx| {
        run::<f32>(cx, offsets)
    })
    .about(format!(
        "dot product of two f32 arrays, {how} far from a 16-byte boundary"
    ))
    .kernels(["dot_f32"])
    .traffic(move |n| Traffic {
        read: 8 * n,
        written: 4,
    })
}

fn run<T: Scalar>(cx: &mut Cx<'_>, offsets: [usize; 2]) -> Result<Option<Comparison>, Error> {
    let a = cx.input::<T>()?;
    let b: Vec<T> = cx.extra(0, Distribution::Uniform, a.len() as u64)?;
    let exact = cx.baseline(
        || crate::baseline::reduce::dot(&a, &b),
        |parallel| {
            let sequential = a
                .iter()
                .zip(&b)
                .fold(T::default(), |sum, (a, b)| Number::times_plus(*a, *b, sum));
            T::dot(&a, &b, sequential, a.len() as u64 + 1).compare("dot", &[*parallel])
        },
    )?;
    let Some(device) = cx.device() else {
        return Ok(None);
    };
    let size = size_of::<T>();
    let parts = in_tiles(cx, a.len(), 2 * size as u64, |cx, range| {
        on_device(cx, device, [&a[range.clone()], &b[range]], offsets)
    })?;
    let got = parts.iter().copied().fold(T::default(), Number::plus);
    let grid = kernels::dot::grid(a.len() as u64, size, multiprocessors(device));
    // One product, then at most every element of a thread's share in one chain, the threads, the
    // blocks' partials, and the chunks.
    let threads = u64::from(grid) * u64::from(kernels::dot::BLOCK);
    let chain = (a.len() as u64).div_ceil(threads) + 16 / size as u64 + 4;
    let partials = u64::from(grid).div_ceil(u64::from(kernels::dot::BLOCK));
    let depth = 1 + chain + 2 * 18 + partials + parts.len() as u64;
    Ok(Some(T::dot(&a, &b, exact, depth).compare("dot", &[got])))
}

fn on_device<T: Scalar>(
    cx: &mut Cx<'_>,
    device: &Device,
    inputs: [&[T]; 2],
    offsets: [usize; 2],
) -> Result<T, Error> {
    let len = inputs[0].len();
    let grid = kernels::dot::grid(len as u64, size_of::<T>(), multiprocessors(device));
    let left = upload_at(device, inputs[0], offsets[0])?;
    let right = upload_at(device, inputs[1], offsets[1])?;
    let partials: Buffer<T> = device.alloc_uninit(grid as usize)?;
    let ticket: Buffer<u32> = device.alloc(1)?;
    let out: Buffer<T> = device.alloc_uninit(1)?;
    cx.measure(|| {
        let args = [
            left.part(offsets[0], len),
            right.part(offsets[1], len),
            partials.as_arg(),
            ticket.as_arg(),
            out.as_arg(),
        ];
        let config = LaunchConfig::linear(grid, kernels::dot::BLOCK);
        // SAFETY: a slot for each block's partial, a ticket of 0, one slot for the result.
        unsafe { device.launch(&format!("dot_{}", T::DTYPE), config, &args) }
    })?;
    Ok(out.download()?[0])
}
