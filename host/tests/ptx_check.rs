//! Assembles every kernel for every architecture with `ptxas`, on any machine, and holds the
//! resources that it reports to what a warp program can afford.

use cuda_builder::{CudaBuilder, Image, NvvmArch, Ptxas, Resources};
use std::path::Path;
use std::sync::LazyLock;

/// Words in the names of kernels that may keep a stack frame: `vprintf` takes its arguments from
/// one, and libm's `expf` picks a constant from an array of two.
const FRAMED: [&str; 3] = ["hello", "sync", "exp_ln"];

/// The images that the host embeds, and what each kernel needs.
static CHECKED: LazyLock<Vec<(Image, Vec<Resources>)>> = LazyLock::new(|| {
    let archs = NvvmArch::from_env().unwrap_or_else(|error| panic!("{error}"));
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels");
    let images = CudaBuilder::new(kernels).build_for(&archs);
    let images = images.unwrap_or_else(|error| panic!("{error}"));
    let check = |image: Image| {
        let ptxas = Ptxas::find(image.arch).unwrap_or_else(|error| panic!("{error}"));
        let resources = ptxas.check(&image.ptx, image.arch, None);
        (image, resources.unwrap_or_else(|error| panic!("{error}")))
    };
    images.into_iter().map(check).collect()
});

fn may_have_a_frame(kernel: &Resources) -> bool {
    FRAMED.iter().any(|word| kernel.kernel.contains(word))
}

/// `(architecture, kernel, resources)` of everything that `wrong` holds for.
fn offenders(wrong: impl Fn(NvvmArch, &Resources) -> bool) -> Vec<String> {
    let all = CHECKED
        .iter()
        .flat_map(|(image, kernels)| kernels.iter().map(move |kernel| (image.arch, kernel)));
    all.filter(|(arch, kernel)| wrong(*arch, kernel))
        .map(|(arch, kernel)| format!("{arch} {kernel:?}"))
        .collect()
}

#[test]
fn every_architecture_has_every_kernel() {
    let names = |kernels: &[Resources]| {
        let mut names: Vec<_> = kernels.iter().map(|k| k.kernel.clone()).collect();
        names.sort();
        names
    };
    let first = names(&CHECKED[0].1);
    assert!(first.len() > 100, "{} kernels", first.len());
    for (image, kernels) in CHECKED.iter() {
        assert_eq!(names(kernels), first, "{}", image.arch);
    }
}

/// Bytes that a kernel may spill. Where four blocks of 512 threads are to be resident, each thread
/// has 32 registers: Volta's compiler runs out by a value or two, Hopper's in the tree of a product
/// of 64-bit integers, outside the loop.
fn spare(arch: NvvmArch, kernel: &Resources) -> u32 {
    let tight = arch == NvvmArch::Compute70 || kernel.kernel.contains("_product_");
    if tight { 64 } else { 0 }
}

#[test]
fn no_kernel_spills() {
    let spilled = offenders(|arch, kernel| {
        !may_have_a_frame(kernel)
            && kernel.spill_stores.max(kernel.spill_loads) > spare(arch, kernel)
    });
    assert!(spilled.is_empty(), "{spilled:#?}");
}

#[test]
fn no_other_kernel_needs_a_stack() {
    let stacks =
        offenders(|arch, kernel| !may_have_a_frame(kernel) && kernel.stack > spare(arch, kernel));
    assert!(stacks.is_empty(), "{stacks:#?}");
}

#[test]
fn static_shared_memory_fits_every_device() {
    const LIMIT: u32 = 48 * 1024;
    let large = offenders(|_, kernel| kernel.shared > LIMIT);
    assert!(large.is_empty(), "{large:#?}");
}
