//! Bytes that several blocks may touch at once.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Zeroed bytes, 16-byte aligned, that are read and written through shared references.
///
/// While blocks run in parallel every access goes through relaxed atomics, so that a kernel with a
/// data race gives some value and never undefined behaviour here.
#[derive(Debug)]
pub(crate) struct Storage {
    words: Box<[UnsafeCell<u128>]>,
}

// SAFETY: concurrent accesses are atomic: `exec::memory` uses plain copies only where one thread
// holds the launch's memory exclusively; `read`, `write` and `fill` here belong to `Memory`'s
// methods, which no launch overlaps because it borrows the memory mutably.
unsafe impl Sync for Storage {}

impl Storage {
    /// `bytes` zero bytes, or `None` where the host has no memory left.
    pub(crate) fn zeroed(bytes: u64) -> Option<Storage> {
        let count = usize::try_from(bytes.div_ceil(16)).ok()?;
        if count == 0 {
            return Some(Storage {
                words: Box::default(),
            });
        }
        let layout = std::alloc::Layout::array::<UnsafeCell<u128>>(count).ok()?;
        // SAFETY: the layout has a size above zero. All zeros are a valid `UnsafeCell<u128>`, and
        // the box is made from the layout that its type would have.
        let words = unsafe {
            let start = std::alloc::alloc_zeroed(layout).cast::<UnsafeCell<u128>>();
            if start.is_null() {
                return None;
            }
            Box::from_raw(std::ptr::slice_from_raw_parts_mut(start, count))
        };
        Some(Storage { words })
    }

    /// The first byte. Valid for as many bytes as were asked for.
    pub(crate) fn start(&self) -> *mut u8 {
        self.words.as_ptr().cast::<u8>().cast_mut()
    }

    fn bytes(&self, offset: u64, len: u64) -> &[AtomicU8] {
        let total = self.words.len() as u64 * 16;
        assert!(
            offset <= total && len <= total - offset,
            "range checked by the allocation"
        );
        // SAFETY: the range is inside the storage, as just checked, and atomics may alias.
        unsafe {
            std::slice::from_raw_parts(
                self.start().add(offset as usize).cast::<AtomicU8>(),
                len as usize,
            )
        }
    }

    pub(crate) fn read(&self, offset: u64, into: &mut [u8]) {
        let from = self.bytes(offset, into.len() as u64);
        // SAFETY: `from` holds as many bytes as `into`, and no launch runs (see `Sync` above).
        unsafe {
            std::ptr::copy_nonoverlapping(from.as_ptr().cast(), into.as_mut_ptr(), into.len());
        }
    }

    pub(crate) fn write(&self, offset: u64, from: &[u8]) {
        let into = self.bytes(offset, from.len() as u64);
        // SAFETY: as in `read`; the cells allow writing.
        unsafe {
            let start = into.as_ptr().cast::<u8>().cast_mut();
            std::ptr::copy_nonoverlapping(from.as_ptr(), start, from.len());
        }
    }

    pub(crate) fn fill(&self, offset: u64, value: u8, len: u64) {
        for byte in self.bytes(offset, len) {
            byte.store(value, Relaxed);
        }
    }
}
