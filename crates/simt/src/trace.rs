//! Step by step: which lanes executed what.

use crate::exec::lanes::vector;
use crate::findings::Source;
use crate::machine::block::{Block, coordinates};
use crate::machine::run::Machine;
use crate::machine::wave::{Part, Wave};
use crate::options::TraceRequest;
use std::sync::Arc;

/// One instruction issued by one warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Number of the step, from 0, among those traced.
    pub number: u64,
    /// The block.
    pub block: [u32; 3],
    /// The warp of the block, of 32 lanes (at width 64, the first of two).
    pub warp: u32,
    /// The instruction's number in the kernel.
    pub pc: u32,
    /// Lanes that executed it.
    pub mask: u64,
    /// Where the lanes of the warp stand that did not: PC and mask of each group, in ascending
    /// order of PCs.
    pub others: Vec<(u32, u64)>,
    /// What each lane's destination register holds afterwards (all bits, widened), on request.
    pub values: Option<Vec<u64>>,
}

/// What is the same in every step of a kernel: the instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// One entry for each PC.
    pub instructions: Vec<ListingLine>,
}

/// One instruction of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingLine {
    /// The function that it belongs to.
    pub function: String,
    /// Its text.
    pub text: String,
    /// Line of the PTX text.
    pub ptx_line: u32,
    /// The program's line.
    pub source: Option<Source>,
    /// The lines it was inlined into, innermost call first.
    pub inlined_at: Vec<Source>,
}

/// Gives steps to an observer.
pub(crate) struct Recorder<'a> {
    pub(crate) request: TraceRequest,
    pub(crate) sink: &'a mut (dyn FnMut(&Step) + Send),
    pub(crate) count: u64,
}

impl Recorder<'_> {
    fn wants(&self, block: [u32; 3], wave: &Wave) -> bool {
        let request = &self.request;
        let warps = wave.warp..wave.warp + wave.halves as u32;
        (request.limit == 0 || self.count < request.limit as u64)
            && request.block.is_none_or(|wanted| wanted == block)
            && request.warp.is_none_or(|wanted| warps.contains(&wanted))
    }
}

impl Machine<'_> {
    /// Records a straight instruction that has just been executed.
    pub(crate) fn record_straight(&mut self, wave: &mut Wave, part: &Part, pc: u32) {
        let block = coordinates(self.lanes.at.block, self.grid.config.grid);
        let Some(recorder) = &self.recorder else {
            return;
        };
        if !recorder.wants(block, wave) {
            return;
        }
        let destination = self
            .code
            .info
            .get(pc as usize)
            .and_then(|info| info.destination);
        let wanted = destination.filter(|_| recorder.request.values);
        let values = wanted.map(|(offset, bytes)| self.lane_values(wave, part, offset, bytes));
        self.step(block, wave, part, pc, values);
    }

    /// Records a control instruction that is about to be executed.
    pub(crate) fn record(&mut self, block: &mut Block, w: usize, part: &Part, pc: u32) {
        let Some(recorder) = &self.recorder else {
            return;
        };
        let wave = &block.waves[w];
        if recorder.wants(block.index, wave) {
            self.step(block.index, wave, part, pc, None);
        }
    }

    fn step(
        &mut self,
        block: [u32; 3],
        wave: &Wave,
        part: &Part,
        pc: u32,
        values: Option<Vec<u64>>,
    ) {
        let others = wave
            .parts
            .iter()
            .filter(|other| other.id != part.id)
            .map(|o| (o.pc, o.mask));
        let waiting = wave.joins.iter().filter(|j| j.used && j.arrived != 0);
        let mut others: Vec<(u32, u64)> = others
            .chain(waiting.map(|join| (join.pc, join.arrived)))
            .collect();
        others.sort_unstable();
        let Some(recorder) = &mut self.recorder else {
            return;
        };
        let step = Step {
            number: recorder.count,
            block,
            warp: wave.warp,
            pc,
            mask: part.mask,
            others,
            values,
        };
        recorder.count += 1;
        (recorder.sink)(&step);
    }

    fn lane_values(&mut self, wave: &mut Wave, part: &Part, offset: u32, bytes: u32) -> Vec<u64> {
        let mut values = Vec::with_capacity(32 * wave.halves);
        for half in 0..wave.halves {
            self.bind(wave, part.frame, half, part.mask);
            let lanes = &self.lanes;
            for lane in 0..32 {
                // SAFETY: the destination is a register of that many bytes in the bound frame.
                values.push(unsafe {
                    match bytes {
                        0 => u64::from(*crate::exec::lanes::predicate(lanes, offset) >> lane & 1),
                        2 => u64::from((*vector::<u16>(lanes, offset))[lane]),
                        4 => u64::from((*vector::<u32>(lanes, offset))[lane]),
                        8 => (*vector::<u64>(lanes, offset))[lane],
                        _ => (*vector::<u128>(lanes, offset))[lane] as u64,
                    }
                });
            }
        }
        values
    }
}

/// The instructions of a kernel.
pub(crate) fn listing(code: &Arc<crate::code::Code>) -> Listing {
    let name = |function: u32| {
        code.functions
            .get(function as usize)
            .map_or_else(String::new, |f| f.name.clone())
    };
    let line = |info: &crate::code::Info| ListingLine {
        function: name(info.function),
        text: info.text.clone(),
        ptx_line: info.line,
        source: info.source.clone(),
        inlined_at: info.inlined_at.clone(),
    };
    Listing {
        instructions: code.info.iter().map(line).collect(),
    }
}
