//! The builder's own passes over rustc's LLVM IR, on its text.
//!
//! rustc can say neither "this static lies in shared memory" nor "this kernel is launched with 256
//! threads", so `cuda_std`'s macros leave both as section names, and these passes turn them into
//! what LLVM's NVPTX backend understands. They work on the textual IR of one module, line by line:
//! LLVM prints each global, declaration and instruction on a line of its own.

mod address_space;
mod contract;
mod demand;
mod line;
mod lines;
mod unit;

pub(crate) use unit::{Unit, expose_variables};

/// What the passes made of a module.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Lowered {
    /// The module's new text.
    pub(crate) text: String,
    /// How many statics were moved into shared and constant memory.
    pub(crate) moved: usize,
    /// How many kernels carry a launch contract.
    pub(crate) contracts: usize,
}

/// Something in a module that must not become PTX.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IrError {
    /// A shared static with an initial value: shared memory starts undefined (PTX ISA, State
    /// Spaces, `.shared`).
    #[error(
        "the shared static `{name}` has an initial value, which shared memory cannot hold: \
         declare it as `[MaybeUninit<T>; N]` and write it in the kernel before the first barrier"
    )]
    InitialisedShared {
        /// The static's path.
        name: String,
    },
    /// The address of a shared or constant static inside another static.
    #[error(
        "the static `{user}` holds the address of the {space} static `{name}`, which is known only \
         to the running block: take the address inside the kernel"
    )]
    AddressInStatic {
        /// The static whose address is taken.
        name: String,
        /// The static that holds it.
        user: String,
        /// "shared" or "constant".
        space: &'static str,
    },
    /// A use that the pass has no rewriting for.
    #[error(
        "a use of the {space} static `{name}` that cannot be moved to its state space, at IR line \
         {line}: `{text}`"
    )]
    Unrewritten {
        /// The static.
        name: String,
        /// "shared" or "constant".
        space: &'static str,
        /// Line of the IR, from 1.
        line: usize,
        /// That line.
        text: String,
    },
    /// A launch contract that the macro did not write.
    #[error("malformed launch contract `{text}`: {reason}")]
    Contract {
        /// The contract's text.
        text: String,
        /// What is wrong.
        reason: String,
    },
    /// A use of `cuda_std` that is wrong, and known to be wrong.
    #[error("in {place}: {message}")]
    Misuse {
        /// "kernel `NAME`, at FILE:LINE:COLUMN"; the latter where the module has line information.
        place: String,
        /// What is wrong.
        message: String,
    },
}

/// Runs every pass.
pub(crate) fn lower(ir: &str) -> Result<Lowered, IrError> {
    let text = demand::lower(ir)?;
    let (text, contracts) = contract::lower(&text)?;
    let (text, moved) = address_space::lower(&text)?;
    Ok(Lowered {
        text: lines::lower(&text),
        moved,
        contracts,
    })
}

/// A symbol as its author knows it.
pub(crate) fn readable(symbol: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(symbol))
}
