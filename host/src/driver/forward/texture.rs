//! Arrays, textures, surfaces, memory of other APIs.

use std::ffi::c_void;

use cust::sys;

super::forward! {
    fn cuMemcpyHtoA_v2(dst_array: sys::CUarray, dst_offset: usize, src_host: *const c_void, byte_count: usize);
    fn cuMemcpyAtoH_v2(dst_host: *mut c_void, src_array: sys::CUarray, src_offset: usize, byte_count: usize);
    fn cuMemcpy2D_v2(p_copy: *const sys::CUDA_MEMCPY2D);
    fn cuArrayDestroy(h_array: sys::CUarray);
    fn cuArray3DCreate_v2(p_handle: *mut sys::CUarray, p_allocate_array: *const sys::CUDA_ARRAY3D_DESCRIPTOR);
    fn cuArray3DGetDescriptor_v2(p_array_descriptor: *mut sys::CUDA_ARRAY3D_DESCRIPTOR, h_array: sys::CUarray);
    fn cuImportExternalMemory(ext_mem_out: *mut sys::CUexternalMemory, mem_handle_desc: *const sys::CUDA_EXTERNAL_MEMORY_HANDLE_DESC);
    fn cuExternalMemoryGetMappedBuffer(dev_ptr: *mut sys::CUdeviceptr, ext_mem: sys::CUexternalMemory, buffer_desc: *const sys::CUDA_EXTERNAL_MEMORY_BUFFER_DESC);
    fn cuDestroyExternalMemory(ext_mem: sys::CUexternalMemory);
    fn cuTexObjectCreate(p_tex_object: *mut sys::CUtexObject, p_res_desc: *const sys::CUDA_RESOURCE_DESC, p_tex_desc: *const sys::CUDA_TEXTURE_DESC, p_res_view_desc: *const sys::CUDA_RESOURCE_VIEW_DESC);
    fn cuTexObjectDestroy(tex_object: sys::CUtexObject);
    fn cuTexObjectGetResourceDesc(p_res_desc: *mut sys::CUDA_RESOURCE_DESC, tex_object: sys::CUtexObject);
    fn cuTexObjectGetResourceViewDesc(p_res_view_desc: *mut sys::CUDA_RESOURCE_VIEW_DESC, tex_object: sys::CUtexObject);
    fn cuSurfObjectCreate(p_surf_object: *mut sys::CUsurfObject, p_res_desc: *const sys::CUDA_RESOURCE_DESC);
    fn cuSurfObjectDestroy(surf_object: sys::CUsurfObject);
    fn cuSurfObjectGetResourceDesc(p_res_desc: *mut sys::CUDA_RESOURCE_DESC, surf_object: sys::CUsurfObject);
}
