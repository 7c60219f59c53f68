//! Prefix sums.

use super::Number;
use crate::{Buffer, Device, Error, LaunchConfig};

/// `out[i]` is the sum of `input[..=i]`; integers wrap.
pub fn inclusive_sum<T: Number>(device: &Device, input: &Buffer<T>) -> Result<Buffer<T>, Error> {
    scan(device, input, "inclusive")
}

/// `out[i]` is the sum of `input[..i]`; integers wrap.
pub fn exclusive_sum<T: Number>(device: &Device, input: &Buffer<T>) -> Result<Buffer<T>, Error> {
    scan(device, input, "exclusive")
}

fn scan<T: Number>(device: &Device, input: &Buffer<T>, kind: &str) -> Result<Buffer<T>, Error> {
    input.require_on(device)?;
    let grid = kernels::scan::grid(input.len() as u64, size_of::<T>());
    let words = kernels::look_back::state_len(grid as usize, size_of::<T>());
    let state = device.alloc::<u64>(words)?;
    let out = device.alloc_uninit::<T>(input.len())?;
    let config = LaunchConfig::linear(grid, kernels::scan::BLOCK);
    let args = [input.as_slice(), out.as_arg(), state.as_arg()];
    let kernel = format!("scan_{kind}_{}", T::DTYPE);
    // SAFETY: `out` is as long as the input, `state` is zeroed and has the words of the grid.
    unsafe { device.launch(&kernel, config, &args)? };
    Ok(out)
}
