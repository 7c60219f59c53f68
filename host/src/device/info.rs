//! What a device is.

use serde::Serialize;

/// A device's properties, as its driver states them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeviceInfo {
    /// `cuda` or `simt`.
    pub kind: &'static str,
    /// `NVIDIA H200`.
    pub name: String,
    /// Compute capability, major and minor.
    pub compute_capability: (u32, u32),
    /// Architecture of the embedded PTX that was chosen for it: 90 for sm_90.
    pub image: u32,
    /// Streaming multiprocessors.
    pub sms: u32,
    /// Lanes of a warp.
    pub warp_size: u32,
    /// Bytes of device memory.
    pub memory: u64,
    /// Bytes of L2 cache.
    pub l2: u64,
    /// SM clock at most, in kHz; 0 where it is not known.
    pub clock_khz: u32,
    /// Memory clock at most, in kHz; 0 where it is not known.
    pub memory_clock_khz: u32,
    /// Width of the memory bus in bits.
    pub memory_bus_bits: u32,
    /// Threads of a block at most.
    pub max_threads_per_block: u32,
    /// Threads that an SM holds at once.
    pub max_threads_per_sm: u32,
    /// Shared memory of a block at most, where the kernel asks for more than the usual.
    pub max_shared_per_block: u32,
    /// The CUDA version that the driver speaks, major and minor.
    pub driver: (u32, u32),
}

impl DeviceInfo {
    /// The architecture as one number: 90 for compute capability 9.0.
    pub fn sm(&self) -> u32 {
        self.compute_capability.0 * 10 + self.compute_capability.1
    }
}

/// PTX for one architecture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image<'a> {
    /// The oldest architecture that it runs on: 90 for sm_90.
    pub sm: u32,
    /// The PTX text.
    pub ptx: &'a str,
}
