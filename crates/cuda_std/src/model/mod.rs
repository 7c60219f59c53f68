//! The reference model: what every warp intrinsic means, in plain host Rust on 32 values.
//!
//! Written from the PTX ISA's pseudo-code and text, not from the device functions, and itself
//! tested with literals. Tests run the device functions on a GPU or the emulator and compare every
//! lane with this.
//!
//! A result is `None` in the lanes in which the ISA leaves it undefined: those outside the mask,
//! and those that read from a lane outside it.

mod group;
mod shuffle;
mod vote;

pub use group::{GroupModel, segment_start};
pub use shuffle::{Source, shfl_sync, shuffle, source_lane};
pub use vote::{
    elect, lane_masks, match_all, match_any, redux, vote_all, vote_any, vote_ballot, vote_uni,
};

/// Lanes in a warp.
pub const LANES: usize = 32;

/// Whether `lane` is in `mask`.
pub const fn contains(mask: u32, lane: usize) -> bool {
    mask >> lane & 1 == 1
}

/// The lanes of `mask`, in order.
pub fn lanes(mask: u32) -> impl DoubleEndedIterator<Item = usize> + Clone {
    (0..LANES).filter(move |&lane| contains(mask, lane))
}
