//! `a · b + c` rounded once: `fma.rn`. LLVM forms none from a product and a sum by itself.

use cuda_std::GpuFloat;

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
    ($($t:ident),*) => {$(
        impl MulAdd for $t {
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                GpuFloat::mul_add(self, a, b)
            }
        }
    )*};
}
floats!(f32, f64);
