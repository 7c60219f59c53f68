//! Global memory: reads of what nobody wrote, and races between blocks.
//!
//! Blocks are ordered by what they hand on through memory: a release (a fence, then an atomic or
//! volatile write; or a `.release`) that an acquire of another block reads from.

use super::cell::{Cell, Cells, LINE, Stamp};
use super::hash::Map;
use super::{Seen, Watch};
use crate::exec::context::{At, Lanes};
use crate::findings::Kind;
use crate::memory::{Allocation, heap};

/// Up to which stamp the accesses of each other block come before one's own.
type Known = Map<u32, u32>;

/// What is known of global memory during a launch.
#[derive(Debug, Default)]
pub(crate) struct GlobalWatch {
    /// By number of the allocation.
    cells: Vec<Option<Box<Cells>>>,
    /// By address of the heap's block.
    heap: Map<u64, Box<Cells>>,
    /// The block that asked last, and the others.
    here: (u32, BlockClock),
    blocks: Map<u32, BlockClock>,
    /// What a location hands on.
    published: Map<u64, Known>,
}

/// Whose memory it is: an allocation of the host, by number, or a block of the device's heap, by
/// address.
#[derive(Clone, Copy)]
enum Owner {
    Allocation(usize),
    Heap(u64),
}

#[derive(Debug, Default)]
struct BlockClock {
    now: u32,
    known: Known,
    /// What the last fence covers: it is what a relaxed write hands on.
    fenced: Known,
    /// What relaxed reads received: a fence makes it known.
    pending: Known,
}

fn join(into: &mut Known, from: &Known) {
    for (&block, &clock) in from {
        let slot = into.entry(block).or_insert(0);
        *slot = (*slot).max(clock);
    }
}

impl GlobalWatch {
    /// The clock of a block.
    #[inline]
    fn clock(&mut self, block: u32) -> &mut BlockClock {
        if self.here.0 != block {
            let next = self.blocks.remove(&block).unwrap_or_default();
            let (number, before) = std::mem::replace(&mut self.here, (block, next));
            self.blocks.insert(number, before);
        }
        &mut self.here.1
    }

    /// The clock of a block, and the cells of memory of so many bytes.
    #[inline]
    fn parts(&mut self, block: u32, owner: Owner, len: u64) -> (&BlockClock, &mut Cells) {
        self.clock(block);
        let new = || Box::new(Cells::new(len));
        let cells = match owner {
            Owner::Allocation(index) => {
                if self.cells.len() <= index {
                    self.cells.resize_with(index + 1, || None);
                }
                self.cells[index].get_or_insert_with(new)
            }
            Owner::Heap(base) => self.heap.entry(base).or_insert_with(new),
        };
        (&self.here.1, cells)
    }

    /// A thread of the block executes a fence of gpu scope or wider.
    pub(crate) fn fence(&mut self, block: u64) {
        let block = block as u32;
        let clock = self.clock(block);
        let pending = std::mem::take(&mut clock.pending);
        join(&mut clock.known, &pending);
        clock.now += 1;
        clock.fenced = clock.known.clone();
        clock.fenced.insert(block, clock.now);
    }

    fn receive(&mut self, block: u32, location: u64, acquire: bool) {
        self.clock(block);
        let (Some(published), clock) = (self.published.get(&location), &mut self.here.1) else {
            return;
        };
        join(
            if acquire {
                &mut clock.known
            } else {
                &mut clock.pending
            },
            published,
        );
    }

    fn publish(&mut self, block: u32, location: u64, release: bool) {
        if release {
            self.fence(u64::from(block));
        }
        self.clock(block);
        let published = self.published.entry(location).or_default();
        join(published, &self.here.1.fenced);
    }
}

/// An access of a thread to global memory.
pub(super) fn access(watch: &mut Watch, lanes: &Lanes<'_>, seen: &Seen<'_>) {
    if seen.address >= heap::FIRST {
        return on_heap(watch, lanes, seen);
    }
    let Some((index, allocation)) = allocation(lanes, seen) else {
        return;
    };
    let offset = seen.address - allocation.base();
    if allocation.is_freed() || offset > allocation.len() || seen.bytes > allocation.len() - offset
    {
        return;
    }
    if watch.checks.uninitialized
        && let Some(written) = &allocation.written
    {
        let missing = seen.access.kind.reads() && !written.all(offset, seen.bytes);
        if seen.access.kind.writes() || missing {
            written.set(offset, seen.bytes);
        }
        if missing {
            let title = format!(
                "read of {} bytes of global memory at {:#x}, which nothing has written: {offset} bytes into {} of {} bytes",
                seen.bytes,
                seen.address,
                allocation.origin(),
                allocation.len()
            );
            let help = "copy or set the buffer before the launch, or write it before it is read";
            watch.add(Kind::UninitializedMemory, seen, title, Vec::new(), help);
        }
    }
    if watch.checks.races {
        race(
            watch,
            seen,
            Owner::Allocation(index),
            allocation.len(),
            offset,
        );
    }
}

/// An access to a block that `malloc` gave.
fn on_heap(watch: &mut Watch, lanes: &Lanes<'_>, seen: &Seen<'_>) {
    let place = lanes.memory.heap.place(seen.address);
    let Some(place) = place.filter(|it| it.range(seen.address, seen.bytes).is_some()) else {
        return;
    };
    let offset = seen.address - place.base;
    if watch.checks.uninitialized
        && let Some(written) = &place.written
    {
        let missing = seen.access.kind.reads() && !written.all(offset, seen.bytes);
        if seen.access.kind.writes() || missing {
            written.set(offset, seen.bytes);
        }
        if missing {
            let title = format!(
                "read of {} bytes of global memory at {:#x}, which nothing has written: {offset} \
                 bytes into a heap block of {} bytes",
                seen.bytes, seen.address, place.len
            );
            let help = "write what `malloc` gave before it is read";
            watch.add(Kind::UninitializedMemory, seen, title, Vec::new(), help);
        }
    }
    if watch.checks.races {
        race(watch, seen, Owner::Heap(place.base), place.len, offset);
    }
}

/// The allocation that an access meets, or the nearest one below, and its number.
#[inline]
fn allocation<'a>(lanes: &Lanes<'a>, seen: &Seen<'_>) -> Option<(usize, &'a Allocation)> {
    // Mostly the one that this access met last.
    let all = lanes.memory.allocations();
    let site = lanes.sites.get(seen.access.site as usize)?;
    let index = match all.get(site.index as usize) {
        Some(last) if seen.address.wrapping_sub(last.base()) < last.len() => site.index as usize,
        _ => lanes.memory.below_index(seen.address)?,
    };
    Some((index, all.get(index)?))
}

fn race(watch: &mut Watch, seen: &Seen<'_>, owner: Owner, len: u64, offset: u64) {
    let kind = seen.access.kind;
    let block = seen.at.block as u32;
    let (acquire, release) = match kind {
        crate::code::AccessKind::StrongLoad { acquire } => (acquire, false),
        crate::code::AccessKind::StrongStore { release } => (false, release),
        crate::code::AccessKind::Atomic { acquire, release } => (acquire, release),
        _ => (false, false),
    };
    let global = &mut watch.global;
    if kind.strong() && kind.reads() {
        global.receive(block, seen.address, acquire);
    }
    if kind.strong() && kind.writes() {
        global.publish(block, seen.address, release);
    }
    let (clock, cells) = global.parts(block, owner, len);
    let stamp = Stamp {
        who: block,
        clock: clock.now,
        pc: seen.pc,
        thread: (seen.at.warp * 32 + seen.lane) as u16,
        strong: kind.strong(),
    };
    let known = &clock.known;
    // Words of a line that had one stamp keep it: the block is what matters.
    let found = cells.find(
        offset,
        seen.bytes,
        |_, _| (),
        |cell| {
            cell.touch(stamp, kind.reads(), kind.writes(), |other| {
                other.who == block
                    || known
                        .get(&other.who)
                        .is_some_and(|&known| known > other.clock)
            })
        },
    );
    if let Some((other, other_wrote)) = found {
        tell(watch, seen, &other, other_wrote);
    }
}

/// All lanes of a warp access global memory in order, `total` bytes together. Returns whether that
/// settles it.
pub(super) fn lines(watch: &mut Watch, lanes: &Lanes<'_>, seen: &Seen<'_>, total: u64) -> bool {
    let kind = seen.access.kind;
    if kind.strong() || !total.is_multiple_of(LINE) {
        return false;
    }
    let Some((index, allocation)) = allocation(lanes, seen) else {
        return false;
    };
    let offset = seen.address - allocation.base();
    let inside = offset < allocation.len() && total <= allocation.len() - offset;
    if allocation.is_freed() || !inside || !offset.is_multiple_of(LINE) {
        return false;
    }
    if watch.checks.uninitialized
        && let Some(written) = &allocation.written
    {
        if kind.reads() && !written.all(offset, total) {
            return false;
        }
        if kind.writes() {
            written.set(offset, total);
        }
    }
    if !watch.checks.races {
        return true;
    }
    let block = seen.at.block as u32;
    let global = &mut watch.global;
    let (clock, cells) = global.parts(block, Owner::Allocation(index), allocation.len());
    let stamp = Stamp {
        who: block,
        clock: clock.now,
        pc: seen.pc,
        thread: (seen.at.warp * 32 + seen.lane) as u16,
        strong: false,
    };
    let known = &clock.known;
    let mut found = None;
    for line in 0..total / LINE {
        let start = offset + line * LINE;
        let touch = |cell: &mut Cell| {
            cell.touch(stamp, kind.reads(), kind.writes(), |other| {
                other.who == block || known.get(&other.who).is_some_and(|&k| k > other.clock)
            })
        };
        let here = match cells.line(start) {
            Some(cell) => touch(cell),
            None => cells.find(start, LINE, |_, _| (), touch),
        };
        found = found.or(here);
    }
    if let Some((other, other_wrote)) = found {
        tell(watch, seen, &other, other_wrote);
    }
    true
}

fn tell(watch: &mut Watch, seen: &Seen<'_>, other: &Stamp, other_wrote: bool) {
    let kind = seen.access.kind;
    let block = seen.at.block as u32;
    let verb = |writes| if writes { "write" } else { "read" };
    let title = format!(
        "race in global memory: {} of {} bytes at {:#x} by block {block} and {} by block {} are not ordered",
        verb(kind.writes()),
        seen.bytes,
        seen.address,
        verb(other_wrote),
        other.who,
    );
    let at = At {
        block: other.who.into(),
        warp: u32::from(other.thread) / 32,
    };
    let earlier = vec![(
        format!("the {} came earlier, here:", verb(other_wrote)),
        at,
        other.pc,
        Some(u32::from(other.thread) % 32),
    )];
    let help = "let one block write what others read only after a fence and an atomic that they \
                wait for, or use atomics for all accesses";
    watch.add(Kind::GlobalRace, seen, title, earlier, help);
}
