//! Demands on operands: errors of the build where the optimiser knows the operand, debug assertions
//! where only the running kernel does.
//!
//! What is wrong and known leaves an `asm!` of one comment in the code, which `cuda_builder` reports
//! with the kernel and its line. Everywhere else it costs nothing.

/// Demands that a condition on an operand holds.
macro_rules! demand {
    ($operand:expr, $holds:expr, $message:literal) => {{
        debug_assert!($holds, $message);
        #[cfg(target_arch = "nvptx64")]
        // SAFETY: asks the optimiser; the other is a comment.
        unsafe {
            if $crate::intrinsics::is_constant($operand) && !$holds {
                core::arch::asm!(
                    concat!("// lockstep.misuse ", $message),
                    options(nomem, nostack, preserves_flags)
                );
            }
        }
    }};
}
pub(crate) use demand;

/// Demands that the kernel's declared block, if it declares one, has `SIZE` threads along x and 1
/// along y and z.
#[inline(always)]
pub(crate) fn block_of<const SIZE: u32>() {
    debug_assert!(
        crate::thread::block_dim() == crate::UVec3::new(SIZE, 1, 1),
        "the block does not have SIZE threads along x alone"
    );
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: a comment.
    unsafe {
        core::arch::asm!(
            "// lockstep.block {}",
            const SIZE,
            options(nomem, nostack, preserves_flags)
        );
    }
}
