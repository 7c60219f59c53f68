//! The codegen units of a compiled package: each becomes PTX by itself, and only where it or what
//! it was linked with has changed.

use crate::archive::{Archive, Member};
use crate::error::{CudaBuilderError, fs};
use crate::ir::{self, IrError};
use crate::llvm::{self, Codegen};
use crate::toolchain::Toolchain;
use std::collections::{BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// One architecture's units.
pub(crate) struct Units<'a> {
    toolchain: &'a Toolchain,
    codegen: &'a Codegen,
    archive: Archive,
    folder: PathBuf,
    keep_ir: bool,
    /// What of the archive lies in the folder, by file name.
    extracted: Mutex<HashSet<String>>,
}

/// Why a unit gave no PTX.
pub(crate) enum UnitError {
    Builder(CudaBuilderError),
    Ir(IrError),
}

impl From<CudaBuilderError> for UnitError {
    fn from(error: CudaBuilderError) -> Self {
        UnitError::Builder(error)
    }
}

/// A linked module.
struct Linked {
    text: String,
    /// Symbols that came from other members, or that none defines.
    foreign: BTreeSet<String>,
}

/// The file that holds all members, for units that cannot be linked member by member.
const WHOLE: &str = "whole.bc";

impl<'a> Units<'a> {
    /// The units in `archive`; `folder` keeps what was made of them.
    pub(crate) fn new(
        toolchain: &'a Toolchain,
        codegen: &'a Codegen,
        archive: Archive,
        folder: PathBuf,
        keep_ir: bool,
    ) -> Result<Self, CudaBuilderError> {
        fs::create_dir(&folder)?;
        Ok(Self {
            toolchain,
            codegen,
            archive,
            folder,
            keep_ir,
            extracted: Mutex::new(HashSet::new()),
        })
    }

    /// The members that may hold kernels, in the order of their names: kernels are symbols that
    /// their authors named.
    pub(crate) fn list(&self) -> Vec<usize> {
        let members = &self.archive.members;
        let mut units: Vec<_> = (0..members.len())
            .filter(|&index| may_hold_kernels(&members[index]))
            .collect();
        units.sort_by_key(|&index| unit_name(&members[index].name));
        units
    }

    /// The file that a unit's PTX lies in; empty where it has no kernel.
    pub(crate) fn ptx(&self, unit: usize) -> PathBuf {
        self.file(unit, "ptx")
    }

    /// Removes what earlier builds left of units that are no more.
    pub(crate) fn sweep(&self, units: &[usize]) -> Result<(), CudaBuilderError> {
        let known: HashSet<_> = units
            .iter()
            .flat_map(|&unit| ["ptx", "ll", "stamp"].map(|ending| self.file(unit, ending)))
            .collect();
        for path in fs::list(&self.folder)? {
            if !known.contains(&path) {
                let _ = std::fs::remove_file(path);
            }
        }
        Ok(())
    }

    /// Makes a unit's PTX, unless what is there was made of the same.
    pub(crate) fn build(&self, unit: usize) -> Result<(), UnitError> {
        let (ptx, ir, stamp) = (
            self.ptx(unit),
            self.file(unit, "ll"),
            self.file(unit, "stamp"),
        );
        if ptx.is_file() && (ir.is_file() || !self.keep_ir) && self.is_current(unit, &stamp) {
            return Ok(());
        }
        let linked = self.link(unit)?;
        let module = ir::Unit::read(&linked.text);
        if module.kernels.is_empty() {
            fs::replace(&ptx, "")?;
            fs::replace(&ir, "")?;
        } else {
            self.generate(unit, &linked.text, &module)?;
        }
        if !self.keep_ir {
            let _ = std::fs::remove_file(&ir);
        }
        fs::replace(
            &stamp,
            self.stamp(unit, linked.foreign.iter().map(String::as_str)),
        )?;
        Ok(())
    }

    fn generate(&self, unit: usize, text: &str, module: &ir::Unit<'_>) -> Result<(), UnitError> {
        let own: HashSet<_> = self
            .member(unit)
            .symbols
            .iter()
            .map(String::as_str)
            .collect();
        let exported = module
            .exported
            .iter()
            .filter(|name| own.contains(*name) && is_named(name));
        let kept: Vec<_> = [&module.kernels, &module.variables]
            .into_iter()
            .flatten()
            .chain(exported)
            .copied()
            .collect();
        let (linked, optimised) = (self.file(unit, "linked"), self.file(unit, "optimised"));
        fs::replace(&linked, ir::expose_variables(text))?;
        self.codegen
            .optimise(self.toolchain, &linked, &kept, &optimised)?;
        let lowered = ir::lower(&fs::read(&optimised)?).map_err(UnitError::Ir)?;
        let file = self.file(unit, "ll");
        fs::replace(&file, &lowered.text)?;
        self.codegen
            .generate(self.toolchain, &file, &self.ptx(unit))?;
        Ok(())
    }

    /// Links a unit with the members that define what it needs, and those with what they need.
    fn link(&self, unit: usize) -> Result<Linked, CudaBuilderError> {
        let to = self.file(unit, "linked");
        let mut used = BTreeSet::new();
        let mut twice = false;
        llvm::link(self.toolchain, &self.extract(unit)?, &[], &to)?;
        let first = fs::read(&to)?;
        let own: HashSet<_> = ir::Unit::read(&first)
            .private_variables
            .into_iter()
            .collect();
        let mut text = first.clone();
        let mut asked = BTreeSet::new();
        loop {
            let needed = ir::Unit::read(&text).undefined;
            let new: BTreeSet<_> = needed
                .iter()
                .filter(|&&symbol| asked.insert(symbol.to_owned()))
                .filter_map(|symbol| self.archive.definer(symbol))
                .collect();
            if new.is_empty() {
                break;
            }
            let members = new.iter().map(|&member| self.extract(member));
            let members = members.collect::<Result<Vec<_>, _>>()?;
            twice |= new
                .iter()
                .any(|&member| !used.insert(member) || member == unit);
            let next = self.file(unit, "next");
            llvm::link(self.toolchain, &to, &members, &next)?;
            text = fs::read(&next)?;
            fs::rename(&next, &to)?;
        }
        // A member that was asked twice may have given two copies of a variable of its own.
        let private = ir::Unit::read(&text).private_variables;
        if twice && private.iter().any(|name| !own.contains(name)) {
            llvm::link(self.toolchain, &self.extract(unit)?, &[self.whole()?], &to)?;
            text = fs::read(&to)?;
        }
        let foreign = self.foreign(unit, &text);
        Ok(Linked { text, foreign })
    }

    fn foreign(&self, unit: usize, text: &str) -> BTreeSet<String> {
        let module = ir::Unit::read(text);
        let own: HashSet<_> = self
            .member(unit)
            .symbols
            .iter()
            .map(String::as_str)
            .collect();
        [module.kernels, module.exported, module.undefined]
            .into_iter()
            .flatten()
            .filter(|name| !own.contains(name))
            .map(str::to_owned)
            .collect()
    }

    /// All members in one module, in which each variable stands once.
    fn whole(&self) -> Result<PathBuf, CudaBuilderError> {
        let members = (0..self.archive.members.len()).map(|member| self.extract(member));
        let members = members.collect::<Result<Vec<_>, _>>()?;
        let path = self.folder.join(WHOLE);
        let mut extracted = self
            .extracted
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if extracted.insert(WHOLE.to_owned()) {
            llvm::link_whole(self.toolchain, &members, &path)?;
        }
        Ok(path)
    }

    /// The file with a member's bitcode.
    fn extract(&self, index: usize) -> Result<PathBuf, CudaBuilderError> {
        let path = self.file(index, "bc");
        let member = self.member(index);
        let mut extracted = self
            .extracted
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if extracted.insert(member.name.clone()) {
            fs::replace(&path, self.archive.content(member))?;
        }
        Ok(path)
    }

    fn is_current(&self, unit: usize, stamp: &Path) -> bool {
        let Ok(old) = std::fs::read_to_string(stamp) else {
            return false;
        };
        old == self.stamp(unit, old.lines().skip(1))
    }

    /// What decides a unit's PTX: its bitcode, the settings and tools, and the members that define
    /// the foreign symbols, which stand below.
    fn stamp<'s>(&self, unit: usize, foreign: impl Iterator<Item = &'s str>) -> String {
        let mut hasher = DefaultHasher::new();
        let mut names = String::new();
        (self.codegen, PIPELINE, self.member(unit).hash).hash(&mut hasher);
        (&self.toolchain.llc, &self.toolchain.description).hash(&mut hasher);
        for symbol in foreign {
            let definer = self.archive.definer(symbol);
            definer
                .map(|index| self.member(index).hash)
                .hash(&mut hasher);
            names.push_str(symbol);
            names.push('\n');
        }
        format!("{:016x}\n{names}", hasher.finish())
    }

    fn member(&self, index: usize) -> &Member {
        &self.archive.members[index]
    }

    fn file(&self, unit: usize, ending: &str) -> PathBuf {
        let name = unit_name(&self.member(unit).name);
        self.folder.join(format!("{name}.{ending}"))
    }
}

/// The sources of the steps between bitcode and PTX: after a change in them, kept PTX is stale.
pub(crate) const PIPELINE: [&str; 12] = [
    include_str!("arch.rs"),
    include_str!("archive.rs"),
    include_str!("units.rs"),
    include_str!("merge.rs"),
    include_str!("llvm.rs"),
    include_str!("text.rs"),
    include_str!("ir/mod.rs"),
    include_str!("ir/unit.rs"),
    include_str!("ir/address_space.rs"),
    include_str!("ir/contract.rs"),
    include_str!("ir/demand.rs"),
    include_str!("ir/lines.rs"),
];

/// Members of the standard library hold none, and would be long to look through.
fn may_hold_kernels(member: &Member) -> bool {
    let standard = ["core-", "compiler_builtins-"];
    !standard.iter().any(|name| member.name.starts_with(name))
        && member.symbols.iter().any(|symbol| is_named(symbol))
}

/// Whether a symbol's author chose its name, and not rustc.
fn is_named(symbol: &str) -> bool {
    !symbol.starts_with("_R") && !symbol.starts_with("_ZN")
}

/// A member's name without what differs between two runs of rustc:
/// `kernels-HASH.kernels.HASH-scan.RUN.rcgu.o` is `kernels.HASH-scan`.
fn unit_name(member: &str) -> String {
    let name = member.trim_end_matches(".o").trim_end_matches(".rcgu");
    let name = name.split_once('.').map_or(name, |(_, unit)| unit);
    match name.rsplit_once('.') {
        Some((unit, run)) if run.len() == 7 => unit.to_owned(),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_names_stay_the_same_from_run_to_run() {
        for (member, name) in [
            ("k-97a0.k.e45a-scan.1rszja8.rcgu.o", "k.e45a-scan"),
            (
                "k-97a0.k.e45a-scan.volatile.1rszja8.rcgu.o",
                "k.e45a-scan.volatile",
            ),
            ("half-1c.half.d9bd-cgu.0.rcgu.o", "half.d9bd-cgu.0"),
            ("asm.o", "asm"),
        ] {
            assert_eq!(unit_name(member), name);
        }
    }

    #[test]
    fn only_units_with_named_symbols_may_hold_kernels() {
        let may = |name: &str, symbols: &[&str]| may_hold_kernels(&Member::new(name, symbols));
        assert!(may("k-1.k.2-scan.1rszja8.rcgu.o", &["_RNvC1k1f", "scan"]));
        assert!(!may("k-1.k.2-op.volatile.1rszja8.rcgu.o", &["_RNvC1k1f"]));
        assert!(!may("compiler_builtins-1.x.rcgu.o", &["memcpy"]));
    }
}
