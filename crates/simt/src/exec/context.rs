//! What an instruction sees: the registers of its warp, and memory.

use super::lanes::{LANES, Level};
use crate::code::Code;
use crate::findings::Kind;
use crate::memory::Memory;
use crate::watch::Watch;

/// The state that instructions work on. One per worker; bound to a warp and a frame before each
/// stretch of code.
pub(crate) struct Lanes<'a> {
    /// The frame of the bound half-warp… of 32 lanes.
    pub(crate) regs: *mut u8,
    /// Active lanes.
    pub(crate) mask: u32,
    pub(crate) code: &'a Code,
    /// What the host can do.
    pub(crate) level: Level,
    pub(crate) memory: &'a Memory,
    /// No other worker runs blocks of this launch: plain copies will do.
    pub(crate) exclusive: bool,
    /// The allocation that each access met last.
    pub(crate) sites: Box<[Site]>,
    /// The block's shared memory.
    pub(crate) shared: *mut u8,
    pub(crate) shared_len: u32,
    /// Local memory of lane 0; those of the others follow at `local_stride`.
    pub(crate) local: *mut u8,
    pub(crate) local_stride: u32,
    /// Where the frame lies in local memory.
    pub(crate) local_base: u32,
    /// The kernel's parameters.
    pub(crate) params: &'a [u8],
    /// The first fault since it was last asked for.
    pub(crate) fault: Option<Box<Fault>>,
    /// The bound warp.
    pub(crate) at: At,
    /// Findings and counters of memory, where they are wanted.
    pub(crate) watch: Option<Box<Watch>>,
    /// Warp instructions executed so far by this worker: the emulated clock.
    pub(crate) clock: u64,
    /// Atomics and volatile loads executed: whoever makes them may be waiting for another thread.
    pub(crate) asks: u64,
    /// Thread instructions that a false guard switched off.
    pub(crate) predicated_off: u64,
}

/// Which warp is bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct At {
    /// Number of the block in the grid.
    pub(crate) block: u64,
    /// Warp of the block, of 32 lanes.
    pub(crate) warp: u32,
}

/// The allocation that an access met last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub(crate) base: u64,
    pub(crate) len: u64,
    pub(crate) host: *mut u8,
    pub(crate) writable: bool,
    /// Its number among the allocations.
    pub(crate) index: u32,
}

impl Site {
    pub(crate) const EMPTY: Site = Site {
        base: 0,
        len: 0,
        host: std::ptr::null_mut(),
        writable: false,
        index: u32::MAX,
    };
}

/// A fault before it is told: the place is added by whoever knows it.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    pub(crate) pc: u32,
    pub(crate) at: At,
    pub(crate) lane: Option<u32>,
    pub(crate) title: String,
    pub(crate) notes: Vec<String>,
    pub(crate) help: Option<String>,
}

impl<'a> Lanes<'a> {
    pub(crate) fn new(code: &'a Code, memory: &'a Memory, params: &'a [u8]) -> Lanes<'a> {
        Lanes {
            regs: std::ptr::null_mut(),
            mask: 0,
            code,
            level: Level::detect(),
            memory,
            exclusive: true,
            sites: vec![Site::EMPTY; code.accesses.len()].into_boxed_slice(),
            shared: std::ptr::null_mut(),
            shared_len: 0,
            local: std::ptr::null_mut(),
            local_stride: 0,
            local_base: 0,
            params,
            fault: None,
            at: At::default(),
            watch: None,
            clock: 0,
            asks: 0,
            predicated_off: 0,
        }
    }

    /// Records a fault, unless there is one already: what follows a fault may only follow from it.
    #[cold]
    pub(crate) fn raise(&mut self, fault: Fault) {
        if self.fault.is_none() {
            self.fault = Some(Box::new(fault));
        }
    }

    /// A fault of one lane at an instruction.
    #[cold]
    pub(crate) fn raise_at(&mut self, kind: Kind, pc: u32, lane: usize, title: String) {
        debug_assert!(lane < LANES);
        self.raise(Fault {
            kind,
            pc,
            at: self.at,
            lane: Some(lane as u32),
            title,
            notes: Vec::new(),
            help: None,
        });
    }
}
