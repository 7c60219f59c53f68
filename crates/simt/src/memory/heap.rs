//! The heap that device code allocates from with `malloc`.
//!
//! Blocks get addresses that are never given out again, so that a use after `free` is always
//! recognised; the host memory behind a freed block is used again.

use super::{Bitmap, Storage};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where the heap's addresses start: above all other allocations, below the windows.
pub(crate) const FIRST: u64 = 0x6000_0000_0000_0000;
/// Bytes of the heap unless told otherwise: what CUDA gives a program.
pub(crate) const BYTES: u64 = 8 << 20;
/// Blocks are aligned to it, as CUDA's are.
const ALIGN: u64 = 16;
/// Distance between blocks: an overrun does not meet a neighbour.
const GUARD: u64 = 256;
/// Freed blocks that are remembered.
const REMEMBERED: usize = 1 << 16;

/// Blocks and the memory behind them.
#[derive(Debug)]
pub(crate) struct Heap {
    limit: u64,
    tracked: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Made when it is first needed; it never moves.
    storage: Option<Storage>,
    blocks: BTreeMap<u64, Block>,
    /// Free ranges of the storage: start and length.
    free: BTreeMap<u64, u64>,
    next: u64,
    freed: usize,
}

#[derive(Clone, Debug)]
struct Block {
    len: u64,
    /// Start in the storage; `None` once it is freed.
    at: Option<u64>,
    written: Option<Arc<Bitmap>>,
}

/// What lies at an address of the heap.
#[derive(Clone, Debug)]
pub(crate) struct HeapPlace {
    /// First address of the block.
    pub(crate) base: u64,
    pub(crate) len: u64,
    /// Host memory behind it; `None` if it was freed.
    pub(crate) host: Option<*mut u8>,
    /// Which bytes have been written, in tracked memory.
    pub(crate) written: Option<Arc<Bitmap>>,
}

/// Why an address cannot be freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FreeError {
    /// It was freed before.
    Twice,
    /// No block starts there.
    NotTheStart,
}

impl Heap {
    pub(crate) fn new(limit: u64, tracked: bool) -> Heap {
        Heap {
            limit: limit / ALIGN * ALIGN,
            tracked,
            state: Mutex::default(),
        }
    }

    pub(crate) fn tracked(self) -> Heap {
        Heap {
            tracked: true,
            ..self
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates; `None` where the heap has no room.
    pub(crate) fn alloc(&self, bytes: u64) -> Option<u64> {
        let mut state = self.state();
        if state.storage.is_none() {
            state.storage = Some(Storage::zeroed(self.limit)?);
            state.free.insert(0, self.limit);
            state.next = FIRST;
        }
        // An empty block takes room too: it has an address of its own.
        let room = bytes.max(1).checked_next_multiple_of(ALIGN)?;
        let (&start, &len) = state.free.iter().find(|(_, len)| **len >= room)?;
        state.free.remove(&start);
        if len > room {
            state.free.insert(start + room, len - room);
        }
        if let Some(storage) = &state.storage {
            storage.fill(start, 0, room);
        }
        let base = state.next;
        state.next = base + room + GUARD;
        let block = Block {
            len: bytes,
            at: Some(start),
            written: self.tracked.then(|| Arc::new(Bitmap::new(bytes))),
        };
        state.blocks.insert(base, block);
        Some(base)
    }

    /// Frees the block that starts at `address`.
    pub(crate) fn free(&self, address: u64) -> Result<(), FreeError> {
        let mut state = self.state();
        let block = state.blocks.get_mut(&address);
        let block = block.ok_or(FreeError::NotTheStart)?;
        let mut start = block.at.take().ok_or(FreeError::Twice)?;
        let mut len = block.len.max(1).next_multiple_of(ALIGN);
        block.written = None;
        // Together with its free neighbours.
        if let Some(after) = state.free.remove(&(start + len)) {
            len += after;
        }
        let before = state.free.range(..start).next_back();
        if let Some((at, before)) = before.map(|(&at, &len)| (at, len))
            && at + before == start
        {
            (start, len) = (at, before + len);
        }
        state.free.insert(start, len);
        state.freed += 1;
        if state.freed > 2 * REMEMBERED {
            // Forget the oldest: addresses grow with time.
            let mut extra = REMEMBERED;
            state.blocks.retain(|_, block| {
                let forget = block.at.is_none() && extra > 0;
                extra -= usize::from(forget);
                !forget
            });
            state.freed -= REMEMBERED;
        }
        Ok(())
    }

    /// The block at or below an address, live or freed.
    pub(crate) fn place(&self, address: u64) -> Option<HeapPlace> {
        let state = self.state();
        let (&base, block) = state.blocks.range(..=address).next_back()?;
        let host = match (&state.storage, block.at) {
            // SAFETY: blocks lie inside the storage.
            (Some(storage), Some(at)) => Some(unsafe { storage.start().add(at as usize) }),
            _ => None,
        };
        Some(HeapPlace {
            base,
            len: block.len,
            host,
            written: block.written.clone(),
        })
    }
}

impl HeapPlace {
    /// Host memory behind `bytes` bytes at an address, if the block is live and holds them.
    pub(crate) fn range(&self, address: u64, bytes: u64) -> Option<*mut u8> {
        let offset = address - self.base;
        let inside = offset <= self.len && bytes <= self.len - offset;
        // SAFETY: the offset lies inside the block.
        self.host
            .filter(|_| inside)
            .map(|host| unsafe { host.add(offset as usize) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_used_again_and_addresses_are_not() {
        let heap = Heap::new(64, false);
        let a = heap.alloc(20).expect("fits");
        let b = heap.alloc(32).expect("fits");
        assert_eq!(heap.alloc(1), None);
        assert_eq!(heap.free(a), Ok(()));
        assert_eq!(heap.free(a), Err(FreeError::Twice));
        assert_eq!(heap.free(b + 1), Err(FreeError::NotTheStart));
        let c = heap.alloc(32).expect("the room of the first");
        assert!(c > b && a.is_multiple_of(16) && c.is_multiple_of(16));
        assert_eq!(heap.free(b), Ok(()));
        assert_eq!(heap.free(c), Ok(()));
        assert!(heap.alloc(64).is_some(), "free neighbours come together");
        assert!(heap.place(a + 5).expect("remembered").host.is_none());
    }

    #[test]
    fn places_and_limits() {
        let heap = Heap::new(1 << 10, true);
        let a = heap.alloc(10).expect("fits");
        let place = heap.place(a + 3).expect("there");
        assert_eq!((place.base, place.len), (a, 10));
        assert!(place.range(a + 3, 7).is_some() && place.range(a + 3, 8).is_none());
        assert!(!place.written.expect("tracked").all(0, 10));
        assert_eq!(heap.alloc(u64::MAX), None);
        assert!(heap.place(FIRST - 1).is_none());
        let empty = heap.alloc(0).expect("fits");
        let place = heap.place(empty).expect("there");
        assert!(place.range(empty, 1).is_none());
    }

    #[test]
    fn old_blocks_are_forgotten() {
        let heap = Heap::new(64, false);
        let first = heap.alloc(1).expect("fits");
        heap.free(first).expect("live");
        for _ in 0..2 * REMEMBERED {
            let a = heap.alloc(1).expect("fits");
            heap.free(a).expect("live");
        }
        assert_eq!(heap.free(first), Err(FreeError::NotTheStart));
        assert_eq!(heap.state().blocks.len(), REMEMBERED + 1);
    }
}
