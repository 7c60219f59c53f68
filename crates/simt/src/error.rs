//! Why a launch gave no result. The program's fault, PTX that is not supported, a limit and a bug
//! of the emulator are told apart.

use crate::findings::{Finding, Source};
use crate::memory::MemoryError;

/// Why a launch, or its preparation, failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SimtError {
    /// The program did something that a GPU would fault on, or that never ends.
    #[error("{0}")]
    Fault(Box<Finding>),
    /// The kernel uses something that the emulator does not execute.
    #[error("not supported by the emulator: {0}")]
    Unsupported(Unsupported),
    /// The host asked for something that the kernel does not allow.
    #[error("{0}")]
    Launch(LaunchError),
    /// A limit of the emulated device.
    #[error("resource limit: {0}")]
    Resource(String),
    /// Memory of the emulated device.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A bug of the emulator.
    #[error("internal error of the emulator (please report it): {0}")]
    Internal(String),
}

/// An instruction or declaration that cannot be executed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what} (PTX line {ptx_line}, in `{function}`{})", at(.place))]
pub struct Unsupported {
    /// What it is: the instruction's text and what is wrong about it.
    pub what: String,
    /// The function that holds it.
    pub function: String,
    /// Line of the PTX text.
    pub ptx_line: u32,
    /// The program's line.
    pub place: Option<Source>,
}

fn at(place: &Option<Source>) -> String {
    place
        .as_ref()
        .map_or_else(String::new, |place| format!(", {place}"))
}

/// A launch that the kernel does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// No such entry.
    #[error("the module has no entry `{name}`; it has {}", list(.entries))]
    UnknownEntry {
        /// The name asked for.
        name: String,
        /// What there is.
        entries: Vec<String>,
    },
    /// A block of another shape than `.reqntid` asks for.
    #[error("{entry}: block {} does not match the required {}", shape(.block), shape(.required))]
    BlockShape {
        /// The kernel.
        entry: String,
        /// The block asked for.
        block: [u32; 3],
        /// The block required.
        required: [u32; 3],
    },
    /// More threads than `.maxntid` or the device allows, or none.
    #[error("{entry}: block {} has {threads} threads; 1 to {most} are allowed", shape(.block))]
    BlockSize {
        /// The kernel.
        entry: String,
        /// The block asked for.
        block: [u32; 3],
        /// Its threads.
        threads: u64,
        /// The most allowed.
        most: u64,
    },
    /// A grid with an empty or too long side.
    #[error("{entry}: grid {} is empty or beyond (2147483647, 65535, 65535)", shape(.grid))]
    Grid {
        /// The kernel.
        entry: String,
        /// The grid asked for.
        grid: [u32; 3],
    },
    /// Parameters of another size.
    #[error("{entry}: {given} bytes of parameters given, {required} required")]
    Parameters {
        /// The kernel.
        entry: String,
        /// Bytes given.
        given: usize,
        /// Bytes required.
        required: usize,
    },
    /// More shared memory than a block may have.
    #[error("{entry}: {required} bytes of shared memory (static and dynamic), at most {most}")]
    SharedMemory {
        /// The kernel.
        entry: String,
        /// Bytes needed.
        required: u64,
        /// The most allowed.
        most: u64,
    },
    /// A warp width that the emulator does not offer.
    #[error("a warp width of {width} is not offered: take 4, 8, 16, 32 or 64")]
    Width {
        /// The width asked for.
        width: u32,
    },
    /// An image of another program, or memory that the image was not loaded into.
    #[error("{entry}: the module was loaded into another memory")]
    Image {
        /// The kernel.
        entry: String,
    },
}

fn shape([x, y, z]: &[u32; 3]) -> String {
    format!("({x}, {y}, {z})")
}

fn list(names: &[String]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", "),
    }
}
