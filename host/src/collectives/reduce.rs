//! Reductions: one value from all elements.

use std::fmt;

use kernels::reduce::{Step, step};

use super::Number;
use crate::{Buffer, Device, Error, LaunchConfig};

/// The number of the fastest step of the reduction ladder: single launch, streaming loads.
const FASTEST: u32 = 11;

/// What a reduction does with two elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// Adds them; integers wrap.
    Sum,
    /// Takes the smaller; NaN loses.
    Min,
    /// Takes the larger; NaN loses.
    Max,
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sum => "sum",
            Self::Min => "min",
            Self::Max => "max",
        })
    }
}

/// Reduces all elements to one. For many reductions of one kind, a [`Reducer`] keeps its memory.
pub fn reduce<T: Number>(device: &Device, input: &Buffer<T>, op: Op) -> Result<T, Error> {
    Reducer::new(device, op)?.reduce(input)
}

/// A reduction with the device memory that it needs, to be used again and again.
#[derive(Debug)]
pub struct Reducer<T> {
    device: Device,
    kernel: String,
    step: &'static Step,
    partials: Buffer<T>,
    ticket: Buffer<u32>,
    out: Buffer<T>,
}

impl<T: Number> Reducer<T> {
    /// Makes ready for reductions by `op` of inputs of any length.
    pub fn new(device: &Device, op: Op) -> Result<Self, Error> {
        let step = step(FASTEST).ok_or(Error::NoKernels)?;
        // The grid of the longest input: later ones need no more.
        let most = step.grid(u64::MAX >> 8, size_of::<T>(), device.info().sms);
        Ok(Self {
            device: device.clone(),
            kernel: format!("reduce_{op}_{}_v{}_{}", T::DTYPE, step.id, step.name),
            step,
            partials: device.alloc_uninit(most as usize)?,
            ticket: device.alloc(1)?,
            out: device.alloc_uninit(1)?,
        })
    }

    /// Reduces all elements of `input`, and waits for the result.
    pub fn reduce(&mut self, input: &Buffer<T>) -> Result<T, Error> {
        let result = self.launch(input)?.download()?;
        // One element, by construction.
        Ok(result[0])
    }

    /// Starts the reduction; its result lies in the buffer when the device comes to it. It borrows
    /// the reducer, whose memory serves one reduction at a time.
    pub fn launch(&mut self, input: &Buffer<T>) -> Result<&Buffer<T>, Error> {
        input.require_on(&self.device)?;
        let info = self.device.info();
        let grid = self.step.grid(input.len() as u64, size_of::<T>(), info.sms);
        let config = LaunchConfig::linear(grid, self.step.block);
        let args = [
            input.as_slice(),
            self.partials.as_arg(),
            self.ticket.as_arg(),
            self.out.as_arg(),
        ];
        // SAFETY: there is a partial for each block of the largest grid, and one value of each
        // other kind. The ticket was 0 at first and is 0 after each launch; launches of one device
        // follow each other.
        unsafe { self.device.launch(&self.kernel, config, &args)? };
        Ok(&self.out)
    }
}
