//! From device addresses to host memory.

use super::context::{Fault, Lanes, Site};
use super::lanes::{Ins, LANES, vector};
use crate::code::{Access, Base};
use crate::findings::Kind;
use crate::memory::heap;
use crate::memory::window::Space;
use crate::memory::{Allocation, Origin};

/// The address of each lane, inactive ones included, in the space of the access.
///
/// # Safety
/// - `access` belongs to an instruction of the function whose frame is bound.
#[inline(always)]
pub(crate) unsafe fn addresses(lanes: &Lanes<'_>, access: &Access) -> [u64; LANES] {
    let offset = access.offset as u64;
    let mut result = [offset; LANES];
    match access.base {
        Base::Register64(register) => {
            // SAFETY: the decoder laid out a 64-bit register there.
            let base = unsafe { *vector::<u64>(lanes, register) };
            for i in 0..LANES {
                result[i] = base[i].wrapping_add(offset);
            }
        }
        Base::Register32(register) => {
            // SAFETY: the decoder laid out a 32-bit register there.
            let base = unsafe { *vector::<u32>(lanes, register) };
            for i in 0..LANES {
                result[i] = u64::from(base[i].wrapping_add(offset as u32));
            }
        }
        Base::Frame => result = [offset.wrapping_add(u64::from(lanes.local_base)); LANES],
        Base::Zero => {}
    }
    result
}

impl Lanes<'_> {
    /// Host memory behind `bytes` bytes at an address of global memory, or `None` unless one
    /// allocation that may be so used holds them.
    #[inline(always)]
    pub(crate) fn global(
        &mut self,
        site: u32,
        address: u64,
        bytes: u64,
        write: bool,
    ) -> Option<*mut u8> {
        if let Some(site) = self.sites.get(site as usize) {
            let offset = address.wrapping_sub(site.base);
            if offset < site.len && bytes <= site.len - offset && (site.writable || !write) {
                // SAFETY: the offset lies inside the allocation's storage.
                return Some(unsafe { site.host.add(offset as usize) });
            }
        }
        self.global_miss(site, address, bytes, write)
    }

    #[cold]
    fn global_miss(&mut self, site: u32, address: u64, bytes: u64, write: bool) -> Option<*mut u8> {
        if address >= heap::FIRST {
            return self.heap_miss(site, address, bytes);
        }
        let index = self.memory.below_index(address)?;
        let allocation = self.memory.allocations().get(index)?;
        let storage = allocation.storage.as_ref()?;
        let offset = address - allocation.base;
        let writable = !matches!(allocation.origin, Origin::Constant(_));
        let inside = offset < allocation.len && bytes <= allocation.len - offset;
        if !inside || (write && !writable) {
            return None;
        }
        let found = Site {
            base: allocation.base,
            len: allocation.len,
            host: storage.start(),
            writable,
            index: u32::try_from(index).unwrap_or(u32::MAX),
        };
        if let Some(site) = self.sites.get_mut(site as usize) {
            *site = found;
        }
        // SAFETY: the offset lies inside the storage, as just checked.
        Some(unsafe { found.host.add(offset as usize) })
    }

    /// A block of the device's heap.
    fn heap_miss(&mut self, site: u32, address: u64, bytes: u64) -> Option<*mut u8> {
        let place = self.memory.heap.place(address)?;
        let host = place.range(address, bytes)?;
        if let (Some(site), Some(start)) = (self.sites.get_mut(site as usize), place.host) {
            *site = Site {
                base: place.base,
                len: place.len,
                host: start,
                writable: true,
                // The host's allocations have numbers, the heap's blocks have none.
                index: u32::MAX,
            };
        }
        Some(host)
    }

    /// Host memory behind a range of one space, addresses being those of the space. Not for local
    /// memory, which differs from lane to lane.
    #[inline(always)]
    pub(crate) fn range(
        &mut self,
        space: Space,
        site: u32,
        address: u64,
        bytes: u64,
        write: bool,
    ) -> Option<*mut u8> {
        match space {
            Space::Global => self.global(site, address, bytes, write),
            Space::Shared => {
                let len = u64::from(self.shared_len);
                // SAFETY: the range lies inside the block's shared memory.
                (address <= len && bytes <= len - address)
                    .then(|| unsafe { self.shared.add(address as usize) })
            }
            Space::Param => {
                let len = self.params.len() as u64;
                let inside = !write && address <= len && bytes <= len - address;
                // SAFETY: the range lies inside the parameters, and is only read.
                inside.then(|| unsafe { self.params.as_ptr().cast_mut().add(address as usize) })
            }
            Space::Local => None,
        }
    }

    /// Host memory behind a range of one lane, for any space.
    pub(crate) fn lane_range(
        &mut self,
        space: Space,
        site: u32,
        lane: usize,
        address: u64,
        bytes: u64,
        write: bool,
    ) -> Option<*mut u8> {
        if space != Space::Local {
            return self.range(space, site, address, bytes, write);
        }
        let len = u64::from(self.local_stride);
        let inside = address <= len && bytes <= len - address;
        // SAFETY: each lane has `local_stride` bytes, one after the other.
        inside.then(|| unsafe { self.local.add(lane * len as usize + address as usize) })
    }

    /// Space and address in it, of an address that an access uses.
    #[inline(always)]
    pub(crate) fn locate(access: &Access, address: u64) -> (Space, u64) {
        match access.space {
            Some(space) => (space, address),
            None => {
                let space = Space::of(address);
                (space, address.wrapping_sub(space.base()))
            }
        }
    }

    /// Records what is wrong with an access that could not be resolved or is not aligned.
    #[cold]
    pub(crate) fn raise_access(&mut self, ins: &Ins, access: &Access, lane: usize, address: u64) {
        let bytes = u64::from(access.bytes) * access.registers.len().max(1) as u64;
        let (space, inner) = Lanes::locate(access, address);
        let verb = if access.kind.writes() {
            "write"
        } else {
            "read"
        };
        let what = format!(
            "{verb} of {bytes} bytes at {address:#x} in {} memory",
            space.name()
        );
        let mut fault = Fault {
            kind: Kind::OutOfBounds,
            pc: ins.pc,
            at: self.at,
            lane: Some(lane as u32),
            title: format!("out-of-bounds {what}"),
            notes: Vec::new(),
            help: None,
        };
        if inner % bytes.next_power_of_two().min(32) != 0 {
            fault.kind = Kind::Misaligned;
            fault.title = format!("misaligned {what}");
            fault
                .notes
                .push(format!("the address has to be a multiple of {bytes}"));
        } else {
            match space {
                Space::Global => self.explain_global(&mut fault, access, inner, bytes, &what),
                Space::Shared => fault.notes.push(format!(
                    "the block has {} bytes of shared memory, static and dynamic",
                    self.shared_len
                )),
                Space::Local => fault.notes.push(format!(
                    "the thread has {} bytes of local memory",
                    self.local_stride
                )),
                Space::Param => fault.notes.push(format!(
                    "the kernel has {} bytes of parameters, which are read-only",
                    self.params.len()
                )),
            }
        }
        self.raise(fault);
    }

    fn explain_global(
        &self,
        fault: &mut Fault,
        access: &Access,
        address: u64,
        bytes: u64,
        what: &str,
    ) {
        if address >= heap::FIRST
            && let Some(place) = self.memory.heap.place(address)
        {
            let (base, len) = (place.base, place.len);
            let freed = place.host.is_none() && address - base < len.max(1);
            let offset = address - base;
            let state = if freed { ", freed" } else { "" };
            fault.notes.push(format!(
                "{offset} bytes from the start of a heap block of {len} bytes at {base:#x}{state}"
            ));
            if freed {
                fault.kind = Kind::UseAfterFree;
                fault.title = format!("{what} after it was freed");
            }
            return;
        }
        let below = self.memory.below(address);
        let inside = below.filter(|a| address - a.base() < a.len());
        if let Some(allocation) = inside {
            let place = describe(allocation, address);
            let offset = address - allocation.base();
            let over = (offset + bytes).saturating_sub(allocation.len());
            fault.notes.push(place);
            if allocation.is_freed() {
                fault.kind = Kind::UseAfterFree;
                fault.title = format!("{what} after it was freed");
            } else if matches!(allocation.origin(), Origin::Constant(_))
                && (access.kind.writes() || over == 0)
            {
                // A look at a barrier counts as a write: barriers are no constants.
                fault.kind = Kind::ReadOnly;
                fault.title = format!("{what}, which is constant");
            } else {
                fault
                    .notes
                    .push(format!("the last {over} bytes lie past the end"));
            }
            return;
        }
        if address < 4096 {
            fault
                .notes
                .push("the address is null, or close to it".to_owned());
            return;
        }
        let nearest = match (below, self.memory.above(address)) {
            (Some(low), Some(high)) => {
                let past = address - low.base() - low.len();
                Some(if past <= high.base() - address {
                    low
                } else {
                    high
                })
            }
            (low, high) => low.or(high),
        };
        fault.notes.push(match nearest {
            Some(allocation) => describe(allocation, address),
            None => "nothing is allocated".to_owned(),
        });
    }
}

/// Where an address lies with regard to an allocation.
fn describe(allocation: &Allocation, address: u64) -> String {
    let (base, len) = (allocation.base(), allocation.len());
    let place = if address < base {
        format!("{} bytes before", base - address)
    } else if address - base < len {
        format!("{} bytes into", address - base)
    } else {
        format!("{} bytes past the end of", address - base - len)
    };
    let freed = if allocation.is_freed() { ", freed" } else { "" };
    format!(
        "{place} {} of {len} bytes at {base:#x}{freed}",
        allocation.origin()
    )
}
