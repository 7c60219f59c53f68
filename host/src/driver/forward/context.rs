//! Initialisation, devices, contexts.

use std::ffi::{c_char, c_int, c_uint};

use cust::sys;

super::forward! {
    fn cuInit(flags: c_uint);
    fn cuDriverGetVersion(driver_version: *mut c_int);
    fn cuDeviceGet(device: *mut sys::CUdevice, ordinal: c_int);
    fn cuDeviceGetCount(count: *mut c_int);
    fn cuDeviceGetName(name: *mut c_char, len: c_int, dev: sys::CUdevice);
    fn cuDeviceTotalMem_v2(bytes: *mut usize, dev: sys::CUdevice);
    fn cuDeviceGetAttribute(pi: *mut c_int, attrib: c_uint, dev: sys::CUdevice);
    fn cuDevicePrimaryCtxRetain(pctx: *mut sys::CUcontext, dev: sys::CUdevice);
    fn cuDevicePrimaryCtxRelease_v2(dev: sys::CUdevice);
    fn cuDevicePrimaryCtxSetFlags_v2(dev: sys::CUdevice, flags: c_uint);
    fn cuDevicePrimaryCtxReset_v2(dev: sys::CUdevice);
    fn cuCtxCreate_v2(pctx: *mut sys::CUcontext, flags: c_uint, dev: sys::CUdevice);
    fn cuCtxDestroy_v2(ctx: sys::CUcontext);
    fn cuCtxPushCurrent_v2(ctx: sys::CUcontext);
    fn cuCtxPopCurrent_v2(pctx: *mut sys::CUcontext);
    fn cuCtxSetCurrent(ctx: sys::CUcontext);
    fn cuCtxGetCurrent(pctx: *mut sys::CUcontext);
    fn cuCtxGetDevice(device: *mut sys::CUdevice);
    fn cuCtxGetFlags(flags: *mut c_uint);
    fn cuCtxSynchronize();
    fn cuCtxSetLimit(limit: c_uint, value: usize);
    fn cuCtxGetLimit(pvalue: *mut usize, limit: c_uint);
    fn cuCtxGetCacheConfig(pconfig: *mut c_uint);
    fn cuCtxSetCacheConfig(config: c_uint);
    fn cuCtxGetSharedMemConfig(p_config: *mut c_uint);
    fn cuCtxSetSharedMemConfig(config: c_uint);
    fn cuCtxGetApiVersion(ctx: sys::CUcontext, version: *mut c_uint);
    fn cuCtxGetStreamPriorityRange(least_priority: *mut c_int, greatest_priority: *mut c_int);
}
