//! Operations among lanes: gathering what each lane brings, computing, handing out.
//!
//! When the lanes that a mask names are all there, which is nearly always, this happens in one go
//! on the registers of one warp. Otherwise `wave::meeting` gathers from several parts first.

use super::context::Lanes;
use super::lanes::{FULL, Ins, LANES, Level, Pair, bits, pack, predicate, vector};
use crate::code::{Collective, CollectiveOp, NONE, Source32};
use crate::ops::warp::{self, ShuffleMode, VoteMode};

/// What the lanes bring.
#[derive(Clone, Debug)]
pub(crate) struct Inputs {
    pub(crate) values: [u64; LANES],
    pub(crate) b: [u32; LANES],
    pub(crate) c: [u32; LANES],
}

impl Inputs {
    pub(crate) const EMPTY: Inputs = Inputs {
        values: [0; LANES],
        b: [0; LANES],
        c: [0; LANES],
    };
}

/// What they take away.
#[derive(Clone, Debug)]
pub(crate) struct Outputs {
    pub(crate) values: [u32; LANES],
    pub(crate) predicates: u32,
}

/// The mask that each lane gives.
///
/// # Safety
/// - `collective` is of the function whose frame is bound.
pub(crate) unsafe fn members(lanes: &Lanes<'_>, collective: &Collective) -> [u32; LANES] {
    match collective.members {
        Some(Source32::Uniform(mask)) => [mask; LANES],
        // SAFETY: a 32-bit register of the frame.
        Some(Source32::Register(register)) => unsafe { *vector::<u32>(lanes, register) },
        None => [lanes.mask; LANES],
    }
}

/// Reads what the active lanes bring.
///
/// # Safety
/// - `collective` is of the function whose frame is bound.
pub(crate) unsafe fn gather(lanes: &Lanes<'_>, collective: &Collective, inputs: &mut Inputs) {
    // SAFETY: the decoder laid the operands out for the operation.
    unsafe {
        match collective.op {
            CollectiveOp::Sync | CollectiveOp::Elect => {}
            CollectiveOp::Vote(_) => {
                let p = *predicate(lanes, collective.a) ^ if collective.negated { FULL } else { 0 };
                for i in bits(lanes.mask) {
                    inputs.values[i] = u64::from(p >> i & 1);
                }
            }
            CollectiveOp::MatchAny64 | CollectiveOp::MatchAll64 => {
                let a = vector::<u64>(lanes, collective.a);
                for i in bits(lanes.mask) {
                    inputs.values[i] = (*a)[i];
                }
            }
            _ => {
                let a = vector::<u32>(lanes, collective.a);
                for i in bits(lanes.mask) {
                    inputs.values[i] = u64::from((*a)[i]);
                }
            }
        }
        if let CollectiveOp::Shuffle(_) = collective.op {
            let (b, c) = (
                vector::<u32>(lanes, collective.b),
                vector::<u32>(lanes, collective.c),
            );
            for i in bits(lanes.mask) {
                inputs.b[i] = (*b)[i];
                inputs.c[i] = (*c)[i];
            }
        }
    }
}

/// Computes the results of the lanes of `group`.
pub(crate) fn compute(op: CollectiveOp, group: u32, inputs: &Inputs) -> Outputs {
    let mut outputs = Outputs {
        values: [0; LANES],
        predicates: 0,
    };
    let narrow = || inputs.values.map(|value| value as u32);
    match op {
        CollectiveOp::Sync => {}
        CollectiveOp::Shuffle(mode) => {
            for i in bits(group) {
                let (source, inside) =
                    warp::shuffle_source(mode, i as u32, inputs.b[i], inputs.c[i]);
                // A lane that takes no part has nothing to give; the ISA leaves the value open.
                outputs.values[i] = inputs.values[source as usize & 31] as u32;
                outputs.predicates |= u32::from(inside) << i;
            }
        }
        CollectiveOp::Vote(mode) => {
            let set = bits(group).fold(0, |set, i| set | (inputs.values[i] as u32 & 1) << i);
            let result = warp::vote(mode, group, set);
            outputs.values = [result; LANES];
            outputs.predicates = if result & 1 != 0 { FULL } else { 0 };
        }
        CollectiveOp::MatchAny32 | CollectiveOp::MatchAny64 => {
            for i in bits(group) {
                outputs.values[i] = warp::match_any(group, &inputs.values, i);
            }
        }
        CollectiveOp::MatchAll32 | CollectiveOp::MatchAll64 => {
            let result = warp::match_all(group, &inputs.values);
            outputs.values = [result.unwrap_or(0); LANES];
            outputs.predicates = if result.is_some() { FULL } else { 0 };
        }
        CollectiveOp::Redux(op) => {
            outputs.values = [warp::reduce(op, group, &narrow()); LANES];
        }
        CollectiveOp::Elect => {
            let leader = group.trailing_zeros() & 31;
            outputs.values = [leader; LANES];
            outputs.predicates = 1 << leader;
        }
    }
    outputs
}

/// Writes the results of the lanes in `lanes.mask`.
///
/// # Safety
/// - `collective` is of the function whose frame is bound.
pub(crate) unsafe fn scatter(lanes: &Lanes<'_>, collective: &Collective, outputs: &Outputs) {
    let vote_flag = matches!(
        collective.op,
        CollectiveOp::Vote(VoteMode::All | VoteMode::Any | VoteMode::Uniform)
    );
    // SAFETY: the decoder laid the destinations out for the operation.
    unsafe {
        if collective.d != NONE && !vote_flag {
            let d = vector::<u32>(lanes, collective.d);
            for i in bits(lanes.mask) {
                (*d)[i] = outputs.values[i];
            }
        }
        let p = if vote_flag {
            collective.d
        } else {
            collective.p
        };
        if p != NONE {
            let p = predicate(lanes, p);
            *p = *p & !lanes.mask | outputs.predicates & lanes.mask;
        }
    }
}

/// A collective executed in line, all the lanes of its mask being active. `imm` is its number.
pub(crate) fn inline() -> Pair {
    /// # Safety
    /// As for [`super::lanes::Exec`]; only run where every lane is active.
    unsafe fn run(lanes: &mut Lanes<'_>, ins: &Ins) {
        let code = lanes.code;
        let Some(collective) = code.collectives.get(ins.imm as usize) else {
            return;
        };
        // SAFETY: the collective is of the function whose frame is bound.
        unsafe { together(lanes, collective, lanes.mask) };
        crate::watch::collective(lanes, collective.op, lanes.mask);
    }
    Pair::same(run)
}

/// Executes a collective among the lanes of `group`, all of them active in the bound frame.
///
/// # Safety
/// - `collective` is of the function whose frame is bound.
pub(crate) unsafe fn together(lanes: &mut Lanes<'_>, collective: &Collective, group: u32) {
    let before = std::mem::replace(&mut lanes.mask, group);
    // SAFETY: passed on to the caller.
    unsafe {
        match collective.op {
            CollectiveOp::Sync => {}
            CollectiveOp::Shuffle(mode) if group == FULL => {
                shuffle_whole(lanes, collective, mode);
            }
            CollectiveOp::Vote(mode)
                if group == FULL && collective.d != NONE && collective.p == NONE =>
            {
                let p = *predicate(lanes, collective.a);
                let p = p ^ if collective.negated { FULL } else { 0 };
                let result = warp::vote(mode, FULL, p);
                if mode == VoteMode::Ballot {
                    *vector::<u32>(lanes, collective.d) = [result; LANES];
                } else {
                    *predicate(lanes, collective.d) = if result & 1 != 0 { FULL } else { 0 };
                }
            }
            CollectiveOp::Redux(op) if group == FULL && collective.d != NONE => {
                let values = &*vector::<u32>(lanes, collective.a);
                *vector::<u32>(lanes, collective.d) = [warp::reduce(op, FULL, values); LANES];
            }
            _ => {
                let mut inputs = Inputs::EMPTY;
                gather(lanes, collective, &mut inputs);
                let outputs = compute(collective.op, group, &inputs);
                scatter(lanes, collective, &outputs);
            }
        }
    }
    lanes.mask = before;
}

/// A shuffle of a whole warp.
///
/// # Safety
/// - `collective` is of the function whose frame is bound.
#[inline(always)]
unsafe fn shuffle_whole(lanes: &Lanes<'_>, collective: &Collective, mode: ShuffleMode) {
    // SAFETY: operands are 32-bit registers and a predicate of the frame; a level is what was
    // detected on this host.
    unsafe {
        let a = vector::<u32>(lanes, collective.a);
        let (b, c) = (
            &*vector::<u32>(lanes, collective.b),
            &*vector::<u32>(lanes, collective.c),
        );
        let (result, inside) = match lanes.level {
            #[cfg(target_arch = "x86_64")]
            Level::V4 => shuffle_v4(mode, &*a, b, c),
            _ => {
                let (sources, inside) = shuffle_sources(mode, b, c);
                (sources.map(|source| (*a)[source as usize & 31]), inside)
            }
        };
        if collective.d != NONE {
            *vector::<u32>(lanes, collective.d) = result;
        }
        if collective.p != NONE {
            *predicate(lanes, collective.p) = inside;
        }
    }
}

/// The lane that each lane reads, and those whose source lies inside their segment.
#[inline(always)]
fn shuffle_sources(mode: ShuffleMode, b: &[u32; LANES], c: &[u32; LANES]) -> ([u32; LANES], u32) {
    let (mut sources, mut inside) = ([0; LANES], [0; LANES]);
    for i in 0..LANES {
        let (source, is_inside) = warp::shuffle_source(mode, i as u32, b[i], c[i]);
        sources[i] = source;
        inside[i] = if is_inside { u8::MAX } else { 0 };
    }
    (sources, pack(&inside))
}

/// # Safety
/// - The host has AVX-512 F, BW and VL.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
fn shuffle_v4(
    mode: ShuffleMode,
    a: &[u32; LANES],
    b: &[u32; LANES],
    c: &[u32; LANES],
) -> ([u32; LANES], u32) {
    use std::arch::x86_64::{__m512i, _mm512_permutex2var_epi32};
    // One loop for each mode, without a choice inside.
    let (sources, inside) = match mode {
        ShuffleMode::Up => shuffle_sources(ShuffleMode::Up, b, c),
        ShuffleMode::Down => shuffle_sources(ShuffleMode::Down, b, c),
        ShuffleMode::Butterfly => shuffle_sources(ShuffleMode::Butterfly, b, c),
        ShuffleMode::Index => shuffle_sources(ShuffleMode::Index, b, c),
    };
    // SAFETY: 32 words are two vectors, and any bits are valid in either.
    unsafe {
        let [low, high] = std::mem::transmute_copy::<[u32; LANES], [__m512i; 2]>(a);
        let [first, second] = std::mem::transmute::<[u32; LANES], [__m512i; 2]>(sources);
        let result = [
            _mm512_permutex2var_epi32(low, first, high),
            _mm512_permutex2var_epi32(low, second, high),
        ];
        (
            std::mem::transmute::<[__m512i; 2], [u32; LANES]>(result),
            inside,
        )
    }
}

#[cfg(test)]
#[cfg(target_arch = "x86_64")]
mod tests {
    use super::*;

    #[test]
    fn the_vector_shuffle_agrees_with_the_plain_one() {
        if Level::detect() != Level::V4 {
            eprintln!("skipped: this host has no AVX-512");
            return;
        }
        let random = |seed: u32| {
            let mut x = seed.wrapping_mul(0x9e37_79b9) | 1;
            std::array::from_fn(|_| {
                x ^= x << 13;
                x ^= x >> 17;
                x ^= x << 5;
                x
            })
        };
        let modes = [
            ShuffleMode::Up,
            ShuffleMode::Down,
            ShuffleMode::Butterfly,
            ShuffleMode::Index,
        ];
        for (mode, seed) in modes.into_iter().flat_map(|m| (0..64).map(move |s| (m, s))) {
            let (a, b, c): ([u32; LANES], _, _) = (random(seed), random(!seed), random(seed + 99));
            let (sources, inside) = shuffle_sources(mode, &b, &c);
            let plain = sources.map(|source| a[source as usize & 31]);
            // SAFETY: the host has the instructions, as just asked.
            let vector = unsafe { shuffle_v4(mode, &a, &b, &c) };
            assert_eq!(vector, (plain, inside), "{mode:?}, seed {seed}");
        }
    }
}
