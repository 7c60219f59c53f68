//! Prefix sums, and prefixes of any other operation.

use rayon::prelude::*;

use super::reduce::reduce_groups;
use super::{CHUNK, Number, Operation};

/// Whether an element counts itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `out[i] = x[0] ⊕ … ⊕ x[i]`.
    Inclusive,
    /// `out[i] = identity ⊕ x[0] ⊕ … ⊕ x[i − 1]`.
    Exclusive,
}

/// The prefixes of all values: the chunks' totals first, then each chunk from its prefix on.
pub fn scan<T: Number, O: Operation>(values: &[T], kind: Kind) -> Vec<T> {
    let mut prefixes = reduce_groups::<T, O>(values, CHUNK);
    let mut running = O::identity();
    for prefix in &mut prefixes {
        running = O::apply(running, std::mem::replace(prefix, running));
    }
    let mut out = vec![T::default(); values.len()];
    out.par_chunks_mut(CHUNK)
        .zip(values.par_chunks(CHUNK))
        .zip(prefixes)
        .for_each(|((out, values), prefix)| scan_chunk::<T, O>(values, out, prefix, kind));
    out
}

/// The prefixes inside each group of `group` values, which all start anew.
pub fn scan_groups<T: Number, O: Operation>(values: &[T], group: usize, kind: Kind) -> Vec<T> {
    let mut out = vec![T::default(); values.len()];
    out.par_chunks_mut(group)
        .zip(values.par_chunks(group))
        .for_each(|(out, values)| scan_chunk::<T, O>(values, out, O::identity(), kind));
    out
}

fn scan_chunk<T: Number, O: Operation>(values: &[T], out: &mut [T], start: T, kind: Kind) {
    let mut running = start;
    for (out, &value) in out.iter_mut().zip(values) {
        let next = O::apply(running, value);
        *out = if kind == Kind::Inclusive {
            next
        } else {
            running
        };
        running = next;
    }
}

#[cfg(test)]
mod tests {
    use super::super::inputs::{Sample, for_each_input};
    use super::super::{Max, Min, Product, Sum};
    use super::*;

    fn check<T: Sample, O: Operation>() {
        for_each_input::<T>(|what, values| {
            let mut running = O::identity::<T>();
            let (mut inclusive, mut exclusive) = (Vec::new(), Vec::new());
            for &value in values {
                exclusive.push(running);
                running = O::apply(running, value);
                inclusive.push(running);
            }
            let same =
                |got: Vec<T>, expected: &Vec<T>| format!("{got:?}") == format!("{expected:?}");
            assert!(
                same(scan::<T, O>(values, Kind::Inclusive), &inclusive),
                "inclusive, {what}"
            );
            assert!(
                same(scan::<T, O>(values, Kind::Exclusive), &exclusive),
                "exclusive, {what}"
            );
        });
    }

    #[test]
    fn equals_the_sequential_loop() {
        check::<i32, Sum>();
        check::<u64, Sum>();
        check::<u32, Product>();
        check::<i64, Max>();
        check::<f32, Min>();
        check::<f64, Max>();
    }

    #[test]
    fn groups_start_anew() {
        let got = scan_groups::<u32, Sum>(&[1; 7], 3, Kind::Inclusive);
        assert_eq!(got, [1, 2, 3, 1, 2, 3, 1]);
        let got = scan_groups::<u32, Sum>(&[1; 7], 3, Kind::Exclusive);
        assert_eq!(got, [0, 1, 2, 0, 1, 2, 0]);
    }
}
