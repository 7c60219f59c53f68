//! Control instructions.

use super::block::Block;
use super::run::{Machine, Stop};
use super::wave::State;
use crate::code::{Flow, JoinPlace, NONE};
use crate::exec::context::Fault;
use crate::exec::lanes::vector;
use crate::findings::Kind;

impl<'a> Machine<'a> {
    /// Executes the control instruction at which part `p` of wave `w` stands.
    pub(crate) fn control(&mut self, block: &mut Block, w: usize, p: usize) -> Result<(), Stop> {
        let code = self.code;
        let wave = &mut block.waves[w];
        let part = wave.parts[p];
        let pc = part.pc;
        let control = &code.controls[code.control_of[pc as usize] as usize];
        let active = match control.guard {
            None => part.mask,
            Some(guard) => self.guard_mask(wave, &part, guard),
        };
        if let Flow::Branch { target, joins } = control.flow {
            if control.guard.is_some() {
                self.tally.branches += 1;
            }
            return self.branch(block, w, p, active, target, joins);
        }
        if active == 0 {
            wave.parts[p].pc = pc + 1;
            wave.settle(self.meeting, p);
            return Ok(());
        }
        if active != part.mask {
            return self.split_guard(block, w, p, active);
        }
        match &control.flow {
            Flow::Branch { .. } => Ok(()),
            Flow::Table {
                index,
                targets,
                joins,
            } => self.table(block, w, p, *index, targets, *joins),
            Flow::Call(call) => self.call(block, w, p, call),
            Flow::Return => {
                self.return_lanes(block, w, p);
                Ok(())
            }
            Flow::Exit => self.exit(block, w, p),
            Flow::Barrier(barrier) => self.barrier(block, w, p, barrier),
            Flow::Collective(number) => self.collective(block, w, p, *number),
            Flow::Trap => {
                let lane = part.mask.trailing_zeros() & 31;
                self.lanes.at.warp = wave.warp + (part.mask.trailing_zeros() / 32).min(1);
                self.lanes.raise(Fault {
                    kind: Kind::Trap,
                    pc,
                    at: self.lanes.at,
                    lane: Some(lane),
                    title: "the program trapped".to_owned(),
                    notes: Vec::new(),
                    help: None,
                });
                self.check_fault(block)
            }
            Flow::Stack(op) => self.stack(block, w, p, *op),
            Flow::Yield => {
                wave.parts[p].pc = pc + 1;
                block.yielded = true;
                wave.settle(self.meeting, p);
                Ok(())
            }
        }
    }

    fn branch(
        &mut self,
        block: &mut Block,
        w: usize,
        p: usize,
        taken: u64,
        target: u32,
        joins: u32,
    ) -> Result<(), Stop> {
        let places = self.places(joins);
        let meeting = self.meeting;
        let wave = &mut block.waves[w];
        let part = wave.parts[p];
        if taken == part.mask || taken == 0 {
            wave.parts[p].pc = if taken == 0 { part.pc + 1 } else { target };
            wave.settle(meeting, p);
            return Ok(());
        }
        self.tally.divergent += 1;
        wave.diverge(meeting, p, taken, [target, part.pc + 1], places);
        Ok(())
    }

    /// Where the lanes that part at a branch meet.
    fn places(&self, joins: u32) -> &'a [JoinPlace] {
        let list = self.code.joins.lists.get(joins as usize);
        list.map_or(&[], |list| list)
    }

    /// A guard lets only some lanes execute a control instruction: the others go on behind it,
    /// where all meet.
    fn split_guard(
        &mut self,
        block: &mut Block,
        w: usize,
        p: usize,
        active: u64,
    ) -> Result<(), Stop> {
        let pc = block.waves[w].parts[p].pc;
        let flow = &self.code.controls[self.code.control_of[pc as usize] as usize].flow;
        let leaves = matches!(flow, Flow::Exit | Flow::Return | Flow::Trap);
        let behind = [JoinPlace::of_all(pc + 1)];
        let places = if leaves { &[] } else { &behind[..] };
        block.waves[w].diverge(self.meeting, p, active, [pc, pc + 1], places);
        Ok(())
    }

    /// `brx.idx`: one target after the other parts.
    fn table(
        &mut self,
        block: &mut Block,
        w: usize,
        p: usize,
        index: u32,
        targets: &[u32],
        joins: u32,
    ) -> Result<(), Stop> {
        let places = self.places(joins);
        let wave = &mut block.waves[w];
        let part = wave.parts[p];
        let mut first = None;
        let mut same = 0;
        for half in 0..wave.halves {
            self.bind(wave, part.frame, half, part.mask);
            for lane in crate::exec::lanes::bits(self.lanes.mask) {
                // SAFETY: the index is a 32-bit register of the frame.
                let value = unsafe { (*vector::<u32>(&self.lanes, index))[lane] };
                if value as usize >= targets.len() {
                    let title = format!(
                        "branch to entry {value} of a table with {} entries",
                        targets.len()
                    );
                    self.lanes.raise_at(Kind::BranchTable, part.pc, lane, title);
                    return self.check_fault(block);
                }
                if *first.get_or_insert(value) == value {
                    same |= 1u64 << (lane + 32 * half);
                }
            }
        }
        let target = targets[first.unwrap_or(0) as usize];
        if same == part.mask {
            wave.parts[p].pc = target;
            wave.settle(self.meeting, p);
        } else {
            self.tally.divergent += 1;
            // The others look at the table again.
            wave.diverge(self.meeting, p, same, [target, part.pc], places);
        }
        Ok(())
    }

    /// Lanes end.
    fn exit(&mut self, block: &mut Block, w: usize, p: usize) -> Result<(), Stop> {
        let meeting = self.meeting;
        let wave = &mut block.waves[w];
        let part = wave.parts.remove(p);
        debug_assert_eq!(part.state, State::Ready);
        wave.live &= !part.mask;
        let mut frame = part.frame;
        while let Some(at) = wave.frames.get_mut(frame as usize) {
            at.live &= !part.mask;
            let parent = at.parent;
            if at.live == 0 && parent != NONE {
                at.used = false;
            }
            frame = parent;
        }
        wave.leave(meeting, part.mask, part.join, NONE);
        for half in 0..wave.halves {
            let lanes = super::wave::Wave::half(part.mask, half);
            let warp = (wave.warp as usize) + half;
            if let Some(live) = block.live.get_mut(warp) {
                *live &= !lanes;
            }
        }
        self.after_exit(block, w)
    }
}
