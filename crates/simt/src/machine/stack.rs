//! The stack of a thread's local memory that grows while it runs (PTX ISA 9.7.17, "Stack
//! Manipulation Instructions"): it lies behind the frame of the function that allocates.

use super::block::Block;
use super::run::{Machine, Stop};
use super::wave::Wave;
use crate::code::StackOp;
use crate::exec::lanes::{bits, vector};
use crate::findings::Kind;

impl Machine<'_> {
    /// `stacksave`, `stackrestore`, `alloca`, all lanes of the part being active.
    pub(crate) fn stack(
        &mut self,
        block: &mut Block,
        w: usize,
        p: usize,
        op: StackOp,
    ) -> Result<(), Stop> {
        let wave = &mut block.waves[w];
        let part = wave.parts[p];
        let Some(frame) = wave.frames.get(part.frame as usize) else {
            return Ok(());
        };
        // Where the function's own variables end.
        let bottom = frame.local_base + self.code.functions[frame.function as usize].local_bytes;
        for half in 0..wave.halves {
            for lane in bits(Wave::half(part.mask, half)) {
                self.bind(wave, part.frame, half, part.mask);
                let at = half * 32 + lane;
                let top = bottom + wave.frames[part.frame as usize].dynamic(at);
                let top = match op {
                    StackOp::Save { d, bytes } => {
                        self.write_word(d, bytes, lane, top.into());
                        top
                    }
                    StackOp::Restore { a, bytes } => {
                        let to = self.read_word(a, bytes, lane);
                        if to < bottom.into() || to > top.into() {
                            let title = format!(
                                "stackrestore of {to:#x}: the function's stack is {bottom:#x} to \
                                 {top:#x}"
                            );
                            self.lanes.raise_at(Kind::OutOfBounds, part.pc, lane, title);
                            return self.check_fault(block);
                        }
                        to as u32
                    }
                    StackOp::Alloca {
                        d,
                        size,
                        bytes,
                        align,
                    } => {
                        let size = self.read_word(size, bytes, lane);
                        let start = u64::from(top).next_multiple_of(align.max(1).into());
                        let end = start.saturating_add(size);
                        let limit = self.options.local_limit;
                        if end > limit.into() {
                            let title = format!(
                                "the stack overflows: alloca of {size} bytes needs {end} bytes of \
                                 local memory, {limit} are allowed"
                            );
                            self.lanes
                                .raise_at(Kind::StackOverflow, part.pc, lane, title);
                            return self.check_fault(block);
                        }
                        wave.grow_local(end as u32);
                        self.write_word(d, bytes, lane, start);
                        end as u32
                    }
                };
                wave.frames[part.frame as usize].set_dynamic(at, top - bottom);
            }
        }
        wave.parts[p].pc += 1;
        wave.settle(self.meeting, p);
        Ok(())
    }

    /// A 32-bit or 64-bit register of the bound frame.
    fn read_word(&self, offset: u32, bytes: u32, lane: usize) -> u64 {
        // SAFETY: the decoder laid out a register of that many bytes.
        unsafe {
            match bytes {
                4 => (*vector::<u32>(&self.lanes, offset))[lane].into(),
                _ => (*vector::<u64>(&self.lanes, offset))[lane],
            }
        }
    }

    fn write_word(&mut self, offset: u32, bytes: u32, lane: usize, value: u64) {
        // SAFETY: as above.
        unsafe {
            match bytes {
                4 => (*vector::<u32>(&self.lanes, offset))[lane] = value as u32,
                _ => (*vector::<u64>(&self.lanes, offset))[lane] = value,
            }
        }
    }
}
