//! `malloc` and `free` (CUDA C++ Programming Guide, "Dynamic Global Memory Allocation and
//! Operations").

use super::block::Block;
use super::print::argument;
use super::run::{Machine, Stop};
use super::wave::Wave;
use crate::code::Call;
use crate::exec::context::Site;
use crate::exec::lanes::bits;
use crate::findings::Kind;
use crate::memory::heap::FreeError;

/// `malloc(bytes)`: a block for each lane in turn, or null.
pub(crate) fn malloc(
    machine: &mut Machine<'_>,
    block: &mut Block,
    w: usize,
    p: usize,
    call: &Call,
) {
    let wave = &mut block.waves[w];
    let part = wave.parts[p];
    for half in 0..wave.halves {
        for lane in bits(Wave::half(part.mask, half)) {
            let bytes = argument(machine, wave, &part, (half, lane), call, 0);
            let address = machine.lanes.memory.heap.alloc(bytes).unwrap_or(0);
            if let Some(&result) = call.results.first() {
                let value = address.to_le_bytes();
                machine.write_passed(wave, part.mask, half, lane, (part.frame, result), &value);
            }
        }
    }
}

/// `free(address)`, for each lane in turn; of null nothing.
pub(crate) fn free(
    machine: &mut Machine<'_>,
    block: &mut Block,
    w: usize,
    p: usize,
    call: &Call,
) -> Result<(), Stop> {
    let wave = &mut block.waves[w];
    let part = wave.parts[p];
    // What accesses remember may be freed.
    machine.lanes.sites.fill(Site::EMPTY);
    for half in 0..wave.halves {
        for lane in bits(Wave::half(part.mask, half)) {
            let address = argument(machine, wave, &part, (half, lane), call, 0);
            if address == 0 {
                continue;
            }
            let Err(error) = machine.lanes.memory.heap.free(address) else {
                continue;
            };
            let why = match error {
                FreeError::Twice => "which was freed before",
                FreeError::NotTheStart => "which `malloc` did not give",
            };
            let title = format!("free of {address:#x}, {why}");
            machine.lanes.at.warp = wave.warp + half as u32;
            machine
                .lanes
                .raise_at(Kind::InvalidFree, part.pc, lane, title);
            return machine.check_fault(block);
        }
    }
    Ok(())
}
