//! PTX made by nvcc runs with right results.
//!
//! The PTX that crates/ptx keeps, which holds nothing but this repository's code. What uses NVIDIA's
//! headers is in `compiled.rs`.

mod support;

use simt::LaunchConfig;
use support::device::{Device, Param, scalar};

fn own() -> Device {
    Device::new("nvcc.ptx", include_str!("../../ptx/tests/data/nvcc.ptx"))
}

const WARP: usize = 32;

#[test]
fn recursion() {
    let mut device = own();
    let out = device.buffer(&[0_i32; WARP]);
    let params = [Param::Buffer(out), scalar(10_i32)];
    device
        .launch("recursion", &LaunchConfig::linear(1, 32), &params)
        .expect("runs");
    let fibonacci = [55, 89, 144];
    let expected: Vec<i32> = (0..WARP).map(|lane| fibonacci[lane % 3]).collect();
    assert_eq!(device.read::<i32>(out, WARP), expected);
}

#[test]
fn function_pointers() {
    let mut device = own();
    let input: Vec<f32> = (0..WARP).map(|lane| lane as f32).collect();
    let (out, input_at) = (device.buffer(&[0_f32; WARP]), device.buffer(&input));
    for which in 0..2 {
        let params = [
            Param::Buffer(out),
            Param::Buffer(input_at),
            scalar(which as i32),
        ];
        device
            .launch("function_pointers", &LaunchConfig::linear(1, 32), &params)
            .expect("runs");
        let table = |lane: usize| [1.0, 2.0, 3.0, 4.5].get(lane & 15).copied().unwrap_or(0.0);
        let expected = |lane: usize| match (which + lane) & 1 {
            0 => input[lane] + table(lane),
            _ => input[lane] * table(lane),
        };
        let expected: Vec<f32> = (0..WARP).map(expected).collect();
        assert_eq!(device.read::<f32>(out, WARP), expected, "which = {which}");
    }
}

#[test]
fn switch_table() {
    let cases: [fn(i32) -> i32; 9] = [
        |v| v + 1,
        |v| v * 3,
        |v| v ^ 0x55,
        |v| v - 9,
        |v| v << 3,
        |v| v / 7,
        |v| v % 5,
        |v| !v,
        |v| -v,
    ];
    let values: Vec<i32> = (0..32).map(|lane| lane * 37 - 500).collect();
    for k in -1..11 {
        let mut device = own();
        let out = device.buffer(&values);
        let params = [Param::Buffer(out), scalar(k)];
        device
            .launch("switch_table", &LaunchConfig::linear(1, 32), &params)
            .expect("runs");
        let case = usize::try_from(k).ok().and_then(|k| cases.get(k));
        let expected: Vec<i32> = values
            .iter()
            .map(|&v| case.map_or(0, |case| case(v)))
            .collect();
        assert_eq!(device.read::<i32>(out, WARP), expected, "k = {k}");
    }
}

#[test]
fn shared_sum() {
    let mut device = own();
    let input: Vec<f32> = (0..1024).map(|i| (i % 17) as f32).collect();
    let (out, input_at) = (device.buffer(&[0_f32; 4]), device.buffer(&input));
    let line = [2.0_f32.to_bits(), 3_u32];
    let params = [
        Param::Buffer(out),
        Param::Buffer(input_at),
        Param::Bytes(bytemuck::cast_slice(&line).to_vec(), 4),
    ];
    let config = LaunchConfig {
        dynamic_shared: 16,
        ..LaunchConfig::linear(4, 256)
    };
    device.launch("shared_sum", &config, &params).expect("runs");
    let sums = device.read::<f32>(out, 4);
    for (block, values) in input.chunks(256).enumerate() {
        // Small integers: every order of adding them gives the same float. The dynamic byte is 0.
        let expected: f32 = values.iter().map(|x| x * 2.0 + 3.0).sum();
        assert_eq!(sums[block], expected, "block {block}");
    }
}

#[test]
fn doubles() {
    let mut device = own();
    let a: Vec<f64> = (0..WARP).map(|lane| 1.0 / (lane as f64 + 3.0)).collect();
    let b: Vec<f64> = (0..WARP).map(|lane| (lane as f64 - 15.5) * 1e3).collect();
    let (out, at, bt) = (
        device.buffer(&[0_f64; WARP]),
        device.buffer(&a),
        device.buffer(&b),
    );
    let params = [Param::Buffer(out), Param::Buffer(at), Param::Buffer(bt)];
    device
        .launch("doubles", &LaunchConfig::linear(1, 32), &params)
        .expect("runs");
    // nvcc contracts the product and the sum.
    let expected: Vec<f64> = a
        .iter()
        .zip(&b)
        .map(|(a, b)| a.mul_add(*b, a / b))
        .collect();
    assert_eq!(device.read::<f64>(out, WARP), expected);
}

#[test]
fn local_array() {
    let mut device = own();
    let values: Vec<i32> = (0..32).map(|i| i * i).collect();
    let out = device.buffer(&values);
    let n = 20;
    device
        .launch(
            "local_array",
            &LaunchConfig::linear(1, 1),
            &[Param::Buffer(out), scalar(n)],
        )
        .expect("runs");
    let expected: i32 = (0..n).map(|i| values[(i as usize * 7) & 31] * n).sum();
    assert_eq!(device.read::<i32>(out, 1), [expected]);
}

#[test]
fn inline_assembly() {
    for a in [0_u32, 7, u32::MAX] {
        let mut device = own();
        let out = device.buffer(&[0_u32; WARP]);
        let params = [Param::Buffer(out), scalar(a)];
        device
            .launch("inline_assembly", &LaunchConfig::linear(1, 32), &params)
            .expect("runs");
        let (sum, carry) = if a == 0 { 6 } else { 5_u32 }.overflowing_add(a);
        let expected = sum.wrapping_add(carry.into());
        assert_eq!(device.read::<u32>(out, WARP), [expected; WARP], "a = {a}");
    }
}
