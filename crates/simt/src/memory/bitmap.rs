//! One bit per byte of an allocation.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A bitmap that can be written through a shared reference.
#[derive(Debug)]
pub struct Bitmap {
    words: Box<[AtomicU64]>,
}

impl Bitmap {
    /// `bits` zeros.
    pub fn new(bits: u64) -> Bitmap {
        Bitmap {
            words: (0..bits.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Sets `len` bits from `start`; what lies outside is ignored.
    pub fn set(&self, start: u64, len: u64) {
        self.visit(start, len, |word, mask| {
            word.store(word.load(Relaxed) | mask, Relaxed);
            true
        });
    }

    /// Clears every bit.
    pub fn clear(&self) {
        self.words.iter().for_each(|word| word.store(0, Relaxed));
    }

    /// Whether `len` bits from `start` are all set.
    pub fn all(&self, start: u64, len: u64) -> bool {
        if (start | len).is_multiple_of(64) {
            let (first, count) = ((start / 64) as usize, (len / 64) as usize);
            let words = self.words.get(first..).unwrap_or(&[]).iter().take(count);
            let missing = words.fold(0, |missing, word| missing | !word.load(Relaxed));
            return missing == 0;
        }
        self.visit(start, len, |word, mask| word.load(Relaxed) & mask == mask)
    }

    /// Calls `f` with each word and the bits of it that are meant, until it answers false.
    fn visit(&self, start: u64, len: u64, f: impl Fn(&AtomicU64, u64) -> bool) -> bool {
        let (mut at, end) = (start, start.saturating_add(len));
        while at < end {
            let bit = at % 64;
            let count = (64 - bit).min(end - at);
            let mask = (u64::MAX >> (64 - count)) << bit;
            match self.words.get((at / 64) as usize) {
                Some(word) if f(word, mask) => at += count,
                Some(_) => return false,
                None => return true,
            }
        }
        true
    }
}
