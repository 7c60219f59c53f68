//! Atomics and fences, by scope.

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
