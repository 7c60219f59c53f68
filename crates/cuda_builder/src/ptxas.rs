//! NVIDIA's assembler: checks PTX, and says what each kernel needs, on a machine without a GPU.

use crate::arch::NvvmArch;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Forces one `ptxas`.
const PTXAS_VAR: &str = "LOCKSTEP_PTXAS";

/// A `ptxas` that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ptxas {
    /// The program.
    pub path: PathBuf,
    /// Its release, as `12.9`.
    pub release: String,
    archs: Vec<String>,
}

/// What one kernel needs on one architecture.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Resources {
    /// The kernel.
    pub kernel: String,
    /// Registers per thread.
    pub registers: u32,
    /// Static shared memory per block, in bytes.
    pub shared: u32,
    /// Stack frame per thread, in bytes.
    pub stack: u32,
    /// Bytes that spilled registers store.
    pub spill_stores: u32,
    /// Bytes that spilled registers load.
    pub spill_loads: u32,
    /// Hardware barriers used.
    pub barriers: u32,
}

/// Why `ptxas` gave no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PtxasError {
    /// There is none.
    #[error(
        "no `ptxas` that knows {arch} was found{found}: run `cargo xtask setup`, which fetches \
         one, or set {PTXAS_VAR}"
    )]
    NotFound {
        /// The architecture, as `sm_90`.
        arch: String,
        /// Those that do not know it.
        found: String,
    },
    /// It refused the PTX.
    #[error("ptxas refuses `{ptx}` for {arch}:\n{stderr}")]
    Refused {
        /// The PTX file.
        ptx: PathBuf,
        /// The architecture, as `sm_90`.
        arch: String,
        /// What it printed.
        stderr: String,
    },
    /// It could not be started.
    #[error("cannot run `{tool}`: {source}")]
    Spawn {
        /// The program.
        tool: PathBuf,
        /// The operating system's reason.
        #[source]
        source: std::io::Error,
    },
}

/// Where `cargo xtask setup` puts the tools that it fetches: `$LOCKSTEP_TOOLS`, or `lockstep/tools`
/// in the user's cache folder.
pub fn tools_folder() -> PathBuf {
    let variable = |name: &str| {
        std::env::var_os(name)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
    };
    variable("LOCKSTEP_TOOLS").unwrap_or_else(|| {
        variable("XDG_CACHE_HOME")
            .or_else(|| Some(variable("HOME")?.join(".cache")))
            .unwrap_or_else(std::env::temp_dir)
            .join("lockstep/tools")
    })
}

impl Ptxas {
    /// Every `ptxas` on this machine, best first: the forced one alone, or the fetched one, the
    /// search path's, the toolkits'.
    pub fn all() -> Vec<Ptxas> {
        if let Some(forced) = std::env::var_os(PTXAS_VAR).filter(|v| !v.is_empty()) {
            return Self::look_at(Path::new(&forced)).into_iter().collect();
        }
        let mut folders = vec![tools_folder()];
        if let Some(path) = std::env::var_os("PATH") {
            folders.extend(std::env::split_paths(&path));
        }
        for variable in ["CUDA_HOME", "CUDA_PATH"] {
            folders.extend(std::env::var_os(variable).map(|home| PathBuf::from(home).join("bin")));
        }
        folders.push("/usr/local/cuda/bin".into());
        let name = format!("ptxas{}", std::env::consts::EXE_SUFFIX);
        folders
            .iter()
            .filter_map(|folder| Self::look_at(&folder.join(&name)))
            .collect()
    }

    /// The first that knows the architecture; CUDA 13's no longer knows sm_70.
    pub fn find(arch: NvvmArch) -> Result<Ptxas, PtxasError> {
        let all = Self::all();
        let found: String = all
            .iter()
            .map(|ptxas| format!(", {} is {}", ptxas.path.display(), ptxas.release))
            .collect();
        all.into_iter()
            .find(|ptxas| ptxas.knows(arch))
            .ok_or_else(|| PtxasError::NotFound {
                arch: arch.sm(),
                found,
            })
    }

    /// Whether it can assemble for the architecture.
    pub fn knows(&self, arch: NvvmArch) -> bool {
        self.archs.contains(&arch.sm())
    }

    fn look_at(path: &Path) -> Option<Ptxas> {
        let ask = |argument: &str| {
            let output = Command::new(path).arg(argument).output().ok()?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            output.status.success().then_some(text)
        };
        if !path.is_file() {
            return None;
        }
        let release = ask("--version")?
            .split("release ")
            .nth(1)?
            .split(',')
            .next()?
            .to_owned();
        let archs = ask("--help")?
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .filter(|word| word.starts_with("sm_"))
            .map(str::to_owned)
            .collect();
        Some(Ptxas {
            path: path.to_owned(),
            release,
            archs,
        })
    }

    /// Assembles a PTX file and says what each kernel needs; the machine code goes to `cubin`, or
    /// nowhere.
    pub fn check(
        &self,
        ptx: &Path,
        arch: NvvmArch,
        cubin: Option<&Path>,
    ) -> Result<Vec<Resources>, PtxasError> {
        let mut command = Command::new(&self.path);
        command
            .args(["-v", "-lineinfo"])
            .arg(format!("-arch={arch}"))
            .arg(ptx)
            .arg("-o")
            .arg(cubin.unwrap_or(Path::new("/dev/null")));
        let output = command.output().map_err(|source| PtxasError::Spawn {
            tool: self.path.clone(),
            source,
        })?;
        let text = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        if !output.status.success() {
            return Err(PtxasError::Refused {
                ptx: ptx.to_owned(),
                arch: arch.sm(),
                stderr: text,
            });
        }
        Ok(resources(&text))
    }
}

/// Reads what `ptxas -v` says.
fn resources(text: &str) -> Vec<Resources> {
    let mut kernels: Vec<Resources> = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.split("Compiling entry function '").nth(1) {
            kernels.push(Resources {
                kernel: rest.split('\'').next().unwrap_or_default().to_owned(),
                ..Resources::default()
            });
        }
        let Some(kernel) = kernels.last_mut() else {
            continue;
        };
        let before = |unit: &str| number_before(line, unit);
        if line.contains("bytes stack frame") {
            kernel.stack = before(" bytes stack frame");
            kernel.spill_stores = before(" bytes spill stores");
            kernel.spill_loads = before(" bytes spill loads");
        }
        if line.contains("Used ") {
            kernel.registers = before(" registers");
            kernel.barriers = before(" barriers");
            kernel.shared = before(" bytes smem");
        }
    }
    kernels
}

/// The number in front of `unit`, or 0.
fn number_before(line: &str, unit: &str) -> u32 {
    line.find(unit)
        .and_then(|at| line[..at].rsplit(|c: char| !c.is_ascii_digit()).next())
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read() {
        let text = "ptxas info    : 23 bytes gmem\n\
            ptxas info    : Compiling entry function 'k' for 'sm_90'\n\
            ptxas info    : Function properties for k\n    \
            16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\n\
            ptxas info    : Used 12 registers, used 1 barriers, 16 bytes cumulative stack size, 1024 bytes smem\n\
            ptxas info    : Compiling entry function 'l' for 'sm_90'\n\
            ptxas info    : Used 7 registers\n";
        let read = resources(text);
        assert_eq!(
            read[0],
            Resources {
                kernel: "k".into(),
                registers: 12,
                shared: 1024,
                stack: 16,
                spill_stores: 8,
                spill_loads: 4,
                barriers: 1,
            }
        );
        assert_eq!((read[1].kernel.as_str(), read[1].registers), ("l", 7));
    }
}
