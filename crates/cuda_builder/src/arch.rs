//! The GPU architectures that kernels are compiled for.

use std::fmt;
use std::str::FromStr;

/// A virtual GPU architecture, named as Rust-CUDA names it: `Compute90` is `compute_90`, the PTX
/// target `sm_90`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum NvvmArch {
    /// Volta (V100): independent thread scheduling, `match.sync`.
    Compute70,
    /// Xavier.
    Compute72,
    /// Turing.
    Compute75,
    /// Ampere (A100): `redux.sync`, `cp.async`.
    Compute80,
    /// Ampere (RTX 30).
    Compute86,
    /// Orin.
    Compute87,
    /// Ada (RTX 40).
    Compute89,
    /// Hopper (H100, H200): `elect.sync`, clusters.
    Compute90,
    /// Blackwell (B200).
    Compute100,
    /// Blackwell Ultra (B300).
    Compute103,
    /// Blackwell (RTX 50).
    Compute120,
    /// Blackwell (GB10).
    Compute121,
}

/// Restricts which architectures are built: `LOCKSTEP_ARCHS=sm_90` or `sm_80,sm_90`.
pub const ARCHS_VAR: &str = "LOCKSTEP_ARCHS";

/// A name that is no architecture this builder knows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown GPU architecture `{0}`: expected one of {list}", list = NvvmArch::list())]
pub struct UnknownArch(String);

impl NvvmArch {
    /// All of them, oldest first.
    pub const ALL: [NvvmArch; 12] = [
        Self::Compute70,
        Self::Compute72,
        Self::Compute75,
        Self::Compute80,
        Self::Compute86,
        Self::Compute87,
        Self::Compute89,
        Self::Compute90,
        Self::Compute100,
        Self::Compute103,
        Self::Compute120,
        Self::Compute121,
    ];

    /// One for each generation whose warps have instructions of their own: what a program that
    /// should run anywhere embeds.
    pub const GENERATIONS: [NvvmArch; 4] = [
        Self::Compute70,
        Self::Compute80,
        Self::Compute90,
        Self::Compute100,
    ];

    /// The architectures that [`ARCHS_VAR`] lists, separated by commas, or
    /// [`GENERATIONS`](Self::GENERATIONS) where it is not set.
    pub fn from_env() -> Result<Vec<NvvmArch>, UnknownArch> {
        match std::env::var(ARCHS_VAR) {
            Ok(list) if !list.trim().is_empty() => {
                list.split(',').map(|name| name.trim().parse()).collect()
            }
            _ => Ok(Self::GENERATIONS.to_vec()),
        }
    }

    /// The compute capability as one number: 90 for `sm_90`.
    pub fn capability(self) -> u32 {
        match self {
            Self::Compute70 => 70,
            Self::Compute72 => 72,
            Self::Compute75 => 75,
            Self::Compute80 => 80,
            Self::Compute86 => 86,
            Self::Compute87 => 87,
            Self::Compute89 => 89,
            Self::Compute90 => 90,
            Self::Compute100 => 100,
            Self::Compute103 => 103,
            Self::Compute120 => 120,
            Self::Compute121 => 121,
        }
    }

    /// The name that `ptxas`, `llc` and rustc use: `sm_90`.
    pub fn sm(self) -> String {
        format!("sm_{}", self.capability())
    }

    /// The lowest PTX ISA version, as LLVM's feature number, that this builder emits for the
    /// architecture. LLVM's own defaults for the oldest ones predate `activemask` (PTX ISA 6.2).
    pub(crate) fn least_ptx(self) -> u32 {
        match self {
            Self::Compute70 | Self::Compute72 | Self::Compute75 => 64,
            // Loads that say how they use the caches (PTX ISA 7.4).
            Self::Compute80 | Self::Compute86 | Self::Compute87 => 74,
            Self::Compute89 => 78,
            // `elect.sync` (PTX ISA 8.0).
            Self::Compute90 => 80,
            Self::Compute100 => 86,
            Self::Compute103 | Self::Compute121 => 88,
            Self::Compute120 => 87,
        }
    }

    /// What rustc is to know of [`Self::least_ptx`]: its own list of features ends sooner.
    pub(crate) fn ptx_feature(self) -> u32 {
        self.least_ptx().min(87)
    }

    fn list() -> String {
        Self::ALL.map(Self::sm).join(", ")
    }
}

impl fmt::Display for NvvmArch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sm())
    }
}

impl FromStr for NvvmArch {
    type Err = UnknownArch;

    /// Accepts `sm_90`, `compute_90` and `90`.
    fn from_str(name: &str) -> Result<Self, UnknownArch> {
        let digits = name
            .strip_prefix("sm_")
            .or_else(|| name.strip_prefix("compute_"))
            .unwrap_or(name);
        Self::ALL
            .into_iter()
            .find(|arch| arch.capability().to_string() == digits)
            .ok_or_else(|| UnknownArch(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back() {
        for arch in NvvmArch::ALL {
            assert_eq!(arch.sm().parse(), Ok(arch));
            assert_eq!(format!("compute_{}", arch.capability()).parse(), Ok(arch));
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let message = "sm_20".parse::<NvvmArch>().unwrap_err().to_string();
        assert!(message.starts_with("unknown GPU architecture `sm_20`: expected one of sm_70, "));
    }
}
