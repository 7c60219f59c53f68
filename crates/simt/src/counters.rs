//! What a launch did, in numbers.

use crate::code::{Class, Code};
use crate::findings::Source;
use std::collections::BTreeMap;

/// Counts of a launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counters {
    /// Instructions issued, each once for the lanes that issue together.
    pub warp_instructions: u64,
    /// The same, times the lanes that were active.
    pub thread_instructions: u64,
    /// Of those, executed by threads that a false guard switched off.
    pub predicated_off: u64,
    /// Lanes that issue together.
    pub width: u32,
    /// Conditional branches issued, and those at which lanes parted.
    pub branches: u64,
    /// Branches at which lanes parted.
    pub divergent_branches: u64,
    /// Releases of block barriers.
    pub barriers: u64,
    /// Blocks and threads that ran.
    pub blocks: u64,
    /// Threads that ran.
    pub threads: u64,
    /// Memory traffic; only with [`Options::profile`](crate::Options::profile).
    pub memory: MemoryCounters,
    /// By opcode: instructions issued and threads; only with a profile.
    pub opcodes: BTreeMap<String, Count>,
    /// By class; only with a profile.
    pub classes: BTreeMap<&'static str, Count>,
    /// By line of the program; only with a profile.
    pub lines: BTreeMap<Source, Count>,
    /// By instruction, in the order of the code; only with a profile.
    pub instructions: Vec<InstructionCount>,
}

/// Instructions issued, and the same times the active lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Issued.
    pub warps: u64,
    /// Executed by threads.
    pub threads: u64,
}

/// How often one instruction ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionCount {
    /// Its number in the kernel.
    pub pc: u32,
    /// Line of the PTX text.
    pub ptx_line: u32,
    /// Its text.
    pub text: String,
    /// How often.
    pub count: Count,
}

/// Memory traffic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryCounters {
    /// Global loads and stores issued.
    pub requests: u64,
    /// Sectors of 32 bytes that they touched.
    pub sectors: u64,
    /// Bytes that threads asked for.
    pub bytes: u64,
    /// Shared accesses issued.
    pub shared_requests: u64,
    /// Passes that they took: 1 each without bank conflicts.
    pub shared_passes: u64,
}

impl MemoryCounters {
    /// Sectors per request of global memory.
    pub fn sectors_per_request(&self) -> f64 {
        ratio(self.sectors, self.requests)
    }

    /// Share of the fetched bytes that were asked for.
    pub fn coalescing(&self) -> f64 {
        ratio(self.bytes, self.sectors * 32)
    }

    /// Passes beyond the first, of shared accesses.
    pub fn bank_conflicts(&self) -> u64 {
        self.shared_passes - self.shared_requests.min(self.shared_passes)
    }

    fn add(&mut self, other: &MemoryCounters) {
        self.requests += other.requests;
        self.sectors += other.sectors;
        self.bytes += other.bytes;
        self.shared_requests += other.shared_requests;
        self.shared_passes += other.shared_passes;
    }
}

fn ratio(a: u64, b: u64) -> f64 {
    if b == 0 { 0.0 } else { a as f64 / b as f64 }
}

impl Counters {
    /// Active lanes per instruction, as a share of the width.
    pub fn simd_efficiency(&self) -> f64 {
        ratio(
            self.thread_instructions,
            self.warp_instructions * u64::from(self.width),
        )
    }

    /// Active lanes per instruction.
    pub fn average_active_lanes(&self) -> f64 {
        ratio(self.thread_instructions, self.warp_instructions)
    }

    /// Share of conditional branches at which lanes did not part.
    pub fn branch_efficiency(&self) -> f64 {
        if self.branches == 0 {
            return 1.0;
        }
        ratio(
            self.branches - self.divergent_branches.min(self.branches),
            self.branches,
        )
    }
}

/// Counts of one worker.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) issued: u64,
    pub(crate) threads: u64,
    pub(crate) branches: u64,
    pub(crate) divergent: u64,
    pub(crate) barriers: u64,
    pub(crate) blocks: u64,
    pub(crate) predicated_off: u64,
    pub(crate) memory: MemoryCounters,
    pub(crate) profile: Option<Profile>,
}

/// How often each instruction ran, as differences between neighbours.
#[derive(Clone, Debug, Default)]
pub(crate) struct Profile {
    warps: Vec<i64>,
    threads: Vec<i64>,
}

impl Profile {
    pub(crate) fn new(instructions: usize) -> Profile {
        Profile {
            warps: vec![0; instructions + 1],
            threads: vec![0; instructions + 1],
        }
    }

    /// A stretch ran so often, each time by so many threads.
    #[inline(always)]
    pub(crate) fn add(&mut self, from: u32, to: u32, times: i64, threads: u64) {
        let threads = threads as i64 * times;
        if let (Some(a), Some(b)) = (
            self.warps.get_mut(from as usize),
            self.threads.get_mut(from as usize),
        ) {
            *a += times;
            *b += threads;
        }
        if let (Some(a), Some(b)) = (
            self.warps.get_mut(to as usize),
            self.threads.get_mut(to as usize),
        ) {
            *a -= times;
            *b -= threads;
        }
    }

    fn counts(&self) -> Vec<Count> {
        let (mut warps, mut threads) = (0, 0);
        self.warps
            .iter()
            .zip(&self.threads)
            .map(|(w, t)| {
                warps += w;
                threads += t;
                Count {
                    warps: warps as u64,
                    threads: threads as u64,
                }
            })
            .collect()
    }
}

impl Tally {
    /// Adds another worker's counts.
    pub(crate) fn merge(&mut self, other: &Tally) {
        self.issued += other.issued;
        self.threads += other.threads;
        self.branches += other.branches;
        self.divergent += other.divergent;
        self.barriers += other.barriers;
        self.blocks += other.blocks;
        self.predicated_off += other.predicated_off;
        self.memory.add(&other.memory);
        match (&mut self.profile, &other.profile) {
            (Some(mine), Some(theirs)) => {
                mine.warps
                    .iter_mut()
                    .zip(&theirs.warps)
                    .for_each(|(a, b)| *a += b);
                mine.threads
                    .iter_mut()
                    .zip(&theirs.threads)
                    .for_each(|(a, b)| *a += b);
            }
            (mine @ None, Some(theirs)) => *mine = Some(theirs.clone()),
            _ => {}
        }
    }

    /// The counts as they are reported.
    pub(crate) fn counters(&self, code: &Code, width: u32, threads_per_block: u64) -> Counters {
        let mut counters = Counters {
            warp_instructions: self.issued,
            thread_instructions: self.threads,
            predicated_off: self.predicated_off,
            width,
            branches: self.branches,
            divergent_branches: self.divergent,
            barriers: self.barriers,
            blocks: self.blocks,
            threads: self.blocks * threads_per_block,
            memory: self.memory,
            ..Counters::default()
        };
        let Some(profile) = &self.profile else {
            return counters;
        };
        for (pc, (count, info)) in profile.counts().into_iter().zip(&code.info).enumerate() {
            let add = |into: &mut Count| {
                into.warps += count.warps;
                into.threads += count.threads;
            };
            if count.warps > 0 {
                add(counters.opcodes.entry(info.opcode.clone()).or_default());
                add(counters.classes.entry(Class::name(info.class)).or_default());
                if let Some(source) = &info.source {
                    add(counters.lines.entry(source.clone()).or_default());
                }
            }
            counters.instructions.push(InstructionCount {
                pc: pc as u32,
                ptx_line: info.line,
                text: info.text.clone(),
                count,
            });
        }
        counters
    }
}
