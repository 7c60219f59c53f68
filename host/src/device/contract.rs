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
    /// Each parameter, in order.
    pub params: Vec<Param>,
    /// The block that it must be launched with (`.reqntid`).
    pub required_block: Option<[u32; 3]>,
    /// Threads of a block at most (`.maxntid`).
    pub max_threads: Option<u32>,
}

/// A kernel's parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param {
    /// Its bytes.
    pub size: usize,
    /// What its address is a multiple of.
    pub align: usize,
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
    /// More blocks than are resident at once, in a cooperative launch.
    Cooperation {
        /// What was asked for.
        actual: u64,
        /// Blocks at most.
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
            Self::Cooperation { actual, allowed } => {
                write!(
                    f,
                    "{actual} blocks cannot cooperate, {allowed} are resident at once"
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

    /// The parameters' bytes as PTX lays them out: each at the next multiple of its alignment.
    pub(super) fn lay_out(&self, values: &[&[u8]]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (value, param) in values.iter().zip(&self.params) {
            bytes.resize(bytes.len().next_multiple_of(param.align.max(1)), 0);
            bytes.extend_from_slice(value);
        }
        bytes
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
            .position(|(value, param)| value.len() != param.size);
        match wrong {
            Some(index) => Err(Breach::ArgumentSize {
                index,
                actual: values[index].len(),
                required: self.params[index].size,
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
        params: params.split(',').filter_map(param).collect(),
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

/// Size and alignment of one `.param`: of its scalar type, or of an array of it.
fn param(text: &str) -> Option<Param> {
    let mut words = text
        .split_whitespace()
        .filter_map(|word| word.strip_prefix('.'));
    let scalar = words.find_map(|word| match word {
        "b8" | "u8" | "s8" => Some(1),
        "b16" | "u16" | "s16" | "f16" | "bf16" => Some(2),
        "b32" | "u32" | "s32" | "f32" => Some(4),
        "b64" | "u64" | "s64" | "f64" => Some(8),
        "b128" => Some(16),
        _ => None,
    })?;
    let Some((_, extent)) = text.split_once('[') else {
        // An `.align` here speaks of what a pointer points to.
        return Some(Param {
            size: scalar,
            align: scalar,
        });
    };
    let len: usize = extent.split(']').next()?.trim().parse().ok()?;
    let align = text
        .split_once(".align")
        .and_then(|(_, rest)| rest.split_whitespace().next());
    let align = align.and_then(|align| align.parse().ok()).unwrap_or(scalar);
    Some(Param {
        size: scalar * len,
        align,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scan_agrees_with_the_parser() {
        for image in crate::IMAGES {
            let module = ptx::parse(image.ptx).expect("the embedded PTX parses");
            let scanned = entry_contracts(image.ptx);
            assert_eq!(module.entries().count(), scanned.len());
            for entry in module.entries() {
                let scanned = &scanned[entry.name.as_str()];
                let params: Vec<Param> = entry.params.iter().map(parsed).collect();
                assert_eq!(scanned.params, params, "{}", entry.name);
                assert_eq!(
                    scanned.required_block,
                    entry.required_threads(),
                    "{}",
                    entry.name
                );
            }
        }
    }

    fn parsed(variable: &ptx::Variable) -> Param {
        let size = variable.size().expect("a parameter has a size");
        Param {
            size: size as usize,
            align: variable.alignment() as usize,
        }
    }

    #[track_caller]
    fn check(text: &str, params: &[(usize, usize)], block: Option<[u32; 3]>, threads: Option<u32>) {
        let entries = entry_contracts(text);
        let entry = &entries["k"];
        let sizes: Vec<_> = entry.params.iter().map(|p| (p.size, p.align)).collect();
        assert_eq!(sizes, params);
        assert_eq!((entry.required_block, entry.max_threads), (block, threads));
    }

    #[test]
    fn headers_are_read() {
        check(".entry k { ret; }", &[], None, None);
        check(".visible .entry k() { ret; }", &[], None, None);
        check(
            ".entry k(.param .u8 a, .param .f64 b) {}",
            &[(1, 1), (8, 8)],
            None,
            None,
        );
        check(
            ".entry k(.param .u64 .ptr .global .align 4 a) {}",
            &[(8, 8)],
            None,
            None,
        );
        check(
            ".entry k(.param .align 8 .b8 a[12]) {}",
            &[(12, 8)],
            None,
            None,
        );
        check(
            ".entry k() // a, b(c)\n.reqntid 16, 16, 1 .minnctapersm 4 {}",
            &[],
            Some([16, 16, 1]),
            None,
        );
        check(".entry k() .reqntid 64\n{}", &[], Some([64, 1, 1]), None);
        check(
            ".entry k() .maxntid 8, 8 .maxnreg 32 {}",
            &[],
            None,
            Some(64),
        );
    }

    #[test]
    fn no_text_makes_it_panic() {
        for text in [
            "",
            ".entry",
            ".entry k",
            ".entry k(",
            ".entry {",
            ".entry k(.param .u64 a[x]) {",
        ] {
            let _ = entry_contracts(text);
        }
    }

    #[test]
    fn parameters_are_laid_out_at_their_alignment() {
        let param = |size, align| Param { size, align };
        let params = vec![param(1, 1), param(4, 4), param(2, 2), param(8, 8)];
        let entry = EntryContract {
            params,
            ..EntryContract::default()
        };
        let bytes = entry.lay_out(&[&[1], &[2; 4], &[3; 2], &[4; 8]]);
        assert_eq!(
            bytes,
            [
                1, 0, 0, 0, 2, 2, 2, 2, 3, 3, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 4, 4, 4, 4
            ]
        );
    }
}
