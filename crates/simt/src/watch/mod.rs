//! What is observed beside execution: findings, and counters of memory.
//!
//! Blocks run one after the other or in turns on one machine while anything is watched, so that
//! plain state does.

mod block;
mod cell;
mod clocks;
mod global;
mod hash;
mod shared;
mod traffic;

use crate::code::{Access, Check, Code, CollectiveOp};
use crate::counters::MemoryCounters;
use crate::exec::context::{At, Fault, Lanes};
use crate::exec::lanes::{FULL, Ins, LANES, bits, predicate, vector};
use crate::findings::Kind;
use crate::machine::block::Block;
use crate::memory::window::Space;
use crate::options::{Checks, Options};
use block::BlockWatch;
use global::GlobalWatch;
use std::collections::HashMap;

/// State of the observers of one machine.
#[derive(Debug)]
pub(crate) struct Watch {
    /// Instructions have to be run one at a time.
    pub(crate) stepwise: bool,
    pub(crate) memory: MemoryCounters,
    found: Vec<Found>,
    checks: Checks,
    profile: bool,
    /// What belongs to the block that runs, and to those that wait for their turn.
    block: BlockWatch,
    waiting: HashMap<u64, BlockWatch>,
    global: GlobalWatch,
}

/// A finding before its places are told.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) fault: Fault,
    /// What happened before: what, warp, instruction, lane.
    pub(crate) earlier: Vec<(String, At, u32, Option<u32>)>,
}

/// One access of one lane, as the observers see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen<'a> {
    pub(crate) access: &'a Access,
    pub(crate) pc: u32,
    pub(crate) at: At,
    pub(crate) lane: u32,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
}

impl Watch {
    pub(crate) fn new(code: &Code, options: &Options) -> Watch {
        Watch {
            stepwise: options.checks.uninitialized && !code.events.is_empty(),
            memory: MemoryCounters::default(),
            found: Vec::new(),
            checks: options.checks,
            profile: options.profile,
            block: BlockWatch::default(),
            waiting: HashMap::new(),
            global: GlobalWatch::default(),
        }
    }

    /// What was found since it was last asked for.
    pub(crate) fn take(&mut self) -> Vec<Found> {
        std::mem::take(&mut self.found)
    }

    /// Adds a finding, with what happened before.
    fn add(
        &mut self,
        kind: Kind,
        seen: &Seen<'_>,
        title: String,
        earlier: Vec<(String, At, u32, Option<u32>)>,
        help: &str,
    ) {
        // One instruction says the same thing once for a warp.
        let same = |f: &Found| f.fault.kind == kind && f.fault.pc == seen.pc;
        if self.found.iter().any(same) {
            return;
        }
        let fault = Fault {
            kind,
            pc: seen.pc,
            at: seen.at,
            lane: Some(seen.lane),
            title,
            notes: Vec::new(),
            help: Some(help.to_owned()),
        };
        self.found.push(Found { fault, earlier });
    }

    /// Makes the shadow of a block the current one.
    fn switch(&mut self, number: u64) {
        if self.block.number == Some(number) {
            return;
        }
        let next = self.waiting.remove(&number).unwrap_or_default();
        let before = std::mem::replace(&mut self.block, next);
        if let Some(number) = before.number {
            self.waiting.insert(number, before);
        }
    }
}

impl Lanes<'_> {
    /// Notes something wrong that does not end the program.
    #[cold]
    pub(crate) fn note(&mut self, fault: Fault) {
        if let Some(watch) = &mut self.watch {
            watch.found.push(Found {
                fault,
                earlier: Vec::new(),
            });
        }
    }
}

/// An access is about to be made.
pub(crate) fn observe(lanes: &mut Lanes<'_>, ins: &Ins, access: &Access, at: &[u64; LANES]) {
    let Some(mut watch) = lanes.watch.take() else {
        return;
    };
    let bytes = u64::from(access.bytes) * access.registers.len().max(1) as u64;
    if watch.profile {
        traffic::count(&mut watch.memory, lanes, access, at, bytes);
    }
    let looks = watch.checks.uninitialized || watch.checks.races;
    if looks && !in_order(&mut watch, lanes, ins, access, at, bytes) {
        for lane in bits(lanes.mask) {
            let (space, address) = Lanes::locate(access, at[lane]);
            let seen = Seen {
                access,
                pc: ins.pc,
                at: lanes.at,
                lane: lane as u32,
                address,
                bytes,
            };
            match space {
                Space::Global => global::access(&mut watch, lanes, &seen),
                Space::Shared => shared::access(&mut watch, lanes, &seen),
                Space::Local => block::local(&mut watch, lanes, &seen),
                Space::Param => {}
            }
        }
    }
    lanes.watch = Some(watch);
}

/// A call wrote a parameter into the local memory of a lane.
pub(crate) fn passed(lanes: &mut Lanes<'_>, thread: u32, stride: u32, start: u64, bytes: u64) {
    if let Some(watch) = &mut lanes.watch
        && watch.checks.uninitialized
    {
        block::passed(watch, thread, stride, start, bytes);
    }
}

/// An instruction is about to be executed: reads and writes of registers that may not have been
/// written.
pub(crate) fn before(lanes: &mut Lanes<'_>, pc: u32) {
    let code = lanes.code;
    let Some(events) = code.events.get(&pc) else {
        return;
    };
    let Some(mut watch) = lanes.watch.take() else {
        return;
    };
    for event in events.iter().filter(|_| watch.checks.uninitialized) {
        let known = watch
            .block
            .registers
            .entry((lanes.at.warp, event.register))
            .or_insert(0);
        match &event.read {
            Some(name) => {
                let missing = lanes.mask & !*known;
                // Said once, it counts as written.
                *known |= missing;
                if missing != 0 {
                    let fault = Fault {
                        kind: Kind::UninitializedRegister,
                        pc,
                        at: lanes.at,
                        lane: Some(missing.trailing_zeros()),
                        title: format!(
                            "read of register {name}, which lanes {missing:#010x} have not written"
                        ),
                        notes: Vec::new(),
                        help: Some("give the variable a value on every way to its use".to_owned()),
                    };
                    watch.found.push(Found {
                        fault,
                        earlier: Vec::new(),
                    });
                }
            }
            None => {
                let guard = event.guard.map_or(FULL, |guard| {
                    // SAFETY: the guard is a predicate of the entry's frame, which is bound.
                    let p = unsafe { *predicate(lanes, guard.predicate) };
                    p ^ if guard.negated { FULL } else { 0 }
                });
                *known |= lanes.mask & guard;
            }
        }
    }
    lanes.watch = Some(watch);
}

/// A division or shift is about to be executed.
///
/// # Safety
/// - The operand of `check` is a register of the bound frame.
pub(crate) unsafe fn arithmetic(lanes: &mut Lanes<'_>, check: &Check, pc: u32) {
    let (kind, bad, title) = match *check {
        Check::Divisor { offset, bytes } => {
            let zero = |i: usize| {
                // SAFETY: the caller vouches for the register.
                unsafe {
                    match bytes {
                        2 => (*vector::<u16>(lanes, offset))[i] == 0,
                        4 => (*vector::<u32>(lanes, offset))[i] == 0,
                        _ => (*vector::<u64>(lanes, offset))[i] == 0,
                    }
                }
            };
            let bad = bits(lanes.mask).find(|&i| zero(i));
            (
                Kind::DivisionByZero,
                bad,
                "integer division by zero".to_owned(),
            )
        }
        Check::Shift { offset, width } => {
            // SAFETY: the caller vouches for the register.
            let amounts = unsafe { &*vector::<u32>(lanes, offset) };
            let bad = bits(lanes.mask).find(|&i| amounts[i] >= width);
            let by = bad.map_or(0, |i| amounts[i]);
            (
                Kind::ShiftTooWide,
                bad,
                format!("shift of a {width}-bit value by {by}"),
            )
        }
    };
    let Some(lane) = bad else { return };
    let fault = Fault {
        kind,
        pc,
        at: lanes.at,
        lane: Some(lane as u32),
        title,
        notes: Vec::new(),
        help: None,
    };
    lanes.note(fault);
}

/// All lanes access memory in order, one after the other: looked at as a whole, if that settles it.
fn in_order(
    watch: &mut Watch,
    lanes: &Lanes<'_>,
    ins: &Ins,
    access: &Access,
    at: &[u64; LANES],
    bytes: u64,
) -> bool {
    let mut wrong = 0;
    for (&address, i) in at.iter().zip(0..) {
        wrong |= address.wrapping_sub(at[0].wrapping_add(i * bytes));
    }
    if lanes.mask != FULL || wrong != 0 {
        return false;
    }
    whole(watch, lanes, ins, access, at[0], bytes)
}

/// All lanes are about to access memory in order, one element after the other from `start` on, and
/// may. Returns whether that settles it; if not, [`observe`] is to be asked.
pub(crate) fn row(lanes: &mut Lanes<'_>, ins: &Ins, access: &Access, start: u64) -> bool {
    let Some(mut watch) = lanes.watch.take() else {
        return true;
    };
    let looks = watch.checks.uninitialized || watch.checks.races;
    let settled = !watch.profile
        && (!looks || whole(&mut watch, lanes, ins, access, start, access.bytes.into()));
    lanes.watch = Some(watch);
    settled
}

/// A row of accesses, the first at `start`.
fn whole(
    watch: &mut Watch,
    lanes: &Lanes<'_>,
    ins: &Ins,
    access: &Access,
    start: u64,
    bytes: u64,
) -> bool {
    let (space, address) = Lanes::locate(access, start);
    let seen = Seen {
        access,
        pc: ins.pc,
        at: lanes.at,
        lane: 0,
        address,
        bytes,
    };
    match space {
        Space::Global => global::lines(watch, lanes, &seen, 32 * bytes),
        Space::Shared => bytes == 4 && shared::line(watch, lanes, &seen),
        Space::Local | Space::Param => false,
    }
}

/// The active threads execute a fence; a wide one reaches beyond the block.
pub(crate) fn fence(lanes: &mut Lanes<'_>, wide: bool) {
    let number = lanes.at.block;
    if let Some(watch) = &mut lanes.watch
        && wide
    {
        watch.global.fence(number);
    }
}

/// The lanes of `group` have met in a collective operation. Only `bar.warp.sync` orders memory
/// (PTX ISA, "bar.warp.sync").
pub(crate) fn collective(lanes: &mut Lanes<'_>, op: CollectiveOp, group: u32) {
    let warp = lanes.at.warp;
    if let Some(watch) = &mut lanes.watch
        && op == CollectiveOp::Sync
    {
        watch.block.clocks.warp_sync(warp, group);
    }
}

/// A barrier releases those who arrived: lanes by warp.
pub(crate) fn barrier(lanes: &mut Lanes<'_>, arrived: &[u32], _whole: bool) {
    if let Some(watch) = &mut lanes.watch {
        watch.block.clocks.barrier(arrived);
    }
}

/// A block begins.
pub(crate) fn start_block(lanes: &mut Lanes<'_>, block: &Block) {
    if let Some(watch) = &mut lanes.watch {
        watch.switch(block.number);
        watch.block = BlockWatch::new(block.number, block.shared_len, block.existing.len());
    }
}

/// A block gets its turn.
pub(crate) fn enter_block(lanes: &mut Lanes<'_>, block: &Block) {
    if let Some(watch) = &mut lanes.watch {
        watch.switch(block.number);
    }
}

/// A block has ended.
pub(crate) fn end_block(lanes: &mut Lanes<'_>, _block: &Block) {
    if let Some(watch) = &mut lanes.watch {
        watch.block = BlockWatch::default();
    }
}
