//! Guards, predicates, carries, clocks and moves between registers and local frames.

use super::context::Lanes;
use super::lanes::{FULL, Ins, Level, Pair, bits, conjure, map1, predicate, vector};
use crate::ops::int::{Int, add_carry, sub_borrow};

/// An instruction behind a guard: `imm` is its number among the guarded ones.
pub(crate) fn guarded() -> Pair {
    /// # Safety
    /// As for [`super::lanes::Exec`].
    unsafe fn run(lanes: &mut Lanes<'_>, ins: &Ins) {
        let code = lanes.code;
        let index = ins.imm as usize;
        let (Some(inner), Some(guard)) = (code.guarded.get(index), code.guards.get(index)) else {
            return;
        };
        let before = lanes.mask;
        // SAFETY: the guard is a predicate of the frame; the inner instruction is of the same
        // function, and the level's instruction set is there.
        unsafe {
            let p = *predicate(lanes, guard.predicate) ^ if guard.negated { FULL } else { 0 };
            let mask = before & p;
            lanes.predicated_off += u64::from((before & !p).count_ones());
            if mask != 0 {
                lanes.mask = mask;
                (if mask == FULL {
                    inner.full
                } else {
                    inner.masked
                })(lanes, inner);
                lanes.mask = before;
            }
        }
    }
    Pair::same(run)
}

/// An instruction without effect here: fences, prefetches, cache hints.
pub(crate) fn nothing() -> Pair {
    /// # Safety
    /// None: nothing is touched.
    unsafe fn run(_: &mut Lanes<'_>, _: &Ins) {}
    Pair::same(run)
}

/// `fence` and `membar`: of interest to race detection only. `imm` is 1 for gpu scope and wider.
pub(crate) fn fence() -> Pair {
    /// # Safety
    /// None beyond `Exec`'s: no register is touched.
    unsafe fn run(lanes: &mut Lanes<'_>, ins: &Ins) {
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
        crate::watch::fence(lanes, ins.imm != 0);
    }
    Pair::same(run)
}

/// A stop that decides nothing: stands where control instructions are, and is never run in line.
pub(crate) fn stop() -> Pair {
    nothing()
}

/// `mov` of 1 (predicate), 2, 4, 8 or 16 bytes.
pub(crate) fn copy(level: Level, bytes: u32) -> Pair {
    match bytes {
        2 => map1(level, |a: u16| a),
        4 => map1(level, |a: u32| a),
        8 => map1(level, |a: u64| a),
        16 => map1(level, |a: u128| a),
        _ => super::lanes::masks(|a, _, _| a),
    }
}

/// A predicate `d = f(address, constant)`: `a` is a generic address, and `constant` says whether it
/// lies in a `.const` variable. Constants lie among global addresses.
pub(crate) fn in_memory<F: Fn(u64, bool) -> bool + Copy>(_: F) -> Pair {
    /// # Safety
    /// As for [`super::lanes::Exec`].
    unsafe fn run<F: Fn(u64, bool) -> bool + Copy>(lanes: &mut Lanes<'_>, ins: &Ins) {
        let f = conjure::<F>();
        // SAFETY: `a` holds 64-bit values, `d` is a predicate.
        unsafe {
            let a = *vector::<u64>(lanes, ins.a);
            let mut result = 0;
            for i in bits(lanes.mask) {
                result |= u32::from(f(a[i], lanes.memory.is_constant(a[i]))) << i;
            }
            let d = predicate(lanes, ins.d);
            *d = *d & !lanes.mask | result;
        }
    }
    Pair::same(run::<F>)
}

/// Something that depends on nothing but the clock: `d = f(clock)`.
pub(crate) fn clock<T: Copy, F: Fn(u64) -> T + Copy>(_: F) -> Pair {
    /// # Safety
    /// As for [`super::lanes::Exec`].
    unsafe fn run<T: Copy, F: Fn(u64) -> T + Copy>(lanes: &mut Lanes<'_>, ins: &Ins) {
        lanes.clock += 1;
        let value = conjure::<F>()(lanes.clock);
        // SAFETY: the destination holds `T`s.
        unsafe {
            let d = vector::<T>(lanes, ins.d);
            for i in bits(lanes.mask) {
                (*d)[i] = value;
            }
        }
    }
    Pair::same(run::<T, F>)
}

/// `activemask`.
pub(crate) fn activemask() -> Pair {
    /// # Safety
    /// As for [`super::lanes::Exec`].
    unsafe fn run(lanes: &mut Lanes<'_>, ins: &Ins) {
        // SAFETY: the destination holds 32-bit values.
        unsafe {
            let d = vector::<u32>(lanes, ins.d);
            for i in bits(lanes.mask) {
                (*d)[i] = lanes.mask;
            }
        }
    }
    Pair::same(run)
}

/// The generic address of something in the local frame: `imm` is its offset, `b` is 1 for generic.
pub(crate) fn local_address<T: Copy, F: Fn(u64) -> T + Copy>(_: F) -> Pair {
    /// # Safety
    /// As for [`super::lanes::Exec`].
    unsafe fn run<T: Copy, F: Fn(u64) -> T + Copy>(lanes: &mut Lanes<'_>, ins: &Ins) {
        let value = conjure::<F>()(ins.imm.wrapping_add(u64::from(lanes.local_base)));
        // SAFETY: the destination holds `T`s.
        unsafe {
            let d = vector::<T>(lanes, ins.d);
            for i in bits(lanes.mask) {
                (*d)[i] = value;
            }
        }
    }
    Pair::same(run::<T, F>)
}

/// `add` and `sub` with carries; the carry is a predicate at `c`. `imm`: bit 0 subtracts, bit 1
/// reads the carry, bit 2 writes it.
pub(crate) fn carry<T: Int>() -> Pair {
    /// # Safety
    /// As for [`super::lanes::Exec`].
    unsafe fn run<T: Int>(lanes: &mut Lanes<'_>, ins: &Ins) {
        // SAFETY: the registers hold `T`s, `c` is a predicate.
        unsafe {
            let (a, b) = (*vector::<T>(lanes, ins.a), *vector::<T>(lanes, ins.b));
            let (d, flags) = (vector::<T>(lanes, ins.d), predicate(lanes, ins.c));
            for i in bits(lanes.mask) {
                let carry = ins.imm & 2 != 0 && *flags >> i & 1 != 0;
                let step = if ins.imm & 1 != 0 {
                    sub_borrow
                } else {
                    add_carry
                };
                let (value, out) = step(a[i], b[i], carry);
                (*d)[i] = value;
                if ins.imm & 4 != 0 {
                    *flags = *flags & !(1 << i) | u32::from(out) << i;
                }
            }
        }
    }
    Pair::same(run::<T>)
}

/// `mad` with carries: `a × b` (low or, with bit 3, high part) `+ c`. The carry is at offset
/// `imm >> 32`; bits as for [`carry`].
pub(crate) fn mad_carry<T: Int>() -> Pair {
    /// # Safety
    /// As for [`super::lanes::Exec`].
    unsafe fn run<T: Int>(lanes: &mut Lanes<'_>, ins: &Ins) {
        // SAFETY: the registers hold `T`s, the flags are a predicate.
        unsafe {
            let (a, b) = (*vector::<T>(lanes, ins.a), *vector::<T>(lanes, ins.b));
            let (c, d) = (*vector::<T>(lanes, ins.c), vector::<T>(lanes, ins.d));
            let flags = predicate(lanes, (ins.imm >> 32) as u32);
            for i in bits(lanes.mask) {
                let carry = ins.imm & 2 != 0 && *flags >> i & 1 != 0;
                let product = if ins.imm & 8 != 0 {
                    crate::ops::int::mul_hi(a[i], b[i])
                } else {
                    T::truncate(a[i].wide().wrapping_mul(b[i].wide()))
                };
                let (value, out) = add_carry(product, c[i], carry);
                (*d)[i] = value;
                if ins.imm & 4 != 0 {
                    *flags = *flags & !(1 << i) | u32::from(out) << i;
                }
            }
        }
    }
    Pair::same(run::<T>)
}

/// `setp` in its full form: the guarded-style inner comparison number `imm` leaves its result at
/// `a`; then `d = result op c`, and at `b` `!result op c`. The operation is in the upper half of
/// `imm`: 0 and, 1 or, 2 xor, 3 none; bit 2 negates `c`.
pub(crate) fn setp() -> Pair {
    /// # Safety
    /// As for [`super::lanes::Exec`].
    unsafe fn run(lanes: &mut Lanes<'_>, ins: &Ins) {
        let code = lanes.code;
        let Some(inner) = code.guarded.get(ins.imm as u32 as usize) else {
            return;
        };
        // SAFETY: the inner instruction is of the same function; all offsets are predicates.
        unsafe {
            (inner.masked)(lanes, inner);
            let result = *predicate(lanes, ins.a);
            let mode = ins.imm >> 32;
            let c = *predicate(lanes, ins.c) ^ if mode & 4 != 0 { FULL } else { 0 };
            let combine = |r: u32| match mode & 3 {
                0 => r & c,
                1 => r | c,
                2 => r ^ c,
                _ => r,
            };
            for (offset, value) in [(ins.d, combine(result)), (ins.b, combine(!result))] {
                if offset != crate::code::NONE {
                    let d = predicate(lanes, offset);
                    *d = *d & !lanes.mask | value & lanes.mask;
                }
            }
        }
    }
    Pair::same(run)
}

/// `set`: the comparison number `imm` leaves its result at `a`, which becomes the bits `b` or zero;
/// a combination as in [`setp`] comes from bits 32 on.
pub(crate) fn set<D: Copy + Default + TryFrom<u32> + 'static>() -> Pair {
    /// # Safety
    /// As for [`super::lanes::Exec`].
    unsafe fn run<D: Copy + Default + TryFrom<u32>>(lanes: &mut Lanes<'_>, ins: &Ins) {
        let code = lanes.code;
        let Some(inner) = code.guarded.get(ins.imm as u32 as usize) else {
            return;
        };
        // SAFETY: the inner instruction is of the same function; `a` and `c` are predicates, `d`
        // holds values of the type.
        unsafe {
            (inner.masked)(lanes, inner);
            let mode = ins.imm >> 32;
            let c = *predicate(lanes, ins.c) ^ if mode & 4 != 0 { FULL } else { 0 };
            let result = *predicate(lanes, ins.a);
            let result = match mode & 3 {
                0 => result & c,
                1 => result | c,
                2 => result ^ c,
                _ => result,
            };
            let yes = D::try_from(ins.b).unwrap_or_default();
            let d = vector::<D>(lanes, ins.d);
            for i in bits(lanes.mask) {
                (*d)[i] = if result >> i & 1 != 0 {
                    yes
                } else {
                    D::default()
                };
            }
        }
    }
    Pair::same(run::<D>)
}

/// Several instructions as one: `imm` is the number of the first among the guarded ones, `a` how
/// many. For `mov` of vectors.
pub(crate) fn sequence() -> Pair {
    /// # Safety
    /// As for [`super::lanes::Exec`].
    unsafe fn run(lanes: &mut Lanes<'_>, ins: &Ins) {
        let code = lanes.code;
        let start = ins.imm as usize;
        let Some(parts) = code.guarded.get(start..start + ins.a as usize) else {
            return;
        };
        for part in parts {
            // SAFETY: the parts are instructions of the same function.
            unsafe { (part.masked)(lanes, part) };
        }
    }
    Pair::same(run)
}

/// `bfi`: the length is a 32-bit register at the offset in `imm`.
pub(crate) fn insert_field<T: Int>() -> Pair {
    /// # Safety
    /// As for [`super::lanes::Exec`].
    unsafe fn run<T: Int>(lanes: &mut Lanes<'_>, ins: &Ins) {
        // SAFETY: `a`, `b`, `d` hold `T`s, the position and the length 32-bit values.
        unsafe {
            let (a, b) = (*vector::<T>(lanes, ins.a), *vector::<T>(lanes, ins.b));
            let (pos, len) = (
                *vector::<u32>(lanes, ins.c),
                *vector::<u32>(lanes, ins.imm as u32),
            );
            let d = vector::<T>(lanes, ins.d);
            for i in bits(lanes.mask) {
                let (x, y) = (a[i].wide() as u64, b[i].wide() as u64);
                (*d)[i] = T::truncate(crate::ops::bits::bfi(x, y, pos[i], len[i], T::BITS).into());
            }
        }
    }
    Pair::same(run::<T>)
}

/// A division or shift whose right operand is looked at first: `imm` is the number of the check.
pub(crate) fn checked() -> Pair {
    /// # Safety
    /// As for [`super::lanes::Exec`].
    unsafe fn run(lanes: &mut Lanes<'_>, ins: &Ins) {
        let code = lanes.code;
        let Some((check, inner)) = code.checks.get(ins.imm as usize) else {
            return;
        };
        // SAFETY: the operand and the inner instruction are of the same function.
        unsafe {
            crate::watch::arithmetic(lanes, check, inner.pc);
            (if lanes.mask == FULL {
                inner.full
            } else {
                inner.masked
            })(lanes, inner);
        }
    }
    Pair::same(run)
}
