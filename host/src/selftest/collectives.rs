//! The typed collectives of the host library.

use super::{Answer, Test, expect_equal, text};
use crate::collectives::{Op, Reducer, reduce};
use crate::{Device, Distribution, input};

pub(super) const TESTS: &[Test] = &[
    ("collectives: reduce integers", integers),
    ("collectives: reduce floats", floats),
    ("collectives: nothing gives the identity", nothing),
    ("collectives: a reducer can be used again", again),
];

const SIZES: [usize; 6] = [1, 31, 33, 513, 100_003, (1 << 20) + 7];

fn integers(device: &Device) -> Answer {
    for len in SIZES {
        let data: Vec<i64> = input::generate(Distribution::Uniform, 1, len).map_err(text)?;
        let buffer = device.upload(&data).map_err(text)?;
        let sum = data.iter().fold(0_i64, |sum, x| sum.wrapping_add(*x));
        expect_equal(
            "the sum",
            reduce(device, &buffer, Op::Sum).map_err(text)?,
            sum,
        )?;
        let least = data.iter().copied().min().unwrap_or(i64::MAX);
        expect_equal(
            "the minimum",
            reduce(device, &buffer, Op::Min).map_err(text)?,
            least,
        )?;
        let most = data.iter().copied().max().unwrap_or(i64::MIN);
        expect_equal(
            "the maximum",
            reduce(device, &buffer, Op::Max).map_err(text)?,
            most,
        )?;
    }
    Ok(())
}

fn floats(device: &Device) -> Answer {
    for len in SIZES {
        // Whole numbers, whose sums are exact.
        let data: Vec<f32> = (0..len).map(|i| (i % 3) as f32 - 1.0).collect();
        let buffer = device.upload(&data).map_err(text)?;
        let sum = data.iter().sum::<f32>();
        expect_equal(
            "the sum",
            reduce(device, &buffer, Op::Sum).map_err(text)?,
            sum,
        )?;
        let most = data.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        expect_equal(
            "the maximum",
            reduce(device, &buffer, Op::Max).map_err(text)?,
            most,
        )?;
    }
    Ok(())
}

fn nothing(device: &Device) -> Answer {
    let empty = device.alloc::<u32>(0).map_err(text)?;
    expect_equal("the sum", reduce(device, &empty, Op::Sum).map_err(text)?, 0)?;
    expect_equal(
        "the minimum",
        reduce(device, &empty, Op::Min).map_err(text)?,
        u32::MAX,
    )?;
    expect_equal(
        "the maximum",
        reduce(device, &empty, Op::Max).map_err(text)?,
        0,
    )?;
    let empty = device.alloc::<f64>(0).map_err(text)?;
    expect_equal(
        "the minimum",
        reduce(device, &empty, Op::Min).map_err(text)?,
        f64::INFINITY,
    )
}

fn again(device: &Device) -> Answer {
    let mut reducer = Reducer::<u64>::new(device, Op::Sum).map_err(text)?;
    for len in [1000_u64, 0, 5, 70_000] {
        let data: Vec<u64> = (0..len).collect();
        let buffer = device.upload(&data).map_err(text)?;
        let sum = reducer.reduce(&buffer).map_err(text)?;
        expect_equal("the sum", sum, data.iter().sum())?;
    }
    Ok(())
}
