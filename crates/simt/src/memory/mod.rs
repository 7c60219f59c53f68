//! Device memory: allocations at 64-bit addresses, as a GPU's, with guard gaps between them.
//!
//! An address is never given out twice, so that a use after free is always recognised.

mod bitmap;
pub(crate) mod heap;
mod storage;
pub mod window;

pub use bitmap::Bitmap;
use heap::Heap;
pub(crate) use storage::Storage;

use std::fmt;

/// Distance between allocations, beyond their alignment: an overrun does not meet a neighbour.
const GUARD: u64 = 512;
/// The alignment that `cudaMalloc` promises.
const ALIGNMENT: u64 = 256;
/// Where global memory starts. Small integers and the windows of the other spaces lie elsewhere.
const FIRST: u64 = 0x10_0000_0000;

/// What an allocation is, for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Made by the host.
    Host,
    /// A `.global` variable of a module.
    Global(String),
    /// A `.const` variable of a module: reading is all that the device may do.
    Constant(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Host => f.write_str("an allocation"),
            Origin::Global(name) => write!(f, "the global variable `{name}`"),
            Origin::Constant(name) => write!(f, "the constant `{name}`"),
        }
    }
}

/// One allocation. A freed one stays as a tombstone without storage.
#[derive(Debug)]
pub struct Allocation {
    pub(crate) base: u64,
    pub(crate) len: u64,
    pub(crate) storage: Option<Storage>,
    pub(crate) origin: Origin,
    /// Which bytes have been written; only in tracked memory.
    pub(crate) written: Option<Bitmap>,
}

impl Allocation {
    /// The first address.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Size in bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether it holds no byte.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What it is.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Whether it has been freed.
    pub fn is_freed(&self) -> bool {
        self.storage.is_none()
    }

    fn holds(&self, address: u64, bytes: u64) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset <= self.len && bytes <= self.len - offset
    }
}

/// What the host did wrong with memory.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// The limit would be passed.
    #[error(
        "{requested} bytes do not fit: {available} of {limit} bytes of emulated memory are free"
    )]
    OutOfMemory {
        /// Bytes asked for.
        requested: u64,
        /// Bytes left.
        available: u64,
        /// The limit.
        limit: u64,
    },
    /// No live allocation holds the range.
    #[error("{bytes} bytes at {address:#x} lie in no live allocation")]
    NotAllocated {
        /// First byte.
        address: u64,
        /// How many.
        bytes: u64,
    },
    /// Freed twice, or never allocated.
    #[error("{address:#x} is not the start of a live allocation")]
    NotTheStart {
        /// The address given.
        address: u64,
    },
}

/// Global memory, with the constants of loaded modules.
#[derive(Debug)]
pub struct Memory {
    /// Tells memories apart.
    id: u64,
    allocations: Vec<Allocation>,
    next: u64,
    used: u64,
    limit: u64,
    tracked: bool,
    /// What device code allocates from.
    pub(crate) heap: Heap,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::new()
    }
}

impl Memory {
    /// Empty memory without shadow state; up to 64 GiB.
    pub fn new() -> Memory {
        static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        Memory {
            id: NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed),
            allocations: Vec::new(),
            next: FIRST,
            used: 0,
            limit: 64 << 30,
            tracked: false,
            heap: Heap::new(heap::BYTES, false),
        }
    }

    /// Empty memory that remembers which bytes were written, so that a launch can report reads of
    /// uninitialised memory.
    pub fn tracked() -> Memory {
        let memory = Memory::new();
        Memory {
            tracked: true,
            heap: memory.heap.tracked(),
            ..memory
        }
    }

    /// The same with another limit in bytes.
    #[must_use]
    pub fn with_limit(self, limit: u64) -> Memory {
        Memory { limit, ..self }
    }

    /// The same with a heap for device code (`malloc`) of so many bytes; 8 MiB unless told
    /// otherwise. Blocks live as long as the memory, over launches, and the host cannot reach them.
    #[must_use]
    pub fn with_heap(self, bytes: u64) -> Memory {
        Memory {
            heap: Heap::new(bytes, self.tracked),
            ..self
        }
    }

    /// Whether reads of uninitialised bytes can be told.
    pub fn is_tracked(&self) -> bool {
        self.tracked
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Bytes in use and the limit.
    pub fn usage(&self) -> (u64, u64) {
        (self.used, self.limit)
    }

    /// All allocations ever made, by address.
    pub fn allocations(&self) -> &[Allocation] {
        &self.allocations
    }

    /// Allocates `bytes` bytes. They read as zero, but count as uninitialised.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`] above the limit.
    pub fn alloc(&mut self, bytes: u64) -> Result<u64, MemoryError> {
        self.alloc_aligned(bytes, ALIGNMENT, Origin::Host)
    }

    pub(crate) fn alloc_aligned(
        &mut self,
        bytes: u64,
        align: u64,
        origin: Origin,
    ) -> Result<u64, MemoryError> {
        let available = self.limit - self.used;
        let full = MemoryError::OutOfMemory {
            requested: bytes,
            available,
            limit: self.limit,
        };
        if bytes > available {
            return Err(full);
        }
        let align = align
            .max(ALIGNMENT)
            .checked_next_power_of_two()
            .unwrap_or(ALIGNMENT);
        let base = self
            .next
            .checked_next_multiple_of(align)
            .ok_or(full.clone())?;
        let end = base
            .checked_add(bytes)
            .and_then(|end| end.checked_add(GUARD));
        let end = end.filter(|&end| end < heap::FIRST).ok_or(full.clone())?;
        let storage = Storage::zeroed(bytes).ok_or(full)?;
        self.next = end;
        self.used += bytes;
        self.allocations.push(Allocation {
            base,
            len: bytes,
            storage: Some(storage),
            origin,
            written: self.tracked.then(|| Bitmap::new(bytes)),
        });
        Ok(base)
    }

    /// Frees the allocation that starts at `address`.
    ///
    /// # Errors
    /// [`MemoryError::NotTheStart`] for any other address, and for one already freed.
    pub fn free(&mut self, address: u64) -> Result<(), MemoryError> {
        let error = MemoryError::NotTheStart { address };
        let found = self.allocations.binary_search_by_key(&address, |a| a.base);
        let allocation = found
            .map_err(|_| error.clone())
            .map(|i| &mut self.allocations[i])?;
        allocation.storage.take().ok_or(error)?;
        allocation.written = None;
        self.used -= allocation.len;
        Ok(())
    }

    /// Copies bytes out.
    ///
    /// # Errors
    /// [`MemoryError::NotAllocated`] unless one live allocation holds all of them.
    pub fn read(&self, address: u64, into: &mut [u8]) -> Result<(), MemoryError> {
        let (allocation, offset) = self.range(address, into.len() as u64)?;
        if let Some(storage) = &allocation.storage {
            storage.read(offset, into);
        }
        Ok(())
    }

    /// Copies bytes in; they count as initialised from then on.
    ///
    /// # Errors
    /// [`MemoryError::NotAllocated`] unless one live allocation holds all of them.
    pub fn write(&mut self, address: u64, from: &[u8]) -> Result<(), MemoryError> {
        let (allocation, offset) = self.range(address, from.len() as u64)?;
        if let Some(storage) = &allocation.storage {
            storage.write(offset, from);
        }
        if let Some(written) = &allocation.written {
            written.set(offset, from.len() as u64);
        }
        Ok(())
    }

    /// Sets `bytes` bytes to `value`.
    ///
    /// # Errors
    /// [`MemoryError::NotAllocated`] unless one live allocation holds all of them.
    pub fn fill(&mut self, address: u64, value: u8, bytes: u64) -> Result<(), MemoryError> {
        let (allocation, offset) = self.range(address, bytes)?;
        if let Some(storage) = &allocation.storage {
            storage.fill(offset, value, bytes);
        }
        if let Some(written) = &allocation.written {
            written.set(offset, bytes);
        }
        Ok(())
    }

    /// Fresh memory that counts as initialised, with zeros.
    pub(crate) fn mark_written(&mut self, address: u64, bytes: u64) {
        if let Some(written) = self.below(address).and_then(|a| a.written.as_ref()) {
            written.set(0, bytes);
        }
    }

    /// The allocation, live or freed, that holds `address`, or the nearest one below it.
    pub(crate) fn below(&self, address: u64) -> Option<&Allocation> {
        self.below_index(address).map(|i| &self.allocations[i])
    }

    /// The number of that allocation, which stays the same.
    pub(crate) fn below_index(&self, address: u64) -> Option<usize> {
        let after = self.allocations.partition_point(|a| a.base <= address);
        after.checked_sub(1)
    }

    /// Whether an address lies in a `.const` variable.
    pub(crate) fn is_constant(&self, address: u64) -> bool {
        self.below(address)
            .is_some_and(|a| address - a.base < a.len && matches!(a.origin, Origin::Constant(_)))
    }

    /// The nearest allocation above `address`.
    pub(crate) fn above(&self, address: u64) -> Option<&Allocation> {
        self.allocations
            .get(self.allocations.partition_point(|a| a.base <= address))
    }

    fn range(&self, address: u64, bytes: u64) -> Result<(&Allocation, u64), MemoryError> {
        self.below(address)
            .filter(|a| !a.is_freed() && a.holds(address, bytes))
            .map(|a| (a, address - a.base))
            .ok_or(MemoryError::NotAllocated { address, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_limits() {
        let mut memory = Memory::tracked().with_limit(1000);
        let a = memory.alloc(10).unwrap();
        let b = memory.alloc(500).unwrap();
        assert!(a.is_multiple_of(256) && b >= a + 10 + GUARD);
        memory.write(a + 2, &[1, 2, 3]).unwrap();
        let mut back = [9; 10];
        memory.read(a, &mut back).unwrap();
        assert_eq!(back, [0, 0, 1, 2, 3, 0, 0, 0, 0, 0]);
        let outside = memory.read(a + 1, &mut back);
        assert_eq!(
            outside,
            Err(MemoryError::NotAllocated {
                address: a + 1,
                bytes: 10
            })
        );
        let full = memory.alloc(500);
        assert!(
            matches!(full, Err(MemoryError::OutOfMemory { available: 490, .. })),
            "{full:?}"
        );
        assert!(memory.allocations()[0].written.as_ref().unwrap().all(2, 3));
        assert!(!memory.allocations()[0].written.as_ref().unwrap().all(1, 3));
    }

    #[test]
    fn freed_memory_is_never_given_out_again() {
        let mut memory = Memory::new();
        let a = memory.alloc(64).unwrap();
        memory.free(a).unwrap();
        assert_eq!(memory.free(a), Err(MemoryError::NotTheStart { address: a }));
        assert_ne!(memory.alloc(64).unwrap(), a);
        assert!(memory.read(a, &mut [0]).is_err());
        assert!(memory.below(a + 5).unwrap().is_freed());
        assert_eq!(memory.usage().0, 64);
    }

    #[test]
    fn empty_allocations_and_fill() {
        let mut memory = Memory::new();
        let empty = memory.alloc(0).unwrap();
        memory.write(empty, &[]).unwrap();
        assert!(memory.write(empty, &[1]).is_err());
        let a = memory.alloc(7).unwrap();
        memory.fill(a + 1, 0xab, 5).unwrap();
        let mut back = [1; 7];
        memory.read(a, &mut back).unwrap();
        assert_eq!(back, [0, 0xab, 0xab, 0xab, 0xab, 0xab, 0]);
    }
}
