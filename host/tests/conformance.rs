//! Every function of `cuda_std` on the emulator, lane by lane against the reference model.

use lockstep::device::Image;
use lockstep::{DeviceChoice, conformance};
use simt::{HostVectors, limit_host_vectors};

fn conforms(image: &Image<'_>) {
    let device =
        conformance::open(DeviceChoice::Simt, image).expect("there is an emulator everywhere");
    let report = conformance::run(&device, |_| true)
        .unwrap_or_else(|error| panic!("sm_{}: {error}", image.sm));
    assert_eq!(report.mismatches, 0, "{report}");
    assert!(report.cases > 200_000, "{report}");
    eprintln!("{report}");
}

/// For every architecture; and the newest, whose warps have most instructions, as on older hosts.
#[test]
fn cuda_std_conforms_on_the_emulator() {
    conformance::IMAGES.iter().for_each(conforms);
    for limit in [HostVectors::Avx2, HostVectors::Least] {
        limit_host_vectors(limit);
        conformance::IMAGES.last().into_iter().for_each(conforms);
    }
}
