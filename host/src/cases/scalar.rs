//! What the cases know about an element type, and what they expect of a result.

use rayon::prelude::*;

use crate::baseline::float_sum::{self, FORMULA, Reference};
use crate::baseline::{Float, Number};
use crate::compare::{self, Comparison, Tolerance};
use crate::input::Element;

/// What a result should be.
pub(super) enum Expected<T> {
    /// This, bit for bit.
    Exact(Vec<T>),
    /// Near these sums.
    Near {
        reference: Vec<f64>,
        tolerance: Tolerance,
    },
}

impl<T: Element> Expected<T> {
    /// Compares `got` with it.
    pub(super) fn compare(&self, what: &str, got: &[T]) -> Comparison {
        match self {
            Self::Exact(expected) => compare::exact(what, got, expected),
            Self::Near {
                reference,
                tolerance,
            } => compare::within(what, got, reference, tolerance),
        }
    }
}

/// How many additions an element goes through on its way into a result over so many elements.
pub(super) type Depth<'a> = &'a (dyn Fn(usize) -> u64 + Sync);

/// An element type that the numeric cases are instantiated for.
pub(super) trait Scalar: Element + Number {
    /// What the sums of `groups` should be: for integers `exact`, for floats what the references
    /// say, within the bound for that many additions. `slack` is added to each bound.
    fn sums(groups: &[&[Self]], exact: Vec<Self>, depth: Depth<'_>, slack: f64) -> Expected<Self>;

    /// What the prefix sums inside each group of `group` values should be; all values are one
    /// group when they are no more than that.
    fn prefixes(
        values: &[Self],
        group: usize,
        exact: Vec<Self>,
        inclusive: bool,
        depth: Depth<'_>,
    ) -> Expected<Self>;

    /// A factor for the product, made from an element so that the result is exact in any order and
    /// not trivial: odd integers, since even ones soon make zero; for floats 1 and some powers of
    /// two, with the element's sign.
    fn factor(self, index: usize) -> Self;

    /// What the dot product should be.
    fn dot(a: &[Self], b: &[Self], exact: Self, depth: u64) -> Expected<Self>;
}

macro_rules! integers {
    ($($t:ident),*) => {$(
        impl Scalar for $t {
            fn sums(_: &[&[Self]], exact: Vec<Self>, _: Depth<'_>, _: f64) -> Expected<Self> {
                Expected::Exact(exact)
            }
            fn prefixes(
                _: &[Self],
                _: usize,
                exact: Vec<Self>,
                _: bool,
                _: Depth<'_>,
            ) -> Expected<Self> {
                Expected::Exact(exact)
            }
            fn factor(self, _: usize) -> Self {
                self | 1
            }
            fn dot(_: &[Self], _: &[Self], exact: Self, _: u64) -> Expected<Self> {
                Expected::Exact(vec![exact])
            }
        }
    )*};
}

macro_rules! floats {
    ($($t:ident),*) => {$(
        impl Scalar for $t {
            fn sums(groups: &[&[Self]], _: Vec<Self>, depth: Depth<'_>, slack: f64) -> Expected<Self> {
                let references: Vec<(Reference, u64)> = groups
                    .par_iter()
                    .map(|group| (float_sum::sum(group), depth(group.len())))
                    .collect();
                near::<Self>(references, slack)
            }
            fn prefixes(
                values: &[Self],
                group: usize,
                _: Vec<Self>,
                inclusive: bool,
                depth: Depth<'_>,
            ) -> Expected<Self> {
                let references = if values.len() <= group {
                    float_sum::prefixes(values, inclusive)
                } else {
                    float_sum::prefixes_of_groups(values, group, inclusive)
                };
                let references = references
                    .into_par_iter()
                    .enumerate()
                    .map(|(i, reference)| (reference, depth(i % group + 1)))
                    .collect();
                near::<Self>(references, 0.0)
            }
            fn factor(self, index: usize) -> Self {
                let magnitude = if index < 48 && self.abs() > 0.5 { 2.0 } else { 1.0 };
                (magnitude as $t).copysign(self)
            }
            fn dot(a: &[Self], b: &[Self], _: Self, depth: u64) -> Expected<Self> {
                // Products below the normal range lose up to half of the least subnormal each.
                let slack = a.len() as f64 * Self::MIN_NORMAL * Self::UNIT;
                near::<Self>(vec![(float_sum::dot(a, b), depth)], slack)
            }
        }
    )*};
}

integers!(i32, u32, i64, u64);
floats!(f32, f64);

fn near<T: Float + Element>(references: Vec<(Reference, u64)>, slack: f64) -> Expected<T> {
    let bounds = references
        .iter()
        .map(|(r, depth)| r.bound::<T>(*depth) + slack)
        .collect();
    let deepest = references
        .iter()
        .map(|(_, depth)| *depth)
        .max()
        .unwrap_or(0);
    let stated = format!("{FORMULA}, d = {deepest}, u = {:e}", T::UNIT);
    Expected::Near {
        reference: references.into_iter().map(|(r, _)| r.sum).collect(),
        tolerance: Tolerance::each(bounds, stated),
    }
}

/// Floats that must be equal, but for the bits of a NaN: a GPU has one NaN, a CPU keeps payloads.
pub(super) fn same_floats<T: Float + Element>(what: &str, got: &[T], expected: &[T]) -> Comparison {
    let reference: Vec<f64> = expected.par_iter().map(|x| Float::to_f64(*x)).collect();
    compare::within(what, got, &reference, &Tolerance::Exact)
}

/// Calls a macro for each element type.
macro_rules! for_each_scalar {
    ($macro:ident!($($args:tt)*)) => {
        $macro!($($args)* i32);
        $macro!($($args)* u32);
        $macro!($($args)* i64);
        $macro!($($args)* u64);
        $macro!($($args)* f32);
        $macro!($($args)* f64);
    };
}
pub(super) use for_each_scalar;
