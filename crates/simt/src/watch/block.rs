//! The shadow of a block: shared and local memory.

use super::cell::Cells;
use super::clocks::Clocks;
use super::{Seen, Watch};
use crate::exec::context::Lanes;
use crate::findings::Kind;
use crate::memory::Bitmap;
use std::collections::HashMap;

/// What is known of a block.
#[derive(Debug, Default)]
pub(crate) struct BlockWatch {
    pub(crate) number: Option<u64>,
    pub(crate) clocks: Clocks,
    pub(crate) shared: Cells,
    pub(crate) shared_written: Option<Bitmap>,
    /// Written bytes of local memory, by thread.
    local: HashMap<u32, LocalShadow>,
    /// Lanes that have written a register, by warp and register.
    pub(crate) registers: HashMap<(u32, u32), u32>,
}

#[derive(Debug)]
struct LocalShadow {
    written: Bitmap,
    bytes: u64,
}

impl BlockWatch {
    pub(crate) fn new(number: u64, shared: u32, warps: usize) -> BlockWatch {
        BlockWatch {
            number: Some(number),
            clocks: Clocks::new(warps),
            shared: Cells::new(shared.into()),
            shared_written: Some(Bitmap::new(shared.into())),
            local: HashMap::new(),
            registers: HashMap::new(),
        }
    }
}

impl BlockWatch {
    /// The written bytes of a thread's local memory, of so many bytes.
    fn local(&mut self, thread: u32, bytes: u64) -> &Bitmap {
        let shadow = self.local.entry(thread).or_insert_with(|| LocalShadow {
            written: Bitmap::new(bytes),
            bytes,
        });
        if shadow.bytes < bytes {
            // The stack has grown: keep what is known.
            let grown = Bitmap::new(bytes);
            for byte in (0..shadow.bytes).filter(|&byte| shadow.written.all(byte, 1)) {
                grown.set(byte, 1);
            }
            *shadow = LocalShadow {
                written: grown,
                bytes,
            };
        }
        &shadow.written
    }
}

/// Something other than a store wrote a thread's local memory: a call its parameters.
pub(super) fn passed(watch: &mut Watch, thread: u32, stride: u32, start: u64, bytes: u64) {
    watch.block.local(thread, stride.into()).set(start, bytes);
}

/// An access of a thread to its local memory.
pub(super) fn local(watch: &mut Watch, lanes: &Lanes<'_>, seen: &Seen<'_>) {
    if !watch.checks.uninitialized {
        return;
    }
    let thread = seen.at.warp * 32 + seen.lane;
    let written = watch.block.local(thread, lanes.local_stride.into());
    let missing = seen.access.kind.reads() && !written.all(seen.address, seen.bytes);
    if seen.access.kind.writes() || missing {
        // Said once, it counts as written.
        written.set(seen.address, seen.bytes);
    }
    if missing {
        let title = format!(
            "read of {} bytes of local memory at offset {}, which this thread has not written",
            seen.bytes, seen.address
        );
        let help = "initialise the variable";
        watch.add(Kind::UninitializedMemory, seen, title, Vec::new(), help);
    }
}
