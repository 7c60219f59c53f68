//! The SIMT emulator as a device: the PTX that a GPU would load, executed on the CPU.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use simt::{Finding, Memory, Options, Program, Report, SimtError, Step};

use super::contract::{Breach, ContractError, EntryContract, entry_contracts};
use super::{Arg, DeviceInfo, Image, LaunchConfig};
use crate::Error;

/// Streaming multiprocessors that the emulator claims to have: an H200's, so that kernels which
/// size their grid by it do the same work.
const SMS: u32 = 132;
/// Threads that an SM holds at once.
const THREADS_PER_SM: u32 = 2048;
/// Shared memory of a block at most.
const SHARED: u32 = 227 * 1024;

/// The emulator with the embedded kernels loaded.
#[derive(Debug, Clone)]
pub struct SimtDevice {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    info: DeviceInfo,
    contracts: BTreeMap<String, EntryContract>,
    image: simt::Image,
    state: Mutex<State>,
    /// 0 stands for no limit.
    limit: AtomicU64,
}

#[derive(Debug)]
struct State {
    memory: Memory,
    options: Options,
    /// What the last launch did.
    report: Option<Report>,
    findings: Vec<(String, Finding)>,
}

impl SimtDevice {
    pub(super) fn open(images: &[Image<'_>]) -> Result<Self, Error> {
        Self::open_as(images, None, Options::default(), false)
    }

    /// Opens the emulator on the image for an architecture (the newest where none is named), with
    /// options of one's own; `tracked` memory remembers which bytes were written.
    pub fn open_as(
        images: &[Image<'_>],
        sm: Option<u32>,
        options: Options,
        tracked: bool,
    ) -> Result<Self, Error> {
        let wanted = images.iter().filter(|image| sm.is_none_or(|sm| image.sm == sm));
        let image = wanted.max_by_key(|image| image.sm).ok_or(Error::NoKernels)?;
        let module = ptx::parse(image.ptx).map_err(|errors| Error::Ptx(errors.to_string()))?;
        let memory = if tracked { Memory::tracked() } else { Memory::new() };
        let mut memory = memory.with_limit(host_memory());
        let program = Program::new(Arc::new(module));
        let loaded = program.load(&mut memory).map_err(|error| failed("loading", error))?;
        Ok(Self {
            inner: Arc::new(Inner {
                info: info(image.sm, memory.usage().1),
                contracts: entry_contracts(image.ptx),
                image: loaded,
                state: Mutex::new(State { memory, options, report: None, findings: Vec::new() }),
                limit: AtomicU64::new(0),
            }),
        })
    }

    pub(super) fn info(&self) -> &DeviceInfo {
        &self.inner.info
    }

    pub(super) fn contract(&self, kernel: &str) -> Option<&EntryContract> {
        self.inner.contracts.get(kernel)
    }

    pub(super) fn limit_bytes(&self, limit: Option<u64>) {
        self.inner.limit.store(limit.unwrap_or(0), Ordering::Relaxed);
    }

    pub(super) fn free_bytes(&self) -> u64 {
        let (used, all) = self.state().memory.usage();
        match self.inner.limit.load(Ordering::Relaxed) {
            0 => all - used,
            limit => limit.min(all).saturating_sub(used),
        }
    }

    pub(super) fn alloc(&self, bytes: u64) -> Result<SimtMemory, Error> {
        let available = self.free_bytes();
        let refused = Error::OutOfMemory {
            what: "a buffer".to_owned(),
            required: bytes,
            available,
        };
        if bytes > available {
            return Err(refused);
        }
        let address = self.state().memory.alloc(bytes).map_err(|_| refused)?;
        Ok(SimtMemory { device: self.clone(), address, bytes })
    }

    /// How kernels are executed from now on.
    pub fn set_options(&self, options: Options) {
        self.state().options = options;
    }

    /// How kernels are executed.
    pub fn options(&self) -> Options {
        self.state().options.clone()
    }

    /// What the last launch did.
    pub fn report(&self) -> Option<Report> {
        self.state().report.clone()
    }

    /// What was found wrong since this was last asked, each with its kernel.
    pub fn take_findings(&self) -> Vec<(String, Finding)> {
        std::mem::take(&mut self.state().findings)
    }

    /// The program that is loaded.
    pub fn program(&self) -> &Arc<Program> {
        self.inner.image.program()
    }

    pub(super) fn launch(
        &self,
        kernel: &str,
        config: LaunchConfig,
        args: &[Arg<'_>],
    ) -> Result<(), Error> {
        self.launch_with(kernel, config, args, None)
    }

    /// Launches a kernel and gives every step that the options ask for to `sink`.
    pub fn launch_traced(
        &self,
        kernel: &str,
        config: LaunchConfig,
        args: &[Arg<'_>],
        sink: &mut (dyn FnMut(&Step) + Send),
    ) -> Result<(), Error> {
        self.launch_with(kernel, config, args, Some(sink))
    }

    fn launch_with(
        &self,
        kernel: &str,
        config: LaunchConfig,
        args: &[Arg<'_>],
        sink: Option<&mut (dyn FnMut(&Step) + Send)>,
    ) -> Result<(), Error> {
        let contract = self.contract(kernel).ok_or_else(|| self.unknown_kernel(kernel))?;
        let values = contract.check(&self.inner.info, &config, args)?;
        let params = self.parameters(kernel, &values);
        let shape = simt::LaunchConfig {
            grid: config.grid,
            block: config.block,
            dynamic_shared: config.shared,
            cooperative: config.cooperative,
        };
        let mut state = self.state();
        let State { memory, options, .. } = &mut *state;
        let image = &self.inner.image;
        let result = match sink {
            None => simt::launch(image, kernel, &shape, &params, memory, options),
            Some(sink) => {
                simt::launch_traced(image, kernel, &shape, &params, memory, options, sink)
            }
        };
        let report = result.map_err(|error| failed(kernel, error))?;
        print_output(&report.printed);
        let found = report.findings.iter().map(|finding| (kernel.to_owned(), finding.clone()));
        state.findings.extend(found);
        state.report = Some(report);
        Ok(())
    }

    /// The parameters one after the other, each at the offset that the PTX gives it.
    fn parameters(&self, kernel: &str, values: &[&[u8]]) -> Vec<u8> {
        let module = self.inner.image.program().module();
        let layout = module.entry(kernel).and_then(ptx::Function::param_layout);
        let Some((offsets, size)) = layout else { return values.concat() };
        let mut bytes = vec![0; usize::try_from(size).unwrap_or(0)];
        for (offset, value) in offsets.iter().zip(values) {
            let start = usize::try_from(*offset).unwrap_or(usize::MAX);
            let end = start.saturating_add(value.len());
            if let Some(place) = bytes.get_mut(start..end) {
                place.copy_from_slice(value);
            }
        }
        bytes
    }

    pub(super) fn resident_blocks(&self, kernel: &str, config: LaunchConfig) -> Result<u32, Error> {
        self.contract(kernel).ok_or_else(|| self.unknown_kernel(kernel))?;
        let threads = u32::try_from(config.threads_per_block()).unwrap_or(u32::MAX).max(1);
        Ok((THREADS_PER_SM / threads.next_multiple_of(32)).max(1) * SMS)
    }

    fn unknown_kernel(&self, kernel: &str) -> Error {
        let near = crate::names::nearest(kernel, self.inner.contracts.keys().map(String::as_str));
        let breach = Breach::NoSuchKernel(near);
        ContractError { kernel: kernel.to_owned(), breach }.into()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn failed(kernel: &str, source: SimtError) -> Error {
    Error::Emulator { kernel: kernel.to_owned(), source: Box::new(source) }
}

/// Writes what a kernel printed, as a GPU's driver does.
fn print_output(bytes: &[u8]) {
    use std::io::Write as _;
    if !bytes.is_empty() {
        // Nobody to tell when the standard output is gone.
        let _ = std::io::stdout().lock().write_all(bytes);
    }
}

/// Bytes that emulated memory may take: half of what the host says is free.
fn host_memory() -> u64 {
    const UNKNOWN: u64 = 4 << 30;
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.map_or(UNKNOWN, |kib| kib * 1024 / 2)
}

fn info(sm: u32, memory: u64) -> DeviceInfo {
    DeviceInfo {
        kind: "simt",
        name: "Lockstep SIMT emulator".to_owned(),
        compute_capability: (sm / 10, sm % 10),
        image: sm,
        sms: SMS,
        warp_size: 32,
        memory,
        l2: 0,
        clock_khz: 0,
        memory_clock_khz: 0,
        memory_bus_bits: 0,
        max_threads_per_block: 1024,
        max_threads_per_sm: THREADS_PER_SM,
        max_shared_per_block: SHARED,
        driver: (0, 0),
    }
}

/// Bytes in the emulator's memory.
#[derive(Debug)]
pub(in crate::device) struct SimtMemory {
    device: SimtDevice,
    address: u64,
    bytes: u64,
}

impl SimtMemory {
    pub(in crate::device) fn address(&self) -> u64 {
        self.address
    }

    pub(in crate::device) fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let result = self.device.state().memory.write(self.address, bytes);
        result.map_err(|error| failed("a copy to the device", error.into()))
    }

    pub(in crate::device) fn read(&self, bytes: &mut [u8]) -> Result<(), Error> {
        let result = self.device.state().memory.read(self.address, bytes);
        result.map_err(|error| failed("a copy from the device", error.into()))
    }

    pub(in crate::device) fn copy_from(&mut self, from: &Self) -> Result<(), Error> {
        if !Arc::ptr_eq(&self.device.inner, &from.device.inner) {
            return Err(Error::ForeignBuffer);
        }
        let mut bytes = vec![0; usize::try_from(self.bytes).unwrap_or(0)];
        from.read(&mut bytes)?;
        self.write(&bytes)
    }

    /// Repeats `pattern`, whose length divides the memory's.
    pub(in crate::device) fn fill(&mut self, pattern: &[u8]) -> Result<(), Error> {
        if let [byte] = pattern {
            let result = self.device.state().memory.fill(self.address, *byte, self.bytes);
            return result.map_err(|error| failed("a fill of the device's memory", error.into()));
        }
        let bytes = usize::try_from(self.bytes).unwrap_or(0);
        let host = pattern.repeat(bytes / pattern.len().max(1));
        self.write(&host)
    }
}

impl Drop for SimtMemory {
    fn drop(&mut self) {
        let _ = self.device.state().memory.free(self.address);
    }
}
