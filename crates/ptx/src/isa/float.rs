//! Floating point, comparison and selection instructions.

use super::Section;

pub(super) const SECTIONS: &[Section] = &[
    (
        "9.7.3.1",
        &["testp .finite/infinite/number/notanumber/normal/subnormal .f32/f64 | p s"],
    ),
    ("9.7.3.2", &["copysign .f32/f64 | d s s"]),
    (
        "9.7.3.3",
        &[
            "add ?.@rnd ?.ftz ?.sat .f32 | d s s",
            "add ?.@rnd ?.ftz .f32x2 | d s s",
            "add ?.@rnd .f64 | d s s",
        ],
    ),
    (
        "9.7.3.4",
        &[
            "sub ?.@rnd ?.ftz ?.sat .f32 | d s s",
            "sub ?.@rnd ?.ftz .f32x2 | d s s",
            "sub ?.@rnd .f64 | d s s",
        ],
    ),
    (
        "9.7.3.5",
        &[
            "mul ?.@rnd ?.ftz ?.sat .f32 | d s s",
            "mul ?.@rnd ?.ftz .f32x2 | d s s",
            "mul ?.@rnd .f64 | d s s",
        ],
    ),
    (
        "9.7.3.6",
        &[
            "fma .@rnd ?.ftz ?.sat .f32 | d s s s",
            "fma .@rnd ?.ftz .f32x2 | d s s s",
            "fma .@rnd .f64 | d s s s",
        ],
    ),
    (
        "9.7.3.7",
        &[
            "mad .@rnd ?.ftz ?.sat .f32 | d s s s",
            "mad .@rnd .f64 | d s s s",
        ],
    ),
    (
        "9.7.3.8",
        &[
            "div .approx/full ?.ftz .f32 | d s s",
            "div .@rnd ?.ftz .f32 | d s s",
            "div .@rnd .f64 | d s s",
        ],
    ),
    ("9.7.3.9", &["abs ?.ftz .f32 | d s", "abs .f64 | d s"]),
    ("9.7.3.10", &["neg ?.ftz .f32 | d s", "neg .f64 | d s"]),
    (
        "9.7.3.11",
        &[
            "min ?.ftz ?.NaN .f32 | d s s",
            "min ?.ftz ?.NaN .xorsign .abs .f32 | d s s",
            "min ?.ftz ?.NaN ?.abs .f32 | d s s s",
            "min .f64 | d s s",
        ],
    ),
    (
        "9.7.3.12",
        &[
            "max ?.ftz ?.NaN .f32 | d s s",
            "max ?.ftz ?.NaN .xorsign .abs .f32 | d s s",
            "max ?.ftz ?.NaN ?.abs .f32 | d s s s",
            "max .f64 | d s s",
        ],
    ),
    (
        "9.7.3.13",
        &[
            "rcp .approx ?.ftz .f32 | d s",
            "rcp .@rnd ?.ftz .f32 | d s",
            "rcp .@rnd .f64 | d s",
        ],
    ),
    ("9.7.3.14", &["rcp .approx .ftz .f64 | d s"]),
    (
        "9.7.3.15",
        &[
            "sqrt .approx ?.ftz .f32 | d s",
            "sqrt .@rnd ?.ftz .f32 | d s",
            "sqrt .@rnd .f64 | d s",
        ],
    ),
    (
        "9.7.3.16",
        &["rsqrt .approx ?.ftz .f32 | d s", "rsqrt .approx .f64 | d s"],
    ),
    ("9.7.3.17", &["rsqrt .approx .ftz .f64 | d s"]),
    ("9.7.3.18", &["sin .approx ?.ftz .f32 | d s"]),
    ("9.7.3.19", &["cos .approx ?.ftz .f32 | d s"]),
    ("9.7.3.20", &["lg2 .approx ?.ftz .f32 | d s"]),
    ("9.7.3.21", &["ex2 .approx ?.ftz .f32 | d s"]),
    ("9.7.3.22", &["tanh .approx .f32 | d s"]),
    (
        "9.7.4.1",
        &[
            "add ?.rn ?.ftz ?.sat .@half | d s s",
            "add ?.rn .@bfloat | d s s",
        ],
    ),
    (
        "9.7.4.2",
        &[
            "sub ?.rn ?.ftz ?.sat .@half | d s s",
            "sub ?.rn .@bfloat | d s s",
        ],
    ),
    (
        "9.7.4.3",
        &[
            "mul ?.rn ?.ftz ?.sat .@half | d s s",
            "mul ?.rn .@bfloat | d s s",
        ],
    ),
    (
        "9.7.4.4",
        &[
            "fma .rn ?.ftz ?.sat .@half | d s s s",
            "fma .rn ?.ftz .relu .@half | d s s s",
            "fma .rn ?.relu .@bfloat | d s s s",
            "fma .rn .oob ?.relu .@half/@bfloat | d s s s",
        ],
    ),
    ("9.7.4.5", &["neg ?.ftz .@half | d s", "neg .@bfloat | d s"]),
    ("9.7.4.6", &["abs ?.ftz .@half | d s", "abs .@bfloat | d s"]),
    (
        "9.7.4.7",
        &[
            "min ?.ftz ?.NaN .@half | d s s",
            "min ?.ftz ?.NaN .xorsign .abs .@half | d s s",
            "min ?.NaN .@bfloat | d s s",
            "min ?.NaN .xorsign .abs .@bfloat | d s s",
        ],
    ),
    (
        "9.7.4.8",
        &[
            "max ?.ftz ?.NaN .@half | d s s",
            "max ?.ftz ?.NaN .xorsign .abs .@half | d s s",
            "max ?.NaN .@bfloat | d s s",
            "max ?.NaN .xorsign .abs .@bfloat | d s s",
        ],
    ),
    ("9.7.4.9", &["tanh .approx .@half/@bfloat | d s"]),
    (
        "9.7.4.10",
        &[
            "ex2 .approx .@half | d s",
            "ex2 .approx .ftz .@bfloat | d s",
        ],
    ),
    ("9.7.5.1", &["add ?.@rnd ?.sat .f32 .f16/bf16 | d s:1 s"]),
    ("9.7.5.2", &["sub ?.@rnd ?.sat .f32 .f16/bf16 | d s:1 s"]),
    ("9.7.5.3", &["fma .@rnd ?.sat .f32 .f16/bf16 | d s:1 s:1 s"]),
    (
        "9.7.6.1",
        &[
            "set .eq/ne .u32/s32/f32 .@bits | d s:1 s:1",
            "set .eq/ne .@bool .u32/s32/f32 .@bits | d s:1 s:1 c",
            "set .@unsigned .u32/s32/f32 .u16/u32/u64 | d s:1 s:1",
            "set .@unsigned .@bool .u32/s32/f32 .u16/u32/u64 | d s:1 s:1 c",
            "set .@order .u32/s32/f32 .s16/s32/s64 | d s:1 s:1",
            "set .@order .@bool .u32/s32/f32 .s16/s32/s64 | d s:1 s:1 c",
            "set .@float ?.ftz .u32/s32/f32 .f32 | d s:1 s:1",
            "set .@float .@bool ?.ftz .u32/s32/f32 .f32 | d s:1 s:1 c",
            "set .@float .u32/s32/f32 .f64 | d s:1 s:1",
            "set .@float .@bool .u32/s32/f32 .f64 | d s:1 s:1 c",
        ],
    ),
    (
        "9.7.6.2",
        &[
            "setp .eq/ne .@bits | P s s",
            "setp .eq/ne .@bool .@bits | P s s c",
            "setp .@unsigned .u16/u32/u64 | P s s",
            "setp .@unsigned .@bool .u16/u32/u64 | P s s c",
            "setp .@order .s16/s32/s64 | P s s",
            "setp .@order .@bool .s16/s32/s64 | P s s c",
            "setp .@float ?.ftz .f32 | P s s",
            "setp .@float .@bool ?.ftz .f32 | P s s c",
            "setp .@float .f64 | P s s",
            "setp .@float .@bool .f64 | P s s c",
        ],
    ),
    ("9.7.6.3", &["selp .@scalar | d s s c"]),
    (
        "9.7.6.4",
        &[
            "slct .@scalar .s32 | d s s s:1",
            "slct ?.ftz .@scalar .f32 | d s s s:1",
        ],
    ),
    (
        "9.7.7.1",
        &[
            "set .eq/ne .f16/bf16 .@bits | d s:1 s:1",
            "set .eq/ne .@bool .f16/bf16 .@bits | d s:1 s:1 c",
            "set .@unsigned .f16/bf16 .u16/u32/u64 | d s:1 s:1",
            "set .@unsigned .@bool .f16/bf16 .u16/u32/u64 | d s:1 s:1 c",
            "set .@order .f16/bf16 .s16/s32/s64 | d s:1 s:1",
            "set .@order .@bool .f16/bf16 .s16/s32/s64 | d s:1 s:1 c",
            "set .@float ?.ftz .f16/bf16 .f32 | d s:1 s:1",
            "set .@float .@bool ?.ftz .f16/bf16 .f32 | d s:1 s:1 c",
            "set .@float .f16/bf16 .f64 | d s:1 s:1",
            "set .@float .@bool .f16/bf16 .f64 | d s:1 s:1 c",
            "set .@float ?.ftz .f16/bf16/u16/s16/u32/s32 .f16 | d s:1 s:1",
            "set .@float .@bool ?.ftz .f16/bf16/u16/s16/u32/s32 .f16 | d s:1 s:1 c",
            "set .@float .f16/bf16/u16/s16/u32/s32 .bf16 | d s:1 s:1",
            "set .@float .@bool .f16/bf16/u16/s16/u32/s32 .bf16 | d s:1 s:1 c",
            "set .@float ?.ftz .f16x2/u32/s32 .f16x2 | d s:1 s:1",
            "set .@float .@bool ?.ftz .f16x2/u32/s32 .f16x2 | d s:1 s:1 c",
            "set .@float .bf16x2/u32/s32 .bf16x2 | d s:1 s:1",
            "set .@float .@bool .bf16x2/u32/s32 .bf16x2 | d s:1 s:1 c",
        ],
    ),
    (
        "9.7.7.2",
        &[
            "setp .@float ?.ftz .@half | P s s",
            "setp .@float .@bool ?.ftz .@half | P s s c",
            "setp .@float .@bfloat | P s s",
            "setp .@float .@bool .@bfloat | P s s c",
        ],
    ),
];
