//! Counting values by bin.

use rayon::prelude::*;

use super::CHUNK;

/// How many values fall into each of `bins` bins, where `bin(x)` names x's bin; values of a bin that
/// does not exist are not counted.
pub fn histogram<T: Copy + Sync>(
    values: &[T],
    bins: usize,
    bin: impl Fn(T) -> usize + Sync,
) -> Vec<u32> {
    let count = |mut counts: Vec<u32>, chunk: &[T]| {
        for &x in chunk {
            if let Some(count) = counts.get_mut(bin(x)) {
                *count += 1;
            }
        }
        counts
    };
    let add = |mut a: Vec<u32>, b: Vec<u32>| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    };
    values
        .par_chunks(CHUNK)
        .fold(|| vec![0; bins], count)
        .reduce(|| vec![0; bins], add)
}

#[cfg(test)]
mod tests {
    use super::super::inputs::for_each_input;
    use super::*;

    #[test]
    fn equals_the_sequential_loop() {
        for_each_input::<u32>(|what, values| {
            let mut expected = vec![0u32; 256];
            for &x in values {
                expected[(x >> 24) as usize] += 1;
            }
            assert_eq!(
                histogram(values, 256, |x| (x >> 24) as usize),
                expected,
                "{what}"
            );
        });
    }

    #[test]
    fn values_of_no_bin_are_left_out() {
        assert_eq!(histogram(&[0u32, 1, 2, 9], 3, |x| x as usize), [1, 1, 1]);
        assert_eq!(histogram(&[1u32], 0, |x| x as usize), Vec::<u32>::new());
    }
}
