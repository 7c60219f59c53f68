//! Reductions.

use rayon::prelude::*;

use super::{CHUNK, Number, Operation, Sum};

/// Independent accumulators in a chunk: enough for the vector units to keep busy.
const LANES: usize = 32;

/// All values to one. Chunks in parallel, then their results in order.
pub fn reduce<T: Number, O: Operation>(values: &[T]) -> T {
    let partials: Vec<T> = values.par_chunks(CHUNK).map(reduce_chunk::<T, O>).collect();
    reduce_chunk::<T, O>(&partials)
}

/// The same in each group of `group` values; the last one may be smaller.
pub fn reduce_groups<T: Number, O: Operation>(values: &[T], group: usize) -> Vec<T> {
    values.par_chunks(group).map(reduce_chunk::<T, O>).collect()
}

/// Σ aᵢ · bᵢ over the shorter length, each step one fused multiply-add for floats.
pub fn dot<T: Number>(a: &[T], b: &[T]) -> T {
    let chunks = a.par_chunks(CHUNK).zip(b.par_chunks(CHUNK));
    let partials: Vec<T> = chunks.map(|(a, b)| dot_of_chunk(a, b)).collect();
    reduce_chunk::<T, Sum>(&partials)
}

fn dot_of_chunk<T: Number>(a: &[T], b: &[T]) -> T {
    let mut lanes = [T::default(); LANES];
    for (a, b) in a.chunks(LANES).zip(b.chunks(LANES)) {
        for (lane, (&a, &b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
            *lane = a.times_plus(b, *lane);
        }
    }
    reduce_chunk::<T, Sum>(&lanes)
}

/// One after the other would leave the vector units idle, since a float sum may not be reordered.
fn reduce_chunk<T: Number, O: Operation>(values: &[T]) -> T {
    let mut lanes = [O::identity::<T>(); LANES];
    let rows = values.chunks_exact(LANES);
    let rest = rows.remainder();
    for row in rows {
        for (lane, &value) in lanes.iter_mut().zip(row) {
            *lane = O::apply(*lane, value);
        }
    }
    for (lane, &value) in lanes.iter_mut().zip(rest) {
        *lane = O::apply(*lane, value);
    }
    let mut half = LANES / 2;
    while half > 0 {
        for i in 0..half {
            lanes[i] = O::apply(lanes[i], lanes[i + half]);
        }
        half /= 2;
    }
    lanes[0]
}

#[cfg(test)]
mod tests {
    use super::super::inputs::{Sample, for_each_input};
    use super::super::{Max, Min, Product};
    use super::*;

    fn sequential<T: Number, O: Operation>(values: &[T]) -> T {
        let mut result = O::identity();
        for &value in values {
            result = O::apply(result, value);
        }
        result
    }

    #[track_caller]
    fn check<T: Sample, O: Operation>() {
        for_each_input::<T>(|what, values| {
            let (got, expected) = (reduce::<T, O>(values), sequential::<T, O>(values));
            assert_eq!(format!("{got:?}"), format!("{expected:?}"), "{what}");
            let groups = reduce_groups::<T, O>(values, 32);
            let expected: Vec<T> = values.chunks(32).map(sequential::<T, O>).collect();
            assert_eq!(
                format!("{groups:?}"),
                format!("{expected:?}"),
                "{what}, groups of 32"
            );
        });
    }

    #[test]
    fn exact_operations_equal_the_sequential_loop() {
        check::<i32, Sum>();
        check::<u32, Sum>();
        check::<i64, Sum>();
        check::<u64, Sum>();
        check::<i32, Product>();
        check::<u64, Product>();
        check::<i32, Min>();
        check::<u32, Max>();
        check::<i64, Min>();
        check::<u64, Max>();
        check::<f32, Min>();
        check::<f32, Max>();
        check::<f64, Min>();
        check::<f64, Max>();
    }

    #[test]
    fn dot_equals_the_sequential_loop() {
        for_each_input::<i32>(|what, values| {
            let reversed: Vec<i32> = values.iter().rev().copied().collect();
            let mut expected = 0i32;
            for (a, b) in values.iter().zip(&reversed) {
                expected = expected.wrapping_add(a.wrapping_mul(*b));
            }
            assert_eq!(dot(values, &reversed), expected, "{what}");
        });
        assert_eq!(dot(&[0.5f64, 2.0, 1.0], &[4.0, 8.0]), 18.0);
    }

    #[test]
    fn nothing_and_nan_alone_give_the_identity() {
        assert_eq!(reduce::<f32, Min>(&[]), f32::INFINITY);
        assert_eq!(reduce::<f32, Min>(&[f32::NAN; 100]), f32::INFINITY);
        assert_eq!(reduce::<f64, Max>(&[f64::NAN; 3]), f64::NEG_INFINITY);
        assert_eq!(reduce::<u32, Product>(&[]), 1);
        assert_eq!(reduce::<i64, Sum>(&[]), 0);
    }
}
