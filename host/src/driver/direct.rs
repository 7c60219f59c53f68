//! Calls that `cust` lacks: JIT logs, cooperative launch, large dynamic shared memory, occupancy.

use std::ffi::{CStr, CString, c_int, c_uint, c_void};
use std::ptr::null_mut;

use cust::function::Function;
use cust::module::Module;
use cust::stream::Stream;
use cust::sys;

use super::error::DriverError;
use super::forward::{self, raw};

/// `CU_JIT_…` of cuda.h.
const JIT_INFO_LOG_BUFFER: c_uint = 3;
const JIT_INFO_LOG_BUFFER_SIZE_BYTES: c_uint = 4;
const JIT_ERROR_LOG_BUFFER: c_uint = 5;
const JIT_ERROR_LOG_BUFFER_SIZE_BYTES: c_uint = 6;
/// `CU_FUNC_ATTRIBUTE_…` of cuda.h.
const MAX_THREADS_PER_BLOCK: c_uint = 0;
const SHARED_SIZE_BYTES: c_uint = 1;
const LOCAL_SIZE_BYTES: c_uint = 3;
const NUM_REGS: c_uint = 4;
const MAX_DYNAMIC_SHARED_SIZE_BYTES: c_uint = 8;

/// `CU_DEVICE_ATTRIBUTE_…` of cuda.h.
const MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: c_uint = 97;

/// `CUDA_ERROR_INVALID_PTX`.
const INVALID_PTX: c_uint = 218;

const LOG_BYTES: usize = 16 * 1024;

/// Loads PTX into the current context. A failure carries the log of the driver's compiler.
pub(crate) fn load_ptx(ptx: &str) -> Result<Module, DriverError> {
    let Ok(image) = CString::new(ptx) else {
        let mut error = DriverError::new("cuModuleLoadData", INVALID_PTX);
        error.log = Some("the PTX holds a zero byte".to_owned());
        return Err(error);
    };
    match Module::from_ptx_cstr(&image, &[]) {
        Ok(module) => Ok(module),
        Err(error) => {
            let first = DriverError::from(error);
            Err(jit_log(&image).unwrap_or(first))
        }
    }
}

/// Compiles once more, now with log buffers: answers the error with its log, or `None` if it
/// cannot be had (or if, against all expectation, it now succeeds).
fn jit_log(image: &CStr) -> Option<DriverError> {
    let mut info = vec![0_u8; LOG_BYTES];
    let mut errors = vec![0_u8; LOG_BYTES];
    let mut options = [
        JIT_INFO_LOG_BUFFER,
        JIT_INFO_LOG_BUFFER_SIZE_BYTES,
        JIT_ERROR_LOG_BUFFER,
        JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
    ];
    // Values travel in the pointers themselves where they fit.
    let mut values: [*mut c_void; 4] = [
        info.as_mut_ptr().cast(),
        std::ptr::without_provenance_mut(LOG_BYTES),
        errors.as_mut_ptr().cast(),
        std::ptr::without_provenance_mut(LOG_BYTES),
    ];
    let mut module = null_mut();
    // SAFETY: the image ends in a zero byte; options and values have the same length; the buffers
    // are as long as the values say and outlive the call.
    let code = unsafe {
        raw::cuModuleLoadDataEx(
            &raw mut module,
            image.as_ptr().cast(),
            options.len() as c_uint,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    if code == 0 {
        // SAFETY: the module was just loaded and nothing refers to it.
        unsafe { raw::cuModuleUnload(module) };
        return None;
    }
    let mut error = DriverError::new("cuModuleLoadDataEx", forward::last_code(code));
    let log = [log_text(&errors), log_text(&info)].join("\n");
    let log = log.trim();
    error.log = (!log.is_empty()).then(|| log.to_owned());
    Some(error)
}

fn log_text(buffer: &[u8]) -> String {
    let end = buffer
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(buffer.len());
    String::from_utf8_lossy(&buffer[..end]).trim().to_owned()
}

/// Shared memory that a block may have if the kernel asks for it, in bytes.
pub(crate) fn max_shared_per_block(device: cust::device::Device) -> Result<u32, DriverError> {
    let mut value: c_int = 0;
    let attribute = MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
    // SAFETY: `value` is valid for a write.
    let code = unsafe { raw::cuDeviceGetAttribute(&raw mut value, attribute, device.as_raw()) };
    check("cuDeviceGetAttribute", code)?;
    Ok(value.max(0) as u32)
}

/// What a kernel uses and allows, compiled for the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelResources {
    /// Threads of a block at most, given its registers.
    pub max_threads_per_block: u32,
    /// Bytes of shared memory that it declares.
    pub static_shared: u32,
    /// Bytes of local memory a thread: stack and spills.
    pub local: u32,
    /// Registers a thread.
    pub registers: u32,
}

pub(crate) fn resources(function: &Function<'_>) -> Result<KernelResources, DriverError> {
    let read = |attribute| {
        let mut value: c_int = 0;
        // SAFETY: the handle comes from a loaded module; `value` is valid for a write.
        let code = unsafe { raw::cuFuncGetAttribute(&raw mut value, attribute, function.to_raw()) };
        check("cuFuncGetAttribute", code).map(|()| value.max(0) as u32)
    };
    Ok(KernelResources {
        max_threads_per_block: read(MAX_THREADS_PER_BLOCK)?,
        static_shared: read(SHARED_SIZE_BYTES)?,
        local: read(LOCAL_SIZE_BYTES)?,
        registers: read(NUM_REGS)?,
    })
}

/// Lets `function` be launched with so much dynamic shared memory: above 48 KiB the driver wants
/// to be told.
pub(crate) fn allow_dynamic_shared(function: &Function<'_>, bytes: u32) -> Result<(), DriverError> {
    let bytes = c_int::try_from(bytes).unwrap_or(c_int::MAX);
    let handle = function.to_raw();
    // SAFETY: the handle comes from a loaded module.
    let code = unsafe { cuFuncSetAttribute(handle, MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes) };
    check("cuFuncSetAttribute", code)
}

/// How many blocks of a function fit an SM.
pub(crate) fn blocks_per_sm(
    function: &Function<'_>,
    threads: u32,
    dynamic_shared: u32,
) -> Result<u32, DriverError> {
    let mut blocks: c_int = 0;
    // SAFETY: the handle comes from a loaded module; `blocks` is valid for a write.
    let code = unsafe {
        raw::cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &raw mut blocks,
            function.to_raw(),
            c_int::try_from(threads).unwrap_or(c_int::MAX),
            dynamic_shared as usize,
        )
    };
    check("cuOccupancyMaxActiveBlocksPerMultiprocessor", code)?;
    Ok(blocks.max(0) as u32)
}

/// Launches with all blocks resident, so that the kernel may synchronise the grid.
///
/// # Safety
///
/// - `params` points to one valid pointer for each parameter of the kernel, each to a value of
///   the parameter's size, and what the kernel does with them is in bounds.
pub(crate) unsafe fn cooperative_launch(
    function: &Function<'_>,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared: u32,
    stream: &Stream,
    params: &[*mut c_void],
) -> Result<(), DriverError> {
    // SAFETY: handles come from a loaded module and a live stream; the driver only reads through
    // `params`, which the caller vouches for.
    let code = unsafe {
        cuLaunchCooperativeKernel(
            function.to_raw(),
            grid[0],
            grid[1],
            grid[2],
            block[0],
            block[1],
            block[2],
            dynamic_shared,
            stream.as_inner(),
            params.as_ptr().cast_mut(),
        )
    };
    check("cuLaunchCooperativeKernel", code)
}

fn check(call: &str, code: c_uint) -> Result<(), DriverError> {
    match code {
        0 => Ok(()),
        _ => Err(DriverError::new(call, forward::last_code(code))),
    }
}

forward::forward! {
    fn cuFuncSetAttribute(function: sys::CUfunction, attribute: c_uint, value: c_int);
    fn cuLaunchCooperativeKernel(
        function: sys::CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared_bytes: c_uint,
        stream: sys::CUstream,
        params: *mut *mut c_void,
    );
}
