//! The compute capability that a kernel is compiled for, as a value.
//!
//! `cfg(target_feature = "sm_80")` decides the same at the level of items.

/// Compute capabilities, in order, as far as rustc has a feature for them: sm_103 reads as sm_100,
/// sm_121 as sm_120.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub enum ComputeCapability {
    Compute70,
    Compute72,
    Compute75,
    Compute80,
    Compute86,
    Compute87,
    Compute89,
    Compute90,
    Compute100,
    Compute120,
}

impl ComputeCapability {
    /// What this code is compiled for: a constant, so that a branch on it costs nothing. The
    /// oldest one off the GPU.
    #[inline(always)]
    pub const fn current() -> Self {
        let mut newest = Self::Compute70;
        macro_rules! at_least {
            ($($feature:literal $capability:ident)*) => {$(
                if cfg!(target_feature = $feature) {
                    newest = Self::$capability;
                }
            )*};
        }
        at_least! {
            "sm_72" Compute72
            "sm_75" Compute75
            "sm_80" Compute80
            "sm_86" Compute86
            "sm_87" Compute87
            "sm_89" Compute89
            "sm_90" Compute90
            "sm_100" Compute100
            "sm_120" Compute120
        }
        newest
    }

    /// [`Self::current`] by Rust-CUDA's name; no environment variable takes part.
    #[inline(always)]
    pub const fn from_cuda_arch_env() -> Self {
        Self::current()
    }
}
