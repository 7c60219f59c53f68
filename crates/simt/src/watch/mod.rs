//! What is observed beside execution: findings and counters of memory.

use crate::code::{Access, CollectiveOp};
use crate::exec::context::Lanes;
use crate::exec::lanes::{Ins, LANES};

/// State of the observers of one worker.
#[derive(Debug, Default)]
pub(crate) struct Watch {}

/// An access is about to be made.
#[cold]
pub(crate) fn observe(_lanes: &mut Lanes<'_>, _ins: &Ins, _access: &Access, _at: &[u64; LANES]) {}

/// The active threads execute a fence.
pub(crate) fn fence(_lanes: &mut Lanes<'_>, _wide: bool) {}

/// The lanes of `group` have met in a collective operation.
pub(crate) fn collective(_lanes: &mut Lanes<'_>, _op: CollectiveOp, _group: u32) {}
