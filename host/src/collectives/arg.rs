//! Where the smallest and the largest element stand.

use super::Number;
use crate::{Buffer, Device, Error, LaunchConfig};

/// The lowest index at which the smallest element stands, and that element; `None` of nothing, and
/// of NaNs alone.
pub fn arg_min<T: Number>(device: &Device, input: &Buffer<T>) -> Result<Option<(usize, T)>, Error> {
    arg(device, input, "min")
}

/// The lowest index at which the largest element stands, and that element; `None` of nothing, and
/// of NaNs alone.
pub fn arg_max<T: Number>(device: &Device, input: &Buffer<T>) -> Result<Option<(usize, T)>, Error> {
    arg(device, input, "max")
}

fn arg<T: Number>(
    device: &Device,
    input: &Buffer<T>,
    op: &str,
) -> Result<Option<(usize, T)>, Error> {
    input.require_on(device)?;
    // The kernels' module states its grid as step 10's.
    let step = kernels::reduce::step(10).ok_or(Error::NoKernels)?;
    let grid = step.grid(input.len() as u64, size_of::<T>(), device.info().sms);
    let partial_values = device.alloc_uninit::<T>(grid as usize)?;
    let partial_indices = device.alloc_uninit::<u64>(grid as usize)?;
    let ticket = device.alloc::<u32>(1)?;
    let value = device.alloc_uninit::<T>(1)?;
    let index = device.alloc_uninit::<u64>(1)?;
    let args = [
        input.as_slice(),
        partial_values.as_arg(),
        partial_indices.as_arg(),
        ticket.as_arg(),
        value.as_arg(),
        index.as_arg(),
    ];
    let config = LaunchConfig::linear(grid, kernels::arg::BLOCK);
    let kernel = format!("arg_{op}_{}", T::DTYPE);
    // SAFETY: a partial of each kind for each block, one result of each kind, a ticket of 0.
    unsafe { device.launch(&kernel, config, &args)? };
    let index = index.download()?[0];
    if index == kernels::arg::NOWHERE {
        return Ok(None);
    }
    let index = usize::try_from(index).unwrap_or(usize::MAX);
    Ok(Some((index, value.download()?[0])))
}
