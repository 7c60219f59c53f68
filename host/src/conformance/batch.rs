//! Batches of cases, and the numbers that they are made of.

use conformance::{Case, Value};

/// The masks that warp-level kernels are tried with: full, partial in several ways, single lanes.
pub(super) const MASKS: &[u32] = &[
    0xFFFF_FFFF,
    0x0000_FFFF,
    0xFFFF_0000,
    0xAAAA_AAAA,
    0x5555_5555,
    0x8000_0001,
    0x0F0F_00F1,
    0x7FFF_FFFF,
    0x0001_8000,
    0x0000_0001,
    0x0000_2000,
    0x8000_0000,
];

/// The lanes of the tiles of `n` lanes whose number is set in `tiles`.
pub(super) fn tile_mask(n: u32, tiles: u32) -> u32 {
    let tile = u32::MAX >> (32 - n);
    (0..32 / n)
        .filter(|i| tiles >> i & 1 == 1)
        .fold(0, |mask, i| mask | tile << (i * n))
}

/// Launched together: one block per case, all of one shape.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    /// Threads of a block in x, y and z.
    pub(super) shape: [u32; 3],
    /// Bytes of one value.
    pub(super) size: usize,
    /// One per block.
    pub(super) cases: Vec<Case>,
    /// One per thread.
    pub(super) operands: Vec<u32>,
    /// `size` bytes per thread.
    pub(super) input: Vec<u8>,
}

impl Batch {
    /// An empty batch of blocks of this shape.
    pub(super) fn new(shape: [u32; 3], size: usize) -> Self {
        Self {
            shape,
            size,
            cases: Vec::new(),
            operands: Vec::new(),
            input: Vec::new(),
        }
    }

    /// Threads of a block.
    pub(super) fn threads(&self) -> usize {
        self.shape.iter().map(|&side| side as usize).product()
    }

    /// Adds a case.
    pub(super) fn push(
        &mut self,
        case: Case,
        operands: impl FnMut(usize) -> u32,
        values: impl FnMut(usize) -> Vec<u8>,
    ) {
        let threads = 0..self.threads();
        self.cases.push(case);
        self.operands.extend(threads.clone().map(operands));
        self.input.extend(threads.flat_map(values));
    }

    /// What one case was given.
    pub(super) fn given(&self, index: usize) -> Given<'_> {
        let threads = self.threads();
        let first = index * threads;
        Given {
            case: self.cases[index],
            operands: &self.operands[first..first + threads],
            size: self.size,
            input: &self.input[first * self.size..(first + threads) * self.size],
        }
    }
}

/// The inputs of one case.
#[derive(Debug, Clone, Copy)]
pub(super) struct Given<'a> {
    pub(super) case: Case,
    pub(super) operands: &'a [u32],
    pub(super) size: usize,
    input: &'a [u8],
}

impl Given<'_> {
    /// The bytes of a thread's value.
    pub(super) fn bytes(&self, thread: usize) -> &[u8] {
        &self.input[thread * self.size..(thread + 1) * self.size]
    }

    /// Threads of the block.
    pub(super) fn threads(&self) -> usize {
        self.operands.len()
    }

    /// The operands of a warp.
    pub(super) fn lane_operands(&self) -> [u32; 32] {
        std::array::from_fn(|lane| self.operands[lane])
    }
}

/// A small generator of numbers (splitmix64), so that a failing case is the same every time.
#[derive(Debug, Clone)]
pub(super) struct Numbers(u64);

impl Numbers {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// A number below `end`, which is not 0.
    pub(super) fn below(&mut self, end: u32) -> u32 {
        (self.next() % u64::from(end)) as u32
    }

    /// Any value of a type: all bit patterns, but for bool and char.
    pub(super) fn value(&mut self, value: Value) -> Vec<u8> {
        match value {
            Value::Bool => vec![(self.next() & 1) as u8],
            Value::Char => u32::from(['a', 'ä', '€', '🦀'][self.below(4) as usize])
                .to_le_bytes()
                .to_vec(),
            _ => (0..value.size()).map(|_| self.next() as u8).collect(),
        }
    }

    /// A permutation of 0…n−1.
    pub(super) fn permutation(&mut self, n: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..n as u32).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i as u32 + 1) as usize);
        }
        order
    }
}
