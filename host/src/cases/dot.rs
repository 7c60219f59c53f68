//! The dot product.

use super::launches::multiprocessors;
use super::scalar::{Scalar, for_each_scalar};
use crate::baseline::Number;
use crate::case::{Case, Cx, Traffic};
use crate::compare::Comparison;
use crate::input::Distribution;
use crate::{Buffer, Error, LaunchConfig};

pub(super) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    macro_rules! add {
        ($t:ident) => {
            cases.push(case::<$t>());
        };
    }
    for_each_scalar!(add!());
    cases
}

fn case<T: Scalar>() -> Case {
    let dtype = T::DTYPE;
    let size = size_of::<T>() as u64;
    Case::new(format!("dot/{dtype}"), "dot", dtype, run::<T>)
        .about(format!("dot product of two {dtype} arrays, in one launch"))
        .kernels([format!("dot_{dtype}")])
        .traffic(move |n| Traffic {
            read: 2 * n * size,
            written: size,
        })
}

fn run<T: Scalar>(cx: &mut Cx<'_>) -> Result<Option<Comparison>, Error> {
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
    cx.require_bytes((2 * a.len() * size) as u64)?;
    let step = &kernels::reduce::STEPS[10];
    let grid = kernels::dot::grid(a.len() as u64, size, multiprocessors(device));
    let (left, right) = (device.upload(&a)?, device.upload(&b)?);
    let partials: Buffer<T> = device.alloc_uninit(grid as usize)?;
    let ticket: Buffer<u32> = device.alloc(1)?;
    let out: Buffer<T> = device.alloc_uninit(1)?;
    cx.measure(|| {
        let args = [
            left.as_slice(),
            right.as_slice(),
            partials.as_arg(),
            ticket.as_arg(),
            out.as_arg(),
        ];
        let config = LaunchConfig::linear(grid, kernels::dot::BLOCK);
        // SAFETY: a slot for each block's partial, a ticket of 0, one slot for the result.
        unsafe { device.launch(&format!("dot_{}", T::DTYPE), config, &args) }
    })?;
    // One product, then at most every element of a thread's share in one chain.
    let threads = u64::from(grid) * u64::from(kernels::dot::BLOCK);
    let chain = (a.len() as u64).div_ceil(threads) + 16 / size as u64 + 4;
    let depth = chain + 1 + step.depth(u64::from(grid), size, multiprocessors(device));
    Ok(Some(
        T::dot(&a, &b, exact, depth).compare("dot", &out.download()?),
    ))
}
