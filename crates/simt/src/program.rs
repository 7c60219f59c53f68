//! Programs, their loading into memory, and launches.

use crate::code::Code;
use crate::counters::Counters;
use crate::decode::{ModuleInfo, globals, kernel};
use crate::error::{LaunchError, SimtError, Unsupported};
use crate::findings::Finding;
use crate::machine::grid::{Grid, Launch};
use crate::memory::{Memory, Origin, window};
use crate::options::{LaunchConfig, Options};
use crate::trace::{Listing, Step, listing};
use ptx::module::Initializer;
use ptx::{Immediate, ScalarType, StateSpace, Variable};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Most threads of a block.
const MAX_THREADS: u64 = 1024;

/// A PTX module whose kernels are decoded when they are first used.
#[derive(Debug)]
pub struct Program {
    info: ModuleInfo,
    kernels: Mutex<HashMap<String, Arc<Code>>>,
}

impl Program {
    /// A program of a parsed module.
    pub fn new(module: Arc<ptx::Module>) -> Arc<Program> {
        Arc::new(Program {
            info: ModuleInfo::new(module),
            kernels: Mutex::default(),
        })
    }

    /// The names of the entries.
    pub fn entries(&self) -> Vec<String> {
        self.info
            .module
            .entries()
            .map(|entry| entry.name.to_string())
            .collect()
    }

    /// The module.
    pub fn module(&self) -> &ptx::Module {
        &self.info.module
    }

    /// Decodes a kernel, so that what is not supported shows before a launch.
    ///
    /// # Errors
    /// [`SimtError::Launch`] for an unknown name, [`SimtError::Unsupported`] with the first
    /// instruction that cannot be executed.
    pub fn prepare(&self, entry: &str) -> Result<(), SimtError> {
        self.code(entry).map(drop)
    }

    /// The instructions of a kernel, which steps of a trace refer to.
    ///
    /// # Errors
    /// As for [`prepare`](Program::prepare).
    pub fn listing(&self, entry: &str) -> Result<Listing, SimtError> {
        Ok(listing(&self.code(entry)?))
    }

    fn code(&self, entry: &str) -> Result<Arc<Code>, SimtError> {
        let lost = || SimtError::Internal("a thread failed while decoding".to_owned());
        if let Some(code) = self.kernels.lock().map_err(|_| lost())?.get(entry) {
            return Ok(code.clone());
        }
        let function = self.info.module.entry(entry).ok_or_else(|| {
            SimtError::Launch(LaunchError::UnknownEntry {
                name: entry.to_owned(),
                entries: self.entries(),
            })
        })?;
        let code = kernel(&self.info, function).map_err(|e| SimtError::Unsupported(*e))?;
        let code = Arc::new(code);
        self.kernels
            .lock()
            .map_err(|_| lost())?
            .insert(entry.to_owned(), code.clone());
        Ok(code)
    }

    /// Puts the module's variables into memory, with their initial values.
    ///
    /// # Errors
    /// [`SimtError::Memory`] when they do not fit, [`SimtError::Unsupported`] for an initial value
    /// that names something unknown.
    pub fn load(self: &Arc<Program>, memory: &mut Memory) -> Result<Image, SimtError> {
        let module = &self.info.module;
        let mut symbols = Vec::new();
        for variable in globals(module) {
            let name = variable.name.to_string();
            let size = variable.size().unwrap_or(u64::MAX);
            let constant = variable.space.base() == StateSpace::Const;
            let origin = if constant {
                Origin::Constant(name)
            } else {
                Origin::Global(name)
            };
            symbols.push(memory.alloc_aligned(size, variable.alignment(), origin)?);
        }
        let image = Image {
            program: self.clone(),
            symbols,
            memory: memory.id(),
        };
        for (variable, &address) in globals(module).zip(&image.symbols) {
            let size = variable.size().unwrap_or(0);
            let Some(initializer) = &variable.initializer else {
                // Without an initial value a variable is zero (PTX ISA 5.4.4).
                memory.mark_written(address, size);
                continue;
            };
            let mut bytes = vec![0; size as usize];
            image.initialize(variable, initializer, &mut bytes)?;
            memory.write(address, &bytes)?;
        }
        Ok(image)
    }
}

/// A program in a memory.
#[derive(Clone, Debug)]
pub struct Image {
    program: Arc<Program>,
    symbols: Vec<u64>,
    memory: u64,
}

impl Image {
    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Address and size of a `.global` or `.const` variable.
    pub fn symbol(&self, name: &str) -> Option<(u64, u64)> {
        let index = self.program.info.symbol(name)? as usize;
        let variable = globals(&self.program.info.module).nth(index)?;
        Some((*self.symbols.get(index)?, variable.size()?))
    }

    fn initialize(
        &self,
        variable: &Variable,
        value: &Initializer,
        bytes: &mut [u8],
    ) -> Result<(), SimtError> {
        let unit = variable.ty.bytes().max(1) as usize;
        // Each level of braces covers the product of the inner dimensions.
        let mut strides: Vec<u64> = vec![unit as u64];
        if let Some(vector) = variable.vector {
            strides.push(unit as u64 * vector.count() as u64);
        }
        for dimension in variable.dimensions.iter().skip(1).rev() {
            let last = strides.last().copied().unwrap_or(1);
            strides.push(last.saturating_mul(dimension.unwrap_or(1)));
        }
        let depth = variable.dimensions.len() + usize::from(variable.vector.is_some());
        self.place_value(variable, value, 0, depth, &strides, bytes)
    }

    fn place_value(
        &self,
        variable: &Variable,
        value: &Initializer,
        at: u64,
        depth: usize,
        strides: &[u64],
        bytes: &mut [u8],
    ) -> Result<(), SimtError> {
        let unit = variable.ty.bytes().max(1) as usize;
        let mut put = |bits: u64, len: usize| {
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            if let Some(into) = at.checked_add(len).and_then(|end| bytes.get_mut(at..end)) {
                let wide = u128::from(bits).to_le_bytes();
                into.copy_from_slice(&wide[..len.min(16)]);
            }
        };
        match value {
            Initializer::Immediate(immediate) => {
                put(initial_bits(*immediate, variable.ty), unit);
                Ok(())
            }
            Initializer::Address {
                name, offset, mask, ..
            } => {
                let address = self.address(variable, name)?.wrapping_add(*offset as u64);
                let bits = match mask {
                    Some(mask) if mask.bits != 0 => {
                        (address & mask.bits) >> mask.bits.trailing_zeros()
                    }
                    _ => address,
                };
                put(bits, unit);
                Ok(())
            }
            Initializer::List(list) => {
                let inner = depth.saturating_sub(1);
                let step = strides.get(inner).or(strides.first()).copied().unwrap_or(1);
                for (k, item) in list.iter().enumerate() {
                    let at = at.saturating_add(step.saturating_mul(k as u64));
                    self.place_value(variable, item, at, inner, strides, bytes)?;
                }
                Ok(())
            }
        }
    }

    fn address(&self, variable: &Variable, name: &str) -> Result<u64, SimtError> {
        let info = &self.program.info;
        if let Some(index) = info.symbol(name) {
            return Ok(self.symbols.get(index as usize).copied().unwrap_or(0));
        }
        if let Some(number) = info.function_number(name) {
            return Ok(window::CODE + 16 * u64::from(number));
        }
        Err(SimtError::Unsupported(Unsupported {
            what: format!("the initial value of `{}` names `{name}`", variable.name),
            function: String::new(),
            ptx_line: variable.span.line,
            place: None,
        }))
    }
}

fn initial_bits(immediate: Immediate, ty: ScalarType) -> u64 {
    match (immediate, ty) {
        (Immediate::Integer(value), ScalarType::F32) => (value.value() as f32).to_bits().into(),
        (Immediate::Integer(value), ScalarType::F64) => (value.value() as f64).to_bits(),
        (Immediate::Integer(value), _) => value.bits,
        (Immediate::F32(bits), ScalarType::F64) => f64::from(f32::from_bits(bits)).to_bits(),
        (Immediate::F32(bits), _) => bits.into(),
        (Immediate::F64(bits), ScalarType::F32) => (f64::from_bits(bits) as f32).to_bits().into(),
        (Immediate::F64(bits), _) => bits,
    }
}

/// What a launch gave besides what it wrote to memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// What it did, in numbers.
    pub counters: Counters,
    /// What is wrong with the program although it came to an end.
    pub findings: Vec<Finding>,
    /// What `vprintf` wrote, lanes in ascending order, blocks as they ran.
    pub printed: Vec<u8>,
    /// Whether blocks ran in parallel.
    pub parallel: bool,
}

/// Launches a kernel and runs it to its end.
///
/// `params` are the parameters' bytes as PTX lays them out: each at the next multiple of its
/// alignment.
///
/// # Errors
/// A [`SimtError`]; the memory then holds what had been written so far.
pub fn launch(
    image: &Image,
    entry: &str,
    config: &LaunchConfig,
    params: &[u8],
    memory: &mut Memory,
    options: &Options,
) -> Result<Report, SimtError> {
    run(image, entry, config, params, memory, options, None)
}

/// Like [`launch`]; gives each step that `options.trace` asks for to `sink` as it is made.
///
/// # Errors
/// As for [`launch`].
pub fn launch_traced(
    image: &Image,
    entry: &str,
    config: &LaunchConfig,
    params: &[u8],
    memory: &mut Memory,
    options: &Options,
    sink: &mut (dyn FnMut(&Step) + Send),
) -> Result<Report, SimtError> {
    run(image, entry, config, params, memory, options, Some(sink))
}

fn run(
    image: &Image,
    entry: &str,
    config: &LaunchConfig,
    params: &[u8],
    memory: &mut Memory,
    options: &Options,
    sink: Option<&mut (dyn FnMut(&Step) + Send)>,
) -> Result<Report, SimtError> {
    let code = image.program.code(entry)?;
    check(&code, config, params, options)?;
    if memory.id() != image.memory {
        return Err(SimtError::Launch(LaunchError::Image {
            entry: entry.to_owned(),
        }));
    }
    // Aligned, so that loads of parameters are.
    let mut words = vec![0u128; params.len().div_ceil(16)];
    // SAFETY: the words hold at least as many bytes, and any bytes are valid words.
    let aligned = unsafe {
        let start = words.as_mut_ptr().cast::<u8>();
        start.copy_from_nonoverlapping(params.as_ptr(), params.len());
        std::slice::from_raw_parts(start.cast_const(), params.len())
    };
    let local = code.functions.first().map_or(0, |entry| entry.local_bytes);
    if local > options.local_limit {
        return Err(SimtError::Resource(format!(
            "{entry}: {local} bytes of local memory a thread, at most {}",
            options.local_limit
        )));
    }
    let grid = Grid {
        config: config.clone(),
        symbols: image.symbols.clone(),
    };
    let launch = Launch {
        code: &code,
        grid: &grid,
        params: aligned,
        memory,
        options,
    };
    let blocks: u64 = config.grid.iter().map(|&n| u64::from(n)).product();
    let most = if options.workers == 0 {
        rayon::current_num_threads()
    } else {
        options.workers
    };
    let workers = (most as u64).min(blocks) as usize;
    let parallel = workers > 1
        && code.order_free
        && !options.checks.any()
        && sink.is_none()
        && !config.cooperative;
    let outcome = if parallel {
        launch.run_parallel(workers)?
    } else {
        launch.run(sink)?
    };
    let threads = config.block.iter().map(|&n| u64::from(n)).product();
    Ok(Report {
        counters: outcome.tally.counters(&code, options.width, threads),
        findings: outcome.findings,
        printed: outcome.printed,
        parallel,
    })
}

/// Holds a launch against what the kernel and the device allow.
fn check(
    code: &Code,
    config: &LaunchConfig,
    params: &[u8],
    options: &Options,
) -> Result<(), SimtError> {
    let entry = code.name.clone();
    let threads: u64 = config.block.iter().map(|&n| u64::from(n)).product();
    let most = code.max_threads.unwrap_or(MAX_THREADS).min(MAX_THREADS);
    let [x, y, z] = config.grid;
    let shared = u64::from(code.shared_bytes) + u64::from(config.dynamic_shared);
    let error = if let Some(required) = code.required_block.filter(|&r| r != config.block) {
        LaunchError::BlockShape {
            entry,
            block: config.block,
            required,
        }
    } else if threads == 0 || threads > most || config.block[2] > 64 {
        LaunchError::BlockSize {
            entry,
            block: config.block,
            threads,
            most,
        }
    } else if [x, y, z].contains(&0) || x > i32::MAX as u32 || y > 65535 || z > 65535 {
        LaunchError::Grid {
            entry,
            grid: config.grid,
        }
    } else if params.len() != code.params_len as usize {
        LaunchError::Parameters {
            entry,
            given: params.len(),
            required: code.params_len as usize,
        }
    } else if shared > u64::from(options.shared_limit) {
        LaunchError::SharedMemory {
            entry,
            required: shared,
            most: options.shared_limit.into(),
        }
    } else if ![4, 8, 16, 32, 64].contains(&options.width) {
        LaunchError::Width {
            width: options.width,
        }
    } else {
        return Ok(());
    };
    Err(SimtError::Launch(error))
}
