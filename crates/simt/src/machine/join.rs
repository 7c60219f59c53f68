//! How lanes part and meet, under each execution model.

use super::wave::{Join, Part, State, Wave};
use crate::code::{Code, JoinPlace, NONE, Region};
use crate::options::{Model, Policy};

/// What the model and policy say about meeting.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting<'a> {
    /// Parted lanes wait for each other at the branch's post-dominator.
    pub(crate) joins: bool,
    /// Those that may still come also wait for each other before it.
    early: bool,
    /// Parts that stand at the same instruction become one whenever that happens.
    pub(crate) by_pc: bool,
    regions: &'a [Region],
}

impl<'a> Meeting<'a> {
    pub(crate) fn of(model: Model, policy: Policy, code: &'a Code) -> Meeting<'a> {
        let (joins, by_pc) = match model {
            Model::Independent => (policy != Policy::Adversarial, false),
            Model::PostDominatorStack => (true, false),
            Model::SmallestPc | Model::Majority => (false, true),
        };
        Meeting {
            joins,
            early: model == Model::Independent,
            by_pc,
            regions: &code.joins.regions,
        }
    }

    /// Whether lanes at `pc` may still come to a join.
    fn may_come(&self, join: &Join, pc: u32) -> bool {
        let region = self.regions.get(join.region as usize);
        region.is_none_or(|region| region.contains(pc))
    }
}

impl Wave {
    /// Splits part `p`: the lanes of `taken` go to `target`, the others to `next`, and they meet at
    /// `places`, of which the first is the outermost.
    pub(crate) fn diverge(
        &mut self,
        meeting: Meeting<'_>,
        p: usize,
        taken: u64,
        [target, next]: [u32; 2],
        places: &[JoinPlace],
    ) {
        let part = self.parts[p];
        let mut join = part.join;
        let wanted = |place: &&JoinPlace| meeting.joins && (place.region == NONE || meeting.early);
        for place in places.iter().filter(wanted) {
            if self.waits_at(join, place.pc, part.frame) {
                continue;
            }
            join = self.new_join(Join {
                pc: place.pc,
                region: place.region,
                frame: part.frame,
                expected: part.mask,
                arrived: 0,
                parent: join,
                used: true,
            });
        }
        // The lanes that fall through run first: they come last, on top.
        self.parts[p] = Part {
            mask: part.mask & taken,
            pc: target,
            join,
            ..part
        };
        let id = part.id;
        let other = self.push(Part {
            mask: part.mask & !taken,
            pc: next,
            join,
            ..part
        });
        for id in [id, other] {
            if let Some(p) = self.find(id) {
                self.settle(meeting, p);
            }
        }
    }

    /// Whether a join, or one further out in the same frame, is at `pc`.
    fn waits_at(&self, mut join: u32, pc: u32, frame: u32) -> bool {
        while let Some(at) = self.join(join).filter(|at| at.frame == frame) {
            if at.pc == pc {
                return true;
            }
            join = at.parent;
        }
        false
    }

    /// Part `p` has come to its instruction: it may be where its lanes wait, or where another part
    /// stands, or where no way leads to the join. The part may be gone afterwards.
    pub(crate) fn settle(&mut self, meeting: Meeting<'_>, p: usize) {
        if meeting.by_pc {
            self.merge(p);
            return;
        }
        let part = self.parts[p];
        let Some(&join) = self.join(part.join).filter(|join| join.frame == part.frame) else {
            return;
        };
        if join.pc == part.pc {
            self.parts.remove(p);
            self.joins[part.join as usize].arrived |= part.mask;
            self.complete(meeting, part.join);
        } else if !meeting.may_come(&join, part.pc) {
            // Nobody waits for these lanes here any more.
            self.parts[p].join = join.parent;
            self.joins[part.join as usize].expected &= !part.mask;
            self.complete(meeting, part.join);
            if let Some(p) = self.find(part.id) {
                self.settle(meeting, p);
            }
        }
    }

    /// If all the lanes of a join are there, they go on together.
    pub(crate) fn complete(&mut self, meeting: Meeting<'_>, index: u32) {
        let Some(&join) = self.join(index) else {
            return;
        };
        if join.arrived != join.expected {
            return;
        }
        self.joins[index as usize].used = false;
        if join.arrived != 0 {
            let mut parent = join.parent;
            // Whoever is together needs no join further out.
            while let Some(outer) = self.joins.get_mut(parent as usize).filter(|outer| {
                outer.used
                    && outer.frame == join.frame
                    && outer.expected == join.arrived
                    && outer.arrived == 0
            }) {
                outer.used = false;
                parent = outer.parent;
            }
            self.push(Part {
                id: 0,
                mask: join.arrived,
                pc: join.pc,
                frame: join.frame,
                join: parent,
                state: State::Ready,
            });
            self.settle(meeting, self.parts.len() - 1);
        }
    }

    /// Lanes leave for good: the joins from `index` outwards, as long as they are in `frame` (or
    /// all, with [`NONE`]), no longer expect them. Returns the first join further out.
    pub(crate) fn leave(
        &mut self,
        meeting: Meeting<'_>,
        lanes: u64,
        index: u32,
        frame: u32,
    ) -> u32 {
        let mut at = index;
        while let Some(&join) = self.join(at) {
            if frame != NONE && join.frame != frame {
                break;
            }
            self.joins[at as usize].expected &= !lanes;
            self.complete(meeting, at);
            at = join.parent;
        }
        at
    }

    /// Joins part `p` with every other that is ready at the same instruction of the same frame and
    /// waits for the same join.
    pub(crate) fn merge(&mut self, p: usize) {
        let part = self.parts[p];
        let mut mask = part.mask;
        self.parts.retain(|other| {
            let same = other.id != part.id
                && (other.pc, other.frame, other.join) == (part.pc, part.frame, part.join)
                && other.state == State::Ready
                && part.state == State::Ready;
            if same {
                mask |= other.mask;
            }
            !same
        });
        if let Some(p) = self.find(part.id) {
            self.parts[p].mask = mask;
        }
    }

    /// Lets lanes that wait at joins go on without the others: what a machine with independent
    /// thread scheduling does when nothing else can run. Returns whether there were any.
    pub(crate) fn release_joins(&mut self) -> bool {
        let mut released = false;
        for index in 0..self.joins.len() {
            let join = self.joins[index];
            if !join.used || join.arrived == 0 {
                continue;
            }
            released = true;
            self.joins[index].expected &= !join.arrived;
            self.joins[index].arrived = 0;
            self.joins[index].used = self.joins[index].expected != 0;
            self.push(Part {
                id: 0,
                mask: join.arrived,
                pc: join.pc,
                frame: join.frame,
                join: join.parent,
                state: State::Ready,
            });
        }
        released
    }
}
