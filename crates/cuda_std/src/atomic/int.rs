//! Integer atomics of the three scopes.

use core::sync::atomic::{self, Ordering};

use super::{Scope, after, before};

/// Declares an atomic integer over `core`'s of the same width.
macro_rules! atomic_int {
    ($(#[$doc:meta])* $name:ident, $core:ident, $ty:ident, $scope:ident, $ptx:literal, $reg:ident, $bits:literal, $num:literal, $add:literal) => {
        $(#[$doc])*
        ///
        /// Relaxed operations are one PTX instruction; stronger orderings add `fence.acq_rel` or
        /// `fence.sc` of the type's scope. sm_70. Off the GPU, `core`'s atomic does the work.
        #[derive(Debug, Default)]
        #[repr(transparent)]
        pub struct $name(atomic::$core);

        impl $name {
            /// An atomic that holds `value`.
            pub const fn new(value: $ty) -> Self {
                Self(atomic::$core::new(value))
            }

            /// The value, which nobody else can see.
            pub fn into_inner(self) -> $ty {
                self.0.into_inner()
            }

            /// The address of the value.
            #[inline(always)]
            pub const fn as_ptr(&self) -> *mut $ty {
                self.0.as_ptr()
            }

            /// The integer at `pointer` as an atomic.
            ///
            /// # Safety
            /// - `pointer` is aligned, and valid for `'a`.
            /// - Meanwhile no thread accesses the integer otherwise than atomically.
            #[inline(always)]
            pub const unsafe fn from_ptr<'a>(pointer: *mut $ty) -> &'a Self {
                // SAFETY: the caller's duty; the type is transparent.
                unsafe { &*pointer.cast::<Self>() }
            }

            #[doc = concat!("Loads the value. PTX `ld.relaxed.", $ptx, "`. Release and AcqRel are treated as Relaxed and Acquire.")]
            #[inline(always)]
            pub fn load(&self, ordering: Ordering) -> $ty {
                #[cfg(target_arch = "nvptx64")]
                {
                    if ordering == Ordering::SeqCst {
                        before(ordering, Scope::$scope);
                    }
                    let value: $ty;
                    // SAFETY: the reference is valid and aligned.
                    unsafe {
                        core::arch::asm!(
                            concat!("ld.relaxed.", $ptx, ".", $num, " {v}, [{p}];"),
                            v = lateout($reg) value, p = in(reg64) self.as_ptr(), options(nostack)
                        );
                    }
                    after(ordering, Scope::$scope);
                    value
                }
                #[cfg(not(target_arch = "nvptx64"))]
                self.0.load(match ordering {
                    Ordering::Release => Ordering::Relaxed,
                    Ordering::AcqRel => Ordering::Acquire,
                    other => other,
                })
            }

            #[doc = concat!("Stores a value. PTX `st.relaxed.", $ptx, "`. Acquire and AcqRel are treated as Relaxed and Release.")]
            #[inline(always)]
            pub fn store(&self, value: $ty, ordering: Ordering) {
                #[cfg(target_arch = "nvptx64")]
                {
                    before(ordering, Scope::$scope);
                    // SAFETY: the reference is valid and aligned.
                    unsafe {
                        core::arch::asm!(
                            concat!("st.relaxed.", $ptx, ".", $num, " [{p}], {v};"),
                            v = in($reg) value, p = in(reg64) self.as_ptr(), options(nostack)
                        );
                    }
                }
                #[cfg(not(target_arch = "nvptx64"))]
                self.0.store(value, match ordering {
                    Ordering::Acquire => Ordering::Relaxed,
                    Ordering::AcqRel => Ordering::Release,
                    other => other,
                })
            }

            #[doc = concat!("Stores a value and returns the old one. PTX `atom.relaxed.", $ptx, ".exch.", $bits, "`.")]
            #[inline(always)]
            pub fn swap(&self, value: $ty, ordering: Ordering) -> $ty {
                #[cfg(target_arch = "nvptx64")]
                {
                    before(ordering, Scope::$scope);
                    let old: $ty;
                    // SAFETY: the reference is valid and aligned.
                    unsafe {
                        core::arch::asm!(
                            concat!("atom.relaxed.", $ptx, ".exch.", $bits, " {o}, [{p}], {v};"),
                            o = lateout($reg) old, v = in($reg) value, p = in(reg64) self.as_ptr(), options(nostack)
                        );
                    }
                    after(ordering, Scope::$scope);
                    old
                }
                #[cfg(not(target_arch = "nvptx64"))]
                self.0.swap(value, ordering)
            }

            #[doc = concat!("Stores `new` if the value is `current`: `Ok` of the old value then, else `Err` of it. PTX `atom.relaxed.", $ptx, ".cas.", $bits, "`.")]
            #[inline(always)]
            pub fn compare_exchange(&self, current: $ty, new: $ty, success: Ordering, failure: Ordering) -> Result<$ty, $ty> {
                #[cfg(target_arch = "nvptx64")]
                {
                    before(success, Scope::$scope);
                    let old: $ty;
                    // SAFETY: the reference is valid and aligned.
                    unsafe {
                        core::arch::asm!(
                            concat!("atom.relaxed.", $ptx, ".cas.", $bits, " {o}, [{p}], {c}, {n};"),
                            o = lateout($reg) old, c = in($reg) current, n = in($reg) new,
                            p = in(reg64) self.as_ptr(), options(nostack)
                        );
                    }
                    after(if old == current { success } else { failure }, Scope::$scope);
                    if old == current { Ok(old) } else { Err(old) }
                }
                #[cfg(not(target_arch = "nvptx64"))]
                self.0.compare_exchange(current, new, success, failure)
            }

            atomic_int!(@fetch $scope $ptx $reg $num $add $bits $ty
                /// Adds, wrapping, and returns the old value.
                fetch_add add "add" value value;
                /// Subtracts, wrapping, and returns the old value.
                fetch_sub add "add" value value.wrapping_neg();
                /// Bitwise and; returns the old value.
                fetch_and bits "and" value value;
                /// Bitwise or; returns the old value.
                fetch_or bits "or" value value;
                /// Bitwise exclusive or; returns the old value.
                fetch_xor bits "xor" value value;
                /// Keeps the smaller value; returns the old one.
                fetch_min order "min" value value;
                /// Keeps the larger value; returns the old one.
                fetch_max order "max" value value;
            );
        }
    };
    (@fetch $scope:ident $ptx:literal $reg:ident $num:literal $add:literal $bits:literal $ty:ident $($(#[$doc:meta])* $method:ident $class:ident $op:literal $value:ident $operand:expr;)*) => {$(
        $(#[$doc])*
        #[doc = concat!("PTX `atom.", $op, "`, scope `.", $ptx, "`.")]
        #[inline(always)]
        pub fn $method(&self, $value: $ty, ordering: Ordering) -> $ty {
            before(ordering, Scope::$scope);
            let old = atomic_int!(@rmw $scope self $method $op $value $operand, $reg, $ty, atomic_int!(@type $class $num $add $bits));
            after(ordering, Scope::$scope);
            old
        }
    )*};
    // LLVM's relaxed atomicrmw has device scope, which covers the block; and it knows the address
    // space of its operand, so that shared memory gets `atom.shared`.
    (@rmw Device $self:ident $method:ident $op:literal $value:ident $operand:expr, $reg:ident, $ty:ident, $suffix:expr) => {
        $self.0.$method($value, Ordering::Relaxed)
    };
    (@rmw Block $self:ident $method:ident $op:literal $value:ident $operand:expr, $reg:ident, $ty:ident, $suffix:expr) => {
        $self.0.$method($value, Ordering::Relaxed)
    };
    (@rmw System $self:ident $method:ident $op:literal $value:ident $operand:expr, $reg:ident, $ty:ident, $suffix:expr) => {{
        #[cfg(target_arch = "nvptx64")]
        {
            let old: $ty;
            // SAFETY: the reference is valid and aligned.
            unsafe {
                core::arch::asm!(
                    concat!("atom.relaxed.sys.", $op, ".", $suffix, " {o}, [{p}], {v};"),
                    o = lateout($reg) old, v = in($reg) $operand, p = in(reg64) $self.as_ptr(), options(nostack)
                );
            }
            old
        }
        #[cfg(not(target_arch = "nvptx64"))]
        $self.0.$method($value, Ordering::Relaxed)
    }};
    // PTX has bitwise operations on .b32 and .b64, and 64-bit addition on .u64 alone.
    (@type add $num:literal $add:literal $bits:literal) => { $add };
    (@type bits $num:literal $add:literal $bits:literal) => { $bits };
    (@type order $num:literal $add:literal $bits:literal) => { $num };
}

macro_rules! scopes {
    ($($core:ident $ty:ident $reg:ident $bits:literal $num:literal $add:literal: $device:ident $block:ident $system:ident;)*) => {$(
        atomic_int! {
            #[doc = concat!("A `", stringify!($ty), "` that the threads of the device share.")]
            $device, $core, $ty, Device, "gpu", $reg, $bits, $num, $add
        }
        atomic_int! {
            #[doc = concat!("A `", stringify!($ty), "` that the threads of one block share: ordered within the block alone.")]
            $block, $core, $ty, Block, "cta", $reg, $bits, $num, $add
        }
        atomic_int! {
            #[doc = concat!("A `", stringify!($ty), "` that the host and other devices share too.")]
            $system, $core, $ty, System, "sys", $reg, $bits, $num, $add
        }
    )*};
}
scopes! {
    AtomicU32 u32 reg32 "b32" "u32" "u32": AtomicU32 BlockAtomicU32 SystemAtomicU32;
    AtomicI32 i32 reg32 "b32" "s32" "u32": AtomicI32 BlockAtomicI32 SystemAtomicI32;
    AtomicU64 u64 reg64 "b64" "u64" "u64": AtomicU64 BlockAtomicU64 SystemAtomicU64;
    AtomicI64 i64 reg64 "b64" "s64" "u64": AtomicI64 BlockAtomicI64 SystemAtomicI64;
}
