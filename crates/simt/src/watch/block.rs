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

/// An access of a thread to its local memory.
pub(super) fn local(watch: &mut Watch, lanes: &Lanes<'_>, seen: &Seen<'_>) {
    if !watch.checks.uninitialized {
        return;
    }
    let stride = u64::from(lanes.local_stride);
    let thread = seen.at.warp * 32 + seen.lane;
    let shadow = watch.block.local.entry(thread);
    let shadow = shadow.or_insert_with(|| LocalShadow {
        written: Bitmap::new(stride),
        bytes: stride,
    });
    if shadow.bytes < stride {
        // The stack has grown: keep what is known.
        let grown = Bitmap::new(stride);
        for byte in 0..shadow.bytes {
            if shadow.written.all(byte, 1) {
                grown.set(byte, 1);
            }
        }
        *shadow = LocalShadow {
            written: grown,
            bytes: stride,
        };
    }
    let missing = seen.access.kind.reads() && !shadow.written.all(seen.address, seen.bytes);
    if seen.access.kind.writes() || missing {
        // Said once, it counts as written.
        shadow.written.set(seen.address, seen.bytes);
    }
    if missing {
        let title = format!(
            "read of {} bytes of local memory at offset {}, which this thread has not written",
            seen.bytes, seen.address
        );
        watch.add(
            Kind::UninitializedMemory,
            seen,
            title,
            Vec::new(),
            "initialise the variable",
        );
    }
}
