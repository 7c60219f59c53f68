//! Buffers: what is put in comes out, and what does not fit is refused.

use super::{Answer, Test, expect, expect_equal, refused, text};
use crate::{Device, Error};

const SIZES: [usize; 8] = [0, 1, 31, 32, 33, 1000, 65537, (1 << 20) + 7];

pub(super) const TESTS: &[Test] = &[
    ("buffers: upload and download", round_trip),
    ("buffers: fill", fill),
    ("buffers: copy on the device", copy),
    ("buffers: lengths must agree", lengths),
    ("buffers: addresses are aligned and differ", addresses),
    ("memory: too much is refused", too_much),
    (
        "memory: a limit holds, and what is freed can be had again",
        limit,
    ),
];

fn round_trip(device: &Device) -> Answer {
    for len in SIZES {
        let data: Vec<u32> = (0..len as u32)
            .map(|i| i.wrapping_mul(2_654_435_761))
            .collect();
        let buffer = device.upload(&data).map_err(text)?;
        expect(
            buffer.download().map_err(text)? == data,
            format!("{len} elements changed"),
        )?;
    }
    Ok(())
}

fn fill(device: &Device) -> Answer {
    for len in SIZES {
        let zero = device
            .alloc::<u64>(len)
            .map_err(text)?
            .download()
            .map_err(text)?;
        expect(zero.iter().all(|x| *x == 0), "new memory is not zero")?;
        let bytes = device
            .filled(7_u8, len)
            .map_err(text)?
            .download()
            .map_err(text)?;
        expect(bytes == vec![7; len], "fill of 1 byte")?;
        let pairs = device
            .filled(-2_i16, len)
            .map_err(text)?
            .download()
            .map_err(text)?;
        expect(pairs == vec![-2; len], "fill of 2 bytes")?;
        let words = device
            .filled(1.5_f32, len)
            .map_err(text)?
            .download()
            .map_err(text)?;
        expect(words == vec![1.5; len], "fill of 4 bytes")?;
        let longs = device
            .filled(-0.1_f64, len)
            .map_err(text)?
            .download()
            .map_err(text)?;
        expect(longs == vec![-0.1; len], "fill of 8 bytes")?;
    }
    Ok(())
}

fn copy(device: &Device) -> Answer {
    for len in SIZES {
        let data: Vec<u16> = (0..len).map(|i| i as u16).collect();
        let from = device.upload(&data).map_err(text)?;
        let mut to = device.alloc::<u16>(len).map_err(text)?;
        device.copy(&from, &mut to).map_err(text)?;
        expect(
            to.download().map_err(text)? == data,
            format!("{len} elements changed"),
        )?;
    }
    Ok(())
}

fn lengths(device: &Device) -> Answer {
    let mut buffer = device.alloc::<u8>(3).map_err(text)?;
    refused(buffer.upload(&[1, 2]), "a shorter upload")?;
    refused(buffer.download_into(&mut [0; 4]), "a longer download")?;
    let mut other = device.alloc::<u8>(4).map_err(text)?;
    refused(
        device.copy(&buffer, &mut other),
        "a copy to a longer buffer",
    )
    .map(|_| ())
}

fn addresses(device: &Device) -> Answer {
    let buffers: Vec<_> = (0..4)
        .map(|len| device.alloc::<u8>(len))
        .collect::<Result<_, _>>()
        .map_err(text)?;
    let mut addresses: Vec<u64> = buffers.iter().map(crate::Buffer::address).collect();
    expect(
        addresses.iter().all(|a| *a != 0 && a % 256 == 0),
        "an address is not aligned to 256",
    )?;
    addresses.sort_unstable();
    addresses.dedup();
    expect_equal("distinct addresses", addresses.len(), 4)
}

fn too_much(device: &Device) -> Answer {
    for len in [1 << 46, usize::MAX >> 3] {
        match device.alloc::<u64>(len) {
            Err(Error::OutOfMemory {
                required,
                available,
                ..
            }) => {
                expect(required > available, "it would have fitted")?;
            }
            Err(error) => return Err(format!("another error: {error}")),
            Ok(_) => return Err("it was accepted".to_owned()),
        }
    }
    // The device still works.
    round_trip(device)
}

fn limit(device: &Device) -> Answer {
    device.limit_bytes(Some(1 << 20));
    let answer = within_limit(device);
    device.limit_bytes(None);
    answer
}

fn within_limit(device: &Device) -> Answer {
    let before = device.free_bytes().map_err(text)?;
    expect(before <= 1 << 20, "the limit does not show")?;
    let half = usize::try_from(before / 2).unwrap_or(0);
    let first = device.alloc::<u8>(half).map_err(text)?;
    refused(device.alloc::<u8>(half + 2), "more than the limit")?;
    drop(first);
    device.alloc::<u8>(half + 2).map_err(text).map(|_| ())
}
