//! What a warp's instructions give, lane by lane, over groups of 32 values.
//!
//! A ragged last group stands for a warp whose missing lanes do not take part.

use rayon::prelude::*;

/// Lanes in a warp.
pub const WARP: usize = 32;

/// One result per warp.
pub fn per_warp<T: Sync, U: Send>(values: &[T], f: impl Fn(&[T]) -> U + Sync + Send) -> Vec<U> {
    values.par_chunks(WARP).map(f).collect()
}

/// One result per lane, from the warp's values and the lane's number.
pub fn per_lane<T: Sync, U: Send>(
    values: &[T],
    f: impl Fn(&[T], usize) -> U + Sync + Send,
) -> Vec<U> {
    let warp_of = |i: usize| {
        let start = i / WARP * WARP;
        &values[start..values.len().min(start + WARP)]
    };
    (0..values.len())
        .into_par_iter()
        .map(|i| f(warp_of(i), i % WARP))
        .collect()
}

/// The lanes for which the predicate holds, lane 0 in the lowest bit.
pub fn ballot<T: Copy>(warp: &[T], predicate: impl Fn(T) -> bool) -> u32 {
    (0..).zip(warp).fold(0, |mask, (lane, &x)| {
        mask | (u32::from(predicate(x)) << lane)
    })
}

/// The lanes that hold the same value as lane `lane`.
pub fn match_any<T: Copy + PartialEq>(warp: &[T], lane: usize) -> u32 {
    ballot(warp, |x| x == warp[lane])
}

#[cfg(test)]
mod tests {
    use super::super::inputs::for_each_input;
    use super::*;

    #[test]
    fn lanes_and_warps_are_numbered_as_on_the_device() {
        for_each_input::<u32>(|what, values| {
            let (mut masks, mut firsts) = (Vec::new(), Vec::new());
            for (i, &x) in values.iter().enumerate() {
                let mut mask = 0u32;
                for lane in 0..32 {
                    if values.get(i / 32 * 32 + lane).is_some_and(|&y| y == x) {
                        mask |= 1 << lane;
                    }
                }
                masks.push(mask);
                if i % 32 == 0 {
                    firsts.push(x);
                }
            }
            assert_eq!(per_lane(values, match_any), masks, "{what}");
            assert_eq!(per_warp(values, |warp| warp[0]), firsts, "{what}");
        });
    }

    #[test]
    fn ballot_sets_one_bit_per_lane() {
        assert_eq!(ballot(&[1, -1, 2], |x| x > 0), 0b101);
        assert_eq!(ballot(&[0u8; 32], |x| x == 0), u32::MAX);
        assert_eq!(ballot::<u8>(&[], |_| true), 0);
    }
}
