//! Element types of the kernels and their 16-byte packs.
//!
//! A pack is what one `ld.global.v4.b32` (four 4-byte elements) or `ld.global.v2.b64` (two 8-byte
//! elements) brings in. LLVM forms these loads from the field-wise use of a struct that is aligned
//! to 16 bytes; a plain copy of the struct would become two 8-byte loads.

use cuda_std::warp::WarpShuffleValue;

/// Bytes in one vector load, and the alignment that it needs.
pub const PACK_BYTES: usize = 16;

#[repr(C, align(16))]
struct Quad<T>(T, T, T, T);

#[repr(C, align(16))]
struct Pair<T>(T, T);

/// A type that the reductions and scans are instantiated for: `i32`, `u32`, `i64`, `u64`, `f32`
/// and `f64`.
pub trait Element: WarpShuffleValue + PartialEq + Send + Sync + 'static {
    /// As many elements as 16 bytes hold: `[Self; 4]` or `[Self; 2]`.
    type Pack: Copy + AsRef<[Self]> + AsMut<[Self]>;

    /// A pack of zeros.
    const EMPTY: Self::Pack;

    /// Elements in a pack.
    const PER_PACK: usize = PACK_BYTES / size_of::<Self>();

    /// Loads one pack with one 16-byte instruction.
    ///
    /// # Safety
    /// - `source` is aligned to 16 bytes and valid for reads of 16 bytes.
    unsafe fn load(source: *const Self) -> Self::Pack;

    /// Loads one pack with the hints `L1::no_allocate` and `L2::256B`: the data is used once, and
    /// its neighbour is wanted next. Below sm_80, which lacks the second hint, a plain load.
    ///
    /// # Safety
    /// - `source` is aligned to 16 bytes, points to global memory and is valid for reads of
    ///   16 bytes.
    unsafe fn load_streaming(source: *const Self) -> Self::Pack;

    /// Stores one pack with one 16-byte instruction.
    ///
    /// # Safety
    /// - `target` is aligned to 16 bytes and valid for writes of 16 bytes.
    unsafe fn store(target: *mut Self, pack: Self::Pack);
}

macro_rules! element_of_4_bytes {
    ($($t:ident: $from_bits:expr),*) => {$(
        impl Element for $t {
            type Pack = [$t; 4];
            const EMPTY: [$t; 4] = [0 as $t; 4];

            #[inline(always)]
            unsafe fn load(source: *const Self) -> [$t; 4] {
                let quad = source.cast::<Quad<$t>>();
                // SAFETY: aligned and readable by the caller's promise.
                unsafe { [(*quad).0, (*quad).1, (*quad).2, (*quad).3] }
            }

            #[inline(always)]
            unsafe fn load_streaming(source: *const Self) -> [$t; 4] {
                // SAFETY: the caller's promise is the same.
                unsafe { streaming::load_4(source.cast()) }.map($from_bits)
            }

            #[inline(always)]
            unsafe fn store(target: *mut Self, pack: [$t; 4]) {
                let quad = target.cast::<Quad<$t>>();
                // SAFETY: aligned and writable by the caller's promise.
                unsafe {
                    (*quad).0 = pack[0];
                    (*quad).1 = pack[1];
                    (*quad).2 = pack[2];
                    (*quad).3 = pack[3];
                }
            }
        }
    )*};
}

macro_rules! element_of_8_bytes {
    ($($t:ident: $from_bits:expr),*) => {$(
        impl Element for $t {
            type Pack = [$t; 2];
            const EMPTY: [$t; 2] = [0 as $t; 2];

            #[inline(always)]
            unsafe fn load(source: *const Self) -> [$t; 2] {
                let pair = source.cast::<Pair<$t>>();
                // SAFETY: aligned and readable by the caller's promise.
                unsafe { [(*pair).0, (*pair).1] }
            }

            #[inline(always)]
            unsafe fn load_streaming(source: *const Self) -> [$t; 2] {
                // SAFETY: the caller's promise is the same.
                unsafe { streaming::load_2(source.cast()) }.map($from_bits)
            }

            #[inline(always)]
            unsafe fn store(target: *mut Self, pack: [$t; 2]) {
                let pair = target.cast::<Pair<$t>>();
                // SAFETY: aligned and writable by the caller's promise.
                unsafe {
                    (*pair).0 = pack[0];
                    (*pair).1 = pack[1];
                }
            }
        }
    )*};
}

element_of_4_bytes!(i32: u32::cast_signed, u32: core::convert::identity, f32: f32::from_bits);
element_of_8_bytes!(i64: u64::cast_signed, u64: core::convert::identity, f64: f64::from_bits);

/// Elements before the first 16-byte boundary at or after `source`, at most `len`.
#[inline(always)]
pub fn head_len<T: Element>(source: *const T, len: usize) -> usize {
    let past = source.addr() % PACK_BYTES;
    let head = (PACK_BYTES - past) % PACK_BYTES / size_of::<T>();
    if head < len { head } else { len }
}

#[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
mod streaming {
    use core::arch::asm;

    // Not `pure`: LLVM may neither move these into a branch nor merge them.

    #[inline(always)]
    pub(super) unsafe fn load_4(source: *const u32) -> [u32; 4] {
        let (a, b, c, d): (u32, u32, u32, u32);
        // SAFETY: a load of 16 bytes from the address that the caller vouches for.
        unsafe {
            asm!(
                "ld.global.L1::no_allocate.L2::256B.v4.b32 {{{a}, {b}, {c}, {d}}}, [{p}];",
                p = in(reg64) source,
                a = out(reg32) a, b = out(reg32) b, c = out(reg32) c, d = out(reg32) d,
                options(nostack, readonly, preserves_flags),
            );
        }
        [a, b, c, d]
    }

    #[inline(always)]
    pub(super) unsafe fn load_2(source: *const u64) -> [u64; 2] {
        let (a, b): (u64, u64);
        // SAFETY: a load of 16 bytes from the address that the caller vouches for.
        unsafe {
            asm!(
                "ld.global.L1::no_allocate.L2::256B.v2.b64 {{{a}, {b}}}, [{p}];",
                p = in(reg64) source,
                a = out(reg64) a, b = out(reg64) b,
                options(nostack, readonly, preserves_flags),
            );
        }
        [a, b]
    }
}

#[cfg(not(all(target_arch = "nvptx64", target_feature = "sm_80")))]
mod streaming {
    use super::Element;

    #[inline(always)]
    pub(super) unsafe fn load_4(source: *const u32) -> [u32; 4] {
        // SAFETY: the caller's promise is the same.
        unsafe { u32::load(source) }
    }

    #[inline(always)]
    pub(super) unsafe fn load_2(source: *const u64) -> [u64; 2] {
        // SAFETY: the caller's promise is the same.
        unsafe { u64::load(source) }
    }
}
