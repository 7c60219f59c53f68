//! Telling where something happened.

use super::block::{Block, coordinates};
use super::run::{Machine, Stop};
use crate::code::Code;
use crate::exec::context::{At, Fault};
use crate::findings::{Finding, Place};

/// The place of an instruction, warp and lane.
pub(crate) fn place(
    code: &Code,
    at: At,
    grid: [u32; 3],
    block: [u32; 3],
    pc: u32,
    lane: Option<u32>,
) -> Place {
    let info = code.info.get(pc as usize);
    let function = info.and_then(|info| code.functions.get(info.function as usize));
    Place {
        block: coordinates(at.block, grid),
        warp: at.warp,
        lane,
        thread: lane.map(|lane| coordinates(u64::from(at.warp * 32 + lane), block)),
        function: function.map_or_else(String::new, |function| function.name.clone()),
        instruction: info.map_or_else(String::new, |info| info.text.clone()),
        pc,
        ptx_line: info.map_or(0, |info| info.line),
        source: info.and_then(|info| info.source.clone()),
        inlined_at: info.map_or_else(Vec::new, |info| info.inlined_at.clone()),
    }
}

impl Machine<'_> {
    /// A fault with its place.
    pub(crate) fn tell(&self, block: &Block, fault: Fault) -> Finding {
        let config = &self.grid.config;
        let _ = block;
        Finding {
            kind: fault.kind,
            title: fault.title,
            here: place(
                self.code,
                fault.at,
                config.grid,
                config.block,
                fault.pc,
                fault.lane,
            ),
            earlier: Vec::new(),
            notes: fault.notes,
            help: fault.help,
            repeats: 0,
        }
    }

    /// Adds a finding that does not end the program, unless it was found at this instruction
    /// before.
    pub(crate) fn report(&mut self, block: &Block, fault: crate::watch::Found) -> Result<(), Stop> {
        let kind = fault.fault.kind;
        let same = |f: &&mut Finding| f.kind == kind && f.here.pc == fault.fault.pc;
        if let Some(known) = self.findings.iter_mut().find(same) {
            known.repeats += 1;
            return Ok(());
        }
        let mut finding = self.tell(block, fault.fault);
        let config = &self.grid.config;
        for (what, at, pc, lane) in fault.earlier {
            finding.earlier.push((
                what,
                place(self.code, at, config.grid, config.block, pc, lane),
            ));
        }
        self.findings.push(finding);
        if self.findings.len() >= self.options.max_findings.max(1) {
            let last = self.findings.pop();
            return Err(last.map_or(Stop::Budget, |last| Stop::Fault(Box::new(last))));
        }
        Ok(())
    }
}
