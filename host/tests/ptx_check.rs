//! Assembles every kernel for every architecture with `ptxas`, on any machine, and holds the
//! resources that it reports to what a warp program can afford.

use cuda_builder::{CudaBuilder, Image, NvvmArch, Ptxas, Resources};
use std::path::Path;
use std::sync::LazyLock;

/// Kernels that may keep a stack frame: `vprintf` takes its arguments from one.
const PRINTING: [&str; 2] = ["hello", "sync"];

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

/// `(architecture, kernel, resources)` of everything that `wrong` holds for.
fn offenders(wrong: impl Fn(&Resources) -> bool) -> Vec<String> {
    let all = CHECKED
        .iter()
        .flat_map(|(image, kernels)| kernels.iter().map(move |kernel| (image.arch, kernel)));
    all.filter(|(_, kernel)| wrong(kernel))
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

#[test]
fn no_kernel_spills() {
    let spilled = offenders(|kernel| kernel.spill_stores + kernel.spill_loads > 0);
    assert!(spilled.is_empty(), "{spilled:#?}");
}

#[test]
fn only_printing_needs_a_stack() {
    let stacks = offenders(|kernel| {
        let prints = PRINTING.iter().any(|word| kernel.kernel.contains(word));
        kernel.stack > 0 && !prints
    });
    assert!(stacks.is_empty(), "{stacks:#?}");
}

#[test]
fn static_shared_memory_fits_every_device() {
    const LIMIT: u32 = 48 * 1024;
    let large = offenders(|kernel| kernel.shared > LIMIT);
    assert!(large.is_empty(), "{large:#?}");
}
