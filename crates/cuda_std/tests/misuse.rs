//! Misuse that is an error of compilation, and what the message says.

use std::path::Path;

use cuda_builder::{CudaBuilder, NvvmArch};

/// Compiles the fixture with a feature for the device: it must fail, with this in the message.
#[track_caller]
fn check(feature: &str, message: &str) {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/misuse");
    let built = CudaBuilder::new(fixture)
        .arch(NvvmArch::Compute80)
        .build_args(&["--features", feature])
        .build();
    let error = built.expect_err(feature).to_string();
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

/// Type errors, which the host's compiler finds too; `TRYBUILD=overwrite` rewrites the messages.
#[test]
fn types_that_cannot_be() {
    trybuild::TestCases::new().compile_fail("tests/fail/*.rs");
}
