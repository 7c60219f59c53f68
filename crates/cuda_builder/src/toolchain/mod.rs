//! The toolchain that compiles kernels: a recent rustc with `core`'s source, and LLVM's `llc`,
//! `opt` and `llvm-link` of the same major version.
//!
//! It is found, never installed, here: `cargo xtask setup` installs one.

mod cache;
mod find;
mod probe;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

pub use probe::Rejected;

/// Forces a toolchain: a rustup toolchain's name, or a folder with `bin/rustc` and `bin/cargo`.
pub const TOOLCHAIN_VAR: &str = "LOCKSTEP_KERNEL_TOOLCHAIN";
/// Forces the folder that holds `llc`, `opt` and `llvm-link`.
pub const LLVM_VAR: &str = "LOCKSTEP_LLVM_BIN";
/// The oldest rustc that compiles `cuda_std`, as a minor version of 1.
pub const LEAST_RUSTC_MINOR: u32 = 96;

/// A toolchain that was found and checked.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Toolchain {
    /// The compiler.
    pub rustc: PathBuf,
    /// The cargo beside it.
    pub cargo: PathBuf,
    /// `core`'s source: the folder `library` of Rust's source tree.
    pub library: PathBuf,
    /// LLVM's code generator.
    pub llc: PathBuf,
    /// LLVM's optimiser, beside `llc`.
    pub opt: PathBuf,
    /// LLVM's linker of modules, beside `llc`.
    pub llvm_link: PathBuf,
    /// The compiler's version, as `1.96.0`.
    pub release: String,
    /// The compiler's first line of `-vV`.
    pub description: String,
    /// The LLVM major version of rustc and the tools.
    pub llvm_major: u32,
}

/// No toolchain can compile kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolchainError {
    /// What was looked at, and why each was refused; empty where there was nothing.
    pub rejected: Vec<Rejected>,
    /// Whether an environment variable named the toolchain.
    pub forced: bool,
}

impl Toolchain {
    /// Finds one: the one that [`TOOLCHAIN_VAR`] names, or rustup's toolchains, or the
    /// distribution's. The answer is kept in `cache` and used again as long as the same files are
    /// there.
    pub fn find(cache: Option<&Path>) -> Result<Toolchain, ToolchainError> {
        let settings = find::Settings::from_env();
        if let Some(file) = cache
            && let Some(found) = cache::read(file, &settings)
        {
            return Ok(found);
        }
        let found = find::find(&settings)?;
        if let Some(file) = cache {
            cache::write(file, &settings, &found);
        }
        Ok(found)
    }

    /// The compiler's minor version: 96 for 1.96.0.
    pub fn minor(&self) -> u32 {
        probe::minor(&self.release).unwrap_or_default()
    }
}

/// The command that installs a kernel toolchain on this machine, for messages.
pub fn remedy() -> String {
    let debian =
        Path::new("/etc/debian_version").exists() && Path::new("/usr/bin/apt-get").exists();
    if debian {
        format!(
            "apt-get update && apt-get install {}",
            DEBIAN_PACKAGES.join(" ")
        )
    } else {
        RUSTUP_COMMAND.to_owned()
    }
}

/// Debian's packages with a rustc that is new enough, its source, and the matching LLVM.
pub const DEBIAN_PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "llvm-22"];
/// The rustup command that fetches everything needed.
pub const RUSTUP_COMMAND: &str =
    "rustup toolchain install nightly --profile minimal --component rust-src,llvm-tools";

impl std::error::Error for ToolchainError {}

impl std::fmt::Display for ToolchainError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = format!(
            "no toolchain here can compile kernels: needed are rustc 1.{LEAST_RUSTC_MINOR} or \
             newer with the source of `core`, and LLVM's `llc`, `opt` and `llvm-link` of the same \
             major version"
        );
        if self.forced {
            let _ = write!(
                text,
                " ({TOOLCHAIN_VAR} is set, so only that one was tried)"
            );
        }
        for rejected in &self.rejected {
            let _ = write!(text, "\n  {rejected}");
        }
        if self.rejected.is_empty() {
            text.push_str("\n  found none at all");
        }
        let _ = write!(
            text,
            "\nrun `cargo xtask setup` here, or by hand: `{}`",
            remedy()
        );
        f.write_str(&text)
    }
}
