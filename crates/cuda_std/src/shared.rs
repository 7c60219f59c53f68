//! Shared memory: one copy per block, a few tens of KiB, about as fast as the L1 cache.
//!
//! Three ways to get some: a `static` with [`crate::address_space`], the macro
//! [`crate::shared_array!`], and [`dynamic_shared_mem`] for a size that the launch decides. All of
//! it is uninitialised when the block starts, and a value written by one thread may be read by
//! another only after a barrier ([`crate::thread::sync_threads`]).

/// Reserves shared memory for `LEN` elements of a type, and yields a `*mut` to the first.
///
/// `shared_array![f32; 256]`; the length is a constant expression. Each place in the source has
/// memory of its own, and yields the same memory every time it is run through.
///
/// The memory is uninitialised. Access through the pointer becomes `ld.shared` and `st.shared`.
///
/// ```
/// use cuda_std::prelude::*;
///
/// /// # Safety
/// /// - One block of 256 threads; `x` holds 256 elements.
/// #[kernel(block = 256)]
/// pub unsafe fn rotate(x: *mut f32) {
///     let tile = shared_array![f32; 256];
///     let t = thread::thread_idx_x() as usize;
///     // SAFETY: t < 256; the barrier separates the writes from the reads.
///     unsafe {
///         *tile.add(t) = *x.add(t);
///         thread::sync_threads();
///         *x.add(t) = *tile.add((t + 1) % 256);
///     }
/// }
/// ```
#[macro_export]
macro_rules! shared_array {
    ($element:ty; $len:expr) => {{
        #[$crate::address_space(shared)]
        static mut SHARED: ::core::mem::MaybeUninit<[$element; $len]> =
            ::core::mem::MaybeUninit::uninit();
        (&raw mut SHARED).cast::<$element>()
    }};
}

/// The block's dynamic shared memory, whose size the launch gives; 16-byte aligned, uninitialised.
///
/// Every call yields the same address, whatever the type: a kernel that needs several arrays cuts
/// them out itself. PTX: an `.extern .shared` array.
///
/// ```
/// use cuda_std::prelude::*;
/// use cuda_std::shared::dynamic_shared_mem;
///
/// /// # Safety
/// /// - Launched with 4 bytes of dynamic shared memory per thread; `x` holds one element per thread.
/// #[kernel]
/// pub unsafe fn reverse_block(x: *mut f32) {
///     let tile = dynamic_shared_mem::<f32>();
///     let (t, n) = (thread::thread_idx_x() as usize, thread::block_dim_x() as usize);
///     // SAFETY: t < n; the barrier separates the writes from the reads.
///     unsafe {
///         *tile.add(t) = *x.add(t);
///         thread::sync_threads();
///         *x.add(t) = *tile.add(n - 1 - t);
///     }
/// }
/// ```
#[inline(always)]
pub fn dynamic_shared_mem<T>() -> *mut T {
    #[cfg(target_arch = "nvptx64")]
    {
        unsafe extern "C" {
            #[link_name = "__lockstep_dynamic_shared"]
            static mut DYNAMIC: u128;
        }
        const {
            assert!(
                align_of::<T>() <= 16,
                "dynamic shared memory is aligned to 16 bytes"
            )
        };
        (&raw mut DYNAMIC).cast()
    }
    #[cfg(not(target_arch = "nvptx64"))]
    crate::device_only()
}

/// Scratch of `LEN`-independent collectives: one slot of up to 64 bytes per warp of the block.
///
/// One static per size class, shared by all collectives of a kernel; those of them that a kernel
/// does not use take no memory. Whoever uses it ends with a barrier, so that the next may start.
#[inline(always)]
pub(crate) fn warp_slots<T>() -> *mut T {
    use core::mem::MaybeUninit;

    #[crate::address_space(shared)]
    static mut SLOTS_4: [MaybeUninit<u32>; 32] = [MaybeUninit::uninit(); 32];
    #[crate::address_space(shared)]
    static mut SLOTS_8: [MaybeUninit<u64>; 32] = [MaybeUninit::uninit(); 32];
    #[crate::address_space(shared)]
    static mut SLOTS_16: [MaybeUninit<u128>; 32] = [MaybeUninit::uninit(); 32];
    #[crate::address_space(shared)]
    static mut SLOTS_64: [MaybeUninit<u128>; 128] = [MaybeUninit::uninit(); 128];

    const {
        assert!(
            size_of::<T>() <= 64 && align_of::<T>() <= 16,
            "a block collective takes values of at most 64 bytes, aligned to at most 16"
        );
    }
    // An alignment above the size class's own is below its size, so it goes one class up.
    match if size_of::<T>() < align_of::<T>() {
        align_of::<T>()
    } else {
        size_of::<T>()
    } {
        0..=4 => (&raw mut SLOTS_4).cast(),
        5..=8 => (&raw mut SLOTS_8).cast(),
        9..=16 => (&raw mut SLOTS_16).cast(),
        _ => (&raw mut SLOTS_64).cast(),
    }
}
