//! Programs of a fixed size that show one thing: printing, the two arms of a branch, the barriers.

use kernels::programs::{hello, synchronize};

use crate::baseline::elementwise::map;
use crate::case::{Case, Cx, Sizes};
use crate::compare::{self, Comparison};
use crate::input::Element;
use crate::{Error, LaunchConfig};

pub(super) fn all() -> Vec<Case> {
    let (blocks, threads) = hello::WARP_SIZE_LAUNCH;
    let two_arms = hello::TWO_ARMS_LAUNCH;
    vec![
        demo::<u32>(
            "hello/warp_size",
            "hello_warp_size",
            "eight threads print the size of their warp",
            (blocks, threads),
            |_| 32,
        ),
        demo::<i32>(
            "hello/two_arms",
            "hello_two_arms",
            "nine threads print from the two arms of a branch",
            two_arms,
            |i| {
                let number = i as i32 + 1;
                if number <= hello::FIRST_ARM as i32 {
                    number
                } else {
                    -number
                }
            },
        ),
        demo::<u32>(
            "sync/block",
            "block_sync_demo",
            "64 threads read their neighbour's value behind a block barrier",
            (1, synchronize::THREADS),
            |i| (i as u32 + 1) % synchronize::THREADS,
        ),
        demo::<u32>(
            "sync/warp",
            "warp_sync_demo",
            "half of each warp exchanges behind a warp barrier inside a branch",
            (1, synchronize::THREADS),
            |i| {
                let (warp, lane) = (i as u32 / 32, i as u32 % 32);
                32 * warp + if lane < 16 { 15 - lane } else { lane }
            },
        ),
    ]
}

/// A kernel whose only parameter is its output, one value per thread.
fn demo<T: Element>(
    name: &'static str,
    kernel: &'static str,
    about: &'static str,
    launch: (u32, u32),
    value: fn(usize) -> T,
) -> Case {
    let threads = u64::from(launch.0) * u64::from(launch.1);
    Case::new(name, "programs", T::DTYPE, move |cx| {
        run(cx, kernel, launch, value)
    })
    .about(about)
    .kernels([kernel])
    .sizes(Sizes::Fixed(threads))
}

fn run<T: Element>(
    cx: &mut Cx<'_>,
    kernel: &str,
    (blocks, threads): (u32, u32),
    value: fn(usize) -> T,
) -> Result<Option<Comparison>, Error> {
    let places = vec![(); (blocks * threads) as usize];
    let expected = cx.baseline(
        || map(&places, |i, ()| value(i)),
        |parallel| {
            let sequential: Vec<T> = (0..places.len()).map(value).collect();
            compare::exact("out", parallel, &sequential)
        },
    )?;
    let Some(device) = cx.device() else {
        return Ok(None);
    };
    let out = device.alloc::<T>(expected.len())?;
    let config = LaunchConfig::linear(blocks, threads);
    // Once, not measured: each launch prints.
    // SAFETY: a slot per thread.
    unsafe { device.launch(kernel, config, &[out.as_arg()])? };
    Ok(Some(compare::exact("out", &out.download()?, &expected)))
}
