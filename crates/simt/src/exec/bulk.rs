//! `cp.async.bulk` and its like: any number of bytes between shared and global memory.

use super::context::{Fault, Lanes};
use super::lanes::{Ins, LANES, Pair, bits, vector};
use super::memory::{get, put};
use super::resolve::addresses;
use crate::code::{Access, NONE};
use crate::findings::Kind;
use crate::watch;

/// Bytes that are copied together; sizes and addresses are multiples of it.
const UNIT: u64 = 16;

/// Copies for each lane as many bytes as the register at `b` says, from the place of the access
/// behind number `imm` to the place of that one. With a mask at `c` of each unit those bytes only
/// whose bit is set; accesses of single bytes follow the two.
///
/// The copy is made at once; what may be observed before it is waited for is undefined.
pub(crate) fn copy() -> Pair {
    /// # Safety
    /// As for [`super::lanes::Exec`].
    unsafe fn run(lanes: &mut Lanes<'_>, ins: &Ins) {
        let code = lanes.code;
        let index = ins.imm as usize;
        let access = |k: usize| code.accesses.get(index + k);
        let (Some(to), Some(from)) = (access(0), access(1)) else {
            return;
        };
        // SAFETY: the decoder laid registers and accesses out together; each range is checked.
        unsafe {
            let (into, out) = (addresses(lanes, to), addresses(lanes, from));
            let sizes = *vector::<u32>(lanes, ins.b);
            let masks = (ins.c != NONE).then(|| *vector::<u16>(lanes, ins.c));
            for_each(lanes, |lanes, i| {
                let none = masks.is_some_and(|masks| masks[i] == 0);
                if none || !whole(lanes, ins, i, sizes[i].into(), UNIT) {
                    return;
                }
                for offset in (0..u64::from(sizes[i])).step_by(UNIT as usize) {
                    let (at_to, at_from) =
                        (into[i].wrapping_add(offset), out[i].wrapping_add(offset));
                    let done = match (masks, access(2), access(3)) {
                        (Some(masks), Some(to), Some(from)) => bits(masks[i].into()).all(|byte| {
                            let byte = byte as u64;
                            let (to, from) = (
                                (to, at_to.wrapping_add(byte)),
                                (from, at_from.wrapping_add(byte)),
                            );
                            transfer::<u8>(lanes, ins, i, to, from)
                        }),
                        _ => transfer::<u128>(lanes, ins, i, (to, at_to), (from, at_from)),
                    };
                    if !done {
                        break;
                    }
                }
            });
        }
    }
    Pair::same(run)
}

/// Reads for each lane as many bytes as the register at `b` says from the access behind number
/// `imm`, and runs the atomic behind guarded number `c` with each element as its operand (at `a`)
/// and the element's place as its address (at `d`), which begins at the place of access `imm`.
pub(crate) fn reduce() -> Pair {
    /// # Safety
    /// As for [`super::lanes::Exec`].
    unsafe fn run(lanes: &mut Lanes<'_>, ins: &Ins) {
        let code = lanes.code;
        let index = ins.imm as usize;
        let (Some(to), Some(from)) = (code.accesses.get(index), code.accesses.get(index + 1))
        else {
            return;
        };
        let Some(atomic) = code.guarded.get(ins.c as usize) else {
            return;
        };
        let step = u64::from(to.bytes.max(1));
        // SAFETY: as in `copy`; `a` holds elements of the atomic's type, `d` 64-bit values.
        unsafe {
            let (into, out) = (addresses(lanes, to), addresses(lanes, from));
            let sizes = *vector::<u32>(lanes, ins.b);
            for_each(lanes, |lanes, i| {
                if !whole(lanes, ins, i, sizes[i].into(), UNIT) {
                    return;
                }
                if !Lanes::locate(to, into[i]).1.is_multiple_of(UNIT) {
                    misplaced(lanes, ins, i, into[i]);
                    return;
                }
                for offset in (0..u64::from(sizes[i])).step_by(UNIT as usize) {
                    let at = out[i].wrapping_add(offset);
                    let Some(host) = place(lanes, ins, i, (from, at), UNIT, false) else {
                        return;
                    };
                    for inner in (0..UNIT).step_by(step as usize) {
                        let element = host.add(inner as usize);
                        match step {
                            2 => (*vector::<u16>(lanes, ins.a))[i] = get(element),
                            4 => (*vector::<u32>(lanes, ins.a))[i] = get(element),
                            _ => (*vector::<u64>(lanes, ins.a))[i] = get(element),
                        }
                        let target = into[i].wrapping_add(offset + inner);
                        (*vector::<u64>(lanes, ins.d))[i] = target;
                        (atomic.masked)(lanes, atomic);
                    }
                    if lanes.fault.is_some() {
                        return;
                    }
                }
            });
        }
    }
    Pair::same(run)
}

/// Writes as many zeros as the 64-bit register at `b` says.
pub(crate) fn clear() -> Pair {
    /// # Safety
    /// As for [`super::lanes::Exec`].
    unsafe fn run(lanes: &mut Lanes<'_>, ins: &Ins) {
        let code = lanes.code;
        let Some(to) = code.accesses.get(ins.imm as usize) else {
            return;
        };
        // SAFETY: as in `copy`.
        unsafe {
            let into = addresses(lanes, to);
            let sizes = *vector::<u64>(lanes, ins.b);
            for_each(lanes, |lanes, i| {
                if !whole(lanes, ins, i, sizes[i], 8) {
                    return;
                }
                for offset in (0..sizes[i]).step_by(8) {
                    let at = into[i].wrapping_add(offset);
                    match place(lanes, ins, i, (to, at), 8, true) {
                        Some(host) => put::<u64>(host, 0),
                        None => return,
                    }
                }
            });
        }
    }
    Pair::same(run)
}

/// `.multicast::cluster`: the mask at `a` has to name the cluster's one block.
pub(crate) fn own_block() -> Pair {
    /// # Safety
    /// As for [`super::lanes::Exec`].
    unsafe fn run(lanes: &mut Lanes<'_>, ins: &Ins) {
        // SAFETY: the mask is a 16-bit register.
        let masks = unsafe { *vector::<u16>(lanes, ins.a) };
        if let Some(i) = bits(lanes.mask).find(|&i| masks[i] != 1) {
            let title = format!(
                "multicast to the blocks {:#x} of a cluster of one block",
                masks[i]
            );
            lanes.raise_at(Kind::OutOfBounds, ins.pc, i, title);
        }
    }
    Pair::same(run)
}

/// The rank at `a` has to be that of the cluster's one block.
pub(crate) fn first_block() -> Pair {
    /// # Safety
    /// As for [`super::lanes::Exec`].
    unsafe fn run(lanes: &mut Lanes<'_>, ins: &Ins) {
        // SAFETY: the rank is a 32-bit register.
        let ranks = unsafe { *vector::<u32>(lanes, ins.a) };
        if let Some(i) = bits(lanes.mask).find(|&i| ranks[i] != 0) {
            let title = format!(
                "shared memory of block {} of a cluster of one block",
                ranks[i]
            );
            lanes.raise_at(Kind::OutOfBounds, ins.pc, i, title);
        }
    }
    Pair::same(run)
}

/// Calls `f` with each active lane, alone in the mask: findings look at the lanes of the mask.
fn for_each<'a>(lanes: &mut Lanes<'a>, mut f: impl FnMut(&mut Lanes<'a>, usize)) {
    let active = lanes.mask;
    for i in bits(active) {
        lanes.mask = 1 << i;
        f(lanes, i);
    }
    lanes.mask = active;
}

/// Copies one `M`. Returns false for an access that is not possible.
///
/// # Safety
/// - The accesses belong to an instruction of the function whose frame is bound.
unsafe fn transfer<M: Copy>(
    lanes: &mut Lanes<'_>,
    ins: &Ins,
    lane: usize,
    to: (&Access, u64),
    from: (&Access, u64),
) -> bool {
    let bytes = size_of::<M>() as u64;
    let Some(source) = place(lanes, ins, lane, from, bytes, false) else {
        return false;
    };
    let Some(target) = place(lanes, ins, lane, to, bytes, true) else {
        return false;
    };
    // SAFETY: both places hold so many bytes and are aligned, as just looked up.
    unsafe { put::<M>(target, get::<M>(source)) };
    true
}

/// Host memory of one lane's aligned access, shown to the observers; or a recorded fault.
fn place(
    lanes: &mut Lanes<'_>,
    ins: &Ins,
    lane: usize,
    (access, at): (&Access, u64),
    bytes: u64,
    write: bool,
) -> Option<*mut u8> {
    if lanes.watch.is_some() {
        watch::observe(lanes, ins, access, &[at; LANES]);
    }
    let (space, inner) = Lanes::locate(access, at);
    let host = lanes
        .lane_range(space, access.site, lane, inner, bytes, write)
        .filter(|_| inner % bytes == 0);
    if host.is_none() {
        lanes.raise_access(ins, access, lane, at);
    }
    host
}

/// Whether a size is a multiple of `unit`; if not, a fault is recorded.
fn whole(lanes: &mut Lanes<'_>, ins: &Ins, lane: usize, size: u64, unit: u64) -> bool {
    if size.is_multiple_of(unit) {
        return true;
    }
    lanes.raise(Fault {
        kind: Kind::Misaligned,
        pc: ins.pc,
        at: lanes.at,
        lane: Some(lane as u32),
        title: format!("bulk operation on {size} bytes"),
        notes: vec![format!("the size has to be a multiple of {unit}")],
        help: None,
    });
    false
}

#[cold]
fn misplaced(lanes: &mut Lanes<'_>, ins: &Ins, lane: usize, address: u64) {
    let title = format!("bulk operation at {address:#x}, which is no multiple of {UNIT}");
    lanes.raise_at(Kind::Misaligned, ins.pc, lane, title);
}
