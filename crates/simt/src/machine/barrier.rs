//! Barriers of a block.

use super::block::Block;
use super::run::{Machine, Stop};
use super::wave::{Part, State, Wave};
use crate::code::{Barrier, BarrierKind, Flow, Source32};
use crate::exec::context::Fault;
use crate::exec::lanes::{FULL, bits, predicate, vector};
use crate::findings::Kind;
use crate::options::Policy;

/// Barriers that a program can name, and one more for those of clusters.
pub(crate) const BARRIERS: usize = 17;
/// `barrier.cluster`, whose clusters are of one block each.
pub(crate) const CLUSTER: u32 = 16;

/// One barrier between two releases.
#[derive(Clone, Debug, Default)]
pub(crate) struct BarrierState {
    /// Threads that are waited for; `None` for all of the block.
    count: Option<u32>,
    /// Lanes that have arrived, by warp.
    arrived: Vec<u32>,
    /// Threads that arrived with `bar.arrive`, which may come again before the release.
    extra: u32,
    /// Threads with a true predicate, and whether all and any were.
    population: u32,
    voters: u32,
    used: bool,
}

impl Machine<'_> {
    fn uniform(&mut self, wave: &mut Wave, p: usize, source: Source32) -> u32 {
        match source {
            Source32::Uniform(value) => value,
            Source32::Register(register) => {
                let part = wave.parts[p];
                let half = (part.mask.trailing_zeros() / 32).min(1) as usize;
                self.bind(wave, part.frame, half, part.mask);
                let lane = (part.mask.trailing_zeros() & 31) as usize;
                // SAFETY: a 32-bit register of the bound frame.
                unsafe { (*vector::<u32>(&self.lanes, register))[lane] }
            }
        }
    }

    /// `bar`, all lanes of the part being active.
    pub(crate) fn barrier(
        &mut self,
        block: &mut Block,
        w: usize,
        p: usize,
        barrier: &Barrier,
    ) -> Result<(), Stop> {
        let wave = &mut block.waves[w];
        let id = self.uniform(wave, p, barrier.id);
        let count = barrier.count.map(|count| self.uniform(wave, p, count));
        let part = wave.parts[p];
        self.lanes.at.warp = wave.warp;
        let named = barrier.id != Source32::Uniform(CLUSTER);
        if id as usize >= BARRIERS || id == CLUSTER && named {
            let title = format!("barrier {id}: a block has {CLUSTER}");
            let lane = part.mask.trailing_zeros() as usize & 31;
            self.lanes
                .raise_at(Kind::BarrierMismatch, part.pc, lane, title);
            return self.check_fault(block);
        }
        // The adversarial policy parts warps that the program keeps together: there a barrier in a
        // branch shows as lanes that never come.
        let parted_by_program = self.options.policy != Policy::Adversarial;
        let looked_for = self.options.checks.undefined && parted_by_program;
        if barrier.aligned && part.mask != wave.live && looked_for {
            self.divergent(part.mask, wave.live, part.pc);
        }
        let wave = &mut block.waves[w];
        let mut predicates = 0u64;
        if let BarrierKind::Popc { p, .. }
        | BarrierKind::And { p, .. }
        | BarrierKind::Or { p, .. } = barrier.kind
        {
            predicates = self.guard_mask(wave, &part, p);
        }
        let warps = block.live.len();
        let state = &mut block.barriers[id as usize];
        if !state.used {
            let mut arrived = std::mem::take(&mut state.arrived);
            arrived.clear();
            arrived.resize(warps, 0);
            *state = BarrierState {
                count,
                arrived,
                used: true,
                ..BarrierState::default()
            };
        } else if state.count != count {
            let (one, other) = (threads(state.count), threads(count));
            let title = format!("barrier {id} is used with {one} and with {other} at once");
            let lane = part.mask.trailing_zeros() as usize & 31;
            self.lanes
                .raise_at(Kind::BarrierMismatch, part.pc, lane, title);
            return self.check_fault(block);
        }
        state.population += predicates.count_ones();
        state.voters += part.mask.count_ones();
        for half in 0..wave.halves {
            let lanes = Wave::half(part.mask, half);
            let at = &mut state.arrived[wave.warp as usize + half];
            state.extra += (*at & lanes).count_ones();
            *at |= lanes;
        }
        if matches!(barrier.kind, BarrierKind::Arrive) {
            wave.parts[p].pc += 1;
            wave.settle(self.meeting, p);
        } else {
            wave.parts[p].state = State::Barrier(id as u8);
        }
        self.finish_barrier(block, id as usize);
        Ok(())
    }

    /// Releases every barrier that has what it waits for.
    pub(crate) fn finish_barriers(&mut self, block: &mut Block) -> Result<(), Stop> {
        for id in 0..BARRIERS {
            self.finish_barrier(block, id);
        }
        Ok(())
    }

    fn finish_barrier(&mut self, block: &mut Block, id: usize) {
        let state = &block.barriers[id];
        if state.used && self.satisfied(block, state) {
            self.release(block, id);
        }
    }

    fn satisfied(&self, block: &Block, state: &BarrierState) -> bool {
        match state.count {
            None => state
                .arrived
                .iter()
                .zip(&block.live)
                .all(|(arrived, live)| live & !arrived == 0),
            Some(count) => {
                // A warp counts in full once all its threads are there: those that do not exist or
                // have exited do not hold it back.
                let threads: u32 = state
                    .arrived
                    .iter()
                    .zip(&block.live)
                    .map(|(&arrived, &live)| {
                        if arrived == 0 {
                            0
                        } else {
                            (arrived | !live).count_ones()
                        }
                    })
                    .sum();
                threads + state.extra >= count
            }
        }
    }

    fn release(&mut self, block: &mut Block, id: usize) {
        let state = std::mem::take(&mut block.barriers[id]);
        crate::watch::barrier(&mut self.lanes, &state.arrived, state.count.is_none());
        self.tally.barriers += 1;
        for w in 0..block.waves.len() {
            let wave = &mut block.waves[w];
            if let [part] = wave.parts.as_slice() {
                // Mostly a warp is there as a whole.
                if part.state == State::Barrier(id as u8) {
                    self.go_on(wave, 0, &state);
                }
                continue;
            }
            let waiting: Vec<Part> = block.waves[w]
                .parts
                .iter()
                .filter(|part| part.state == State::Barrier(id as u8))
                .copied()
                .collect();
            if self.options.checks.undefined {
                self.at_one_barrier(&block.waves[w], &waiting);
            }
            for part in waiting.iter().map(|part| part.id) {
                let wave = &mut block.waves[w];
                let Some(p) = wave.find(part) else { continue };
                self.go_on(wave, p, &state);
            }
        }
        // Its list of warps serves the next time.
        block.barriers[id].arrived = state.arrived;
    }

    /// A part goes on behind a barrier.
    fn go_on(&mut self, wave: &mut Wave, p: usize, state: &BarrierState) {
        self.hand_results(wave, p, state);
        let part = &mut wave.parts[p];
        part.state = State::Ready;
        part.pc += 1;
        let id = part.id;
        if wave.parts.len() > 1 {
            wave.merge(p);
        }
        if let Some(p) = wave.find(id) {
            wave.settle(self.meeting, p);
        }
    }

    fn hand_results(&mut self, wave: &mut Wave, p: usize, state: &BarrierState) {
        let part = wave.parts[p];
        let control = self.code.control_of[part.pc as usize] as usize;
        let Some(control) = self.code.controls.get(control) else {
            return;
        };
        let Flow::Barrier(barrier) = &control.flow else {
            return;
        };
        if matches!(barrier.kind, BarrierKind::Sync | BarrierKind::Arrive) {
            return;
        }
        for half in 0..wave.halves {
            self.bind(wave, part.frame, half, part.mask);
            let mask = self.lanes.mask;
            // SAFETY: destinations are registers and predicates of the bound frame.
            unsafe {
                let flag = |d: u32, value: bool| {
                    let d = predicate(&self.lanes, d);
                    *d = *d & !mask | if value { FULL } else { 0 } & mask;
                };
                match barrier.kind {
                    BarrierKind::Popc { d, .. } => {
                        let d = vector::<u32>(&self.lanes, d);
                        for i in bits(mask) {
                            (*d)[i] = state.population;
                        }
                    }
                    BarrierKind::And { d, .. } => flag(d, state.population == state.voters),
                    BarrierKind::Or { d, .. } => flag(d, state.population != 0),
                    BarrierKind::Sync | BarrierKind::Arrive => {}
                }
            }
        }
    }

    /// The lanes of a warp that an aligned barrier releases have to stand at one instruction.
    fn at_one_barrier(&mut self, wave: &Wave, waiting: &[Part]) {
        let Some((one, others)) = waiting.split_first() else {
            return;
        };
        let Some(other) = others.iter().find(|other| other.pc != one.pc) else {
            return;
        };
        let control = &self.code.controls[self.code.control_of[one.pc as usize] as usize];
        if !matches!(&control.flow, Flow::Barrier(barrier) if barrier.aligned) {
            return;
        }
        self.lanes.at.warp = wave.warp;
        self.divergent(one.mask, one.mask | other.mask, one.pc);
    }

    fn divergent(&mut self, mask: u64, live: u64, pc: u32) {
        let missing = live & !mask;
        let half = if mask as u32 != 0 { 0 } else { 32 };
        self.lanes.note(Fault {
            kind: Kind::DivergentBarrier,
            pc,
            at: self.lanes.at,
            lane: None,
            title: "a block barrier is executed by only a part of a warp".to_owned(),
            notes: vec![format!(
                "lanes {:#010x} are at the barrier, lanes {:#010x} of the warp are elsewhere",
                (mask >> half) as u32,
                (missing >> half) as u32
            )],
            help: Some(
                "move the barrier out of the branch, so that every thread reaches it".to_owned(),
            ),
        });
    }

    /// Lanes of wave `w` have exited: what waited for them may go on.
    pub(crate) fn after_exit(&mut self, block: &mut Block, _w: usize) -> Result<(), Stop> {
        self.finish_meetings(block)?;
        self.finish_barriers(block)
    }
}

fn threads(count: Option<u32>) -> String {
    count.map_or_else(
        || "all threads".to_owned(),
        |count| format!("{count} threads"),
    )
}
