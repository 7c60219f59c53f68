//! LLVM's NVPTX intrinsics, the only place where they are declared.
//!
//! Everything that communicates or synchronises goes through these and never through `asm!`: LLVM
//! knows them as `convergent`, so that it does not move them into or out of divergent code.
//! `extern "unadjusted"` hands `(u32, bool)` to LLVM as the `{ i32, i1 }` that they return.

/// Declares intrinsics for the device, and bodies of the same signature that panic elsewhere.
macro_rules! nvvm {
    ($($name:ident = $link:literal ($($arg:ident: $ty:ty),*) $(-> $ret:ty)?;)*) => {
        #[cfg(target_arch = "nvptx64")]
        #[allow(improper_ctypes, reason = "(u32, bool) is the { i32, i1 } of the intrinsics")]
        unsafe extern "unadjusted" {
            $(#[link_name = $link] pub(crate) fn $name($($arg: $ty),*) $(-> $ret)?;)*
        }
        $(
            #[cfg(not(target_arch = "nvptx64"))]
            pub(crate) unsafe fn $name($(_: $ty),*) $(-> $ret)? { crate::device_only() }
        )*
    };
}

nvvm! {
    tid_x = "llvm.nvvm.read.ptx.sreg.tid.x"() -> u32;
    tid_y = "llvm.nvvm.read.ptx.sreg.tid.y"() -> u32;
    tid_z = "llvm.nvvm.read.ptx.sreg.tid.z"() -> u32;
    ntid_x = "llvm.nvvm.read.ptx.sreg.ntid.x"() -> u32;
    ntid_y = "llvm.nvvm.read.ptx.sreg.ntid.y"() -> u32;
    ntid_z = "llvm.nvvm.read.ptx.sreg.ntid.z"() -> u32;
    ctaid_x = "llvm.nvvm.read.ptx.sreg.ctaid.x"() -> u32;
    ctaid_y = "llvm.nvvm.read.ptx.sreg.ctaid.y"() -> u32;
    ctaid_z = "llvm.nvvm.read.ptx.sreg.ctaid.z"() -> u32;
    nctaid_x = "llvm.nvvm.read.ptx.sreg.nctaid.x"() -> u32;
    nctaid_y = "llvm.nvvm.read.ptx.sreg.nctaid.y"() -> u32;
    nctaid_z = "llvm.nvvm.read.ptx.sreg.nctaid.z"() -> u32;
    laneid = "llvm.nvvm.read.ptx.sreg.laneid"() -> u32;
    warpid = "llvm.nvvm.read.ptx.sreg.warpid"() -> u32;
    smid = "llvm.nvvm.read.ptx.sreg.smid"() -> u32;
    nsmid = "llvm.nvvm.read.ptx.sreg.nsmid"() -> u32;
    lanemask_lt = "llvm.nvvm.read.ptx.sreg.lanemask.lt"() -> u32;
    lanemask_le = "llvm.nvvm.read.ptx.sreg.lanemask.le"() -> u32;
    lanemask_eq = "llvm.nvvm.read.ptx.sreg.lanemask.eq"() -> u32;
    lanemask_ge = "llvm.nvvm.read.ptx.sreg.lanemask.ge"() -> u32;
    lanemask_gt = "llvm.nvvm.read.ptx.sreg.lanemask.gt"() -> u32;
    clock = "llvm.nvvm.read.ptx.sreg.clock"() -> u32;
    clock64 = "llvm.nvvm.read.ptx.sreg.clock64"() -> u64;
    globaltimer = "llvm.nvvm.read.ptx.sreg.globaltimer"() -> u64;

    nanosleep = "llvm.nvvm.nanosleep"(nanoseconds: u32);
    activemask = "llvm.nvvm.activemask"() -> u32;
    bar_warp_sync = "llvm.nvvm.bar.warp.sync"(mask: u32);
    barrier0 = "llvm.nvvm.barrier.cta.sync.aligned.all"(id: u32);
    barrier0_popc = "llvm.nvvm.barrier0.popc"(predicate: u32) -> u32;
    barrier0_and = "llvm.nvvm.barrier0.and"(predicate: u32) -> u32;
    barrier0_or = "llvm.nvvm.barrier0.or"(predicate: u32) -> u32;
    barrier_sync_count = "llvm.nvvm.barrier.cta.sync.count"(id: u32, threads: u32);
    barrier_arrive_count = "llvm.nvvm.barrier.cta.arrive.count"(id: u32, threads: u32);

    shfl_idx = "llvm.nvvm.shfl.sync.idx.i32"(mask: u32, value: u32, lane: u32, clamp: u32) -> u32;
    shfl_up = "llvm.nvvm.shfl.sync.up.i32"(mask: u32, value: u32, delta: u32, clamp: u32) -> u32;
    shfl_down = "llvm.nvvm.shfl.sync.down.i32"(mask: u32, value: u32, delta: u32, clamp: u32) -> u32;
    shfl_bfly = "llvm.nvvm.shfl.sync.bfly.i32"(mask: u32, value: u32, lanes: u32, clamp: u32) -> u32;
    shfl_idx_p = "llvm.nvvm.shfl.sync.idx.i32p"(mask: u32, value: u32, lane: u32, clamp: u32) -> (u32, bool);
    shfl_up_p = "llvm.nvvm.shfl.sync.up.i32p"(mask: u32, value: u32, delta: u32, clamp: u32) -> (u32, bool);
    shfl_down_p = "llvm.nvvm.shfl.sync.down.i32p"(mask: u32, value: u32, delta: u32, clamp: u32) -> (u32, bool);
    shfl_bfly_p = "llvm.nvvm.shfl.sync.bfly.i32p"(mask: u32, value: u32, lanes: u32, clamp: u32) -> (u32, bool);

    vote_all = "llvm.nvvm.vote.all.sync"(mask: u32, predicate: bool) -> bool;
    vote_any = "llvm.nvvm.vote.any.sync"(mask: u32, predicate: bool) -> bool;
    vote_uni = "llvm.nvvm.vote.uni.sync"(mask: u32, predicate: bool) -> bool;
    vote_ballot = "llvm.nvvm.vote.ballot.sync"(mask: u32, predicate: bool) -> u32;
    match_any_32 = "llvm.nvvm.match.any.sync.i32"(mask: u32, value: u32) -> u32;
    match_any_64 = "llvm.nvvm.match.any.sync.i64"(mask: u32, value: u64) -> u32;
    match_all_32 = "llvm.nvvm.match.all.sync.i32p"(mask: u32, value: u32) -> (u32, bool);
    match_all_64 = "llvm.nvvm.match.all.sync.i64p"(mask: u32, value: u64) -> (u32, bool);
}

nvvm! {
    redux_add = "llvm.nvvm.redux.sync.add"(value: u32, mask: u32) -> u32;
    redux_min = "llvm.nvvm.redux.sync.min"(value: i32, mask: u32) -> i32;
    redux_max = "llvm.nvvm.redux.sync.max"(value: i32, mask: u32) -> i32;
    redux_umin = "llvm.nvvm.redux.sync.umin"(value: u32, mask: u32) -> u32;
    redux_umax = "llvm.nvvm.redux.sync.umax"(value: u32, mask: u32) -> u32;
    redux_and = "llvm.nvvm.redux.sync.and"(value: u32, mask: u32) -> u32;
    redux_or = "llvm.nvvm.redux.sync.or"(value: u32, mask: u32) -> u32;
    redux_xor = "llvm.nvvm.redux.sync.xor"(value: u32, mask: u32) -> u32;
}

#[cfg(all(target_feature = "sm_90", target_feature = "ptx80"))]
nvvm! {
    elect = "llvm.nvvm.elect.sync"(mask: u32) -> (u32, bool);
}

#[cfg(target_arch = "nvptx64")]
nvvm! {
    is_constant = "llvm.is.constant.i32"(x: u32) -> bool;
}

#[cfg(target_arch = "nvptx64")]
nvvm! {
    floor_f32 = "llvm.floor.f32"(x: f32) -> f32;
    floor_f64 = "llvm.floor.f64"(x: f64) -> f64;
    ceil_f32 = "llvm.ceil.f32"(x: f32) -> f32;
    ceil_f64 = "llvm.ceil.f64"(x: f64) -> f64;
    trunc_f32 = "llvm.trunc.f32"(x: f32) -> f32;
    trunc_f64 = "llvm.trunc.f64"(x: f64) -> f64;
    sqrt_f32 = "llvm.sqrt.f32"(x: f32) -> f32;
    sqrt_f64 = "llvm.sqrt.f64"(x: f64) -> f64;
    fma_f32 = "llvm.fma.f32"(x: f32, a: f32, b: f32) -> f32;
    fma_f64 = "llvm.fma.f64"(x: f64, a: f64, b: f64) -> f64;
    fmin_f32 = "llvm.nvvm.fmin.f"(a: f32, b: f32) -> f32;
    fmax_f32 = "llvm.nvvm.fmax.f"(a: f32, b: f32) -> f32;
    fmin_f64 = "llvm.nvvm.fmin.d"(a: f64, b: f64) -> f64;
    fmax_f64 = "llvm.nvvm.fmax.d"(a: f64, b: f64) -> f64;
}
