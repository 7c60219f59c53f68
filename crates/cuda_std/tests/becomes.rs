//! What PTX each function becomes, on every architecture: which instructions, how many, and that
//! there is nothing else that costs: no local memory, no call, no stack, no spill.

use std::path::Path;
use std::sync::LazyLock;

use cuda_builder::{CudaBuilder, Image, NvvmArch, Ptxas};

const ARCHS: [NvvmArch; 4] = [
    NvvmArch::Compute70,
    NvvmArch::Compute80,
    NvvmArch::Compute90,
    NvvmArch::Compute100,
];

/// One build serves every test.
static IMAGES: LazyLock<Vec<Image>> = LazyLock::new(|| {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/becomes");
    let builder = CudaBuilder::new(fixture).generate_line_info(false);
    builder
        .build_for(&ARCHS)
        .unwrap_or_else(|error| panic!("{error}"))
});

/// How often a line of a kernel begins with a text: below sm_80, and from it on.
struct Line(&'static str, usize, usize);

/// The same number on every architecture.
const fn line(text: &'static str, count: usize) -> Line {
    Line(text, count, count)
}

const THREADS: &[(&str, &[Line])] = &[
    ("index_1d", &[line("mad.lo", 1), line("mov.u32", 3)]),
    ("lane_id", &[line("mov.u32", 2)]),
    ("lane_masks", &[line("mov.u32", 6)]),
    ("active_mask", &[line("activemask.b32", 1)]),
    ("sync_warp", &[line("bar.warp.sync", 1)]),
    ("sync_threads", &[line("bar.sync", 1)]),
    (
        "sync_threads_count",
        &[line("barrier.cta.red.popc", 0), line("bar.red.popc.u32", 1)],
    ),
    ("sync_threads_and", &[line("bar.red.and.pred", 1)]),
    ("sync_threads_or", &[line("bar.red.or.pred", 1)]),
    (
        "named_barrier",
        &[line("barrier.arrive", 1), line("barrier.sync", 1)],
    ),
    ("nanosleep", &[line("nanosleep.u32", 1)]),
    ("clocks", &[line("mov.u64", 2)]),
    ("sm", &[line("mov.u32", 3)]),
];

const SHUFFLES: &[(&str, &[Line])] = &[
    (
        "shuffle_idx_u32",
        &[line("shfl.sync", 1), line("shfl.sync.idx.b32", 1)],
    ),
    (
        "shuffle_up_u32",
        &[line("shfl.sync", 1), line("shfl.sync.up.b32", 1)],
    ),
    (
        "shuffle_down_u32",
        &[line("shfl.sync", 1), line("shfl.sync.down.b32", 1)],
    ),
    (
        "shuffle_xor_f32",
        &[line("shfl.sync", 1), line("shfl.sync.bfly.b32", 1)],
    ),
    ("shuffle_up_u8", &[line("shfl.sync", 1)]),
    ("shuffle_f64", &[line("shfl.sync", 2)]),
    ("shuffle_u128", &[line("shfl.sync", 4)]),
    ("shuffle_f16", &[line("shfl.sync", 1)]),
    ("shuffle_bytes3", &[line("shfl.sync", 1)]),
    ("shuffle_halves7", &[line("shfl.sync", 4)]),
    ("shuffle_words16", &[line("shfl.sync", 16)]),
    ("shuffle_flag", &[line("shfl.sync.up.b32", 1)]),
    ("broadcast", &[line("shfl.sync.idx.b32", 1)]),
];

const VOTES: &[(&str, &[Line])] = &[
    ("vote_all", &[line("vote.sync.all.pred", 1)]),
    ("vote_any", &[line("vote.sync.any.pred", 1)]),
    ("vote_uni", &[line("vote.sync.uni.pred", 1)]),
    ("vote_ballot", &[line("vote.sync.ballot.b32", 1)]),
    ("match_any_u32", &[line("match.any.sync.b32", 1)]),
    ("match_any_u64", &[line("match.any.sync.b64", 1)]),
    (
        "match_any_f32",
        &[line("match.any.sync.b32", 1), line("cvt.", 0)],
    ),
    ("match_all_u32", &[line("match.all.sync.b32", 1)]),
    ("match_all_f64", &[line("match.all.sync.b64", 1)]),
    (
        "warp_reduce_add_u32",
        &[Line("redux.sync.add", 0, 1), Line("shfl.sync.bfly", 5, 0)],
    ),
    (
        "warp_reduce_min_i32",
        &[
            Line("redux.sync.min.s32", 0, 1),
            Line("shfl.sync.bfly", 5, 0),
        ],
    ),
    (
        "warp_reduce_max_u32",
        &[
            Line("redux.sync.max.u32", 0, 1),
            Line("shfl.sync.bfly", 5, 0),
        ],
    ),
    (
        "warp_reduce_xor_u32",
        &[
            Line("redux.sync.xor.b32", 0, 1),
            Line("shfl.sync.bfly", 5, 0),
        ],
    ),
];

const COLLECTIVES: &[(&str, &[Line])] = &[
    (
        "tile32_sum_f32",
        &[
            line("shfl.sync", 5),
            line("shfl.sync.bfly", 5),
            line("add.rn.f32", 5),
        ],
    ),
    (
        "tile8_reduce_f32",
        &[line("shfl.sync", 3), line("shfl.sync.down", 3)],
    ),
    (
        "tile32_min_f64",
        &[line("shfl.sync", 10), line("min.f64", 5)],
    ),
    (
        "tile32_scan_u32",
        &[line("shfl.sync", 5), line("shfl.sync.up", 5)],
    ),
    (
        "tile32_sort_u32",
        &[line("shfl.sync", 15), line("shfl.sync.bfly", 15)],
    ),
    (
        "tile32_compact",
        &[line("shfl.sync", 1), line("vote.sync.ballot", 1)],
    ),
    ("tile4_transpose", &[line("shfl.sync", 4)]),
    ("tile32_arg_max", &[line("shfl.sync", 10)]),
    (
        "group_sum_i32",
        &[line("activemask", 1), Line("redux.sync.add", 0, 1)],
    ),
    (
        "group_binary",
        &[line("vote.sync.ballot", 1), line("popc", 1)],
    ),
    ("group_labeled", &[line("match.any.sync.b32", 1)]),
    (
        "block_reduce_sized_f32",
        &[
            line("shfl.sync.down", 8),
            line("bar.sync", 2),
            line("ld.shared", 1),
            line("st.shared", 1),
        ],
    ),
    (
        "block_reduce_sized_i32",
        &[
            Line("shfl.sync.down", 8, 0),
            Line("redux.sync.add", 0, 2),
            line("bar.sync", 2),
        ],
    ),
    (
        "block_reduce_f32",
        &[
            line("bar.sync", 2),
            line("ld.shared", 1),
            line("st.shared", 1),
        ],
    ),
    (
        "block_reduce_i32",
        &[Line("redux.sync.add", 0, 3), line("bar.sync", 2)],
    ),
    ("block_reduce_all_f64", &[line("bar.sync", 2)]),
    ("block_scan_u32", &[line("bar.sync", 2)]),
    (
        "block_broadcast",
        &[
            line("bar.sync", 2),
            line("st.shared", 1),
            line("ld.shared", 1),
        ],
    ),
    (
        "block_compact",
        &[line("vote.sync.ballot", 1), line("bar.sync", 2)],
    ),
    (
        "block_histogram",
        &[line("bar.sync", 2), line("atom.shared.add.u32", 2)],
    ),
    (
        "last_block",
        &[
            line("atom.relaxed.gpu.inc.u32", 1),
            line("fence.acq_rel.gpu", 2),
        ],
    ),
    (
        "grid_sync",
        &[
            line("bar.sync", 2),
            line("fence.acq_rel.gpu", 2),
            line("atom.global.add.u32", 1),
            line("ld.relaxed.gpu", 1),
        ],
    ),
    ("look_back", &[line("ld.relaxed.gpu", 1), line("fence", 0)]),
];

const ATOMICS: &[(&str, &[Line])] = &[
    (
        "fences",
        &[
            line("fence.acq_rel.cta", 1),
            line("fence.acq_rel.gpu", 1),
            line("fence.acq_rel.sys", 1),
            line("fence.sc.cta", 1),
            line("fence.sc.gpu", 2),
            line("fence.sc.sys", 1),
        ],
    ),
    (
        "atomic_relaxed",
        &[line("atom.global.add.u32", 1), line("fence", 0)],
    ),
    (
        "atomic_acq_rel",
        &[line("atom.global.max.u32", 1), line("fence.acq_rel.gpu", 2)],
    ),
    ("atomic_system", &[line("atom.relaxed.sys.and.b32", 1)]),
    (
        "atomic_block",
        &[
            line("atom.relaxed.cta.exch.b32", 1),
            line("fence.acq_rel.cta", 1),
        ],
    ),
    ("atomic_shared", &[line("atom.shared.add.u32", 1)]),
    ("atomic_i64", &[line("atom.global.min.s64", 1)]),
    ("atomic_cas", &[line("atom.relaxed.gpu.cas.b64", 1)]),
    (
        "atomic_load_store",
        &[
            line("ld.relaxed.gpu.u32", 1),
            line("st.relaxed.gpu.u32", 1),
            line("fence.acq_rel.gpu", 2),
        ],
    ),
    ("atomic_f32", &[line("atom.relaxed.gpu.add.f32", 1)]),
    ("atomic_f64", &[line("atom.relaxed.gpu.add.f64", 1)]),
    (
        "aggregated_inc",
        &[
            line("activemask", 1),
            line("atom.global.add.u32", 1),
            line("shfl.sync.idx", 1),
        ],
    ),
    (
        "aggregated_add",
        &[line("activemask", 1), line("atom.global.add.u32", 1)],
    ),
];

const MEMORY: &[(&str, &[Line])] = &[
    (
        "shared_static",
        &[line("st.shared.b32", 1), line("ld.shared.b32", 1)],
    ),
    (
        "shared_array_macro",
        &[line("st.shared.b32", 1), line("ld.shared.b32", 1)],
    ),
    (
        "dynamic_shared",
        &[line("st.shared.b32", 1), line("ld.shared.b32", 1)],
    ),
    ("constant_static", &[line("ld.const.b32", 1)]),
    (
        "slices",
        &[line("ld.global.nc.b32", 1), line("st.global.b32", 1)],
    ),
    (
        "vector_load_f32",
        // Sixteen bytes at once: four b32, or on Blackwell two b64.
        &[line("ld.global.v", 1), line("st.global.v", 1)],
    ),
    (
        "vector_load_u64",
        &[line("ld.global.v2.b64", 1), line("st.global.v2.b64", 1)],
    ),
    ("float_sqrt", &[line("sqrt.rn.f32", 1)]),
    ("float_fma", &[line("fma.rn.f64", 1)]),
    ("float_floor", &[line("cvt.rmi.f32.f32", 1)]),
    ("float_abs", &[line("setp", 0)]),
    ("float_max", &[line("max.f32", 1)]),
    ("fast_sin", &[line("sin.approx.f32", 1)]),
    ("fast_exp2", &[line("ex2.approx.f32", 1)]),
    ("fast_rsqrt", &[line("rsqrt.approx.f32", 1)]),
];

/// The lines of a kernel's body, without comments.
#[track_caller]
fn kernel<'a>(ptx: &'a str, name: &str) -> Vec<&'a str> {
    let start = ptx
        .find(&format!(".entry {name}("))
        .unwrap_or_else(|| panic!("no kernel {name}"));
    let end = ptx[start..].find("\n}").map_or(ptx.len(), |at| start + at);
    let code = ptx[start..end]
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default().trim());
    code.filter(|line| !line.is_empty()).collect()
}

/// The instruction of a line, after a predicate.
fn instruction(line: &str) -> &str {
    match line.strip_prefix('@') {
        Some(rest) => rest
            .split_once(char::is_whitespace)
            .map_or("", |(_, rest)| rest.trim_start()),
        None => line.trim_start_matches("{ .reg .b64 %a; cvta.to.global.u64 %a, "),
    }
}

fn texts() -> impl Iterator<Item = (NvvmArch, String)> {
    IMAGES.iter().map(|image| {
        (
            image.arch,
            std::fs::read_to_string(&image.ptx).expect("the image was just written"),
        )
    })
}

#[track_caller]
fn check(table: &[(&str, &[Line])]) {
    for (arch, ptx) in texts() {
        for &(name, lines) in table {
            let body = kernel(&ptx, name);
            for &Line(text, old, new) in lines {
                let expected = if arch < NvvmArch::Compute80 { old } else { new };
                let got = body
                    .iter()
                    .filter(|line| instruction(line).starts_with(text))
                    .count();
                assert_eq!(
                    got,
                    expected,
                    "{arch}, {name}: lines that begin with {text}\n{}",
                    body.join("\n")
                );
            }
        }
    }
}

#[test]
fn threads() {
    check(THREADS);
}

#[test]
fn shuffles() {
    check(SHUFFLES);
}

#[test]
fn votes_matches_and_reductions() {
    check(VOTES);
}

#[test]
fn tiles_groups_blocks_and_grids() {
    check(COLLECTIVES);
}

#[test]
fn atomics_and_fences() {
    check(ATOMICS);
}

#[test]
fn memory_and_floats() {
    check(MEMORY);
}

/// The last operands of `shfl.sync`: clamp and segment mask, then the mask of lanes.
#[test]
fn clamps_and_segments() {
    for (arch, ptx) in texts() {
        for (name, operands) in [
            ("shuffle_idx_u32", "3, 6175, -1;"),
            ("shuffle_up_u32", "1, 0, -1;"),
            ("shuffle_down_u32", "1, 4127, -1;"),
            ("shuffle_xor_f32", "1, 31, -1;"),
            ("broadcast", "7, 31, -1;"),
            ("shuffle_up_u8", "1, 0, -1;"),
        ] {
            let body = kernel(&ptx, name);
            let shuffle = body.iter().find(|line| line.starts_with("shfl.sync"));
            assert!(
                shuffle.is_some_and(|line| line.ends_with(operands)),
                "{arch}, {name}: {shuffle:?}"
            );
        }
    }
}

/// Inline PTX stands inside braces, so that these are looked for anywhere in a line.
#[test]
fn hints() {
    for (arch, ptx) in texts() {
        let hint = if arch >= NvvmArch::Compute80 {
            "ld.global.nc.L1::no_allocate.v4.b32"
        } else {
            "ld.global.nc.v4.b32"
        };
        for (name, text) in [
            ("vector_readonly", "ld.global.nc.v4.b32"),
            ("vector_streaming", hint),
            ("vector_streaming", "st.global.cs.v4.b32"),
            ("address_space_of", "isspacep.shared"),
            ("event", "pmevent 3;"),
            ("sizes", "%dynamic_smem_size"),
            (
                "elect",
                if arch >= NvvmArch::Compute90 {
                    "elect.sync"
                } else {
                    "bar.warp.sync"
                },
            ),
            (
                "fast_tanh",
                if arch >= NvvmArch::Compute80 {
                    "tanh.approx.f32"
                } else {
                    "ex2.approx.f32"
                },
            ),
        ] {
            let body = kernel(&ptx, name).join("\n");
            assert!(body.contains(text), "{arch}, {name}: no {text}\n{body}");
        }
    }
}

#[test]
fn nothing_goes_to_local_memory_or_is_called() {
    for (arch, ptx) in texts() {
        for part in ptx.split(".visible .entry ").skip(1) {
            let name = part.split('(').next().unwrap_or_default();
            let body = kernel(&ptx, name);
            for costly in [".local", "ld.local", "st.local", "call", "trap"] {
                let found = body
                    .iter()
                    .find(|line| instruction(line).starts_with(costly));
                assert_eq!(found, None, "{arch}, {name}");
            }
        }
    }
}

/// Where there is a `ptxas`, it takes every module, and no kernel has a stack or a spill.
#[test]
fn ptxas_takes_everything() {
    for image in IMAGES.iter() {
        match Ptxas::find(image.arch) {
            Ok(ptxas) => {
                let kernels = ptxas
                    .check(&image.ptx, image.arch, None)
                    .unwrap_or_else(|error| panic!("{error}"));
                for kernel in kernels {
                    let costs = (kernel.stack, kernel.spill_stores, kernel.spill_loads);
                    assert_eq!(costs, (0, 0, 0), "{}: {kernel:?}", image.arch);
                }
            }
            Err(error) => eprintln!("skipped for {}: {error}", image.arch),
        }
    }
}
