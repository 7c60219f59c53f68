//! The state of lanes that issue together.
//!
//! A *wave* is what the emulated machine issues as one: a PTX warp of 32 lanes, a part of one
//! (widths 4, 8, 16), or two (width 64). Its lanes fall into *parts* that stand at the same
//! instruction. Lanes that wait at the point where a branch joins are kept by the *join*.

use super::buffer::Buffer;
use crate::code::NONE;

/// Lanes that stand at one instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// Tells parts apart while the list changes.
    pub(crate) id: u32,
    pub(crate) mask: u64,
    pub(crate) pc: u32,
    /// The register frame.
    pub(crate) frame: u32,
    /// The innermost join that the lanes are to arrive at, or [`NONE`].
    pub(crate) join: u32,
    pub(crate) state: State,
}

/// What a part waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Nothing.
    Ready,
    /// The barrier of that number.
    Barrier(u8),
    /// So many meetings with other lanes of its warp.
    Meeting(u8),
}

/// Where lanes that parted wait for each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Join {
    pub(crate) pc: u32,
    /// From where lanes may come: a number of [`crate::code::Joins::regions`], or [`NONE`].
    pub(crate) region: u32,
    pub(crate) frame: u32,
    /// Lanes that may still come or have come.
    pub(crate) expected: u64,
    /// Lanes that wait here.
    pub(crate) arrived: u64,
    /// The next join outwards.
    pub(crate) parent: u32,
    pub(crate) used: bool,
}

/// Registers of a function's activation, shared by the lanes that called it together.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) function: u32,
    pub(crate) memory: Buffer,
    /// The caller's frame.
    pub(crate) parent: u32,
    /// The call instruction.
    pub(crate) call_pc: u32,
    pub(crate) local_base: u32,
    /// Lanes that have not returned.
    pub(crate) live: u64,
    pub(crate) depth: u32,
    pub(crate) used: bool,
    /// Bytes that each lane allocated behind the frame; empty where none did.
    pub(crate) stack: Vec<u32>,
}

impl Frame {
    /// Bytes that a lane allocated behind the frame.
    pub(crate) fn dynamic(&self, lane: usize) -> u32 {
        self.stack.get(lane).copied().unwrap_or(0)
    }

    pub(crate) fn set_dynamic(&mut self, lane: usize, bytes: u32) {
        if self.dynamic(lane) == bytes {
            return;
        }
        self.stack.resize(64, 0);
        if let Some(slot) = self.stack.get_mut(lane) {
            *slot = bytes;
        }
    }

    /// The most that a lane allocated.
    fn most_dynamic(&self) -> u32 {
        self.stack.iter().copied().max().unwrap_or(0)
    }

    /// Where the frame of a function that is called from here starts.
    pub(crate) fn end(&self, local_bytes: u32) -> u32 {
        let dynamic = self.most_dynamic().next_multiple_of(256);
        self.local_base
            .saturating_add(local_bytes)
            .saturating_add(dynamic)
    }
}

/// Lanes that issue together.
#[derive(Debug, Default)]
pub(crate) struct Wave {
    /// The PTX warp of the lower 32 lanes.
    pub(crate) warp: u32,
    /// 32-lane halves: 1, or 2 at width 64.
    pub(crate) halves: usize,
    /// Lanes that exist.
    pub(crate) lanes: u64,
    /// Lanes that have not exited.
    pub(crate) live: u64,
    pub(crate) parts: Vec<Part>,
    pub(crate) joins: Vec<Join>,
    pub(crate) frames: Vec<Frame>,
    /// Local memory, lane after lane.
    pub(crate) local: Buffer,
    pub(crate) local_stride: u32,
    pub(crate) next_id: u32,
}

impl Wave {
    /// The index of a part.
    pub(crate) fn find(&self, id: u32) -> Option<usize> {
        self.parts.iter().position(|part| part.id == id)
    }

    /// Adds a part.
    pub(crate) fn push(&mut self, part: Part) -> u32 {
        let id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1);
        self.parts.push(Part { id, ..part });
        id
    }

    /// A new join.
    pub(crate) fn new_join(&mut self, join: Join) -> u32 {
        match self.joins.iter().position(|join| !join.used) {
            Some(index) => {
                self.joins[index] = join;
                index as u32
            }
            None => {
                self.joins.push(join);
                self.joins.len() as u32 - 1
            }
        }
    }

    /// The join of that number.
    pub(crate) fn join(&self, index: u32) -> Option<&Join> {
        self.joins
            .get(index as usize)
            .filter(|join| index != NONE && join.used)
    }

    /// The active lanes of a half.
    pub(crate) fn half(mask: u64, half: usize) -> u32 {
        (mask >> (32 * half)) as u32
    }

    /// Grows local memory to `bytes` a lane, keeping what is there.
    pub(crate) fn grow_local(&mut self, bytes: u32) {
        if bytes <= self.local_stride {
            return;
        }
        let stride = bytes
            .next_multiple_of(64)
            .max(self.local_stride.saturating_mul(2));
        let lanes = 32 * self.halves;
        let mut grown = Buffer::new(stride as usize * lanes);
        let old = self.local_stride as usize;
        for lane in 0..lanes {
            let from = self
                .local
                .bytes_mut(lane * old, old)
                .map(|bytes| bytes.to_vec());
            let into = grown.bytes_mut(lane * stride as usize, old);
            if let (Some(from), Some(into)) = (from, into) {
                into.copy_from_slice(&from);
            }
        }
        self.local = grown;
        self.local_stride = stride;
    }
}
