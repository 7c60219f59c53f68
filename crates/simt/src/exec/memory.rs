//! Loads and stores.

use super::context::Lanes;
use super::lanes::{Ins, LANES, Level, Pair, bits, conjure, levels, vector};
use super::resolve::addresses;
use crate::code::{Access, NONE};
use crate::memory::window::Space;
use crate::watch;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64};

/// Reads an element; atomically where the host can.
///
/// # Safety
/// - `from` is valid for reads and aligned for `M`, one of 1, 2, 4, 8 or 16 bytes.
#[inline(always)]
pub(crate) unsafe fn get<M: Copy>(from: *mut u8) -> M {
    // SAFETY: sizes agree in each arm, and any bits are a valid integer.
    unsafe {
        match size_of::<M>() {
            1 => std::mem::transmute_copy(&AtomicU8::from_ptr(from).load(Relaxed)),
            2 => std::mem::transmute_copy(&AtomicU16::from_ptr(from.cast()).load(Relaxed)),
            4 => std::mem::transmute_copy(&AtomicU32::from_ptr(from.cast()).load(Relaxed)),
            8 => std::mem::transmute_copy(&AtomicU64::from_ptr(from.cast()).load(Relaxed)),
            _ => {
                let low = AtomicU64::from_ptr(from.cast()).load(Relaxed);
                let high = AtomicU64::from_ptr(from.add(8).cast()).load(Relaxed);
                std::mem::transmute_copy(&(u128::from(high) << 64 | u128::from(low)))
            }
        }
    }
}

/// Writes an element.
///
/// # Safety
/// - `to` is valid for writes and aligned for `M`, one of 1, 2, 4, 8 or 16 bytes.
#[inline(always)]
pub(crate) unsafe fn put<M: Copy>(to: *mut u8, value: M) {
    // SAFETY: sizes agree in each arm.
    unsafe {
        match size_of::<M>() {
            1 => AtomicU8::from_ptr(to).store(std::mem::transmute_copy(&value), Relaxed),
            2 => AtomicU16::from_ptr(to.cast()).store(std::mem::transmute_copy(&value), Relaxed),
            4 => AtomicU32::from_ptr(to.cast()).store(std::mem::transmute_copy(&value), Relaxed),
            8 => AtomicU64::from_ptr(to.cast()).store(std::mem::transmute_copy(&value), Relaxed),
            _ => {
                let wide: u128 = std::mem::transmute_copy(&value);
                AtomicU64::from_ptr(to.cast()).store(wide as u64, Relaxed);
                AtomicU64::from_ptr(to.add(8).cast()).store((wide >> 64) as u64, Relaxed);
            }
        }
    }
}

/// The accesses of a warp, when they are good as a whole.
enum Layout {
    /// Lane `i` at `start + i × stride`, where `stride` is the access's size.
    Contiguous(*mut u8),
    /// Anywhere; `delta` turns an address into a host address.
    Scattered(u64),
    /// Per lane: local memory, several spaces or allocations, or a fault.
    Mixed,
}

/// Finds the memory behind the active lanes at once.
#[inline(always)]
fn layout<const ALL: bool>(
    lanes: &mut Lanes<'_>,
    access: &Access,
    at: &[u64; LANES],
    size: u64,
    write: bool,
) -> Layout {
    if ALL {
        let mut different = 0;
        for (i, address) in at.iter().enumerate() {
            different |= address.wrapping_sub(at[0]) ^ (i as u64 * size);
        }
        if different == 0 {
            let (space, start) = Lanes::locate(access, at[0]);
            let aligned = start & (size - 1) == 0;
            if aligned && let Some(host) = lanes.range(space, access.site, start, 32 * size, write)
            {
                return Layout::Contiguous(host);
            }
            return Layout::Mixed;
        }
    }
    let (mut low, mut high, mut union) = (u64::MAX, 0, 0);
    for i in 0..LANES {
        let active = ALL || lanes.mask >> i & 1 != 0;
        low = low.min(if active { at[i] } else { u64::MAX });
        high = high.max(if active { at[i] } else { 0 });
        union |= if active { at[i] } else { 0 };
    }
    let Some(span) = (high.wrapping_sub(low)).checked_add(size) else {
        return Layout::Mixed;
    };
    let (space, start) = Lanes::locate(access, low);
    if union & (size - 1) != 0 || Lanes::locate(access, high).0 != space {
        return Layout::Mixed;
    }
    match lanes.range(space, access.site, start, span, write) {
        Some(host) => Layout::Scattered((host as u64).wrapping_sub(low)),
        None => Layout::Mixed,
    }
}

/// The host address of one lane's access, or a recorded fault.
fn single(
    lanes: &mut Lanes<'_>,
    ins: &Ins,
    access: &Access,
    lane: usize,
    address: u64,
    size: u64,
) -> Option<*mut u8> {
    let (space, inner) = Lanes::locate(access, address);
    let write = access.kind.writes();
    let aligned = inner & (size - 1) == 0;
    let found = aligned
        .then(|| lanes.lane_range(space, access.site, lane, inner, size, write))
        .flatten();
    if found.is_none() {
        lanes.raise_access(ins, access, lane, address);
    }
    found
}

/// # Safety
/// - `from` is valid for one access of `M`s and aligned.
#[inline(always)]
unsafe fn load_lane<M: Copy, R: Copy, F: Fn(M) -> R + Copy>(
    lanes: &Lanes<'_>,
    access: &Access,
    lane: usize,
    from: *mut u8,
) {
    let f = conjure::<F>();
    for (k, &register) in access.registers.iter().enumerate() {
        if register != NONE {
            // SAFETY: the registers hold `R`s; element `k` lies inside the access.
            unsafe {
                (*vector::<R>(lanes, register))[lane] = f(get::<M>(from.add(k * size_of::<M>())));
            }
        }
    }
}

/// # Safety
/// - `to` is valid for one access of `M`s and aligned.
#[inline(always)]
unsafe fn store_lane<M: Copy, R: Copy, F: Fn(R) -> M + Copy>(
    lanes: &Lanes<'_>,
    access: &Access,
    lane: usize,
    to: *mut u8,
) {
    let f = conjure::<F>();
    for (k, &register) in access.registers.iter().enumerate() {
        // SAFETY: the registers hold `R`s; element `k` lies inside the access.
        unsafe {
            put::<M>(
                to.add(k * size_of::<M>()),
                f((*vector::<R>(lanes, register))[lane]),
            );
        }
    }
}

mod body {
    use super::*;

    /// # Safety
    /// As for [`super::super::lanes::Exec`].
    #[inline(always)]
    pub(super) unsafe fn load<M: Copy, R: Copy, F: Fn(M) -> R + Copy, const ALL: bool>(
        lanes: &mut Lanes<'_>,
        ins: &Ins,
    ) {
        let code = lanes.code;
        let Some(access) = code.accesses.get(ins.imm as usize) else {
            return;
        };
        // SAFETY: the decoder laid registers and access out together.
        let at = unsafe { addresses(lanes, access) };
        if lanes.watch.is_some() {
            watch::observe(lanes, ins, access, &at);
        }
        let size = (size_of::<M>() * access.registers.len()) as u64;
        let f = conjure::<F>();
        // SAFETY: the layout says what is valid; registers hold `R`s.
        unsafe {
            match layout::<ALL>(lanes, access, &at, size, false) {
                Layout::Contiguous(from)
                    if access.registers.len() == 1 && access.registers[0] != NONE =>
                {
                    let d = vector::<R>(lanes, access.registers[0]);
                    if lanes.exclusive {
                        let values = from.cast::<[M; LANES]>().read_unaligned();
                        let mut result = *d;
                        for i in 0..LANES {
                            result[i] = f(values[i]);
                        }
                        *d = result;
                    } else {
                        for i in 0..LANES {
                            (*d)[i] = f(get::<M>(from.add(i * size_of::<M>())));
                        }
                    }
                }
                Layout::Contiguous(from) => {
                    for i in 0..LANES {
                        load_lane::<M, R, F>(lanes, access, i, from.add(i * size as usize));
                    }
                }
                Layout::Scattered(delta) => {
                    for i in bits(lanes.mask) {
                        let from = at[i].wrapping_add(delta) as *mut u8;
                        load_lane::<M, R, F>(lanes, access, i, from);
                    }
                }
                Layout::Mixed => {
                    for i in bits(lanes.mask) {
                        if let Some(from) = single(lanes, ins, access, i, at[i], size) {
                            load_lane::<M, R, F>(lanes, access, i, from);
                        }
                    }
                }
            }
        }
    }

    /// # Safety
    /// As for [`super::super::lanes::Exec`].
    #[inline(always)]
    pub(super) unsafe fn store<M: Copy, R: Copy, F: Fn(R) -> M + Copy, const ALL: bool>(
        lanes: &mut Lanes<'_>,
        ins: &Ins,
    ) {
        let code = lanes.code;
        let Some(access) = code.accesses.get(ins.imm as usize) else {
            return;
        };
        // SAFETY: the decoder laid registers and access out together.
        let at = unsafe { addresses(lanes, access) };
        if lanes.watch.is_some() {
            watch::observe(lanes, ins, access, &at);
        }
        let size = (size_of::<M>() * access.registers.len()) as u64;
        let f = conjure::<F>();
        // SAFETY: the layout says what is valid; registers hold `R`s.
        unsafe {
            match layout::<ALL>(lanes, access, &at, size, true) {
                Layout::Contiguous(to) if access.registers.len() == 1 && lanes.exclusive => {
                    let values = *vector::<R>(lanes, access.registers[0]);
                    let mut result = to.cast::<[M; LANES]>().read_unaligned();
                    for i in 0..LANES {
                        result[i] = f(values[i]);
                    }
                    to.cast::<[M; LANES]>().write_unaligned(result);
                }
                Layout::Contiguous(to) => {
                    for i in 0..LANES {
                        store_lane::<M, R, F>(lanes, access, i, to.add(i * size as usize));
                    }
                }
                Layout::Scattered(delta) => {
                    for i in bits(lanes.mask) {
                        let to = at[i].wrapping_add(delta) as *mut u8;
                        store_lane::<M, R, F>(lanes, access, i, to);
                    }
                }
                Layout::Mixed => {
                    for i in bits(lanes.mask) {
                        if let Some(to) = single(lanes, ins, access, i, at[i], size) {
                            store_lane::<M, R, F>(lanes, access, i, to);
                        }
                    }
                }
            }
        }
    }
}

levels! {
    /// A load of `M`s into registers of `R`s.
    load [M, R] [Fn(M) -> R];
    /// A store of `R`s as `M`s.
    store [M, R] [Fn(R) -> M];
}

/// Copies `bytes` bytes per lane from global (or generic) to shared memory: `cp.async`.
///
/// The copy is made at once; what may be observed before the group is waited for is undefined.
pub(crate) fn copy_async() -> Pair {
    /// # Safety
    /// As for [`super::lanes::Exec`].
    unsafe fn run(lanes: &mut Lanes<'_>, ins: &Ins) {
        let code = lanes.code;
        // The destination's access is followed by the source's.
        let index = ins.imm as usize;
        let (Some(to), Some(from)) = (code.accesses.get(index), code.accesses.get(index + 1))
        else {
            return;
        };
        let total = u64::from(to.bytes);
        // SAFETY: the decoder laid registers and accesses out together; each range is checked.
        unsafe {
            let (into, out) = (addresses(lanes, to), addresses(lanes, from));
            // `b` holds how many bytes to read, the rest is zero.
            let wanted = (ins.b != NONE).then(|| *vector::<u32>(lanes, ins.b));
            if lanes.watch.is_some() {
                watch::observe(lanes, ins, from, &out);
                watch::observe(lanes, ins, to, &into);
            }
            for i in bits(lanes.mask) {
                let read = wanted.map_or(total, |w| u64::from(w[i]).min(total));
                let mut bytes = [0u8; 16];
                let (space, inner) = Lanes::locate(from, out[i]);
                if inner % total != 0 {
                    lanes.raise_access(ins, from, i, out[i]);
                    continue;
                }
                if read > 0 {
                    let Some(host) = lanes.lane_range(space, from.site, i, inner, read, false)
                    else {
                        lanes.raise_access(ins, from, i, out[i]);
                        continue;
                    };
                    for (k, byte) in bytes.iter_mut().enumerate().take(read as usize) {
                        *byte = get::<u8>(host.add(k));
                    }
                }
                if let Some(host) = single(lanes, ins, to, i, into[i], total) {
                    for (k, &byte) in bytes.iter().enumerate().take(total as usize) {
                        put::<u8>(host.add(k), byte);
                    }
                }
            }
        }
    }
    Pair::same(run)
}

/// Whether an address of a lane lies in a window: `isspacep`.
pub(crate) fn in_space(space: Space, address: u64) -> bool {
    Space::of(address) == space
}
