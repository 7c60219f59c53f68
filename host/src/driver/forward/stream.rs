//! Streams and events.

use std::ffi::{c_int, c_uint, c_void};

use cust::sys;

super::forward! {
    fn cuStreamCreateWithPriority(ph_stream: *mut sys::CUstream, flags: c_uint, priority: c_int);
    fn cuStreamGetPriority(h_stream: sys::CUstream, priority: *mut c_int);
    fn cuStreamGetFlags(h_stream: sys::CUstream, flags: *mut c_uint);
    fn cuStreamWaitEvent(h_stream: sys::CUstream, h_event: sys::CUevent, flags: c_uint);
    fn cuStreamSynchronize(h_stream: sys::CUstream);
    fn cuStreamDestroy_v2(h_stream: sys::CUstream);
    fn cuEventCreate(ph_event: *mut sys::CUevent, flags: c_uint);
    fn cuEventRecord(h_event: sys::CUevent, h_stream: sys::CUstream);
    fn cuEventQuery(h_event: sys::CUevent);
    fn cuEventSynchronize(h_event: sys::CUevent);
    fn cuEventDestroy_v2(h_event: sys::CUevent);
    fn cuEventElapsedTime(p_milliseconds: *mut f32, h_start: sys::CUevent, h_end: sys::CUevent);
    fn cuLaunchHostFunc(h_stream: sys::CUstream, function: sys::CUhostFn, user_data: *mut c_void);
}
