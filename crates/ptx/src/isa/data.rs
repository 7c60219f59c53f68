//! Data movement between registers, and conversion.

use super::Section;

pub(super) const SECTIONS: &[Section] = &[
    ("9.7.9.5", &["shfl .up/down/bfly/idx .b32 | D s s s"]),
    (
        "9.7.9.6",
        &["shfl .sync .up/down/bfly/idx .b32 | D s s s s"],
    ),
    (
        "9.7.9.7",
        &["prmt .b32 ?.f4e/b4e/rc8/ecl/ecr/rc16 | d s s s"],
    ),
    (
        "9.7.9.19",
        &["isspacep .const/global/local/@shared/param/param::entry | p s:a"],
    ),
    (
        "9.7.9.20",
        &[
            "cvta .const/global/local/@shared/param/param::entry .u32/u64 | d a",
            "cvta .to .const/global/local/@shared/param/param::entry .u32/u64 | d a",
        ],
    ),
    (
        "9.7.9.21",
        &[
            "cvt ?.sat .@all .@all | d s:1",
            "cvt .@irnd ?.ftz ?.sat .@all .f32 | d s:1",
            "cvt .@irnd ?.sat .@all .f16/f64 | d s:1",
            "cvt .@irnd ?.sat .@int .bf16 | d s:1",
            "cvt .@rnd ?.sat .f16/f64 .@all | d s:1",
            "cvt .@rnd ?.ftz ?.sat .f32 .@all | d s:1",
            "cvt .@rnd .bf16 .@int | d s:1",
            "cvt ?.@irnd ?.ftz ?.sat .f32 .f32 | d s:1",
            "cvt ?.@irnd ?.sat .f64 .f64 | d s:1",
            "cvt ?.@irnd ?.sat .f16 .f16 | d s:1",
            "cvt ?.@irnd .bf16 .bf16 | d s:1",
            "cvt ?.ftz ?.sat .f32 .f16 | d s:1",
            "cvt ?.@rnd ?.ftz ?.sat .f32 .bf16 | d s:1",
            "cvt ?.ftz ?.sat .f64 .f32 | d s:1",
            "cvt ?.sat .f64 .f16/bf16 | d s:1",
            "cvt .@rnd ?.ftz ?.sat .f32 .f64 | d s:1",
            "cvt .@rnd ?.ftz ?.sat .f16/bf16 .f32 | d s:1",
            "cvt .@rnd ?.sat .f16/bf16 .f64 | d s:1",
            "cvt ?.@rnd .bf16 .f16 | d s:1",
            "cvt ?.@rnd ?.sat .f16 .bf16 | d s:1",
            "cvt .rn/rz ?.relu ?.satfinite .f16/bf16 .f32 | d s:1",
            "cvt .rn/rz ?.relu ?.satfinite .f16x2/bf16x2 .f32 | d s:1 s:1",
            "cvt .rs ?.relu ?.satfinite .f16x2/bf16x2 .f32 | d s:1 s:1 s:b32",
            "cvt .rna ?.satfinite .tf32 .f32 | d s:1",
            "cvt .rn/rz ?.satfinite ?.relu .tf32 .f32 | d s:1",
            "cvt .rn .satfinite ?.relu .@narrow .f32 | d s:1 s:1",
            "cvt .rn .satfinite ?.relu .@narrow .f16x2/bf16x2 | d s:1",
            "cvt .rn ?.relu .f16x2/bf16x2 .@narrow | d s:1",
            "cvt .rs ?.relu .satfinite .@quad .f32 | d V:1 s:b32",
            "cvt .rz/rp ?.satfinite .ue8m0x2 .f32 | d s:1 s:1",
            "cvt .rz/rp ?.satfinite .ue8m0x2 .bf16x2 | d s:1",
            "cvt .rn .bf16x2 .ue8m0x2 | d s:1",
        ],
    ),
    (
        "9.7.9.22",
        &[
            "cvt.pack .sat .u16/s16 .s32 | d:b32 s:1 s:1",
            "cvt.pack .sat .u2/s2/u4/s4/u8/s8 .s32 .b32 | d:b32 s:1 s:1 s:2",
        ],
    ),
    ("9.7.9.23", &["mapa ?.shared::cluster .u32/u64 | d a s:u32"]),
    (
        "9.7.9.24",
        &["getctarank ?.shared::cluster .u32/u64 | d:u32 a"],
    ),
    ("9.7.17.1", &["stacksave .u32/u64 | d"]),
    ("9.7.17.2", &["stackrestore .u32/u64 | s"]),
    ("9.7.17.3", &["alloca .u32/u64 | d s ?i"]),
    ("9.7.19.1", &["brkpt |"]),
    ("9.7.19.2", &["nanosleep .u32 | s"]),
    ("9.7.19.3", &["pmevent ?.mask | i"]),
    ("9.7.19.4", &["trap |"]),
    ("9.7.19.5", &["setmaxnreg .inc/dec .sync .aligned .u32 | i"]),
];
