//! Comparing what a device computed with what the CPU says.

use std::fmt;

use serde::Serialize;

use crate::input::{Dtype, Element};

/// How results are compared, and how far they may be apart.
#[derive(Debug, Clone, PartialEq)]
pub enum Tolerance {
    /// Bit for bit: integers, and floats whose every step is rounded as IEEE says in one order.
    /// NaN equals NaN of the same bits only; −0 differs from +0.
    Exact,
    /// At most so far from the reference, for every element.
    Absolute {
        /// The bound.
        bound: f64,
        /// Where it comes from: `n·ε·Σ|x|, n = 1024`.
        stated: String,
    },
    /// At most so far from the reference, in units of the reference's magnitude.
    Relative {
        /// The bound.
        bound: f64,
        /// Where it comes from.
        stated: String,
    },
    /// At most so far from the reference, a bound for each element.
    Each {
        /// The bounds.
        bounds: Vec<f64>,
        /// Where they come from.
        stated: String,
    },
}

impl Tolerance {
    /// An absolute bound, and where it comes from.
    pub fn absolute(bound: f64, stated: impl Into<String>) -> Self {
        Self::Absolute {
            bound,
            stated: stated.into(),
        }
    }

    /// A relative bound, and where it comes from.
    pub fn relative(bound: f64, stated: impl Into<String>) -> Self {
        Self::Relative {
            bound,
            stated: stated.into(),
        }
    }

    /// A bound for each element, and where they come from.
    pub fn each(bounds: Vec<f64>, stated: impl Into<String>) -> Self {
        Self::Each {
            bounds,
            stated: stated.into(),
        }
    }

    fn bound(&self, index: usize, reference: f64) -> f64 {
        match self {
            Self::Exact => 0.0,
            Self::Absolute { bound, .. } => *bound,
            Self::Relative { bound, .. } => bound * reference.abs(),
            Self::Each { bounds, .. } => bounds.get(index).copied().unwrap_or(0.0),
        }
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.write_str("bit-equal"),
            Self::Absolute { stated, .. } => write!(f, "|error| ≤ {stated}"),
            Self::Relative { stated, .. } => {
                write!(f, "relative error ≤ {stated}")
            }
            Self::Each { stated, .. } => write!(f, "|error| ≤ {stated}"),
        }
    }
}

/// The outcome of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Elements that were compared.
    pub compared: usize,
    /// Elements that are wrong.
    pub mismatches: usize,
    /// The first of them.
    pub first: Option<Mismatch>,
    /// The largest error; absent for an exact comparison.
    pub error: Option<f64>,
    /// The bound that belongs to the element with the largest share of its bound.
    pub bound: Option<f64>,
    /// What was asked for, in words.
    pub tolerance: String,
    /// Bytes of the device's result.
    pub bytes: u64,
    /// A hash of those bytes: two devices that agree on it computed the same bits.
    pub digest: u64,
}

/// An element that is wrong.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mismatch {
    /// Which of the compared arrays, where there are several.
    pub what: String,
    /// Where in it.
    pub index: usize,
    /// What the device computed.
    pub got: String,
    /// What it should be.
    pub expected: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            what,
            index,
            got,
            expected,
        } = self;
        write!(f, "{what}[{index}] is {got}, expected {expected}")
    }
}

impl Comparison {
    /// Whether everything agrees.
    pub fn is_equal(&self) -> bool {
        self.mismatches == 0
    }

    /// Two comparisons of one result as one.
    pub fn and(self, other: Self) -> Self {
        let wider = share(&other) > share(&self);
        let (error, bound) = if wider {
            (other.error, other.bound)
        } else {
            (self.error, self.bound)
        };
        let tolerance = match self.tolerance == other.tolerance || other.tolerance.is_empty() {
            true => self.tolerance,
            false => format!("{}; {}", self.tolerance, other.tolerance),
        };
        Self {
            compared: self.compared + other.compared,
            mismatches: self.mismatches + other.mismatches,
            first: self.first.or(other.first),
            error: error.or(self.error).or(other.error),
            bound: bound.or(self.bound).or(other.bound),
            tolerance,
            bytes: self.bytes + other.bytes,
            digest: self.digest.rotate_left(1) ^ other.digest,
        }
    }
}

fn share(comparison: &Comparison) -> f64 {
    match (comparison.error, comparison.bound) {
        (Some(error), Some(bound)) if bound > 0.0 => error / bound,
        (Some(error), _) => error,
        _ => -1.0,
    }
}

/// Bit for bit. `what` names the array in the report: `sum`, `indices`.
pub fn exact<T: Element>(what: &str, got: &[T], expected: &[T]) -> Comparison {
    let same = |a: &T, b: &T| bytemuck::bytes_of(a) == bytemuck::bytes_of(b);
    let pairs = got.iter().zip(expected);
    let mut wrong = pairs
        .enumerate()
        .filter(|(_, (got, expected))| !same(got, expected));
    let first = wrong.next().map(|(index, (got, expected))| Mismatch {
        what: what.to_owned(),
        index,
        got: show(got),
        expected: show(expected),
    });
    let counted = usize::from(first.is_some()) + wrong.count();
    with_lengths(
        what,
        got.len(),
        expected.len(),
        Comparison {
            compared: expected.len(),
            mismatches: counted,
            first,
            error: None,
            bound: None,
            tolerance: Tolerance::Exact.to_string(),
            bytes: size_of_val(got) as u64,
            digest: digest(got),
        },
    )
}

/// Against an `f64` reference. A NaN must meet a NaN, an infinity the same infinity, or a reference
/// that with its bound is beyond the element type's largest value; anything else must be finite
/// and within the bound.
///
/// With [`Tolerance::Exact`], the reference must be representable: `got` is then compared with it
/// as an `f64`.
pub fn within<T: Element>(
    what: &str,
    got: &[T],
    reference: &[f64],
    tolerance: &Tolerance,
) -> Comparison {
    let mut comparison = Comparison {
        compared: reference.len(),
        mismatches: 0,
        first: None,
        error: None,
        bound: None,
        tolerance: tolerance.to_string(),
        bytes: size_of_val(got) as u64,
        digest: digest(got),
    };
    for (index, (got, reference)) in got.iter().zip(reference).enumerate() {
        let bound = tolerance.bound(index, *reference);
        let overflow = T::from_f64(reference + bound.copysign(*reference)).to_f64();
        let overflowed = T::DTYPE.is_float() && overflow.is_infinite();
        let error = match got.to_f64() {
            got if overflowed && got == overflow => 0.0,
            got => error(got, *reference),
        };
        // A NaN among the bounds allows nothing.
        let wrong = error != 0.0 && (bound.is_nan() || error > bound);
        if wrong {
            comparison.mismatches += 1;
            comparison.first.get_or_insert_with(|| Mismatch {
                what: what.to_owned(),
                index,
                got: show(got),
                expected: format!("{reference:?} ± {bound:.2e}"),
            });
        }
        let before = share(&comparison);
        let now = if bound > 0.0 { error / bound } else { error };
        if now > before {
            (comparison.error, comparison.bound) = (Some(error), Some(bound));
        }
    }
    with_lengths(what, got.len(), reference.len(), comparison)
}

/// A hash of the bits. Of an `f64` NaN only that it is one: where two NaNs meet, the hardware keeps
/// the first operand's payload, and ptxas is free to swap the operands of a sum.
fn digest<T: Element>(values: &[T]) -> u64 {
    use xxhash_rust::xxh3::xxh3_64;
    if T::DTYPE != Dtype::F64 {
        return xxh3_64(bytemuck::cast_slice(values));
    }
    let canonical = |value: &T| match value.to_f64() {
        value if value.is_nan() => f64::NAN.to_bits(),
        value => value.to_bits(),
    };
    let bits: Vec<u64> = values.iter().map(canonical).collect();
    xxh3_64(bytemuck::cast_slice(&bits))
}

/// How far apart: 0 for two NaNs or the same infinity, ∞ where only one of them is special.
fn error(got: f64, reference: f64) -> f64 {
    if got == reference || (got.is_nan() && reference.is_nan()) {
        0.0
    } else if got.is_finite() && reference.is_finite() {
        (got - reference).abs()
    } else {
        f64::INFINITY
    }
}

/// Results of another length are wrong, whatever they hold.
fn with_lengths(what: &str, got: usize, expected: usize, mut comparison: Comparison) -> Comparison {
    if got != expected {
        comparison.mismatches += got.abs_diff(expected);
        comparison.first.get_or_insert_with(|| Mismatch {
            what: what.to_owned(),
            index: got.min(expected),
            got: format!("{got} elements"),
            expected: format!("{expected} elements"),
        });
    }
    comparison
}

/// A value as Rust prints it; of a NaN, its bits too.
fn show<T: Element>(value: &T) -> String {
    if !value.to_f64().is_nan() {
        return format!("{value:?}");
    }
    let bits: String = bytemuck::bytes_of(value)
        .iter()
        .rev()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("NaN (0x{bits})")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(got: &[f32], reference: &[f64], bound: f64, mismatches: usize) -> Comparison {
        let comparison = within("x", got, reference, &Tolerance::absolute(bound, "test"));
        assert_eq!(comparison.mismatches, mismatches, "{comparison:?}");
        comparison
    }

    #[test]
    fn exact_names_the_first_mismatch() {
        let comparison = exact("sum", &[1, 2, 3, 4], &[1, 5, 3, 6]);
        assert_eq!(comparison.mismatches, 2);
        let first = comparison.first.map(|first| first.to_string());
        assert_eq!(first.as_deref(), Some("sum[1] is 2, expected 5"));
    }

    #[test]
    fn exact_compares_bits() {
        assert!(exact("x", &[f32::NAN], &[f32::NAN]).is_equal());
        assert!(!exact("x", &[0.0_f32], &[-0.0]).is_equal());
    }

    #[test]
    fn lengths_must_agree() {
        let comparison = exact("x", &[1, 2], &[1, 2, 3]);
        assert_eq!(comparison.mismatches, 1);
        let first = comparison.first.map(|first| first.to_string());
        assert_eq!(
            first.as_deref(),
            Some("x[2] is 2 elements, expected 3 elements")
        );
        assert_eq!(check(&[1.0], &[], 1.0, 1).compared, 0);
    }

    #[test]
    fn specials_must_meet_their_like() {
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        check(
            &[nan, inf, -inf],
            &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY],
            0.0,
            0,
        );
        // Too large for an f32, or within the bound of it.
        check(&[inf, inf, -inf], &[1e39, 3.4e38, -1e39], 1e37, 0);
        check(&[inf, -inf], &[3.3e38, 1e39], 1e36, 2);
        // Where the reference is special, so is a bound that is derived from it.
        check(&[nan, inf], &[f64::NAN, f64::INFINITY], f64::NAN, 0);
        check(
            &[nan, inf, 1.0, 1.0],
            &[1.0, f64::NEG_INFINITY, f64::NAN, f64::INFINITY],
            1e30,
            4,
        );
    }

    #[test]
    fn the_error_with_the_largest_share_is_reported() {
        let comparison = check(&[1.5, 2.25, 3.0], &[1.0, 2.0, 3.0], 0.5, 0);
        assert_eq!((comparison.error, comparison.bound), (Some(0.5), Some(0.5)));
        check(&[1.5], &[1.0], 0.25, 1);
    }

    #[test]
    fn a_bound_that_is_no_number_allows_nothing() {
        check(&[1.5], &[1.0], f64::NAN, 1);
    }

    #[test]
    fn digests_tell_results_apart() {
        let of = |got: &[f32]| exact("x", got, got).digest;
        assert_eq!(of(&[1.0, 2.0]), of(&[1.0, 2.0]));
        assert_ne!(of(&[0.0]), of(&[-0.0]));
        let (a, b) = (exact("a", &[1], &[1]), exact("b", &[2], &[2]));
        assert_ne!(
            a.clone().and(b.clone()).digest,
            b.and(a).digest,
            "the order of the arrays counts"
        );
    }

    #[test]
    fn several_arrays_make_one_outcome() {
        let both = exact("keys", &[1], &[1]).and(exact("values", &[1.0_f32], &[2.0]));
        assert_eq!((both.compared, both.mismatches), (2, 1));
        assert_eq!(
            both.first.map(|first| first.what).as_deref(),
            Some("values")
        );
    }
}
