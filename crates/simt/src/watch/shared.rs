//! Shared memory: reads of what nobody wrote, and races between barriers.

use super::cell::{LINE, Stamp};
use super::{Seen, Watch};
use crate::exec::context::Lanes;
use crate::findings::Kind;

/// An access of a thread to shared memory.
pub(super) fn access(watch: &mut Watch, lanes: &Lanes<'_>, seen: &Seen<'_>) {
    let len = u64::from(lanes.shared_len);
    if seen.address > len || seen.bytes > len - seen.address {
        return;
    }
    if watch.checks.uninitialized {
        written(watch, seen);
    }
    if watch.checks.races {
        race(watch, seen);
    }
}

fn written(watch: &mut Watch, seen: &Seen<'_>) {
    let Some(bitmap) = &watch.block.shared_written else {
        return;
    };
    let missing = seen.access.kind.reads() && !bitmap.all(seen.address, seen.bytes);
    if seen.access.kind.writes() || missing {
        bitmap.set(seen.address, seen.bytes);
    }
    if missing {
        let title = format!(
            "read of {} bytes of shared memory at offset {}, which no thread of the block has written",
            seen.bytes, seen.address
        );
        let help = "shared memory holds anything when a block begins: write it before it is read";
        watch.add(Kind::UninitializedMemory, seen, title, Vec::new(), help);
    }
}

fn race(watch: &mut Watch, seen: &Seen<'_>) {
    let kind = seen.access.kind;
    let thread = seen.at.warp * 32 + seen.lane;
    let block = &mut watch.block;
    if kind.strong() && kind.reads() {
        block.clocks.receive(thread, seen.address);
    }
    let stamp = Stamp {
        who: thread,
        clock: block.clocks.stamp(seen.at.warp),
        pc: seen.pc,
        thread: thread as u16,
        strong: kind.strong(),
    };
    let clocks = &block.clocks;
    let lane = |stamp: &mut Stamp, word| {
        stamp.who += word;
        stamp.thread = stamp.who as u16;
    };
    let found = block.shared.find(seen.address, seen.bytes, lane, |cell| {
        cell.touch(stamp, kind.reads(), kind.writes(), |other| {
            clocks.ordered(other.who, other.clock, thread)
        })
    });
    if kind.strong() && kind.writes() {
        block.clocks.publish(thread, seen.address);
    }
    if let Some((other, other_wrote)) = found {
        tell(watch, seen, &other, other_wrote);
    }
}

/// All lanes of a warp access a line of shared memory in order, four bytes each. Returns whether
/// that settles it.
pub(super) fn line(watch: &mut Watch, lanes: &Lanes<'_>, seen: &Seen<'_>) -> bool {
    let len = u64::from(lanes.shared_len);
    let kind = seen.access.kind;
    if kind.strong() || !seen.address.is_multiple_of(LINE) || seen.address + LINE > len {
        return false;
    }
    let block = &mut watch.block;
    if watch.checks.uninitialized
        && let Some(bitmap) = &block.shared_written
    {
        if kind.reads() && !bitmap.all(seen.address, LINE) {
            return false;
        }
        if kind.writes() {
            bitmap.set(seen.address, LINE);
        }
    }
    if !watch.checks.races {
        return true;
    }
    // Lane for lane the same word: what holds for lane 0 holds for all.
    let thread = seen.at.warp * 32;
    let stamp = Stamp {
        who: thread,
        clock: block.clocks.stamp(seen.at.warp),
        pc: seen.pc,
        thread: thread as u16,
        strong: false,
    };
    let clocks = &block.clocks;
    let Some(cell) = block.shared.line(seen.address) else {
        return false;
    };
    let found = cell.touch(stamp, kind.reads(), kind.writes(), |other| {
        clocks.ordered(other.who, other.clock, thread)
    });
    if let Some((other, other_wrote)) = found {
        tell(watch, seen, &other, other_wrote);
    }
    true
}

fn tell(watch: &mut Watch, seen: &Seen<'_>, other: &Stamp, other_wrote: bool) {
    let kind = seen.access.kind;
    let thread = seen.at.warp * 32 + seen.lane;
    let verb = |writes| if writes { "write" } else { "read" };
    let same_warp = other.who / 32 == seen.at.warp;
    let title = format!(
        "race in shared memory: {} of {} bytes at offset {} by thread {thread} and {} by thread {} are not ordered",
        verb(kind.writes()),
        seen.bytes,
        seen.address,
        verb(other_wrote),
        other.who,
    );
    let mut at = seen.at;
    at.warp = other.who / 32;
    let earlier = vec![(
        format!("the {} came earlier, here:", verb(other_wrote)),
        at,
        other.pc,
        Some(other.who % 32),
    )];
    let help = if same_warp {
        "both threads are in one warp: put `sync_warp` between the accesses"
    } else {
        "put `sync_threads` between the accesses"
    };
    watch.add(Kind::SharedRace, seen, title, earlier, help);
}
