//! The SIMT emulator as a device.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use simt::{Finding, Memory, MemoryError, Options, Program, SimtError};

use super::contract::{Breach, ContractError, EntryContract, entry_contracts};
use super::{Arg, DeviceInfo, Image, LaunchConfig};
use crate::Error;

/// The architecture whose image is emulated where it is embedded: the newest that the emulator was
/// held against on hardware.
const ARCHITECTURE: u32 = 90;

/// What the emulated device is made of, where nobody says otherwise; grids that fill a device ask
/// for it.
const SMS: u32 = 8;
const THREADS_PER_SM: u32 = 2048;
const SHARED_PER_BLOCK: u32 = 227 << 10;

/// Memory of the emulated device at most, and of the host's available memory at most a half.
const MEMORY: u64 = 32 << 30;

/// The emulator with the embedded kernels loaded.
#[derive(Debug, Clone)]
pub struct SimtDevice {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    info: DeviceInfo,
    contracts: BTreeMap<String, EntryContract>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    options: Options,
    memory: Memory,
    image: simt::Image,
    limit: Option<u64>,
    findings: Vec<Finding>,
    reports: Vec<(String, simt::Report)>,
    traces: Vec<Trace>,
    failure: Option<SimtError>,
}

/// The steps of one launch.
#[derive(Debug, Clone)]
pub struct Trace {
    /// The kernel.
    pub kernel: String,
    /// Its shape.
    pub config: LaunchConfig,
    /// Its instructions, which the steps name by number.
    pub listing: simt::Listing,
    /// The steps that the options asked for.
    pub steps: Vec<simt::Step>,
    /// What the launch did, and why it failed where it did.
    pub outcome: Result<simt::Report, SimtError>,
}

impl SimtDevice {
    pub(super) fn open(images: &[Image<'_>], options: Options) -> Result<Self, Error> {
        Self::open_with_sms(images, options, SMS)
    }

    pub(super) fn open_with_sms(
        images: &[Image<'_>],
        options: Options,
        sms: u32,
    ) -> Result<Self, Error> {
        let image = choose(images)?;
        let module =
            ptx::parse(image.ptx).map_err(|errors| Error::Ptx(errors.render("PTX", image.ptx)))?;
        let program = Program::new(Arc::new(module));
        let available = crate::input::available_memory().unwrap_or(MEMORY);
        let limit = MEMORY.min(available / 2);
        let tracked = options.checks.uninitialized;
        let memory = if tracked {
            Memory::tracked()
        } else {
            Memory::new()
        };
        let mut memory = memory.with_limit(limit);
        let loaded = program.load(&mut memory).map_err(|source| Error::Simt {
            kernel: "loading the module".to_owned(),
            source: Box::new(source),
        })?;
        let state = State {
            options,
            memory,
            image: loaded,
            limit: None,
            findings: Vec::new(),
            reports: Vec::new(),
            traces: Vec::new(),
            failure: None,
        };
        let inner = Inner {
            info: info(image.sm, limit, sms),
            contracts: entry_contracts(image.ptx),
            state: Mutex::new(state),
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    pub(super) fn info(&self) -> &DeviceInfo {
        &self.inner.info
    }

    pub(super) fn contract(&self, kernel: &str) -> Option<&EntryContract> {
        self.inner.contracts.get(kernel)
    }

    /// What was found since this was last called: only what the options look for.
    pub fn take_findings(&self) -> Vec<Finding> {
        std::mem::take(&mut self.state().findings)
    }

    /// What the launches since this was last called did, by kernel, in their order.
    pub fn take_reports(&self) -> Vec<(String, simt::Report)> {
        std::mem::take(&mut self.state().reports)
    }

    /// Why the last launch that failed did, since this was last called.
    pub fn take_failure(&self) -> Option<SimtError> {
        self.state().failure.take()
    }

    /// The steps of the launches since this was last called: those that the options ask for.
    pub fn take_traces(&self) -> Vec<Trace> {
        std::mem::take(&mut self.state().traces)
    }

    pub(super) fn limit_bytes(&self, limit: Option<u64>) {
        self.state().limit = limit;
    }

    pub(super) fn free_bytes(&self) -> u64 {
        self.state().free()
    }

    pub(super) fn alloc(&self, bytes: u64) -> Result<SimtMemory, Error> {
        let mut state = self.state();
        let available = state.free();
        let refused = Error::OutOfMemory {
            what: "a buffer".to_owned(),
            required: bytes,
            available,
        };
        if bytes > available {
            return Err(refused);
        }
        let address = state.memory.alloc(bytes).map_err(|_| refused)?;
        drop(state);
        Ok(SimtMemory {
            device: self.clone(),
            address,
            bytes,
        })
    }

    pub(super) fn launch(
        &self,
        kernel: &str,
        config: LaunchConfig,
        args: &[Arg<'_>],
    ) -> Result<(), Error> {
        let contract = self
            .contract(kernel)
            .ok_or_else(|| self.unknown_kernel(kernel))?;
        let values = contract.check(&self.inner.info, &config, args)?;
        let params = contract.lay_out(&values);
        self.check_cooperation(kernel, &config)?;
        let shape = simt::LaunchConfig {
            grid: config.grid,
            block: config.block,
            dynamic_shared: config.shared,
            cooperative: config.cooperative,
        };
        let mut state = self.state();
        let report = match state.execute(kernel, config, &shape, &params) {
            Ok(report) => report,
            Err(source) => {
                state.failure = Some(source.clone());
                return Err(failure(kernel, source));
            }
        };
        // Not to the standard output, which belongs to tables and JSON; nobody is there to be told
        // of a closed pipe.
        let _ = std::io::stderr().write_all(&report.printed);
        state.findings.extend(report.findings.iter().cloned());
        if state.options.profile {
            state.reports.push((kernel.to_owned(), report));
        }
        Ok(())
    }

    pub(super) fn resident_blocks(&self, kernel: &str, config: LaunchConfig) -> Result<u32, Error> {
        if self.contract(kernel).is_none() {
            return Err(self.unknown_kernel(kernel));
        }
        let threads = u32::try_from(config.threads_per_block())
            .unwrap_or(u32::MAX)
            .max(1);
        Ok(THREADS_PER_SM / threads * self.inner.info.sms)
    }

    fn check_cooperation(&self, kernel: &str, config: &LaunchConfig) -> Result<(), Error> {
        let most = self.resident_blocks(kernel, *config)?;
        if !config.cooperative || config.blocks() <= u64::from(most) {
            return Ok(());
        }
        let breach = Breach::Cooperation {
            actual: config.blocks(),
            allowed: most,
        };
        Err(ContractError {
            kernel: kernel.to_owned(),
            breach,
        }
        .into())
    }

    fn unknown_kernel(&self, kernel: &str) -> Error {
        let names = self.inner.contracts.keys().map(String::as_str);
        let breach = Breach::NoSuchKernel(crate::names::nearest(kernel, names));
        ContractError {
            kernel: kernel.to_owned(),
            breach,
        }
        .into()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.inner
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Runs a kernel, with its steps recorded where the options ask for it.
    fn execute(
        &mut self,
        kernel: &str,
        config: LaunchConfig,
        shape: &simt::LaunchConfig,
        params: &[u8],
    ) -> Result<simt::Report, SimtError> {
        let (image, memory, options) = (&self.image, &mut self.memory, &self.options);
        if options.trace.is_none() {
            return simt::launch(image, kernel, shape, params, memory, options);
        }
        let listing = image.program().listing(kernel)?;
        let mut steps = Vec::new();
        let mut sink = |step: &simt::Step| steps.push(step.clone());
        let outcome = simt::launch_traced(image, kernel, shape, params, memory, options, &mut sink);
        self.traces.push(Trace {
            kernel: kernel.to_owned(),
            config,
            listing,
            steps,
            outcome: outcome.clone(),
        });
        outcome
    }

    fn free(&self) -> u64 {
        let (used, limit) = self.memory.usage();
        self.limit
            .map_or(limit, |artificial| artificial.min(limit))
            .saturating_sub(used)
    }
}

/// The image for [`ARCHITECTURE`], or the newest.
fn choose<'a>(images: &[Image<'a>]) -> Result<Image<'a>, Error> {
    let oldest = images
        .iter()
        .map(|image| image.sm)
        .min()
        .ok_or(Error::NoKernels)?;
    let fitting = images.iter().filter(|image| image.sm <= 121);
    let best = fitting.max_by_key(|image| (image.sm <= ARCHITECTURE, image.sm));
    best.copied().ok_or_else(|| Error::NoImage {
        device: NAME.to_owned(),
        has: 121,
        oldest,
    })
}

const NAME: &str = "SIMT emulator";

fn info(sm: u32, memory: u64, sms: u32) -> DeviceInfo {
    DeviceInfo {
        kind: "simt",
        name: NAME.to_owned(),
        compute_capability: (sm / 10, sm % 10),
        image: sm,
        sms,
        warp_size: 32,
        memory,
        l2: 0,
        clock_khz: 0,
        memory_clock_khz: 0,
        memory_bus_bits: 0,
        max_threads_per_block: 1024,
        max_threads_per_sm: THREADS_PER_SM,
        max_shared_per_block: SHARED_PER_BLOCK,
        driver: (0, 0),
    }
}

fn failure(kernel: &str, source: SimtError) -> Error {
    let kernel = kernel.to_owned();
    Error::Simt {
        kernel,
        source: Box::new(source),
    }
}

/// Bytes in the emulator's memory.
#[derive(Debug)]
pub(super) struct SimtMemory {
    device: SimtDevice,
    address: u64,
    bytes: u64,
}

impl SimtMemory {
    pub(super) fn address(&self) -> u64 {
        self.address
    }

    pub(super) fn is_on(&self, device: &SimtDevice) -> bool {
        Arc::ptr_eq(&self.device.inner, &device.inner)
    }

    pub(super) fn write(&self, bytes: &[u8]) -> Result<(), Error> {
        self.device
            .state()
            .memory
            .write(self.address, bytes)
            .map_err(access)
    }

    pub(super) fn read(&self, bytes: &mut [u8]) -> Result<(), Error> {
        self.device
            .state()
            .memory
            .read(self.address, bytes)
            .map_err(access)
    }

    pub(super) fn copy_from(&self, from: &Self) -> Result<(), Error> {
        if !self.is_on(&from.device) {
            return Err(Error::ForeignBuffer);
        }
        let mut bytes =
            crate::input::try_zeroed(usize::try_from(self.bytes).unwrap_or(usize::MAX))?;
        from.read(&mut bytes)?;
        self.write(&bytes)
    }

    /// Repeats `pattern`, whose length divides the memory's.
    pub(super) fn fill(&self, pattern: &[u8]) -> Result<(), Error> {
        if let [byte] = pattern {
            let memory = &mut self.device.state().memory;
            return memory.fill(self.address, *byte, self.bytes).map_err(access);
        }
        let times = usize::try_from(self.bytes).unwrap_or(usize::MAX) / pattern.len().max(1);
        self.write(&pattern.repeat(times))
    }
}

impl Drop for SimtMemory {
    fn drop(&mut self) {
        // It was allocated here and is freed once.
        let _ = self.device.state().memory.free(self.address);
    }
}

/// The host's own accesses are inside their buffers: anything else is a bug.
#[allow(clippy::needless_pass_by_value)] // For `map_err`.
fn access(error: MemoryError) -> Error {
    failure("a buffer of the emulator", SimtError::Memory(error))
}
