//! Looking for a value.

use rayon::prelude::*;

/// The index of the first value that is equal to `target`.
pub fn find_first<T: PartialEq + Copy + Sync>(values: &[T], target: T) -> Option<usize> {
    values.par_iter().position_first(|&x| x == target)
}

#[cfg(test)]
mod tests {
    use super::super::inputs::for_each_input;
    use super::*;

    #[test]
    fn equals_the_sequential_loop() {
        for_each_input::<i32>(|what, values| {
            let targets = [
                values.last().copied(),
                values.first().copied(),
                Some(1),
                Some(-77),
            ];
            for target in targets.into_iter().flatten() {
                let mut expected = None;
                for (i, &x) in values.iter().enumerate() {
                    if x == target {
                        expected = Some(i);
                        break;
                    }
                }
                assert_eq!(find_first(values, target), expected, "{target} in {what}");
            }
        });
    }
}
