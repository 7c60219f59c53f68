//! Faults and their mended twins: each copies its input in a way of its own.
//!
//! The faulty ones run by name only, and may give the right result; `lockstep check` names the fault.

use kernels::faults::{ELEMENTS, THREADS};

use crate::case::{Case, Cx, Sizes};
use crate::compare::{self, Comparison};
use crate::{Dtype, Error, LaunchConfig};

/// What a pair of kernels writes for element t of the input; `None` leaves it alone.
type Meaning = fn(&[u32], usize) -> Option<u32>;

/// The faults, with what is wrong about them.
const FAULTS: &[(&str, &str, Meaning)] = &[
    (
        "out_of_bounds",
        "no guard for the threads past the end",
        |x, t| Some(x[t] + 1),
    ),
    (
        "misaligned",
        "four bytes read where three would have to be skipped",
        |x, t| {
            let next = x.get(t + 1)?;
            Some(x[t] >> 8 | next << 24)
        },
    ),
    (
        "uninitialized",
        "adds to memory that nothing wrote",
        |x, t| Some(x[t]),
    ),
    (
        "race_between_warps",
        "no barrier between two warps",
        |x, t| Some(x.get(t ^ 32).copied().unwrap_or(0)),
    ),
    ("race_in_warp", "no barrier between two lanes", |x, t| {
        Some(x.get(t ^ 1).copied().unwrap_or(0))
    }),
    (
        "divergent_barrier",
        "a barrier that four threads go round",
        |x, t| Some(x[x.len() - 1 - t]),
    ),
    (
        "mask",
        "a mask that lacks half of those who wait with it",
        |x, t| Some(x[t]),
    ),
];

pub(super) fn all() -> Vec<Case> {
    let both = |&(name, about, meaning): &(&'static str, &'static str, Meaning)| {
        let mended = case(name, "mended", "mended: ", about, meaning);
        [case(name, "faulty", "", about, meaning).hidden(), mended]
    };
    FAULTS.iter().flat_map(both).collect()
}

fn case(name: &str, kind: &str, prefix: &str, about: &str, meaning: Meaning) -> Case {
    let kernel = format!("{kind}_{name}");
    let kernels = [kernel.clone()];
    Case::new(
        format!("faults/{name}/{kind}"),
        "faults",
        Dtype::U32,
        move |cx| run(cx, &kernel, meaning),
    )
    .about(format!("{prefix}{about}"))
    .kernels(kernels)
    .sizes(Sizes::Fixed(ELEMENTS as u64))
}

fn run(cx: &mut Cx<'_>, kernel: &str, meaning: Meaning) -> Result<Option<Comparison>, Error> {
    let data: Vec<u32> = cx.input::<u32>()?.iter().map(|x| x >> 1).collect();
    let result = || -> Vec<u32> { (0..data.len()).filter_map(|t| meaning(&data, t)).collect() };
    let expected = cx.baseline(result, |again| compare::exact("out", again, &result()))?;
    let Some(device) = cx.device() else {
        return Ok(None);
    };
    if kernel == "faulty_divergent_barrier" && device.info().kind == "cuda" {
        return Err(cx.unsuitable("hangs a GPU: run it with `lockstep check`".to_owned()));
    }
    let input = device.upload(&data)?;
    // Memory that nothing wrote, where that is the point.
    let out = match kernel.ends_with("uninitialized") {
        true => device.alloc_uninit::<u32>(data.len())?,
        false => device.alloc::<u32>(data.len())?,
    };
    let args = [input.as_slice(), out.as_arg()];
    // Once: a faulty kernel may end the device.
    // SAFETY: the output is as long as the input; what the faulty kernels do is contained by the
    // driver, and they run by name only.
    unsafe { device.launch(kernel, LaunchConfig::linear(1, THREADS), &args)? };
    device.synchronize()?;
    let got = out.download()?;
    Ok(Some(compare::exact(
        "out",
        &got[..expected.len().min(got.len())],
        &expected,
    )))
}
