//! The reference for float sums, and how far from it a result may be.
//!
//! The reference is summed in twice the working precision (an unevaluated sum of two `f64`), so its
//! own error is far below the bound. The bound for a result that was computed in precision *u*
//! with at most *d* additions between an element and the result is
//!
//! |result − Σxᵢ| ≤ γ_d · Σ|xᵢ|,  γ_d = d·u / (1 − d·u)
//!
//! (N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., SIAM 2002, section
//! 4.2; γ in section 3.1). Where d·u ≥ ½, which only a sum of more than 2²³ `f32` one after
//! the other reaches, it is d·u · Σ|xᵢ|, which holds for summation in any order and without a
//! condition on d (C.-P. Jeannerod and S. M. Rump, *Improved error bounds for inner products in
//! floating-point arithmetic*, SIAM J. Matrix Anal. Appl. 34(2), 2013). For a sum of products
//! rounded once each (or fused), d counts one more.

use rayon::prelude::*;

use super::{CHUNK, Float};

/// A number as the unevaluated sum of two `f64`, the second below half an ulp of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Double {
    /// The number rounded to `f64`.
    pub high: f64,
    /// What rounding lost.
    pub low: f64,
}

impl Double {
    /// Adds an `f64` (Knuth's two-sum).
    #[inline]
    pub fn plus_f64(self, x: f64) -> Self {
        let (high, error) = two_sum(self.high, x);
        Self {
            high,
            low: self.low + error,
        }
    }

    /// Adds another one.
    #[inline]
    pub fn plus(self, other: Self) -> Self {
        let sum = self.plus_f64(other.high);
        Self {
            high: sum.high,
            low: sum.low + other.low,
        }
    }

    /// Rounded to `f64`. Where the sum left the numbers, the error term is NaN and means nothing.
    pub fn round(self) -> f64 {
        if self.high.is_finite() {
            self.high + self.low
        } else {
            self.high
        }
    }
}

#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// A sum to compare with, and what its error bound is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reference {
    /// Σxᵢ.
    pub sum: f64,
    /// Σ|xᵢ| over the finite ones.
    pub magnitude: f64,
}

/// Σxᵢ in doubled precision, and Σ|xᵢ|.
pub fn sum<T: Float>(values: &[T]) -> Reference {
    collect(values.par_chunks(CHUNK).map(total_of_chunk))
}

/// The same, one after the other.
fn total_of_chunk<T: Float>(chunk: &[T]) -> (Double, f64) {
    let (mut sum, mut magnitude) = (Double::default(), 0.0);
    for value in chunk {
        let x = value.to_f64();
        sum = sum.plus_f64(x);
        magnitude += finite_magnitude(x);
    }
    (sum, magnitude)
}

/// The sums of the first 1, 2, … values in doubled precision (`inclusive`), or of the first 0, 1, ….
pub fn prefixes<T: Float>(values: &[T], inclusive: bool) -> Vec<Reference> {
    let totals: Vec<(Double, f64)> = values.par_chunks(CHUNK).map(total_of_chunk).collect();
    let mut start = (Double::default(), 0.0);
    let starts: Vec<(Double, f64)> = totals
        .into_iter()
        .map(|(sum, magnitude)| {
            let next = (start.0.plus(sum), start.1 + magnitude);
            std::mem::replace(&mut start, next)
        })
        .collect();
    let scan = |(start, chunk)| prefixes_of_chunk(start, chunk, inclusive);
    starts
        .into_par_iter()
        .zip(values.par_chunks(CHUNK))
        .flat_map_iter(scan)
        .collect()
}

/// The same in each group of `group` values, which all start anew.
pub fn prefixes_of_groups<T: Float>(values: &[T], group: usize, inclusive: bool) -> Vec<Reference> {
    let scan = |group| prefixes_of_chunk((Double::default(), 0.0), group, inclusive);
    values.par_chunks(group).flat_map_iter(scan).collect()
}

fn prefixes_of_chunk<T: Float>(
    (mut sum, mut magnitude): (Double, f64),
    chunk: &[T],
    inclusive: bool,
) -> impl Iterator<Item = Reference> {
    chunk.iter().map(move |value| {
        let before = Reference {
            sum: sum.round(),
            magnitude,
        };
        sum = sum.plus_f64(value.to_f64());
        magnitude += finite_magnitude(value.to_f64());
        if inclusive {
            Reference {
                sum: sum.round(),
                magnitude,
            }
        } else {
            before
        }
    })
}

/// Σaᵢbᵢ in doubled precision, and Σ|aᵢbᵢ|, over the shorter length.
pub fn dot<T: Float>(a: &[T], b: &[T]) -> Reference {
    collect(
        a.par_chunks(CHUNK)
            .zip(b.par_chunks(CHUNK))
            .map(|(a, b)| dot_of_chunk(a, b)),
    )
}

/// The same of one chunk, one after the other.
fn dot_of_chunk<T: Float>(a: &[T], b: &[T]) -> (Double, f64) {
    let (mut sum, mut magnitude) = (Double::default(), 0.0);
    for (a, b) in a.iter().zip(b) {
        let (x, y) = (a.to_f64(), b.to_f64());
        let product = x * y;
        sum = sum.plus_f64(product).plus_f64(x.mul_add(y, -product));
        magnitude += finite_magnitude(product);
    }
    (sum, magnitude)
}

fn finite_magnitude(x: f64) -> f64 {
    if x.is_finite() { x.abs() } else { 0.0 }
}

fn collect(chunks: impl IndexedParallelIterator<Item = (Double, f64)>) -> Reference {
    let partials: Vec<(Double, f64)> = chunks.collect();
    let (sum, magnitude) = partials
        .into_iter()
        .fold((Double::default(), 0.0), |(sum, magnitude), (s, m)| {
            (sum.plus(s), magnitude + m)
        });
    Reference {
        sum: sum.round(),
        magnitude,
    }
}

impl Reference {
    /// How far a result in `T` may be from the reference when each element goes through at most
    /// `depth` additions; see the module for the formula. Infinite where partial sums may leave the
    /// type's range, so that a result may be infinite, or NaN, by the order of the additions alone.
    pub fn bound<T: Float>(&self, depth: u64) -> f64 {
        if self.magnitude >= T::LARGEST {
            return f64::INFINITY;
        }
        let rounded = if self.sum.is_finite() {
            T::UNIT * self.sum.abs()
        } else {
            0.0
        };
        gamma::<T>(depth) * self.magnitude + rounded
    }
}

/// γ_d, or d·u where γ_d no longer means anything.
pub fn gamma<T: Float>(depth: u64) -> f64 {
    let du = depth as f64 * T::UNIT;
    if du < 0.5 { du / (1.0 - du) } else { du }
}

/// The bound as the report states it.
pub const FORMULA: &str = "γ_d·Σ|x|, γ_d = d·u/(1−d·u) (Higham 2002, section 4.2)";

#[cfg(test)]
mod tests {
    use super::super::Sum;
    use super::super::inputs::{SIZES, random_bits};
    use super::super::reduce::reduce;
    use super::*;

    fn values<T: Float>(len: usize, make: impl Fn(f64) -> T) -> Vec<T> {
        (0..len)
            .map(|i| make((random_bits(3, i) >> 11) as f64 / (1u64 << 52) as f64 - 1.0))
            .collect()
    }

    #[test]
    fn integers_in_floats_sum_exactly() {
        for len in SIZES {
            let values: Vec<f64> = (0..len).map(|i| i as f64).collect();
            let expected = (0..len as u64).sum::<u64>() as f64;
            assert_eq!(
                sum(&values),
                Reference {
                    sum: expected,
                    magnitude: expected
                },
                "{len}"
            );
        }
    }

    #[test]
    fn cancellation_keeps_the_small_part() {
        let values = [1e300, 1.0, -1e300, 1e-300, f64::MIN_POSITIVE];
        assert_eq!(sum(&values).sum, 1.0);
        assert_eq!(sum(&[1e16f64, 1.0, 1.0, -1e16]).sum, 2.0);
    }

    #[test]
    fn sequential_and_parallel_sums_keep_the_bound() {
        for len in SIZES {
            check_bound(&values(len, |x| x as f32));
            check_bound(&values(len, |x| x));
        }
    }

    #[track_caller]
    fn check_bound<T: Float>(values: &[T]) {
        let reference = sum(values);
        let mut sequential = T::default();
        for &value in values {
            sequential = sequential.plus(value);
        }
        let depth = values.len() as u64;
        for got in [sequential, reduce::<T, Sum>(values)] {
            let error = (got.to_f64() - reference.sum).abs();
            assert!(
                error <= reference.bound::<T>(depth),
                "{} values: {error:e}",
                values.len()
            );
        }
    }

    #[test]
    fn the_bound_knows_where_sums_overflow() {
        assert_eq!(sum(&[f32::MAX, f32::MAX]).bound::<f32>(2), f64::INFINITY);
        assert!(sum(&[f32::INFINITY, 1.0]).bound::<f32>(2) < 1e-6);
        assert!(sum(&[f32::MAX as f64; 2]).bound::<f64>(2).is_finite());
    }

    #[test]
    fn infinities_and_nan_come_through() {
        assert_eq!(sum(&[1.0f32, f32::INFINITY]).sum, f64::INFINITY);
        assert!(sum(&[f32::NEG_INFINITY, f32::INFINITY]).sum.is_nan());
        assert!(sum(&[1.0, f64::NAN]).sum.is_nan());
    }

    #[test]
    fn dot_of_products_that_need_more_than_f64() {
        let a = [1.0 + f64::EPSILON, -1.0];
        let b = [1.0 - f64::EPSILON, 1.0];
        // (1 + ε)(1 − ε) − 1 = −ε², which a rounded product loses.
        assert_eq!(dot(&a, &b).sum, -f64::EPSILON * f64::EPSILON);
        assert_eq!(
            dot(&[2.0f32, 3.0], &[4.0, -5.0]),
            Reference {
                sum: -7.0,
                magnitude: 23.0
            }
        );
    }

    #[test]
    fn prefixes_end_in_the_sum() {
        for len in SIZES {
            let values: Vec<f32> = values(len, |x| x as f32);
            let (inclusive, exclusive) = (prefixes(&values, true), prefixes(&values, false));
            assert_eq!(
                prefixes_of_groups(&values, usize::MAX, true),
                one_by_one(&values)
            );
            assert_eq!(inclusive.len(), len);
            let mut running = Double::default();
            for (i, &value) in values.iter().enumerate() {
                assert!(
                    (exclusive[i].sum - running.round()).abs() <= 1e-12,
                    "{i} of {len}"
                );
                running = running.plus_f64(f64::from(value));
                assert!(
                    (inclusive[i].sum - running.round()).abs() <= 1e-12,
                    "{i} of {len}"
                );
            }
        }
    }

    fn one_by_one(values: &[f32]) -> Vec<Reference> {
        prefixes_of_chunk((Double::default(), 0.0), values, true).collect()
    }

    #[test]
    fn gamma_grows_and_stays_finite() {
        assert_eq!(gamma::<f32>(0), 0.0);
        assert!(gamma::<f32>(1 << 28) >= 16.0);
        assert!(gamma::<f64>(1 << 28) < 1e-7);
    }
}
