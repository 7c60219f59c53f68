//! The command line, as a user meets it on a machine without a GPU: cases run on the emulator.

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use support::{DRIVER, fake_driver};

struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).expect("text"),
            err: String::from_utf8(output.stderr).expect("text"),
        }
    }
}

fn lockstep(args: &[&str]) -> Run {
    lockstep_with(Path::new("none"), args)
}

fn lockstep_with(driver: &Path, args: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.args(args).env(DRIVER, driver).env("NO_COLOR", "1");
    command.output().expect("the binary starts").into()
}

/// A case that takes any n.
fn some_case() -> String {
    let run = lockstep(&["list", "--json"]);
    let cases: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    let mut cases = cases.as_array().expect("a list").iter();
    let case = cases.find(|case| case["n"] == "any").expect("there is one");
    case["name"].as_str().expect("a name").to_owned()
}

fn case_names(args: &[&str]) -> Vec<String> {
    let run = lockstep(&[&["list", "--json"], args].concat());
    assert_eq!(run.code, Some(0), "{}", run.err);
    let cases: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    let name = |case: &serde_json::Value| case["name"].as_str().expect("a name").to_owned();
    cases.as_array().expect("a list").iter().map(name).collect()
}

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).expect("a file can be written");
    path
}

/// One clear message, exit code 2, no panic.
#[track_caller]
fn check_refused(args: &[&str], message: &str) {
    let run = lockstep(args);
    assert_eq!(run.code, Some(2), "{}", run.err);
    assert!(run.err.contains(message), "{}", run.err);
    assert!(!run.err.contains("panicked"), "{}", run.err);
}

#[test]
fn every_verb_has_an_example_in_its_help() {
    for verb in ["run", "bench", "check", "list", "ptx", "doctor", "selftest"] {
        let run = lockstep(&[verb, "--help"]);
        assert_eq!(run.code, Some(0));
        assert!(
            run.out.contains(&format!("\n  lockstep {verb}")),
            "{verb}: {}",
            run.out
        );
    }
}

#[test]
fn list_names_cases_and_json_says_more() {
    let run = lockstep(&["list"]);
    assert_eq!(run.code, Some(0));
    assert!(run.out.contains(&some_case()));
    let shown = case_names(&[]).len();
    assert!(
        run.out.ends_with(&format!("{shown} cases\n")),
        "{}",
        run.out
    );
    assert!(
        case_names(&["--all"]).len() > shown,
        "broken kernels are hidden"
    );
}

#[test]
fn without_a_gpu_the_emulator_runs_the_kernels() {
    let case = some_case();
    for device in ["auto", "simt"] {
        let run = lockstep(&["run", &case, "--n", "1000", "--device", device]);
        assert_eq!(run.code, Some(0), "{}", run.err);
        assert!(run.out.contains("1 runs: 1 equal"), "{}", run.out);
        assert!(
            run.out.contains("SIMT emulator") && run.out.contains("no GPU time"),
            "{}",
            run.out
        );
    }
}

#[test]
fn every_case_is_equal_on_the_emulator() {
    for n in ["0", "1", "33", "4099"] {
        let run = lockstep(&["run", "--n", n, "--device", "simt", "--json", "-"]);
        assert_eq!(run.code, Some(0), "{}", run.err);
        let report: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        for record in report["records"].as_array().expect("records") {
            let verdict = record["verdict"]["is"].as_str().expect("a verdict");
            assert!(["equal", "skipped"].contains(&verdict), "{record}");
            assert!(
                record["gpu"].is_null(),
                "an emulator's time is no GPU time: {record}"
            );
        }
    }
}

#[test]
fn a_broken_kernel_is_caught_with_the_first_wrong_index() {
    let run = lockstep(&["run", "broken/warp_sum/wrong_mode", "--n", "1000"]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(
        run.out.contains("WRONG") && run.out.contains("wrong; first: "),
        "{}",
        run.out
    );
    assert!(run.out.contains("[0] is "), "{}", run.out);
    let quiet = lockstep(&[
        "run",
        "broken/warp_sum/wrong_mode",
        "--n",
        "1000",
        "--quiet",
    ]);
    assert!(
        quiet.code == Some(1) && quiet.out.contains("WRONG"),
        "{}",
        quiet.out
    );
}

#[test]
fn check_looks_for_what_a_gpu_hides() {
    let run = lockstep(&["check", &some_case(), "--n", "1000"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert!(run.out.contains("nothing found"), "{}", run.out);
    let json = lockstep(&[
        "check",
        "reduce/sum/i32/v3_sequential",
        "--json",
        "-",
        "--policy",
        "random",
    ]);
    let findings: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(findings, serde_json::json!([]), "{}", json.out);
    check_refused(
        &["check", &some_case(), "--width", "7"],
        "take 4, 8, 16, 32 or 64",
    );
}

#[test]
fn the_self_test_passes_on_the_emulator() {
    let run = lockstep(&["selftest", "--brief", "--device", "simt", "--quiet"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert!(
        run.out.contains(" passed, 0 failed, 0 skipped"),
        "{}",
        run.out
    );
}

#[test]
fn input_larger_than_the_device_goes_through_in_chunks() {
    let args = [
        "run",
        "reduce/sum/i32",
        "--n",
        "100_000",
        "--max-device-bytes",
        "300k",
    ];
    let run = lockstep(&args);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert!(run.out.contains("chunks"), "{}", run.out);
}

#[test]
fn json_goes_to_a_file() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report.json");
    let path_text = path.display().to_string();
    let run = lockstep(&[
        "run",
        &some_case(),
        "--n",
        "5",
        "--quiet",
        "--json",
        &path_text,
    ]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{}", run.err);
    let text = std::fs::read_to_string(&path).expect("the report");
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(report["records"][0]["n"], 5);
    assert_eq!(report["stamp"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(report["stamp"]["device"]["kind"], "simt");
    check_refused(
        &[
            "run",
            &some_case(),
            "--n",
            "5",
            "--json",
            "/no/such/folder/x",
        ],
        "/no/such/folder/x",
    );
}

#[test]
fn bad_usage_is_told_in_one_message() {
    check_refused(&["run", "no/such/case"], "no case matches `no/such/case`");
    check_refused(&["run", "--n", "many"], "`many` is no number");
    check_refused(&["run", "--n", "2^64"], "does not fit 64 bits");
    check_refused(
        &["run", "--dist", "odd"],
        "`odd` is no distribution: uniform",
    );
    check_refused(&["run", "--dtype", "f31"], "`f31` is no element type");
    check_refused(
        &["run", "--device", "tpu"],
        "`tpu` is none of auto, cuda, cuda:N, simt",
    );
    check_refused(
        &["run", "--device", "cuda"],
        "no cuda device: this machine has no CUDA driver",
    );
    check_refused(&["run", "--device", "cuda:3"], "no cuda device");
    check_refused(&["run", "--reps", "0"], "0 is not in 1..");
    check_refused(
        &["ptx", "no_such_kernel"],
        "no case matches `no_such_kernel`",
    );
    check_refused(
        &["ptx", &some_case(), "--arch", "sm_1"],
        "no kernels for `sm_1` are embedded",
    );
    check_refused(&[], "Usage: lockstep");
}

#[test]
fn a_mistyped_case_gets_a_suggestion() {
    let case = some_case();
    let wrong = format!("{case}x");
    check_refused(&["run", &wrong], &format!("did you mean {case}"));
}

#[test]
fn an_n_beyond_memory_is_refused() {
    check_refused(&["run", &some_case(), "--n", "2^44"], "host memory");
    check_refused(&["run", &some_case(), "--n", "2^63"], "host memory");
}

#[test]
fn bad_input_files_are_told_in_one_message() {
    let case = some_case();
    let run = |path: &Path, more: &[&str], message: &str| {
        let path = path.display().to_string();
        check_refused(&[&["run", &case, "--input", &path], more].concat(), message);
    };
    run(
        Path::new("/no/such/file.npy"),
        &[],
        "/no/such/file.npy: cannot be read",
    );
    run(Path::new("/"), &["--dtype", "f32"], "is a folder");
    run(
        &file("text.npy", b"hello"),
        &[],
        "malformed .npy: it does not begin as a .npy file does",
    );
    run(
        &file("cut.npy", b"\x93NUMPY\x01\x00v\x00{'descr"),
        &[],
        "the file ends inside the header",
    );
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }\n";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend([0; 12]);
    run(
        &file("short.npy", &bytes),
        &[],
        "truncated: the header declares 5 elements (20 bytes), the file holds 12 bytes",
    );
    run(
        &file("raw.bin", &[0; 10]),
        &[],
        "its element type must be given: --dtype",
    );
    run(
        &file("raw.bin", &[0; 10]),
        &["--dtype", "f32"],
        "10 bytes are no whole number of f32",
    );
}

#[test]
fn real_input_is_read() {
    let path = file("input.bin", &[0_u8; 400]).display().to_string();
    let run = lockstep(&["run", "reduce", "--input", &path, "--dtype", "i32"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("input.bin (100 i32)"), "{}", run.out);
    assert!(
        !run.out.contains("f32 "),
        "only cases of that type: {}",
        run.out
    );
}

#[test]
fn ptx_shows_a_kernel_next_to_its_rust() {
    let run = lockstep(&["ptx", "ceiling_read"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains(".entry ceiling_read("), "{}", run.out);
    assert!(
        run.out.contains("// kernels/src/ceiling.rs:"),
        "{}",
        run.out
    );
    assert!(!run.out.contains('\u{1b}'), "no colours into a pipe");
    let raw = lockstep(&["ptx", "ceiling_read", "--raw"]);
    assert!(raw.out.contains(".loc"), "{}", raw.out);
}

#[test]
fn doctor_names_what_is_missing_and_what_mends_it() {
    let run = lockstep(&["doctor"]);
    assert_eq!(run.code, Some(2), "a machine without a driver: {}", run.out);
    assert!(run.out.contains("MISSING CUDA driver: none") && run.out.contains("--gpus all"));
    let json = lockstep(&["doctor", "--json"]);
    assert!(
        serde_json::from_str::<serde_json::Value>(&json.out)
            .expect("JSON")
            .is_array()
    );
}

#[test]
fn a_gpu_is_taken_where_there_is_one() {
    let doctor = lockstep_with(fake_driver(), &["doctor"]);
    assert!(
        doctor.out.contains("GPU: Pretender, sm_90"),
        "{}",
        doctor.out
    );
    // The fake driver has none of the repository's kernels.
    let run = lockstep_with(fake_driver(), &["run", &some_case(), "--n", "1000"]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(
        run.out.contains("cuda  Pretender") && run.out.contains("FAILED"),
        "{}",
        run.out
    );
    assert!(
        run.out.contains("CUDA_ERROR_NOT_FOUND (500)"),
        "{}",
        run.out
    );
    assert!(run.out.contains("device-to-device copy"), "{}", run.out);
    let other = lockstep_with(fake_driver(), &["run", &some_case(), "--device", "cuda:1"]);
    assert_eq!(other.code, Some(2));
    assert!(
        other
            .err
            .contains("device 1 was asked for, and there are 1"),
        "{}",
        other.err
    );
}
