//! Video instructions: arithmetic on bytes and halves of 32-bit registers.

use super::Section;

pub(super) const SECTIONS: &[Section] = &[
    (
        "9.7.18.1.1",
        &[
            "vadd .u32/s32 .u32/s32 .u32/s32 ?.sat | e f f",
            "vadd .u32/s32 .u32/s32 .u32/s32 ?.sat ?.add/min/max | e f f s",
            "vsub .u32/s32 .u32/s32 .u32/s32 ?.sat | e f f",
            "vsub .u32/s32 .u32/s32 .u32/s32 ?.sat ?.add/min/max | e f f s",
            "vabsdiff .u32/s32 .u32/s32 .u32/s32 ?.sat | e f f",
            "vabsdiff .u32/s32 .u32/s32 .u32/s32 ?.sat ?.add/min/max | e f f s",
            "vmin .u32/s32 .u32/s32 .u32/s32 ?.sat | e f f",
            "vmin .u32/s32 .u32/s32 .u32/s32 ?.sat ?.add/min/max | e f f s",
            "vmax .u32/s32 .u32/s32 .u32/s32 ?.sat | e f f",
            "vmax .u32/s32 .u32/s32 .u32/s32 ?.sat ?.add/min/max | e f f s",
        ],
    ),
    (
        "9.7.18.1.2",
        &[
            "vshl .u32/s32 .u32/s32 .u32 ?.sat .clamp/wrap | e f f",
            "vshl .u32/s32 .u32/s32 .u32 ?.sat .clamp/wrap ?.add/min/max | e f f s",
            "vshr .u32/s32 .u32/s32 .u32 ?.sat .clamp/wrap | e f f",
            "vshr .u32/s32 .u32/s32 .u32 ?.sat .clamp/wrap ?.add/min/max | e f f s",
        ],
    ),
    (
        "9.7.18.1.3",
        &[
            "vmad .u32/s32 .u32/s32 .u32/s32 ?.sat ?.shr7/shr15 | d g g g",
            "vmad .u32/s32 .u32/s32 .u32/s32 .po ?.sat ?.shr7/shr15 | d f f f",
        ],
    ),
    (
        "9.7.18.1.4",
        &[
            "vset .u32/s32 .u32/s32 .@order | e f f",
            "vset .u32/s32 .u32/s32 .@order ?.add/min/max | e f f s",
        ],
    ),
    (
        "9.7.18.2.1",
        &[
            "vadd2 .u32/s32 .u32/s32 .u32/s32 ?.sat/add | e f f s",
            "vsub2 .u32/s32 .u32/s32 .u32/s32 ?.sat/add | e f f s",
            "vavrg2 .u32/s32 .u32/s32 .u32/s32 ?.sat/add | e f f s",
            "vabsdiff2 .u32/s32 .u32/s32 .u32/s32 ?.sat/add | e f f s",
            "vmin2 .u32/s32 .u32/s32 .u32/s32 ?.sat/add | e f f s",
            "vmax2 .u32/s32 .u32/s32 .u32/s32 ?.sat/add | e f f s",
        ],
    ),
    (
        "9.7.18.2.2",
        &["vset2 .u32/s32 .u32/s32 .@order ?.add | e f f s"],
    ),
    (
        "9.7.18.2.3",
        &[
            "vadd4 .u32/s32 .u32/s32 .u32/s32 ?.sat/add | e f f s",
            "vsub4 .u32/s32 .u32/s32 .u32/s32 ?.sat/add | e f f s",
            "vavrg4 .u32/s32 .u32/s32 .u32/s32 ?.sat/add | e f f s",
            "vabsdiff4 .u32/s32 .u32/s32 .u32/s32 ?.sat/add | e f f s",
            "vmin4 .u32/s32 .u32/s32 .u32/s32 ?.sat/add | e f f s",
            "vmax4 .u32/s32 .u32/s32 .u32/s32 ?.sat/add | e f f s",
        ],
    ),
    (
        "9.7.18.2.4",
        &["vset4 .u32/s32 .u32/s32 .@order ?.add | e f f s"],
    ),
];
