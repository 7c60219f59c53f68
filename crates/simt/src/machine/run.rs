//! The loop that runs a part of a wave.

use super::block::Block;
use super::buffer::Buffer;
use super::join::Meeting;
use super::wave::{Part, State, Wave};
use crate::code::{Code, Flow, NONE};
use crate::counters::Tally;
use crate::exec::context::{At, Lanes};
use crate::exec::lanes::{FULL, Ins, predicate};
use crate::findings::Finding;
use crate::options::{Model, Options, Policy};
use crate::trace::Recorder;

/// A machine that runs blocks of one launch, one after the other or in turns.
pub(crate) struct Machine<'a> {
    pub(crate) code: &'a Code,
    /// Its instructions, or those with checks.
    pub(crate) instructions: &'a [Ins],
    pub(crate) lanes: Lanes<'a>,
    pub(crate) options: &'a Options,
    pub(crate) meeting: Meeting<'a>,
    pub(crate) grid: &'a super::grid::Grid,
    /// For each function a frame with its constants in place.
    pub(crate) templates: &'a [Buffer],
    pub(crate) tally: Tally,
    pub(crate) findings: Vec<Finding>,
    pub(crate) printed: Vec<u8>,
    pub(crate) recorder: Option<Recorder<'a>>,
    /// Atomics and volatile loads when they were last looked at.
    pub(crate) asks_seen: u64,
    /// Instructions left before the launch counts as endless.
    pub(crate) budget: u64,
}

/// Why a block stopped for good before its end.
pub(crate) enum Stop {
    /// A fault, already told.
    Fault(Box<Finding>),
    /// The budget ran out.
    Budget,
}

impl Machine<'_> {
    /// Binds half `half` of a frame of a wave, with the active lanes of `mask`.
    #[inline(always)]
    pub(crate) fn bind(&mut self, wave: &mut Wave, frame: u32, half: usize, mask: u64) {
        let Some(frame) = wave.frames.get_mut(frame as usize) else {
            return;
        };
        let bytes = self.code.functions[frame.function as usize].frame_bytes as usize;
        let lanes = &mut self.lanes;
        // SAFETY: a frame holds `halves` register files of its function, and half < halves.
        lanes.regs = unsafe { frame.memory.start().add(half * bytes) };
        lanes.mask = Wave::half(mask, half);
        lanes.local_base = frame.local_base;
        lanes.local_stride = wave.local_stride;
        // SAFETY: local memory holds `local_stride` bytes for each of 32 × halves lanes.
        lanes.local = unsafe {
            wave.local
                .start()
                .add(half * 32 * wave.local_stride as usize)
        };
        lanes.at.warp = wave.warp + half as u32;
    }

    /// Binds a block's memory.
    pub(crate) fn enter(&mut self, block: &mut Block) {
        self.lanes.shared = block.shared.start();
        self.lanes.shared_len = block.shared_len;
        self.lanes.at = At {
            block: block.number,
            warp: 0,
        };
        crate::watch::enter_block(&mut self.lanes, block);
    }

    /// Runs part `id` of wave `w` until it waits, parts, ends, or has run `slice` stretches.
    pub(crate) fn run_part(
        &mut self,
        block: &mut Block,
        w: usize,
        id: u32,
        slice: u32,
    ) -> Result<(), Stop> {
        let single =
            self.recorder.is_some() || self.lanes.watch.as_ref().is_some_and(|w| w.stepwise);
        let one_way = matches!(
            self.options.policy,
            Policy::GreedyOldest | Policy::RoundRobin
        );
        let mut left = slice;
        while left > 0 {
            left -= 1;
            let Some(wave) = block.waves.get_mut(w) else {
                return Ok(());
            };
            let Some(p) = wave.find(id) else {
                return Ok(());
            };
            let part = wave.parts[p];
            if part.state != State::Ready {
                return Ok(());
            }
            if !single
                && one_way
                && wave.halves == 1
                && part.mask == u64::from(FULL)
                && wave.parts.len() == 1
            {
                left = left.saturating_sub(self.run_whole(wave, p, left)?);
            }
            let wave = &mut block.waves[w];
            let part = wave.parts[p];
            let end = self.stretch(wave, p, single);
            self.straight(wave, &part, part.pc, end, single)?;
            let mut here = Some(p);
            if end != part.pc {
                // It may be where other lanes wait, or are, even if it is a control instruction.
                wave.parts[p].pc = end;
                wave.settle(self.meeting, p);
                here = wave.find(id);
            }
            let control = self.code.control_of[end as usize] != NONE;
            if let Some(p) = here
                && control
                && (!single || end == part.pc)
            {
                let part = block.waves[w].parts[p];
                self.count(end, part.mask);
                self.record(block, w, &part, end);
                if single {
                    self.before_control(block, w, &part, end);
                }
                self.control(block, w, p)?;
            }
            self.check_fault(block)?;
            if self.budget == 0 {
                return Err(Stop::Budget);
            }
            // Under the models that compare PCs another part may now come first.
            if self.meeting.by_pc || self.options.model == Model::PostDominatorStack {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Where the stretch of straight code that part `p` is about to run ends.
    fn stretch(&self, wave: &Wave, p: usize, single: bool) -> u32 {
        let part = &wave.parts[p];
        let mut end = self.code.ends[part.pc as usize];
        if self.meeting.by_pc {
            // Others may stand in the way: lanes meet wherever their PCs are equal.
            for other in &wave.parts {
                if other.frame == part.frame && other.pc > part.pc {
                    end = end.min(other.pc);
                }
            }
        }
        if single && end > part.pc {
            part.pc + 1
        } else {
            end
        }
    }

    /// The fast way: a whole warp that has not parted, through loops and uniform branches. Says how
    /// many stretches it ran.
    fn run_whole(&mut self, wave: &mut Wave, p: usize, slice: u32) -> Result<u32, Stop> {
        let part = wave.parts[p];
        self.bind(wave, part.frame, 0, part.mask);
        let (code, instructions) = (self.code, self.instructions);
        let lanes = &mut self.lanes;
        let mut pc = part.pc;
        let (mut issued, mut branches, mut stretches) = (0u64, 0u64, 0);
        for _ in 0..slice {
            stretches += 1;
            let end = code.ends_whole[pc as usize];
            for ins in &instructions[pc as usize..end as usize] {
                // SAFETY: the frame of the instruction's function is bound, and the decoder chose
                // functions for this host.
                unsafe { (ins.full)(lanes, ins) };
            }
            issued += u64::from(end - pc);
            if let Some(profile) = &mut self.tally.profile {
                profile.add(pc, end, 1, 32);
            }
            pc = end;
            if lanes.fault.is_some() {
                break;
            }
            let control = &code.controls[code.control_of[end as usize] as usize];
            let Flow::Branch { target, .. } = control.flow else {
                break;
            };
            let taken = match control.guard {
                None => FULL,
                Some(guard) => {
                    // SAFETY: the guard is a predicate of the bound frame.
                    let p = unsafe { *predicate(lanes, guard.predicate) };
                    p ^ if guard.negated { FULL } else { 0 }
                }
            };
            pc = match taken {
                FULL => target,
                0 => end + 1,
                _ => break,
            };
            issued += 1;
            branches += u64::from(control.guard.is_some());
            if let Some(profile) = &mut self.tally.profile {
                profile.add(end, end + 1, 1, 32);
            }
        }
        self.tally.issued += issued;
        self.tally.threads += issued * 32;
        self.tally.branches += branches;
        self.lanes.clock += issued;
        self.budget = self.budget.saturating_sub(issued);
        wave.parts[p].pc = pc;
        if self.budget == 0 {
            Err(Stop::Budget)
        } else {
            Ok(stretches)
        }
    }

    /// Runs straight instructions for the lanes of a part.
    fn straight(
        &mut self,
        wave: &mut Wave,
        part: &Part,
        from: u32,
        to: u32,
        single: bool,
    ) -> Result<(), Stop> {
        if from == to {
            return Ok(());
        }
        let stretch = &self.instructions[from as usize..to as usize];
        for half in 0..wave.halves {
            let mask = Wave::half(part.mask, half);
            if mask == 0 {
                continue;
            }
            self.bind(wave, part.frame, half, part.mask);
            if single {
                crate::watch::before(&mut self.lanes, from);
            }
            let lanes = &mut self.lanes;
            for ins in stretch {
                let run = if mask == FULL { ins.full } else { ins.masked };
                // SAFETY: as in `run_whole`.
                unsafe { run(lanes, ins) };
            }
        }
        self.count_stretch(from, to, part.mask);
        if single && self.recorder.is_some() {
            self.record_straight(wave, part, from);
        }
        Ok(())
    }

    fn before_control(&mut self, block: &mut Block, w: usize, part: &Part, pc: u32) {
        let wave = &mut block.waves[w];
        for half in 0..wave.halves {
            self.bind(wave, part.frame, half, part.mask);
            if self.lanes.mask != 0 {
                crate::watch::before(&mut self.lanes, pc);
            }
        }
    }

    fn count_stretch(&mut self, from: u32, to: u32, mask: u64) {
        let (issued, active) = (u64::from(to - from), u64::from(mask.count_ones()));
        self.tally.issued += issued;
        self.tally.threads += issued * active;
        self.lanes.clock += issued;
        self.budget = self.budget.saturating_sub(issued);
        if let Some(profile) = &mut self.tally.profile {
            profile.add(from, to, 1, active);
        }
    }

    /// Counts one control instruction.
    pub(crate) fn count(&mut self, pc: u32, mask: u64) {
        self.count_stretch(pc, pc + 1, mask);
    }

    /// The predicate that a guard reads, for all lanes of a part.
    pub(crate) fn guard_mask(
        &mut self,
        wave: &mut Wave,
        part: &Part,
        guard: crate::code::Guard,
    ) -> u64 {
        let mut mask = 0;
        for half in 0..wave.halves {
            self.bind(wave, part.frame, half, part.mask);
            // SAFETY: the guard is a predicate of the bound frame.
            let p = unsafe { *predicate(&self.lanes, guard.predicate) };
            let p = p ^ if guard.negated { FULL } else { 0 };
            mask |= u64::from(p) << (32 * half);
        }
        mask & part.mask
    }

    /// Turns a recorded fault into a stop.
    pub(crate) fn check_fault(&mut self, block: &Block) -> Result<(), Stop> {
        if let Some(watch) = &mut self.lanes.watch {
            let found = watch.take();
            for finding in found {
                self.report(block, finding)?;
            }
        }
        match self.lanes.fault.take() {
            None => Ok(()),
            Some(fault) => Err(Stop::Fault(Box::new(self.tell(block, *fault)))),
        }
    }
}
