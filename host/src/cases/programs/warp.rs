//! What a warp does without memory: divergent pairs, broadcast, sub-warps, group-by, filter.

use kernels::programs::{broadcast, divergence, group_by, sub_warp, warp_filter};

use crate::baseline::compact::compact_groups;
use crate::baseline::elementwise::map;
use crate::baseline::warp::{match_any, per_lane};
use crate::case::{Case, Cx, Traffic};
use crate::compare::{self, Comparison, Tolerance};
use crate::input::Distribution;
use crate::{Arg, Device, Dtype, Error};

use super::super::launches::{in_tiles, one_per_element, per_element};
use super::super::scalar::Scalar as _;

pub(super) fn all() -> Vec<Case> {
    vec![
        divergence_case("divergent", "neighbours take different arms", |i| {
            i % 2 == 0
        }),
        divergence_case("aligned", "whole warps take different arms", |i| {
            (i % divergence::BLOCK as usize / 32).is_multiple_of(2)
        }),
        Case::new("broadcast/f32", "programs", Dtype::F32, run_broadcast)
            .about("every lane of a warp gets the value of lane 3")
            .kernels(["warp_broadcast_f32"])
            .traffic(per_element(4, 4)),
        Case::new("sub_warp/sum/f32", "programs", Dtype::F32, run_sub_warp)
            .about("sums of eight lanes: a warp as four groups")
            .kernels(["sub_warp_sum_f32"])
            .traffic(|n| Traffic {
                read: 4 * n,
                written: 4 * n.div_ceil(8),
            }),
        Case::new("group_by/u32", "programs", Dtype::U32, run_group_by)
            .about("the lanes of a warp with the same key, by match.any: mask, rank, sum")
            .kernels(["warp_group_by_u32"])
            .traffic(per_element(8, 12)),
        Case::new("warp_filter/i32", "programs", Dtype::I32, run_filter)
            .about("the positive values of each warp to its front, by a ballot")
            .kernels(["warp_filter_i32"])
            .traffic(|n| Traffic {
                read: 4 * n,
                written: 2 * n + 4 * n.div_ceil(32),
            }),
    ]
}

fn divergence_case(how: &'static str, about: &str, takes_exp: fn(usize) -> bool) -> Case {
    let kernel = format!("{how}_exp_ln_f32");
    let launched = kernel.clone();
    Case::new(
        format!("divergence/{how}/f32"),
        "programs",
        Dtype::F32,
        move |cx| run_divergence(cx, &launched, takes_exp),
    )
    .about(format!("exp or ln of each value: {about}"))
    .kernels([kernel])
    .traffic(per_element(4, 4))
}

fn run_divergence(
    cx: &mut Cx<'_>,
    kernel: &str,
    takes_exp: fn(usize) -> bool,
) -> Result<Option<Comparison>, Error> {
    let data = cx.input::<f32>()?;
    let value = |i: usize, x: f32| {
        let x = f64::from(x);
        if takes_exp(i) { x.exp() } else { x.ln() }
    };
    let reference = map(&data, value);
    // The device's functions state 2 ulp at most; a result below the normal range has no ulp of
    // its own size.
    let bound = |y: &f64| 4.0 * f64::from(f32::EPSILON) * y.abs() + f64::from(f32::MIN_POSITIVE);
    let bounds = reference
        .iter()
        .map(|y| if y.is_finite() { bound(y) } else { 0.0 })
        .collect();
    let tolerance = Tolerance::each(bounds, "4·ε·|y| + 2⁻¹²⁶");
    cx.baseline(
        || map(&data, |i, x| if takes_exp(i) { x.exp() } else { x.ln() }),
        |parallel| compare::within("y", parallel, &reference, &tolerance),
    )?;
    let Some(device) = cx.device() else {
        return Ok(None);
    };
    let parts = in_tiles(cx, data.len(), 8, |cx, range| {
        let input = device.upload(&data[range])?;
        let out = device.alloc::<f32>(input.len())?;
        cx.measure(|| {
            let config = one_per_element(input.len(), divergence::BLOCK);
            // SAFETY: the output is as long as the input.
            unsafe { device.launch(kernel, config, &[input.as_slice(), out.as_arg()]) }
        })?;
        out.download()
    })?;
    Ok(Some(compare::within(
        "y",
        &parts.concat(),
        &reference,
        &tolerance,
    )))
}

/// The lane that is broadcast.
const SOURCE: usize = 3;

fn run_broadcast(cx: &mut Cx<'_>) -> Result<Option<Comparison>, Error> {
    let data = cx.input::<f32>()?;
    // A lane past the end holds 0.
    let expected = cx.baseline(
        || per_lane(&data, |warp, _| warp.get(SOURCE).copied().unwrap_or(0.0)),
        |parallel| {
            let source = |i: usize| data.get(i / 32 * 32 + SOURCE).copied().unwrap_or(0.0);
            let sequential: Vec<f32> = (0..data.len()).map(source).collect();
            compare::exact("out", parallel, &sequential)
        },
    )?;
    let Some(device) = cx.device() else {
        return Ok(None);
    };
    let parts = in_tiles(cx, data.len(), 8, |cx, range| {
        let input = device.upload(&data[range])?;
        let out = device.alloc::<f32>(input.len())?;
        cx.measure(|| {
            let args = [input.as_slice(), Arg::from(SOURCE as u32), out.as_arg()];
            let config = one_per_element(input.len(), broadcast::BLOCK);
            // SAFETY: the output is as long as the input, and the lane exists.
            unsafe { device.launch("warp_broadcast_f32", config, &args) }
        })?;
        out.download()
    })?;
    Ok(Some(compare::exact("out", &parts.concat(), &expected)))
}

fn run_sub_warp(cx: &mut Cx<'_>) -> Result<Option<Comparison>, Error> {
    let data = cx.input::<f32>()?;
    let width = sub_warp::WIDTH as usize;
    let groups: Vec<&[f32]> = data.chunks(width).collect();
    let expected = f32::sums(&groups, Vec::new(), &|_| 3, 0.0);
    cx.baseline(
        || crate::baseline::reduce::reduce_groups::<f32, crate::baseline::Sum>(&data, width),
        |parallel| f32::sums(&groups, Vec::new(), &|_| 8, 0.0).compare("sum", parallel),
    )?;
    let Some(device) = cx.device() else {
        return Ok(None);
    };
    let parts = in_tiles(cx, data.len(), 8, |cx, range| {
        let input = device.upload(&data[range])?;
        let out = device.alloc::<f32>(input.len().div_ceil(width))?;
        cx.measure(|| {
            let config = one_per_element(input.len(), sub_warp::BLOCK);
            let args = [input.as_slice(), out.as_arg()];
            // SAFETY: a slot per group of eight.
            unsafe { device.launch("sub_warp_sum_f32", config, &args) }
        })?;
        out.download()
    })?;
    Ok(Some(expected.compare("sum", &parts.concat())))
}

/// Distinct keys of the group-by.
const KEYS: u32 = 5;

fn run_group_by(cx: &mut Cx<'_>) -> Result<Option<Comparison>, Error> {
    let keys = map(&cx.input::<u32>()?, |_, x| x % KEYS);
    let values: Vec<i32> = cx.extra(0, Distribution::Uniform, keys.len() as u64)?;
    let pairs: Vec<(u32, i32)> = keys.iter().copied().zip(values.iter().copied()).collect();
    let group = |warp: &[(u32, i32)], lane: usize| {
        let keys: Vec<u32> = warp.iter().map(|pair| pair.0).collect();
        let mask = match_any(&keys, lane);
        let members = warp.iter().filter(|pair| pair.0 == warp[lane].0);
        let sum = members.fold(0i32, |sum, pair| sum.wrapping_add(pair.1));
        let rank = (mask & ((1 << lane) - 1)).count_ones();
        (mask, rank, if rank == 0 { sum } else { 0 })
    };
    let expected = cx.baseline(
        || per_lane(&pairs, group),
        |parallel| {
            let warp = |i: usize| &pairs[i / 32 * 32..pairs.len().min(i / 32 * 32 + 32)];
            let sequential = (0..pairs.len())
                .map(|i| group(warp(i), i % 32))
                .collect::<Vec<_>>();
            compare_groups(parallel, &sequential)
        },
    )?;
    let Some(device) = cx.device() else {
        return Ok(None);
    };
    let parts = in_tiles(cx, keys.len(), 20, |cx, range| {
        group_on_device(cx, device, &keys[range.clone()], &values[range])
    })?;
    Ok(Some(compare_groups(&parts.concat(), &expected)))
}

/// Mask, rank and sum of an element's group.
type Group = (u32, u32, i32);

fn group_on_device(
    cx: &mut Cx<'_>,
    device: &Device,
    keys: &[u32],
    values: &[i32],
) -> Result<Vec<Group>, Error> {
    let len = keys.len();
    let (key_buffer, value_buffer) = (device.upload(keys)?, device.upload(values)?);
    let (masks, ranks) = (device.alloc::<u32>(len)?, device.alloc::<u32>(len)?);
    let sums = device.alloc::<i32>(len)?;
    cx.measure(|| {
        let args = [
            key_buffer.as_slice(),
            value_buffer.as_slice(),
            masks.as_arg(),
            ranks.as_arg(),
            sums.as_arg(),
        ];
        let config = one_per_element(len, group_by::BLOCK);
        // SAFETY: all buffers have the keys' length.
        unsafe { device.launch("warp_group_by_u32", config, &args) }
    })?;
    let (masks, ranks, sums) = (masks.download()?, ranks.download()?, sums.download()?);
    Ok((0..len).map(|i| (masks[i], ranks[i], sums[i])).collect())
}

fn compare_groups(got: &[Group], expected: &[Group]) -> Comparison {
    let masks = |x: &[Group]| x.iter().map(|x| x.0).collect::<Vec<_>>();
    let ranks = |x: &[Group]| x.iter().map(|x| x.1).collect::<Vec<_>>();
    let sums = |x: &[Group]| x.iter().map(|x| x.2).collect::<Vec<_>>();
    compare::exact("mask", &masks(got), &masks(expected))
        .and(compare::exact("rank", &ranks(got), &ranks(expected)))
        .and(compare::exact("sum", &sums(got), &sums(expected)))
}

fn run_filter(cx: &mut Cx<'_>) -> Result<Option<Comparison>, Error> {
    let data = cx.input::<i32>()?;
    let (expected, expected_counts) = cx.baseline(
        || compact_groups(&data, 32, 0, |x| x > 0),
        |(out, counts)| {
            let (mut places, mut numbers) = (vec![0; data.len()], Vec::new());
            for (w, warp) in data.chunks(32).enumerate() {
                let mut count = 0;
                for &x in warp {
                    if x > 0 {
                        places[32 * w + count] = x;
                        count += 1;
                    }
                }
                numbers.push(count as u32);
            }
            compare::exact("out", out, &places).and(compare::exact("count", counts, &numbers))
        },
    )?;
    let Some(device) = cx.device() else {
        return Ok(None);
    };
    let parts = in_tiles(cx, data.len(), 9, |cx, range| {
        let input = device.upload(&data[range])?;
        let out = device.alloc::<i32>(input.len())?;
        let counts = device.alloc::<u32>(input.len().div_ceil(32))?;
        cx.measure(|| {
            let args = [input.as_slice(), out.as_arg(), counts.as_arg()];
            let config = one_per_element(input.len(), warp_filter::BLOCK);
            // SAFETY: a zeroed output of the input's length, and a count per warp.
            unsafe { device.launch("warp_filter_i32", config, &args) }
        })?;
        Ok((out.download()?, counts.download()?))
    })?;
    let (outs, counts): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    Ok(Some(compare::exact("out", &outs.concat(), &expected).and(
        compare::exact("count", &counts.concat(), &expected_counts),
    )))
}
