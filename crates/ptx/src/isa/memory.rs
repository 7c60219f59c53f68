//! Loads, stores, copies and atomics.

use super::Section;

pub(super) const SECTIONS: &[Section] = &[
    (
        "9.7.9.8",
        &[
            "ld ?.weak ?.@load ?.ca/cg/cs/lu/cv ?.L2::cache_hint ?.@prefetch ?.v2/v4 .@memory | v m ~s:b64",
            "ld ?.weak ?.@load ?.@l1 ?.L2::cache_hint ?.@prefetch ?.v2/v4 .@memory | v m ~s:b64",
            "ld ?.weak ?.global ?.@l1 ?.@l2 ?.L2::cache_hint ?.@prefetch .v8 .@word | v m ~s:b64",
            "ld ?.weak ?.global ?.@l1 ?.@l2 ?.L2::cache_hint ?.@prefetch .v4 .@long | v m ~s:b64",
            "ld ?.weak ?.global .ca/cg/cs/lu/cv ?.L2::cache_hint ?.@prefetch .v8 .@word | v m ~s:b64",
            "ld ?.weak ?.global .ca/cg/cs/lu/cv ?.L2::cache_hint ?.@prefetch .v4 .@long | v m ~s:b64",
            "ld .volatile ?.global/local/@shared ?.@prefetch ?.v2/v4 .@memory | v m",
            "ld .relaxed/acquire .@scope ?.global/@shared ?.@l1 ?.L2::cache_hint ?.@prefetch ?.v2/v4 .@memory | v m ~s:b64",
            "ld .relaxed/acquire .@scope ?.global ?.@l1 ?.@l2 ?.L2::cache_hint ?.@prefetch .v8 .@word | v m ~s:b64",
            "ld .relaxed/acquire .@scope ?.global ?.@l1 ?.@l2 ?.L2::cache_hint ?.@prefetch .v4 .@long | v m ~s:b64",
            "ld .mmio .relaxed .sys ?.global .@memory | v m",
        ],
    ),
    (
        "9.7.9.9",
        &[
            "ld .global ?.ca/cg/cs .nc ?.L2::cache_hint ?.@prefetch ?.v2/v4 .@memory | v m ~s:b64",
            "ld .global .nc ?.@l1 ?.L2::cache_hint ?.@prefetch ?.v2/v4 .@memory | v m ~s:b64",
            "ld .global .ca/cg/cs .nc ?.L2::cache_hint ?.@prefetch .v8 .@word | v m ~s:b64",
            "ld .global .ca/cg/cs .nc ?.L2::cache_hint ?.@prefetch .v4 .@long | v m ~s:b64",
            "ld .global .nc ?.@l1 ?.@l2 ?.L2::cache_hint ?.@prefetch .v8 .@word | v m ~s:b64",
            "ld .global .nc ?.@l1 ?.@l2 ?.L2::cache_hint ?.@prefetch .v4 .@long | v m ~s:b64",
        ],
    ),
    ("9.7.9.10", &["ldu ?.global ?.v2/v4 .@memory | v m"]),
    (
        "9.7.9.11",
        &[
            "st ?.weak ?.@store ?.wb/cg/cs/wt ?.L2::cache_hint ?.v2/v4 .@memory | m V ~s:b64",
            "st ?.weak ?.@store ?.@l1 ?.L2::cache_hint ?.v2/v4 .@memory | m V ~s:b64",
            "st ?.weak ?.global ?.@l1 ?.@l2 ?.L2::cache_hint .v8 .@word | m V ~s:b64",
            "st ?.weak ?.global ?.@l1 ?.@l2 ?.L2::cache_hint .v4 .@long | m V ~s:b64",
            "st ?.weak ?.global .wb/cg/cs/wt ?.L2::cache_hint .v8 .@word | m V ~s:b64",
            "st ?.weak ?.global .wb/cg/cs/wt ?.L2::cache_hint .v4 .@long | m V ~s:b64",
            "st .volatile ?.global/local/@shared ?.v2/v4 .@memory | m V",
            "st .relaxed/release .@scope ?.global/@shared ?.@l1 ?.L2::cache_hint ?.v2/v4 .@memory | m V ~s:b64",
            "st .relaxed/release .@scope ?.global ?.@l1 ?.@l2 ?.L2::cache_hint .v8 .@word | m V ~s:b64",
            "st .relaxed/release .@scope ?.global ?.@l1 ?.@l2 ?.L2::cache_hint .v4 .@long | m V ~s:b64",
            "st .mmio .relaxed .sys ?.global .@memory | m V",
        ],
    ),
    (
        "9.7.9.12",
        &[
            "st.async ?.weak ?.shared::cluster .mbarrier::complete_tx::bytes ?.v2/v4 .@word/@long | m V m",
            "st.async .release .gpu/sys ?.global .b16/b32/b64/u16/u32/u64/s16/s32/s64/f32/f64 | m s",
            "st.async .mmio .release .sys ?.global .b16/b32/b64/u16/u32/u64/s16/s32/s64/f32/f64 | m s",
        ],
    ),
    ("9.7.9.13", &["st.bulk ?.weak ?.shared::cta | m s:u64 i"]),
    (
        "9.7.9.15",
        &[
            "prefetch ?.global/local .L1/L2 | m",
            "prefetch ?.global .L2::evict_last/L2::evict_normal | m",
            "prefetch ?.const/param .tensormap | m",
            "prefetchu .L1 | m",
        ],
    ),
    (
        "9.7.9.16",
        &["applypriority ?.global .L2::evict_normal | m i"],
    ),
    ("9.7.9.17", &["discard ?.global .L2 | m i"]),
    (
        "9.7.9.18",
        &[
            "createpolicy .fractional .@primary ?.@secondary .b64 | d ?s:f32",
            "createpolicy .range ?.global .@primary ?.@secondary .b64 | d m s:u32 s:u32",
            "createpolicy .cvt .L2 .b64 | d s",
        ],
    ),
    (
        "9.7.9.25.3.1",
        &["cp.async .ca/cg .@cta .global ?.L2::cache_hint ?.@prefetch | m m i ?x:u32 ~s:b64"],
    ),
    ("9.7.9.25.3.2", &["cp.async.commit_group |"]),
    (
        "9.7.9.25.3.3",
        &["cp.async.wait_group | i", "cp.async.wait_all |"],
    ),
    (
        "9.7.9.25.4.1",
        &[
            "cp.async.bulk .shared::cta/shared::cluster .global .mbarrier::complete_tx::bytes ?.L2::cache_hint | m m s:u32 m ~s:b64",
            "cp.async.bulk .shared::cluster .global .mbarrier::complete_tx::bytes .multicast::cluster ?.L2::cache_hint | m m s:u32 m s:b16 ~s:b64",
            "cp.async.bulk .shared::cluster .shared::cta .mbarrier::complete_tx::bytes | m m s:u32 m",
            "cp.async.bulk .global .shared::cta .bulk_group ?.L2::cache_hint | m m s:u32 ~s:b64",
            "cp.async.bulk .global .shared::cta .bulk_group ?.L2::cache_hint .cp_mask | m m s:u32 ~s:b64 s:b16",
        ],
    ),
    (
        "9.7.9.25.4.2",
        &[
            "cp.reduce.async.bulk .shared::cluster .shared::cta .mbarrier::complete_tx::bytes .and/or/xor .b32 | m m s:u32 m",
            "cp.reduce.async.bulk .shared::cluster .shared::cta .mbarrier::complete_tx::bytes .add .u32/s32/u64 | m m s:u32 m",
            "cp.reduce.async.bulk .shared::cluster .shared::cta .mbarrier::complete_tx::bytes .inc/dec .u32 | m m s:u32 m",
            "cp.reduce.async.bulk .shared::cluster .shared::cta .mbarrier::complete_tx::bytes .min/max .u32/s32 | m m s:u32 m",
            "cp.reduce.async.bulk .global .shared::cta .bulk_group ?.L2::cache_hint .and/or/xor .b32/b64 | m m s:u32 ~s:b64",
            "cp.reduce.async.bulk .global .shared::cta .bulk_group ?.L2::cache_hint .add .u32/s32/u64/f32/f64 | m m s:u32 ~s:b64",
            "cp.reduce.async.bulk .global .shared::cta .bulk_group ?.L2::cache_hint .add .noftz .f16/bf16 | m m s:u32 ~s:b64",
            "cp.reduce.async.bulk .global .shared::cta .bulk_group ?.L2::cache_hint .inc/dec .u32 | m m s:u32 ~s:b64",
            "cp.reduce.async.bulk .global .shared::cta .bulk_group ?.L2::cache_hint .min/max .u32/s32/u64/s64/f16/bf16 | m m s:u32 ~s:b64",
        ],
    ),
    (
        "9.7.9.25.4.3",
        &["cp.async.bulk.prefetch .L2 .global ?.L2::cache_hint | m s:u32 ~s:b64"],
    ),
    ("9.7.9.25.6.1", &["cp.async.bulk.commit_group |"]),
    ("9.7.9.25.6.2", &["cp.async.bulk.wait_group ?.read | i"]),
    (
        "9.7.13.5",
        &[
            "atom ?.@sem ?.@scope ?.global/@shared .and/or/xor ?.L2::cache_hint .b32/b64 | d m s ~s:b64",
            "atom ?.@sem ?.@scope ?.global/@shared .exch ?.L2::cache_hint .b32/b64/b128 | d m s ~s:b64",
            "atom ?.@sem ?.@scope ?.global/@shared .cas .b16/b32/b64/b128 | d m s s",
            "atom ?.@sem ?.@scope ?.global/@shared .add ?.L2::cache_hint .u32/u64/s32/f32/f64 | d m s ~s:b64",
            "atom ?.@sem ?.@scope ?.global/@shared .inc/dec ?.L2::cache_hint .u32 | d m s ~s:b64",
            "atom ?.@sem ?.@scope ?.global/@shared .min/max ?.L2::cache_hint .u32/u64/s32/s64 | d m s ~s:b64",
            "atom ?.@sem ?.@scope ?.global/@shared .add .noftz ?.L2::cache_hint .@half/@bfloat | d m s ~s:b64",
            "atom ?.@sem ?.@scope ?.global .add ?.L2::cache_hint .v2/v4 .f32 | v m V ~s:b64",
            "atom ?.@sem ?.@scope ?.global .add/min/max .noftz ?.L2::cache_hint .v2/v4/v8 .f16/bf16 | v m V ~s:b64",
            "atom ?.@sem ?.@scope ?.global .add/min/max .noftz ?.L2::cache_hint .v2/v4 .f16x2/bf16x2 | v m V ~s:b64",
        ],
    ),
    (
        "9.7.13.6",
        &[
            "red ?.relaxed/release ?.@scope ?.global/@shared .and/or/xor ?.L2::cache_hint .b32/b64 | m s ~s:b64",
            "red ?.relaxed/release ?.@scope ?.global/@shared .add ?.L2::cache_hint .u32/u64/s32/f32/f64 | m s ~s:b64",
            "red ?.relaxed/release ?.@scope ?.global/@shared .inc/dec ?.L2::cache_hint .u32 | m s ~s:b64",
            "red ?.relaxed/release ?.@scope ?.global/@shared .min/max ?.L2::cache_hint .u32/u64/s32/s64 | m s ~s:b64",
            "red ?.relaxed/release ?.@scope ?.global/@shared .add .noftz ?.L2::cache_hint .@half/@bfloat | m s ~s:b64",
            "red ?.relaxed/release ?.@scope ?.global .add ?.L2::cache_hint .v2/v4 .f32 | m V ~s:b64",
            "red ?.relaxed/release ?.@scope ?.global .add/min/max .noftz ?.L2::cache_hint .v2/v4/v8 .f16/bf16 | m V ~s:b64",
            "red ?.relaxed/release ?.@scope ?.global .add/min/max .noftz ?.L2::cache_hint .v2/v4 .f16x2/bf16x2 | m V ~s:b64",
        ],
    ),
    (
        "9.7.13.7",
        &[
            "red.async .relaxed .cluster ?.shared::cluster .mbarrier::complete_tx::bytes .inc/dec .u32 | m s m",
            "red.async .relaxed .cluster ?.shared::cluster .mbarrier::complete_tx::bytes .min/max .u32/s32 | m s m",
            "red.async .relaxed .cluster ?.shared::cluster .mbarrier::complete_tx::bytes .and/or/xor .b32 | m s m",
            "red.async .relaxed .cluster ?.shared::cluster .mbarrier::complete_tx::bytes .add .u32/s32/u64 | m s m",
            "red.async .release .gpu/sys ?.global .add .u32/s32/u64/s64 | m s",
            "red.async .mmio .release .sys ?.global .add .u32/s32/u64/s64 | m s",
        ],
    ),
];
