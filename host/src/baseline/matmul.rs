//! Matrix product, row-major.

use rayon::prelude::*;

use super::{Float, Number};

/// The shape of a product: an `m` × `k` matrix times a `k` × `n` matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows of the first matrix and of the result.
    pub m: usize,
    /// Columns of the first, rows of the second.
    pub k: usize,
    /// Columns of the second and of the result.
    pub n: usize,
}

/// `c = a · b`, rows in parallel, each element a chain of fused multiply-adds in the order of k.
///
/// # Panics
/// When a slice is shorter than its shape.
pub fn matmul<T: Number>(a: &[T], b: &[T], shape: Shape) -> Vec<T> {
    let Shape { m, k, n } = shape;
    let mut c = vec![T::default(); m * n];
    if n == 0 {
        return c;
    }
    c.par_chunks_mut(n).enumerate().for_each(|(row, c)| {
        for i in 0..k {
            let factor = a[row * k + i];
            for (c, &b) in c.iter_mut().zip(&b[i * n..(i + 1) * n]) {
                *c = factor.times_plus(b, *c);
            }
        }
    });
    c
}

/// Σ|a||b| of every element, over the finite factors: an element's rounding error is at most γ_k times it, whatever the
/// order of the additions and whether or not the products are rounded (Higham 2002, section 3.5).
pub fn magnitudes<T: Float>(a: &[T], b: &[T], shape: Shape) -> Vec<f64> {
    let finite = |x: f64| if x.is_finite() { x.abs() } else { 0.0 };
    let absolute = |x: &[T]| x.iter().map(|x| finite(x.to_f64())).collect::<Vec<f64>>();
    matmul(&absolute(a), &absolute(b), shape)
}

#[cfg(test)]
mod tests {
    use super::super::inputs::{Sample, random_bits};
    use super::*;

    const SHAPES: [(usize, usize, usize); 8] = [
        (0, 3, 2),
        (1, 1, 1),
        (2, 0, 3),
        (3, 4, 0),
        (16, 16, 16),
        (17, 5, 33),
        (1, 70, 9),
        (31, 32, 1),
    ];

    fn check<T: Sample>() {
        for (m, k, n) in SHAPES {
            let a: Vec<T> = (0..m * k)
                .map(|i| T::from_bits64(random_bits(1, i)))
                .collect();
            let b: Vec<T> = (0..k * n)
                .map(|i| T::from_bits64(random_bits(2, i)))
                .collect();
            let mut expected = vec![T::default(); m * n];
            for row in 0..m {
                for column in 0..n {
                    let mut sum = T::default();
                    for i in 0..k {
                        sum = a[row * k + i].times_plus(b[i * n + column], sum);
                    }
                    expected[row * n + column] = sum;
                }
            }
            assert_eq!(
                matmul(&a, &b, Shape { m, k, n }),
                expected,
                "{m} × {k} × {n}"
            );
        }
    }

    #[test]
    fn equals_the_triple_loop() {
        check::<i32>();
        check::<f32>();
        check::<f64>();
    }

    #[test]
    fn magnitudes_add_absolute_values() {
        let shape = Shape { m: 1, k: 2, n: 1 };
        assert_eq!(matmul(&[1.0f32, -2.0], &[3.0, 1.5], shape), [0.0]);
        assert_eq!(magnitudes(&[1.0f32, -2.0], &[3.0, 1.5], shape), [6.0]);
    }
}
