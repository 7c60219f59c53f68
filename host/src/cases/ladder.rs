//! The reduction ladder: each step for each operation and type.

use std::cell::RefCell;

use kernels::reduce::{Extent, Finish, STEPS, Step, launches};

use super::launches::{multiprocessors, upload_at};
use super::scalar::{Expected, Scalar, for_each_scalar};
use crate::baseline::elementwise;
use crate::baseline::reduce::reduce;
use crate::baseline::{Float as _, Max, Min, Operation, Product, Sum};
use crate::case::{Case, Cx, Traffic};
use crate::compare::Comparison;
use crate::{Arg, Buffer, Device, Error, LaunchConfig};

/// Type by type, so that the input of one serves all its cases.
pub(super) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    macro_rules! add {
        ($t:ident) => {
            for step in &STEPS {
                cases.push(case::<$t, Sum>("sum", step));
            }
            for step in &STEPS {
                cases.push(case::<$t, Min>("min", step));
            }
            for step in &STEPS {
                cases.push(case::<$t, Max>("max", step));
            }
            cases.push(product::<$t>());
        };
    }
    for_each_scalar!(add!());
    cases
}

fn case<T: Scalar, O: Operation>(op: &'static str, step: &'static Step) -> Case {
    let (dtype, id, name) = (T::DTYPE, step.id, step.name);
    let kernel = format!("reduce_{op}_{dtype}_v{id}_{name}");
    let launched = kernel.clone();
    Case::new(
        format!("reduce/{op}/{dtype}/v{id}_{name}"),
        "reduce",
        dtype,
        move |cx| run::<T, O>(cx, op, step, 0, &launched),
    )
    .about(format!("{op} of {dtype}, step {id}: {}", step.idea))
    .kernels([kernel])
    .traffic(|n| Traffic {
        read: n * size_of::<T>() as u64,
        written: size_of::<T>() as u64,
    })
}

/// The steps with 16-byte loads on an input that begins one or three elements after a boundary.
pub(super) fn unaligned() -> Vec<Case> {
    let mut cases = Vec::new();
    for step in STEPS
        .iter()
        .filter(|step| matches!(step.per_thread, Extent::Bytes(_)))
    {
        for offset in [1, 3] {
            cases.push(unaligned_case::<i32, Sum>("sum", step, offset));
            cases.push(unaligned_case::<f32, Min>("min", step, offset));
            cases.push(unaligned_case::<u64, Max>("max", step, offset));
        }
    }
    cases
}

fn unaligned_case<T: Scalar, O: Operation>(
    op: &'static str,
    step: &'static Step,
    offset: usize,
) -> Case {
    let (dtype, id, name) = (T::DTYPE, step.id, step.name);
    let kernel = format!("reduce_{op}_{dtype}_v{id}_{name}");
    let launched = kernel.clone();
    let path = format!("unaligned/{op}/{dtype}/v{id}_{name}/{offset}");
    let about = format!("{op} of {dtype}, step {id}, {offset} elements after a 16-byte boundary");
    Case::new(path, "unaligned", dtype, move |cx| {
        run::<T, O>(cx, op, step, offset, &launched)
    })
    .about(about)
    .kernels([kernel])
    .traffic(|n| Traffic {
        read: n * size_of::<T>() as u64,
        written: size_of::<T>() as u64,
    })
}

/// The product: the ladder's step 10 with another operation.
fn product<T: Scalar>() -> Case {
    let dtype = T::DTYPE;
    let kernel = format!("reduce_product_{dtype}");
    let launched = kernel.clone();
    Case::new(
        format!("reduce/product/{dtype}"),
        "reduce",
        dtype,
        move |cx| run::<T, Product>(cx, "product", &STEPS[10], 0, &launched),
    )
    .about(format!("product of {dtype}, in one launch"))
    .kernels([kernel])
    .traffic(|n| Traffic {
        read: n * size_of::<T>() as u64,
        written: size_of::<T>() as u64,
    })
}

fn run<T: Scalar, O: Operation>(
    cx: &mut Cx<'_>,
    op: &'static str,
    step: &'static Step,
    offset: usize,
    kernel: &str,
) -> Result<Option<Comparison>, Error> {
    let mut data = cx.input::<T>()?;
    if op == "product" {
        data = elementwise::map(&data, |i, x| x.factor(i)).into();
    }
    let exact = cx.baseline(
        || reduce::<T, O>(&data),
        |parallel| {
            let sequential = data.iter().copied().fold(O::identity(), O::apply);
            let n = data.len() as u64;
            expect::<T>(op, &data, sequential, n, 0.0).compare(op, &[*parallel])
        },
    )?;
    let Some(device) = cx.device() else {
        return Ok(None);
    };
    // Beside the input a device holds the partials: at most one for 256 elements.
    let bytes = size_of::<T>() as u64 + 1;
    let chunks = cx.in_chunks(&data, bytes, |cx, chunk| {
        Reduction::new(device, step, kernel, chunk, offset)?.run::<O>(cx)
    })?;
    let got = chunks.iter().copied().fold(O::identity(), O::apply);
    let depth = chunks.len() as u64
        + step.depth(data.len() as u64, size_of::<T>(), multiprocessors(device));
    let slack = match step.finish {
        // Atomics on f32 in global memory flush subnormals, each time by less than this.
        Finish::Atomics => data.len() as f64 * f32::MIN_NORMAL,
        _ => 0.0,
    };
    Ok(Some(
        expect::<T>(op, &data, exact, depth, slack).compare(op, &[got]),
    ))
}

/// Sums of floats have a bound, everything else is exact.
fn expect<T: Scalar>(op: &str, data: &[T], exact: T, depth: u64, slack: f64) -> Expected<T> {
    match op {
        "sum" => T::sums(&[data], vec![exact], &|_| depth, slack),
        _ => Expected::Exact(vec![exact]),
    }
}

/// One chunk on the device.
struct Reduction<'a, T> {
    device: &'a Device,
    step: &'static Step,
    kernel: &'a str,
    len: usize,
    /// Elements before the chunk, so that it begins where no 16-byte boundary is.
    offset: usize,
    input: Buffer<T>,
    /// Partials of odd and of even launches.
    partials: [Buffer<T>; 2],
    ticket: Buffer<u32>,
    out: RefCell<Buffer<T>>,
}

impl<'a, T: Scalar> Reduction<'a, T> {
    fn new(
        device: &'a Device,
        step: &'static Step,
        kernel: &'a str,
        data: &[T],
        offset: usize,
    ) -> Result<Self, Error> {
        let grid = |len| step.grid(len, size_of::<T>(), multiprocessors(device));
        let first = grid(data.len() as u64);
        Ok(Self {
            device,
            step,
            kernel,
            len: data.len(),
            offset,
            input: upload_at(device, data, offset)?,
            partials: [
                device.alloc_uninit(first as usize)?,
                device.alloc_uninit(grid(u64::from(first)) as usize)?,
            ],
            ticket: device.alloc(1)?,
            out: RefCell::new(device.alloc_uninit(1)?),
        })
    }

    fn run<O: Operation>(&self, cx: &mut Cx<'_>) -> Result<T, Error> {
        let reset = || match self.step.finish {
            Finish::Atomics => self.out.borrow_mut().fill(O::identity()),
            _ => Ok(()),
        };
        let mut result = 0;
        cx.measure_with(reset, || {
            result = self.launch()?;
            Ok(())
        })?;
        match self.step.finish {
            Finish::Relaunch => Ok(self.partials[result].download()?[0]),
            _ => Ok(self.out.borrow().download()?[0]),
        }
    }

    /// All launches of the step; answers which of the partials hold the result.
    fn launch(&self) -> Result<usize, Error> {
        let sms = multiprocessors(self.device);
        let mut source = self.input.part(self.offset, self.len);
        let mut target = 0;
        for (pass, (len, grid)) in
            launches(self.step, self.len as u64, size_of::<T>(), sms).enumerate()
        {
            let config = LaunchConfig::linear(grid, self.step.block);
            if pass > 0 {
                source = self.partials[target].part(0, len as usize);
                target = 1 - target;
            }
            let out = self.out.borrow();
            let args: Vec<Arg<'_>> = match self.step.finish {
                Finish::Atomics => vec![source.clone(), out.as_arg()],
                Finish::Relaunch => vec![source.clone(), self.partials[target].as_arg()],
                Finish::LastBlock => vec![
                    source.clone(),
                    self.partials[target].as_arg(),
                    self.ticket.as_arg(),
                    out.as_arg(),
                ],
            };
            // SAFETY: a slot for each block's partial, a ticket of 0, one for the result.
            unsafe { self.device.launch(self.kernel, config, &args)? };
        }
        Ok(target)
    }
}
