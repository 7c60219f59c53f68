//! Names and descriptions of error codes, which have an answer even without a driver.

use std::ffi::{CStr, c_char, c_uint, c_void};

use crate::driver::error;
use crate::driver::library::Slot;

/// The driver's function of this name: the description of `error`.
///
/// # Safety
///
/// - `text` is null or valid for a write.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub(crate) unsafe extern "C" fn cuGetErrorString(
    error: c_uint,
    text: *mut *const c_char,
) -> c_uint {
    static SLOT: Slot = Slot::new(c"cuGetErrorString");
    // SAFETY: the caller's contract is this function's.
    unsafe { describe(&SLOT, error, text, error::description(error)) }
}

/// The driver's function of this name: the identifier of `error`.
///
/// # Safety
///
/// - `text` is null or valid for a write.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub(crate) unsafe extern "C" fn cuGetErrorName(error: c_uint, text: *mut *const c_char) -> c_uint {
    static SLOT: Slot = Slot::new(c"cuGetErrorName");
    // SAFETY: the caller's contract is this function's.
    unsafe { describe(&SLOT, error, text, error::name(error)) }
}

/// Asks the driver for a text, and falls back to ours.
///
/// # Safety
///
/// - `text` is null or valid for a write.
unsafe fn describe(
    slot: &Slot,
    error: c_uint,
    text: *mut *const c_char,
    fallback: &'static CStr,
) -> c_uint {
    if text.is_null() {
        return error::INVALID_VALUE;
    }
    let mut found = std::ptr::null();
    if let Ok(address) = slot.address() {
        // SAFETY: both functions have this signature in cuda.h, and `address` is not null.
        let call = unsafe {
            std::mem::transmute::<
                *mut c_void,
                unsafe extern "C" fn(c_uint, *mut *const c_char) -> c_uint,
            >(address)
        };
        // SAFETY: `found` is valid for a write; the driver takes any code.
        if unsafe { call(error, &raw mut found) } != 0 {
            found = std::ptr::null();
        }
    }
    let answer = if found.is_null() {
        fallback.as_ptr()
    } else {
        found
    };
    // SAFETY: `text` is not null, and valid for a write by the caller's contract.
    unsafe { text.write(answer) };
    0
}
