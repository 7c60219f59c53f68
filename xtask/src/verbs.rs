//! One file per verb.

pub(crate) mod ci;
pub(crate) mod doctor;
pub(crate) mod lockstep;
pub(crate) mod nvcc;
pub(crate) mod setup;
pub(crate) mod test;
pub(crate) mod tidy;
