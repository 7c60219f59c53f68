//! Step 11: the loads say that the data is used once: `L1::no_allocate`, and `L2::256B`, which
//! brings in the neighbouring lines. Often advised; on an H200 it makes the reading slower, so step
//! 10 is the one to use there, and this one to measure with on other devices.
//!
//! **Problem, launch, lanes, preconditions.** As step 10.
//! **Expected PTX** from sm_80 on: `ld.global.L1::no_allocate.L2::256B.v4.b32` (`v2.b64`); below, step
//! 10's loads.
//! **Cost.** As step 10.

use super::v10_last_block::instantiate_single_launch;

instantiate_single_launch! {
    streaming = true,
    Sum:
        i32 => reduce_sum_i32_v11_streaming,
        u32 => reduce_sum_u32_v11_streaming,
        i64 => reduce_sum_i64_v11_streaming,
        u64 => reduce_sum_u64_v11_streaming,
        f32 => reduce_sum_f32_v11_streaming,
        f64 => reduce_sum_f64_v11_streaming,
    ;
    Min:
        i32 => reduce_min_i32_v11_streaming,
        u32 => reduce_min_u32_v11_streaming,
        i64 => reduce_min_i64_v11_streaming,
        u64 => reduce_min_u64_v11_streaming,
        f32 => reduce_min_f32_v11_streaming,
        f64 => reduce_min_f64_v11_streaming,
    ;
    Max:
        i32 => reduce_max_i32_v11_streaming,
        u32 => reduce_max_u32_v11_streaming,
        i64 => reduce_max_i64_v11_streaming,
        u64 => reduce_max_u64_v11_streaming,
        f32 => reduce_max_f32_v11_streaming,
        f64 => reduce_max_f64_v11_streaming,
    ;
}
