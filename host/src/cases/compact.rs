//! Compaction of the whole input, order kept.

use super::launches::in_tiles;
use super::scalar::Scalar;
use crate::baseline::compact::compact;
use crate::case::{Case, Cx, Traffic};
use crate::compare::{self, Comparison};
use crate::{Arg, Buffer, Device, Error, LaunchConfig};

pub(super) fn all() -> Vec<Case> {
    vec![case::<i32>(0), case::<u32>(1 << 31), case::<f32>(0.0)]
}

fn case<T>(threshold: T) -> Case
where
    T: Scalar,
    Arg<'static>: From<T>,
{
    let dtype = T::DTYPE;
    let kernel = format!("compact_{dtype}");
    let launched = kernel.clone();
    Case::new(format!("compact/{dtype}"), "compact", dtype, move |cx| {
        run(cx, threshold, &launched)
    })
    .about(format!(
        "the {dtype} values above {threshold:?}, in order, by decoupled look-back"
    ))
    .kernels([kernel])
    // Half of uniform input is kept.
    .traffic(|n| Traffic {
        read: 4 * n,
        written: 2 * n,
    })
}

fn run<T>(cx: &mut Cx<'_>, threshold: T, kernel: &str) -> Result<Option<Comparison>, Error>
where
    T: Scalar,
    Arg<'static>: From<T>,
{
    let data = cx.input::<T>()?;
    let expected = cx.baseline(
        || compact(&data, |x| x > threshold),
        |parallel| {
            let sequential: Vec<T> = data.iter().copied().filter(|&x| x > threshold).collect();
            compare::exact("kept", parallel, &sequential)
        },
    )?;
    let Some(device) = cx.device() else {
        return Ok(None);
    };
    // Input, output, and a word of state per tile.
    let parts = in_tiles(
        cx,
        data.len(),
        2 * size_of::<T>() as u64 + 1,
        |cx, range| on_device(cx, device, kernel, &data[range], threshold),
    )?;
    Ok(Some(compare::exact("kept", &parts.concat(), &expected)))
}

fn on_device<T>(
    cx: &mut Cx<'_>,
    device: &Device,
    kernel: &str,
    data: &[T],
    threshold: T,
) -> Result<Vec<T>, Error>
where
    T: Scalar,
    Arg<'static>: From<T>,
{
    if u32::try_from(data.len()).is_err() {
        return Err(cx.unsuitable("counts in 32 bits"));
    }
    let grid = kernels::compact::grid(data.len() as u64);
    let input = device.upload(data)?;
    let out: Buffer<T> = device.alloc(data.len())?;
    let count: Buffer<u32> = device.alloc(1)?;
    let state: Buffer<u64> = device.alloc(kernels::look_back::state_len(
        grid as usize,
        size_of::<u32>(),
    ))?;
    cx.measure(|| {
        let args = [
            input.as_slice(),
            Arg::from(threshold),
            out.as_arg(),
            count.as_arg(),
            state.as_arg(),
        ];
        let config = LaunchConfig::linear(grid, kernels::compact::BLOCK);
        // SAFETY: room for the whole input, one count, and a zeroed state for the grid.
        unsafe { device.launch(kernel, config, &args) }
    })?;
    // A wrong count shows as a wrong length; one beyond the buffer is cut to it.
    let mut kept = out.download()?;
    kept.truncate(count.download()?[0] as usize);
    Ok(kept)
}
