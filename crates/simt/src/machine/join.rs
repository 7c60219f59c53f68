//! How lanes part and meet, under each execution model.

use super::wave::{Join, Part, State, Wave};
use crate::code::NONE;
use crate::options::{Model, Policy};

/// What the model and policy say about meeting.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    /// Parted lanes wait for each other at the branch's post-dominator.
    pub(crate) joins: bool,
    /// Parts that stand at the same instruction become one whenever that happens.
    pub(crate) by_pc: bool,
}

impl Meeting {
    pub(crate) fn of(model: Model, policy: Policy) -> Meeting {
        match model {
            Model::Independent => Meeting {
                joins: policy != Policy::Adversarial,
                by_pc: false,
            },
            Model::PostDominatorStack => Meeting {
                joins: true,
                by_pc: false,
            },
            Model::SmallestPc | Model::Majority => Meeting {
                joins: false,
                by_pc: true,
            },
        }
    }
}

impl Wave {
    /// Splits part `p`: the lanes of `taken` go to `target`, the others to `next`.
    pub(crate) fn diverge(
        &mut self,
        meeting: Meeting,
        p: usize,
        taken: u64,
        [target, next]: [u32; 2],
        join_pc: u32,
    ) {
        let part = self.parts[p];
        let mut join = part.join;
        if meeting.joins && join_pc != NONE {
            let same = self
                .join(join)
                .is_some_and(|j| j.pc == join_pc && j.frame == part.frame);
            if !same {
                join = self.new_join(Join {
                    pc: join_pc,
                    frame: part.frame,
                    expected: part.mask,
                    arrived: 0,
                    parent: part.join,
                    used: true,
                });
            }
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

    /// Part `p` has come to its instruction: it may be where its lanes wait, or where another part
    /// stands. The part may be gone afterwards.
    pub(crate) fn settle(&mut self, meeting: Meeting, p: usize) {
        let part = self.parts[p];
        if meeting.by_pc {
            self.merge(p);
            return;
        }
        let Some(&join) = self.join(part.join) else {
            return;
        };
        if join.pc != part.pc || join.frame != part.frame {
            return;
        }
        self.parts.remove(p);
        self.joins[part.join as usize].arrived |= part.mask;
        self.complete(meeting, part.join);
    }

    /// If all the lanes of a join are there, they go on together.
    pub(crate) fn complete(&mut self, meeting: Meeting, index: u32) {
        let Some(&join) = self.join(index) else {
            return;
        };
        if join.arrived != join.expected {
            return;
        }
        self.joins[index as usize].used = false;
        if join.arrived != 0 {
            self.push(Part {
                id: 0,
                mask: join.arrived,
                pc: join.pc,
                frame: join.frame,
                join: join.parent,
                state: State::Ready,
            });
            self.settle(meeting, self.parts.len() - 1);
        }
    }

    /// Lanes leave for good: the joins from `index` outwards, as long as they are in `frame` (or
    /// all, with [`NONE`]), no longer expect them. Returns the first join further out.
    pub(crate) fn leave(&mut self, meeting: Meeting, lanes: u64, index: u32, frame: u32) -> u32 {
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
