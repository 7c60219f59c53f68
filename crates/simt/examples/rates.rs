//! Prints how many warp instructions a second the emulator executes, on one thread.
//!
//! `cargo run --release -p simt --example rates`

use simt::{Checks, LaunchConfig, Memory, Options, Program, launch};
use std::sync::Arc;
use std::time::Instant;

const FMA: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry fma(.param .u64 out, .param .u32 n) {
    .reg .pred %p<2>; .reg .b32 %r<4>; .reg .f32 %f<8>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    cvt.rn.f32.u32 %f1, %r2;
    mov.f32 %f2, 0f3F800001;
    mov.f32 %f3, %f1; mov.f32 %f4, %f1; mov.f32 %f5, %f1;
L:
    fma.rn.f32 %f1, %f1, %f2, %f2; fma.rn.f32 %f3, %f3, %f2, %f2;
    fma.rn.f32 %f4, %f4, %f2, %f2; fma.rn.f32 %f5, %f5, %f2, %f2;
    fma.rn.f32 %f1, %f1, %f2, %f2; fma.rn.f32 %f3, %f3, %f2, %f2;
    fma.rn.f32 %f4, %f4, %f2, %f2; fma.rn.f32 %f5, %f5, %f2, %f2;
    fma.rn.f32 %f1, %f1, %f2, %f2; fma.rn.f32 %f3, %f3, %f2, %f2;
    fma.rn.f32 %f4, %f4, %f2, %f2; fma.rn.f32 %f5, %f5, %f2, %f2;
    fma.rn.f32 %f1, %f1, %f2, %f2; fma.rn.f32 %f3, %f3, %f2, %f2;
    fma.rn.f32 %f4, %f4, %f2, %f2; fma.rn.f32 %f5, %f5, %f2, %f2;
    add.s32 %r1, %r1, -1;
    setp.ne.s32 %p1, %r1, 0;
    @%p1 bra L;
    add.rn.f32 %f1, %f1, %f3; add.rn.f32 %f4, %f4, %f5; add.rn.f32 %f1, %f1, %f4;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.f32 [%rd3], %f1;
    ret;
}";

const LOAD: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry load(.param .u64 out, .param .u32 n) {
    .reg .pred %p<2>; .reg .b32 %r<4>; .reg .f32 %f<20>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    mov.f32 %f1, 0f00000000;
L:
    ld.global.f32 %f2, [%rd3]; add.rn.f32 %f1, %f1, %f2;
    ld.global.f32 %f3, [%rd3+1024]; add.rn.f32 %f1, %f1, %f3;
    ld.global.f32 %f4, [%rd3+2048]; add.rn.f32 %f1, %f1, %f4;
    ld.global.f32 %f5, [%rd3+3072]; add.rn.f32 %f1, %f1, %f5;
    ld.global.f32 %f6, [%rd3+4096]; add.rn.f32 %f1, %f1, %f6;
    ld.global.f32 %f7, [%rd3+5120]; add.rn.f32 %f1, %f1, %f7;
    ld.global.f32 %f8, [%rd3+6144]; add.rn.f32 %f1, %f1, %f8;
    ld.global.f32 %f9, [%rd3+7168]; add.rn.f32 %f1, %f1, %f9;
    add.s32 %r1, %r1, -1;
    setp.ne.s32 %p1, %r1, 0;
    @%p1 bra L;
    st.global.f32 [%rd3], %f1;
    ret;
}";

fn main() {
    println!(
        "{:<24} {:>14} {:>12} {:>12}",
        "loop", "instructions", "CPU seconds", "M/s"
    );
    for (name, text, entry) in [("fma", FMA, "fma"), ("load + add", LOAD, "load")] {
        for (mode, checks) in [("", Checks::NONE), (", all findings", Checks::ALL)] {
            rate(&format!("{name}{mode}"), text, entry, checks);
        }
    }
}

fn rate(name: &str, text: &str, entry: &str, checks: Checks) {
    let module = Arc::new(ptx::parse(text).expect("the benchmark's PTX is well-formed"));
    let program = Program::new(module);
    let mut memory = if checks.any() {
        Memory::tracked()
    } else {
        Memory::new()
    };
    let image = program.load(&mut memory).expect("no variables");
    let buffer = memory.alloc(64 << 10).expect("room");
    memory.fill(buffer, 0, 64 << 10).expect("allocated");
    let iterations: u32 = if checks.any() { 200_000 } else { 2_000_000 };
    let mut params = buffer.to_le_bytes().to_vec();
    params.extend(iterations.to_le_bytes());
    let options = Options {
        checks,
        workers: 1,
        ..Options::default()
    };
    let config = LaunchConfig::linear(1, 64);
    let start = (Instant::now(), cpu_seconds());
    let report = launch(&image, entry, &config, &params, &mut memory, &options);
    let wall = start.0.elapsed().as_secs_f64();
    let seconds = cpu_seconds()
        .zip(start.1)
        .map_or(wall, |(end, start)| end - start);
    match report {
        Ok(report) => {
            let count = report.counters.warp_instructions;
            println!(
                "{name:<24} {count:>14} {seconds:>12.3} {:>12.1}",
                count as f64 / seconds / 1e6
            );
        }
        Err(error) => println!("{name}: {error}"),
    }
}

/// Seconds that this process has been on a CPU, where Linux tells: what others do on the machine
/// does not count.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds as f64 / 1e9)
}
