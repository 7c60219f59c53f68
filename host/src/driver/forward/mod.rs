//! The `cu…` functions that `cust` refers to, defined here and forwarded to the driver.
//!
//! Names and signatures are those of `cuda.h`; enumerations travel as the integers that they are,
//! because a driver newer than `cust` may answer with a value that `cust`'s enumeration lacks.

mod context;
mod graph;
mod memory;
mod module;
mod stream;
mod text;
mod texture;

use std::ffi::c_uint;

use super::error::{self, NO_DEVICE, NOT_SUPPORTED};
use super::library::Absent;

/// Defines functions of the driver's C API that forward to the library opened at run time.
macro_rules! forward {
    ($(fn $name:ident($($arg:ident: $type:ty),* $(,)?);)*) => { $(
        /// The driver's function of this name, see `cuda.h`.
        ///
        /// # Safety
        ///
        /// - The caller keeps the contract that the CUDA driver's documentation states.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        pub(crate) unsafe extern "C" fn $name($($arg: $type),*) -> std::ffi::c_uint {
            static SLOT: $crate::driver::library::Slot = {
                let name = concat!(stringify!($name), "\0");
                match std::ffi::CStr::from_bytes_with_nul(name.as_bytes()) {
                    Ok(name) => $crate::driver::library::Slot::new(name),
                    Err(_) => unreachable!(),
                }
            };
            let answer = match SLOT.address() {
                Ok(address) => {
                    // SAFETY: the driver defines the symbol with this signature (cuda.h), and
                    // `address` is not null.
                    let call = unsafe {
                        std::mem::transmute::<
                            *mut std::ffi::c_void,
                            unsafe extern "C" fn($($type),*) -> std::ffi::c_uint,
                        >(address)
                    };
                    // SAFETY: the caller's contract is the driver's.
                    unsafe { call($($arg),*) }
                }
                Err(absent) => $crate::driver::forward::absent(absent),
            };
            $crate::driver::forward::answer(stringify!($name), answer)
        }
    )* };
}
pub(super) use forward;
pub(super) use text::{cuGetErrorName as error_name, cuGetErrorString as error_string};

/// The functions that `direct` calls itself.
pub(super) mod raw {
    pub(in crate::driver) use super::context::cuDeviceGetAttribute;
    pub(in crate::driver) use super::module::{
        cuFuncGetAttribute, cuModuleLoadDataEx, cuModuleUnload,
        cuOccupancyMaxActiveBlocksPerMultiprocessor,
    };
}

/// The raw code behind the one that a forwarding function has just answered.
pub(super) fn last_code(answered: c_uint) -> c_uint {
    error::last_raw(answered)
}

/// What a function that is not there answers.
pub(super) fn absent(absent: Absent) -> c_uint {
    match absent {
        Absent::Driver => NO_DEVICE,
        Absent::Function => NOT_SUPPORTED,
    }
}

/// Remembers a failure with its raw code, and gives `cust` a code that its enumeration holds.
pub(super) fn answer(name: &'static str, code: c_uint) -> c_uint {
    if code == 0 {
        return 0;
    }
    error::remember(name, code);
    if error::is_known(code) {
        code
    } else {
        error::UNKNOWN
    }
}
