//! How much shared memory this launch has.

macro_rules! sizes {
    ($($(#[$doc:meta])* $name:ident = $register:literal;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name() -> u32 {
            #[cfg(target_arch = "nvptx64")]
            {
                let size: u32;
                // SAFETY: reads a special register, the same for the whole launch.
                unsafe {
                    core::arch::asm!(
                        concat!("mov.u32 {s}, %", $register, ";"),
                        s = lateout(reg32) size, options(nostack, nomem, pure)
                    );
                }
                size
            }
            #[cfg(not(target_arch = "nvptx64"))]
            crate::device_only()
        }
    )*};
}

sizes! {
    /// Bytes of dynamic shared memory that the launch gave each block. PTX `%dynamic_smem_size`.
    dynamic_smem_size = "dynamic_smem_size";
    /// Bytes of shared memory of each block, static and dynamic, rounded up to the unit of
    /// allocation. PTX `%total_smem_size`.
    total_smem_size = "total_smem_size";
}
