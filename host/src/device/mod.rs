//! Devices: where kernels run, and what they run on.
//!
//! ```no_run
//! use lockstep::{Device, DeviceChoice, LaunchConfig};
//!
//! # fn main() -> Result<(), lockstep::Error> {
//! let device = Device::open(DeviceChoice::Auto)?;
//! let input = device.upload(&[1.0_f32, 2.0, 3.0])?;
//! let output = device.filled(0.0_f32, 1)?;
//! let shape = LaunchConfig::linear(1, 256);
//! // SAFETY: the kernel reads `input.len()` elements of `input` and writes one of `output`.
//! unsafe { device.launch("reduce_sum_f32", shape, &[input.as_slice(), output.as_arg()])? };
//! assert_eq!(output.download()?, [6.0]);
//! # Ok(())
//! # }
//! ```

mod buffer;
pub mod ceiling;
mod contract;
mod cuda;
mod emulator;
mod info;
mod launch;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use bytemuck::Pod;

pub use buffer::Buffer;
pub use ceiling::{Ceiling, Ceilings};
pub use contract::{Breach, ContractError, EntryContract, Param, entry_contracts};
pub use cuda::CudaDevice;
pub use emulator::{SimtDevice, Trace};
pub use info::{DeviceInfo, Image};
pub use launch::{Arg, LaunchConfig};

use crate::Error;
pub use crate::driver::KernelResources;

/// Which kind of device to open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeviceChoice {
    /// The GPU if there is one, else the emulator.
    #[default]
    Auto,
    /// The CUDA device of this number.
    Cuda(u32),
    /// The SIMT emulator.
    Simt,
}

impl FromStr for DeviceChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self::Auto),
            "cuda" => Ok(Self::Cuda(0)),
            "simt" => Ok(Self::Simt),
            _ => text
                .strip_prefix("cuda:")
                .and_then(|ordinal| ordinal.parse().ok())
                .map(Self::Cuda)
                .ok_or_else(|| format!("`{text}` is none of auto, cuda, cuda:N, simt")),
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cuda(0) => f.write_str("cuda"),
            Self::Cuda(ordinal) => write!(f, "cuda:{ordinal}"),
            Self::Simt => f.write_str("simt"),
        }
    }
}

/// A device with the embedded kernels loaded. Clones refer to the same device.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Device {
    /// An NVIDIA GPU.
    Cuda(CudaDevice),
    /// The SIMT emulator.
    Simt(SimtDevice),
}

impl Device {
    /// What devices this machine has; none where it has no CUDA driver.
    pub fn list() -> Result<Vec<DeviceInfo>, Error> {
        CudaDevice::list()
    }

    /// Opens a device and loads the embedded kernels on it.
    pub fn open(choice: DeviceChoice) -> Result<Self, Error> {
        Self::open_with(choice, crate::images::IMAGES)
    }

    /// Opens a device with kernels of one's own: PTX texts by architecture.
    pub fn open_with(choice: DeviceChoice, images: &[Image<'_>]) -> Result<Self, Error> {
        match choice {
            DeviceChoice::Auto => match CudaDevice::open(0, images) {
                Err(Error::NoDevice { .. }) => Self::emulator(images, simt::Options::default()),
                opened => opened.map(Self::Cuda),
            },
            DeviceChoice::Cuda(ordinal) => CudaDevice::open(ordinal, images).map(Self::Cuda),
            DeviceChoice::Simt => Self::emulator(images, simt::Options::default()),
        }
    }

    /// Opens the emulator with options of one's own: execution model, scheduling, what to look
    /// for.
    pub fn emulator(images: &[Image<'_>], options: simt::Options) -> Result<Self, Error> {
        SimtDevice::open(images, options).map(Self::Simt)
    }

    /// Opens the emulator with as many SMs as another device, so that grids that fill the device
    /// have the same shape on both, and float sums the same order.
    pub fn emulator_like(images: &[Image<'_>], device: &DeviceInfo) -> Result<Self, Error> {
        let options = simt::Options::default();
        SimtDevice::open_with_sms(images, options, device.sms).map(Self::Simt)
    }

    /// What this device is.
    pub fn info(&self) -> &DeviceInfo {
        match self {
            Self::Cuda(device) => device.info(),
            Self::Simt(device) => device.info(),
        }
    }

    /// The PTX that runs here.
    pub fn image(&self) -> u32 {
        self.info().image
    }

    /// What the kernel of this name declares about its launches, if there is such a kernel.
    pub fn contract(&self, kernel: &str) -> Option<&EntryContract> {
        match self {
            Self::Cuda(device) => device.contract(kernel),
            Self::Simt(device) => device.contract(kernel),
        }
    }

    /// Bytes that can still be allocated.
    pub fn free_bytes(&self) -> Result<u64, Error> {
        match self {
            Self::Cuda(device) => device.free_bytes(),
            Self::Simt(device) => Ok(device.free_bytes()),
        }
    }

    /// Makes the device behave as if it had no more memory than this, so that work in chunks can
    /// be tried on small inputs.
    pub fn limit_bytes(&self, limit: Option<u64>) {
        match self {
            Self::Cuda(device) => device.limit_bytes(limit),
            Self::Simt(device) => device.limit_bytes(limit),
        }
    }

    /// Allocates `len` elements, all bits zero.
    pub fn alloc<T: Pod>(&self, len: usize) -> Result<Buffer<T>, Error> {
        Buffer::zeroed(self, len)
    }

    /// Allocates `len` elements of unspecified value: for outputs that a kernel writes in full.
    pub fn alloc_uninit<T: Pod>(&self, len: usize) -> Result<Buffer<T>, Error> {
        Buffer::uninit(self, len)
    }

    /// Allocates a buffer and copies `data` to it.
    pub fn upload<T: Pod>(&self, data: &[T]) -> Result<Buffer<T>, Error> {
        let mut buffer = Buffer::uninit(self, data.len())?;
        buffer.upload(data)?;
        Ok(buffer)
    }

    /// Allocates `len` elements of this value.
    pub fn filled<T: Pod>(&self, value: T, len: usize) -> Result<Buffer<T>, Error> {
        let mut buffer = Buffer::uninit(self, len)?;
        buffer.fill(value)?;
        Ok(buffer)
    }

    /// Launches a kernel, having checked the launch against what the kernel's PTX declares: block
    /// size, number and size of arguments, shared memory. Returns before the kernel has ended.
    ///
    /// # Safety
    ///
    /// - Lengths and counts among `args` do not exceed the buffers that they speak of.
    /// - The kernel's other preconditions, stated in its documentation, hold.
    pub unsafe fn launch(
        &self,
        kernel: &str,
        config: LaunchConfig,
        args: &[Arg<'_>],
    ) -> Result<(), Error> {
        match self {
            // SAFETY: the caller's contract is this function's.
            Self::Cuda(device) => unsafe { device.launch(kernel, config, args) },
            Self::Simt(device) => device.launch(kernel, config, args),
        }
    }

    /// How many blocks of the kernel run at once on the whole device: the largest grid of a
    /// cooperative launch.
    pub fn resident_blocks(&self, kernel: &str, config: LaunchConfig) -> Result<u32, Error> {
        match self {
            Self::Cuda(device) => device.resident_blocks(kernel, config),
            Self::Simt(device) => device.resident_blocks(kernel, config),
        }
    }

    /// What the kernel uses and allows, compiled for this device; `None` on one that does not
    /// compile.
    pub fn resources(&self, kernel: &str) -> Result<Option<KernelResources>, Error> {
        match self {
            Self::Cuda(device) => device.resources(kernel).map(Some),
            Self::Simt(_) => Ok(None),
        }
    }

    /// Waits for everything that was launched, and reports what failed.
    pub fn synchronize(&self) -> Result<(), Error> {
        match self {
            Self::Cuda(device) => device.synchronize(),
            Self::Simt(_) => Ok(()),
        }
    }

    /// Whether [`Device::time`] answers with times.
    pub fn is_timed(&self) -> bool {
        matches!(self, Self::Cuda(_))
    }

    /// The time between two events around `work` on the device's stream; `None` on a device whose
    /// time says nothing about a GPU.
    pub fn time(
        &self,
        work: impl FnOnce() -> Result<(), Error>,
    ) -> Result<Option<Duration>, Error> {
        match self {
            Self::Cuda(device) => device.time(work).map(Some),
            Self::Simt(_) => work().map(|()| None),
        }
    }

    /// Evicts what the L2 cache holds, so that the next kernel reads from memory.
    pub fn flush_l2(&self) -> Result<(), Error> {
        match self {
            Self::Cuda(device) => device.flush_l2(),
            Self::Simt(_) => Ok(()),
        }
    }

    /// Copies a buffer to another of the same length, on the device.
    pub fn copy<T: Pod>(&self, from: &Buffer<T>, to: &mut Buffer<T>) -> Result<(), Error> {
        to.copy_from(from)
    }
}
