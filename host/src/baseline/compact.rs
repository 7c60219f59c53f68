//! Keeping some of the values, in their order.

use rayon::prelude::*;

/// The values for which `keep` holds, in order.
pub fn compact<T: Copy + Send + Sync>(values: &[T], keep: impl Fn(T) -> bool + Sync) -> Vec<T> {
    values.par_iter().copied().filter(|&x| keep(x)).collect()
}

/// The same inside each group of `group` values: the kept ones moved to the group's start, the rest
/// of the group filled with `rest`; and how many were kept in each.
pub fn compact_groups<T: Copy + Send + Sync>(
    values: &[T],
    group: usize,
    rest: T,
    keep: impl Fn(T) -> bool + Sync,
) -> (Vec<T>, Vec<u32>) {
    let mut out = vec![rest; values.len()];
    let counts = out
        .par_chunks_mut(group)
        .zip(values.par_chunks(group))
        .map(|(out, values)| {
            let kept = values.iter().copied().filter(|&x| keep(x));
            out.iter_mut().zip(kept).map(|(slot, x)| *slot = x).count() as u32
        })
        .collect();
    (out, counts)
}

#[cfg(test)]
mod tests {
    use super::super::inputs::for_each_input;
    use super::*;

    #[test]
    fn equals_the_sequential_loop() {
        for_each_input::<i32>(|what, values| {
            let mut expected = Vec::new();
            for &x in values {
                if x > 0 {
                    expected.push(x);
                }
            }
            assert_eq!(compact(values, |x| x > 0), expected, "{what}");
        });
    }

    #[test]
    fn groups_keep_their_order_and_count() {
        let (out, counts) = compact_groups(&[-1, 5, -2, 7, 8, -3, 9], 3, 0, |x| x > 0);
        assert_eq!(out, [5, 0, 0, 7, 8, 0, 9]);
        assert_eq!(counts, [1, 2, 1]);
        assert_eq!(compact_groups(&[], 32, 0, |x: i32| x > 0), (vec![], vec![]));
    }
}
