//! Parses the PTX files it is given, prints the errors, and measures the speed.
//!
//! `cargo run --release -p ptx --example parse -- FILE…`

use std::time::{Duration, Instant};

fn main() -> std::process::ExitCode {
    let mut bad = 0;
    for path in std::env::args().skip(1) {
        let source = match std::fs::read_to_string(&path) {
            Ok(source) => source,
            Err(error) => {
                eprintln!("{path}: {error}");
                bad += 1;
                continue;
            }
        };
        bad += usize::from(!report(&path, &source));
    }
    if bad == 0 {
        std::process::ExitCode::SUCCESS
    } else {
        std::process::ExitCode::FAILURE
    }
}

/// Parses, prints a line and the errors; whether all is well.
fn report(path: &str, source: &str) -> bool {
    let module = match ptx::parse(source) {
        Ok(module) => module,
        Err(errors) => {
            eprint!("{}", errors.render(path, source));
            return false;
        }
    };
    if let Err(errors) = module.check() {
        eprint!("{}", errors.render(path, source));
        return false;
    }
    let same = ptx::parse(&module.to_string()).is_ok_and(|again| again == module);
    let instructions: usize = module.opcode_histogram().values().sum();
    let speed = speed(source);
    let trip = if same {
        "round trip equal"
    } else {
        "ROUND TRIP DIFFERS"
    };
    println!("{path}: {instructions} instructions, {speed:.0} MB/s, {trip}");
    same
}

/// Megabytes parsed a second: the best of a fifth of a second's tries.
fn speed(source: &str) -> f64 {
    let (begin, mut best) = (Instant::now(), Duration::MAX);
    while begin.elapsed() < Duration::from_millis(200) {
        let start = Instant::now();
        std::hint::black_box(ptx::parse(std::hint::black_box(source)).is_ok());
        best = best.min(start.elapsed());
    }
    source.len() as f64 / 1e6 / best.as_secs_f64()
}
