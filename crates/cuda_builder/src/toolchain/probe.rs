//! Looks at one candidate and says whether it can compile kernels.

use super::{LEAST_RUSTC_MINOR, Toolchain};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A candidate that will not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// The compiler that was looked at.
    pub rustc: PathBuf,
    /// What it lacks, and the command that mends it.
    pub reason: String,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rustc.display(), self.reason)
    }
}

/// A place where a toolchain may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) rustc: PathBuf,
    pub(super) cargo: PathBuf,
    /// rustup's name for it, which its commands need.
    pub(super) rustup_name: Option<String>,
}

/// Checks version, source and LLVM tools; `llvm` is where else to look for the tools, best first.
pub(super) fn probe(candidate: &Candidate, llvm: &Llvm) -> Result<Toolchain, Rejected> {
    check(candidate, llvm).map_err(|reason| Rejected {
        rustc: candidate.rustc.clone(),
        reason,
    })
}

fn check(candidate: &Candidate, llvm: &Llvm) -> Result<Toolchain, String> {
    let version = output(&candidate.rustc, &["-vV"])?;
    let field = |key: &str| {
        version
            .lines()
            .find_map(|line| line.strip_prefix(key))
            .map(str::trim)
            .ok_or_else(|| format!("its `-vV` says nothing of `{key}`"))
    };
    let release = field("release:")?;
    let minor = minor(release).ok_or_else(|| format!("strange version `{release}`"))?;
    if minor < LEAST_RUSTC_MINOR {
        return Err(format!(
            "rustc {release} is too old, 1.{LEAST_RUSTC_MINOR} is required{}",
            candidate.hint(&|name| format!("rustup update {name}"))
        ));
    }
    if !candidate.cargo.is_file() {
        return Err(format!("no cargo at `{}`", candidate.cargo.display()));
    }
    let sysroot = PathBuf::from(output(&candidate.rustc, &["--print", "sysroot"])?.trim());
    let library = sysroot.join("lib/rustlib/src/rust/library");
    if !library.join("core/src/lib.rs").is_file() {
        return Err(format!(
            "rustc {release} has no source of `core` at `{}`{}",
            library.display(),
            candidate.hint(&|name| format!("rustup component add rust-src --toolchain {name}"))
        ));
    }
    let llvm_major = major(field("LLVM version:")?).ok_or("strange LLVM version")?;
    let bundled = sysroot
        .join("lib/rustlib")
        .join(field("host:")?)
        .join("bin");
    let tools = llvm.find(&bundled, llvm_major).map_err(|reason| {
        let hint =
            candidate.hint(&|name| format!("rustup component add llvm-tools --toolchain {name}"));
        format!("rustc {release}: {reason}{hint}")
    })?;
    Ok(Toolchain {
        rustc: candidate.rustc.clone(),
        cargo: candidate.cargo.clone(),
        library,
        llc: tools.llc,
        opt: tools.opt,
        llvm_link: tools.llvm_link,
        release: release.to_owned(),
        description: version.lines().next().unwrap_or_default().to_owned(),
        llvm_major,
    })
}

impl Candidate {
    /// `: run …` with the rustup command, where rustup knows this toolchain.
    fn hint(&self, command: &dyn Fn(&str) -> String) -> String {
        self.rustup_name
            .as_deref()
            .map_or_else(String::new, |name| format!("; run `{}`", command(name)))
    }
}

/// LLVM's tools in one folder.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Tools {
    llc: PathBuf,
    opt: PathBuf,
    llvm_link: PathBuf,
}

impl Tools {
    /// Those that stand beside an `llc` whose name ends with `suffix`.
    fn beside(llc: PathBuf, suffix: &str) -> Result<Tools, String> {
        let find = |name: &str| {
            let tool = llc.with_file_name(format!("{name}{suffix}"));
            tool.is_file()
                .then_some(tool)
                .ok_or_else(|| format!("{} has no `{name}` beside it", llc.display()))
        };
        let (opt, llvm_link) = (find("opt")?, find("llvm-link")?);
        Ok(Tools {
            llc,
            opt,
            llvm_link,
        })
    }
}

/// Where LLVM's tools may be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Llvm {
    /// Only here, where the environment says so.
    pub(super) forced: Option<PathBuf>,
    /// The search path of programs.
    pub(super) path: Vec<PathBuf>,
}

impl Llvm {
    /// The tools of one major version.
    fn find(&self, bundled: &Path, major: u32) -> Result<Tools, String> {
        let mut folders = Vec::new();
        match &self.forced {
            Some(folder) => folders.push(folder.clone()),
            None => {
                folders.push(bundled.to_owned());
                folders.push(PathBuf::from(format!("/usr/lib/llvm-{major}/bin")));
                folders.extend(self.path.iter().cloned());
            }
        }
        let mut others = Vec::new();
        for folder in &folders {
            for suffix in ["", &format!("-{major}")] {
                let llc = folder.join(format!("llc{suffix}"));
                if !llc.is_file() {
                    continue;
                }
                match llvm_version(&llc) {
                    Ok(found) if found == major => match Tools::beside(llc, suffix) {
                        Ok(tools) => return Ok(tools),
                        Err(reason) => others.push(reason),
                    },
                    Ok(found) => others.push(format!("{} is LLVM {found}", llc.display())),
                    Err(reason) => others.push(reason),
                }
            }
        }
        let found = match others.as_slice() {
            [] => "none found".to_owned(),
            _ => others.join(", "),
        };
        Err(format!(
            "no `llc` of its LLVM {major} with `opt` and `llvm-link` ({found})"
        ))
    }
}

/// The minor version in `1.96.0` or `1.97.0-nightly`.
pub(super) fn minor(release: &str) -> Option<u32> {
    release.strip_prefix("1.")?.split('.').next()?.parse().ok()
}

fn major(version: &str) -> Option<u32> {
    version.trim().split('.').next()?.parse().ok()
}

/// The major version that an LLVM tool prints of itself.
fn llvm_version(tool: &Path) -> Result<u32, String> {
    let text = output(tool, &["--version"])?;
    text.lines()
        .find_map(|line| line.split("LLVM version").nth(1).and_then(major))
        .ok_or_else(|| format!("{} does not say its LLVM version", tool.display()))
}

fn output(tool: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(tool)
        .args(arguments)
        .env_remove("RUSTUP_TOOLCHAIN")
        .output()
        .map_err(|error| format!("cannot run `{}`: {error}", tool.display()))?;
    if !output.status.success() {
        return Err(format!(
            "`{} {}` failed with {}",
            tool.display(),
            arguments.join(" "),
            output.status
        ));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(minor("1.96.0"), Some(96));
        assert_eq!(minor("1.99.0-nightly"), Some(99));
        assert_eq!(minor("2.0.0"), None);
        assert_eq!(major(" 22.1.8"), Some(22));
    }

    #[test]
    fn what_is_no_compiler_is_refused_by_name() {
        let candidate = Candidate {
            rustc: "/nowhere/rustc".into(),
            cargo: "/nowhere/cargo".into(),
            rustup_name: None,
        };
        let rejected = probe(&candidate, &Llvm::default()).unwrap_err();
        assert!(
            rejected
                .to_string()
                .starts_with("/nowhere/rustc: cannot run `/nowhere/rustc`: "),
            "{rejected}"
        );
    }
}
