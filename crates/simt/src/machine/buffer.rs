//! Host memory aligned for vectors.

/// One cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
struct Line([u8; 64]);

/// Zeroed bytes, 64-byte aligned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffer {
    lines: Vec<Line>,
}

impl Buffer {
    /// At least `bytes` zero bytes.
    pub(crate) fn new(bytes: usize) -> Buffer {
        Buffer {
            lines: vec![Line([0; 64]); bytes.div_ceil(64)],
        }
    }

    /// Bytes that it holds.
    pub(crate) fn len(&self) -> usize {
        self.lines.len() * 64
    }

    /// The first byte.
    pub(crate) fn start(&mut self) -> *mut u8 {
        self.lines.as_mut_ptr().cast()
    }

    /// Overwrites with another of the same size.
    pub(crate) fn copy_from(&mut self, other: &Buffer) {
        self.lines.copy_from_slice(&other.lines);
    }

    /// Sets every byte to zero.
    pub(crate) fn clear(&mut self) {
        self.lines.fill(Line([0; 64]));
    }

    /// The bytes from `offset` on.
    pub(crate) fn bytes_mut(&mut self, offset: usize, len: usize) -> Option<&mut [u8]> {
        let end = offset.checked_add(len)?;
        // SAFETY: lines are plain bytes without padding.
        let all = unsafe { std::slice::from_raw_parts_mut(self.start(), self.len()) };
        all.get_mut(offset..end)
    }
}
