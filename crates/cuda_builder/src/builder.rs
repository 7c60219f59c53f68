//! [`CudaBuilder`]: the settings and the pipeline.

use crate::arch::NvvmArch;
use crate::cargo::{Compilation, Compiled};
use crate::error::{CudaBuilderError, fs};
use crate::llvm::Codegen;
use crate::module::Module;
use crate::package::Package;
use crate::toolchain::Toolchain;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Builds the kernel package in a folder.
///
/// ```no_run
/// # fn main() -> Result<(), cuda_builder::CudaBuilderError> {
/// use cuda_builder::{CudaBuilder, NvvmArch};
///
/// let ptx = CudaBuilder::new("../kernels").arch(NvvmArch::Compute80).build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct CudaBuilder {
    folder: PathBuf,
    arch: NvvmArch,
    release: bool,
    line_info: bool,
    fma_contraction: bool,
    ftz: bool,
    emit_llvm_ir: bool,
    arguments: Vec<String>,
    copy_to: Option<PathBuf>,
    final_module: Option<PathBuf>,
}

/// One architecture's PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// What it was compiled for.
    pub arch: NvvmArch,
    /// The PTX file.
    pub ptx: PathBuf,
    /// Every source file it was made from.
    pub sources: Vec<PathBuf>,
}

impl CudaBuilder {
    /// A builder for the package in `folder`: release, line information, `sm_80`.
    pub fn new(folder: impl AsRef<Path>) -> Self {
        Self {
            folder: folder.as_ref().to_owned(),
            arch: NvvmArch::Compute80,
            release: true,
            line_info: true,
            fma_contraction: false,
            ftz: false,
            emit_llvm_ir: false,
            arguments: Vec::new(),
            copy_to: None,
            final_module: None,
        }
    }

    /// The architecture that [`build`](Self::build) compiles for.
    #[must_use]
    pub fn arch(mut self, arch: NvvmArch) -> Self {
        self.arch = arch;
        self
    }

    /// Whether to optimise fully (`true` at first) or lightly.
    #[must_use]
    pub fn release(mut self, release: bool) -> Self {
        self.release = release;
        self
    }

    /// Whether the PTX says by `.loc` which Rust line each instruction comes from (`true` at
    /// first).
    #[must_use]
    pub fn generate_line_info(mut self, line_info: bool) -> Self {
        self.line_info = line_info;
        self
    }

    /// Whether `a * b + c` may become one fused multiply-add. `false` at first, unlike
    /// Rust-CUDA's: Rust defines both roundings, and `f32::mul_add`-like calls say what is meant.
    #[must_use]
    pub fn fma_contraction(mut self, fma_contraction: bool) -> Self {
        self.fma_contraction = fma_contraction;
        self
    }

    /// Whether subnormal f32 values are flushed to zero (`false` at first).
    #[must_use]
    pub fn ftz(mut self, ftz: bool) -> Self {
        self.ftz = ftz;
        self
    }

    /// Whether the optimised LLVM IR is kept: one `.ll` per codegen unit, in the folder `NAME.units`
    /// beside cargo's copy of the PTX.
    #[must_use]
    pub fn emit_llvm_ir(mut self, emit: bool) -> Self {
        self.emit_llvm_ir = emit;
        self
    }

    /// Further arguments of `cargo rustc`, such as `--features`.
    #[must_use]
    pub fn build_args(mut self, arguments: &[impl AsRef<str>]) -> Self {
        let arguments = arguments.iter().map(|a| a.as_ref().to_owned());
        self.arguments.extend(arguments);
        self
    }

    /// Where to put a copy of the PTX.
    #[must_use]
    pub fn copy_to(mut self, path: impl AsRef<Path>) -> Self {
        self.copy_to = Some(path.as_ref().to_owned());
        self
    }

    /// Where the finished PTX lies, instead of cargo's target folder.
    #[must_use]
    pub fn final_module_path(mut self, path: impl AsRef<Path>) -> Self {
        self.final_module = Some(path.as_ref().to_owned());
        self
    }

    /// Compiles for one architecture and gives the PTX file. In a build script it also tells cargo
    /// which files to watch.
    pub fn build(self) -> Result<PathBuf, CudaBuilderError> {
        let arch = self.arch;
        let mut images = self.build_for(&[arch])?;
        Ok(images.remove(0).ptx)
    }

    /// Compiles for several architectures side by side and gives the images in the same order.
    ///
    /// [`final_module_path`](Self::final_module_path) and [`copy_to`](Self::copy_to) name files
    /// for one architecture; with several, each file's name gets the architecture before its
    /// ending: `kernels.sm_90.ptx`.
    pub fn build_for(&self, archs: &[NvvmArch]) -> Result<Vec<Image>, CudaBuilderError> {
        let cache =
            std::env::var_os("OUT_DIR").map(|out| PathBuf::from(out).join("toolchain.json"));
        let toolchain = Toolchain::find(cache.as_deref())?;
        let package = Package::find(&self.folder, &toolchain)?;
        let folders: Vec<_> = archs
            .iter()
            .map(|&arch| {
                (
                    arch,
                    package.target.join("lockstep-kernels").join(arch.sm()),
                )
            })
            .collect();
        let _locks = lock(&folders, &package)?;
        let compiled = side_by_side(&folders, |(arch, folder)| {
            self.compilation(&toolchain, &package, *arch, folder).run()
        })?;
        let codegens: Vec<_> = archs.iter().map(|&arch| self.codegen(arch)).collect();
        let inputs: Vec<_> = codegens.iter().zip(&folders).zip(&compiled).collect();
        let modules = side_by_side(&inputs, |((codegen, (_, folder)), compiled)| {
            let folder = folder.join(self.settings());
            Module::open(
                &toolchain,
                &package,
                codegen,
                compiled,
                &folder,
                self.emit_llvm_ir,
            )
        })?;
        // All architectures' units in one queue, so that no core waits for an architecture's last.
        let units: Vec<_> = modules
            .iter()
            .flat_map(|module| module.stale().iter().map(move |&unit| (module, unit)))
            .collect();
        side_by_side(&units, |(module, unit)| module.build(*unit))?;
        let outputs: Vec<_> = modules.iter().zip(&compiled).collect();
        let images = side_by_side(&outputs, |(module, compiled)| {
            self.finish(module, compiled, archs.len() > 1)
        })?;
        if std::env::var_os("OUT_DIR").is_some() {
            tell_cargo(&images);
        }
        Ok(images)
    }

    fn compilation<'a>(
        &'a self,
        toolchain: &'a Toolchain,
        package: &'a Package,
        arch: NvvmArch,
        folder: &Path,
    ) -> Compilation<'a> {
        Compilation {
            toolchain,
            package,
            arch,
            release: self.release,
            arguments: &self.arguments,
            folder: folder.to_owned(),
        }
    }

    fn codegen(&self, arch: NvvmArch) -> Codegen {
        Codegen {
            arch,
            release: self.release,
            line_info: self.line_info,
            fma_contraction: self.fma_contraction,
            ftz: self.ftz,
        }
    }

    /// A folder name that differs between builds with different settings: such builds lie beside
    /// each other, so that none takes another's result away.
    fn settings(&self) -> String {
        let mut hasher = DefaultHasher::new();
        (self.release, self.line_info, self.fma_contraction, self.ftz).hash(&mut hasher);
        self.arguments.hash(&mut hasher);
        format!("ptx-{:08x}", hasher.finish() as u32)
    }

    fn finish(
        &self,
        module: &Module<'_>,
        compiled: &Compiled,
        several: bool,
    ) -> Result<Image, CudaBuilderError> {
        let (arch, mut ptx) = (module.arch(), module.finish()?);
        if let Some(path) = &self.final_module {
            ptx = copy(&ptx, path, arch, several)?;
        }
        if let Some(path) = &self.copy_to {
            copy(&ptx, path, arch, several)?;
        }
        Ok(Image {
            arch,
            ptx,
            sources: compiled.sources.clone(),
        })
    }
}

/// Makes the folders and locks them, oldest architecture first whatever the order asked for, so
/// that two builds never wait for each other.
fn lock(
    folders: &[(NvvmArch, PathBuf)],
    package: &Package,
) -> Result<Vec<std::fs::File>, CudaBuilderError> {
    let mut sorted: Vec<_> = folders.iter().collect();
    sorted.sort();
    sorted.dedup();
    sorted
        .into_iter()
        .map(|(_, folder)| {
            fs::create_dir(folder)?;
            fs::lock(&folder.join(format!("{}.lock", package.library)))
        })
        .collect()
}

fn copy(ptx: &Path, to: &Path, arch: NvvmArch, several: bool) -> Result<PathBuf, CudaBuilderError> {
    let to = if several {
        to.with_extension(format!("{arch}.ptx"))
    } else {
        to.to_owned()
    };
    if let Some(folder) = to.parent().filter(|p| !p.as_os_str().is_empty()) {
        fs::create_dir(folder)?;
    }
    fs::copy(ptx, &to)?;
    Ok(to)
}

/// Runs `work` on every item, as many at a time as there are cores; results in the items' order,
/// or the first error.
fn side_by_side<T: Sync, R: Send, E: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers.min(items.len()) {
            scope.spawn(|| {
                while let Some((index, item)) = take(&next, items) {
                    let result = work(item);
                    done.lock()
                        .unwrap_or_else(std::sync::PoisonError::into_inner)
                        .push((index, result));
                }
            });
        }
    });
    let mut done = done
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

fn take<'t, T>(next: &AtomicUsize, items: &'t [T]) -> Option<(usize, &'t T)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    items.get(index).map(|item| (index, item))
}

/// Names the files and variables that a build script's result depends on.
fn tell_cargo(images: &[Image]) {
    let mut sources: Vec<_> = images.iter().flat_map(|image| &image.sources).collect();
    sources.sort();
    sources.dedup();
    for source in sources {
        println!("cargo:rerun-if-changed={}", source.display());
    }
    for variable in [crate::TOOLCHAIN_VAR, crate::LLVM_VAR, crate::ARCHS_VAR] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
}
