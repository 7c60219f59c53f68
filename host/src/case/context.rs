//! What a case runs in: its input, its clocks, its device.

use std::any::Any;
use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Case;
use crate::compare::Comparison;
use crate::input::{Distribution, Element, InputFile, generate, try_zeroed};
use crate::{Device, Error};

/// What the runs of a session have in common.
#[derive(Debug)]
pub struct Plan {
    /// Seed of generated input.
    pub seed: u64,
    /// Distribution of generated input.
    pub distribution: Distribution,
    /// Input from a file, instead of generated input.
    pub file: Option<InputFile>,
    /// Timed launches of a kernel, at most.
    pub reps: u32,
    /// The last input, kept for the next case that wants the same.
    kept: RefCell<Option<Kept>>,
}

#[derive(Debug)]
struct Kept {
    key: (Distribution, u64, u64),
    data: Arc<dyn Any + Send + Sync>,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            seed: 42,
            distribution: Distribution::Uniform,
            file: None,
            reps: 25,
            kept: RefCell::new(None),
        }
    }
}

/// Work on the device that is timed stops after so long, if it was repeated a few times.
const ENOUGH: Duration = Duration::from_secs(2);
/// The same for the CPU baseline where the device's time says nothing.
const BRIEF: Duration = Duration::from_millis(1);
/// Repetitions that a median needs.
const FEW: usize = 5;
/// Up to so many elements, the parallel baseline is checked against the sequential one.
const CHECKED: u64 = 1 << 24;
/// Of the free device memory, what a chunk may take: the driver needs some, too.
const CHUNK_SHARE: f64 = 0.9;

/// One run of one case at one n.
pub struct Cx<'a> {
    case: &'a Case,
    plan: &'a Plan,
    device: Option<&'a Device>,
    n: u64,
    cpu: Vec<Duration>,
    gpu: Option<Vec<Duration>>,
    chunks: usize,
    notes: Vec<String>,
}

impl<'a> Cx<'a> {
    /// A run of `case` with `n` elements, on `device` if there is one.
    pub fn new(case: &'a Case, plan: &'a Plan, device: Option<&'a Device>, n: u64) -> Self {
        let (cpu, gpu, notes) = (Vec::new(), None, Vec::new());
        Self {
            case,
            plan,
            device,
            n,
            cpu,
            gpu,
            chunks: 1,
            notes,
        }
    }

    /// The device, or `None`: then the case ends after its baseline.
    pub fn device(&self) -> Option<&'a Device> {
        self.device
    }

    /// Elements of the input.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// The seed, for what a case makes up itself.
    pub fn seed(&self) -> u64 {
        self.plan.seed
    }

    /// The input: `n` elements, generated or from the user's file.
    pub fn input<T: Element>(&self) -> Result<Arc<Vec<T>>, Error> {
        let Some(file) = &self.plan.file else {
            return self.generated(self.plan.distribution, self.plan.seed, self.n);
        };
        file.elements().ok_or_else(|| {
            let path = file.path().display();
            self.unsuitable(format!(
                "takes {}, and {path} holds {}",
                T::DTYPE,
                file.dtype()
            ))
        })
    }

    /// A further input of `len` elements with a distribution of the case's choice; `which` tells
    /// several of them apart.
    pub fn extra<T: Element>(
        &self,
        which: u64,
        distribution: Distribution,
        len: u64,
    ) -> Result<Vec<T>, Error> {
        let seed = self
            .plan
            .seed
            .wrapping_add(which.wrapping_add(1).wrapping_mul(0x51_7c_c1_b7));
        generate(distribution, seed, self.host_len(len)?)
    }

    /// Runs the parallel CPU baseline, timed, and answers its result. `check` compares it with the
    /// sequential one, at sizes where that takes no time.
    pub fn baseline<R>(
        &mut self,
        mut parallel: impl FnMut() -> R,
        check: impl FnOnce(&R) -> Comparison,
    ) -> Result<R, Error> {
        let begun = Instant::now();
        // With nothing to compare it to, the CPU's time is worth less of it.
        let enough = match self.device {
            Some(device) if !device.is_timed() => BRIEF,
            _ => ENOUGH / 4,
        };
        let result = loop {
            let start = Instant::now();
            let result = std::hint::black_box(parallel());
            self.cpu.push(start.elapsed());
            if self.cpu.len() >= FEW || begun.elapsed() >= enough {
                break result;
            }
        };
        if self.n > CHECKED {
            return Ok(result);
        }
        let comparison = check(&result);
        match comparison.first {
            None => Ok(result),
            Some(first) => Err(Error::Baseline {
                case: self.case.name().to_owned(),
                detail: first.to_string(),
            }),
        }
    }

    /// Launches `work` once to warm up, then as often as the plan says, each time with a cold L2
    /// cache and between two events.
    pub fn measure(&mut self, work: impl FnMut() -> Result<(), Error>) -> Result<(), Error> {
        self.measure_with(|| Ok(()), work)
    }

    /// As [`Cx::measure`], with an untimed `reset` before each launch: for kernels that add to
    /// what is there.
    pub fn measure_with(
        &mut self,
        mut reset: impl FnMut() -> Result<(), Error>,
        mut work: impl FnMut() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Some(device) = self.device else {
            return Ok(());
        };
        reset()?;
        work()?;
        device.synchronize()?;
        if !device.is_timed() {
            return Ok(());
        }
        let begun = Instant::now();
        let mut times = Vec::new();
        for _ in 0..self.plan.reps {
            reset()?;
            device.flush_l2()?;
            match device.time(&mut work)? {
                Some(time) => times.push(time),
                None => break,
            }
            if times.len() >= FEW && begun.elapsed() >= ENOUGH {
                break;
            }
        }
        self.gpu = Some(match self.gpu.take() {
            None => times,
            // A further chunk: the whole takes the sum.
            Some(before) => before.iter().zip(&times).map(|(a, b)| *a + *b).collect(),
        });
        Ok(())
    }

    /// Cuts `data` into chunks that fit the device's memory, of `bytes_per_element` for each
    /// element (input and output together), and answers what `work` made of each, in order. Empty
    /// data is one empty chunk.
    pub fn in_chunks<T, P>(
        &mut self,
        data: &[T],
        bytes_per_element: u64,
        mut work: impl FnMut(&mut Self, &[T]) -> Result<P, Error>,
    ) -> Result<Vec<P>, Error> {
        let free = self.device.map_or(Ok(u64::MAX), Device::free_bytes)?;
        let fitting = (free as f64 * CHUNK_SHARE) as u64 / bytes_per_element.max(1);
        let len = usize::try_from(fitting).unwrap_or(usize::MAX);
        if len == 0 {
            return Err(Error::OutOfMemory {
                what: self.case.name().to_owned(),
                required: bytes_per_element,
                available: free,
            });
        }
        if data.len() <= len {
            return Ok(vec![work(self, data)?]);
        }
        self.chunks = data.len().div_ceil(len);
        data.chunks(len).map(|chunk| work(self, chunk)).collect()
    }

    /// Fails with one clear message where `bytes` do not fit the device's memory: for cases that
    /// cannot work in chunks.
    pub fn require_bytes(&self, bytes: u64) -> Result<(), Error> {
        let Some(device) = self.device else {
            return Ok(());
        };
        let available = device.free_bytes()?;
        if bytes <= available {
            return Ok(());
        }
        Err(Error::OutOfMemory {
            what: self.case.name().to_owned(),
            required: bytes,
            available,
        })
    }

    /// Why this input does not suit the case, as an error.
    pub fn unsuitable(&self, reason: impl Into<String>) -> Error {
        Error::Unsuitable {
            case: self.case.name().to_owned(),
            reason: reason.into(),
        }
    }

    /// Adds a line to the report of this run.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// What was noted.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Times of the CPU baseline.
    pub fn cpu_times(&self) -> &[Duration] {
        &self.cpu
    }

    /// Event times of the device's work; empty where nothing was measured.
    pub fn gpu_times(&self) -> &[Duration] {
        self.gpu.as_deref().unwrap_or(&[])
    }

    /// In how many chunks the input went through the device.
    pub fn chunks(&self) -> usize {
        self.chunks
    }

    fn generated<T: Element>(
        &self,
        distribution: Distribution,
        seed: u64,
        n: u64,
    ) -> Result<Arc<Vec<T>>, Error> {
        let key = (distribution, seed, n);
        if let Some(kept) = self
            .plan
            .kept
            .borrow()
            .as_ref()
            .filter(|kept| kept.key == key)
            && let Ok(data) = Arc::clone(&kept.data).downcast::<Vec<T>>()
        {
            return Ok(data);
        }
        // Let go of the old one before the new one is made.
        self.plan.kept.replace(None);
        let data = Arc::new(generate::<T>(distribution, seed, self.host_len(n)?)?);
        self.plan.kept.replace(Some(Kept {
            key,
            data: Arc::clone(&data) as _,
        }));
        Ok(data)
    }

    fn host_len(&self, n: u64) -> Result<usize, Error> {
        usize::try_from(n)
            .map_err(|_| self.unsuitable(format!("n = {n} exceeds this host's addresses")))
    }

    /// `len` zeroed elements on the host, or an error where there is not so much memory.
    pub fn host_buffer<T: Element>(&self, len: u64) -> Result<Vec<T>, Error> {
        try_zeroed(self.host_len(len)?)
    }
}
