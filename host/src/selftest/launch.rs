//! Launches: contracts, arguments, dynamic shared memory, cooperation, events.

use super::{
    Answer, Outcome, Test, expect, expect_equal, expect_text, open_probe, outcome, refused, text,
};
use crate::device::ceiling::READ_KERNEL;
use crate::{Arg, Device, DeviceChoice, Error, LaunchConfig};

pub(super) const TESTS: &[Test] = &[
    (
        "launch: a breach of the kernel's contract is refused",
        contract,
    ),
    (
        "launch: more blocks than fit cannot cooperate",
        too_many_to_cooperate,
    ),
    ("launch: events measure", events),
    ("launch: the L2 cache can be flushed", flush),
];

type Probe = (&'static str, fn(&Device) -> Answer);

/// Tests that need kernels of their own.
const PROBES: &[Probe] = &[
    ("launch: arguments of every size arrive", arguments),
    (
        "launch: dynamic shared memory up to the device's limit",
        dynamic_shared,
    ),
    ("launch: a cooperative launch runs", cooperate),
];

pub(super) fn probe_names() -> impl Iterator<Item = String> {
    PROBES.iter().map(|(name, _)| (*name).to_owned())
}

pub(super) fn probes(choice: DeviceChoice, tell: &mut dyn FnMut(String, Outcome)) {
    let device = open_probe(choice);
    for (name, probe) in PROBES {
        let answer = device.as_ref().map_err(Clone::clone).and_then(probe);
        tell((*name).to_owned(), outcome(answer));
    }
}

fn launch(
    device: &Device,
    kernel: &str,
    config: LaunchConfig,
    args: &[Arg<'_>],
) -> Result<(), Error> {
    // SAFETY: the callers pass buffers that are as long as their kernels need, or launches that
    // are refused.
    unsafe { device.launch(kernel, config, args) }
}

fn contract(device: &Device) -> Answer {
    let data = device.alloc::<u32>(1).map_err(text)?;
    let args = [data.as_slice(), data.as_arg()];
    let block = kernels::ceiling::BLOCK;
    let check = |config, args: &[Arg<'_>], part: &str| {
        let message = refused(launch(device, READ_KERNEL, config, args), part)?;
        expect_text(&message, part)
    };
    let required = format!("block (64,1,1) does not match the required ({block},1,1)");
    check(LaunchConfig::linear(1, 64), &args, &required)?;
    check(LaunchConfig::linear(0, block), &args, "grid (0,1,1)")?;
    check(
        LaunchConfig::linear(1, block),
        &args[..1],
        "2 arguments given, 3 required",
    )?;
    let short = [data.as_arg(), 1_u32.into(), data.as_arg()];
    check(
        LaunchConfig::linear(1, block),
        &short,
        "argument 1 has 4 bytes, 8 required",
    )?;
    let shared = LaunchConfig::linear(1, block).with_shared(1 << 30);
    check(shared, &args, "bytes of dynamic shared memory")?;
    let unknown = launch(device, "ceiling_reed", LaunchConfig::linear(1, 1), &[]);
    expect_text(
        &refused(unknown, "an unknown kernel")?,
        "did you mean ceiling_read?",
    )
}

fn too_many_to_cooperate(device: &Device) -> Answer {
    let data = device.alloc::<u32>(1).map_err(text)?;
    let block = kernels::ceiling::BLOCK;
    let fitting = device
        .resident_blocks(READ_KERNEL, LaunchConfig::linear(1, block))
        .map_err(text)?;
    expect(fitting > 0, "no block fits")?;
    let config = LaunchConfig::linear(fitting + 1, block).cooperative();
    let args = [data.as_slice(), data.as_arg()];
    let message = refused(
        launch(device, READ_KERNEL, config, &args),
        "too large a grid",
    )?;
    expect_text(&message, READ_KERNEL)
}

fn events(device: &Device) -> Answer {
    let data = device.alloc::<u32>(1 << 20).map_err(text)?;
    let config = LaunchConfig::linear(16, kernels::ceiling::BLOCK);
    let args = [data.as_slice(), data.as_arg()];
    let time = device
        .time(|| launch(device, READ_KERNEL, config, &args))
        .map_err(text)?;
    match time {
        None => expect(device.info().kind != "cuda", "a GPU that is not timed"),
        Some(time) => expect(
            !time.is_zero() && time.as_secs() < 1,
            format!("{time:?} for 4 MiB"),
        ),
    }
}

fn flush(device: &Device) -> Answer {
    for _ in 0..3 {
        device.flush_l2().map_err(text)?;
    }
    device.synchronize().map_err(text)
}

fn arguments(device: &Device) -> Answer {
    let out = device.alloc::<u64>(32).map_err(text)?;
    let args = [
        out.as_arg(),
        0x11_u8.into(),
        0x2200_u16.into(),
        0x0033_0000_u32.into(),
        0x4400_0000_0000_u64.into(),
        Arg::value([9_u32, 8, 0x5500_0000]),
    ];
    launch(device, "probe_params", LaunchConfig::linear(1, 32), &args).map_err(text)?;
    expect_equal(
        "the sum",
        out.download().map_err(text)?,
        vec![0x4400_5533_2211; 32],
    )
}

fn dynamic_shared(device: &Device) -> Answer {
    let most = device.info().max_shared_per_block;
    expect(most >= 48 * 1024, format!("only {most} bytes"))?;
    for bytes in [16, 48 * 1024, (most / 2).max(48 * 1024), most] {
        let out = device.alloc::<u32>(1).map_err(text)?;
        let config = LaunchConfig::linear(1, 1).with_shared(bytes);
        let args = [out.as_arg(), bytes.into()];
        launch(device, "probe_shared", config, &args).map_err(text)?;
        let got = out.download().map_err(text)?;
        expect_equal(
            &format!("the last word of {bytes} bytes"),
            got,
            vec![123_456_789],
        )?;
    }
    let out = device.alloc::<u32>(1).map_err(text)?;
    let config = LaunchConfig::linear(1, 1).with_shared(most + 16);
    let args = [out.as_arg(), most.into()];
    refused(
        launch(device, "probe_shared", config, &args),
        "more than the device has",
    )
    .map(|_| ())
}

fn cooperate(device: &Device) -> Answer {
    let out = device.alloc::<u32>(1).map_err(text)?;
    let config = LaunchConfig::linear(2, 32).with_shared(1024).cooperative();
    let args = [out.as_arg(), 1024_u32.into()];
    launch(device, "probe_shared", config, &args).map_err(text)?;
    expect_equal("the word", out.download().map_err(text)?, vec![123_456_789])
}
