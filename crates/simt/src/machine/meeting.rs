//! Operations among lanes when not all of them are there: a rendezvous of the lanes that the mask
//! names (PTX ISA, "shfl.sync": the executing thread waits until all non-exited threads of the
//! mask have executed the same operation with the same mask).

use super::block::Block;
use super::run::{Machine, Stop};
use super::wave::State;
use crate::code::CollectiveOp;
use crate::exec::collective::{Inputs, compute, gather, members, scatter, together};
use crate::exec::context::Fault;
use crate::exec::lanes::bits;
use crate::findings::Kind;

/// Lanes of one warp that wait for each other.
#[derive(Debug)]
pub(crate) struct Rendezvous {
    pub(crate) warp: u32,
    pub(crate) op: CollectiveOp,
    /// The lanes that the mask names.
    pub(crate) mask: u32,
    pub(crate) arrived: u32,
    inputs: Inputs,
    members: Vec<Member>,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    wave: usize,
    part: u32,
    half: usize,
    lanes: u32,
    collective: u32,
}

impl Machine<'_> {
    /// Executes a collective, or lets the part wait for the lanes that are missing.
    pub(crate) fn collective(
        &mut self,
        block: &mut Block,
        w: usize,
        p: usize,
        number: u32,
    ) -> Result<(), Stop> {
        let code = self.code;
        let collective = &code.collectives[number as usize];
        let wave = &mut block.waves[w];
        let part = wave.parts[p];
        let mut pending = 0;
        let mut complete = Vec::new();
        for half in 0..block.waves[w].halves {
            let wave = &mut block.waves[w];
            self.bind(wave, part.frame, half, part.mask);
            let active = self.lanes.mask;
            let warp = wave.warp + half as u32;
            let live = block.live.get(warp as usize).copied().unwrap_or(0);
            // SAFETY: the collective is of the function whose frame is bound.
            let masks = unsafe { members(&self.lanes, collective) };
            let mut left = active;
            while left != 0 {
                let mask = masks[left.trailing_zeros() as usize];
                let group = bits(left)
                    .filter(|&i| masks[i] == mask)
                    .fold(0, |g, i| g | 1u32 << i);
                left &= !group;
                if group & !mask != 0 && collective.members.is_some() {
                    self.lacks_caller(block, part.pc, group & !mask, mask);
                }
                let mask = mask | group;
                if collective.members.is_none() || mask & live & !group == 0 {
                    self.names_absent(block, warp, part.pc, mask, live);
                    self.check_sources(block, part.pc, number, group);
                    // SAFETY: as above; the lanes of the group are active.
                    unsafe { together(&mut self.lanes, collective, group) };
                    crate::watch::collective(&mut self.lanes, collective.op, group);
                    continue;
                }
                let member = Member {
                    wave: w,
                    part: part.id,
                    half,
                    lanes: group,
                    collective: number,
                };
                pending += 1;
                complete.extend(self.deposit(block, warp, mask, collective.op, member));
            }
        }
        let wave = &mut block.waves[w];
        if pending == 0 {
            wave.parts[p].pc = part.pc + 1;
            wave.settle(self.meeting, p);
            return Ok(());
        }
        wave.parts[p].state = State::Meeting(pending);
        self.finish_meetings(block)
    }

    /// Adds lanes to the rendezvous that they belong to.
    fn deposit(
        &mut self,
        block: &mut Block,
        warp: u32,
        mask: u32,
        op: CollectiveOp,
        member: Member,
    ) -> Option<()> {
        let same = |r: &Rendezvous| {
            r.warp == warp && r.mask == mask && r.op == op && r.arrived & member.lanes == 0
        };
        let index = match block.meetings.iter().position(same) {
            Some(index) => index,
            None => {
                block.meetings.push(Rendezvous {
                    warp,
                    op,
                    mask,
                    arrived: 0,
                    inputs: Inputs::EMPTY,
                    members: Vec::new(),
                });
                block.meetings.len() - 1
            }
        };
        let rendezvous = &mut block.meetings[index];
        rendezvous.arrived |= member.lanes;
        rendezvous.members.push(member);
        let before = std::mem::replace(&mut self.lanes.mask, member.lanes);
        let collective = &self.code.collectives[member.collective as usize];
        // SAFETY: the frame of the collective's function is bound by the caller.
        unsafe { gather(&self.lanes, collective, &mut rendezvous.inputs) };
        self.lanes.mask = before;
        None
    }

    /// Completes every rendezvous whose lanes are all there or have exited.
    pub(crate) fn finish_meetings(&mut self, block: &mut Block) -> Result<(), Stop> {
        while let Some(index) = block.meetings.iter().position(|r| {
            let live = block.live.get(r.warp as usize).copied().unwrap_or(0);
            r.mask & live & !r.arrived == 0
        }) {
            let rendezvous = block.meetings.swap_remove(index);
            let outputs = compute(rendezvous.op, rendezvous.arrived, &rendezvous.inputs);
            let live = block
                .live
                .get(rendezvous.warp as usize)
                .copied()
                .unwrap_or(0);
            if let Some(member) = rendezvous.members.first() {
                let pc = block.waves[member.wave].find(member.part);
                let pc = pc.map_or(0, |p| block.waves[member.wave].parts[p].pc);
                self.lanes.at.warp = rendezvous.warp;
                self.names_absent(block, rendezvous.warp, pc, rendezvous.mask, live);
            }
            for member in &rendezvous.members {
                self.hand_out(block, member, &outputs);
            }
            self.lanes.at.warp = rendezvous.warp;
            crate::watch::collective(&mut self.lanes, rendezvous.op, rendezvous.arrived);
        }
        Ok(())
    }

    fn hand_out(
        &mut self,
        block: &mut Block,
        member: &Member,
        outputs: &crate::exec::collective::Outputs,
    ) {
        let wave = &mut block.waves[member.wave];
        let Some(p) = wave.find(member.part) else {
            return;
        };
        let part = wave.parts[p];
        let mask = u64::from(member.lanes) << (32 * member.half);
        self.bind(wave, part.frame, member.half, mask);
        let collective = &self.code.collectives[member.collective as usize];
        // SAFETY: the frame of the collective's function is bound.
        unsafe { scatter(&self.lanes, collective, outputs) };
        if let State::Meeting(pending) = part.state {
            wave.parts[p].state = State::Meeting(pending - 1);
            if pending == 1 {
                wave.parts[p].state = State::Ready;
                wave.parts[p].pc += 1;
                wave.merge(p);
                if let Some(p) = wave.find(member.part) {
                    wave.settle(self.meeting, p);
                }
            }
        }
    }

    /// A `.sync` operation executed by lanes that its mask does not name.
    fn lacks_caller(&mut self, block: &Block, pc: u32, callers: u32, mask: u32) {
        if !self.options.checks.undefined {
            return;
        }
        let fault = Fault {
            kind: Kind::MaskLacksCaller,
            pc,
            at: self.lanes.at,
            lane: Some(callers.trailing_zeros()),
            title: format!(
                "lanes {callers:#010x} execute this with mask {mask:#010x}, which lacks them"
            ),
            notes: vec![
                "what follows is undefined; the emulator goes on as if they were named".to_owned(),
            ],
            help: Some("compute the mask before the branch, of the lanes that take it".to_owned()),
        };
        self.lanes.note(fault);
        let _ = block;
    }

    /// A mask that names lanes which have exited.
    fn names_absent(&mut self, block: &Block, warp: u32, pc: u32, mask: u32, live: u32) {
        let existing = block.existing.get(warp as usize).copied().unwrap_or(0);
        let absent = mask & existing & !live;
        if absent == 0 || !self.options.checks.undefined {
            return;
        }
        let fault = Fault {
            kind: Kind::MaskNamesAbsentLane,
            pc,
            at: self.lanes.at,
            lane: None,
            title: format!("the mask {mask:#010x} names lanes {absent:#010x}, which have exited"),
            notes: vec![
                "a GPU goes on without them; what they would have brought is missing".to_owned(),
            ],
            help: Some("let all lanes reach the operation, or name only those that do".to_owned()),
        };
        self.lanes.note(fault);
    }

    /// A shuffle that reads from lanes which take no part.
    fn check_sources(&mut self, _block: &Block, pc: u32, number: u32, group: u32) {
        if !self.options.checks.undefined {
            return;
        }
        let collective = &self.code.collectives[number as usize];
        let CollectiveOp::Shuffle(mode) = collective.op else {
            return;
        };
        let before = std::mem::replace(&mut self.lanes.mask, group);
        let mut inputs = Inputs::EMPTY;
        // SAFETY: the frame of the collective's function is bound by the caller.
        unsafe { gather(&self.lanes, collective, &mut inputs) };
        self.lanes.mask = before;
        for i in bits(group) {
            let (source, _) =
                crate::ops::warp::shuffle_source(mode, i as u32, inputs.b[i], inputs.c[i]);
            if group >> source & 1 == 0 {
                let fault = Fault {
                    kind: Kind::ShuffleSourceAbsent,
                    pc,
                    at: self.lanes.at,
                    lane: Some(i as u32),
                    title: format!(
                        "the shuffle reads from lane {source}, which takes no part in it"
                    ),
                    notes: vec![format!("the lanes that take part are {group:#010x}")],
                    help: None,
                };
                self.lanes.note(fault);
                return;
            }
        }
    }
}
