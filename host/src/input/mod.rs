//! Input data: generated, or read from a file.

mod dtype;
mod file;
mod generate;
mod npy;

use std::path::PathBuf;

use bytemuck::Pod;

pub use dtype::{Dtype, Element};
pub use file::InputFile;
pub use generate::{Distribution, generate};

use crate::Error;

/// Input that cannot be read or understood.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// A name that is none of the element types.
    #[error("`{0}` is no element type: i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64")]
    Dtype(String),
    /// A name that is none of the distributions.
    #[error(
        "`{0}` is no distribution: uniform normal constant sorted reverse alternating specials"
    )]
    Distribution(String),
    /// A file that cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A folder where a file is wanted.
    #[error("{}: is a folder", .0.display())]
    Folder(PathBuf),
    /// A `.npy` file that is malformed, or holds what cannot be used.
    #[error("{}: malformed .npy: {reason}", path.display())]
    Npy {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A `.npy` file whose size is not what its header says.
    #[error(
        "{}: {}: the header declares {len} elements ({declared} bytes), the file holds {actual} \
         bytes",
        path.display(), if actual < declared { "truncated" } else { "malformed" }
    )]
    Size {
        /// The file.
        path: PathBuf,
        /// Elements that the header declares.
        len: u64,
        /// Bytes that they take.
        declared: u64,
        /// Bytes after the header.
        actual: u64,
    },
    /// A raw file without an element type.
    #[error("{}: no .npy file, so its element type must be given: --dtype f32", .0.display())]
    NeedsDtype(PathBuf),
    /// A raw file with part of an element.
    #[error("{}: {size} bytes are no whole number of {dtype} elements", path.display())]
    Ragged {
        /// The file.
        path: PathBuf,
        /// Its bytes.
        size: u64,
        /// The element type.
        dtype: Dtype,
    },
    /// A `.npy` file of another element type.
    #[error("{}: holds {holds}, and --dtype asks for {asked}", path.display())]
    OtherDtype {
        /// The file.
        path: PathBuf,
        /// What it holds.
        holds: Dtype,
        /// What was asked for.
        asked: Dtype,
    },
}

/// `len` zeroed elements, or an error where the host has not so much memory.
pub(crate) fn try_zeroed<T: Pod>(len: usize) -> Result<Vec<T>, Error> {
    let required = (len as u64).saturating_mul(size_of::<T>() as u64);
    let refused = || Error::HostMemory {
        what: format!("an array of {len} elements"),
        required,
    };
    // The system promises more than it has, and kills who takes it.
    if required >= ASK_FIRST && available_memory().is_some_and(|available| required > available) {
        return Err(refused());
    }
    bytemuck::allocation::try_zeroed_vec(len).map_err(|()| refused())
}

/// Arrays from this size on are checked against the memory that is available.
const ASK_FIRST: u64 = 1 << 28;

/// Bytes of memory that the host has left, where the system says it.
pub(crate) fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
