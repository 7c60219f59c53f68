//! `atom` and `red`: read-modify-write, lane after lane in ascending order.

use super::context::Lanes;
use super::lanes::{Ins, Pair, bits, conjure, vector};
use super::resolve::addresses;
use crate::code::NONE;
use crate::watch;
use std::sync::atomic::Ordering::AcqRel;
use std::sync::atomic::Ordering::Acquire;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64};

/// Replaces what is at `place` by `f` of it, and returns what was there.
///
/// # Safety
/// - `place` is valid and aligned for `T`, of 2, 4, 8 or 16 bytes.
#[inline(always)]
unsafe fn update<T: Copy>(place: *mut u8, f: impl Fn(T) -> T) -> T {
    macro_rules! through {
        ($atomic:ty, $bits:ty) => {{
            // SAFETY: the caller vouches for the place; `T` has the size of the cell.
            unsafe {
                let cell = <$atomic>::from_ptr(place.cast());
                let old = cell.fetch_update(AcqRel, Acquire, |old: $bits| {
                    Some(std::mem::transmute_copy(&f(std::mem::transmute_copy(&old))))
                });
                std::mem::transmute_copy(&old.unwrap_or_else(|old| old))
            }
        }};
    }
    match size_of::<T>() {
        2 => through!(AtomicU16, u16),
        4 => through!(AtomicU32, u32),
        8 => through!(AtomicU64, u64),
        // SAFETY: 16 bytes have no portable atomic: kernels with such an atomic run their blocks
        // in turn (see `decode::order`), so that nobody else is there.
        _ => unsafe {
            let old = place.cast::<T>().read();
            place.cast::<T>().write(f(old));
            old
        },
    }
}

/// An atomic on each lane's place: `d = old`, place `= f(old, b, c)`. `d` may be [`NONE`]. For a
/// vector, the registers of the operands follow each other in the access's list, and those of the
/// results come first in it.
pub(crate) fn atomic<T: Copy, F: Fn(T, T, T) -> T + Copy>(_: F) -> Pair {
    /// # Safety
    /// As for [`super::lanes::Exec`].
    unsafe fn run<T: Copy, F: Fn(T, T, T) -> T + Copy>(lanes: &mut Lanes<'_>, ins: &Ins) {
        let f = conjure::<F>();
        let code = lanes.code;
        let Some(access) = code.accesses.get(ins.imm as usize) else {
            return;
        };
        // SAFETY: the decoder laid registers of `T`s and access out together; ranges are checked.
        unsafe {
            let at = addresses(lanes, access);
            if lanes.watch.is_some() {
                watch::observe(lanes, ins, access, &at);
            }
            lanes.asks += 1;
            let count = access.registers.len();
            let total = (size_of::<T>() * count) as u64;
            for i in bits(lanes.mask) {
                let (space, inner) = Lanes::locate(access, at[i]);
                let aligned = inner % total == 0;
                let place = lanes.lane_range(space, access.site, i, inner, total, true);
                let Some(place) = place.filter(|_| aligned) else {
                    lanes.raise_access(ins, access, i, at[i]);
                    continue;
                };
                for (k, &operand) in access.registers.iter().enumerate() {
                    let b = (*vector::<T>(lanes, operand))[i];
                    let c = (*vector::<T>(lanes, ins.c))[i];
                    let old = update::<T>(place.add(k * size_of::<T>()), |old| f(old, b, c));
                    // Results of a vector lie in consecutive registers of a scratch area.
                    if ins.d != NONE {
                        let d = ins.d + (k * size_of::<T>() * 32) as u32;
                        (*vector::<T>(lanes, d))[i] = old;
                    }
                }
            }
        }
    }
    Pair::same(run::<T, F>)
}
