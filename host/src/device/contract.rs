//! What a kernel's PTX declares about its launches, and the check of a launch against it.
//!
//! The PTX is the one place where host, emulator and driver read the contract: `.reqntid` and
//! `.maxntid` bound the block, the `.param` list gives number and size of the arguments.

use std::collections::BTreeMap;
use std::fmt;

use super::{Arg, DeviceInfo, LaunchConfig};

/// What an `.entry` declares.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EntryContract {
    /// The kernel's name.
    pub name: String,
    /// Bytes of each parameter, in order.
    pub params: Vec<usize>,
    /// The block that it must be launched with (`.reqntid`).
    pub required_block: Option<[u32; 3]>,
    /// Threads of a block at most (`.maxntid`).
    pub max_threads: Option<u32>,
}

/// A launch that breaks the kernel's contract or the device's limits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kernel}: {breach}")]
pub struct ContractError {
    /// The kernel.
    pub kernel: String,
    /// What is wrong.
    pub breach: Breach,
}

/// How a launch breaks a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Breach {
    /// There is no kernel of that name; the nearest ones.
    NoSuchKernel(Vec<String>),
    /// The block differs from `.reqntid`.
    Block {
        /// What was asked for.
        actual: [u32; 3],
        /// What the kernel requires.
        required: [u32; 3],
    },
    /// More threads a block than the kernel or the device allows.
    TooManyThreads {
        /// What was asked for.
        actual: [u32; 3],
        /// Threads at most.
        allowed: u32,
    },
    /// A dimension of grid or block that is 0 or beyond the device's limit.
    Extent {
        /// `grid` or `block`.
        what: &'static str,
        /// What was asked for.
        actual: [u32; 3],
        /// The largest extents.
        allowed: [u32; 3],
    },
    /// More shared memory than the device has for a block.
    Shared {
        /// What was asked for.
        actual: u32,
        /// Bytes at most.
        allowed: u32,
    },
    /// Another number of arguments than parameters.
    ArgumentCount {
        /// What was given.
        actual: usize,
        /// What the kernel takes.
        required: usize,
    },
    /// An argument of the wrong size.
    ArgumentSize {
        /// Which, from 0.
        index: usize,
        /// Bytes that were given.
        actual: usize,
        /// Bytes that the kernel takes.
        required: usize,
    },
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchKernel(near) if near.is_empty() => f.write_str("no such kernel"),
            Self::NoSuchKernel(near) => {
                write!(f, "no such kernel; did you mean {}?", near.join(" or "))
            }
            Self::Block { actual, required } => {
                let (actual, required) = (Dim(actual), Dim(required));
                write!(f, "block {actual} does not match the required {required}")
            }
            Self::TooManyThreads { actual, allowed } => {
                let actual = Dim(actual);
                write!(
                    f,
                    "block {actual} has more threads than the {allowed} allowed"
                )
            }
            Self::Extent {
                what,
                actual,
                allowed,
            } => {
                let (actual, allowed) = (Dim(actual), Dim(allowed));
                write!(f, "{what} {actual} is not between (1,1,1) and {allowed}")
            }
            Self::Shared { actual, allowed } => {
                write!(
                    f,
                    "{actual} bytes of dynamic shared memory, and {allowed} are allowed"
                )
            }
            Self::ArgumentCount { actual, required } => {
                write!(f, "{actual} arguments given, {required} required")
            }
            Self::ArgumentSize {
                index,
                actual,
                required,
            } => {
                write!(
                    f,
                    "argument {index} has {actual} bytes, {required} required"
                )
            }
        }
    }
}

struct Dim<'a>(&'a [u32; 3]);

impl fmt::Display for Dim<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(f, "({x},{y},{z})")
    }
}

/// The largest extents of a grid and of a block, the same on every architecture (CUDA programming
/// guide, compute capabilities).
const MAX_GRID: [u32; 3] = [0x7fff_ffff, 0xffff, 0xffff];
const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];

impl EntryContract {
    /// Checks a launch, and answers the bytes of its parameters one after the other.
    pub(super) fn check<'a>(
        &self,
        device: &DeviceInfo,
        config: &LaunchConfig,
        args: &'a [Arg<'_>],
    ) -> Result<Vec<&'a [u8]>, ContractError> {
        self.check_shape(device, config)
            .and_then(|()| self.check_args(args))
            .map_err(|breach| ContractError {
                kernel: self.name.clone(),
                breach,
            })
    }

    fn check_shape(&self, device: &DeviceInfo, config: &LaunchConfig) -> Result<(), Breach> {
        let actual = config.block;
        if let Some(required) = self.required_block.filter(|required| *required != actual) {
            return Err(Breach::Block { actual, required });
        }
        within("block", actual, MAX_BLOCK)?;
        within("grid", config.grid, MAX_GRID)?;
        let allowed = self
            .max_threads
            .unwrap_or(u32::MAX)
            .min(device.max_threads_per_block);
        if config.threads_per_block() > u64::from(allowed) {
            return Err(Breach::TooManyThreads { actual, allowed });
        }
        let allowed = device.max_shared_per_block;
        if config.shared > allowed {
            return Err(Breach::Shared {
                actual: config.shared,
                allowed,
            });
        }
        Ok(())
    }

    fn check_args<'a>(&self, args: &'a [Arg<'_>]) -> Result<Vec<&'a [u8]>, Breach> {
        let values: Vec<&[u8]> = args.iter().flat_map(Arg::parameters).collect();
        if values.len() != self.params.len() {
            let (actual, required) = (values.len(), self.params.len());
            return Err(Breach::ArgumentCount { actual, required });
        }
        let wrong = values
            .iter()
            .zip(&self.params)
            .position(|(value, size)| value.len() != *size);
        match wrong {
            Some(index) => Err(Breach::ArgumentSize {
                index,
                actual: values[index].len(),
                required: self.params[index],
            }),
            None => Ok(values),
        }
    }
}

fn within(what: &'static str, actual: [u32; 3], allowed: [u32; 3]) -> Result<(), Breach> {
    let fits = actual
        .iter()
        .zip(allowed)
        .all(|(extent, most)| (1..=most).contains(extent));
    if fits {
        Ok(())
    } else {
        Err(Breach::Extent {
            what,
            actual,
            allowed,
        })
    }
}

/// Reads the contract of every `.entry` in a PTX text.
pub fn entry_contracts(ptx: &str) -> BTreeMap<String, EntryContract> {
    let mut entries = BTreeMap::new();
    let mut rest = ptx;
    while let Some(at) = rest.find(".entry") {
        rest = &rest[at + ".entry".len()..];
        let Some(body) = rest.find('{') else { break };
        let entry = header(&strip_comments(&rest[..body]));
        entries.insert(entry.name.clone(), entry);
        rest = &rest[body..];
    }
    entries
}

fn strip_comments(text: &str) -> String {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or(""))
        .collect::<Vec<_>>()
        .join("\n")
}

/// `name ( .param .u64 .ptr .global .align 4 name_param_0, … ) .reqntid 256, 1, 1`.
fn header(text: &str) -> EntryContract {
    let (name, rest) = text.split_once('(').unwrap_or((text, ""));
    let (params, directives) = rest.split_once(')').unwrap_or(("", rest));
    let directives = if rest.is_empty() { text } else { directives };
    EntryContract {
        name: name.split_whitespace().next().unwrap_or("").to_owned(),
        params: params.split(',').filter_map(param_size).collect(),
        required_block: directive(directives, ".reqntid"),
        max_threads: directive(directives, ".maxntid").map(|[x, y, z]| x * y * z),
    }
}

fn directive(text: &str, name: &str) -> Option<[u32; 3]> {
    let (_, values) = text.split_once(name)?;
    let end = values.find('.').unwrap_or(values.len());
    let mut extents = values[..end]
        .split(',')
        .map(|value| value.trim().parse().unwrap_or(1));
    Some([
        extents.next()?,
        extents.next().unwrap_or(1),
        extents.next().unwrap_or(1),
    ])
}

/// The size of one `.param`: of its scalar type, times the length of an array.
fn param_size(text: &str) -> Option<usize> {
    let mut size = None;
    for word in text
        .split_whitespace()
        .filter_map(|word| word.strip_prefix('.'))
    {
        size = size.or(match word {
            "b8" | "u8" | "s8" => Some(1),
            "b16" | "u16" | "s16" | "f16" | "bf16" => Some(2),
            "b32" | "u32" | "s32" | "f32" => Some(4),
            "b64" | "u64" | "s64" | "f64" => Some(8),
            "b128" => Some(16),
            _ => None,
        });
    }
    let len = text
        .split_once('[')
        .and_then(|(_, rest)| rest.split(']').next()?.trim().parse().ok());
    Some(size? * len.unwrap_or(1))
}
