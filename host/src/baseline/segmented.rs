//! Reductions of consecutive segments of different lengths.

use rayon::prelude::*;

use super::{Number, Operation};

/// Each segment `values[offsets[i]..offsets[i + 1]]` to one value; an empty one gives the identity.
///
/// # Panics
/// When the offsets decrease or leave the values.
pub fn reduce<T: Number, O: Operation>(values: &[T], offsets: &[u32]) -> Vec<T> {
    offsets
        .par_windows(2)
        .map(|ends| {
            let segment = &values[ends[0] as usize..ends[1] as usize];
            segment.iter().copied().fold(O::identity(), O::apply)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Max, Min, Sum};
    use super::*;

    #[test]
    fn equals_the_sequential_loop() {
        let values: Vec<i32> = (0..1000).map(|i| (i * 7919) % 1009 - 500).collect();
        let offsets = [0, 0, 1, 32, 33, 33, 65, 300, 999, 1000];
        let (mut sums, mut highest) = (Vec::new(), Vec::new());
        for i in 0..offsets.len() - 1 {
            let (mut sum, mut high) = (0i32, i32::MIN);
            for &x in &values[offsets[i] as usize..offsets[i + 1] as usize] {
                sum = sum.wrapping_add(x);
                high = high.max(x);
            }
            sums.push(sum);
            highest.push(high);
        }
        assert_eq!(reduce::<i32, Sum>(&values, &offsets), sums);
        assert_eq!(reduce::<i32, Max>(&values, &offsets), highest);
    }

    #[test]
    fn nothing_to_do() {
        assert_eq!(reduce::<f32, Min>(&[], &[]), Vec::<f32>::new());
        assert_eq!(reduce::<f32, Min>(&[], &[0, 0]), [f32::INFINITY]);
    }
}
