//! PTX that does not compile, and PTX that is too new.

use super::{Answer, PROBE, Test, expect, expect_text, refused};
use crate::device::Image;
use crate::{Device, DeviceChoice};

pub(super) const TESTS: &[Test] = &[
    (
        "PTX: what does not compile is reported with the compiler's log",
        malformed,
    ),
    (
        "PTX: a version that the driver does not know is named",
        too_new,
    ),
    (
        "PTX: images for newer devices only are refused",
        other_device,
    ),
    (
        "PTX: every case's kernels are in the image",
        kernels_are_there,
    ),
];

fn open(device: &Device, images: &[Image<'_>]) -> Result<Device, crate::Error> {
    let choice = match device.info().kind {
        "cuda" => DeviceChoice::Cuda(0),
        _ => DeviceChoice::Simt,
    };
    Device::open_with(choice, images)
}

fn malformed(device: &Device) -> Answer {
    let ptx = PROBE.replace("ld.shared.u32 %r5,", "ld.shared.u32 %r5 [");
    let error = refused(
        open(device, &[Image { sm: 70, ptx: &ptx }]),
        "malformed PTX",
    )?;
    let place = error.contains("line") || error.contains("PTX:");
    expect(place, format!("`{error}` names no line"))
}

fn too_new(device: &Device) -> Answer {
    if device.info().kind != "cuda" {
        // The emulator reads what it understands, whatever the version.
        return Ok(());
    }
    let ptx = PROBE.replace(".version 6.4", ".version 99.0");
    let error = refused(
        open(device, &[Image { sm: 70, ptx: &ptx }]),
        "PTX of version 99",
    )?;
    expect(error.len() > 10, format!("`{error}` says too little"))
}

fn other_device(device: &Device) -> Answer {
    let error = refused(
        open(
            device,
            &[Image {
                sm: 999,
                ptx: PROBE,
            }],
        ),
        "PTX for sm_999",
    )?;
    expect_text(&error, "sm_999 or newer")
}

fn kernels_are_there(device: &Device) -> Answer {
    for case in crate::case::all() {
        for kernel in case.kernel_names() {
            let there = device.contract(kernel).is_some();
            expect(there, format!("{kernel} of {} is missing", case.name()))?;
        }
    }
    Ok(())
}
