//! Who runs next, inside a block.

use super::block::{Block, splitmix};
use super::run::{Machine, Stop};
use super::wave::{Part, State, Wave};
use crate::exec::context::Fault;
use crate::findings::Kind;
use crate::options::{Model, Policy};

/// What became of a block in its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// All its threads have exited.
    Done,
    /// It can go on later.
    Running,
}

/// Stretches that a part runs before another gets its turn, where several can run.
const SLICE: u32 = 1024;

impl Machine<'_> {
    /// Runs a block until it ends, or has executed `limit` instructions.
    pub(crate) fn run_block(&mut self, block: &mut Block, limit: u64) -> Result<Progress, Stop> {
        self.enter(block);
        let start = self.tally.issued;
        loop {
            if self.tally.issued - start >= limit
                || std::mem::take(&mut block.yielded) && limit != u64::MAX
            {
                return Ok(Progress::Running);
            }
            let Some((w, id)) = self.pick(block) else {
                if block.live.iter().all(|&live| live == 0) {
                    crate::watch::end_block(&mut self.lanes, block);
                    self.check_fault(block)?;
                    return Ok(Progress::Done);
                }
                // Joins keep nobody from going on for ever.
                let model = self.options.model;
                let mut released = false;
                if model == Model::Independent {
                    for wave in &mut block.waves {
                        released |= wave.release_joins();
                    }
                }
                if released {
                    continue;
                }
                return Err(self.deadlock(block));
            };
            let slice = match self.options.policy {
                Policy::GreedyOldest => SLICE,
                Policy::Adversarial => SLICE,
                Policy::RoundRobin | Policy::Random => 1,
            };
            if self.options.policy == Policy::Adversarial {
                self.scatter_part(block, w, id);
            }
            self.run_part(block, w, id, slice)?;
            self.let_go(block, w, id, slice);
            block.current = (w, id);
            block.turn += 1;
        }
    }

    /// A part that has run for long and keeps asking memory may wait for lanes that wait for it at
    /// a join: independent thread scheduling lets those go on.
    fn let_go(&mut self, block: &mut Block, w: usize, id: u32, slice: u32) {
        let long = slice > 1 || block.turn.is_multiple_of(u64::from(SLICE));
        if self.options.model != Model::Independent || !long {
            return;
        }
        let wave = &mut block.waves[w];
        let runs = wave
            .find(id)
            .is_some_and(|p| wave.parts[p].state == State::Ready);
        let asked = self.lanes.asks != std::mem::replace(&mut self.asks_seen, self.lanes.asks);
        if asked && runs {
            wave.release_joins();
        }
    }

    /// The next part to run.
    fn pick(&mut self, block: &mut Block) -> Option<(usize, u32)> {
        let model = self.options.model;
        let (w, id) = block.current;
        match self.options.policy {
            Policy::GreedyOldest => {
                let count = block.waves.len();
                let current = block.waves.get(w);
                // A part whose slice ran out is passed over once: whoever it waits for may run.
                let rotate = match model {
                    Model::Independent => current
                        .and_then(|wave| wave.find(id))
                        .is_some_and(|p| block.waves[w].parts[p].state == State::Ready),
                    _ => block.turn % u64::from(SLICE) == u64::from(SLICE) - 1,
                };
                let after = if rotate { Some(id) } else { None };
                let here = current.and_then(|wave| choose(wave, model, after));
                if let Some(next) = here.filter(|&next| !rotate || next != id)
                    && (model == Model::Independent || !rotate)
                {
                    return Some((w, next));
                }
                let start = if rotate { (w + 1).min(count) } else { 0 };
                let next = |w: usize| choose(&block.waves[w], model, None).map(|id| (w, id));
                (start..count)
                    .find_map(next)
                    .or_else(|| (0..start).find_map(next))
            }
            Policy::RoundRobin => {
                let count = block.waves.len();
                if let Some(next) = block.waves.get(w).and_then(|wave| later(wave, id, model)) {
                    return Some((w, next));
                }
                (1..=count)
                    .map(|k| (w + k) % count.max(1))
                    .find_map(|w| first(&block.waves[w], model).map(|id| (w, id)))
            }
            Policy::Random => self.pick_any(block),
            Policy::Adversarial => {
                // From the end, and from either end of a warp's parts as the seed has it.
                block.random = splitmix(block.random);
                // Now and then anybody, so that nobody starves.
                if block.random.is_multiple_of(8) {
                    return self.pick_any(block);
                }
                let newest = block.random >> 8 & 1 != 0;
                let order: Vec<usize> = if block.random >> 9 & 1 != 0 {
                    (0..block.waves.len()).collect()
                } else {
                    (0..block.waves.len()).rev().collect()
                };
                order.into_iter().find_map(|w| {
                    let wave = &block.waves[w];
                    if model != Model::Independent {
                        return choose(wave, model, None).map(|id| (w, id));
                    }
                    let mut ready = wave.parts.iter().filter(|part| part.state == State::Ready);
                    let part = if newest {
                        ready.next_back()
                    } else {
                        ready.next()
                    };
                    part.map(|part| (w, part.id))
                })
            }
        }
    }

    /// Any part that can run, drawn from the seed.
    fn pick_any(&self, block: &mut Block) -> Option<(usize, u32)> {
        let model = self.options.model;
        let mut ready = Vec::new();
        for (w, wave) in block.waves.iter().enumerate() {
            if model == Model::Independent {
                let parts = wave.parts.iter().filter(|part| part.state == State::Ready);
                ready.extend(parts.map(|part| (w, part.id)));
            } else {
                ready.extend(choose(wave, model, None).map(|id| (w, id)));
            }
        }
        block.random = splitmix(block.random);
        let at = (block.random % ready.len().max(1) as u64) as usize;
        ready.get(at).copied()
    }

    /// Splits a part in two at random, as independent thread scheduling may at any time.
    fn scatter_part(&mut self, block: &mut Block, w: usize, id: u32) {
        block.random = splitmix(block.random);
        let wave = &mut block.waves[w];
        let Some(p) = wave.find(id) else { return };
        let part = wave.parts[p];
        let some = part.mask & block.random;
        if self.options.model != Model::Independent
            || !block.random.is_multiple_of(3)
            || some == 0
            || some == part.mask
            || wave.parts.len() > 8
        {
            return;
        }
        wave.parts[p].mask = part.mask & !some;
        wave.push(Part { mask: some, ..part });
    }

    /// Nobody can run: who waits, and for what.
    fn deadlock(&mut self, block: &mut Block) -> Stop {
        let mut notes = Vec::new();
        let mut here = None;
        for wave in &block.waves {
            for part in &wave.parts {
                let what = match part.state {
                    State::Ready => "below another on the stack".to_owned(),
                    State::Barrier(id) => format!("at barrier {id}"),
                    State::Meeting(_) => "for the other lanes of its mask".to_owned(),
                };
                here.get_or_insert((wave.warp, *part));
                if part.state != State::Ready {
                    here = here
                        .filter(|(_, p): &(u32, Part)| p.state != State::Ready)
                        .or(Some((wave.warp, *part)));
                }
                notes.push(self.waiting(wave, part.mask, part.pc, &what));
            }
            for join in wave
                .joins
                .iter()
                .filter(|join| join.used && join.arrived != 0)
            {
                notes.push(self.waiting(wave, join.arrived, join.pc, "to reconverge"));
            }
        }
        let mismatch = block.meetings.iter().find(|one| {
            block.meetings.iter().any(|other| {
                other.warp == one.warp
                    && other.mask != one.mask
                    && other.op == one.op
                    && other.mask & one.mask != 0
            })
        });
        let (kind, title) = match mismatch {
            Some(one) => (
                Kind::MaskMismatch,
                format!(
                    "lanes of warp {} wait in the same operation with different masks, {}",
                    one.warp,
                    block
                        .meetings
                        .iter()
                        .filter(|other| other.warp == one.warp)
                        .map(|other| format!("{:#010x}", other.mask))
                        .collect::<Vec<_>>()
                        .join(" and ")
                ),
            ),
            None => (
                Kind::Deadlock,
                "deadlock: every thread that is left waits".to_owned(),
            ),
        };
        notes.extend(block.meetings.iter().map(|meeting| {
            let live = block.live.get(meeting.warp as usize).copied().unwrap_or(0);
            format!(
                "warp {}: mask {:#010x}, arrived {:#010x}, missing {:#010x}",
                meeting.warp,
                meeting.mask,
                meeting.arrived,
                meeting.mask & live & !meeting.arrived
            )
        }));
        let (warp, part) = here.unwrap_or((
            0,
            Part {
                id: 0,
                mask: 1,
                pc: 0,
                frame: 0,
                join: crate::code::NONE,
                state: State::Ready,
            },
        ));
        let lane = part.mask.trailing_zeros();
        let mut at = self.lanes.at;
        at.warp = warp + (lane / 32).min(1);
        let fault = Fault {
            kind,
            pc: part.pc,
            at,
            lane: Some(lane & 31),
            title,
            notes,
            help: None,
        };
        Stop::Fault(Box::new(self.tell(block, fault)))
    }

    fn waiting(&self, wave: &Wave, mask: u64, pc: u32, what: &str) -> String {
        let info = self.code.info.get(pc as usize);
        let lanes = if wave.halves == 1 {
            format!("{mask:#010x}")
        } else {
            format!("{mask:#018x}")
        };
        let place = info.map_or_else(String::new, |info| {
            let source = info
                .source
                .as_ref()
                .map_or_else(String::new, |s| format!(", {s}"));
            format!("PTX line {}: {}{source}", info.line, info.text)
        });
        format!("warp {}, lanes {lanes} wait {what} ({place})", wave.warp)
    }
}

/// The part of a wave that the model lets run.
#[inline]
fn choose(wave: &Wave, model: Model, after: Option<u32>) -> Option<u32> {
    // Where there is one, no model has a choice.
    if let [part] = wave.parts.as_slice() {
        return (part.state == State::Ready).then_some(part.id);
    }
    choose_part(wave, model, after)
}

fn choose_part(wave: &Wave, model: Model, after: Option<u32>) -> Option<u32> {
    let ready = || wave.parts.iter().filter(|part| part.state == State::Ready);
    let depth = |part: &Part| {
        wave.frames
            .get(part.frame as usize)
            .map_or(0, |frame| frame.depth)
    };
    let chosen = match model {
        Model::Independent => match after {
            None => ready().next_back(),
            Some(id) => {
                let at = wave.find(id).unwrap_or(0);
                let before = wave.parts[..at]
                    .iter()
                    .rev()
                    .find(|part| part.state == State::Ready);
                before.or_else(|| ready().next_back())
            }
        },
        // Only the top of the stack: what it waits for, it waits for.
        Model::PostDominatorStack => wave.parts.last().filter(|part| part.state == State::Ready),
        Model::SmallestPc => {
            ready().min_by_key(|part| (std::cmp::Reverse(depth(part)), part.pc, part.id))
        }
        Model::Majority => ready().max_by_key(|part| {
            (
                part.mask.count_ones(),
                std::cmp::Reverse(part.pc),
                std::cmp::Reverse(part.id),
            )
        }),
    };
    chosen.map(|part| part.id)
}

fn first(wave: &Wave, model: Model) -> Option<u32> {
    match model {
        Model::Independent => wave
            .parts
            .iter()
            .find(|part| part.state == State::Ready)
            .map(|p| p.id),
        _ => choose(wave, model, None),
    }
}

/// The ready part behind `id` in a wave's list, if the model leaves a choice.
fn later(wave: &Wave, id: u32, model: Model) -> Option<u32> {
    if model != Model::Independent {
        return None;
    }
    let at = wave.find(id)?;
    wave.parts[at + 1..]
        .iter()
        .find(|part| part.state == State::Ready)
        .map(|part| part.id)
}
