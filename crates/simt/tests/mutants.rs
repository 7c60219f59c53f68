//! Mutated kernels are launched: whatever a program is, the emulator neither panics nor hangs nor
//! reports a bug of its own, and constants and other memories stay as they are.
//!
//! `LOCKSTEP_MUTANTS=200000 cargo test -p simt --test mutants -- --nocapture` for more of them,
//! `LOCKSTEP_MUTANTS_SEED` for others, `LOCKSTEP_MUTANTS_PTX` for a folder with more texts. With `RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address` and
//! `--target x86_64-unknown-linux-gnu` every host access is checked as well.

#[path = "mutants/generate.rs"]
mod generate;

use generate::{Random, drawn, mutate};
use simt::{
    Checks, LaunchConfig, Memory, Model, Options, Policy, Program, SimtError, TraceRequest,
    launch_traced,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const FORMS: &str = include_str!("../../ptx/tests/data/accepted.txt");

/// A launch has a budget of a few thousand instructions.
const SLOW: Duration = Duration::from_secs(5);

/// What became of the mutants.
#[derive(Debug, Default)]
struct Tally {
    refused_by_parser: usize,
    unsupported: usize,
    not_launched: usize,
    faults: usize,
    completed: usize,
    findings: usize,
}

/// The texts of the tests, and of a folder that is asked for.
fn texts() -> Vec<String> {
    let root = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests");
    let folders = [
        "findings",
        "fixtures",
        "step_tables",
        "../../ptx/tests/data",
    ];
    let mut paths: Vec<_> = folders
        .iter()
        .map(|folder| root.join(folder))
        .chain(std::env::var_os("LOCKSTEP_MUTANTS_PTX").map(Into::into))
        .flat_map(|folder| std::fs::read_dir(folder).expect("a folder"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|it| it == "ptx"))
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read_to_string(path).expect("readable"))
        .collect()
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{name}: `{text}` is no number"))
    })
}

#[test]
fn mutated_kernels_never_panic() {
    let count = number("LOCKSTEP_MUTANTS", 4000);
    let seed = number("LOCKSTEP_MUTANTS_SEED", 1);
    let texts = texts();
    let forms: Vec<&str> = FORMS
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let mut tally = Tally::default();
    let mut text = String::new();
    // Panics are told by their place, each once.
    let place: Arc<Mutex<String>> = Arc::default();
    let hook = std::panic::take_hook();
    let seen = place.clone();
    std::panic::set_hook(Box::new(move |info| {
        if let Ok(mut place) = seen.lock() {
            *place = info.to_string();
        }
    }));
    let mut failures: BTreeMap<String, String> = BTreeMap::new();
    for number in 0..count {
        let mut random = Random(seed << 40 ^ number);
        text.clear();
        if random.once_in(2) {
            drawn(&mut random, &forms, &mut text);
            if random.once_in(3) {
                mutate(&mut random, &mut text);
            }
        } else {
            text.push_str(&texts[random.below(texts.len())]);
            mutate(&mut random, &mut text);
        }
        let options = options(&mut random);
        let start = Instant::now();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            run(&text, &options, &mut random.clone(), &mut tally)
        }));
        let told = match outcome {
            Ok(Ok(())) if start.elapsed() < SLOW => continue,
            Ok(Ok(())) => {
                // The machine may have been busy: slow is what is slow again.
                let start = Instant::now();
                let _ = run(&text, &options, &mut random, &mut Tally::default());
                if start.elapsed() < SLOW {
                    continue;
                }
                format!("it takes {:?}", start.elapsed())
            }
            Ok(Err(told)) => told,
            Err(_) => place.lock().map_or_else(|_| String::new(), |it| it.clone()),
        };
        let what = format!("mutant {number} of seed {seed}: {told}\n{options:?}\n{text}");
        failures.entry(told).or_insert(what);
        if failures.len() >= 8 {
            break;
        }
    }
    std::panic::set_hook(hook);
    let failures: Vec<_> = failures.into_values().collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    println!("{count} mutants: {tally:?}");
    let ran = tally.faults + tally.completed;
    assert!(ran * 4 > count as usize, "too few were run: {tally:?}");
    assert!(tally.completed > 0 && tally.findings > 0, "{tally:?}");
}

fn options(random: &mut Random) -> Options {
    let mut flag = || random.once_in(2);
    let checks = match (flag(), flag()) {
        (true, true) => Checks::ALL,
        (false, false) => Checks::NONE,
        _ => Checks {
            uninitialized: flag(),
            races: flag(),
            undefined: flag(),
            arithmetic: flag(),
        },
    };
    Options {
        model: Model::ALL[random.below(Model::ALL.len())],
        policy: Policy::ALL[random.below(Policy::ALL.len())],
        width: [4, 8, 16, 32, 32, 32, 64][random.below(7)],
        seed: random.next(),
        checks,
        max_findings: [0, 1, 16, 100][random.below(4)],
        profile: random.once_in(4),
        trace: random.once_in(8).then(|| TraceRequest {
            values: random.once_in(2),
            limit: random.below(50),
            ..TraceRequest::default()
        }),
        budget: [50, 2000][random.below(2)],
        workers: 1 + random.below(2),
        resident_blocks: random.below(3),
        local_limit: [256, 1 << 14][random.below(2)],
        ..Options::default()
    }
}

fn run(
    text: &str,
    options: &Options,
    random: &mut Random,
    tally: &mut Tally,
) -> Result<(), String> {
    let Ok(module) = ptx::parse(text) else {
        tally.refused_by_parser += 1;
        return Ok(());
    };
    let program = Program::new(Arc::new(module));
    let memory = if random.once_in(2) {
        Memory::tracked()
    } else {
        Memory::new()
    };
    let mut memory = memory.with_limit(64 << 20).with_heap(1 << 12);
    let Ok(image) = program.load(&mut memory) else {
        tally.unsupported += 1;
        return Ok(());
    };
    let constants = constants(&program, &image, &memory);
    let buffers: Vec<u64> = [256, 4096, 64]
        .iter()
        .map(|&bytes| memory.alloc(bytes).expect("it fits"))
        .collect();
    memory.fill(buffers[0], 1, 256).expect("it is live");
    memory.free(buffers[2]).expect("it is live");
    let entries = program.entries();
    let Some(entry) = entries.get(random.below(entries.len())) else {
        return Ok(());
    };
    let _ = program.listing(entry);
    let function = program.module().entry(entry).expect("listed");
    let shapes = [
        [1, 1, 1],
        [7, 1, 1],
        [32, 1, 1],
        [33, 1, 1],
        [8, 4, 3],
        [64, 1, 1],
    ];
    let config = LaunchConfig {
        grid: [1 + random.below(3) as u32, 1 + random.below(2) as u32, 1],
        block: function
            .required_threads()
            .unwrap_or(shapes[random.below(6)]),
        dynamic_shared: [0, 64][random.below(2)],
        cooperative: random.once_in(4),
    };
    let (offsets, len) = function.param_layout().unwrap_or_default();
    let mut params = vec![0; len.min(1 << 16) as usize];
    for (k, (&at, param)) in offsets.iter().zip(&function.params).enumerate() {
        let value = match param.size() {
            Some(8) => buffers[k % 3],
            _ => random.below(70) as u64,
        };
        let bytes = value.to_le_bytes();
        let size = param.size().unwrap_or(0).min(8) as usize;
        if let Some(slot) = params.get_mut(at as usize..at as usize + size) {
            slot.copy_from_slice(&bytes[..size]);
        }
    }
    let mut steps = 0u64;
    let mut count = |_: &simt::Step| steps += 1;
    let result = if options.trace.is_some() {
        launch_traced(
            &image,
            entry,
            &config,
            &params,
            &mut memory,
            options,
            &mut count,
        )
    } else {
        simt::launch(&image, entry, &config, &params, &mut memory, options)
    };
    match result {
        Ok(report) => {
            tally.completed += 1;
            tally.findings += report.findings.len();
            report.findings.iter().for_each(|it| drop(it.to_string()));
        }
        Err(SimtError::Fault(finding)) => {
            tally.faults += 1;
            drop(finding.to_string());
        }
        Err(SimtError::Unsupported(_)) => tally.unsupported += 1,
        Err(SimtError::Internal(what)) => return Err(format!("an internal error: {what}")),
        Err(_) => tally.not_launched += 1,
    }
    if memory.read(buffers[2], &mut [0]).is_ok() {
        return Err("a freed buffer is back".to_owned());
    }
    if self::constants(&program, &image, &memory) != constants {
        return Err("a constant has changed".to_owned());
    }
    Ok(())
}

/// What the module's constants hold.
fn constants(program: &Program, image: &simt::Image, memory: &Memory) -> Vec<Vec<u8>> {
    program
        .module()
        .variables()
        .filter(|variable| variable.space.base() == ptx::StateSpace::Const)
        .filter_map(|variable| image.symbol(&variable.name))
        .map(|(address, bytes)| {
            let mut value = vec![0; bytes as usize];
            memory.read(address, &mut value).expect("it is live");
            value
        })
        .collect()
}
