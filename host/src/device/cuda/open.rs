//! Finding a GPU, what it is, and the embedded kernels that it can run.

use cust::device::DeviceAttribute;
use cust::module::Module;
use cust::{CudaApiVersion, CudaFlags};

use crate::Error;
use crate::device::{DeviceInfo, Image};
use crate::driver::{self, DriverError, DriverStatus};

/// The CUDA device of this number, or why there is none.
pub(super) fn find(ordinal: u32) -> Result<cust::device::Device, Error> {
    let none = |reason: String| Error::NoDevice {
        wanted: "cuda",
        reason,
    };
    if let DriverStatus::Missing(_) = driver::status() {
        return Err(none(
            "this machine has no CUDA driver (libcuda.so.1): `lockstep doctor` says more"
                .to_owned(),
        ));
    }
    cust::init(CudaFlags::empty()).map_err(|error| none(DriverError::from(error).to_string()))?;
    let count = cust::device::Device::num_devices()?;
    if ordinal >= count {
        return Err(none(format!(
            "device {ordinal} was asked for, and there are {count}"
        )));
    }
    Ok(cust::device::Device::get_device(ordinal)?)
}

pub(super) fn read_info(device: cust::device::Device) -> Result<DeviceInfo, Error> {
    use DeviceAttribute as A;
    let read = |attribute| {
        device
            .get_attribute(attribute)
            .map(|value| value.max(0) as u32)
    };
    let version = CudaApiVersion::get()?;
    Ok(DeviceInfo {
        kind: "cuda",
        name: device.name()?.trim_end_matches('\0').to_owned(),
        compute_capability: (
            read(A::ComputeCapabilityMajor)?,
            read(A::ComputeCapabilityMinor)?,
        ),
        image: 0,
        sms: read(A::MultiprocessorCount)?,
        warp_size: read(A::WarpSize)?,
        memory: device.total_memory()? as u64,
        l2: u64::from(read(A::L2CacheSize)?),
        // Newer drivers may no longer answer these two.
        clock_khz: read(A::ClockRate).unwrap_or(0),
        memory_clock_khz: read(A::MemoryClockRate).unwrap_or(0),
        memory_bus_bits: read(A::GlobalMemoryBusWidth)?,
        max_threads_per_block: read(A::MaxThreadsPerBlock)?,
        max_threads_per_sm: read(A::MaxThreadsPerMultiprocessor)?,
        max_shared_per_block: driver::max_shared_per_block(device)?,
        driver: (version.major() as u32, version.minor() as u32),
    })
}

/// Loads the newest image that the device can run and the driver can read.
pub(super) fn load<'a>(
    images: &[Image<'a>],
    info: &DeviceInfo,
) -> Result<(Module, Image<'a>), Error> {
    let oldest = images
        .iter()
        .map(|image| image.sm)
        .min()
        .ok_or(Error::NoKernels)?;
    let mut fitting: Vec<_> = images
        .iter()
        .filter(|image| image.sm <= info.sm())
        .collect();
    fitting.sort_by_key(|image| std::cmp::Reverse(image.sm));
    let mut refused = None;
    for image in fitting {
        match driver::load_ptx(image.ptx) {
            Ok(module) => return Ok((module, *image)),
            Err(error) if error.is_unsupported_ptx() => refused = refused.or(Some(error)),
            Err(error) => return Err(error.into()),
        }
    }
    Err(refused.map_or_else(
        || Error::NoImage {
            device: info.name.clone(),
            has: info.sm(),
            oldest,
        },
        Error::Driver,
    ))
}
