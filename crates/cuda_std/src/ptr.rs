//! Address spaces: which one a pointer points into, and conversions between generic and specific
//! addresses.

/// The memories of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressSpace {
    /// Read and written by the whole device.
    Global,
    /// Read and written by the threads of one block.
    Shared,
    /// Read by the whole device, 64 KiB.
    Constant,
    /// One thread's own.
    Local,
}

/// Whether a generic pointer points into an address space. PTX `isspacep` (sm_20; `.const` PTX
/// ISA 3.1).
///
/// ```
/// # use cuda_std::ptr;
/// # unsafe fn example(x: *const f32) {
/// # unsafe {
/// use cuda_std::ptr::AddressSpace;
/// let on_chip = ptr::is_in_address_space(x, AddressSpace::Shared);
/// # let _ = on_chip;
/// # }
/// # }
/// ```
///
/// # Safety
/// - None that the instruction needs; `unsafe` as in Rust-CUDA, whose contract is that the pointer
///   is valid for a `T`.
#[inline(always)]
pub unsafe fn is_in_address_space<T>(pointer: *const T, address_space: AddressSpace) -> bool {
    #[cfg(target_arch = "nvptx64")]
    {
        macro_rules! query {
            ($space:literal) => {{
                let answer: u32;
                // SAFETY: looks at the address, not at what is there.
                unsafe {
                    core::arch::asm!(
                        concat!("{{ .reg .pred %in; isspacep.", $space, " %in, {p}; selp.u32 {a}, 1, 0, %in; }}"),
                        a = lateout(reg32) answer, p = in(reg64) pointer, options(nostack, nomem)
                    );
                }
                answer != 0
            }};
        }
        match address_space {
            AddressSpace::Global => query!("global"),
            AddressSpace::Shared => query!("shared"),
            AddressSpace::Constant => query!("const"),
            AddressSpace::Local => query!("local"),
        }
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let _ = (pointer, address_space);
        crate::device_only()
    }
}

#[cfg(target_arch = "nvptx64")]
macro_rules! convert {
    ($pointer:ident, $space:ident, $prefix:literal) => {{
        macro_rules! one {
            ($name:literal) => {{
                let converted: *const T;
                // SAFETY: computes an address.
                unsafe {
                    core::arch::asm!(
                        concat!("cvta", $prefix, ".", $name, ".u64 {c}, {p};"),
                        c = lateout(reg64) converted, p = in(reg64) $pointer, options(nostack, nomem)
                    );
                }
                converted
            }};
        }
        match $space {
            AddressSpace::Global => one!("global"),
            AddressSpace::Shared => one!("shared"),
            AddressSpace::Constant => one!("const"),
            AddressSpace::Local => one!("local"),
        }
    }};
}

/// The address within an address space of what a generic pointer points to: what inline PTX such
/// as `ld.shared` wants. PTX `cvta.to`.
///
/// # Safety
/// - The pointer points into that address space.
/// - The result is no Rust pointer: it is for inline PTX alone.
#[inline(always)]
pub unsafe fn convert_generic_to_specific_address_space<T>(
    pointer: *const T,
    address_space: AddressSpace,
) -> *const T {
    #[cfg(target_arch = "nvptx64")]
    {
        convert!(pointer, address_space, ".to")
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let _ = (pointer, address_space);
        crate::device_only()
    }
}

/// The generic pointer to what has this address within an address space. PTX `cvta`.
///
/// # Safety
/// - `pointer` is an address of that address space, from
///   [`convert_generic_to_specific_address_space`] or inline PTX.
#[inline(always)]
pub unsafe fn convert_specific_address_space_to_generic<T>(
    pointer: *const T,
    address_space: AddressSpace,
) -> *const T {
    #[cfg(target_arch = "nvptx64")]
    {
        convert!(pointer, address_space, "")
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let _ = (pointer, address_space);
        crate::device_only()
    }
}
