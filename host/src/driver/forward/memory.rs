//! Linear memory: allocation, copies, fills.

use std::ffi::{c_uchar, c_uint, c_ushort, c_void};

use cust::sys;

super::forward! {
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    fn cuMemAlloc_v2(dptr: *mut sys::CUdeviceptr, bytesize: usize);
    fn cuMemFree_v2(dptr: sys::CUdeviceptr);
    fn cuMemAllocHost_v2(pp: *mut *mut c_void, bytesize: usize);
    fn cuMemFreeHost(p: *mut c_void);
    fn cuMemAllocManaged(dptr: *mut sys::CUdeviceptr, bytesize: usize, flags: c_uint);
    fn cuMemcpyHtoD_v2(dst_device: sys::CUdeviceptr, src_host: *const c_void, byte_count: usize);
    fn cuMemcpyDtoH_v2(dst_host: *mut c_void, src_device: sys::CUdeviceptr, byte_count: usize);
    fn cuMemcpyDtoD_v2(dst_device: sys::CUdeviceptr, src_device: sys::CUdeviceptr, byte_count: usize);
    fn cuMemcpyHtoDAsync_v2(dst_device: sys::CUdeviceptr, src_host: *const c_void, byte_count: usize, h_stream: sys::CUstream);
    fn cuMemcpyDtoHAsync_v2(dst_host: *mut c_void, src_device: sys::CUdeviceptr, byte_count: usize, h_stream: sys::CUstream);
    fn cuMemcpyDtoDAsync_v2(dst_device: sys::CUdeviceptr, src_device: sys::CUdeviceptr, byte_count: usize, h_stream: sys::CUstream);
    fn cuMemsetD8_v2(dst_device: sys::CUdeviceptr, uc: c_uchar, n: usize);
    fn cuMemsetD16_v2(dst_device: sys::CUdeviceptr, us: c_ushort, n: usize);
    fn cuMemsetD32_v2(dst_device: sys::CUdeviceptr, ui: c_uint, n: usize);
    fn cuMemsetD8Async(dst_device: sys::CUdeviceptr, uc: c_uchar, n: usize, h_stream: sys::CUstream);
    fn cuMemsetD16Async(dst_device: sys::CUdeviceptr, us: c_ushort, n: usize, h_stream: sys::CUstream);
    fn cuMemsetD32Async(dst_device: sys::CUdeviceptr, ui: c_uint, n: usize, h_stream: sys::CUstream);
    fn cuMemFreeAsync(dptr: sys::CUdeviceptr, h_stream: sys::CUstream);
    fn cuMemAllocAsync(dptr: *mut sys::CUdeviceptr, bytesize: usize, h_stream: sys::CUstream);
    fn cuMemPrefetchAsync(dev_ptr: sys::CUdeviceptr, count: usize, dst_device: sys::CUdevice, h_stream: sys::CUstream);
    fn cuMemAdvise(dev_ptr: sys::CUdeviceptr, count: usize, advice: c_uint, device: sys::CUdevice);
}
