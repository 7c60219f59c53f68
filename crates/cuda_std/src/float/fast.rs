//! One-instruction approximations of f32 functions, with the error that the PTX ISA states.
//!
//! Each works in the special function unit, at a quarter or an eighth of the rate of an addition.
//! Off the GPU they are the precise functions.

/// Declares approximations: inline PTX, which may be moved about freely, since it is arithmetic.
macro_rules! approximations {
    ($($(#[$doc:meta])* $name:ident($($arg:ident),*) = $ptx:literal, |$($host:ident),*| $precise:expr;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name($($arg: f32),*) -> f32 {
            #[cfg(target_arch = "nvptx64")]
            {
                let result: f32;
                // SAFETY: plain arithmetic.
                unsafe {
                    core::arch::asm!($ptx, r = lateout(reg32) result, $($arg = in(reg32) $arg,)* options(pure, nomem, nostack));
                }
                result
            }
            #[cfg(not(target_arch = "nvptx64"))]
            {
                let ($($host,)*) = ($($arg,)*);
                $precise
            }
        }
    )*};
}

approximations! {
    /// sin x for x in −π…π: absolute error at most 2^−20.5 there. PTX `sin.approx.f32`.
    sin(x) = "sin.approx.f32 {r}, {x};", |x| libm::sinf(x);
    /// cos x for x in −π…π: absolute error at most 2^−20.5 there. PTX `cos.approx.f32`.
    cos(x) = "cos.approx.f32 {r}, {x};", |x| libm::cosf(x);
    /// 2ˣ: relative error at most 2^−22.5 (PTX ISA, "ex2"). PTX `ex2.approx.f32`.
    exp2(x) = "ex2.approx.f32 {r}, {x};", |x| libm::exp2f(x);
    /// log₂ x: absolute error at most 2^−22 for x in ½…2, relative elsewhere. PTX `lg2.approx.f32`.
    log2(x) = "lg2.approx.f32 {r}, {x};", |x| libm::log2f(x);
    /// 1 / x: error at most 1 ulp. PTX `rcp.approx.f32`.
    recip(x) = "rcp.approx.f32 {r}, {x};", |x| 1.0 / x;
    /// 1 / √x: relative error at most 2^−22.9. PTX `rsqrt.approx.f32`.
    rsqrt(x) = "rsqrt.approx.f32 {r}, {x};", |x| 1.0 / libm::sqrtf(x);
    /// √x: relative error at most 2^−23. PTX `sqrt.approx.f32`.
    sqrt(x) = "sqrt.approx.f32 {r}, {x};", |x| libm::sqrtf(x);
    /// x / y: error at most 2 ulp for |y| in 2^−126…2^126; 0 beyond. PTX `div.approx.f32`.
    div(x, y) = "div.approx.f32 {r}, {x}, {y};", |x, y| x / y;
    /// x / y over the full range: error at most 2 ulp. PTX `div.full.f32`.
    div_full(x, y) = "div.full.f32 {r}, {x}, {y};", |x, y| x / y;
}

/// tanh x: relative error at most 2^−11. PTX `tanh.approx.f32` from sm_75 on; below it by [`exp2`].
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    #[cfg(target_feature = "sm_75")]
    {
        let result: f32;
        // SAFETY: plain arithmetic.
        unsafe {
            core::arch::asm!("tanh.approx.f32 {r}, {x};", r = lateout(reg32) result, x = in(reg32) x, options(pure, nomem, nostack));
        }
        result
    }
    #[cfg(not(target_feature = "sm_75"))]
    {
        // 1 − 2 / (e^2x + 1), which saturates on both sides.
        1.0 - 2.0 * recip(exp(2.0 * x) + 1.0)
    }
}

/// eˣ as 2^(x log₂ e): relative error about 2^−22.5 + 2^−24 · |x|.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    exp2(x * core::f32::consts::LOG2_E)
}

/// 10ˣ as 2^(x log₂ 10).
#[inline(always)]
pub fn exp10(x: f32) -> f32 {
    exp2(x * core::f32::consts::LOG2_10)
}

/// ln x as log₂ x · ln 2.
#[inline(always)]
pub fn ln(x: f32) -> f32 {
    log2(x) * core::f32::consts::LN_2
}

/// log₁₀ x as log₂ x · log₁₀ 2.
#[inline(always)]
pub fn log10(x: f32) -> f32 {
    log2(x) * core::f32::consts::LOG10_2
}

/// tan x as sin x / cos x.
#[inline(always)]
pub fn tan(x: f32) -> f32 {
    div(sin(x), cos(x))
}

/// xʸ as 2^(y log₂ x), for x ≥ 0.
#[inline(always)]
pub fn powf(x: f32, y: f32) -> f32 {
    exp2(y * log2(x))
}
