//! Feeds mutated PTX to the parser, the checker and the printer: no input may make one panic,
//! hang, or print what does not parse to the same module.
//!
//! `cargo run --release -p ptx --example fuzz -- [INPUTS] [SEED] [FILE…]`: ten million inputs
//! unless told otherwise; files add to the texts that come with the tests.

#[path = "../tests/support/mod.rs"]
mod support;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use support::mutate::{Random, Seed, exercise};

/// An input takes tens of microseconds; one that takes this long hangs for a user.
const SLOW: Duration = Duration::from_secs(1);

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default| {
        arguments.next().map_or(default, |text| {
            text.parse().expect("a number of inputs or a seed")
        })
    };
    let (inputs, seed): (u64, u64) = (number(10_000_000), number(1));
    let mut texts: Vec<String> = support::TEXTS
        .iter()
        .map(|(_, text)| text.to_string())
        .collect();
    texts.extend(arguments.map(|path| std::fs::read_to_string(path).expect("a readable file")));
    let seeds: Vec<Seed<'_>> = texts.iter().map(|text| Seed::new(text)).collect();
    let workers = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let (parsed, bytes) = (AtomicU64::new(0), AtomicU64::new(0));
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let share = inputs / workers + u64::from(worker < inputs % workers);
            let (seeds, parsed, bytes) = (&seeds, &parsed, &bytes);
            scope.spawn(move || work(share, seed * 1000 + worker, seeds, parsed, bytes));
        }
    });
    let seconds = begin.elapsed().as_secs_f64();
    let (parsed, bytes) = (parsed.into_inner(), bytes.into_inner() as f64 / 1e6);
    println!(
        "{inputs} inputs ({bytes:.0} MB) in {seconds:.0} s: {parsed} parsed and made the round \
         trip, the others were refused; no panic, none slower than {} s",
        SLOW.as_secs()
    );
}

fn takes(text: &str) -> Duration {
    let start = Instant::now();
    exercise(text);
    start.elapsed()
}

fn work(share: u64, seed: u64, seeds: &[Seed<'_>], parsed: &AtomicU64, bytes: &AtomicU64) {
    let mut random = Random::new(seed);
    let mut text = String::new();
    for _ in 0..share {
        seeds[random.below(seeds.len())].mutate(&mut random, &mut text);
        let start = Instant::now();
        let outcome = std::panic::catch_unwind(|| exercise(&text));
        match outcome {
            Ok(well) => parsed.fetch_add(u64::from(well), Ordering::Relaxed),
            Err(_) => {
                eprintln!("--- the input:\n{text}");
                std::process::exit(1);
            }
        };
        // Other work on the machine can stop a thread for as long: the input is slow that is so
        // time and again.
        let slow = start.elapsed() >= SLOW && (0..3).all(|_| takes(&text) >= SLOW);
        assert!(!slow, "too slow:\n{text}");
        bytes.fetch_add(text.len() as u64, Ordering::Relaxed);
    }
}
