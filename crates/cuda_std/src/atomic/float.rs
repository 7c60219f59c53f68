//! Float atomics of the three scopes.

use core::cell::UnsafeCell;
use core::sync::atomic::Ordering;

use super::{Scope, after, before};

macro_rules! atomic_float {
    ($(#[$doc:meta])* $name:ident, $ty:ident, $bits:ident, $int:ident, $core:ident, $scope:ident, $ptx:literal, $reg:ident, $width:literal, $align:literal) => {
        $(#[$doc])*
        ///
        /// Relaxed operations are one PTX instruction, but for `fetch_update`-like ones that the
        /// hardware lacks; stronger orderings add fences of the type's scope. sm_70.
        #[derive(Debug, Default)]
        #[repr(C, align($align))]
        pub struct $name(UnsafeCell<$ty>);

        // SAFETY: the value is accessed atomically alone.
        unsafe impl Sync for $name {}

        impl $name {
            /// An atomic that holds `value`.
            pub const fn new(value: $ty) -> Self {
                Self(UnsafeCell::new(value))
            }

            /// The value, which nobody else can see.
            pub fn into_inner(self) -> $ty {
                self.0.into_inner()
            }

            /// The address of the value.
            #[inline(always)]
            pub const fn as_ptr(&self) -> *mut $ty {
                self.0.get()
            }

            /// The float at `pointer` as an atomic.
            ///
            /// # Safety
            /// - `pointer` is aligned, and valid for `'a`.
            /// - Meanwhile no thread accesses the float otherwise than atomically.
            #[inline(always)]
            pub const unsafe fn from_ptr<'a>(pointer: *mut $ty) -> &'a Self {
                // SAFETY: the caller's duty; the layout is that of the float.
                unsafe { &*pointer.cast::<Self>() }
            }

            /// The same bits as an integer atomic of the same scope.
            #[inline(always)]
            fn bits(&self) -> &super::$int {
                // SAFETY: the same size and alignment, and atomic both.
                unsafe { super::$int::from_ptr(self.as_ptr().cast()) }
            }

            /// Loads the value. See the integer type of this scope for orderings.
            #[inline(always)]
            pub fn load(&self, ordering: Ordering) -> $ty {
                $ty::from_bits(self.bits().load(ordering))
            }

            /// Stores a value.
            #[inline(always)]
            pub fn store(&self, value: $ty, ordering: Ordering) {
                self.bits().store(value.to_bits(), ordering);
            }

            /// Stores a value and returns the old one.
            #[inline(always)]
            pub fn swap(&self, value: $ty, ordering: Ordering) -> $ty {
                $ty::from_bits(self.bits().swap(value.to_bits(), ordering))
            }

            #[doc = concat!("Adds and returns the old value. PTX `atom.relaxed.", $ptx, ".add.", $width, "`; as `red` where the result is not used.")]
            #[inline(always)]
            pub fn fetch_add(&self, value: $ty, ordering: Ordering) -> $ty {
                #[cfg(target_arch = "nvptx64")]
                {
                    before(ordering, Scope::$scope);
                    let old: $ty;
                    // SAFETY: the reference is valid and aligned.
                    unsafe {
                        core::arch::asm!(
                            concat!("atom.relaxed.", $ptx, ".add.", $width, " {o}, [{p}], {v};"),
                            o = lateout($reg) old, v = in($reg) value, p = in(reg64) self.as_ptr(), options(nostack)
                        );
                    }
                    after(ordering, Scope::$scope);
                    old
                }
                #[cfg(not(target_arch = "nvptx64"))]
                {
                    let _ = (before, after, Scope::$scope);
                    self.update(ordering, |old| old + value)
                }
            }

            /// Subtracts and returns the old value: `fetch_add` of the negated value.
            #[inline(always)]
            pub fn fetch_sub(&self, value: $ty, ordering: Ordering) -> $ty {
                self.fetch_add(-value, ordering)
            }

            /// Keeps the smaller value and returns the old one. A NaN loses against a number; −0 is
            /// below +0. A compare-exchange loop that ends early where nothing changes.
            #[inline(always)]
            pub fn fetch_min(&self, value: $ty, ordering: Ordering) -> $ty {
                self.update(ordering, |old| crate::ops::Scalar::smaller(old, value))
            }

            /// Keeps the larger value and returns the old one. A NaN loses against a number; +0 is
            /// above −0. A compare-exchange loop that ends early where nothing changes.
            #[inline(always)]
            pub fn fetch_max(&self, value: $ty, ordering: Ordering) -> $ty {
                self.update(ordering, |old| crate::ops::Scalar::larger(old, value))
            }

            /// Bitwise and of the representations; returns the old value.
            #[inline(always)]
            pub fn fetch_and(&self, value: $ty, ordering: Ordering) -> $ty {
                $ty::from_bits(self.bits().fetch_and(value.to_bits(), ordering))
            }

            /// Bitwise or of the representations; returns the old value.
            #[inline(always)]
            pub fn fetch_or(&self, value: $ty, ordering: Ordering) -> $ty {
                $ty::from_bits(self.bits().fetch_or(value.to_bits(), ordering))
            }

            /// Bitwise exclusive or of the representations; returns the old value.
            #[inline(always)]
            pub fn fetch_xor(&self, value: $ty, ordering: Ordering) -> $ty {
                $ty::from_bits(self.bits().fetch_xor(value.to_bits(), ordering))
            }

            #[inline(always)]
            fn update(&self, ordering: Ordering, new: impl Fn($ty) -> $ty) -> $ty {
                let mut old = self.bits().load(Ordering::Relaxed);
                loop {
                    let value = new($ty::from_bits(old)).to_bits();
                    if value == old {
                        super::fence(ordering, Scope::$scope);
                        return $ty::from_bits(old);
                    }
                    match self.bits().compare_exchange(old, value, ordering, Ordering::Relaxed) {
                        Ok(_) => return $ty::from_bits(old),
                        Err(now) => old = now,
                    }
                }
            }
        }
    };
}

macro_rules! scopes {
    ($($ty:ident $bits:ident $core:ident $reg:ident $width:literal $align:literal: $device:ident $device_int:ident $block:ident $block_int:ident $system:ident $system_int:ident;)*) => {$(
        atomic_float! {
            #[doc = concat!("An `", stringify!($ty), "` that the threads of the device share.")]
            $device, $ty, $bits, $device_int, $core, Device, "gpu", $reg, $width, $align
        }
        atomic_float! {
            #[doc = concat!("An `", stringify!($ty), "` that the threads of one block share: ordered within the block alone.")]
            $block, $ty, $bits, $block_int, $core, Block, "cta", $reg, $width, $align
        }
        atomic_float! {
            #[doc = concat!("An `", stringify!($ty), "` that the host and other devices share too.")]
            $system, $ty, $bits, $system_int, $core, System, "sys", $reg, $width, $align
        }
    )*};
}
scopes! {
    f32 u32 AtomicU32 reg32 "f32" 4: AtomicF32 AtomicU32 BlockAtomicF32 BlockAtomicU32 SystemAtomicF32 SystemAtomicU32;
    f64 u64 AtomicU64 reg64 "f64" 8: AtomicF64 AtomicU64 BlockAtomicF64 BlockAtomicU64 SystemAtomicF64 SystemAtomicU64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_off_the_gpu() {
        let x = AtomicF32::new(1.5);
        assert_eq!(x.fetch_add(2.0, Ordering::Relaxed), 1.5);
        assert_eq!(x.fetch_min(-1.0, Ordering::AcqRel), 3.5);
        assert_eq!(x.fetch_max(f32::NAN, Ordering::SeqCst), -1.0);
        assert_eq!(x.swap(7.0, Ordering::Relaxed), -1.0);
        assert_eq!(x.fetch_sub(1.0, Ordering::Relaxed), 7.0);
        assert_eq!(x.into_inner(), 6.0);
    }
}
