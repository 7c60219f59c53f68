//! Every function of `cuda_std` on the emulator, lane by lane against the reference model.

use lockstep::{DeviceChoice, conformance};

#[test]
fn cuda_std_conforms_on_the_emulator() {
    for image in conformance::IMAGES {
        let device =
            conformance::open(DeviceChoice::Simt, image).expect("there is an emulator everywhere");
        let report = conformance::run(&device, |_| true)
            .unwrap_or_else(|error| panic!("sm_{}: {error}", image.sm));
        assert_eq!(report.mismatches, 0, "{report}");
        assert!(report.cases > 200_000, "{report}");
        eprintln!("{report}");
    }
}
