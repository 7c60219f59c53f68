//! Memory of a GPU.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cust::memory::{AsyncCopyDestination, CopyDestination, DeviceBuffer};

use super::CudaDevice;
use crate::Error;

/// Bytes in a GPU's memory.
#[derive(Debug)]
pub(in crate::device) struct CudaMemory {
    pub(super) buffer: DeviceBuffer<u8>,
    pub(super) bytes: u64,
    pub(super) device: CudaDevice,
}

impl CudaMemory {
    pub(in crate::device) fn address(&self) -> u64 {
        self.buffer.as_device_ptr().as_raw()
    }

    pub(in crate::device) fn is_on(&self, device: &CudaDevice) -> bool {
        Arc::ptr_eq(&self.device.inner, &device.inner)
    }

    pub(in crate::device) fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.device.enter()?;
        if bytes.is_empty() {
            return Ok(());
        }
        Ok(self.buffer.index(..bytes.len()).copy_from(bytes)?)
    }

    pub(in crate::device) fn read(&self, bytes: &mut [u8]) -> Result<(), Error> {
        self.device.synchronize()?;
        if bytes.is_empty() {
            return Ok(());
        }
        Ok(self.buffer.index(..bytes.len()).copy_to(bytes)?)
    }

    pub(in crate::device) fn copy_from(&mut self, from: &Self) -> Result<(), Error> {
        if !self.is_on(&from.device) {
            return Err(Error::ForeignBuffer);
        }
        self.device.enter()?;
        if self.bytes == 0 {
            return Ok(());
        }
        let stream = &self.device.inner.stream;
        // SAFETY: both buffers live until the copy is done: freeing memory waits for the device.
        let copied = unsafe { self.buffer.async_copy_from(&*from.buffer, stream) };
        Ok(copied?)
    }

    /// Repeats `pattern`, whose length divides the buffer's.
    pub(in crate::device) fn fill(&mut self, pattern: &[u8]) -> Result<(), Error> {
        self.device.enter()?;
        if self.bytes == 0 {
            return Ok(());
        }
        match pattern {
            [] => Ok(()),
            [byte] => Ok(self.buffer.set_8(*byte)?),
            [a, b] => Ok(self.buffer.set_16(u16::from_le_bytes([*a, *b]))?),
            [a, b, c, d] => Ok(self.buffer.set_32(u32::from_le_bytes([*a, *b, *c, *d]))?),
            long => {
                let bytes = usize::try_from(self.bytes).unwrap_or(usize::MAX);
                let host = long.repeat(bytes / long.len());
                self.write(&host)
            }
        }
    }
}

impl Drop for CudaMemory {
    fn drop(&mut self) {
        let _ = self.device.enter();
        self.device
            .inner
            .allocated
            .fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
