//! Integer, logic and shift instructions.

use super::Section;

pub(super) const SECTIONS: &[Section] = &[
    (
        "9.7.1.1",
        &["add .@int/u16x2/s16x2 | d s s", "add .sat .s32 | d s s"],
    ),
    ("9.7.1.2", &["sub .@int | d s s", "sub .sat .s32 | d s s"]),
    (
        "9.7.1.3",
        &[
            "mul .lo/hi .@int | d s s",
            "mul .wide .u16/u32/s16/s32 | d:w s s",
        ],
    ),
    (
        "9.7.1.4",
        &[
            "mad .lo/hi .@int | d s s s",
            "mad .wide .u16/u32/s16/s32 | d:w s s s:w",
            "mad .hi .sat .s32 | d s s s",
        ],
    ),
    ("9.7.1.5", &["mul24 .lo/hi .u32/s32 | d s s"]),
    (
        "9.7.1.6",
        &[
            "mad24 .lo/hi .u32/s32 | d s s s",
            "mad24 .hi .sat .s32 | d s s s",
        ],
    ),
    ("9.7.1.7", &["sad .@int | d s s s"]),
    ("9.7.1.8", &["div .@int | d s s"]),
    ("9.7.1.9", &["rem .@int | d s s"]),
    ("9.7.1.10", &["abs .s16/s32/s64 | d s"]),
    ("9.7.1.11", &["neg .s16/s32/s64 | d s"]),
    (
        "9.7.1.12",
        &[
            "min .@int/u16x2/s16x2 | d s s",
            "min .relu .s16x2/s32 | d s s",
        ],
    ),
    (
        "9.7.1.13",
        &[
            "max .@int/u16x2/s16x2 | d s s",
            "max .relu .s16x2/s32 | d s s",
        ],
    ),
    ("9.7.1.14", &["popc .b32/b64 | d:u32 s"]),
    ("9.7.1.15", &["clz .b32/b64 | d:u32 s"]),
    ("9.7.1.16", &["bfind ?.shiftamt .u32/u64/s32/s64 | d:u32 s"]),
    ("9.7.1.17", &["fns .b32 | d s s s:s32"]),
    ("9.7.1.18", &["brev .b32/b64 | d s"]),
    ("9.7.1.19", &["bfe .@carry | d s s:u32 s:u32"]),
    ("9.7.1.20", &["bfi .b32/b64 | d s s s:u32 s:u32"]),
    ("9.7.1.21", &["szext .wrap/clamp .u32/s32 | d s s:u32"]),
    ("9.7.1.22", &["bmsk .wrap/clamp .b32 | d s s"]),
    (
        "9.7.1.23",
        &["dp4a .u32/s32 .u32/s32 | d:b32 s:b32 s:b32 s:b32"],
    ),
    (
        "9.7.1.24",
        &["dp2a .lo/hi .u32/s32 .u32/s32 | d:b32 s:b32 s:b32 s:b32"],
    ),
    ("9.7.2.1", &["add .cc .@carry | d s s"]),
    ("9.7.2.2", &["addc ?.cc .@carry | d s s"]),
    ("9.7.2.3", &["sub .cc .@carry | d s s"]),
    ("9.7.2.4", &["subc ?.cc .@carry | d s s"]),
    ("9.7.2.5", &["mad .lo/hi .cc .@carry | d s s s"]),
    ("9.7.2.6", &["madc .lo/hi ?.cc .@carry | d s s s"]),
    ("9.7.8.1", &["and .@bits/pred | d s s"]),
    ("9.7.8.2", &["or .@bits/pred | d s s"]),
    ("9.7.8.3", &["xor .@bits/pred | d s s"]),
    ("9.7.8.4", &["not .@bits/pred | d s"]),
    ("9.7.8.5", &["cnot .@bits | d s"]),
    (
        "9.7.8.6",
        &["lop3 .b32 | d s s s i", "lop3 .or/and .b32 | D s s s i c"],
    ),
    ("9.7.8.7", &["shf .l/r .wrap/clamp .b32 | d s s s:u32"]),
    ("9.7.8.8", &["shl .@bits | d s s:u32"]),
    ("9.7.8.9", &["shr .@bits/@int | d s s:u32"]),
];
