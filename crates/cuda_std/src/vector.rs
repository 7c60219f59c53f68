//! Vectorised memory access: 8 or 16 bytes in one instruction, with cache hints.
//!
//! A GPU moves memory in sectors of 32 bytes; a warp that loads 16 bytes per lane needs a quarter
//! of the instructions that 4 bytes per lane need, and has four times the bytes in flight.

use crate::warp::Pod;

/// Two values of a type, aligned so that they move as one: `ld.v2`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(8))]
pub struct V2<T>(pub T, pub T);

/// Four values of a type, aligned to 16 bytes, so that 4-byte ones move as one: `ld.v4`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub struct V4<T>(pub T, pub T, pub T, pub T);

/// Two 8-byte values, aligned to 16 bytes: `ld.v2.b64`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub struct L2<T>(pub T, pub T);

/// A 4- or 8-byte number, of which 16 bytes hold a whole number of lanes.
pub trait Lane: Pod {
    /// The array of them that fills 16 bytes: `[T; 4]` or `[T; 2]`.
    type Pack: AsRef<[Self]> + AsMut<[Self]> + Copy;
    /// Elements in 16 bytes.
    const LANES: usize = 16 / size_of::<Self>();

    /// # Safety
    /// - `pointer` is aligned to 16 bytes and valid for reading 16 bytes.
    #[doc(hidden)]
    unsafe fn load(pointer: *const Self) -> Self::Pack;
    /// # Safety
    /// - As [`Self::load`], and no thread writes there while the kernel runs.
    #[doc(hidden)]
    unsafe fn load_nc(pointer: *const Self, streaming: bool) -> Self::Pack;
    /// # Safety
    /// - `pointer` is aligned to 16 bytes and valid for writing 16 bytes.
    #[doc(hidden)]
    unsafe fn store(pointer: *mut Self, pack: Self::Pack);
    /// # Safety
    /// - As [`Self::store`]; `pointer` is in global memory.
    #[doc(hidden)]
    unsafe fn store_streaming(pointer: *mut Self, pack: Self::Pack);
}

/// Loads 16 bytes. PTX `ld.v4.b32` or `ld.v2.b64`, of the address space that LLVM infers.
///
/// ```
/// # use cuda_std::vector;
/// # unsafe fn example(x: *const f32) {
/// # unsafe {
/// let [a, b, c, d] = vector::load(x);
/// # let _ = a + b + c + d;
/// # }
/// # }
/// ```
///
/// # Safety
/// - `pointer` is aligned to 16 bytes and valid for reading 16 bytes.
#[inline(always)]
pub unsafe fn load<T: Lane>(pointer: *const T) -> T::Pack {
    // SAFETY: the caller's duty.
    unsafe { T::load(pointer) }
}

/// Loads 16 bytes of global memory that nobody writes during the kernel, through the read-only
/// path. PTX `ld.global.nc.v4.b32` or `.v2.b64`, sm_35.
///
/// # Safety
/// - As [`load`]; `pointer` is in global memory, which no thread of the kernel writes.
#[inline(always)]
pub unsafe fn load_readonly<T: Lane>(pointer: *const T) -> T::Pack {
    // SAFETY: the caller's duty.
    unsafe { T::load_nc(pointer, false) }
}

/// [`load_readonly`] for data that is read once: it does not displace what L1 holds. PTX
/// `ld.global.nc.L1::no_allocate.v4.b32` or `.v2.b64` where the target has PTX ISA 7.4 (sm_80 and
/// above), without the hint elsewhere.
///
/// # Safety
/// - As [`load_readonly`].
#[inline(always)]
pub unsafe fn load_streaming<T: Lane>(pointer: *const T) -> T::Pack {
    // SAFETY: the caller's duty.
    unsafe { T::load_nc(pointer, true) }
}

/// Stores 16 bytes. PTX `st.v4.b32` or `st.v2.b64`.
///
/// ```
/// # use cuda_std::vector;
/// # unsafe fn example(x: *mut f32) {
/// # unsafe {
/// vector::store(x, [1.0, 2.0, 3.0, 4.0]);
/// # }
/// # }
/// ```
///
/// # Safety
/// - `pointer` is aligned to 16 bytes and valid for writing 16 bytes, and no other thread accesses
///   them at the same time.
#[inline(always)]
pub unsafe fn store<T: Lane>(pointer: *mut T, pack: T::Pack) {
    // SAFETY: the caller's duty.
    unsafe { T::store(pointer, pack) }
}

/// [`store`] to global memory for data that is not read again soon. PTX `st.global.cs.v4.b32` or
/// `.v2.b64` (cache streaming: evicted first).
///
/// # Safety
/// - As [`store`]; `pointer` is in global memory.
#[inline(always)]
pub unsafe fn store_streaming<T: Lane>(pointer: *mut T, pack: T::Pack) {
    // SAFETY: the caller's duty.
    unsafe { T::store_streaming(pointer, pack) }
}

/// The inline PTX of a hinted load. Not `pure`: it stays where it was written.
#[cfg(target_arch = "nvptx64")]
macro_rules! load_asm {
    ($hint:literal, $kind:literal, $pointer:ident, $ty:ty, $reg:ident, $($out:ident)*) => {{
        $(let $out: $ty;)*
        core::arch::asm!(
            concat!("{{ .reg .b64 %a; cvta.to.global.u64 %a, {p}; ld.global.nc", $hint, $kind),
            p = in(reg64) $pointer,
            $($out = lateout($reg) $out,)*
            options(nostack, readonly)
        );
        [$($out),*]
    }};
}

macro_rules! lane4 {
    ($($ty:ty),*) => {$(
        impl Lane for $ty {
            type Pack = [Self; 4];
            #[inline(always)]
            unsafe fn load(pointer: *const Self) -> [Self; 4] {
                // SAFETY: the caller's duty.
                unsafe {
                    let v = &*pointer.cast::<V4<Self>>();
                    [v.0, v.1, v.2, v.3]
                }
            }
            #[inline(always)]
            unsafe fn load_nc(pointer: *const Self, streaming: bool) -> [Self; 4] {
                #[cfg(target_arch = "nvptx64")]
                // SAFETY: the caller's duty.
                return unsafe {
                    if streaming && cfg!(target_feature = "ptx74") {
                        load_asm!(".L1::no_allocate", ".v4.b32 {{{a}, {b}, {c}, {d}}}, [%a]; }}", pointer, $ty, reg32, a b c d)
                    } else {
                        load_asm!("", ".v4.b32 {{{a}, {b}, {c}, {d}}}, [%a]; }}", pointer, $ty, reg32, a b c d)
                    }
                };
                #[cfg(not(target_arch = "nvptx64"))]
                {
                    let _ = (pointer, streaming);
                    crate::device_only()
                }
            }
            #[inline(always)]
            unsafe fn store(pointer: *mut Self, [a, b, c, d]: [Self; 4]) {
                // SAFETY: the caller's duty.
                unsafe {
                    let v = &mut *pointer.cast::<V4<Self>>();
                    (v.0, v.1, v.2, v.3) = (a, b, c, d);
                }
            }
            #[inline(always)]
            unsafe fn store_streaming(pointer: *mut Self, [a, b, c, d]: [Self; 4]) {
                #[cfg(target_arch = "nvptx64")]
                // SAFETY: the caller's duty.
                unsafe {
                    core::arch::asm!(
                        "{{ .reg .b64 %a; cvta.to.global.u64 %a, {p}; st.global.cs.v4.b32 [%a], {{{a}, {b}, {c}, {d}}}; }}",
                        p = in(reg64) pointer, a = in(reg32) a, b = in(reg32) b, c = in(reg32) c, d = in(reg32) d,
                        options(nostack)
                    );
                }
                #[cfg(not(target_arch = "nvptx64"))]
                {
                    let _ = (pointer, a, b, c, d);
                    crate::device_only()
                }
            }
        }
    )*};
}
lane4!(i32, u32, f32);

macro_rules! lane2 {
    ($($ty:ty),*) => {$(
        impl Lane for $ty {
            type Pack = [Self; 2];
            #[inline(always)]
            unsafe fn load(pointer: *const Self) -> [Self; 2] {
                // SAFETY: the caller's duty.
                unsafe {
                    let v = &*pointer.cast::<L2<Self>>();
                    [v.0, v.1]
                }
            }
            #[inline(always)]
            unsafe fn load_nc(pointer: *const Self, streaming: bool) -> [Self; 2] {
                #[cfg(target_arch = "nvptx64")]
                // SAFETY: the caller's duty.
                return unsafe {
                    if streaming && cfg!(target_feature = "ptx74") {
                        load_asm!(".L1::no_allocate", ".v2.b64 {{{a}, {b}}}, [%a]; }}", pointer, $ty, reg64, a b)
                    } else {
                        load_asm!("", ".v2.b64 {{{a}, {b}}}, [%a]; }}", pointer, $ty, reg64, a b)
                    }
                };
                #[cfg(not(target_arch = "nvptx64"))]
                {
                    let _ = (pointer, streaming);
                    crate::device_only()
                }
            }
            #[inline(always)]
            unsafe fn store(pointer: *mut Self, [a, b]: [Self; 2]) {
                // SAFETY: the caller's duty.
                unsafe {
                    let v = &mut *pointer.cast::<L2<Self>>();
                    (v.0, v.1) = (a, b);
                }
            }
            #[inline(always)]
            unsafe fn store_streaming(pointer: *mut Self, [a, b]: [Self; 2]) {
                #[cfg(target_arch = "nvptx64")]
                // SAFETY: the caller's duty.
                unsafe {
                    core::arch::asm!(
                        "{{ .reg .b64 %a; cvta.to.global.u64 %a, {p}; st.global.cs.v2.b64 [%a], {{{a}, {b}}}; }}",
                        p = in(reg64) pointer, a = in(reg64) a, b = in(reg64) b,
                        options(nostack)
                    );
                }
                #[cfg(not(target_arch = "nvptx64"))]
                {
                    let _ = (pointer, a, b);
                    crate::device_only()
                }
            }
        }
    )*};
}
lane2!(i64, u64, f64);
