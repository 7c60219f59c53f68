//! One architecture's module: from the compiled library to one PTX file.

use crate::arch::NvvmArch;
use crate::archive::Archive;
use crate::cargo::Compiled;
use crate::error::{CudaBuilderError, fs};
use crate::llvm::Codegen;
use crate::merge::Merger;
use crate::package::Package;
use crate::toolchain::Toolchain;
use crate::units::{PIPELINE, UnitError, Units};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// A module that is up to date, or whose units are to be built.
pub(crate) struct Module<'a> {
    package: &'a Package,
    codegen: &'a Codegen,
    ptx: PathBuf,
    stamp: PathBuf,
    /// What the stamp says once the module is finished.
    state: String,
    units: Option<Units<'a>>,
    list: Vec<usize>,
}

impl<'a> Module<'a> {
    /// Looks at a compiled library. Nothing is left to do where the same library, to the time of
    /// its writing, was last made into PTX with the same settings.
    pub(crate) fn open(
        toolchain: &'a Toolchain,
        package: &'a Package,
        codegen: &'a Codegen,
        compiled: &Compiled,
        folder: &Path,
        keep_ir: bool,
    ) -> Result<Self, CudaBuilderError> {
        fs::create_dir(folder)?;
        let file = |ending: &str| folder.join(format!("{}.{ending}", package.library));
        let mut module = Module {
            package,
            codegen,
            ptx: file("ptx"),
            stamp: file("stamp"),
            state: state(&compiled.library, codegen, toolchain, keep_ir),
            units: None,
            list: Vec::new(),
        };
        let old = std::fs::read_to_string(&module.stamp);
        if module.ptx.is_file() && old.is_ok_and(|old| old == module.state) {
            return Ok(module);
        }
        let archive = Archive::parse(fs::read_bytes(&compiled.library)?);
        let archive = archive.map_err(|message| CudaBuilderError::Library {
            path: compiled.library.clone(),
            message,
        })?;
        let units = Units::new(toolchain, codegen, archive, file("units"), keep_ir)?;
        module.list = units.list();
        module.units = Some(units);
        Ok(module)
    }

    pub(crate) fn arch(&self) -> NvvmArch {
        self.codegen.arch
    }

    /// The units to build, in the module's order.
    pub(crate) fn stale(&self) -> &[usize] {
        &self.list
    }

    /// Builds one unit.
    pub(crate) fn build(&self, unit: usize) -> Result<(), CudaBuilderError> {
        let Some(units) = &self.units else {
            return Ok(());
        };
        units.build(unit).map_err(|error| match error {
            UnitError::Builder(error) => error,
            UnitError::Ir(error) => CudaBuilderError::Ir {
                package: self.package.name.clone(),
                arch: self.arch().sm(),
                error,
            },
        })
    }

    /// Puts the units together, and gives the PTX file.
    pub(crate) fn finish(&self) -> Result<PathBuf, CudaBuilderError> {
        let Some(units) = &self.units else {
            return Ok(self.ptx.clone());
        };
        let texts = self.list.iter().map(|&unit| fs::read(&units.ptx(unit)));
        let texts = texts.collect::<Result<Vec<_>, _>>()?;
        let mut merger = Merger::default();
        for text in &texts {
            merger.add(text).map_err(|symbol| CudaBuilderError::Clash {
                package: self.package.name.clone(),
                arch: self.arch().sm(),
                symbol: crate::ir::readable(&symbol),
            })?;
        }
        let text = merger.finish();
        // An unchanged module keeps its time, and nothing that includes it is built again.
        if std::fs::read_to_string(&self.ptx).is_ok_and(|old| old == text) {
            return self.done(units);
        }
        fs::replace(&self.ptx, &text)?;
        self.done(units)
    }

    fn done(&self, units: &Units<'_>) -> Result<PathBuf, CudaBuilderError> {
        units.sweep(&self.list)?;
        fs::replace(&self.stamp, &self.state)?;
        Ok(self.ptx.clone())
    }
}

/// What decides whether a module is up to date.
fn state(library: &Path, codegen: &Codegen, toolchain: &Toolchain, keep_ir: bool) -> String {
    let written = std::fs::metadata(library).map(|data| (data.len(), data.modified().ok()));
    let mut hasher = DefaultHasher::new();
    (codegen, &toolchain.llc, &toolchain.description, PIPELINE).hash(&mut hasher);
    format!("{:016x} {keep_ir} {written:?}", hasher.finish())
}
