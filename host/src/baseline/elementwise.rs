//! One result per element.

use rayon::prelude::*;

use super::Number;

/// `out[i] = f(x[i])`, with the index at hand.
pub fn map<T, U>(values: &[T], f: impl Fn(usize, T) -> U + Sync + Send) -> Vec<U>
where
    T: Copy + Sync,
    U: Send,
{
    values
        .par_iter()
        .enumerate()
        .map(|(i, &x)| f(i, x))
        .collect()
}

/// `out[i] = a[i] + b[i]`, over the shorter length; integers wrap.
pub fn add<T: Number>(a: &[T], b: &[T]) -> Vec<T> {
    a.par_iter().zip(b).map(|(&a, &b)| a.plus(b)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::inputs::{Sample, for_each_input};
    use super::*;

    fn check<T: Sample>() {
        for_each_input::<T>(|what, values| {
            let reversed: Vec<T> = values.iter().rev().copied().collect();
            let mut expected = Vec::new();
            for i in 0..values.len() {
                expected.push(values[i].plus(reversed[i]));
            }
            assert_eq!(
                format!("{:?}", add(values, &reversed)),
                format!("{expected:?}"),
                "{what}"
            );
        });
    }

    #[test]
    fn equals_the_sequential_loop() {
        check::<i32>();
        check::<f32>();
        check::<f64>();
    }

    #[test]
    fn map_knows_the_index() {
        assert_eq!(map(&[10, 20, 30], |i, x| x + i), [10, 21, 32]);
    }
}
