//! Properties that hold for any input, beside the tables of the single files.

use proptest::collection::vec;
use proptest::prelude::*;

use super::float_sum;
use super::scan::{Kind, scan};
use super::{Max, Min, Product, Sum, arg, compact, histogram, reduce, segmented};

proptest! {
    #[test]
    fn integer_reductions_do_not_depend_on_the_order(values in vec(any::<i64>(), 0..3000)) {
        let reversed: Vec<i64> = values.iter().rev().copied().collect();
        prop_assert_eq!(reduce::reduce::<i64, Sum>(&values), reduce::reduce::<i64, Sum>(&reversed));
        prop_assert_eq!(
            reduce::reduce::<i64, Product>(&values),
            reduce::reduce::<i64, Product>(&reversed)
        );
    }

    #[test]
    fn extremes_are_where_the_arg_reductions_say(values in vec(any::<f32>(), 1..2000)) {
        let (min, max) = (arg::arg_min(&values), arg::arg_max(&values));
        prop_assert_eq!(min.value, reduce::reduce::<f32, Min>(&values));
        prop_assert_eq!(max.value, reduce::reduce::<f32, Max>(&values));
        if min.index != arg::NOWHERE {
            let first = values.iter().position(|&x| x == min.value);
            prop_assert_eq!(first, Some(min.index as usize));
        }
    }

    #[test]
    fn inclusive_is_exclusive_plus_the_element(values in vec(any::<u32>(), 0..3000)) {
        let inclusive = scan::<u32, Sum>(&values, Kind::Inclusive);
        let exclusive = scan::<u32, Sum>(&values, Kind::Exclusive);
        for i in 0..values.len() {
            prop_assert_eq!(inclusive[i], exclusive[i].wrapping_add(values[i]));
        }
        prop_assert_eq!(
            inclusive.last().copied().unwrap_or(0),
            reduce::reduce::<u32, Sum>(&values)
        );
    }

    #[test]
    fn float_sums_keep_the_bound(values in vec(-1e30f32..1e30, 0..3000)) {
        let reference = float_sum::sum(&values);
        let error = (f64::from(reduce::reduce::<f32, Sum>(&values)) - reference.sum).abs();
        prop_assert!(error <= reference.bound::<f32>(values.len() as u64 + 40));
    }

    #[test]
    fn a_histogram_counts_everything_once(values in vec(any::<u32>(), 0..3000)) {
        let counts = histogram::histogram(&values, 16, |x| (x >> 28) as usize);
        prop_assert_eq!(counts.iter().sum::<u32>() as usize, values.len());
    }

    #[test]
    fn segments_add_up_to_the_whole(
        values in vec(any::<i32>(), 0..2000),
        mut cuts in vec(any::<prop::sample::Index>(), 0..20),
    ) {
        let mut offsets: Vec<u32> =
            cuts.drain(..).map(|cut| cut.index(values.len() + 1) as u32).collect();
        offsets.extend([0, values.len() as u32]);
        offsets.sort_unstable();
        let sums = segmented::reduce::<i32, Sum>(&values, &offsets);
        prop_assert_eq!(reduce::reduce::<i32, Sum>(&sums), reduce::reduce::<i32, Sum>(&values));
    }

    #[test]
    fn kept_and_dropped_make_the_whole(values in vec(any::<i32>(), 0..2000)) {
        let kept = compact::compact(&values, |x| x > 0);
        let dropped = compact::compact(&values, |x| x <= 0);
        prop_assert_eq!(kept.len() + dropped.len(), values.len());
        prop_assert!(kept.iter().all(|&x| x > 0));
    }
}
