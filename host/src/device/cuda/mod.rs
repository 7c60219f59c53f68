//! An NVIDIA GPU through `cust`.

mod memory;
mod open;

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cust::CudaFlags;
use cust::context::{Context, CurrentContext};
use cust::event::{Event, EventFlags};
use cust::memory::DeviceBuffer;
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};

use super::ceiling::{READ_KERNEL, read_shape};
use super::{Arg, DeviceInfo, Image, LaunchConfig};
use crate::device::contract::{Breach, ContractError, EntryContract, entry_contracts};
pub(super) use memory::CudaMemory;
use open::{find, load, read_info};

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
    /// The kernel that was launched last: a fault shows when it is waited for.
    last: Mutex<String>,
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
            last: Mutex::new(String::new()),
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
        let launched = if cooperative {
            // SAFETY: number and sizes of the parameters were checked against the entry; that
            // what they point to is in bounds is the caller's contract.
            unsafe { driver::cooperative_launch(&function, grid, block, shared, stream, &params) }
        } else {
            let grid = (grid[0], grid[1], grid[2]);
            let block = (block[0], block[1], block[2]);
            // SAFETY: as above.
            unsafe { stream.launch(&function, grid, block, shared, &params) }
                .map_err(DriverError::from)
        };
        match launched {
            Ok(()) => {
                kernel.clone_into(&mut lock(&self.inner.last));
                Ok(())
            }
            // An earlier kernel's fault.
            Err(error) if error.is_sticky() => Err(self.blame(error)),
            Err(error) => Err(failed(error)),
        }
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
        self.inner
            .stream
            .synchronize()
            .map_err(|error| self.blame(error))
    }

    pub(super) fn time(&self, work: impl FnOnce() -> Result<(), Error>) -> Result<Duration, Error> {
        self.enter()?;
        let stream = &self.inner.stream;
        let start = Event::new(EventFlags::DEFAULT)?;
        let end = Event::new(EventFlags::DEFAULT)?;
        start.record(stream).map_err(|error| self.blame(error))?;
        work()?;
        end.record(stream).map_err(|error| self.blame(error))?;
        end.synchronize().map_err(|error| self.blame(error))?;
        let millis = end.elapsed_time_f32(&start)?;
        Ok(Duration::from_secs_f64(f64::from(millis.max(0.0)) / 1e3))
    }

    /// Reads twice as much as the L2 cache holds: what remains in it is clean, and nobody's.
    pub(super) fn flush_l2(&self) -> Result<(), Error> {
        self.enter()?;
        let mut flush = lock(&self.inner.flush);
        let buffer = match &mut *flush {
            Some(buffer) => buffer,
            none => {
                let size = usize::try_from(self.inner.info.l2.max(1) * 2).unwrap_or(usize::MAX);
                // SAFETY: bytes have no invalid values, and they are written next.
                let mut buffer = unsafe { DeviceBuffer::uninitialized(size)? };
                buffer.set_8(0)?;
                none.insert(buffer)
            }
        };
        if self.contract(READ_KERNEL).is_none() {
            // SAFETY: the stream outlives the buffer, and nothing else refers to it.
            let written = unsafe { buffer.set_8_async(0, &self.inner.stream) };
            return Ok(written?);
        }
        let address = buffer.as_device_ptr().as_raw();
        let args = [
            Arg::value(address),
            Arg::value(buffer.len() as u64 / 4),
            Arg::value(address),
        ];
        // SAFETY: the kernel reads the buffer, of words, and writes its first word at most.
        unsafe { self.launch(READ_KERNEL, read_shape(&self.inner.info), &args) }
    }

    /// A fault of the device, with the name of the kernel that ran last.
    fn blame(&self, error: impl Into<DriverError>) -> Error {
        let source = error.into();
        let kernel = lock(&self.inner.last).clone();
        match source.is_sticky() && !kernel.is_empty() {
            true => Error::Kernel { kernel, source },
            false => source.into(),
        }
    }

    /// Makes this device's context the thread's current one.
    fn enter(&self) -> Result<(), Error> {
        CurrentContext::set_current(&self.inner.context).map_err(|error| self.blame(error))
    }

    fn function(&self, kernel: &str) -> Result<cust::function::Function<'_>, Error> {
        if self.contract(kernel).is_none() {
            return Err(self.unknown_kernel(kernel));
        }
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
