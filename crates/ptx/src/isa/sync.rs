//! Control flow, barriers, fences and warp-wide operations.

use super::Section;

pub(super) const SECTIONS: &[Section] = &[
    ("9.7.12.3", &["bra ?.uni | l"]),
    ("9.7.12.4", &["brx.idx ?.uni | s:u32 t"]),
    ("9.7.12.6", &["ret ?.uni |"]),
    ("9.7.12.7", &["exit |"]),
    (
        "9.7.13.1",
        &[
            "bar ?.cta .sync | s:u32 ?s:u32",
            "bar ?.cta .arrive | s:u32 s:u32",
            "bar ?.cta .red .popc .u32 | d s:u32 c",
            "bar ?.cta .red .popc .u32 | d s:u32 s:u32 c",
            "bar ?.cta .red .and/or .pred | p s:u32 c",
            "bar ?.cta .red .and/or .pred | p s:u32 s:u32 c",
            "barrier ?.cta .sync ?.aligned | s:u32 ?s:u32",
            "barrier ?.cta .arrive ?.aligned | s:u32 s:u32",
            "barrier ?.cta .red ?.aligned .popc .u32 | d s:u32 c",
            "barrier ?.cta .red ?.aligned .popc .u32 | d s:u32 s:u32 c",
            "barrier ?.cta .red ?.aligned .and/or .pred | p s:u32 c",
            "barrier ?.cta .red ?.aligned .and/or .pred | p s:u32 s:u32 c",
        ],
    ),
    ("9.7.13.2", &["bar.warp.sync | s:b32"]),
    (
        "9.7.13.3",
        &[
            "barrier.cluster.arrive ?.release/relaxed ?.aligned |",
            "barrier.cluster.wait ?.acquire ?.aligned |",
        ],
    ),
    (
        "9.7.13.4",
        &[
            "membar .cta/gl/sys |",
            "membar .proxy .alias |",
            "fence ?.sc/acq_rel/acquire/release .@scope |",
            "fence .acquire .sync_restrict::shared::cluster .cluster |",
            "fence .release .sync_restrict::shared::cta .cluster |",
            "fence.mbarrier_init .release .cluster |",
            "fence.proxy .alias |",
            "fence.proxy .async ?.global/shared::cta/shared::cluster |",
            "fence.proxy .tensormap::generic .release .@scope |",
            "fence.proxy .tensormap::generic .acquire .@scope | m i",
            "fence.proxy .async::generic .acquire .sync_restrict::shared::cluster .cluster |",
            "fence.proxy .async::generic .release .sync_restrict::shared::cta .cluster |",
        ],
    ),
    (
        "9.7.13.8",
        &["vote .all/any/uni .pred | p c", "vote .ballot .b32 | d c"],
    ),
    (
        "9.7.13.9",
        &[
            "vote .sync .all/any/uni .pred | p c s:b32",
            "vote .sync .ballot .b32 | d c s",
        ],
    ),
    (
        "9.7.13.10",
        &[
            "match .any .sync .b32/b64 | d:b32 s s:b32",
            "match .all .sync .b32/b64 | D:b32 s s:b32",
        ],
    ),
    ("9.7.13.11", &["activemask .b32 | d"]),
    (
        "9.7.13.12",
        &[
            "redux .sync .add/min/max .u32/s32 | d s s:b32",
            "redux .sync .and/or/xor .b32 | d s s:b32",
            "redux .sync .min/max ?.abs ?.NaN .f32 | d s s:b32",
        ],
    ),
    ("9.7.13.13", &["griddepcontrol .launch_dependents/wait |"]),
    ("9.7.13.14", &["elect .sync | D:b32 s:b32"]),
    ("9.7.13.15.9", &["mbarrier.init ?.@cta .b64 | m s:u32"]),
    ("9.7.13.15.10", &["mbarrier.inval ?.@cta .b64 | m"]),
    (
        "9.7.13.15.11",
        &[
            "mbarrier.expect_tx ?.@shared .b64 | m s:u32",
            "mbarrier.expect_tx .relaxed .cta/cluster ?.@shared .b64 | m s:u32",
        ],
    ),
    (
        "9.7.13.15.12",
        &[
            "mbarrier.complete_tx ?.@shared .b64 | m s:u32",
            "mbarrier.complete_tx .relaxed .cta/cluster ?.@shared .b64 | m s:u32",
        ],
    ),
    (
        "9.7.13.15.13",
        &[
            "mbarrier.arrive ?.@shared .b64 | d m ?s:u32",
            "mbarrier.arrive .release/relaxed .cta/cluster ?.@shared .b64 | d m ?s:u32",
            "mbarrier.arrive .expect_tx ?.@shared .b64 | d m s:u32",
            "mbarrier.arrive .expect_tx .release/relaxed .cta/cluster ?.@shared .b64 | d m s:u32",
            "mbarrier.arrive .noComplete ?.@cta .b64 | d m s:u32",
            "mbarrier.arrive .noComplete .release .cta ?.@cta .b64 | d m s:u32",
        ],
    ),
    (
        "9.7.13.15.14",
        &[
            "mbarrier.arrive_drop ?.@shared .b64 | d m ?s:u32",
            "mbarrier.arrive_drop .release/relaxed .cta/cluster ?.@shared .b64 | d m ?s:u32",
            "mbarrier.arrive_drop .expect_tx ?.@shared .b64 | d m s:u32",
            "mbarrier.arrive_drop .expect_tx .release/relaxed .cta/cluster ?.@shared .b64 | d m s:u32",
            "mbarrier.arrive_drop .noComplete ?.@cta .b64 | d m s:u32",
            "mbarrier.arrive_drop .noComplete .release .cta ?.@cta .b64 | d m s:u32",
        ],
    ),
    (
        "9.7.13.15.15",
        &["cp.async.mbarrier.arrive ?.noinc ?.@cta .b64 | m"],
    ),
    (
        "9.7.13.15.16",
        &[
            "mbarrier.test_wait ?.@cta .b64 | p m s",
            "mbarrier.test_wait .acquire/relaxed .cta/cluster ?.@cta .b64 | p m s",
            "mbarrier.test_wait .parity ?.@cta .b64 | p m s:u32",
            "mbarrier.test_wait .parity .acquire/relaxed .cta/cluster ?.@cta .b64 | p m s:u32",
            "mbarrier.try_wait ?.@cta .b64 | p m s ?s:u32",
            "mbarrier.try_wait .acquire/relaxed .cta/cluster ?.@cta .b64 | p m s ?s:u32",
            "mbarrier.try_wait .parity ?.@cta .b64 | p m s:u32 ?s:u32",
            "mbarrier.try_wait .parity .acquire/relaxed .cta/cluster ?.@cta .b64 | p m s:u32 ?s:u32",
        ],
    ),
    ("9.7.13.15.17", &["mbarrier.pending_count .b64 | d:u32 s"]),
];
