//! A CUDA driver without a GPU, as a library that the tests compile and let Lockstep open.
//!
//! Device memory is host memory, events are host clocks, and two kernels are known by name:
//! `increment(data: *mut u32, len: usize)` adds 1 to each element, `fault()` fails as an illegal
//! access does: at the next wait, and from then on. PTX that holds `malformed` does not compile.

#![allow(non_snake_case, clippy::missing_safety_doc, clippy::undocumented_unsafe_blocks)]

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_float, c_int, c_uint, c_void};
use std::sync::Mutex;
use std::time::Instant;

const SUCCESS: c_uint = 0;
const OUT_OF_MEMORY: c_uint = 2;
const INVALID_PTX: c_uint = 218;
const UNSUPPORTED_PTX_VERSION: c_uint = 222;
const NOT_FOUND: c_uint = 500;
const ILLEGAL_ADDRESS: c_uint = 700;

const TOTAL: usize = 256 << 20;

struct State {
    allocated: BTreeMap<u64, usize>,
    faulted: bool,
}

static STATE: Mutex<State> = Mutex::new(State { allocated: BTreeMap::new(), faulted: false });

fn state() -> std::sync::MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// After a fault, every call answers with it.
fn sticky() -> c_uint {
    if state().faulted { ILLEGAL_ADDRESS } else { SUCCESS }
}

macro_rules! fine {
    ($($name:ident($($type:ty),*);)*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($(_: $type),*) -> c_uint {
            sticky()
        }
    )* };
}

fine! {
    cuInit(c_uint);
    cuDevicePrimaryCtxRelease_v2(c_int);
    cuModuleUnload(*mut c_void);
    cuFuncSetAttribute(*mut c_void, c_uint, c_int);
    cuStreamDestroy_v2(*mut c_void);
    cuStreamSynchronize(*mut c_void);
    cuEventSynchronize(*mut c_void);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSetCurrent(_: *mut c_void) -> c_uint {
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDriverGetVersion(version: *mut c_int) -> c_uint {
    unsafe { *version = 13000 };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> c_uint {
    unsafe { *count = 1 };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> c_uint {
    unsafe { *device = ordinal };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetName(name: *mut c_char, len: c_int, _: c_int) -> c_uint {
    let text = c"Pretender";
    assert!(len as usize > text.count_bytes());
    unsafe { name.copy_from_nonoverlapping(text.as_ptr(), text.count_bytes() + 1) };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, _: c_int) -> c_uint {
    unsafe { *bytes = TOTAL };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetAttribute(value: *mut c_int, which: c_uint, _: c_int) -> c_uint {
    let answer = match which {
        1 => 1024,        // threads of a block
        8 => 49152,       // shared memory of a block
        10 => 32,         // warp size
        16 => 2,          // SMs
        38 => 1 << 20,    // L2
        39 => 2048,       // threads of an SM
        75 => 9,          // compute capability
        76 => 0,
        97 => 232_448,    // shared memory of a block that asks for it
        13 | 36 | 37 => 1000,
        _ => 0,
    };
    unsafe { *value = answer };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRetain(context: *mut *mut c_void, _: c_int) -> c_uint {
    unsafe { *context = 1 as *mut c_void };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCreateWithPriority(
    stream: *mut *mut c_void,
    _: c_uint,
    _: c_int,
) -> c_uint {
    unsafe { *stream = 2 as *mut c_void };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadDataEx(
    module: *mut *mut c_void,
    image: *const c_void,
    count: c_uint,
    options: *const c_uint,
    values: *const *mut c_void,
) -> c_uint {
    let ptx = unsafe { CStr::from_ptr(image.cast()) }.to_string_lossy();
    if ptx.contains(".version 99") {
        return UNSUPPORTED_PTX_VERSION;
    }
    if ptx.contains("malformed") {
        for index in 0..count as usize {
            // CU_JIT_ERROR_LOG_BUFFER
            if unsafe { *options.add(index) } == 5 {
                let log = c"ptxas application ptx input, line 3; fatal: Parsing error near 'malformed'";
                let buffer = unsafe { *values.add(index) }.cast::<c_char>();
                unsafe { buffer.copy_from_nonoverlapping(log.as_ptr(), log.count_bytes() + 1) };
            }
        }
        return INVALID_PTX;
    }
    unsafe { *module = 3 as *mut c_void };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetFunction(
    function: *mut *mut c_void,
    _: *mut c_void,
    name: *const c_char,
) -> c_uint {
    let handle = match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"increment" | b"ceiling_read" => 10,
        b"fault" => 11,
        _ => return NOT_FOUND,
    };
    unsafe { *function = handle as *mut c_void };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetAttribute(value: *mut c_int, which: c_uint, _: *mut c_void) -> c_uint {
    unsafe { *value = if which == 4 { 16 } else { 0 } };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    blocks: *mut c_int,
    _: *mut c_void,
    threads: c_int,
    _: usize,
) -> c_uint {
    unsafe { *blocks = 2048 / threads.max(1) };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernel(
    function: *mut c_void,
    _: c_uint,
    _: c_uint,
    _: c_uint,
    _: c_uint,
    _: c_uint,
    _: c_uint,
    _: c_uint,
    _: *mut c_void,
    params: *mut *mut c_void,
    _: *mut *mut c_void,
) -> c_uint {
    if function as usize == 11 {
        state().faulted = true;
        return SUCCESS;
    }
    let (data, len) = unsafe { ((*params).cast::<u64>().read_unaligned(), (*params.add(1)).cast::<usize>().read_unaligned()) };
    for index in 0..len {
        let element = (data as *mut u32).wrapping_add(index);
        unsafe { *element = (*element).wrapping_add(1) };
    }
    sticky()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchCooperativeKernel(
    function: *mut c_void,
    x: c_uint,
    y: c_uint,
    z: c_uint,
    bx: c_uint,
    by: c_uint,
    bz: c_uint,
    shared: c_uint,
    stream: *mut c_void,
    params: *mut *mut c_void,
) -> c_uint {
    let extra = std::ptr::null_mut();
    unsafe { cuLaunchKernel(function, x, y, z, bx, by, bz, shared, stream, params, extra) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventCreate(event: *mut *mut c_void, _: c_uint) -> c_uint {
    unsafe { *event = Box::into_raw(Box::new(None::<Instant>)).cast() };
    sticky()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventRecord(event: *mut c_void, _: *mut c_void) -> c_uint {
    unsafe { *event.cast() = Some(Instant::now()) };
    sticky()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventDestroy_v2(event: *mut c_void) -> c_uint {
    drop(unsafe { Box::from_raw(event.cast::<Option<Instant>>()) });
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventElapsedTime(
    millis: *mut c_float,
    start: *mut c_void,
    end: *mut c_void,
) -> c_uint {
    let read = |event: *mut c_void| unsafe { *event.cast::<Option<Instant>>() };
    let (Some(start), Some(end)) = (read(start), read(end)) else { return 400 };
    unsafe { *millis = (end - start).as_secs_f32() * 1e3 };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> c_uint {
    let used: usize = state().allocated.values().sum();
    unsafe { (*free, *total) = (TOTAL - used, TOTAL) };
    sticky()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> c_uint {
    let used: usize = state().allocated.values().sum();
    if bytes == 0 {
        return 1;
    }
    if bytes > TOTAL - used {
        return OUT_OF_MEMORY;
    }
    // Whole words, filled with what nobody expects.
    let words = vec![0xdead_beef_dead_beef_u64; bytes.div_ceil(8)].into_boxed_slice();
    let place = Box::into_raw(words).cast::<u64>() as u64;
    state().allocated.insert(place, bytes);
    unsafe { *address = place };
    sticky()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFree_v2(address: u64) -> c_uint {
    let Some(bytes) = state().allocated.remove(&address) else { return 1 };
    let words = std::ptr::slice_from_raw_parts_mut(address as *mut u64, bytes.div_ceil(8));
    drop(unsafe { Box::from_raw(words) });
    SUCCESS
}

/// Whether the range lies in one allocation.
fn inside(address: u64, bytes: usize) -> bool {
    let state = state();
    let Some((begin, size)) = state.allocated.range(..=address).next_back() else { return false };
    address + bytes as u64 <= begin + *size as u64
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) -> c_uint {
    if !inside(to, bytes) {
        return 1;
    }
    unsafe { (to as *mut u8).copy_from_nonoverlapping(from.cast(), bytes) };
    sticky()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) -> c_uint {
    if !inside(from, bytes) {
        return 1;
    }
    unsafe { to.cast::<u8>().copy_from_nonoverlapping(from as *const u8, bytes) };
    sticky()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoDAsync_v2(
    to: u64,
    from: u64,
    bytes: usize,
    _: *mut c_void,
) -> c_uint {
    if !inside(from, bytes) || !inside(to, bytes) {
        return 1;
    }
    unsafe { (to as *mut u8).copy_from(from as *const u8, bytes) };
    sticky()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD8_v2(to: u64, value: u8, count: usize) -> c_uint {
    if !inside(to, count) {
        return 1;
    }
    unsafe { std::slice::from_raw_parts_mut(to as *mut u8, count) }.fill(value);
    sticky()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD8Async(to: u64, value: u8, count: usize, _: *mut c_void) -> c_uint {
    unsafe { cuMemsetD8_v2(to, value, count) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD16_v2(to: u64, value: u16, count: usize) -> c_uint {
    if !inside(to, 2 * count) {
        return 1;
    }
    unsafe { std::slice::from_raw_parts_mut(to as *mut u16, count) }.fill(value);
    sticky()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD32_v2(to: u64, value: u32, count: usize) -> c_uint {
    if !inside(to, 4 * count) {
        return 1;
    }
    unsafe { std::slice::from_raw_parts_mut(to as *mut u32, count) }.fill(value);
    sticky()
}
