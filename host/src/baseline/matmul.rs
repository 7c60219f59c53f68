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
    // Some rows at once: `b` then comes through the caches that much less often.
    c.par_chunks_mut(ROWS * n)
        .enumerate()
        .for_each(|(part, c)| {
            for i in 0..k {
                let b = &b[i * n..(i + 1) * n];
                for (row, c) in c.chunks_mut(n).enumerate() {
                    add_multiple(c, a[(part * ROWS + row) * k + i], b);
                }
            }
        });
    c
}

/// Rows of the result that are computed together.
const ROWS: usize = 8;

/// `c += factor · b`, fused.
fn add_multiple<T: Number>(c: &mut [T], factor: T, b: &[T]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: the host has both, as just asked.
        return unsafe { add_multiple_fma(c, factor, b) };
    }
    add_multiple_plain(c, factor, b);
}

/// The same where the host has the instruction: without it a fused multiply-add is a call.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn add_multiple_fma<T: Number>(c: &mut [T], factor: T, b: &[T]) {
    add_multiple_plain(c, factor, b);
}

#[inline(always)]
fn add_multiple_plain<T: Number>(c: &mut [T], factor: T, b: &[T]) {
    for (c, &b) in c.iter_mut().zip(b) {
        *c = factor.times_plus(b, *c);
    }
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
