//! Which lanes hold the same value. PTX `match.sync` (PTX ISA 6.0, sm_70).

use half::{bf16, f16};

use crate::intrinsics as nvvm;

/// A value that lanes can be grouped by. Floats are compared by their bits: +0 and −0 differ, and
/// a NaN equals a NaN with the same bits.
#[diagnostic::on_unimplemented(
    message = "lanes cannot be matched by `{Self}`",
    note = "match.sync compares 4 or 8 bytes: integers, floats (by bits), bool and char can be matched"
)]
pub trait WarpMatchValue: Copy {
    /// The bits that are compared, zero-extended to 8 bytes.
    #[doc(hidden)]
    fn match_bits(self) -> u64;
    /// Whether 4 bytes hold them.
    #[doc(hidden)]
    const NARROW: bool;
}

macro_rules! match_value {
    ($($ty:ty: $value:ident => $bits:expr;)*) => {$(
        impl WarpMatchValue for $ty {
            const NARROW: bool = size_of::<$ty>() <= 4;
            #[inline(always)]
            fn match_bits(self) -> u64 {
                let $value = self;
                $bits as u64
            }
        }
    )*};
}

match_value! {
    i8: v => v as u8;
    i16: v => v as u16;
    i32: v => v as u32;
    i64: v => v;
    isize: v => v;
    u8: v => v;
    u16: v => v;
    u32: v => v;
    u64: v => v;
    usize: v => v;
    f32: v => v.to_bits();
    f64: v => v.to_bits();
    f16: v => v.to_bits();
    bf16: v => v.to_bits();
    bool: v => v;
    char: v => v;
}

/// The lanes of `mask` that have the same `value` as the calling lane; itself is among them. PTX
/// `match.any.sync.b32` or `.b64`, sm_70.
///
/// Defined in the lanes of `mask`.
///
/// ```
/// # use cuda_std::warp::*;
/// # unsafe fn example(x: u32) {
/// # unsafe {
/// // The lanes with my key, and my place among them.
/// let same = warp_match_any(FULL_MASK, x);
/// let rank = (same & lanemask_lt()).count_ones();
/// # let _ = rank;
/// # }
/// # }
/// ```
///
/// # Safety
/// - The calling lane is in `mask`; no lane of `mask` has exited; all of them make this call with
///   the same `mask`.
#[inline(always)]
pub unsafe fn warp_match_any<T: WarpMatchValue>(mask: u32, value: T) -> u32 {
    // SAFETY: the caller's duty.
    unsafe {
        if T::NARROW {
            nvvm::match_any_32(mask, value.match_bits() as u32)
        } else {
            nvvm::match_any_64(mask, value.match_bits())
        }
    }
}

/// `Some(mask)` if all lanes of `mask` have the same `value`, else `None`. PTX
/// `match.all.sync.b32` or `.b64`, sm_70.
///
/// Defined, and the same, in the lanes of `mask`.
///
/// ```
/// # use cuda_std::warp::*;
/// # unsafe fn example(x: u32) {
/// # unsafe {
/// if let Some(lanes) = warp_match_all(FULL_MASK, x) {
///     // All 32 lanes have the same key: one atomic addition does for all.
///     # let _ = lanes;
/// }
/// # }
/// # }
/// ```
///
/// # Safety
/// - As [`warp_match_any`].
#[inline(always)]
pub unsafe fn warp_match_all<T: WarpMatchValue>(mask: u32, value: T) -> Option<u32> {
    // SAFETY: the caller's duty.
    let (lanes, all) = unsafe {
        if T::NARROW {
            nvvm::match_all_32(mask, value.match_bits() as u32)
        } else {
            nvvm::match_all_64(mask, value.match_bits())
        }
    };
    all.then_some(lanes)
}
