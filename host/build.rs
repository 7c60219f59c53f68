//! Compiles the kernels to PTX for each architecture and lists them in `kernels.rs`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use cuda_builder::{
    ARCHS_VAR, CudaBuilder, CudaBuilderError, Image, NvvmArch, Toolchain, UnknownArch,
};

fn main() -> ExitCode {
    println!("cargo:rerun-if-changed=build.rs");
    // cust links `-lcuda`; crates that depend on this one find the empty stub here too.
    let stub = Path::new(env!("CARGO_MANIFEST_DIR")).join("driver-stub/lib64");
    println!("cargo:rustc-link-search=native={}", stub.display());
    stamp();
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// What the test kernels of `cuda_std` are compiled for: the oldest architecture, the first with
/// `redux.sync`, and the first with `elect.sync`. They run on every newer device.
const CONFORMANCE_ARCHS: &[NvvmArch] = &[
    NvvmArch::Compute70,
    NvvmArch::Compute80,
    NvvmArch::Compute90,
];

#[derive(Debug, thiserror::Error)]
enum BuildError {
    #[error("{ARCHS_VAR}: {0}")]
    Arch(#[from] UnknownArch),
    #[error(transparent)]
    Kernels(#[from] CudaBuilderError),
    #[error("{}: {source}", path.display())]
    Write {
        path: PathBuf,
        source: std::io::Error,
    },
}

fn build() -> Result<(), BuildError> {
    let mut archs = NvvmArch::from_env()?;
    archs.sort();
    archs.dedup();
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels");
    embed(
        "kernels.rs",
        "pub",
        &CudaBuilder::new(kernels).build_for(&archs)?,
    )?;
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance");
    let tests = CudaBuilder::new(tests).generate_line_info(false);
    embed(
        "conformance.rs",
        "pub",
        &tests.build_for(CONFORMANCE_ARCHS)?,
    )?;
    let foreign =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/cuda_std/fixtures/rust_cuda");
    let foreign = CudaBuilder::new(foreign).build_for(&[NvvmArch::Compute80])?;
    embed("rust_cuda.rs", "", &foreign)
}

/// Writes the table of the images, to be included.
fn embed(file: &str, visibility: &str, images: &[Image]) -> Result<(), BuildError> {
    let mut text = String::from("/// The PTX for each architecture, oldest first.\n");
    text += visibility;
    text += " static IMAGES: &[Image<'static>] = &[\n";
    for image in images {
        let (sm, ptx) = (image.arch.capability(), image.ptx.display().to_string());
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "    Image {{ sm: {sm}, ptx: include_str!({ptx:?}) }},"
        );
    }
    text += "];\n";
    let path = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default()).join(file);
    std::fs::write(&path, text).map_err(|source| BuildError::Write { path, source })
}

/// Compilers and commit, for the reports.
fn stamp() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = output(Command::new(rustc).arg("--version"));
    println!(
        "cargo:rustc-env=LOCKSTEP_RUSTC={}",
        version.unwrap_or_default()
    );
    let cache = std::env::var_os("OUT_DIR").map(|out| PathBuf::from(out).join("toolchain.json"));
    let kernels = Toolchain::find(cache.as_deref());
    let kernels = kernels
        .map(|toolchain| toolchain.description)
        .unwrap_or_default();
    println!("cargo:rustc-env=LOCKSTEP_KERNEL_COMPILER={kernels}");
    let commit = output(Command::new("git").args(["rev-parse", "--short=12", "HEAD"]));
    println!(
        "cargo:rustc-env=LOCKSTEP_COMMIT={}",
        commit.unwrap_or_default()
    );
    let log = output(Command::new("git").args(["rev-parse", "--git-path", "logs/HEAD"]));
    if let Some(log) = log.filter(|log| Path::new(log).exists()) {
        println!("cargo:rerun-if-changed={log}");
    }
}

fn output(command: &mut Command) -> Option<String> {
    let output = command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
}
