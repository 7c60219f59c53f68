//! Input data: generated, or read from a file.

mod dtype;
mod generate;

use bytemuck::Pod;

pub use dtype::{Dtype, Element};
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
}

/// `len` zeroed elements, or an error where the host has not so much memory.
pub(crate) fn try_zeroed<T: Pod>(len: usize) -> Result<Vec<T>, Error> {
    bytemuck::allocation::try_zeroed_vec(len).map_err(|()| Error::HostMemory {
        what: format!("an array of {len} elements"),
        required: (len as u64).saturating_mul(size_of::<T>() as u64),
    })
}
