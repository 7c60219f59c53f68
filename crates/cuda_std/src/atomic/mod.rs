//! Atomics and fences, by scope.
//!
//! | scope | PTX | types |
//! |---|---|---|
//! | the device | `.gpu` | [`AtomicU32`], [`AtomicI32`], [`AtomicU64`], [`AtomicI64`], [`AtomicF32`], [`AtomicF64`] |
//! | the block | `.cta` | the same with `Block` before them |
//! | the system: host and other devices too | `.sys` | the same with `System` before them |
//!
//! # `core::sync::atomic`
//! Its integer types work on the device: loads, stores and compare-exchanges at system scope with
//! their ordering, and the read-modify-write operations at device scope. But LLVM's NVPTX backend
//! **drops the ordering of those** (`fetch_add(1, AcqRel)` becomes a relaxed `atom.add`). With
//! `Relaxed` they are right and fast; where an ordering matters, use the types of this module,
//! which put the fences there.

mod aggregated;
mod float;
mod int;

pub use aggregated::{atomic_add_aggregated, atomic_inc_aggregated};
pub use float::{
    AtomicF32, AtomicF64, BlockAtomicF32, BlockAtomicF64, SystemAtomicF32, SystemAtomicF64,
};
pub use int::{
    AtomicI32, AtomicI64, AtomicU32, AtomicU64, BlockAtomicI32, BlockAtomicI64, BlockAtomicU32,
    BlockAtomicU64, SystemAtomicI32, SystemAtomicI64, SystemAtomicU32, SystemAtomicU64,
};

use core::sync::atomic::Ordering;

/// Who a fence or an atomic operation is ordered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The threads of the block: PTX `.cta`.
    Block,
    /// The threads on the device: PTX `.gpu`.
    Device,
    /// All threads, those of the host and of other devices too: PTX `.sys`.
    System,
}

/// A memory fence: `fence.acq_rel` for Acquire, Release and AcqRel, `fence.sc` for SeqCst, of the
/// scope that is named (PTX ISA 6.0, sm_70). Relaxed is no fence at all.
///
/// It orders this thread's accesses and waits for nobody.
///
/// ```
/// use core::sync::atomic::Ordering;
/// use cuda_std::atomic::{Scope, fence};
///
/// // Everything written before is visible on the device before what is written after.
/// fence(Ordering::Release, Scope::Device);
/// ```
#[inline(always)]
pub fn fence(ordering: Ordering, scope: Scope) {
    #[cfg(target_arch = "nvptx64")]
    {
        macro_rules! emit {
            ($text:literal) => {
                // SAFETY: a fence has no operands; the clobber of memory keeps accesses on their side.
                unsafe { core::arch::asm!($text, options(nostack)) }
            };
        }
        match (ordering, scope) {
            (Ordering::Relaxed, _) => {}
            (Ordering::SeqCst, Scope::Block) => emit!("fence.sc.cta;"),
            (Ordering::SeqCst, Scope::Device) => emit!("fence.sc.gpu;"),
            (Ordering::SeqCst, Scope::System) => emit!("fence.sc.sys;"),
            (_, Scope::Block) => emit!("fence.acq_rel.cta;"),
            (_, Scope::Device) => emit!("fence.acq_rel.gpu;"),
            (_, Scope::System) => emit!("fence.acq_rel.sys;"),
        }
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let _ = scope;
        if ordering != Ordering::Relaxed {
            core::sync::atomic::fence(ordering);
        }
    }
}

/// The fence that goes before a relaxed operation to give it `ordering`.
#[inline(always)]
fn before(ordering: Ordering, scope: Scope) {
    match ordering {
        Ordering::Release | Ordering::AcqRel => fence(Ordering::Release, scope),
        Ordering::SeqCst => fence(Ordering::SeqCst, scope),
        _ => {}
    }
}

/// The fence that goes after a relaxed operation to give it `ordering`.
#[inline(always)]
fn after(ordering: Ordering, scope: Scope) {
    match ordering {
        Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst => fence(Ordering::Acquire, scope),
        _ => {}
    }
}
