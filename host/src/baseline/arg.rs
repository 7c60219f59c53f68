//! The place of the smallest and of the largest value.

use rayon::prelude::*;

use super::{CHUNK, Number};

/// What the arg-reductions give for nothing, and for NaNs alone.
pub const NOWHERE: u64 = u64::MAX;

/// A value and where it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place<T> {
    /// The value; the identity where there is none.
    pub value: T,
    /// Its index, the lowest of several equal ones; [`NOWHERE`] where there is none.
    pub index: u64,
}

/// The smallest value and its lowest index. NaNs are passed over, −0 and +0 are equal.
pub fn arg_min<T: Number>(values: &[T]) -> Place<T> {
    arg(values, T::HIGHEST, |a, b| a < b)
}

/// The largest value and its lowest index. NaNs are passed over, −0 and +0 are equal.
pub fn arg_max<T: Number>(values: &[T]) -> Place<T> {
    arg(values, T::LOWEST, |a, b| a > b)
}

fn arg<T: Number>(values: &[T], identity: T, better: fn(&T, &T) -> bool) -> Place<T> {
    let nowhere = Place {
        value: identity,
        index: NOWHERE,
    };
    let pick = |best: Place<T>, next: Place<T>| {
        let equal = next.value == best.value && next.index < best.index;
        if better(&next.value, &best.value) || equal {
            next
        } else {
            best
        }
    };
    values
        .par_chunks(CHUNK)
        .enumerate()
        .map(|(chunk, values)| {
            let base = (chunk * CHUNK) as u64;
            (base..)
                .zip(values)
                .map(|(index, &value)| Place { index, value })
                .fold(nowhere, pick)
        })
        .reduce(|| nowhere, pick)
}

#[cfg(test)]
mod tests {
    use super::super::inputs::{Sample, for_each_input};
    use super::*;

    fn check<T: Sample>() {
        for_each_input::<T>(|what, values| {
            let (min, max) = sequential(values);
            assert_eq!(arg_min(values), min, "arg-min of {what}");
            assert_eq!(arg_max(values), max, "arg-max of {what}");
        });
    }

    fn sequential<T: Number>(values: &[T]) -> (Place<T>, Place<T>) {
        let mut min = Place {
            value: T::HIGHEST,
            index: NOWHERE,
        };
        let mut max = Place {
            value: T::LOWEST,
            index: NOWHERE,
        };
        for (index, &value) in (0..).zip(values) {
            if value < min.value || (value == min.value && min.index == NOWHERE) {
                min = Place { value, index };
            }
            if value > max.value || (value == max.value && max.index == NOWHERE) {
                max = Place { value, index };
            }
        }
        (min, max)
    }

    #[test]
    fn equals_the_sequential_loop() {
        check::<i32>();
        check::<u32>();
        check::<i64>();
        check::<u64>();
        check::<f32>();
        check::<f64>();
    }

    #[test]
    fn identities_are_found_where_they_stand_and_nan_is_not() {
        assert_eq!(arg_min(&[f32::NAN, f32::INFINITY]).index, 1);
        assert_eq!(
            arg_min(&[f32::NAN; 40]),
            Place {
                value: f32::INFINITY,
                index: NOWHERE
            }
        );
        assert_eq!(arg_max(&[0.0f64, -0.0]).index, 0);
        assert_eq!(arg_max::<u32>(&[]).index, NOWHERE);
    }
}
