//! Compiles the fixture crate `traps` for every architecture and reads the PTX: each trap that a
//! pipeline from Rust to PTX can fall into has a kernel there and a test here.

use cuda_builder::{CudaBuilder, CudaBuilderError, Image, IrError, NvvmArch, Ptxas};
use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;

const ARCHS: [NvvmArch; 4] = [
    NvvmArch::Compute70,
    NvvmArch::Compute80,
    NvvmArch::Compute90,
    NvvmArch::Compute100,
];

fn builder() -> CudaBuilder {
    CudaBuilder::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/traps"))
}

/// One build serves every test.
static IMAGES: LazyLock<Vec<Image>> = LazyLock::new(|| {
    builder()
        .build_for(&ARCHS)
        .unwrap_or_else(|e| panic!("{e}"))
});

/// The PTX of each architecture.
fn modules() -> impl Iterator<Item = (NvvmArch, String)> {
    IMAGES
        .iter()
        .map(|image| (image.arch, std::fs::read_to_string(&image.ptx).unwrap()))
}

/// The lines of one kernel's body, without comments.
#[track_caller]
fn kernel(ptx: &str, name: &str) -> Vec<String> {
    let start = ptx
        .find(&format!(".entry {name}("))
        .unwrap_or_else(|| panic!("no kernel {name}"));
    let end = ptx[start..].find("\n}").map_or(ptx.len(), |at| start + at);
    ptx[start..end]
        .lines()
        .map(|line| {
            line.split("//")
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned()
        })
        .filter(|line| !line.is_empty())
        .collect()
}

/// How many lines of a kernel begin with `part`.
#[track_caller]
fn count(ptx: &str, name: &str, part: &str) -> usize {
    let lines = kernel(ptx, name);
    lines.iter().filter(|line| line.starts_with(part)).count()
}

#[test]
fn a_barrier_between_two_ifs_stays_one() {
    for (arch, ptx) in modules() {
        assert_eq!(count(&ptx, "one_barrier", "bar.sync"), 1, "{arch}\n{ptx}");
    }
}

#[test]
fn a_shuffle_is_not_sunk_into_a_branch() {
    for (arch, ptx) in modules() {
        let lines = kernel(&ptx, "shuffle_before_branch");
        let at = |part: &str| lines.iter().position(|line| line.starts_with(part));
        let (shuffle, branch) = (at("shfl.sync.bfly"), at("@%p1 bra"));
        assert!(shuffle.is_some() && branch.is_some(), "{arch}\n{ptx}");
        assert!(
            shuffle < branch,
            "{arch}: the shuffle is behind the branch\n{ptx}"
        );
    }
}

#[test]
fn statics_lie_in_their_state_spaces() {
    for (arch, ptx) in modules() {
        let counts: HashMap<_, _> = ["ld.shared", "st.shared", "ld.const", "ld.b32", "st.b32"]
            .map(|part| (part, count(&ptx, "state_spaces", part)))
            .into();
        let expected = [
            ("ld.shared", 2),
            ("st.shared", 2),
            ("ld.const", 1),
            ("ld.b32", 0),
            ("st.b32", 0),
        ];
        assert_eq!(counts, expected.into(), "{arch}\n{ptx}");
        assert!(
            ptx.contains(".extern .shared .align 1 .b8 __lockstep_dynamic_shared[]"),
            "{ptx}"
        );
    }
}

#[test]
fn sixteen_byte_loads_are_one_instruction() {
    for (arch, ptx) in modules() {
        assert_eq!(
            count(&ptx, "sixteen_bytes", "ld.global.v4.b32"),
            1,
            "{arch}\n{ptx}"
        );
    }
}

#[test]
fn slices_are_two_parameters_and_global_loads() {
    for (arch, ptx) in modules() {
        assert_eq!(
            count(&ptx, "slice_in_two", ".param .u64"),
            3,
            "{arch}\n{ptx}"
        );
        assert_eq!(count(&ptx, "slice_in_two", "ld.global"), 1, "{arch}\n{ptx}");
    }
}

#[test]
fn multiply_and_add_fuse_only_on_request() {
    for (arch, ptx) in modules() {
        assert_eq!(count(&ptx, "two_roundings", "fma"), 0, "{arch}\n{ptx}");
    }
    let folder = tempfile::tempdir().unwrap();
    let fused = builder()
        .arch(NvvmArch::Compute90)
        .fma_contraction(true)
        .ftz(true)
        .final_module_path(folder.path().join("fused.ptx"))
        .build()
        .unwrap();
    let ptx = std::fs::read_to_string(fused).unwrap();
    assert_eq!(count(&ptx, "two_roundings", "fma.rn.ftz.f32"), 1, "{ptx}");
}

#[test]
fn launch_contracts_stand_in_the_ptx() {
    for (arch, ptx) in modules() {
        assert_eq!(
            count(&ptx, "contract", ".reqntid 256, 1, 1"),
            1,
            "{arch}\n{ptx}"
        );
        assert_eq!(
            count(&ptx, "contract", ".minnctapersm 2"),
            1,
            "{arch}\n{ptx}"
        );
        assert_eq!(count(&ptx, "two_roundings", ".reqntid"), 0, "{arch}\n{ptx}");
        assert!(
            !ptx.contains("reqntid="),
            "{arch}: the contract's text is left in the module"
        );
    }
}

#[test]
fn line_information_without_debug_sections() {
    for (arch, ptx) in modules() {
        assert!(ptx.contains("\t.loc\t"), "{arch}");
        assert!(ptx.contains("fixtures/traps/src/lib.rs\""), "{arch}\n{ptx}");
        assert!(!ptx.contains(", debug"), "{arch}");
        assert!(!ptx.contains(".section"), "{arch}\n{ptx}");
        let home = std::env::var("HOME").unwrap();
        assert!(
            !ptx.contains(env!("CARGO_MANIFEST_DIR")),
            "{arch}: a machine's path\n{ptx}"
        );
        assert!(
            !ptx.contains(&format!("{home}/")),
            "{arch}: a machine's path"
        );
    }
}

#[test]
fn ptxas_accepts_every_architecture() {
    for image in IMAGES.iter() {
        let ptxas = Ptxas::find(image.arch).unwrap_or_else(|e| panic!("{e}"));
        let kernels = ptxas
            .check(&image.ptx, image.arch, None)
            .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(kernels.len(), 7);
        for kernel in kernels {
            assert_eq!((kernel.stack, kernel.spill_stores), (0, 0), "{kernel:?}");
        }
    }
}

#[test]
fn malformed_ptx_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.ptx");
    std::fs::write(
        &file,
        ".version 7.8\n.target sm_90\n.address_size 64\nnonsense\n",
    )
    .unwrap();
    let ptxas = Ptxas::find(NvvmArch::Compute90).unwrap_or_else(|e| panic!("{e}"));
    let error = ptxas.check(&file, NvvmArch::Compute90, None).unwrap_err();
    assert!(error.to_string().contains("line 4"), "{error}");
}

/// Builds the fixture with a feature that makes it wrong.
fn refused(feature: &str) -> CudaBuilderError {
    builder()
        .arch(NvvmArch::Compute90)
        .build_args(&["--features", feature])
        .build()
        .unwrap_err()
}

#[test]
fn shared_memory_with_an_initial_value_is_refused() {
    let error = refused("initialised_shared");
    let CudaBuilderError::Ir {
        error: IrError::InitialisedShared { name },
        ..
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!(name, "traps::COUNTS");
    assert!(
        error
            .to_string()
            .starts_with("traps (sm_90): the shared static"),
        "{error}"
    );
}

#[test]
fn the_address_of_shared_memory_in_a_static_is_refused() {
    let error = refused("shared_address_in_static");
    let CudaBuilderError::Ir {
        error: IrError::AddressInStatic { name, user, .. },
        ..
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!((name.as_str(), user.as_str()), ("traps::TILE", "HOLDER"));
}

#[test]
fn a_compile_error_shows_what_rustc_said() {
    let error = refused("type_error");
    let text = error.to_string();
    assert!(matches!(error, CudaBuilderError::Compile { .. }), "{text}");
    assert!(text.contains("do not compile for sm_90"), "{text}");
    assert!(text.contains("src/lib.rs:"), "{text}");
}

#[test]
fn a_folder_without_a_package_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error = CudaBuilder::new(folder.path()).build().unwrap_err();
    assert!(
        matches!(error, CudaBuilderError::NotAPackage { .. }),
        "{error}"
    );
    assert!(
        error.to_string().contains("there is no Cargo.toml"),
        "{error}"
    );
}

#[test]
fn a_second_build_does_nothing() {
    let build = || builder().arch(NvvmArch::Compute90).build().unwrap();
    let modified = |path: &Path| std::fs::metadata(path).unwrap().modified().unwrap();
    let first = build();
    let time = modified(&first);
    let second = build();
    assert_eq!((modified(&second), second), (time, first));
    assert!(
        IMAGES[2]
            .sources
            .iter()
            .any(|path| path.ends_with("traps/src/lib.rs"))
    );
}
