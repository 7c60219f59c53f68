//! One small kernel for each finding, with the exact message beside it, and its fixed twin, which
//! must stay silent.
//!
//! Each file in `findings/` has an entry `bad` and an entry `good`, and says in its comments how
//! they are launched: `// launch: grid 1 block 32`, and for each parameter `// param:` with
//! `buffer N` (zeros), `raw N` (never written), `freed N` (freed before the launch), `u32 N`.
//! `UPDATE_EXPECT=1 cargo test -p simt --test findings` rewrites the messages.

mod support;

use expect_test::expect_file;
use simt::{Checks, LaunchConfig, SimtError};
use std::path::{Path, PathBuf};
use support::device::{Device, Param, scalar};

/// How a file's entries are launched.
struct Setup {
    config: LaunchConfig,
    params: Vec<(String, u64)>,
    budget: Option<u64>,
}

fn setup(text: &str) -> Setup {
    let mut setup = Setup {
        config: LaunchConfig::linear(1, 32),
        params: Vec::new(),
        budget: None,
    };
    for line in text.lines().filter_map(|line| line.strip_prefix("// ")) {
        let words: Vec<_> = line.split_whitespace().collect();
        let number = |word: &str| word.parse::<u64>().expect("a number");
        match words[..] {
            ["launch:", "grid", grid, "block", block] => {
                setup.config = LaunchConfig::linear(number(grid) as u32, number(block) as u32);
            }
            ["param:", kind, count] => setup.params.push((kind.to_owned(), number(count))),
            ["budget:", budget] => setup.budget = Some(number(budget)),
            _ => {}
        }
    }
    setup
}

/// Everything that the emulator says about an entry.
fn findings(path: &Path, text: &str, entry: &str) -> String {
    let setup = setup(text);
    let name = path.file_name().expect("a file").to_string_lossy();
    let mut device = Device::new(&name, text);
    device.options.checks = Checks::ALL;
    if let Some(budget) = setup.budget {
        device.options.budget = budget;
    }
    let mut params = Vec::new();
    for (kind, count) in &setup.params {
        if kind == "u32" {
            params.push(scalar(*count as u32));
            continue;
        }
        let address = device.memory.alloc(*count).expect("it fits");
        match kind.as_str() {
            "buffer" => device.memory.fill(address, 0, *count).expect("it is live"),
            "freed" => device.memory.free(address).expect("it is live"),
            "raw" => {}
            other => panic!("{name}: `{other}` is no kind of parameter"),
        }
        params.push(Param::Buffer(address));
    }
    match device.launch(entry, &setup.config, &params) {
        Ok(report) => report
            .findings
            .iter()
            .map(|finding| format!("{finding}\n\n"))
            .collect::<String>(),
        Err(SimtError::Fault(finding)) => format!("{finding}\n\nthe launch ended here\n"),
        Err(other) => panic!("{name}: {other}"),
    }
}

#[test]
fn every_finding_is_told_and_its_fixed_twin_is_silent() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/findings");
    let mut names: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ptx"))
        .collect();
    names.sort();
    assert!(names.len() >= 26, "{} files", names.len());
    for path in names {
        let text = std::fs::read_to_string(&path).expect("readable");
        let told = findings(&path, &text, "bad");
        assert!(!told.is_empty(), "{path:?}: nothing was found");
        expect_file![path.with_extension("txt")].assert_eq(&told);
        let twin = findings(&path, &text, "good");
        assert!(
            twin.is_empty(),
            "{path:?}: the fixed twin is not silent:\n{twin}"
        );
    }
}
