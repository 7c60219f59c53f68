//! PTX that nvcc made of programs with NVIDIA's headers runs with right results: CUB, cooperative
//! groups, libcu++, half and 8-bit floats, printf, the heap.
//!
//! `cargo xtask test` fetches nvcc (`nvcc/packages.txt`), compiles `nvcc/*.cu` and runs these tests.
//! Where it cannot, and where `cargo test` runs them alone, they are counted as skipped.

mod support;

use simt::{LaunchConfig, SimtError};
use std::process::ExitCode;
use support::device::{Device, Param, scalar};

/// The folder of the PTX.
const FOLDER: &str = "LOCKSTEP_NVCC_PTX";
/// Why there is none.
const MISSING: &str = "LOCKSTEP_NVCC_MISSING";

const TESTS: &[(&str, fn())] = &[
    ("cub_block_collectives", cub_block_collectives),
    ("headers", headers),
    ("heap", heap),
    ("stack", stack),
    ("atomics", atomics),
    ("copies", copies),
    ("bytes", bytes),
    ("assertions", assertions),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let list = arguments.iter().any(|it| it == "--list");
    let filters: Vec<&String> = arguments.iter().filter(|it| !it.starts_with('-')).collect();
    let wanted = |name: &str| filters.is_empty() || filters.iter().any(|it| name.contains(*it));
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    let there = std::env::var_os(FOLDER).is_some();
    for (name, test) in TESTS.iter().filter(|(name, _)| wanted(name)) {
        if list {
            println!("{name}: test");
        } else if !there {
            skipped += 1;
            println!("test {name} ... ignored");
        } else if std::panic::catch_unwind(test).is_ok() {
            passed += 1;
            println!("test {name} ... ok");
        } else {
            failed += 1;
            println!("test {name} ... FAILED");
        }
    }
    if list {
        return ExitCode::SUCCESS;
    }
    if skipped > 0 {
        let why = std::env::var(MISSING);
        let why =
            why.unwrap_or_else(|_| format!("{FOLDER} is not set; `cargo xtask test` sets it"));
        println!("tests of nvcc's PTX are skipped: {why}");
    }
    println!("nvcc's PTX: {passed} passed, {failed} failed, {skipped} skipped");
    ExitCode::from(u8::from(failed > 0))
}

fn compiled(name: &str) -> Device {
    let folder = std::env::var_os(FOLDER).expect("looked at before");
    let path = std::path::Path::new(&folder).join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path:?}: {e}"));
    Device::new(name, &text)
}

fn cub_block_collectives() {
    let mut device = compiled("cub.ptx");
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

    let (mut device, n) = (compiled("cub.ptx"), 1000_u32);
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

fn headers() {
    let mut device = compiled("headers.ptx");
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

fn heap() {
    let mut device = compiled("memory.ptx");
    let out = device.buffer(&[0_i32; 128]);
    let params = [Param::Buffer(out), scalar(10_i32)];
    device
        .launch("lists", &LaunchConfig::linear(2, 64), &params)
        .expect("runs");
    let sums: Vec<i32> = (0..128).map(|i| 45 * (i % 64)).collect();
    assert_eq!(device.read::<i32>(out, 128), sums);
    let params = [Param::Buffer(out)];
    device
        .launch("objects", &LaunchConfig::linear(1, 64), &params)
        .expect("runs");
    let expected: Vec<i32> = (0..64)
        .map(|i| i * i + ((i + 1) / 2) * ((i + 1) / 2))
        .collect();
    assert_eq!(device.read::<i32>(out, 64), expected);
    // A heap of 64 blocks of 16 bytes is full when each of 64 threads has one.
    let mut device = compiled("memory.ptx");
    device.memory = std::mem::take(&mut device.memory).with_heap(1024);
    let out = device.buffer(&[0_i32; 64]);
    let params = [Param::Buffer(out), scalar(10_i32)];
    let full = device.launch("lists", &LaunchConfig::linear(1, 64), &params);
    let Err(SimtError::Fault(finding)) = full else {
        panic!("{full:?}")
    };
    assert_eq!(finding.kind, simt::Kind::Assertion);
    assert!(finding.title.contains("node != nullptr"), "{finding}");
}

fn stack() {
    let mut device = compiled("memory.ptx");
    let out = device.buffer(&[0_i32; 64]);
    device
        .launch("stack", &LaunchConfig::linear(1, 64), &[Param::Buffer(out)])
        .expect("runs");
    let expected: Vec<i32> = (0..64)
        .map(|thread| {
            let n = thread % 7 + 1;
            (0..n).map(|i| thread + (i * 3 + 1) % n).sum()
        })
        .collect();
    assert_eq!(device.read::<i32>(out, 64), expected);
}

fn atomics() {
    let mut device = compiled("memory.ptx");
    let counts = device.buffer(&[0_u32; 7]);
    let (sum, most) = (device.buffer(&[0_f32; 1]), device.buffer(&[0_u64; 1]));
    let twice = device.buffer(&[1_f64; 1]);
    let params = [counts, sum, most, twice].map(Param::Buffer);
    device
        .launch("atomics", &LaunchConfig::linear(2, 96), &params)
        .expect("runs");
    assert_eq!(device.read::<u32>(counts, 7), [48, 48, 48, 48, 64, 64, 64]);
    assert_eq!(device.read::<f32>(sum, 1), [96.0]);
    assert_eq!(device.read::<u64>(most, 1), [95 * 1_000_000_007]);
    assert_eq!(device.read::<f64>(twice, 1), [1.0 + 192.0 * 0.25]);
}

fn copies() {
    let mut device = compiled("memory.ptx");
    let values: Vec<i32> = (0..128).map(|i| i * 7 - 100).collect();
    let (input, out) = (device.buffer(&values), device.buffer(&[0_i32; 128]));
    let params = [input, out].map(Param::Buffer);
    device
        .launch("copies", &LaunchConfig::linear(1, 128), &params)
        .expect("runs");
    let expected: Vec<i32> = (0..128)
        .map(|i| values[127 - i] + 2 * values[127 - (i + 1) % 128])
        .collect();
    assert_eq!(device.read::<i32>(out, 128), expected);
}

fn bytes() {
    let mut device = compiled("memory.ptx");
    // Exact in three bits of mantissa, not all in two: 1.125 is a tie there and goes to 1.
    let values = [1.0_f32, -2.5, 1.125, 448.0, 0.0, 1000.0, -0.25, 3.5];
    let mut input = vec![0_f32; 32];
    input[..8].copy_from_slice(&values);
    let (input, out) = (device.buffer(&input), device.buffer(&[0_f32; 32]));
    let params = [input, out].map(Param::Buffer);
    device
        .launch("bytes", &LaunchConfig::linear(1, 32), &params)
        .expect("runs");
    // e4m3 ends at 448; e5m2 has 448, and 1024 next to 1000.
    let expected = [2.0, -5.0, 2.125, 896.0, 0.0, 448.0 + 1024.0, -0.5, 7.0];
    assert_eq!(device.read::<f32>(out, 8), expected);
}

fn assertions() {
    let mut device = compiled("memory.ptx");
    let data = device.buffer(&(0..32).collect::<Vec<i32>>());
    let result = device.launch(
        "asserts",
        &LaunchConfig::linear(1, 32),
        &[Param::Buffer(data)],
    );
    let Err(SimtError::Fault(finding)) = result else {
        panic!("{result:?}")
    };
    assert_eq!(
        (finding.kind, finding.here.lane),
        (simt::Kind::Assertion, Some(30))
    );
    assert!(
        finding.title.contains("data[threadIdx.x] < 30"),
        "{finding}"
    );
}
