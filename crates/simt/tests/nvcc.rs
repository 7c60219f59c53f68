//! PTX made by nvcc runs with right results.
//!
//! The first tests take the PTX that crates/ptx keeps, which holds nothing but this repository's
//! code. What uses CUB and other NVIDIA headers is compiled by `nvcc/make.sh`, which needs the
//! network, and then runs these tests with `LOCKSTEP_NVCC_PTX` set to the folder of its PTX.

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

/// A text that `make.sh` compiled; says so where there is none.
fn compiled(name: &str) -> Option<Device> {
    let Some(folder) = std::env::var_os("LOCKSTEP_NVCC_PTX") else {
        eprintln!("not run: {name} is made by crates/simt/tests/nvcc/make.sh");
        return None;
    };
    let path = std::path::Path::new(&folder).join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path:?}: {e}"));
    Some(Device::new(name, &text))
}

#[test]
fn cub_block_collectives() {
    let Some(mut device) = compiled("cub.ptx") else {
        return;
    };
    let keys: Vec<u32> = (0..1024_u32)
        .map(|i| i.wrapping_mul(2_654_435_761) >> 7)
        .collect();
    let input = device.buffer(&keys);
    let out = device.buffer(&[0_u32; 1]);
    let params = [Param::Buffer(input), Param::Buffer(out)];
    device
        .launch("block_reduce", &LaunchConfig::linear(1, 256), &params)
        .expect("runs");
    let sum = keys[..256]
        .iter()
        .fold(0_u32, |sum, key| sum.wrapping_add(*key));
    assert_eq!(device.read::<u32>(out, 1), [sum]);

    let data = device.buffer(&keys[..256]);
    let params = [Param::Buffer(data)];
    device
        .launch("block_scan", &LaunchConfig::linear(1, 256), &params)
        .expect("runs");
    let before = keys[..256].iter().scan(0_u32, |sum, key| {
        let before = *sum;
        *sum = sum.wrapping_add(*key);
        Some(before)
    });
    assert_eq!(device.read::<u32>(data, 256), before.collect::<Vec<_>>());

    let data = device.buffer(&keys[..512]);
    let params = [Param::Buffer(data)];
    device
        .launch("block_sort", &LaunchConfig::linear(1, 128), &params)
        .expect("runs");
    let mut sorted = keys[..512].to_vec();
    sorted.sort_unstable();
    assert_eq!(device.read::<u32>(data, 512), sorted);

    let bytes: Vec<u8> = keys[..512].iter().map(|key| (key % 251) as u8).collect();
    let (data, counts) = (device.buffer(&bytes), device.buffer(&[0_u32; 256]));
    let params = [Param::Buffer(data), Param::Buffer(counts)];
    device
        .launch("block_histogram", &LaunchConfig::linear(1, 128), &params)
        .expect("runs");
    let mut expected = [0_u32; 256];
    bytes
        .iter()
        .for_each(|&byte| expected[usize::from(byte)] += 1);
    assert_eq!(device.read::<u32>(counts, 256), expected);

    let (mut device, n) = (compiled("cub.ptx").expect("as before"), 1000_u32);
    let data = device.buffer(&keys[..n as usize]);
    let out = device.buffer(&[0_u32; 256]);
    let params = [Param::Buffer(data), Param::Buffer(out), scalar(n)];
    device
        .launch("warp_collectives", &LaunchConfig::linear(1, 256), &params)
        .expect("runs");
    let maxima: Vec<u32> = keys[..256]
        .chunks(32)
        .flat_map(|warp| vec![*warp.iter().max().expect("32 of them"); 32])
        .collect();
    assert_eq!(device.read::<u32>(out, 256), maxima);
}

#[test]
fn headers() {
    let Some(mut device) = compiled("headers.ptx") else {
        return;
    };
    // Cooperative groups: sums of tiles of 8.
    let values: Vec<i32> = (0..64).map(|i| i * 3 - 50).collect();
    let data = device.buffer(&values);
    device
        .launch(
            "tiles",
            &LaunchConfig::linear(1, 64),
            &[Param::Buffer(data)],
        )
        .expect("runs");
    let sums = values
        .chunks(8)
        .flat_map(|tile| vec![tile.iter().sum::<i32>(); 8]);
    assert_eq!(device.read::<i32>(data, 64), sums.collect::<Vec<_>>());
    // Half precision: 0.5 + i · 0.25 is exact.
    let halves: Vec<half::f16> = (0..32).map(|i| half::f16::from_f32(i as f32)).collect();
    let bits: Vec<u16> = halves.iter().map(|value| value.to_bits()).collect();
    let data = device.buffer(&bits);
    device
        .launch(
            "halves",
            &LaunchConfig::linear(1, 32),
            &[Param::Buffer(data)],
        )
        .expect("runs");
    let expected = halves
        .iter()
        .map(|x| half::f16::from_f32(0.5 + x.to_f32() * 0.25).to_bits());
    assert_eq!(device.read::<u16>(data, 32), expected.collect::<Vec<_>>());
    // Atomics of libcu++, and printf.
    let counter = device.buffer(&[0_i32; 1]);
    let params = [Param::Buffer(counter)];
    let report = device
        .launch("counters", &LaunchConfig::linear(4, 64), &params)
        .expect("runs");
    assert_eq!(device.read::<i32>(counter, 1), [256]);
    let text = String::from_utf8(report.printed).expect("ASCII");
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.contains("block 3 of 4: 0.75"), "{text}");
    // The device's single-precision functions, within the errors that CUDA documents.
    let xs: Vec<f32> = (1..=32).map(|i| i as f32 * 0.37).collect();
    let data = device.buffer(&xs);
    device
        .launch(
            "functions",
            &LaunchConfig::linear(1, 32),
            &[Param::Buffer(data)],
        )
        .expect("runs");
    for (x, y) in xs.iter().zip(device.read::<f32>(data, 32)) {
        let x = f64::from(*x);
        let expected = x.sin() + x.ln() + x.sqrt().exp() + x.powf(1.5);
        let error = (f64::from(y) - expected).abs() / expected.abs().max(1.0);
        assert!(error < 2e-6, "{x}: {y} for {expected}");
    }
}
