//! An NVIDIA GPU through `cust`.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cust::context::{Context, CurrentContext};
use cust::device::DeviceAttribute;
use cust::event::{Event, EventFlags};
use cust::memory::{AsyncCopyDestination, CopyDestination, DeviceBuffer};
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};
use cust::{CudaApiVersion, CudaFlags};

use super::contract::{Breach, ContractError, EntryContract, entry_contracts};
use super::{Arg, DeviceInfo, Image, LaunchConfig};
use crate::Error;
use crate::driver::{self, DriverError, DriverStatus, KernelResources};

/// Dynamic shared memory that needs no consent of the kernel.
const USUAL_DYNAMIC_SHARED: u32 = 48 * 1024;

/// A CUDA device with its context, stream, and the embedded kernels loaded.
#[derive(Debug, Clone)]
pub struct CudaDevice {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    info: DeviceInfo,
    contracts: BTreeMap<String, EntryContract>,
    /// 0 stands for no limit.
    limit: AtomicU64,
    allocated: AtomicU64,
    /// Written to evict the L2 cache.
    flush: Mutex<Option<DeviceBuffer<u8>>>,
    // Dropped in this order, the context last.
    module: Module,
    stream: Stream,
    context: Context,
}

impl Drop for Inner {
    fn drop(&mut self) {
        // What follows frees module, stream and buffers, in this thread's current context.
        let _ = CurrentContext::set_current(&self.context);
    }
}

impl CudaDevice {
    pub(super) fn open(ordinal: u32, images: &[Image<'_>]) -> Result<Self, Error> {
        let device = find(ordinal)?;
        let context = Context::new(device)?;
        let mut info = read_info(device)?;
        let (module, image) = load(images, &info)?;
        info.image = image.sm;
        let contracts = entry_contracts(image.ptx);
        let stream = Stream::new(StreamFlags::DEFAULT, None)?;
        let inner = Inner {
            info,
            contracts,
            limit: AtomicU64::new(0),
            allocated: AtomicU64::new(0),
            flush: Mutex::new(None),
            module,
            stream,
            context,
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    pub(super) fn list() -> Result<Vec<DeviceInfo>, Error> {
        if let DriverStatus::Missing(_) = driver::status() {
            return Ok(Vec::new());
        }
        cust::init(CudaFlags::empty())?;
        let count = cust::device::Device::num_devices()?;
        (0..count)
            .map(|ordinal| read_info(cust::device::Device::get_device(ordinal)?))
            .collect()
    }

    pub(super) fn info(&self) -> &DeviceInfo {
        &self.inner.info
    }

    pub(super) fn contract(&self, kernel: &str) -> Option<&EntryContract> {
        self.inner.contracts.get(kernel)
    }

    pub(super) fn limit_bytes(&self, limit: Option<u64>) {
        self.inner
            .limit
            .store(limit.unwrap_or(0), Ordering::Relaxed);
    }

    pub(super) fn free_bytes(&self) -> Result<u64, Error> {
        self.enter()?;
        let (free, _) = cust::memory::mem_get_info()?;
        let free = free as u64;
        Ok(match self.inner.limit.load(Ordering::Relaxed) {
            0 => free,
            limit => free.min(limit.saturating_sub(self.inner.allocated.load(Ordering::Relaxed))),
        })
    }

    pub(super) fn alloc(&self, bytes: u64) -> Result<CudaMemory, Error> {
        let available = self.free_bytes()?;
        let refused = || Error::OutOfMemory {
            what: "a buffer".to_owned(),
            required: bytes,
            available,
        };
        if bytes > available {
            return Err(refused());
        }
        // An empty buffer has an address of its own, too.
        let size = usize::try_from(bytes.max(1)).map_err(|_| refused())?;
        // SAFETY: bytes have no invalid values, and nobody reads them before they are written or
        // handed to a kernel.
        let buffer = match unsafe { DeviceBuffer::uninitialized(size) } {
            Ok(buffer) => buffer,
            Err(cust::error::CudaError::OutOfMemory) => return Err(refused()),
            Err(error) => return Err(error.into()),
        };
        self.inner.allocated.fetch_add(bytes, Ordering::Relaxed);
        Ok(CudaMemory {
            buffer,
            bytes,
            device: self.clone(),
        })
    }

    /// # Safety
    ///
    /// - See [`super::Device::launch`].
    pub(super) unsafe fn launch(
        &self,
        kernel: &str,
        config: LaunchConfig,
        args: &[Arg<'_>],
    ) -> Result<(), Error> {
        self.enter()?;
        let contract = self
            .contract(kernel)
            .ok_or_else(|| self.unknown_kernel(kernel))?;
        let values = contract.check(&self.inner.info, &config, args)?;
        let params: Vec<*mut c_void> = values
            .iter()
            .map(|value| value.as_ptr().cast_mut().cast())
            .collect();
        let failed = |source: DriverError| Error::Kernel {
            kernel: kernel.to_owned(),
            source,
        };
        let function = self.function(kernel)?;
        if config.shared > USUAL_DYNAMIC_SHARED {
            driver::allow_dynamic_shared(&function, config.shared).map_err(failed)?;
        }
        let stream = &self.inner.stream;
        let LaunchConfig {
            grid,
            block,
            shared,
            cooperative,
        } = config;
        if cooperative {
            // SAFETY: number and sizes of the parameters were checked against the entry; that
            // what they point to is in bounds is the caller's contract.
            return unsafe {
                driver::cooperative_launch(&function, grid, block, shared, stream, &params)
            }
            .map_err(failed);
        }
        let grid = (grid[0], grid[1], grid[2]);
        let block = (block[0], block[1], block[2]);
        // SAFETY: as above.
        unsafe { stream.launch(&function, grid, block, shared, &params) }
            .map_err(|error| failed(error.into()))
    }

    pub(super) fn resident_blocks(&self, kernel: &str, config: LaunchConfig) -> Result<u32, Error> {
        self.enter()?;
        let function = self.function(kernel)?;
        if config.shared > USUAL_DYNAMIC_SHARED {
            driver::allow_dynamic_shared(&function, config.shared)?;
        }
        let threads = u32::try_from(config.threads_per_block()).unwrap_or(u32::MAX);
        let blocks = driver::blocks_per_sm(&function, threads, config.shared)?;
        Ok(blocks * self.inner.info.sms)
    }

    pub(super) fn resources(&self, kernel: &str) -> Result<KernelResources, Error> {
        self.enter()?;
        Ok(driver::resources(&self.function(kernel)?)?)
    }

    pub(super) fn synchronize(&self) -> Result<(), Error> {
        self.enter()?;
        Ok(self.inner.stream.synchronize()?)
    }

    pub(super) fn time(&self, work: impl FnOnce() -> Result<(), Error>) -> Result<Duration, Error> {
        self.enter()?;
        let stream = &self.inner.stream;
        let start = Event::new(EventFlags::DEFAULT)?;
        let end = Event::new(EventFlags::DEFAULT)?;
        start.record(stream)?;
        work()?;
        end.record(stream)?;
        end.synchronize()?;
        let millis = end.elapsed_time_f32(&start)?;
        Ok(Duration::from_secs_f64(f64::from(millis.max(0.0)) / 1e3))
    }

    pub(super) fn flush_l2(&self) -> Result<(), Error> {
        self.enter()?;
        let mut flush = self
            .inner
            .flush
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if flush.is_none() {
            let size = usize::try_from(self.inner.info.l2.max(1) * 2).unwrap_or(usize::MAX);
            // SAFETY: bytes have no invalid values, and nobody reads them.
            *flush = Some(unsafe { DeviceBuffer::uninitialized(size)? });
        }
        if let Some(buffer) = flush.as_mut() {
            // SAFETY: the stream outlives the buffer, and nothing else refers to it.
            unsafe { buffer.set_8_async(0, &self.inner.stream)? };
        }
        Ok(())
    }

    /// Makes this device's context the thread's current one.
    fn enter(&self) -> Result<(), Error> {
        Ok(CurrentContext::set_current(&self.inner.context)?)
    }

    fn function(&self, kernel: &str) -> Result<cust::function::Function<'_>, Error> {
        self.inner
            .module
            .get_function(kernel)
            .map_err(|error| Error::Kernel {
                kernel: kernel.to_owned(),
                source: error.into(),
            })
    }

    fn unknown_kernel(&self, kernel: &str) -> Error {
        let near = crate::names::nearest(kernel, self.inner.contracts.keys().map(String::as_str));
        let breach = Breach::NoSuchKernel(near);
        ContractError {
            kernel: kernel.to_owned(),
            breach,
        }
        .into()
    }
}

/// Bytes in a GPU's memory.
#[derive(Debug)]
pub(super) struct CudaMemory {
    buffer: DeviceBuffer<u8>,
    bytes: u64,
    device: CudaDevice,
}

impl CudaMemory {
    pub(super) fn address(&self) -> u64 {
        self.buffer.as_device_ptr().as_raw()
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.device.enter()?;
        if bytes.is_empty() {
            return Ok(());
        }
        Ok(self.buffer.index(..bytes.len()).copy_from(bytes)?)
    }

    pub(super) fn read(&self, bytes: &mut [u8]) -> Result<(), Error> {
        self.device.synchronize()?;
        if bytes.is_empty() {
            return Ok(());
        }
        Ok(self.buffer.index(..bytes.len()).copy_to(bytes)?)
    }

    pub(super) fn copy_from(&mut self, from: &Self) -> Result<(), Error> {
        if !Arc::ptr_eq(&self.device.inner, &from.device.inner) {
            return Err(Error::ForeignBuffer);
        }
        self.device.enter()?;
        if self.bytes == 0 {
            return Ok(());
        }
        let stream = &self.device.inner.stream;
        // SAFETY: both buffers live until the copy is done: freeing memory waits for the device.
        let copied = unsafe { self.buffer.async_copy_from(&*from.buffer, stream) };
        Ok(copied?)
    }

    /// Repeats `pattern`, whose length divides the buffer's.
    pub(super) fn fill(&mut self, pattern: &[u8]) -> Result<(), Error> {
        self.device.enter()?;
        if self.bytes == 0 {
            return Ok(());
        }
        match pattern {
            [] => Ok(()),
            [byte] => Ok(self.buffer.set_8(*byte)?),
            [a, b] => Ok(self.buffer.set_16(u16::from_le_bytes([*a, *b]))?),
            [a, b, c, d] => Ok(self.buffer.set_32(u32::from_le_bytes([*a, *b, *c, *d]))?),
            long => {
                let bytes = usize::try_from(self.bytes).unwrap_or(usize::MAX);
                let host = long.repeat(bytes / long.len());
                self.write(&host)
            }
        }
    }
}

impl Drop for CudaMemory {
    fn drop(&mut self) {
        let _ = self.device.enter();
        self.device
            .inner
            .allocated
            .fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// The CUDA device of this number, or why there is none.
fn find(ordinal: u32) -> Result<cust::device::Device, Error> {
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

fn read_info(device: cust::device::Device) -> Result<DeviceInfo, Error> {
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
        max_shared_per_block: read(A::MaxSharedMemoryPerBlock)?,
        driver: (version.major() as u32, version.minor() as u32),
    })
}

/// Loads the newest image that the device can run and the driver can read.
fn load<'a>(images: &[Image<'a>], info: &DeviceInfo) -> Result<(Module, Image<'a>), Error> {
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
