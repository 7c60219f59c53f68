//! Kernels written for Rust-CUDA compile, and keep their names and parameters.

use std::path::Path;

use cuda_builder::{CudaBuilder, NvvmArch};

/// Each kernel with the number of its PTX parameters: a slice is two.
const KERNELS: &[(&str, usize)] = &[
    ("add", 5),
    ("saxpy", 4),
    ("brighten", 4),
    ("scale_in_place", 3),
    ("checked_index", 3),
    ("render", 2),
    ("volume", 2),
    ("greet", 1),
    ("check_input", 2),
    ("matmul", 6),
    ("reverse_array", 2),
    ("matmul_tiled", 6),
    ("dynamic_reverse", 2),
    ("count_predicates", 3),
    ("where_is_it", 2),
    ("warp_sum", 3),
    ("warp_scan", 1),
    ("butterfly", 3),
    ("votes", 3),
    ("group_by", 5),
    ("reduce_in_hardware", 5),
    ("sum_all", 3),
    ("every_operation", 4),
    ("physics", 2),
    ("statistics", 1),
    ("by_capability", 1),
];

#[test]
fn kernels_of_rust_cuda_compile_unchanged() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rust_cuda");
    let built = CudaBuilder::new(fixture).arch(NvvmArch::Compute80).build();
    let path = built.unwrap_or_else(|error| panic!("{error}"));
    let ptx = std::fs::read_to_string(path).expect("the module was just written");
    for &(name, parameters) in KERNELS {
        let start = ptx
            .find(&format!(".visible .entry {name}("))
            .unwrap_or_else(|| panic!("no kernel {name}"));
        let list = ptx[start..].split(')').next().unwrap_or_default();
        assert_eq!(list.matches(".param").count(), parameters, "{name}: {list}");
    }
    assert_eq!(ptx.matches(".visible .entry ").count(), KERNELS.len());
    assert!(
        ptx.contains(".shared .align 4 .b8"),
        "shared statics are in shared memory"
    );
}
