//! What is observed beside execution: findings and counters of memory.

use crate::code::{Access, Code, CollectiveOp};
use crate::counters::MemoryCounters;
use crate::exec::context::{At, Fault, Lanes};
use crate::exec::lanes::{Ins, LANES};
use crate::machine::block::Block;
use crate::machine::grid::Grid;
use crate::options::Options;

/// State of the observers of one worker.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// Instructions have to be run one at a time.
    pub(crate) stepwise: bool,
    pub(crate) memory: MemoryCounters,
    pub(crate) found: Vec<Found>,
}

/// A finding before its places are told.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) fault: Fault,
    /// What happened before: what, warp, instruction, lane.
    pub(crate) earlier: Vec<(String, At, u32, Option<u32>)>,
}

impl Watch {
    pub(crate) fn new(_code: &Code, _options: &Options, _grid: &Grid) -> Watch {
        Watch::default()
    }

    /// What was found since it was last asked for.
    pub(crate) fn take(&mut self) -> Vec<Found> {
        std::mem::take(&mut self.found)
    }
}

impl Lanes<'_> {
    /// Notes something wrong that does not end the program.
    #[cold]
    pub(crate) fn note(&mut self, fault: Fault) {
        if let Some(watch) = &mut self.watch {
            watch.found.push(Found {
                fault,
                earlier: Vec::new(),
            });
        }
    }
}

/// An access is about to be made.
#[cold]
pub(crate) fn observe(_lanes: &mut Lanes<'_>, _ins: &Ins, _access: &Access, _at: &[u64; LANES]) {}

/// An instruction is about to be executed, in stepwise mode.
pub(crate) fn before(_lanes: &mut Lanes<'_>, _pc: u32) {}

/// The active threads execute a fence.
pub(crate) fn fence(_lanes: &mut Lanes<'_>, _wide: bool) {}

/// The lanes of `group` have met in a collective operation.
pub(crate) fn collective(_lanes: &mut Lanes<'_>, _op: CollectiveOp, _group: u32) {}

/// A barrier releases those who arrived: lanes by warp; `whole` when it is for the whole block.
pub(crate) fn barrier(_lanes: &mut Lanes<'_>, _arrived: &[u32], _whole: bool) {}

/// A block begins.
pub(crate) fn start_block(_lanes: &mut Lanes<'_>, _block: &Block) {}

/// A block has ended.
pub(crate) fn end_block(_lanes: &mut Lanes<'_>, _block: &Block) {}
