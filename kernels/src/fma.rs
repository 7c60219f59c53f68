//! `a · b + c` rounded once: `fma.rn`. LLVM forms none from a product and a sum by itself.

use crate::element::Element;

/// A number type with a multiply-add.
pub(crate) trait MulAdd: Element {
    /// `self · a + b`; floats are rounded once, integers wrap.
    fn mul_add(self, a: Self, b: Self) -> Self;
}

macro_rules! integers {
    ($($t:ident),*) => {$(
        impl MulAdd for $t {
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                self.wrapping_mul(a).wrapping_add(b)
            }
        }
    )*};
}
integers!(i32, u32, i64, u64);

macro_rules! floats {
    ($($t:ident: $fma:ident),*) => {$(
        impl MulAdd for $t {
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), expect(unused_variables))]
            fn mul_add(self, a: Self, b: Self) -> Self {
                #[cfg(target_arch = "nvptx64")]
                // SAFETY: plain arithmetic.
                return unsafe { llvm::$fma(self, a, b) };
                #[cfg(not(target_arch = "nvptx64"))]
                cuda_std::device_only()
            }
        }
    )*};
}
floats!(f32: fma_f32, f64: fma_f64);

#[cfg(target_arch = "nvptx64")]
mod llvm {
    unsafe extern "C" {
        #[link_name = "llvm.fma.f32"]
        pub(super) fn fma_f32(a: f32, b: f32, c: f32) -> f32;
        #[link_name = "llvm.fma.f64"]
        pub(super) fn fma_f64(a: f64, b: f64, c: f64) -> f64;
    }
}
