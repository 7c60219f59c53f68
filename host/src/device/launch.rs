//! Launch shapes and kernel arguments.

use std::marker::PhantomData;

use bytemuck::{NoUninit, Pod};

use super::Buffer;

/// The shape of a launch: blocks, threads of a block, dynamic shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Dynamic shared memory of a block, in bytes.
    pub shared: u32,
    /// Whether all blocks must be resident at once, so that they may wait for each other.
    pub cooperative: bool,
}

impl LaunchConfig {
    /// A launch in three dimensions.
    pub fn new(grid: [u32; 3], block: [u32; 3]) -> Self {
        Self {
            grid,
            block,
            shared: 0,
            cooperative: false,
        }
    }

    /// A launch in one dimension: `grid` blocks of `block` threads.
    pub fn linear(grid: u32, block: u32) -> Self {
        Self::new([grid, 1, 1], [block, 1, 1])
    }

    /// A launch in two dimensions, x and y.
    pub fn plane(grid: (u32, u32), block: (u32, u32)) -> Self {
        Self::new([grid.0, grid.1, 1], [block.0, block.1, 1])
    }

    /// One thread an element: as many blocks of `block` threads as cover `len`, and at least one.
    ///
    /// # Panics
    ///
    /// If `block` is 0.
    pub fn for_len(len: usize, block: u32) -> Self {
        let blocks = len.div_ceil(block as usize).max(1);
        Self::linear(u32::try_from(blocks).unwrap_or(u32::MAX), block)
    }

    /// The same launch with so many bytes of dynamic shared memory.
    pub fn with_shared(self, bytes: u32) -> Self {
        Self {
            shared: bytes,
            ..self
        }
    }

    /// The same launch, cooperative.
    pub fn cooperative(self) -> Self {
        Self {
            cooperative: true,
            ..self
        }
    }

    /// Threads of a block.
    pub fn threads_per_block(&self) -> u64 {
        self.block.iter().map(|size| u64::from(*size)).product()
    }

    /// Blocks of the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|size| u64::from(*size)).product()
    }
}

/// An argument of a kernel: a scalar, a plain-old-data struct, a pointer to a buffer, or a slice
/// (pointer and length: two parameters in the PTX). It borrows the buffer that it points to.
#[derive(Debug, Clone)]
pub struct Arg<'a> {
    values: Values,
    borrows: PhantomData<&'a ()>,
}

#[derive(Debug, Clone)]
enum Values {
    One(Vec<u8>),
    Two([u8; 8], [u8; 8]),
}

impl Arg<'_> {
    /// Any plain value, by its bytes.
    pub fn value<T: NoUninit>(value: T) -> Self {
        Self::one(bytemuck::bytes_of(&value).to_vec())
    }

    fn one(bytes: Vec<u8>) -> Self {
        Self {
            values: Values::One(bytes),
            borrows: PhantomData,
        }
    }

    /// The bytes of each PTX parameter that this argument stands for.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &[u8]> {
        let (first, second) = match &self.values {
            Values::One(bytes) => (bytes.as_slice(), None),
            Values::Two(pointer, len) => (pointer.as_slice(), Some(len.as_slice())),
        };
        std::iter::once(first).chain(second)
    }
}

impl<T: Pod> Buffer<T> {
    /// This buffer as a kernel's pointer parameter (`*const T`, `*mut T`, `&T`).
    pub fn as_arg(&self) -> Arg<'_> {
        Arg::one(self.address().to_le_bytes().to_vec())
    }

    /// This buffer as a kernel's slice parameter (`&[T]`, `&mut [T]`): pointer and length.
    pub fn as_slice(&self) -> Arg<'_> {
        self.part(0, self.len())
    }

    /// The `len` elements from `start` as a slice parameter, cut to what the buffer holds.
    pub fn part(&self, start: usize, len: usize) -> Arg<'_> {
        let start = start.min(self.len());
        let len = len.min(self.len() - start);
        let address = self.address() + (start * size_of::<T>()) as u64;
        let values = Values::Two(address.to_le_bytes(), (len as u64).to_le_bytes());
        Arg {
            values,
            borrows: PhantomData,
        }
    }
}

impl<'a, T: Pod> From<&'a Buffer<T>> for Arg<'a> {
    /// A pointer parameter.
    fn from(buffer: &'a Buffer<T>) -> Self {
        buffer.as_arg()
    }
}

macro_rules! scalar_args {
    ($($scalar:ty)*) => { $(
        impl From<$scalar> for Arg<'_> {
            fn from(value: $scalar) -> Self {
                Self::value(value)
            }
        }
    )* };
}
scalar_args!(u8 u16 u32 u64 usize u128 i8 i16 i32 i64 isize i128 f32 f64 half::f16 half::bf16);
