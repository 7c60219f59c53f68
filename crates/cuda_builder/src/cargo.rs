//! Runs cargo and rustc: a kernel package to a library of bitcode, one member per codegen unit.

use crate::arch::NvvmArch;
use crate::error::{CudaBuilderError, fs};
use crate::package::Package;
use crate::toolchain::Toolchain;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "nvptx64-nvidia-cuda";

/// Settings of one compilation.
#[derive(Clone, Debug)]
pub(crate) struct Compilation<'a> {
    pub(crate) toolchain: &'a Toolchain,
    pub(crate) package: &'a Package,
    pub(crate) arch: NvvmArch,
    pub(crate) release: bool,
    /// Further arguments of `cargo rustc`.
    pub(crate) arguments: &'a [String],
    /// cargo's target folder for this architecture.
    pub(crate) folder: PathBuf,
}

/// What a compilation leaves.
#[derive(Debug)]
pub(crate) struct Compiled {
    /// The static library with the bitcode of the package and of everything it depends on.
    pub(crate) library: PathBuf,
    /// Every source file it was made from.
    pub(crate) sources: Vec<PathBuf>,
}

impl Compilation<'_> {
    /// Runs cargo, which does nothing where nothing changed.
    pub(crate) fn run(&self) -> Result<Compiled, CudaBuilderError> {
        let output = self
            .command()
            .output()
            .map_err(|source| CudaBuilderError::Spawn {
                tool: self.toolchain.cargo.clone(),
                source,
            })?;
        if !output.status.success() {
            return Err(CudaBuilderError::Compile {
                package: self.package.name.clone(),
                arch: self.arch.sm(),
                stderr: own_words(&String::from_utf8_lossy(&output.stderr)),
            });
        }
        let out = self.folder.join(TARGET).join(self.profile_folder());
        Ok(Compiled {
            library: self.library(&out)?,
            sources: self.sources(&out)?,
        })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.toolchain.cargo);
        command
            .current_dir(&self.package.folder)
            .args([
                "rustc",
                "--lib",
                "--crate-type",
                "staticlib",
                "--color",
                "never",
            ])
            .args(["--target", TARGET, "-Zbuild-std=core", "--package"])
            .arg(&self.package.name);
        if self.release {
            command.arg("--release");
        }
        for (key, value) in self.profile() {
            command.arg("--config").arg(format!("{key}={value}"));
        }
        command.args(self.arguments);
        clean_environment(&mut command);
        command
            .env("RUSTC", &self.toolchain.rustc)
            // `core` is built from source and `cuda_std` uses compiler-internal features.
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_ENCODED_RUSTFLAGS", self.rustflags().join("\x1f"))
            .env("CARGO_TARGET_DIR", &self.folder);
        command
    }

    /// Flags for every crate of the build, `core` too: they decide what `cfg(target_feature)` says
    /// and how MIR is optimised, and most device code is generic and compiled elsewhere.
    fn rustflags(&self) -> Vec<String> {
        let remap = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
        let mut flags = vec![
            format!("-Ctarget-cpu={}", self.arch),
            // rustc knows the least version for the processor alone, which is older.
            format!("-Ctarget-feature=+ptx{}", self.arch.ptx_feature()),
            // Objects hold bitcode: what would have been done by a linker is done by `Units`.
            "-Clinker-plugin-lto".to_owned(),
            "-Zhuman-readable-cgu-names".to_owned(),
            // MIR's jump threading duplicates barriers into the arms of a divergent branch.
            "-Zmir-enable-passes=-JumpThreading".to_owned(),
            remap(&self.package.workspace, "."),
            remap(&self.toolchain.library, "/rustc/library"),
        ];
        if let Some(home) = cargo_home() {
            flags.push(remap(&home.join("registry/src"), "/cargo"));
        }
        flags
    }

    /// Profile settings that the pipeline needs: a codegen unit per source module, of which rustc
    /// compiles those that changed, and no unwinding.
    fn profile(&self) -> Vec<(String, &'static str)> {
        let name = if self.release { "release" } else { "dev" };
        let optimise = if self.release { "3" } else { "1" };
        [
            ("opt-level", optimise),
            ("lto", "\"off\""),
            ("codegen-units", "256"),
            // What is not of the workspace is compiled once.
            ("package.\"*\".codegen-units", "1"),
            ("panic", "\"abort\""),
            // Whoever wants no lines has them stripped later, and shares the dependencies.
            ("debug", "\"line-tables-only\""),
            ("incremental", "true"),
        ]
        .map(|(key, value)| (format!("profile.{name}.{key}"), value))
        .to_vec()
    }

    fn profile_folder(&self) -> &'static str {
        if self.release { "release" } else { "debug" }
    }

    /// The library that cargo has just called up to date.
    fn library(&self, out: &Path) -> Result<PathBuf, CudaBuilderError> {
        let name = format!("lib{}.a", self.package.library);
        let library = out.join(&name);
        if library.is_file() {
            return Ok(library);
        }
        Err(CudaBuilderError::Missing {
            package: self.package.name.clone(),
            what: name,
            folder: out.to_owned(),
        })
    }

    /// The files that cargo's dependency file of the library names, those of path dependencies
    /// included.
    fn sources(&self, out: &Path) -> Result<Vec<PathBuf>, CudaBuilderError> {
        let text = fs::read(&out.join(format!("lib{}.d", self.package.library)))?;
        let mut sources = dependencies(&text);
        sources.push(self.package.folder.join("Cargo.toml"));
        sources.push(self.package.workspace.join("Cargo.toml"));
        sources.push(self.package.workspace.join("Cargo.lock"));
        sources.retain(|path| path.exists());
        sources.sort();
        sources.dedup();
        Ok(sources)
    }
}

/// What the compiler says about the package: it also says, for every crate, that the PTX version,
/// which is ours to choose, is an unstable feature.
fn own_words(stderr: &str) -> String {
    let ours = "warning: unstable feature specified for `-Ctarget-feature`";
    let paragraphs = stderr.split("\n\n");
    let kept = paragraphs.filter_map(|text| match text.find(ours) {
        Some(0) => None,
        Some(at) => Some(text[..at].trim_end()),
        None => Some(text),
    });
    kept.collect::<Vec<_>>().join("\n\n")
}

/// Removes what an outer cargo, rustup or clippy tells its own compiler.
fn clean_environment(command: &mut Command) {
    const KEPT: [&str; 2] = ["CARGO_HOME", "CARGO_NET_OFFLINE"];
    const OTHERS: [&str; 12] = [
        "RUSTFLAGS",
        "RUSTDOCFLAGS",
        "RUSTC",
        "RUSTDOC",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "RUSTC_LINKER",
        "RUSTUP_TOOLCHAIN",
        "MAKEFLAGS",
        "MFLAGS",
        "CLIPPY_ARGS",
        "TARGET",
    ];
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let settings = ["CARGO_REGISTR", "CARGO_HTTP_", "CARGO_SOURCE_"];
        let kept = KEPT.contains(&&*text) || settings.iter().any(|s| text.starts_with(s));
        let foreign = text.starts_with("CARGO") || OTHERS.contains(&&*text);
        if foreign && !kept {
            command.env_remove(&name);
        }
    }
}

fn cargo_home() -> Option<PathBuf> {
    std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))
}

/// The prerequisites in a makefile-style dependency file, in which `\ ` is a space in a name.
fn dependencies(text: &str) -> Vec<PathBuf> {
    let Some((_, list)) = text.lines().next().and_then(|line| line.split_once(": ")) else {
        return Vec::new();
    };
    let escaped = list.replace("\\ ", "\0");
    escaped
        .split_whitespace()
        .map(|name| PathBuf::from(name.replace('\0', " ")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_builders_own_flags_are_not_the_users_business() {
        let stderr = "   Compiling k v0.1.0\nwarning: unstable feature specified for \
            `-Ctarget-feature`: `ptx80`\n  |\n  = note: not stable\n\nerror: no\n --> k.rs:1:1\n";
        assert_eq!(
            own_words(stderr),
            "   Compiling k v0.1.0\n\nerror: no\n --> k.rs:1:1\n"
        );
    }

    #[test]
    fn dependency_files() {
        assert_eq!(
            dependencies("/t/libk.a: /a/src/lib.rs /b\\ c/x.rs\n\nother:\n"),
            [PathBuf::from("/a/src/lib.rs"), PathBuf::from("/b c/x.rs")]
        );
        assert_eq!(dependencies(""), Vec::<PathBuf>::new());
    }
}
