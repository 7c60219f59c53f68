//! Driver error codes: what failed, with which code, and what that means.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_uint};
use std::fmt;

use cust::error::CudaError;

pub(super) const INVALID_VALUE: c_uint = 1;
pub(super) const NO_DEVICE: c_uint = 100;
pub(super) const NOT_SUPPORTED: c_uint = 801;
pub(super) const UNKNOWN: c_uint = 999;

/// `CUDA_ERROR_OUT_OF_MEMORY`.
const OUT_OF_MEMORY: c_uint = 2;
/// `CUDA_ERROR_UNSUPPORTED_PTX_VERSION`: the driver is older than the PTX.
const UNSUPPORTED_PTX_VERSION: c_uint = 222;

/// A call into the CUDA driver that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriverError {
    /// The function of the driver, `cuLaunchKernel`.
    pub call: String,
    /// The raw code, also of those that `cust` has no name for.
    pub code: u32,
    /// What the JIT compiler of the driver logged, where it was asked to compile.
    pub log: Option<String>,
}

impl DriverError {
    pub(super) fn new(call: &str, code: c_uint) -> Self {
        Self {
            call: call.to_owned(),
            code,
            log: None,
        }
    }

    /// The code's identifier, `CUDA_ERROR_NO_DEVICE`.
    pub fn name(&self) -> String {
        text(self.code, super::forward::error_name)
    }

    /// The code's description in words.
    pub fn description(&self) -> String {
        text(self.code, super::forward::error_string)
    }

    /// Whether the device or the host ran out of memory.
    pub fn is_out_of_memory(&self) -> bool {
        self.code == OUT_OF_MEMORY
    }

    /// Whether the driver is too old for the version of PTX that it was given.
    pub fn is_unsupported_ptx(&self) -> bool {
        self.code == UNSUPPORTED_PTX_VERSION
    }

    /// Whether the device's context is lost: every later call fails with the same code.
    pub fn is_sticky(&self) -> bool {
        matches!(self.code, 700 | 702 | 709 | 710 | 714..=719)
    }
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} failed: {} ({}): {}",
            self.call,
            self.name(),
            self.code,
            self.description()
        )?;
        match &self.log {
            Some(log) => write!(f, "\nthe driver's PTX compiler says:\n{log}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for DriverError {}

impl From<CudaError> for DriverError {
    /// Takes the raw code that the forwarding layer saw where `cust` has no name for it.
    fn from(error: CudaError) -> Self {
        let code = error as u32;
        match LAST.get() {
            Some((call, raw)) if raw == code || error == CudaError::UnknownError => {
                Self::new(call, raw)
            }
            _ => Self::new("a call of cust", code),
        }
    }
}

thread_local! {
    /// The last failure on this thread: function and raw code.
    static LAST: Cell<Option<(&'static str, c_uint)>> = const { Cell::new(None) };
}

pub(super) fn remember(call: &'static str, code: c_uint) {
    LAST.set(Some((call, code)));
}

/// The raw code behind `answered`, which stands for it where `cust` lacks it.
pub(super) fn last_raw(answered: c_uint) -> c_uint {
    match LAST.get() {
        Some((_, raw)) if answered == UNKNOWN => raw,
        _ => answered,
    }
}

/// Whether `cust`'s enumeration of results holds this code: any other value in its place would be
/// undefined behaviour.
pub(super) fn is_known(code: c_uint) -> bool {
    matches!(code,
        0..=8 | 34 | 100..=102 | 200..=202 | 205..=224 | 300..=304 | 400 | 401 | 500 | 600
        | 700..=705 | 708..=720 | 800..=809 | 900..=911 | 999)
}

/// The identifiers of the codes that a user is likely to meet, for machines without a driver.
const TEXTS: &[(c_uint, &CStr, &CStr)] = &[
    (0, c"CUDA_SUCCESS", c"no error"),
    (1, c"CUDA_ERROR_INVALID_VALUE", c"invalid argument"),
    (2, c"CUDA_ERROR_OUT_OF_MEMORY", c"out of memory"),
    (
        3,
        c"CUDA_ERROR_NOT_INITIALIZED",
        c"the driver is not initialised",
    ),
    (
        100,
        c"CUDA_ERROR_NO_DEVICE",
        c"no CUDA driver, or no device that it can use",
    ),
    (101, c"CUDA_ERROR_INVALID_DEVICE", c"invalid device ordinal"),
    (
        200,
        c"CUDA_ERROR_INVALID_IMAGE",
        c"device kernel image is invalid",
    ),
    (
        201,
        c"CUDA_ERROR_INVALID_CONTEXT",
        c"invalid device context",
    ),
    (
        209,
        c"CUDA_ERROR_NO_BINARY_FOR_GPU",
        c"no kernel image for this device",
    ),
    (
        218,
        c"CUDA_ERROR_INVALID_PTX",
        c"a PTX JIT compilation failed",
    ),
    (
        222,
        c"CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
        c"the driver is older than this version of PTX",
    ),
    (500, c"CUDA_ERROR_NOT_FOUND", c"named symbol not found"),
    (
        700,
        c"CUDA_ERROR_ILLEGAL_ADDRESS",
        c"an illegal memory access was encountered",
    ),
    (
        701,
        c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
        c"too many resources requested for launch",
    ),
    (716, c"CUDA_ERROR_MISALIGNED_ADDRESS", c"misaligned address"),
    (
        719,
        c"CUDA_ERROR_LAUNCH_FAILED",
        c"unspecified launch failure",
    ),
    (
        720,
        c"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
        c"too many blocks in cooperative launch",
    ),
    (
        801,
        c"CUDA_ERROR_NOT_SUPPORTED",
        c"not supported by this driver or device",
    ),
];

pub(super) fn name(code: c_uint) -> &'static CStr {
    let known = TEXTS.iter().find(|(known, ..)| *known == code);
    known.map_or(c"CUDA_ERROR_UNKNOWN", |(_, name, _)| name)
}

pub(super) fn description(code: c_uint) -> &'static CStr {
    let known = TEXTS.iter().find(|(known, ..)| *known == code);
    known.map_or(c"unknown error", |(.., text)| text)
}

fn text(code: c_uint, ask: unsafe extern "C" fn(c_uint, *mut *const c_char) -> c_uint) -> String {
    let mut found = std::ptr::null();
    // SAFETY: `found` is valid for a write.
    unsafe { ask(code, &raw mut found) };
    if found.is_null() {
        return "unknown".to_owned();
    }
    // SAFETY: the functions answer with a string that lives as long as the process.
    unsafe { CStr::from_ptr(found) }
        .to_string_lossy()
        .into_owned()
}
