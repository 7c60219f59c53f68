//! What this device's memory gives at most: the denominators of the reports' percentages.

use std::time::Duration;

use serde::Serialize;

use super::{Device, DeviceInfo, LaunchConfig};
use crate::Error;

/// The kernel that reads an array and writes next to nothing (`kernels::ceiling`).
pub const READ_KERNEL: &str = "ceiling_read";

/// Bytes of each buffer that is measured on, at most.
const BYTES: u64 = 1 << 30;
const REPS: usize = 11;

/// A measured bandwidth, and what it was measured by.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ceiling {
    /// Bytes a second, in units of 10^9.
    pub gb_per_s: f64,
    /// Bytes that were moved.
    pub bytes: u64,
    /// What moved them.
    pub by: String,
}

/// The bandwidths of a device's memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ceilings {
    /// Reading alone.
    pub read: Option<Ceiling>,
    /// A copy from device to device; bytes read and bytes written are both counted.
    pub copy: Ceiling,
}

impl Ceilings {
    /// Measures them; `None` on a device whose time says nothing about a GPU.
    pub fn measure(device: &Device) -> Result<Option<Self>, Error> {
        if !device.is_timed() {
            return Ok(None);
        }
        let bytes = BYTES.min(device.free_bytes()? / 4) & !0xff;
        let len = usize::try_from(bytes / 4).unwrap_or(usize::MAX);
        let from = device.filled(1_u32, len)?;
        let mut to = device.alloc::<u32>(len)?;
        let Some(copied) = median(device, || device.copy(&from, &mut to))? else {
            return Ok(None);
        };
        let copy = ceiling(2 * bytes, copied, "device-to-device copy, read + written");
        Ok(Some(Self {
            read: read(device, &from)?,
            copy,
        }))
    }

    /// What a case's bandwidth is compared with: the read ceiling, or the copy ceiling where there
    /// is none.
    pub fn reference(&self) -> &Ceiling {
        self.read.as_ref().unwrap_or(&self.copy)
    }
}

fn read(device: &Device, from: &super::Buffer<u32>) -> Result<Option<Ceiling>, Error> {
    if device.contract(READ_KERNEL).is_none() {
        return Ok(None);
    }
    let out = device.alloc::<u32>(1)?;
    let shape = read_shape(device.info());
    let time = median(device, || {
        let args = [from.as_slice(), out.as_arg()];
        // SAFETY: the kernel reads its slice, and writes at most one element of `out`.
        unsafe { device.launch(READ_KERNEL, shape, &args) }
    })?;
    Ok(time.map(|time| ceiling(from.bytes(), time, "kernel ceiling_read")))
}

/// The launch of [`READ_KERNEL`] that fills a device.
pub(super) fn read_shape(info: &DeviceInfo) -> LaunchConfig {
    LaunchConfig::linear(kernels::ceiling::grid(info.sms), kernels::ceiling::BLOCK)
}

fn ceiling(bytes: u64, time: Duration, by: &str) -> Ceiling {
    let gb_per_s = bytes as f64 / time.as_secs_f64().max(1e-9) / 1e9;
    Ceiling {
        gb_per_s,
        bytes,
        by: by.to_owned(),
    }
}

fn median(
    device: &Device,
    mut work: impl FnMut() -> Result<(), Error>,
) -> Result<Option<Duration>, Error> {
    work()?;
    let mut times = Vec::new();
    for _ in 0..REPS {
        device.flush_l2()?;
        match device.time(&mut work)? {
            Some(time) => times.push(time),
            None => return Ok(None),
        }
    }
    times.sort_unstable();
    Ok(times.get(REPS / 2).copied())
}
