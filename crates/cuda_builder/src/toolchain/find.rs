//! Goes through the places where a kernel toolchain may be.

use super::probe::{self, Candidate, Llvm};
use super::{LLVM_VAR, TOOLCHAIN_VAR, Toolchain, ToolchainError};
use std::env;
use std::path::{Path, PathBuf};

/// What the environment says about toolchains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// [`TOOLCHAIN_VAR`].
    pub(super) forced: Option<String>,
    /// Where rustup keeps its toolchains.
    pub(super) rustup_home: Option<PathBuf>,
    /// Where to look for LLVM's tools.
    pub(super) llvm: Llvm,
    /// Folders in which a distribution installs rustc.
    pub(super) distribution: Vec<PathBuf>,
}

impl Settings {
    pub(super) fn from_env() -> Settings {
        let text = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        Settings {
            forced: text(TOOLCHAIN_VAR),
            rustup_home: text("RUSTUP_HOME").map(PathBuf::from).or_else(|| {
                let home = text("HOME").or_else(|| text("USERPROFILE"))?;
                Some(PathBuf::from(home).join(".rustup"))
            }),
            llvm: Llvm {
                forced: text(LLVM_VAR).map(PathBuf::from),
                path: env::var_os("PATH")
                    .map(|path| env::split_paths(&path).collect())
                    .unwrap_or_default(),
            },
            distribution: vec!["/usr/bin".into(), "/usr/local/bin".into()],
        }
    }
}

/// The first candidate that can compile kernels.
pub(super) fn find(settings: &Settings) -> Result<Toolchain, ToolchainError> {
    let mut rejected = Vec::new();
    for candidate in candidates(settings) {
        match probe::probe(&candidate, &settings.llvm) {
            Ok(toolchain) => return Ok(toolchain),
            Err(reason) => rejected.push(reason),
        }
    }
    Err(ToolchainError {
        rejected,
        forced: settings.forced.is_some(),
    })
}

fn candidates(settings: &Settings) -> Vec<Candidate> {
    if let Some(forced) = &settings.forced {
        return vec![named(forced, settings.rustup_home.as_deref())];
    }
    let mut found = Vec::new();
    if let Some(home) = &settings.rustup_home {
        found.extend(rustup(home));
    }
    for folder in &settings.distribution {
        let rustc = folder.join(program("rustc"));
        // rustup's own proxy stands for a toolchain that was already looked at.
        if rustc.is_file() && !is_rustup_proxy(&rustc) {
            found.push(Candidate {
                cargo: folder.join(program("cargo")),
                rustc,
                rustup_name: None,
            });
        }
    }
    found
}

/// The toolchain that the user named, by path or by rustup's name.
fn named(name: &str, rustup_home: Option<&Path>) -> Candidate {
    let path = Path::new(name);
    if path.is_dir() || name.contains('/') {
        return in_folder(path, None);
    }
    let folder = rustup_home.unwrap_or(Path::new("")).join("toolchains");
    let exact = folder.join(name);
    let full = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .find(|path| file_name(path).starts_with(&format!("{name}-")));
    let chosen = if exact.is_dir() {
        exact
    } else {
        full.unwrap_or(exact)
    };
    in_folder(&chosen, Some(name.to_owned()))
}

/// rustup's toolchains, newest name last, so that `stable` comes before dated nightlies.
fn rustup(home: &Path) -> Vec<Candidate> {
    let mut folders: Vec<_> = std::fs::read_dir(home.join("toolchains"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    // A released compiler before a nightly one: it is the better tested.
    folders.sort_by_key(|path| (file_name(path).starts_with("nightly"), path.clone()));
    folders
        .iter()
        .map(|folder| in_folder(folder, Some(file_name(folder))))
        .collect()
}

fn in_folder(folder: &Path, rustup_name: Option<String>) -> Candidate {
    Candidate {
        rustc: folder.join("bin").join(program("rustc")),
        cargo: folder.join("bin").join(program("cargo")),
        rustup_name,
    }
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

fn program(name: &str) -> String {
    format!("{name}{}", env::consts::EXE_SUFFIX)
}

fn is_rustup_proxy(rustc: &Path) -> bool {
    std::fs::canonicalize(rustc).is_ok_and(|real| file_name(&real).starts_with("rustup"))
        || rustc.with_file_name(program("rustup")).is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A folder with a `bin/rustc` that prints what a compiler of that version would.
    fn fake(root: &Path, name: &str, release: &str, with_source: bool) {
        let bin = root.join("toolchains").join(name).join("bin");
        let sysroot = bin.parent().unwrap();
        std::fs::create_dir_all(&bin).unwrap();
        if with_source {
            let core = sysroot.join("lib/rustlib/src/rust/library/core/src");
            std::fs::create_dir_all(&core).unwrap();
            std::fs::write(core.join("lib.rs"), "").unwrap();
        }
        script(
            &bin.join("rustc"),
            &format!(
                "if [ \"$1\" = --print ]; then echo {}; else printf 'rustc {release}\\nhost: \
                 none\\nrelease: {release}\\nLLVM version: 22.1.8\\n'; fi",
                sysroot.display()
            ),
        );
        script(&bin.join("cargo"), "true");
    }

    fn script(path: &Path, body: &str) {
        std::fs::write(path, format!("#!/bin/sh\n{body}\n")).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn settings(root: &Path) -> Settings {
        Settings {
            rustup_home: Some(root.to_owned()),
            llvm: Llvm {
                forced: Some(root.join("llvm")),
                path: Vec::new(),
            },
            ..Settings::default()
        }
    }

    fn llvm(root: &Path, version: &str) {
        std::fs::create_dir_all(root.join("llvm")).unwrap();
        for tool in ["llc", "opt", "llvm-link"] {
            script(
                &root.join("llvm").join(tool),
                &format!("echo '  Debian LLVM version {version}'"),
            );
        }
    }

    #[test]
    fn nothing_at_all() {
        let root = tempfile::tempdir().unwrap();
        let message = find(&settings(root.path())).unwrap_err().to_string();
        assert!(message.contains("found none at all"), "{message}");
        assert!(message.contains("run `cargo xtask setup`"), "{message}");
    }

    #[test]
    fn each_lack_is_named_with_its_remedy() {
        let root = tempfile::tempdir().unwrap();
        fake(root.path(), "stable-x", "1.95.0", true);
        fake(root.path(), "nightly-x", "1.98.0-nightly", false);
        llvm(root.path(), "22.1.8");
        let message = find(&settings(root.path())).unwrap_err().to_string();
        for part in [
            "rustc 1.95.0 is too old, 1.96 is required; run `rustup update stable-x`",
            "rustc 1.98.0-nightly has no source of `core`",
            "rustup component add rust-src --toolchain nightly-x",
        ] {
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn llvm_tools_of_another_version_are_refused() {
        let root = tempfile::tempdir().unwrap();
        fake(root.path(), "nightly-x", "1.98.0-nightly", true);
        llvm(root.path(), "14.0.6");
        let message = find(&settings(root.path())).unwrap_err().to_string();
        assert!(message.contains("no `llc` of its LLVM 22"), "{message}");
        assert!(message.contains("is LLVM 14"), "{message}");
    }

    #[test]
    fn llvm_tools_belong_together() {
        let root = tempfile::tempdir().unwrap();
        fake(root.path(), "nightly-x", "1.98.0-nightly", true);
        llvm(root.path(), "22.1.8");
        std::fs::remove_file(root.path().join("llvm/llvm-link")).unwrap();
        let message = find(&settings(root.path())).unwrap_err().to_string();
        assert!(
            message.contains("llc has no `llvm-link` beside it"),
            "{message}"
        );
    }

    #[test]
    fn a_complete_one_is_found_and_a_release_preferred() {
        let root = tempfile::tempdir().unwrap();
        fake(root.path(), "nightly-x", "1.98.0-nightly", true);
        fake(root.path(), "stable-x", "1.97.0", true);
        llvm(root.path(), "22.1.8");
        let found = find(&settings(root.path())).unwrap();
        assert_eq!(found.release, "1.97.0");
        assert_eq!((found.minor(), found.llvm_major), (97, 22));
    }

    #[test]
    fn a_forced_one_is_the_only_one_tried() {
        let root = tempfile::tempdir().unwrap();
        fake(root.path(), "stable-x", "1.97.0", true);
        llvm(root.path(), "22.1.8");
        let mut settings = settings(root.path());
        settings.forced = Some("nightly".into());
        let error = find(&settings).unwrap_err();
        assert!(error.forced && error.rejected.len() == 1, "{error}");
        settings.forced = Some("stable".into());
        assert!(find(&settings).is_ok());
    }
}
