//! Layout of a function's frames: registers and constants, and the part of local memory.

use super::names::Key;
use crate::code::{Constant, Slot};
use std::collections::HashMap;

/// Bytes of a predicate.
const PREDICATE: u32 = 4;
/// Registers are aligned to the host's vectors.
const ALIGN: u32 = 64;

/// A layout while it grows.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    next: u32,
    predicates: (u32, u32),
    registers: HashMap<Key, u32>,
    constants: HashMap<(Constant, u32), u32>,
    pub(crate) slots: Vec<Slot>,
    local_next: u64,
    locals: HashMap<Key, u64>,
}

impl Frame {
    /// Room for `count` registers whose elements have `bytes` bytes (0: predicates).
    pub(crate) fn room(&mut self, bytes: u32, count: u32) -> u32 {
        if bytes == 0 {
            if self.predicates.0 + count * PREDICATE > self.predicates.1 {
                self.predicates = (self.next, self.next + ALIGN);
                self.next += ALIGN;
            }
            let at = self.predicates.0;
            self.predicates.0 += count * PREDICATE;
            return at;
        }
        let at = self.next;
        self.next += (bytes * 32 * count).next_multiple_of(ALIGN);
        at
    }

    /// The register of this name; made when first asked for.
    pub(crate) fn register(&mut self, key: &Key, bytes: u32, count: u32) -> u32 {
        if let Some(&at) = self.registers.get(key) {
            return at;
        }
        let at = self.room(bytes, count);
        self.registers.insert(key.clone(), at);
        at
    }

    /// The slot of a constant of so many bytes.
    pub(crate) fn constant(&mut self, constant: Constant, bytes: u32) -> u32 {
        if let Some(&at) = self.constants.get(&(constant.clone(), bytes)) {
            return at;
        }
        let at = self.room(bytes, 1);
        self.slots.push(Slot {
            constant: constant.clone(),
            offset: at,
            bytes,
        });
        self.constants.insert((constant, bytes), at);
        at
    }

    /// Where a variable lies in the local frame.
    pub(crate) fn local(&mut self, key: &Key, bytes: u64, align: u64) -> Result<u32, String> {
        if let Some(&at) = self.locals.get(key) {
            return Ok(at as u32);
        }
        let align = align.clamp(1, 256).next_power_of_two();
        let at = self.local_next.next_multiple_of(align);
        let end = at.checked_add(bytes).filter(|&end| end < 1 << 30);
        self.local_next = end.ok_or_else(|| format!("`{}` is too large", key.1))?;
        self.locals.insert(key.clone(), at);
        Ok(at as u32)
    }

    /// Bytes of registers and constants.
    pub(crate) fn bytes(&self) -> u32 {
        self.next.max(ALIGN)
    }

    /// Bytes of local memory.
    pub(crate) fn local_bytes(&self) -> u32 {
        self.local_next.next_multiple_of(256) as u32
    }
}
