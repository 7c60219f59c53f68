//! The attribute and derive macros of `cuda_std`, re-exported there.
//!
//! Nothing in here is used by its own name: `cuda_std::prelude::*` brings the macros into scope,
//! and what they expand to refers to `::cuda_std`.

mod address_space;
mod contract;
mod kernel;
mod pod;

use proc_macro::TokenStream;

/// Marks a function as a kernel: an entry point that the host can launch.
///
/// ```
/// use cuda_std::prelude::*;
///
/// /// # Safety
/// /// - `c` holds at least as many elements as `a`.
/// #[kernel(block = 256)]
/// pub unsafe fn add(a: &[f32], b: &[f32], c: *mut f32) {
///     let i = thread::index_1d() as usize;
///     if i < a.len() {
///         // SAFETY: i is in bounds, and no other thread has this i.
///         unsafe { *c.add(i) = a[i] + b[i] };
///     }
/// }
/// ```
///
/// On `nvptx64` the function becomes an unmangled `.visible .entry`; elsewhere it stays the plain
/// `unsafe fn` that was written, so that it is type-checked and linted by the host's compiler.
///
/// # Parameters
/// - `&[T]` and `&mut [T]` become two parameters each, pointer and length (`usize`), in that
///   order; the slice is rebuilt inside. A `&[T]` whose `T` has no interior mutability is read
///   with `ld.global.nc`.
/// - Everything else is passed by value and must be [`Copy`].
///
/// # Launch contract
/// `#[kernel(block = (256, 1, 1), max_block = N, min_blocks = N, max_regs = N)]`, each of them
/// optional and a constant expression, become `.reqntid`, `.maxntid`, `.minnctapersm` and
/// `.maxnreg` of the entry. `block = N` means `(N, 1, 1)`. A launch with another block size is
/// refused, by the driver as by the emulator.
///
/// # Errors
/// A compile error for a function that is not `unsafe`, is generic, `async`, `const` or a method,
/// or returns a value.
#[proc_macro_attribute]
pub fn kernel(attr: TokenStream, item: TokenStream) -> TokenStream {
    kernel::expand(attr.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Puts a `static` into a memory space of the GPU: `shared` (one copy per block, uninitialised)
/// or `constant` (read-only for kernels, 64 KiB, broadcast to a warp in one access).
///
/// ```
/// use core::mem::MaybeUninit;
/// use cuda_std::prelude::*;
///
/// #[address_space(shared)]
/// static mut TILE: [MaybeUninit<f32>; 256] = [MaybeUninit::uninit(); 256];
///
/// #[address_space(constant)]
/// static PRIMES: [u32; 4] = [2, 3, 5, 7];
/// ```
///
/// Shared statics must be uninitialised (`MaybeUninit::uninit()`): PTX cannot initialise them.
/// `global` is accepted and changes nothing. Off the GPU the static is an ordinary one.
#[proc_macro_attribute]
pub fn address_space(attr: TokenStream, item: TokenStream) -> TokenStream {
    address_space::expand(attr.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Restricts a function to the GPU: elsewhere its body is replaced by a panic that says so.
///
/// For helpers of a kernel crate whose body does not compile on the host (inline PTX, say).
#[proc_macro_attribute]
pub fn gpu_only(_attr: TokenStream, item: TokenStream) -> TokenStream {
    kernel::expand_gpu_only(item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Makes a struct plain old data, so that it can be shuffled: `#[derive(Clone, Copy, Pod)]
/// #[repr(C)]`.
///
/// ```
/// use cuda_std::Pod;
///
/// #[derive(Clone, Copy, Pod)]
/// #[repr(C)]
/// struct Particle {
///     position: [f32; 3],
///     charge: i32,
/// }
/// ```
///
/// # Errors
/// A compile error if a field is no plain old data, if there is padding, or without `repr(C)`.
#[proc_macro_derive(Pod)]
pub fn derive_pod(item: TokenStream) -> TokenStream {
    pod::expand(item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
