//! Kernels written for Rust-CUDA (`crates/cuda_std/fixtures/rust_cuda`) run, and do what their
//! authors meant: each is launched once, with literal expectations or a loop on the host.

use half::f16;

use super::{Answer, Outcome, expect, expect_equal, outcome, text};
use crate::device::Image;
use crate::{Arg, Device, DeviceChoice, Error, LaunchConfig};

include!(concat!(env!("OUT_DIR"), "/rust_cuda.rs"));

type Test = fn(&Device) -> Answer;

/// A test for each kernel.
const TESTS: &[(&str, Test)] = &[
    ("add", add),
    ("saxpy", saxpy),
    ("brighten", brighten),
    ("scale_in_place", scale_in_place),
    ("checked_index", checked_index),
    ("render", render),
    ("volume", volume),
    ("greet", greet),
    ("check_input", check_input),
    ("matmul", matmul),
    ("reverse_array", reverse_array),
    ("matmul_tiled", matmul_tiled),
    ("dynamic_reverse", dynamic_reverse),
    ("count_predicates", count_predicates),
    ("where_is_it", where_is_it),
    ("warp_sum", warp_sum),
    ("warp_scan", warp_scan),
    ("butterfly", butterfly),
    ("votes", votes),
    ("group_by", group_by),
    ("reduce_in_hardware", reduce_in_hardware),
    ("sum_all", sum_all),
    ("every_operation", every_operation),
    ("physics", physics),
    ("statistics", statistics),
    ("by_capability", by_capability),
];

fn name(kernel: &str) -> String {
    format!("written for Rust-CUDA: {kernel}")
}

pub(super) fn names() -> impl Iterator<Item = String> {
    TESTS.iter().map(|(kernel, _)| name(kernel))
}

pub(super) fn run(choice: DeviceChoice, tell: &mut dyn FnMut(String, Outcome)) {
    let device = match Device::open_with(choice, IMAGES) {
        Ok(device) => Ok(device),
        // `redux.sync` is for sm_80 and newer, with Rust-CUDA as here.
        Err(error @ Error::NoImage { .. }) => Err(Outcome::Skipped(error.to_string())),
        Err(error) => Err(Outcome::Failed(error.to_string())),
    };
    for (kernel, test) in TESTS {
        let outcome = match &device {
            Ok(device) => outcome(test(device)),
            Err(outcome) => outcome.clone(),
        };
        tell(name(kernel), outcome);
    }
}

/// Launches and waits.
fn launch(device: &Device, kernel: &str, config: LaunchConfig, args: &[Arg<'_>]) -> Answer {
    // SAFETY: the callers pass buffers that are as long as their kernels need.
    unsafe { device.launch(kernel, config, args) }.map_err(text)?;
    device.synchronize().map_err(text)
}

fn upload<T: bytemuck::Pod>(device: &Device, data: &[T]) -> Result<crate::Buffer<T>, String> {
    device.upload(data).map_err(text)
}

/// What a buffer holds must be this.
fn holds<T: bytemuck::Pod + PartialEq + std::fmt::Debug>(
    buffer: &crate::Buffer<T>,
    expected: &[T],
) -> Answer {
    let got = buffer.download().map_err(text)?;
    expect_equal("the output", got.as_slice(), expected)
}

fn near(got: f64, expected: f64, relative: f64) -> Answer {
    let close = (got - expected).abs() <= relative * expected.abs();
    expect(
        close,
        format!("{got} is not {expected} within {relative:e}"),
    )
}

fn floats(n: u32, of: impl Fn(u32) -> f32) -> Vec<f32> {
    (0..n).map(of).collect()
}

fn add(device: &Device) -> Answer {
    let (a, b) = (
        floats(100, |i| i as f32),
        floats(100, |i| 1000.0 - i as f32),
    );
    let (a, b, c) = (
        upload(device, &a)?,
        upload(device, &b)?,
        upload(device, &[0.0_f32; 100])?,
    );
    let args = [a.as_slice(), b.as_slice(), c.as_arg()];
    launch(device, "add", LaunchConfig::for_len(100, 64), &args)?;
    holds(&c, &[1000.0; 100])
}

fn saxpy(device: &Device) -> Answer {
    let (x, y) = (
        upload(device, &floats(70, |i| i as f32))?,
        upload(device, &[1.0_f32; 70])?,
    );
    let args = [2.0_f32.into(), x.as_slice(), y.as_arg()];
    launch(device, "saxpy", LaunchConfig::for_len(70, 32), &args)?;
    holds(&y, &floats(70, |i| 2.0 * i as f32 + 1.0))
}

fn brighten(device: &Device) -> Answer {
    let (input, output) = (
        upload(device, &[0_u8, 1, 100, 101, 200])?,
        upload(device, &[7_u8; 5])?,
    );
    let args = [input.as_slice(), 2.5_f32.into(), output.as_arg()];
    launch(device, "brighten", LaunchConfig::linear(1, 32), &args)?;
    holds(&output, &[0, 2, 250, 252, 255])
}

fn scale_in_place(device: &Device) -> Answer {
    let data = upload(device, &[1.0_f64, -2.0, 0.5])?;
    let args = [data.as_slice(), 3.0_f64.into()];
    launch(device, "scale_in_place", LaunchConfig::linear(1, 32), &args)?;
    holds(&data, &[3.0, -6.0, 1.5])
}

fn checked_index(device: &Device) -> Answer {
    let (request, output) = (upload(device, &[5_u64])?, upload(device, &[0_u64; 4])?);
    let args = [request.as_arg(), (u64::MAX - 1).into(), output.as_arg()];
    launch(device, "checked_index", LaunchConfig::linear(1, 4), &args)?;
    holds(
        &output,
        &[(u64::MAX - 1) ^ 5, u64::MAX ^ 5, u64::MAX, u64::MAX],
    )
}

fn render(device: &Device) -> Answer {
    let (width, height) = (10, 6);
    let picture = upload(device, &[0.0_f32; 60])?;
    let view = [width, height, 0.5_f32.to_bits()];
    let config = LaunchConfig::plane((2, 2), (8, 4));
    launch(
        device,
        "render",
        config,
        &[picture.as_arg(), Arg::value(view)],
    )?;
    holds(
        &picture,
        &floats(width * height, |p| (p % width + p / width) as f32 * 0.5),
    )
}

fn volume(device: &Device) -> Answer {
    let out = upload(device, &[0_u32; 27])?;
    let config = LaunchConfig::new([2, 2, 2], [2, 2, 2]);
    launch(device, "volume", config, &[out.as_arg(), 3_u32.into()])?;
    let expected: Vec<u32> = (0..27)
        .map(|at| 8 + 2 + u32::from(at / 3 % 3 >= 2))
        .collect();
    holds(&out, &expected)
}

fn greet(device: &Device) -> Answer {
    launch(device, "greet", LaunchConfig::linear(1, 4), &[4_u32.into()])
}

fn check_input(device: &Device) -> Answer {
    let x = upload(device, &[0_u32, 4, 998])?;
    launch(
        device,
        "check_input",
        LaunchConfig::linear(1, 32),
        &[x.as_slice()],
    )
}

/// The product of two square matrices of small integers, which is exact.
fn product(n: u32) -> (Vec<f32>, Vec<f32>, Vec<f32>) {
    let a = floats(n * n, |i| (i % 7) as f32 - 3.0);
    let b = floats(n * n, |i| (i % 5) as f32);
    let n = n as usize;
    let cell = |at: usize| (0..n).map(|k| a[at / n * n + k] * b[k * n + at % n]).sum();
    let c = (0..n * n).map(cell).collect();
    (a, b, c)
}

fn multiply(device: &Device, kernel: &str, n: u32, config: LaunchConfig) -> Answer {
    let (a, b, expected) = product(n);
    let c = upload(device, &vec![0.0_f32; expected.len()])?;
    let (a, b) = (upload(device, &a)?, upload(device, &b)?);
    let args = [a.as_slice(), b.as_slice(), c.as_arg(), u64::from(n).into()];
    launch(device, kernel, config, &args)?;
    holds(&c, &expected)
}

fn matmul(device: &Device) -> Answer {
    multiply(device, "matmul", 5, LaunchConfig::plane((2, 2), (4, 4)))
}

fn matmul_tiled(device: &Device) -> Answer {
    multiply(
        device,
        "matmul_tiled",
        32,
        LaunchConfig::plane((2, 2), (16, 16)),
    )
}

fn reverse_array(device: &Device) -> Answer {
    let forward: Vec<i32> = (0..64).collect();
    let data = upload(device, &forward)?;
    let args = [data.as_arg(), 64_u64.into()];
    launch(device, "reverse_array", LaunchConfig::linear(1, 64), &args)?;
    holds(&data, &forward.into_iter().rev().collect::<Vec<_>>())
}

fn dynamic_reverse(device: &Device) -> Answer {
    let forward: Vec<u64> = (0..50).map(|i| i << 40).collect();
    let data = upload(device, &forward)?;
    let config = LaunchConfig::linear(1, 50).with_shared(8 * 50);
    launch(
        device,
        "dynamic_reverse",
        config,
        &[data.as_arg(), 50_u64.into()],
    )?;
    holds(&data, &forward.into_iter().rev().collect::<Vec<_>>())
}

fn count_predicates(device: &Device) -> Answer {
    // 62 values above 2, all above 1, one above 9.
    let mut x = [3_u32; 64];
    (x[5], x[40], x[63]) = (2, 2, 10);
    let (x, out) = (upload(device, &x)?, upload(device, &[0_u32; 64])?);
    let args = [x.as_slice(), out.as_arg()];
    launch(
        device,
        "count_predicates",
        LaunchConfig::linear(1, 64),
        &args,
    )?;
    holds(&out, &[62 + 1 + 1; 64])
}

fn where_is_it(device: &Device) -> Answer {
    let (x, out) = (upload(device, &[1.0_f32])?, upload(device, &[0_u32; 4])?);
    let config = LaunchConfig::linear(1, 1).with_shared(256);
    launch(device, "where_is_it", config, &[x.as_arg(), out.as_arg()])?;
    let got = out.download().map_err(text)?;
    expect_equal("what it is", &got[..3], &[1, 1, 1])?;
    // The dynamic part, and all with the static four bytes, rounded up, and what the system keeps.
    expect(
        (516..4096).contains(&got[3]),
        format!("{} bytes of shared memory", got[3]),
    )
}

fn warp_sum(device: &Device) -> Answer {
    let (x, out) = (
        upload(device, &floats(40, |i| i as f32))?,
        upload(device, &[0.0_f32; 2])?,
    );
    let args = [x.as_slice(), out.as_arg()];
    launch(device, "warp_sum", LaunchConfig::linear(1, 64), &args)?;
    holds(&out, &[496.0, 284.0])
}

fn warp_scan(device: &Device) -> Answer {
    let x: Vec<i64> = (0..64).map(|i| (i - 20) << 33).collect();
    let data = upload(device, &x)?;
    launch(
        device,
        "warp_scan",
        LaunchConfig::linear(1, 64),
        &[data.as_arg()],
    )?;
    let sums = |warp: &[i64]| -> Vec<i64> {
        (0..warp.len())
            .map(|lane| warp[..=lane].iter().sum())
            .collect()
    };
    holds(&data, &x.chunks(32).flat_map(sums).collect::<Vec<_>>())
}

fn butterfly(device: &Device) -> Answer {
    let bytes: Vec<u8> = (0..32).collect();
    let wide: Vec<u128> = (0..32).map(|i| u128::MAX - (i << 100)).collect();
    let halves: Vec<f16> = (0..32).map(|i| f16::from_f32(i as f32 / 4.0)).collect();
    let (x, y, z) = (
        upload(device, &bytes)?,
        upload(device, &wide)?,
        upload(device, &halves)?,
    );
    let args = [x.as_arg(), y.as_arg(), z.as_arg()];
    launch(device, "butterfly", LaunchConfig::linear(1, 32), &args)?;
    holds(&x, &(0..32).map(|i| bytes[i ^ 1]).collect::<Vec<_>>())?;
    holds(&y, &(0..32).map(|i| wide[i & 16]).collect::<Vec<_>>())?;
    holds(&z, &(0..32).map(|i| halves[i ^ 3]).collect::<Vec<_>>())
}

fn votes(device: &Device) -> Answer {
    // The first warp has ten positive values, the second has all.
    let x: Vec<i32> = (0..64).map(|i| if i < 22 { -i } else { i }).collect();
    let (x, out) = (upload(device, &x)?, upload(device, &[0_u32; 64])?);
    let args = [x.as_slice(), out.as_arg()];
    launch(device, "votes", LaunchConfig::linear(1, 64), &args)?;
    let expected: Vec<u32> = (0..64)
        .map(|i| if i < 32 { 10 + 1 } else { 32 + 2 })
        .collect();
    holds(&out, &expected)
}

fn group_by(device: &Device) -> Answer {
    // The weights of the first warp are all the same, those of the second are not.
    let keys: Vec<u32> = (0..64).map(|i| i % 4).collect();
    let weights: Vec<f64> = (0..64).map(|i| if i == 63 { 0.5 } else { 0.25 }).collect();
    let (keys, weights) = (upload(device, &keys)?, upload(device, &weights)?);
    let out = upload(device, &[0_u32; 64])?;
    let args = [keys.as_slice(), weights.as_slice(), out.as_arg()];
    launch(device, "group_by", LaunchConfig::linear(1, 64), &args)?;
    let same = |i: u32| {
        if i < 32 {
            u32::MAX
        } else {
            0x1111_1111 << (i % 4)
        }
    };
    holds(&out, &(0..64).map(same).collect::<Vec<_>>())
}

fn reduce_in_hardware(device: &Device) -> Answer {
    let x: Vec<i32> = (0..32).map(|i| i - 5).collect();
    let y: Vec<u32> = (0..32).map(|i| i * 3).collect();
    let bits = y.iter().fold(0, |bits, y| bits ^ y) as i32;
    let (x, y, out) = (
        upload(device, &x)?,
        upload(device, &y)?,
        upload(device, &[0_i32; 32])?,
    );
    let args = [x.as_slice(), y.as_slice(), out.as_arg()];
    launch(
        device,
        "reduce_in_hardware",
        LaunchConfig::linear(1, 32),
        &args,
    )?;
    holds(&out, &[496 - 160 - 5 + bits; 32])
}

fn sum_all(device: &Device) -> Answer {
    let (x, total) = (
        upload(device, &floats(100, |i| i as f32))?,
        upload(device, &[0.5_f32])?,
    );
    let args = [x.as_slice(), total.as_arg()];
    launch(device, "sum_all", LaunchConfig::for_len(100, 64), &args)?;
    holds(&total, &[4950.5])
}

fn every_operation(device: &Device) -> Answer {
    let (a, b) = (upload(device, &[3.0_f64])?, upload(device, &[4.0_f32])?);
    let (c, out) = (upload(device, &[5.0_f64])?, upload(device, &[0.0_f64])?);
    let args = [a.as_arg(), b.as_arg(), c.as_arg(), out.as_arg()];
    launch(device, "every_operation", LaunchConfig::linear(1, 1), &args)?;
    // Each returns what was there before; and, or, xor are those of the bits.
    let bits =
        |x: f64, y: f64, op: fn(u64, u64) -> u64| f64::from_bits(op(x.to_bits(), y.to_bits()));
    let and = bits(2.0, 1.0, |x, y| x & y);
    let or = bits(and, 2.0, |x, y| x | y);
    let xor = bits(or, 0.5, |x, y| x ^ y);
    let stored = 3.0 + (2.0 + and) + (or + xor);
    holds(&a, &[stored])?;
    holds(&b, &[5.0])?;
    holds(&c, &[6.0])?;
    holds(&out, &[stored + (4.0 + 5.0)])
}

fn physics(device: &Device) -> Answer {
    let x = floats(40, |i| 0.25 + i as f32 / 8.0);
    let data = upload(device, &x)?;
    let args = [data.as_arg(), (x.len() as u64).into()];
    launch(device, "physics", LaunchConfig::linear(2, 32), &args)?;
    let got = data.download().map_err(text)?;
    got.iter().zip(&x).try_for_each(|(got, &x)| {
        let v = f64::from(x);
        let expected = v.sqrt() + v.sin().powi(2) + v + v.powf(1.5) + v.mul_add(2.0, 1.0);
        near(f64::from(*got), expected, 1e-6)
    })
}

fn statistics(device: &Device) -> Answer {
    let data = upload(device, &[0.5_f64, 1.0, 2.0])?;
    launch(
        device,
        "statistics",
        LaunchConfig::linear(1, 3),
        &[data.as_arg()],
    )?;
    // Φ(x) + erf(x) + sin(πx) + x in 0…1 + 1/∛x, from tables.
    let expected = [
        0.691_462_461_274_013_1 + 0.520_499_877_813_046_5 + 1.0 + 0.5 + 1.259_921_049_894_873_2,
        0.841_344_746_068_542_9 + 0.842_700_792_949_714_9 + 0.0 + 1.0 + 1.0,
        0.977_249_868_051_820_8 + 0.995_322_265_018_952_7 + 0.0 + 1.0 + 0.793_700_525_984_099_7,
    ];
    let got = data.download().map_err(text)?;
    got.iter()
        .zip(expected)
        .try_for_each(|(got, expected)| near(*got, expected, 1e-13))
}

fn by_capability(device: &Device) -> Answer {
    let out = upload(device, &[0_u64])?;
    launch(
        device,
        "by_capability",
        LaunchConfig::linear(1, 1),
        &[out.as_arg()],
    )?;
    let got = out.download().map_err(text)?;
    // The lowest bit is the clock's.
    expect_equal("the capability", got[0] & !1, 80)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_kernel_has_a_test() {
        let kernels = crate::device::entry_contracts(IMAGES[0].ptx);
        let tested: BTreeSet<&str> = TESTS.iter().map(|(kernel, _)| *kernel).collect();
        assert_eq!(
            kernels.keys().map(String::as_str).collect::<BTreeSet<_>>(),
            tested
        );
    }
}
