//! The ladder as data: what the host needs to launch a step and to bound its error.

use super::BLOCK;
use super::persistent::LOADS;
use super::v9_many::{RESIDENT, WIDE_BLOCK};
use crate::element::PACK_BYTES;

/// How much of the input a thread takes in one tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// So many elements.
    Elements(u32),
    /// So many bytes: 16-byte packs.
    Bytes(u32),
}

/// How the block results become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The elements go to `out[0]` by atomics; it must hold the identity before.
    /// Kernel arguments: `(input, out)`.
    Atomics,
    /// The same kernel reduces the partials, until one block is left.
    /// Kernel arguments: `(input, partials)`.
    Relaunch,
    /// The last block does. Kernel arguments: `(input, partials, ticket, out)`; `ticket` is 0.
    LastBlock,
}

/// One step of the ladder.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Its number, the N of `_vN_`.
    pub id: u32,
    /// The last part of the kernels' names.
    pub name: &'static str,
    /// The one idea that sets it apart from the step before.
    pub idea: &'static str,
    /// Threads in a block.
    pub block: u32,
    /// What a thread takes per tile.
    pub per_thread: Extent,
    /// Blocks per multiprocessor at most, for grids that walk over the input.
    pub resident: Option<u32>,
    /// How the block results become one.
    pub finish: Finish,
}

const fn tree(id: u32, name: &'static str, idea: &'static str, elements: u32) -> Step {
    Step {
        id,
        name,
        idea,
        block: BLOCK,
        per_thread: Extent::Elements(elements),
        resident: None,
        finish: Finish::Relaunch,
    }
}

const fn walk(id: u32, name: &'static str, idea: &'static str, finish: Finish) -> Step {
    Step {
        id,
        name,
        idea,
        block: WIDE_BLOCK,
        per_thread: Extent::Bytes((LOADS * PACK_BYTES) as u32),
        resident: Some(RESIDENT),
        finish,
    }
}

/// All steps, slowest first.
pub const STEPS: [Step; 12] = [
    Step {
        finish: Finish::Atomics,
        ..tree(0, "atomic", "one atomic per element", 1)
    },
    tree(
        1,
        "interleaved_modulo",
        "a tree in shared memory, threads chosen by modulo",
        1,
    ),
    tree(
        2,
        "interleaved_strided",
        "neighbouring threads work: whole warps drop out",
        1,
    ),
    tree(
        3,
        "sequential",
        "sequential addressing: no bank conflicts",
        1,
    ),
    tree(
        4,
        "first_add",
        "the first addition on load: no thread starts idle",
        2,
    ),
    tree(
        5,
        "last_warp_shuffle",
        "the last warp finishes by shuffles",
        2,
    ),
    tree(
        6,
        "shuffle_shared",
        "shuffles in every warp, one shared slot a warp, one barrier",
        2,
    ),
    tree(
        7,
        "redux",
        "redux.sync for the five shuffles, where the type has it",
        2,
    ),
    Step {
        per_thread: Extent::Bytes(PACK_BYTES as u32),
        ..tree(8, "vector", "16 bytes per load instruction", 0)
    },
    walk(
        9,
        "many",
        "many elements per thread, four loads in flight",
        Finish::Relaunch,
    ),
    walk(
        10,
        "last_block",
        "one launch: the last block reduces the partials",
        Finish::LastBlock,
    ),
    walk(
        11,
        "streaming",
        "cache hints: no L1, 256 bytes at once into L2",
        Finish::LastBlock,
    ),
];

/// The step of that number.
pub fn step(id: u32) -> Option<&'static Step> {
    STEPS.iter().find(|step| step.id == id)
}

impl Step {
    /// Elements that a thread takes per tile.
    pub const fn elements_per_thread(&self, element_size: usize) -> u64 {
        match self.per_thread {
            Extent::Elements(count) => count as u64,
            Extent::Bytes(bytes) => (bytes as usize / element_size) as u64,
        }
    }

    /// Blocks to launch for `len` elements on a device of so many multiprocessors: at least one,
    /// so that nothing gives the identity.
    pub const fn grid(&self, len: u64, element_size: usize, multiprocessors: u32) -> u32 {
        let tile = self.block as u64 * self.elements_per_thread(element_size);
        let blocks = len.div_ceil(tile);
        let most = match self.resident {
            Some(resident) => resident as u64 * multiprocessors as u64,
            None => u32::MAX as u64 >> 1,
        };
        let blocks = if blocks < most { blocks } else { most };
        if blocks == 0 { 1 } else { blocks as u32 }
    }

    /// The longest chain of additions that an element goes through, over all launches: the *d* in
    /// the error bound γ_d · Σ|x| of a float sum.
    pub fn depth(&self, len: u64, element_size: usize, multiprocessors: u32) -> u64 {
        if let Finish::Atomics = self.finish {
            return len;
        }
        launches(self, len, element_size, multiprocessors)
            .map(|(len, grid)| self.depth_of_launch(len, grid, element_size))
            .sum()
    }

    /// Of one launch: in the thread, in the block, the identity at the end, and for the last block
    /// the partials.
    fn depth_of_launch(&self, len: u64, grid: u32, element_size: usize) -> u64 {
        let block = u64::from(self.block);
        let tile = block * self.elements_per_thread(element_size);
        let in_thread = match self.per_thread {
            Extent::Elements(count) => u64::from(count),
            // A pack folded, added per tile, the packs of a ragged tile, head and tail, the
            // accumulators.
            Extent::Bytes(_) => len.div_ceil(tile).div_ceil(u64::from(grid)) + 2 + 4 + 2 + 2,
        };
        let in_block = u64::from(2 * self.block.ilog2());
        let partials = match self.finish {
            Finish::LastBlock => u64::from(grid).div_ceil(block) + in_block,
            _ => 0,
        };
        in_thread + in_block + 1 + partials
    }
}

/// The launches of a step as (elements, blocks): the last one has one block, or finishes by itself.
pub fn launches(
    step: &Step,
    len: u64,
    element_size: usize,
    multiprocessors: u32,
) -> impl Iterator<Item = (u64, u32)> {
    let relaunch = matches!(step.finish, Finish::Relaunch);
    let first = (len, step.grid(len, element_size, multiprocessors));
    core::iter::successors(Some(first), move |&(_, grid)| {
        let len = u64::from(grid);
        (relaunch && grid > 1).then(|| (len, step.grid(len, element_size, multiprocessors)))
    })
}
