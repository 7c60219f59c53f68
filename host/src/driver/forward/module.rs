//! Modules, linking, functions, launches, occupancy.

use std::ffi::{c_char, c_int, c_uint, c_void};

use cust::sys;

super::forward! {
    fn cuModuleLoad(module: *mut sys::CUmodule, fname: *const c_char);
    fn cuModuleLoadData(module: *mut sys::CUmodule, image: *const c_void);
    fn cuModuleLoadDataEx(module: *mut sys::CUmodule, image: *const c_void, num_options: c_uint, options: *mut c_uint, option_values: *mut *mut c_void);
    fn cuModuleUnload(hmod: sys::CUmodule);
    fn cuModuleGetFunction(hfunc: *mut sys::CUfunction, hmod: sys::CUmodule, name: *const c_char);
    fn cuModuleGetGlobal_v2(dptr: *mut sys::CUdeviceptr, bytes: *mut usize, hmod: sys::CUmodule, name: *const c_char);
    fn cuLinkCreate_v2(num_options: c_uint, options: *mut c_uint, option_values: *mut *mut c_void, state_out: *mut sys::CUlinkState);
    fn cuLinkAddData_v2(state: sys::CUlinkState, kind: c_uint, data: *mut c_void, size: usize, name: *const c_char, num_options: c_uint, options: *mut c_uint, option_values: *mut *mut c_void);
    fn cuLinkComplete(state: sys::CUlinkState, cubin_out: *mut *mut c_void, size_out: *mut usize);
    fn cuLinkDestroy(state: sys::CUlinkState);
    fn cuFuncGetAttribute(pi: *mut c_int, attrib: c_uint, hfunc: sys::CUfunction);
    fn cuFuncSetCacheConfig(hfunc: sys::CUfunction, config: c_uint);
    fn cuFuncSetSharedMemConfig(hfunc: sys::CUfunction, config: c_uint);
    fn cuLaunchKernel(f: sys::CUfunction, grid_dim_x: c_uint, grid_dim_y: c_uint, grid_dim_z: c_uint, block_dim_x: c_uint, block_dim_y: c_uint, block_dim_z: c_uint, shared_mem_bytes: c_uint, h_stream: sys::CUstream, kernel_params: *mut *mut c_void, extra: *mut *mut c_void);
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(num_blocks: *mut c_int, func: sys::CUfunction, block_size: c_int, dynamic_smem_size: usize);
    fn cuOccupancyMaxPotentialBlockSize(min_grid_size: *mut c_int, block_size: *mut c_int, func: sys::CUfunction, block_size_to_dynamic_smem_size: sys::CUoccupancyB2DSize, dynamic_smem_size: usize, block_size_limit: c_int);
    fn cuOccupancyAvailableDynamicSMemPerBlock(dynamic_smem_size: *mut usize, func: sys::CUfunction, num_blocks: c_int, block_size: c_int);
}
