//! What can go wrong, said once for library and command line.

use std::path::PathBuf;

use crate::device::ContractError;
use crate::driver::DriverError;
use crate::input::InputError;

/// Everything that a call into Lockstep can fail with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no device of the kind that was asked for.
    #[error("no {wanted} device: {reason}")]
    NoDevice {
        /// `cuda`, `simt`, …
        wanted: &'static str,
        /// Why there is none, and what mends it.
        reason: String,
    },
    /// A call into the CUDA driver failed.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// A kernel could not be launched, or failed while it ran.
    #[error("{kernel}: {source}")]
    Kernel {
        /// The kernel's name.
        kernel: String,
        /// What the driver answered.
        source: DriverError,
    },
    /// PTX that the emulator's parser refuses.
    #[error("the PTX cannot be parsed:\n{0}")]
    Ptx(String),
    /// A kernel could not be emulated, or failed while it was.
    #[error("{kernel}: {source}")]
    Simt {
        /// The kernel's name.
        kernel: String,
        /// What the emulator says.
        source: Box<simt::SimtError>,
    },
    /// No embedded image runs on this device.
    #[error(
        "{device} is sm_{has}, and the embedded kernels need sm_{oldest} or newer: build them for \
         it too (LOCKSTEP_ARCHS)"
    )]
    NoImage {
        /// The device's name.
        device: String,
        /// Its architecture.
        has: u32,
        /// The oldest architecture among the images.
        oldest: u32,
    },
    /// This build embeds no kernels.
    #[error("this build of lockstep embeds no kernels")]
    NoKernels,
    /// A launch breaks what the kernel's PTX declares.
    #[error(transparent)]
    Contract(#[from] ContractError),
    /// More memory is needed than there is.
    #[error(
        "{what} needs {} on the device, and {} are available there: choose a smaller n",
        crate::units::bytes(*.required), crate::units::bytes(*.available)
    )]
    OutOfMemory {
        /// Who asks.
        what: String,
        /// Bytes that are needed.
        required: u64,
        /// Bytes that can be had.
        available: u64,
    },
    /// More memory is needed on the host than can be had.
    #[error("{what} needs {} of host memory, which cannot be had", crate::units::bytes(*.required))]
    HostMemory {
        /// Who asks.
        what: String,
        /// Bytes that are needed.
        required: u64,
    },
    /// A buffer and host data of different lengths.
    #[error("a buffer of {buffer} elements does not match host data of {host}")]
    LengthMismatch {
        /// Elements of the buffer.
        buffer: usize,
        /// Elements on the host.
        host: usize,
    },
    /// A buffer of another device than the one that was asked to work on it.
    #[error("the buffer belongs to another device")]
    ForeignBuffer,
    /// No case of that name.
    #[error("no case matches `{name}`{}", hint(.suggestions))]
    UnknownCase {
        /// What was asked for.
        name: String,
        /// Names that are near.
        suggestions: Vec<String>,
    },
    /// A case cannot run with the input that it was given.
    #[error("{case}: {reason}")]
    Unsuitable {
        /// The case's name.
        case: String,
        /// Why not.
        reason: String,
    },
    /// The rayon baseline disagrees with the sequential one: a fault of Lockstep itself.
    #[error("{case}: the parallel CPU baseline disagrees with the sequential one: {detail}")]
    Baseline {
        /// The case's name.
        case: String,
        /// Where they differ.
        detail: String,
    },
    /// Input that cannot be read or understood.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A file that cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

impl From<cust::error::CudaError> for Error {
    fn from(error: cust::error::CudaError) -> Self {
        Self::Driver(DriverError::from(error))
    }
}

fn hint(suggestions: &[String]) -> String {
    match suggestions {
        [] => "; `lockstep list` names them all".to_owned(),
        names => format!("; did you mean {}?", names.join(" or ")),
    }
}
