//! What the device provides to a program: `vprintf` and the end of a failed assertion.

use super::block::Block;
use super::run::{Machine, Stop};
use super::wave::{Part, Wave};
use crate::code::{Call, Passed};
use crate::exec::context::Fault;
use crate::exec::lanes::bits;
use crate::exec::memory::get;
use crate::findings::Kind;
use crate::memory::heap;
use crate::memory::window::Space;
use crate::ops::printf;

/// Longest string that is read, and most output that is kept.
const STRING_LIMIT: usize = 1 << 16;
const OUTPUT_LIMIT: usize = 16 << 20;

/// `vprintf(format, arguments)`: prints for each lane in turn.
pub(crate) fn vprintf(
    machine: &mut Machine<'_>,
    block: &mut Block,
    w: usize,
    p: usize,
    call: &Call,
) -> Result<(), Stop> {
    let wave = &mut block.waves[w];
    let part = wave.parts[p];
    for half in 0..wave.halves {
        for lane in bits(Wave::half(part.mask, half)) {
            let [format, arguments] =
                [0, 1].map(|n| argument(machine, wave, &part, (half, lane), call, n));
            machine.bind(wave, part.frame, half, part.mask);
            let text = read_string(machine, lane, format);
            let mut packed = Packed {
                machine,
                lane,
                start: arguments,
            };
            let Ok((line, count)) = printf::format(&text, &mut packed);
            if machine.printed.len() + line.len() <= OUTPUT_LIMIT {
                machine.printed.extend(line);
            }
            if let Some(&result) = call.results.first() {
                let value = u64::from(count as u32).to_le_bytes();
                machine.write_passed(wave, part.mask, half, lane, (part.frame, result), &value);
            }
        }
    }
    Ok(())
}

/// `__assertfail(message, file, line, function, size)`.
pub(crate) fn assertion(
    machine: &mut Machine<'_>,
    block: &mut Block,
    w: usize,
    p: usize,
    call: &Call,
) {
    let wave = &mut block.waves[w];
    let part = wave.parts[p];
    let at = part.mask.trailing_zeros() as usize;
    let (half, lane) = ((at / 32).min(1), at % 32);
    let values: Vec<u64> = (0..4)
        .map(|n| argument(machine, wave, &part, (half, lane), call, n))
        .collect();
    machine.bind(wave, part.frame, half, part.mask);
    let text = |machine: &Machine<'_>, address| {
        String::from_utf8_lossy(&read_string(machine, lane, address)).into_owned()
    };
    let title = format!("assertion failed: {}", text(machine, values[0]));
    let note = format!(
        "{}:{}, in {}",
        text(machine, values[1]),
        values[2] as u32,
        text(machine, values[3])
    );
    machine.lanes.raise(Fault {
        kind: Kind::Assertion,
        pc: part.pc,
        at: machine.lanes.at,
        lane: Some(lane as u32),
        title,
        notes: vec![note],
        help: None,
    });
}

/// Argument `n` of a call, of one lane; 0 where there is none.
pub(crate) fn argument(
    machine: &mut Machine<'_>,
    wave: &mut Wave,
    part: &Part,
    (half, lane): (usize, usize),
    call: &Call,
    n: usize,
) -> u64 {
    let mut value = [0; 8];
    let passed = call.arguments.get(n).copied().unwrap_or(Passed::Nothing);
    let from = (part.frame, passed);
    machine.read_passed(wave, part.mask, half, lane, from, &mut value);
    u64::from_le_bytes(value)
}

/// The arguments of a `vprintf`, packed in memory; what cannot be read counts as 0.
struct Packed<'a, 'b> {
    machine: &'a Machine<'b>,
    lane: usize,
    start: u64,
}

impl printf::Arguments for Packed<'_, '_> {
    type Error = std::convert::Infallible;

    fn number(&mut self, offset: u32, bytes: u32) -> Result<u64, Self::Error> {
        let address = self.start.wrapping_add(offset.into());
        Ok(read_bytes(self.machine, self.lane, address, bytes as usize).unwrap_or(0))
    }

    fn string(&mut self, address: u64) -> Result<Vec<u8>, Self::Error> {
        Ok(read_string(self.machine, self.lane, address))
    }
}

/// Bytes at a generic address, little-endian; `None` outside memory.
fn read_bytes(machine: &Machine<'_>, lane: usize, address: u64, bytes: usize) -> Option<u64> {
    let mut value = 0;
    for k in 0..bytes {
        value |= u64::from(read_byte(machine, lane, address.wrapping_add(k as u64))?) << (8 * k);
    }
    Some(value)
}

fn read_byte(machine: &Machine<'_>, lane: usize, address: u64) -> Option<u8> {
    let lanes = &machine.lanes;
    let space = Space::of(address);
    let inner = address.wrapping_sub(space.base());
    let host = match space {
        Space::Global if address >= heap::FIRST => {
            lanes.memory.heap.place(address)?.range(address, 1)?
        }
        Space::Global => {
            let allocation = lanes.memory.below(address)?;
            let storage = allocation.storage.as_ref()?;
            let offset = address - allocation.base();
            // SAFETY: the offset lies inside the storage.
            (offset < allocation.len()).then(|| unsafe { storage.start().add(offset as usize) })?
        }
        Space::Shared => {
            if inner >= u64::from(lanes.shared_len) {
                return None;
            }
            // SAFETY: the offset lies inside the block's shared memory.
            unsafe { lanes.shared.add(inner as usize) }
        }
        Space::Local => {
            let stride = u64::from(lanes.local_stride);
            if inner >= stride {
                return None;
            }
            // SAFETY: each lane has `local_stride` bytes.
            unsafe { lanes.local.add(lane * stride as usize + inner as usize) }
        }
        Space::Param => return lanes.params.get(inner as usize).copied(),
    };
    // SAFETY: the pointer was made valid above, for one byte.
    Some(unsafe { get::<u8>(host) })
}

fn read_string(machine: &Machine<'_>, lane: usize, address: u64) -> Vec<u8> {
    let mut text = Vec::new();
    while text.len() < STRING_LIMIT {
        match read_byte(machine, lane, address.wrapping_add(text.len() as u64)) {
            Some(0) | None => break,
            Some(byte) => text.push(byte),
        }
    }
    text
}
