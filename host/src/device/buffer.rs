//! Typed memory of a device.

use std::marker::PhantomData;

use bytemuck::Pod;

use super::Device;
use super::cuda::CudaMemory;
use super::emulator::SimtMemory;
use crate::Error;

/// `len` elements of `T` in a device's memory, freed when dropped.
#[derive(Debug)]
pub struct Buffer<T> {
    memory: Memory,
    len: usize,
    element: PhantomData<T>,
}

#[derive(Debug)]
enum Memory {
    Cuda(CudaMemory),
    Simt(SimtMemory),
}

impl<T: Pod> Buffer<T> {
    pub(super) fn uninit(device: &Device, len: usize) -> Result<Self, Error> {
        let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
        let memory = match device {
            Device::Cuda(device) => Memory::Cuda(device.alloc(bytes)?),
            Device::Simt(device) => Memory::Simt(device.alloc(bytes)?),
        };
        Ok(Self {
            memory,
            len,
            element: PhantomData,
        })
    }

    pub(super) fn zeroed(device: &Device, len: usize) -> Result<Self, Error> {
        let mut buffer = Self::uninit(device, len)?;
        buffer.fill_pattern(&[0])?;
        Ok(buffer)
    }

    /// Elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds no element.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Fails where the buffer is another device's.
    pub fn require_on(&self, device: &Device) -> Result<(), Error> {
        let here = match (&self.memory, device) {
            (Memory::Cuda(memory), Device::Cuda(device)) => memory.is_on(device),
            (Memory::Simt(memory), Device::Simt(device)) => memory.is_on(device),
            _ => false,
        };
        if here {
            Ok(())
        } else {
            Err(Error::ForeignBuffer)
        }
    }

    /// Bytes of its elements.
    pub fn bytes(&self) -> u64 {
        (self.len * size_of::<T>()) as u64
    }

    /// The device address of its first element.
    pub fn address(&self) -> u64 {
        match &self.memory {
            Memory::Cuda(memory) => memory.address(),
            Memory::Simt(memory) => memory.address(),
        }
    }

    /// Copies `data`, which must have this buffer's length, to the device.
    pub fn upload(&mut self, data: &[T]) -> Result<(), Error> {
        self.same_len(data.len())?;
        let bytes = bytemuck::cast_slice(data);
        match &mut self.memory {
            Memory::Cuda(memory) => memory.write(bytes),
            Memory::Simt(memory) => memory.write(bytes),
        }
    }

    /// Waits for the device and copies all elements to the host.
    pub fn download(&self) -> Result<Vec<T>, Error> {
        let mut data = crate::input::try_zeroed(self.len)?;
        self.download_into(&mut data)?;
        Ok(data)
    }

    /// Waits for the device and copies all elements to `data`, which must have this buffer's
    /// length.
    pub fn download_into(&self, data: &mut [T]) -> Result<(), Error> {
        self.same_len(data.len())?;
        let bytes = bytemuck::cast_slice_mut(data);
        match &self.memory {
            Memory::Cuda(memory) => memory.read(bytes),
            Memory::Simt(memory) => memory.read(bytes),
        }
    }

    /// Sets every element to `value`.
    pub fn fill(&mut self, value: T) -> Result<(), Error> {
        self.fill_pattern(bytemuck::bytes_of(&value))
    }

    /// Sets every byte to `byte`: a pattern that shows which elements a kernel left alone.
    pub fn fill_bytes(&mut self, byte: u8) -> Result<(), Error> {
        self.fill_pattern(&[byte])
    }

    pub(super) fn copy_from(&mut self, from: &Self) -> Result<(), Error> {
        self.same_len(from.len)?;
        match (&mut self.memory, &from.memory) {
            (Memory::Cuda(to), Memory::Cuda(from)) => to.copy_from(from),
            (Memory::Simt(to), Memory::Simt(from)) => to.copy_from(from),
            _ => Err(Error::ForeignBuffer),
        }
    }

    /// Repeats `pattern`, whose length divides the buffer's, all over it.
    fn fill_pattern(&mut self, pattern: &[u8]) -> Result<(), Error> {
        let uniform = pattern.iter().all(|byte| *byte == pattern[0]);
        let pattern = if uniform {
            &pattern[..1.min(pattern.len())]
        } else {
            pattern
        };
        match &mut self.memory {
            Memory::Cuda(memory) => memory.fill(pattern),
            Memory::Simt(memory) => memory.fill(pattern),
        }
    }

    fn same_len(&self, host: usize) -> Result<(), Error> {
        if host == self.len {
            return Ok(());
        }
        Err(Error::LengthMismatch {
            buffer: self.len,
            host,
        })
    }
}
