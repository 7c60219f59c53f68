//! Loads and stores.

use super::context::Lanes;
use super::host::{contiguous, extent, pick};
use super::lanes::{Ins, LANES, Level, Pair, bits, conjure, levels, vector};
use super::resolve::addresses;
use crate::code::{Access, Base, NONE};
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

/// What turns the address of every active lane into a host address, if they lie in one allocation
/// and are aligned; else each is looked at by itself: local memory, several spaces, or a fault.
#[inline(always)]
fn layout(
    lanes: &mut Lanes<'_>,
    access: &Access,
    at: &[u64; LANES],
    size: u64,
    write: bool,
) -> Option<u64> {
    let (mut low, mut high, mut union) = (u64::MAX, 0, 0);
    for i in bits(lanes.mask) {
        low = low.min(at[i]);
        high = high.max(at[i]);
        union |= at[i];
    }
    place(lanes, access, (low, high, union), size, write)
}

/// The same, from the lowest and the highest address and the bits of all.
#[inline(always)]
fn place(
    lanes: &mut Lanes<'_>,
    access: &Access,
    (low, high, union): (u64, u64, u64),
    size: u64,
    write: bool,
) -> Option<u64> {
    let span = high.wrapping_sub(low).checked_add(size)?;
    let (space, start) = Lanes::locate(access, low);
    if union & (size - 1) != 0 || Lanes::locate(access, high).0 != space {
        return None;
    }
    let host = lanes.range(space, access.site, start, span, write)?;
    Some((host as u64).wrapping_sub(low))
}

/// The base addresses of an access by a whole warp, and what turns each into a host address: by
/// way of a 64-bit register, all in one allocation and aligned.
///
/// # Safety
/// - `access` belongs to an instruction of the function whose frame is bound.
#[inline(always)]
unsafe fn spread(
    lanes: &mut Lanes<'_>,
    access: &Access,
    size: u64,
    write: bool,
) -> Option<(*const [u64; LANES], u64)> {
    let Base::Register64(register) = access.base else {
        return None;
    };
    // Read where it stands: a copy would go through scalar registers.
    // SAFETY: the decoder laid out a 64-bit register there.
    let base = unsafe { vector::<u64>(lanes, register).cast_const() };
    // SAFETY: as above.
    let (low, high, union) = extent(lanes.level, unsafe { &*base });
    // All addresses lie between the two sums, even if these wrap.
    let offset = access.offset as u64;
    let (low, high) = (low.wrapping_add(offset), high.wrapping_add(offset));
    let delta = place(lanes, access, (low, high, union | offset), size, write)?;
    Some((base, delta.wrapping_add(offset)))
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

/// Host memory of a simple access by all lanes, one after the other, if it is that.
///
/// # Safety
/// - `access` belongs to an instruction of the function whose frame is bound.
#[inline(always)]
unsafe fn in_a_row<M>(lanes: &mut Lanes<'_>, access: &Access, write: bool) -> Option<*mut u8> {
    let (Base::Register64(register), Some(space)) = (access.base, access.space) else {
        return None;
    };
    // SAFETY: the decoder laid out a 64-bit register there.
    let base = unsafe { &*vector::<u64>(lanes, register) };
    let start = base[0].wrapping_add(access.offset as u64);
    let size = size_of::<M>() as u64;
    if !contiguous::<M>(lanes.level, base) || start & (size - 1) != 0 {
        return None;
    }
    lanes.range(space, access.site, start, LANES as u64 * size, write)
}

/// Shows an access to the observers; `row` says that all lanes access memory one after the other.
///
/// # Safety
/// - `access` belongs to an instruction of the function whose frame is bound.
#[cold]
#[inline(never)]
unsafe fn look(lanes: &mut Lanes<'_>, ins: &Ins, access: &Access, row: bool) {
    // SAFETY: the decoder laid out a 64-bit register there.
    let first = |register| unsafe { (*vector::<u64>(lanes, register))[0] };
    if row
        && let Base::Register64(register) = access.base
        && watch::row(
            lanes,
            ins,
            access,
            first(register).wrapping_add(access.offset as u64),
        )
    {
        return;
    }
    // SAFETY: passed on to the caller.
    let at = unsafe { addresses(lanes, access) };
    watch::observe(lanes, ins, access, &at);
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
        // SAFETY: the decoder laid registers and access out together; the range was checked.
        unsafe {
            let row = if ALL && access.simple {
                in_a_row::<M>(lanes, access, false)
            } else {
                None
            };
            if lanes.watch.is_some() {
                look(lanes, ins, access, row.is_some());
            }
            if let Some(from) = row {
                let f = conjure::<F>();
                let d = vector::<R>(lanes, ins.d);
                if lanes.exclusive || access.space == Some(Space::Shared) {
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
                return;
            }
            if ALL {
                let size = (size_of::<M>() * access.registers.len()) as u64;
                let (_, early) = access.registers.split_last().unwrap_or((&NONE, &[]));
                // The base has to last until the last element is read.
                let lasts = !early.iter().any(|&d| Base::Register64(d) == access.base);
                if lasts && let Some((base, delta)) = spread(lanes, access, size, false) {
                    lanes.asks += u64::from(access.kind.strong());
                    let f = conjure::<F>();
                    for (&register, k) in access.registers.iter().zip(0..) {
                        if register != NONE {
                            let step = k * size_of::<M>() as u64;
                            let values = pick::<M>(lanes.level, &*base, delta.wrapping_add(step));
                            let d = vector::<R>(lanes, register);
                            let mut result = *d;
                            for i in 0..LANES {
                                result[i] = f(values[i]);
                            }
                            *d = result;
                        }
                    }
                    return;
                }
            }
            load_any::<M, R, F>(lanes, ins);
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
        // SAFETY: the decoder laid registers and access out together; the range was checked.
        unsafe {
            let row = if ALL && access.simple {
                in_a_row::<M>(lanes, access, true)
            } else {
                None
            };
            if lanes.watch.is_some() {
                look(lanes, ins, access, row.is_some());
            }
            if let Some(to) = row {
                let f = conjure::<F>();
                let values = *vector::<R>(lanes, access.registers[0]);
                if lanes.exclusive || access.space == Some(Space::Shared) {
                    let mut result = to.cast::<[M; LANES]>().read_unaligned();
                    for i in 0..LANES {
                        result[i] = f(values[i]);
                    }
                    to.cast::<[M; LANES]>().write_unaligned(result);
                } else {
                    for (i, value) in values.into_iter().enumerate() {
                        put::<M>(to.add(i * size_of::<M>()), f(value));
                    }
                }
                return;
            }
            if ALL {
                let size = (size_of::<M>() * access.registers.len()) as u64;
                if let Some((base, delta)) = spread(lanes, access, size, true) {
                    // Lane by lane, as where two write the same place the higher one's stays.
                    for lane in 0..LANES {
                        let to = (*base)[lane].wrapping_add(delta) as *mut u8;
                        store_lane::<M, R, F>(lanes, access, lane, to);
                    }
                    return;
                }
            }
            store_any::<M, R, F>(lanes, ins);
        }
    }
}

/// Any load.
///
/// # Safety
/// As for [`super::lanes::Exec`].
#[inline(never)]
unsafe fn load_any<M: Copy, R: Copy, F: Fn(M) -> R + Copy>(lanes: &mut Lanes<'_>, ins: &Ins) {
    let code = lanes.code;
    let Some(access) = code.accesses.get(ins.imm as usize) else {
        return;
    };
    // SAFETY: the decoder laid registers and access out together.
    let at = unsafe { addresses(lanes, access) };
    lanes.asks += u64::from(access.kind.strong());
    let size = (size_of::<M>() * access.registers.len()) as u64;
    let layout = layout(lanes, access, &at, size, false);
    for i in bits(lanes.mask) {
        let from = match layout {
            Some(delta) => at[i].wrapping_add(delta) as *mut u8,
            None => match single(lanes, ins, access, i, at[i], size) {
                Some(from) => from,
                None => continue,
            },
        };
        // SAFETY: the layout, or the check of this lane, says that the place is valid.
        unsafe { load_lane::<M, R, F>(lanes, access, i, from) };
    }
}

/// Any store.
///
/// # Safety
/// As for [`super::lanes::Exec`].
#[inline(never)]
unsafe fn store_any<M: Copy, R: Copy, F: Fn(R) -> M + Copy>(lanes: &mut Lanes<'_>, ins: &Ins) {
    let code = lanes.code;
    let Some(access) = code.accesses.get(ins.imm as usize) else {
        return;
    };
    // SAFETY: the decoder laid registers and access out together.
    let at = unsafe { addresses(lanes, access) };
    let size = (size_of::<M>() * access.registers.len()) as u64;
    let layout = layout(lanes, access, &at, size, true);
    for i in bits(lanes.mask) {
        let to = match layout {
            Some(delta) => at[i].wrapping_add(delta) as *mut u8,
            None => match single(lanes, ins, access, i, at[i], size) {
                Some(to) => to,
                None => continue,
            },
        };
        // SAFETY: the layout, or the check of this lane, says that the place is valid.
        unsafe { store_lane::<M, R, F>(lanes, access, i, to) };
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
