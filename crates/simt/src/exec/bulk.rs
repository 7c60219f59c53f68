//! `cp.async.bulk`: any number of bytes between shared and global memory.

use super::context::{Fault, Lanes};
use super::lanes::{Ins, Pair, bits, vector};
use super::memory::{get, put};
use super::resolve::addresses;
use crate::findings::Kind;
use crate::watch;

/// Bytes that are copied together; sizes and addresses are multiples of it.
const UNIT: u64 = 16;

/// Copies for each lane as many bytes as the register at `b` says, from the place of the access
/// behind number `imm` to the place of that one.
///
/// The copy is made at once; what may be observed before it is waited for is undefined.
pub(crate) fn copy() -> Pair {
    /// # Safety
    /// As for [`super::lanes::Exec`].
    unsafe fn run(lanes: &mut Lanes<'_>, ins: &Ins) {
        let code = lanes.code;
        let index = ins.imm as usize;
        let (Some(to), Some(from)) = (code.accesses.get(index), code.accesses.get(index + 1))
        else {
            return;
        };
        // SAFETY: the decoder laid registers and accesses out together; each range is checked.
        unsafe {
            let (into, out) = (addresses(lanes, to), addresses(lanes, from));
            let sizes = *vector::<u32>(lanes, ins.b);
            let active = lanes.mask;
            for i in bits(active) {
                if !u64::from(sizes[i]).is_multiple_of(UNIT) {
                    raise_size(lanes, ins, i, sizes[i]);
                    continue;
                }
                // Findings look at the lanes of the mask.
                lanes.mask = 1 << i;
                for offset in (0..u64::from(sizes[i])).step_by(UNIT as usize) {
                    let (mut at_to, mut at_from) = (into, out);
                    at_to[i] = into[i].wrapping_add(offset);
                    at_from[i] = out[i].wrapping_add(offset);
                    if lanes.watch.is_some() {
                        watch::observe(lanes, ins, from, &at_from);
                        watch::observe(lanes, ins, to, &at_to);
                    }
                    let (space, inner) = Lanes::locate(from, at_from[i]);
                    let source = lanes.lane_range(space, from.site, i, inner, UNIT, false);
                    let Some(source) = source.filter(|_| inner % UNIT == 0) else {
                        lanes.raise_access(ins, from, i, at_from[i]);
                        break;
                    };
                    let (space, inner) = Lanes::locate(to, at_to[i]);
                    let target = lanes.lane_range(space, to.site, i, inner, UNIT, true);
                    let Some(target) = target.filter(|_| inner % UNIT == 0) else {
                        lanes.raise_access(ins, to, i, at_to[i]);
                        break;
                    };
                    put::<u128>(target, get::<u128>(source));
                }
            }
            lanes.mask = active;
        }
    }
    Pair::same(run)
}

#[cold]
fn raise_size(lanes: &mut Lanes<'_>, ins: &Ins, lane: usize, size: u32) {
    lanes.raise(Fault {
        kind: Kind::Misaligned,
        pc: ins.pc,
        at: lanes.at,
        lane: Some(lane as u32),
        title: format!("bulk copy of {size} bytes"),
        notes: vec![format!("the size has to be a multiple of {UNIT}")],
        help: None,
    });
}
