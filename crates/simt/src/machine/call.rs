//! Calls and returns.

use super::block::Block;
use super::heap;
use super::print;
use super::run::{Machine, Stop};
use super::wave::{Frame, Join, Part, State, Wave};
use crate::code::{Builtin, Call, Flow, JoinPlace, NONE, Passed, Target};
use crate::exec::lanes::{bits, vector};
use crate::findings::Kind;
use crate::memory::window;

/// The deepest nesting of calls.
const DEPTH_LIMIT: u32 = 1024;

impl Machine<'_> {
    /// `call`, all lanes of the part being active.
    pub(crate) fn call(
        &mut self,
        block: &mut Block,
        w: usize,
        p: usize,
        call: &Call,
    ) -> Result<(), Stop> {
        match call.target {
            Target::Function(function) => self.enter_function(block, w, p, call, function),
            Target::Indirect(register) => self.call_indirect(block, w, p, call, register),
            Target::Builtin(builtin @ (Builtin::Vprintf | Builtin::Malloc | Builtin::Free)) => {
                match builtin {
                    Builtin::Malloc => heap::malloc(self, block, w, p, call),
                    Builtin::Free => heap::free(self, block, w, p, call)?,
                    _ => print::vprintf(self, block, w, p, call)?,
                }
                let wave = &mut block.waves[w];
                wave.parts[p].pc += 1;
                wave.settle(self.meeting, p);
                Ok(())
            }
            Target::Builtin(Builtin::AssertFail) => {
                print::assertion(self, block, w, p, call);
                self.check_fault(block)
            }
        }
    }

    fn call_indirect(
        &mut self,
        block: &mut Block,
        w: usize,
        p: usize,
        call: &Call,
        register: u32,
    ) -> Result<(), Stop> {
        let wave = &mut block.waves[w];
        let part = wave.parts[p];
        let mut first = None;
        let mut same = 0;
        for half in 0..wave.halves {
            self.bind(wave, part.frame, half, part.mask);
            for lane in bits(self.lanes.mask) {
                // SAFETY: the target is a 64-bit register of the frame.
                let value = unsafe { (*vector::<u64>(&self.lanes, register))[lane] };
                if *first.get_or_insert(value) == value {
                    same |= 1u64 << (lane + 32 * half);
                }
            }
        }
        let address = first.unwrap_or(0);
        let number = address.wrapping_sub(window::CODE) / 16;
        let known = address >= window::CODE && address.is_multiple_of(16);
        let function = known
            .then(|| {
                self.code
                    .by_number
                    .get(usize::try_from(number).ok()?)
                    .copied()
                    .flatten()
            })
            .flatten()
            .filter(|&function| {
                let callee = &self.code.functions[function as usize];
                callee.params.len() == call.arguments.len()
                    && callee.returns.len() == call.results.len()
            });
        let Some(function) = function else {
            let lane = same.trailing_zeros() as usize;
            let title = format!("call of {address:#x}, which is no function of that signature");
            self.lanes.at.warp = wave.warp + (lane / 32) as u32;
            self.lanes
                .raise_at(Kind::InvalidCall, part.pc, lane & 31, title);
            return self.check_fault(block);
        };
        if same != part.mask {
            self.tally.divergent += 1;
            wave.diverge(
                self.meeting,
                p,
                same,
                [part.pc; 2],
                &[JoinPlace::of_all(part.pc + 1)],
            );
            return Ok(());
        }
        self.enter_function(block, w, p, call, function)
    }

    fn enter_function(
        &mut self,
        block: &mut Block,
        w: usize,
        p: usize,
        call: &Call,
        function: u32,
    ) -> Result<(), Stop> {
        let callee = &self.code.functions[function as usize];
        let wave = &mut block.waves[w];
        let part = wave.parts[p];
        let caller = &wave.frames[part.frame as usize];
        let caller_code = &self.code.functions[caller.function as usize];
        let (depth, local_base) = (caller.depth + 1, caller.end(caller_code.local_bytes));
        let local_end = local_base.saturating_add(callee.local_bytes);
        if depth > DEPTH_LIMIT || local_end > self.options.local_limit {
            let lane = part.mask.trailing_zeros() as usize;
            let title = format!(
                "the stack overflows: call number {depth} of `{}` needs {local_end} bytes of \
                 local memory, {} are allowed",
                callee.name, self.options.local_limit
            );
            self.lanes.at.warp = wave.warp + (lane / 32) as u32;
            self.lanes
                .raise_at(Kind::StackOverflow, part.pc, lane & 31, title);
            return self.check_fault(block);
        }
        wave.grow_local(local_end);
        let frame = self.take_frame(wave, function);
        let it = &mut wave.frames[frame as usize];
        (it.parent, it.call_pc, it.local_base) = (part.frame, part.pc, local_base);
        (it.live, it.depth) = (part.mask, depth);
        self.fill_specials(block, w, frame);
        let wave = &mut block.waves[w];
        for (from, to) in call.arguments.iter().zip(&callee.params) {
            self.pass(wave, &part, (part.frame, *from), (frame, *to));
        }
        let mut join = part.join;
        if self.meeting.joins {
            join = wave.new_join(Join {
                pc: part.pc + 1,
                region: NONE,
                frame: part.frame,
                expected: part.mask,
                arrived: 0,
                parent: part.join,
                used: true,
            });
        }
        wave.parts[p] = Part {
            pc: callee.start,
            frame,
            join,
            ..part
        };
        wave.settle(self.meeting, p);
        Ok(())
    }

    /// A frame of a function for a wave: a used one again, or a new one.
    pub(crate) fn take_frame(&mut self, wave: &mut Wave, function: u32) -> u32 {
        let template = &self.templates[function as usize * 2 + wave.halves - 1];
        let free = wave
            .frames
            .iter()
            .position(|f| !f.used && f.function == function);
        if let Some(index) = free {
            let frame = &mut wave.frames[index];
            // Constants are still in place; what a block left in registers shows only where one is
            // read before it is written.
            if function != 0 || !self.code.defined {
                frame.memory.copy_from(template);
            }
            frame.used = true;
            frame.stack.clear();
            return index as u32;
        }
        wave.frames.push(Frame {
            function,
            memory: template.clone(),
            parent: NONE,
            call_pc: NONE,
            local_base: 0,
            live: 0,
            depth: 0,
            used: true,
            stack: Vec::new(),
        });
        wave.frames.len() as u32 - 1
    }

    /// Copies a parameter of the part's lanes from one frame to another.
    fn pass(&mut self, wave: &mut Wave, part: &Part, from: (u32, Passed), to: (u32, Passed)) {
        for half in 0..wave.halves {
            for lane in bits(Wave::half(part.mask, half)) {
                let mut value = [0u8; 8];
                match (from.1, to.1) {
                    (
                        Passed::Memory {
                            offset: a,
                            bytes: n,
                        },
                        Passed::Memory {
                            offset: b,
                            bytes: m,
                        },
                    ) => {
                        let stride = wave.local_stride as usize;
                        let start = (half * 32 + lane) * stride;
                        let base = |frame: u32| wave.frames[frame as usize].local_base as usize;
                        let (source, target) = (
                            start + base(from.0) + a as usize,
                            start + base(to.0) + b as usize,
                        );
                        let len = n.min(m) as usize;
                        let copy = wave
                            .local
                            .bytes_mut(source, len)
                            .map(|bytes| bytes.to_vec());
                        if let (Some(copy), Some(into)) = (copy, wave.local.bytes_mut(target, len))
                        {
                            into.copy_from_slice(&copy);
                        }
                        let thread = (wave.warp + half as u32) * 32 + lane as u32;
                        let at = (base(to.0) + b as usize) as u64;
                        crate::watch::passed(
                            &mut self.lanes,
                            thread,
                            wave.local_stride,
                            at,
                            len as u64,
                        );
                    }
                    _ => {
                        self.read_passed(wave, part.mask, half, lane, from, &mut value);
                        self.write_passed(wave, part.mask, half, lane, to, &value);
                    }
                }
            }
        }
    }

    /// Reads up to eight bytes of a parameter of one lane.
    pub(crate) fn read_passed(
        &mut self,
        wave: &mut Wave,
        mask: u64,
        half: usize,
        lane: usize,
        (frame, passed): (u32, Passed),
        value: &mut [u8; 8],
    ) {
        match passed {
            Passed::Memory { offset, bytes } => {
                let start = (half * 32 + lane) * wave.local_stride as usize;
                let base = wave.frames[frame as usize].local_base as usize;
                let len = bytes.min(8) as usize;
                if let Some(bytes) = wave.local.bytes_mut(start + base + offset as usize, len) {
                    value[..len].copy_from_slice(bytes);
                }
            }
            Passed::Register { offset, bytes } => {
                self.bind(wave, frame, half, mask);
                // SAFETY: the register has elements of that many bytes in the bound frame.
                let bits = unsafe {
                    match bytes {
                        0 => u64::from(
                            *crate::exec::lanes::predicate(&self.lanes, offset) >> lane & 1,
                        ),
                        2 => u64::from((*vector::<u16>(&self.lanes, offset))[lane]),
                        4 => u64::from((*vector::<u32>(&self.lanes, offset))[lane]),
                        _ => (*vector::<u64>(&self.lanes, offset))[lane],
                    }
                };
                *value = bits.to_le_bytes();
            }
            Passed::Nothing => {}
        }
    }

    /// Writes up to eight bytes of a parameter of one lane.
    pub(crate) fn write_passed(
        &mut self,
        wave: &mut Wave,
        mask: u64,
        half: usize,
        lane: usize,
        (frame, passed): (u32, Passed),
        value: &[u8; 8],
    ) {
        match passed {
            Passed::Memory { offset, bytes } => {
                let start = (half * 32 + lane) * wave.local_stride as usize;
                let base = wave.frames[frame as usize].local_base as usize;
                let len = bytes.min(8) as usize;
                if let Some(bytes) = wave.local.bytes_mut(start + base + offset as usize, len) {
                    bytes.copy_from_slice(&value[..len]);
                }
                let thread = (wave.warp + half as u32) * 32 + lane as u32;
                let at = (base + offset as usize) as u64;
                let stride = wave.local_stride;
                crate::watch::passed(&mut self.lanes, thread, stride, at, len as u64);
            }
            Passed::Register { offset, bytes } => {
                self.bind(wave, frame, half, mask);
                let bits = u64::from_le_bytes(*value);
                // SAFETY: the register has elements of that many bytes in the bound frame.
                unsafe {
                    match bytes {
                        0 => {
                            let p = crate::exec::lanes::predicate(&self.lanes, offset);
                            *p = *p & !(1 << lane) | (bits as u32 & 1) << lane;
                        }
                        2 => (*vector::<u16>(&self.lanes, offset))[lane] = bits as u16,
                        4 => (*vector::<u32>(&self.lanes, offset))[lane] = bits as u32,
                        _ => (*vector::<u64>(&self.lanes, offset))[lane] = bits,
                    }
                }
            }
            Passed::Nothing => {}
        }
    }

    /// `ret` of a device function.
    pub(crate) fn return_lanes(&mut self, block: &mut Block, w: usize, p: usize) {
        let meeting = self.meeting;
        let wave = &mut block.waves[w];
        let part = wave.parts[p];
        let frame = &wave.frames[part.frame as usize];
        let (parent, call_pc, function) = (frame.parent, frame.call_pc, frame.function);
        let control = self.code.control_of[call_pc as usize] as usize;
        if let Flow::Call(call) = &self.code.controls[control].flow {
            let callee = &self.code.functions[function as usize];
            for (from, to) in callee.returns.iter().zip(&call.results) {
                self.pass(wave, &part, (part.frame, *from), (parent, *to));
            }
        }
        let frame = &mut wave.frames[part.frame as usize];
        frame.live &= !part.mask;
        frame.used = frame.live != 0;
        // Joins inside the callee no longer expect these lanes; the next is where the call returns.
        let join = if meeting.joins {
            wave.leave(meeting, part.mask, part.join, part.frame)
        } else {
            part.join
        };
        if let Some(p) = wave.find(part.id) {
            wave.parts[p] = Part {
                pc: call_pc + 1,
                frame: parent,
                join,
                state: State::Ready,
                ..part
            };
            wave.settle(meeting, p);
        }
    }
}
