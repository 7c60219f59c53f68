//! Kernels that are wrong on purpose: the comparison must catch them and name the first wrong warp.

use super::warp_block::run_one_to_many;
use crate::baseline::Sum;
use crate::baseline::reduce::reduce_groups;
use crate::case::{Case, Cx, Traffic};
use crate::compare::{self, Comparison};
use crate::{Dtype, Error};

pub(super) fn all() -> Vec<Case> {
    vec![
        case(
            "broken/warp_sum/wrong_mode",
            "broken_warp_sum_wrong_mode",
            "warp sums by shuffle up, where down is meant",
        ),
        case(
            "broken/warp_sum/narrow",
            "broken_warp_sum_narrow",
            "warp sums that forget the upper half, wrong from the first warp where it is not zero",
        ),
    ]
}

fn case(name: &'static str, kernel: &'static str, about: &'static str) -> Case {
    Case::new(name, "broken", Dtype::I32, move |cx| run(cx, kernel))
        .about(about)
        .kernels([kernel])
        .traffic(|n| Traffic {
            read: 4 * n,
            written: 4 * n.div_ceil(32),
        })
        .must_fail()
}

/// The upper half of the first three warps is zero: so the narrow sum is first wrong in warp 3.
const QUIET_WARPS: usize = 3;

fn run(cx: &mut Cx<'_>, kernel: &str) -> Result<Option<Comparison>, Error> {
    let mut data = cx.input::<i32>()?.to_vec();
    for warp in data.chunks_mut(32).take(QUIET_WARPS) {
        warp.iter_mut().skip(16).for_each(|x| *x = 0);
    }
    let expected = cx.baseline(
        || reduce_groups::<i32, Sum>(&data, 32),
        |parallel| {
            let sum = |warp: &[i32]| warp.iter().fold(0i32, |sum, x| sum.wrapping_add(*x));
            let sequential: Vec<i32> = data.chunks(32).map(sum).collect();
            compare::exact("sum of warp", parallel, &sequential)
        },
    )?;
    let Some(got) = run_one_to_many(cx, kernel, &data, |len| len.div_ceil(32))? else {
        return Ok(None);
    };
    Ok(Some(compare::exact("sum of warp", &got, &expected)))
}
