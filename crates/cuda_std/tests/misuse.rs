//! Misuse that is an error of compilation, and what the message says.

use std::path::{Path, PathBuf};

use cuda_builder::{CudaBuilder, CudaBuilderError, NvvmArch};

/// Compiles the fixture with a feature for the device.
fn build(feature: &str) -> Result<PathBuf, CudaBuilderError> {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/misuse");
    CudaBuilder::new(fixture)
        .arch(NvvmArch::Compute80)
        .build_args(&["--features", feature])
        .build()
}

/// With this feature it must fail, with this in the message.
#[track_caller]
fn check(feature: &str, message: &str) {
    let error = build(feature).expect_err(feature).to_string();
    assert!(
        error.contains(message),
        "{feature}: no `{message}` in\n{error}"
    );
}

#[test]
fn constants_that_cannot_be() {
    check("tile_of_12", "the size of a tile is 1, 2, 4, 8, 16 or 32");
    check(
        "transpose_of_too_few",
        "a transpose takes N elements in each of N lanes",
    );
    check("sized_block_of_0", "a block has 1 to 1024 threads");
    check(
        "large_value",
        "a block collective takes values of at most 64 bytes",
    );
    check("block_of_2048", "a block has at most 1024 threads");
    check("padded_struct", "this struct has padding");
    check("event_16", "there are 16 performance monitor events");
}

/// What only the optimised program shows: the message names the kernel and the line of its call.
#[test]
fn operands_that_the_optimiser_knows() {
    let at = "at crates/cuda_std/fixtures/misuse/src/lib.rs:";
    check("width_of_12", &format!("in kernel `width_of_12`, {at}"));
    check(
        "width_of_12",
        "the width of a shuffle is 1, 2, 4, 8, 16 or 32",
    );
    check("shuffle_of_no_lane", "the mask of a shuffle names no lane");
    check("barrier_16", "a block has barriers 0 to 15");
    check(
        "barrier_for_48",
        "a named barrier is for a multiple of 32 threads, at most 1024",
    );
    check(
        "another_block",
        "a block collective for 256 threads along x, in a kernel whose blocks are declared as (128,1,1)",
    );
    let path = build("computed_width").expect("only the running kernel knows the width");
    let ptx = std::fs::read_to_string(path).expect("the module was just written");
    assert!(ptx.contains("shfl.sync.bfly.b32"), "{ptx}");
    assert!(!ptx.contains("lockstep."), "the marks are gone:\n{ptx}");
}

/// Type errors, which the host's compiler finds too; `TRYBUILD=overwrite` rewrites the messages.
#[test]
fn types_that_cannot_be() {
    trybuild::TestCases::new().compile_fail("tests/fail/*.rs");
}
