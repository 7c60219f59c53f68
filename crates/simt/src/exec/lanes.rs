//! The heart of the emulator: one instruction over the 32 lanes of a warp.
//!
//! A register is an array of 32 values ([`Vector`]); a predicate is one 32-bit mask. An instruction
//! is a pair of function pointers, chosen when the kernel was decoded: one for when all lanes are
//! active, one for any mask. The pointers lead to instances of a few generic drivers (`map2`,
//! `compare`, …) compiled for each instruction set of the host, so that the loop over the lanes is
//! a handful of vector instructions.

use super::context::Lanes;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Lanes of a PTX warp.
pub(crate) const LANES: usize = 32;
/// All of them.
pub(crate) const FULL: u32 = u32::MAX;

/// An instruction's function.
///
/// # Safety
/// - `ins` belongs to the function whose frame `lanes.regs` points to.
/// - The host has the instruction set that the function was compiled for.
pub(crate) type Exec = unsafe fn(&mut Lanes<'_>, &Ins);

/// One decoded instruction: what to run and on which registers, as byte offsets into the frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ins {
    /// With all lanes active.
    pub(crate) full: Exec,
    /// With any mask.
    pub(crate) masked: Exec,
    /// Destination.
    pub(crate) d: u32,
    /// First source.
    pub(crate) a: u32,
    /// Second source.
    pub(crate) b: u32,
    /// Third source.
    pub(crate) c: u32,
    /// Whatever else the function needs: a mode, or an index into a side table.
    pub(crate) imm: u64,
    /// The instruction's number.
    pub(crate) pc: u32,
}

/// The two functions of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) full: Exec,
    pub(crate) masked: Exec,
}

impl Pair {
    pub(crate) fn same(exec: Exec) -> Pair {
        Pair {
            full: exec,
            masked: exec,
        }
    }
}

/// The instruction sets of the host for which the drivers are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Level {
    /// What every host of this architecture has.
    Base,
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    V3,
    /// AVX-512.
    #[cfg(target_arch = "x86_64")]
    V4,
}

/// What the emulator uses of the host's vector units, at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostVectors {
    /// What every host of this architecture has.
    Least,
    /// AVX2 and FMA.
    Avx2,
    /// All that there is.
    All,
}

static LIMIT: AtomicU8 = AtomicU8::new(HostVectors::All as u8);

/// Makes programs that are loaded from now on run as on an older host: for tests. Results are the
/// same everywhere.
pub fn limit_host_vectors(limit: HostVectors) {
    LIMIT.store(limit as u8, Relaxed);
}

impl Level {
    /// The best that this host has and that is allowed.
    pub(crate) fn detect() -> Level {
        #[cfg(target_arch = "x86_64")]
        {
            const AVX2: u8 = HostVectors::Avx2 as u8;
            match LIMIT.load(Relaxed) {
                ..AVX2 => Level::Base,
                AVX2 => Level::best().min(Level::V3),
                _ => Level::best(),
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        Level::Base
    }

    /// The best that this host has.
    #[cfg(target_arch = "x86_64")]
    fn best() -> Level {
        let avx2 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        let avx512 = avx2
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512vl");
        if avx512 {
            return Level::V4;
        }
        if avx2 {
            return Level::V3;
        }
        Level::Base
    }
}

/// The value of a zero-sized closure that was seen at decode time.
#[inline(always)]
pub(crate) fn conjure<F: Copy>() -> F {
    const {
        assert!(
            size_of::<F>() == 0,
            "closures of instructions capture nothing"
        )
    };
    // SAFETY: reading a zero-sized value touches no memory. `F: Copy`, and every caller has been
    // given a value of `F` when the function pointer was made, so that another one may exist.
    unsafe { std::ptr::NonNull::<F>::dangling().as_ptr().read() }
}

/// The register at a byte offset of the frame.
///
/// # Safety
/// - `offset` is that of a register of at least `size_of::<T>() × 32` bytes in the current frame.
#[inline(always)]
pub(crate) unsafe fn vector<T>(lanes: &Lanes<'_>, offset: u32) -> *mut [T; LANES] {
    // SAFETY: the frame is one allocation, and the decoder laid the offset out inside it.
    unsafe { lanes.regs.add(offset as usize).cast() }
}

/// The predicate at a byte offset of the frame.
///
/// # Safety
/// - `offset` is that of a predicate in the current frame.
#[inline(always)]
pub(crate) unsafe fn predicate(lanes: &Lanes<'_>, offset: u32) -> *mut u32 {
    // SAFETY: as in `vector`.
    unsafe { lanes.regs.add(offset as usize).cast() }
}

/// Writes the lanes of `value` that are in the mask.
#[inline(always)]
unsafe fn blend<D: Copy, const ALL: bool>(d: *mut [D; LANES], value: [D; LANES], mask: u32) {
    // SAFETY: the caller passes a register of the frame.
    unsafe {
        if ALL {
            *d = value;
        } else {
            let old = *d;
            let mut new = value;
            for i in 0..LANES {
                new[i] = if mask >> i & 1 != 0 { value[i] } else { old[i] };
            }
            *d = new;
        }
    }
}

/// Bit `i` is the highest bit of byte `i`.
///
/// By hand, because a loop that shifts each lane's bit into place becomes a tree of shuffles.
#[inline(always)]
pub(crate) fn pack(hits: &[u8; LANES]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_mm_loadu_si128, _mm_movemask_epi8};
        // SAFETY: every x86-64 host has SSE2; both halves lie inside the array, and the loads need
        // no alignment.
        let (low, high) = unsafe {
            let start = hits.as_ptr();
            (
                _mm_movemask_epi8(_mm_loadu_si128(start.cast())),
                _mm_movemask_epi8(_mm_loadu_si128(start.add(LANES / 2).cast())),
            )
        };
        low as u32 | (high as u32) << 16
    }
    #[cfg(not(target_arch = "x86_64"))]
    hits.iter()
        .zip(0..)
        .fold(0, |mask, (hit, i)| mask | u32::from(hit >> 7) << i)
}

/// The bodies of the drivers; each is inlined into its instances below.
mod body {
    use super::*;

    /// # Safety
    /// As for [`Exec`].
    #[inline(always)]
    pub(super) unsafe fn map1<A: Copy, D: Copy, F: Fn(A) -> D + Copy, const ALL: bool>(
        lanes: &mut Lanes<'_>,
        ins: &Ins,
    ) {
        let f = conjure::<F>();
        // SAFETY: offsets and types were laid out together by the decoder.
        unsafe {
            let (a, d) = (*vector::<A>(lanes, ins.a), vector::<D>(lanes, ins.d));
            let mut result = *d;
            for i in 0..LANES {
                result[i] = f(a[i]);
            }
            blend::<D, ALL>(d, result, lanes.mask);
        }
    }

    /// # Safety
    /// As for [`Exec`].
    #[inline(always)]
    pub(super) unsafe fn map2<
        A: Copy,
        B: Copy,
        D: Copy,
        F: Fn(A, B) -> D + Copy,
        const ALL: bool,
    >(
        lanes: &mut Lanes<'_>,
        ins: &Ins,
    ) {
        let f = conjure::<F>();
        // SAFETY: offsets and types were laid out together by the decoder.
        unsafe {
            let (a, b) = (*vector::<A>(lanes, ins.a), *vector::<B>(lanes, ins.b));
            let d = vector::<D>(lanes, ins.d);
            let mut result = *d;
            for i in 0..LANES {
                result[i] = f(a[i], b[i]);
            }
            blend::<D, ALL>(d, result, lanes.mask);
        }
    }

    /// # Safety
    /// As for [`Exec`].
    #[inline(always)]
    pub(super) unsafe fn map3<
        A: Copy,
        B: Copy,
        C: Copy,
        D: Copy,
        F: Fn(A, B, C) -> D + Copy,
        const ALL: bool,
    >(
        lanes: &mut Lanes<'_>,
        ins: &Ins,
    ) {
        let f = conjure::<F>();
        // SAFETY: offsets and types were laid out together by the decoder.
        unsafe {
            let (a, b) = (*vector::<A>(lanes, ins.a), *vector::<B>(lanes, ins.b));
            let (c, d) = (*vector::<C>(lanes, ins.c), vector::<D>(lanes, ins.d));
            let mut result = *d;
            for i in 0..LANES {
                result[i] = f(a[i], b[i], c[i]);
            }
            blend::<D, ALL>(d, result, lanes.mask);
        }
    }

    /// # Safety
    /// As for [`Exec`].
    #[inline(always)]
    pub(super) unsafe fn with3<
        A: Copy,
        B: Copy,
        C: Copy,
        D: Copy,
        F: Fn(u64, A, B, C) -> D + Copy,
        const ALL: bool,
    >(
        lanes: &mut Lanes<'_>,
        ins: &Ins,
    ) {
        let f = conjure::<F>();
        let imm = ins.imm;
        // SAFETY: offsets and types were laid out together by the decoder.
        unsafe {
            let (a, b) = (*vector::<A>(lanes, ins.a), *vector::<B>(lanes, ins.b));
            let (c, d) = (*vector::<C>(lanes, ins.c), vector::<D>(lanes, ins.d));
            let mut result = *d;
            for i in 0..LANES {
                result[i] = f(imm, a[i], b[i], c[i]);
            }
            blend::<D, ALL>(d, result, lanes.mask);
        }
    }

    /// # Safety
    /// As for [`Exec`].
    #[inline(always)]
    pub(super) unsafe fn compare<A: Copy, F: Fn(A, A) -> bool + Copy, const ALL: bool>(
        lanes: &mut Lanes<'_>,
        ins: &Ins,
    ) {
        let f = conjure::<F>();
        // SAFETY: offsets and types were laid out together by the decoder.
        unsafe {
            let (a, b) = (*vector::<A>(lanes, ins.a), *vector::<A>(lanes, ins.b));
            let mut hits = [0; LANES];
            for i in 0..LANES {
                hits[i] = if f(a[i], b[i]) { u8::MAX } else { 0 };
            }
            let result = pack(&hits);
            let d = predicate(lanes, ins.d);
            *d = if ALL {
                result
            } else {
                *d & !lanes.mask | result & lanes.mask
            };
        }
    }

    /// # Safety
    /// As for [`Exec`].
    #[inline(always)]
    pub(super) unsafe fn select<A: Copy, F: Fn(A) -> A + Copy, const ALL: bool>(
        lanes: &mut Lanes<'_>,
        ins: &Ins,
    ) {
        let f = conjure::<F>();
        // SAFETY: offsets and types were laid out together by the decoder.
        unsafe {
            let (a, b) = (*vector::<A>(lanes, ins.a), *vector::<A>(lanes, ins.b));
            let (chosen, d) = (*predicate(lanes, ins.c), vector::<A>(lanes, ins.d));
            let mut result = b;
            for i in 0..LANES {
                result[i] = f(if chosen >> i & 1 != 0 { a[i] } else { b[i] });
            }
            blend::<A, ALL>(d, result, lanes.mask);
        }
    }
}

/// Instances of a driver for each level, and the function that picks one.
macro_rules! levels {
    ($($(#[$doc:meta])* $name:ident [$($T:ident),*] [$($bound:tt)+];)*) => {
        levels!(@level base [] $($name [$($T),*] [$($bound)+];)*);
        #[cfg(target_arch = "x86_64")]
        levels!(@level v3 [#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]]
            $($name [$($T),*] [$($bound)+];)*);
        #[cfg(target_arch = "x86_64")]
        levels!(@level v4 [#[target_feature(
            enable = "avx512f,avx512bw,avx512dq,avx512cd,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt"
        )]] $($name [$($T),*] [$($bound)+];)*);
        $(
            $(#[$doc])*
            pub(crate) fn $name<$($T: Copy,)* F: $($bound)+ + Copy>(level: Level, _: F) -> Pair {
                match level {
                    Level::Base => Pair {
                        full: base::$name::<$($T,)* F, true>,
                        masked: base::$name::<$($T,)* F, false>,
                    },
                    #[cfg(target_arch = "x86_64")]
                    Level::V3 => Pair {
                        full: v3::$name::<$($T,)* F, true>,
                        masked: v3::$name::<$($T,)* F, false>,
                    },
                    #[cfg(target_arch = "x86_64")]
                    Level::V4 => Pair {
                        full: v4::$name::<$($T,)* F, true>,
                        masked: v4::$name::<$($T,)* F, false>,
                    },
                }
            }
        )*
    };
    (@level $level:ident [$($attr:tt)*] $($name:ident [$($T:ident),*] [$($bound:tt)+];)*) => {
        mod $level {
            use super::*;
            levels!(@fns [$($attr)*] $($name [$($T),*] [$($bound)+];)*);
        }
    };
    (@fns $attr:tt $($name:ident $types:tt $bound:tt;)*) => {
        $(levels!(@fn $attr $name $types $bound);)*
    };
    (@fn [$($attr:tt)*] $name:ident [$($T:ident),*] [$($bound:tt)+]) => {
        $($attr)*
        /// # Safety
        /// As for [`Exec`].
        pub(super) unsafe fn $name<$($T: Copy,)* F: $($bound)+ + Copy, const ALL: bool>(
            lanes: &mut Lanes<'_>,
            ins: &Ins,
        ) {
            // SAFETY: passed on to the caller.
            unsafe { body::$name::<$($T,)* F, ALL>(lanes, ins) }
        }
    };
}

pub(crate) use levels;

levels! {
    /// `d = f(a)`.
    map1 [A, D] [Fn(A) -> D];
    /// `d = f(a, b)`.
    map2 [A, B, D] [Fn(A, B) -> D];
    /// `d = f(a, b, c)`.
    map3 [A, B, C, D] [Fn(A, B, C) -> D];
    /// `d = f(imm, a, b, c)`.
    with3 [A, B, C, D] [Fn(u64, A, B, C) -> D];
    /// The predicate `d = f(a, b)`.
    compare [A] [Fn(A, A) -> bool];
    /// `d = f(c ? a : b)`.
    select [A] [Fn(A) -> A];
}

/// The set bits of a mask, lowest first.
#[inline(always)]
pub(crate) fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        (mask != 0).then(|| {
            mask &= mask - 1;
            lane as usize
        })
    })
}

/// `d = f(imm, a, b, c)` lane by lane, for what is rare or does not vectorise.
pub(crate) fn each<A, B, C, D, F>(_: F) -> Pair
where
    A: Copy,
    B: Copy,
    C: Copy,
    D: Copy,
    F: Fn(u64, A, B, C) -> D + Copy,
{
    /// # Safety
    /// As for [`Exec`].
    unsafe fn run<A: Copy, B: Copy, C: Copy, D: Copy, F: Fn(u64, A, B, C) -> D + Copy>(
        lanes: &mut Lanes<'_>,
        ins: &Ins,
    ) {
        let f = conjure::<F>();
        // SAFETY: offsets and types were laid out together by the decoder. Each lane is read
        // before it is written, so that the destination may be a source.
        unsafe {
            let (a, b) = (vector::<A>(lanes, ins.a), vector::<B>(lanes, ins.b));
            let (c, d) = (vector::<C>(lanes, ins.c), vector::<D>(lanes, ins.d));
            for i in bits(lanes.mask) {
                (*d)[i] = f(ins.imm, (*a)[i], (*b)[i], (*c)[i]);
            }
        }
    }
    Pair::same(run::<A, B, C, D, F>)
}

/// A predicate `d = f(imm, a, b)` lane by lane.
pub(crate) fn each_test<A: Copy, F: Fn(u64, A, A) -> bool + Copy>(_: F) -> Pair {
    /// # Safety
    /// As for [`Exec`].
    unsafe fn run<A: Copy, F: Fn(u64, A, A) -> bool + Copy>(lanes: &mut Lanes<'_>, ins: &Ins) {
        let f = conjure::<F>();
        // SAFETY: offsets and types were laid out together by the decoder.
        unsafe {
            let (a, b) = (vector::<A>(lanes, ins.a), vector::<A>(lanes, ins.b));
            let mut result = 0;
            for i in bits(lanes.mask) {
                result |= u32::from(f(ins.imm, (*a)[i], (*b)[i])) << i;
            }
            let d = predicate(lanes, ins.d);
            *d = *d & !lanes.mask | result;
        }
    }
    Pair::same(run::<A, F>)
}

/// A predicate `d = f(a, b, c)` on whole masks.
pub(crate) fn masks<F: Fn(u32, u32, u32) -> u32 + Copy>(_: F) -> Pair {
    /// # Safety
    /// As for [`Exec`].
    unsafe fn run<F: Fn(u32, u32, u32) -> u32 + Copy>(lanes: &mut Lanes<'_>, ins: &Ins) {
        let f = conjure::<F>();
        // SAFETY: the offsets are those of predicates.
        unsafe {
            let (a, b) = (*predicate(lanes, ins.a), *predicate(lanes, ins.b));
            let result = f(a, b, *predicate(lanes, ins.c));
            let d = predicate(lanes, ins.d);
            *d = *d & !lanes.mask | result & lanes.mask;
        }
    }
    Pair::same(run::<F>)
}
