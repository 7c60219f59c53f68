//! Every example of the documentation compiles for the device, on every architecture, and is a
//! kernel that ptxas takes.

use std::path::Path;

use cuda_builder::{CudaBuilder, NvvmArch, Ptxas};

#[test]
fn examples_compile_for_the_device() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let images = CudaBuilder::new(folder.join("fixtures/examples"))
        .generate_line_info(false)
        .build_for(&NvvmArch::GENERATIONS)
        .unwrap_or_else(|error| panic!("{error}"));
    let examples = count(&folder.join("src"));
    assert!(examples > 40, "{examples} examples");
    for image in images {
        let ptx = std::fs::read_to_string(&image.ptx).expect("the module was just written");
        let kernels = ptx.matches(".visible .entry ").count();
        assert_eq!(kernels, examples, "{}: an example is a kernel", image.arch);
        match Ptxas::find(image.arch) {
            Ok(ptxas) => {
                let checked = ptxas.check(&image.ptx, image.arch, None);
                let checked = checked.unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(checked.len(), examples);
            }
            Err(error) => println!("{}: not checked by ptxas: {error}", image.arch),
        }
    }
}

/// The code fences that must compile, counted in another way than the fixture finds them.
fn count(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).expect("a folder of the repository");
    let counts = entries.map(|entry| {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            return count(&path);
        }
        let text = std::fs::read_to_string(&path).expect("readable");
        let fences = |end: &str| text.matches(end).count();
        (fences("//! ```") + fences("/// ```") - 2 * fences("```compile_fail")) / 2
    });
    counts.sum()
}
