//! A hash for small integer keys: the maps here are asked at every access.

use std::hash::{BuildHasherDefault, Hasher};

/// A map with that hash.
pub(crate) type Map<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<Mix>>;

/// Multiplies and folds, as FxHash does.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}
