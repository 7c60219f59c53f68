//! Which registers may be read before anything wrote them.
//!
//! A forward data flow over the entry's instructions finds the registers that are written on every
//! way to each of their uses: nearly all. Only the others are followed while the kernel runs.

use super::function::Decoder;
use super::names::Named;
use super::operands::register_bytes;
use crate::code::{Guard, RegisterEvent};
use ptx::{Instruction, Opcode, Operand, SmolStr};
use std::collections::HashMap;

/// Registers that an instruction reads and writes, by their offsets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effects {
    pub(crate) uses: Vec<(u32, SmolStr)>,
    pub(crate) defines: Vec<u32>,
    pub(crate) guard: Option<Guard>,
}

impl Decoder<'_> {
    /// What an instruction reads and writes.
    pub(crate) fn effects(&mut self, i: &Instruction, guard: Option<Guard>) -> Effects {
        let mut effects = Effects {
            guard,
            ..Effects::default()
        };
        if let Some(guard) = &i.guard {
            self.note_use(&guard.register, &mut effects);
        }
        let writes_first = writes_first(i);
        for (n, operand) in i.operands.iter().enumerate() {
            let defines = n == 0 && writes_first;
            self.visit(operand, defines, &mut effects);
        }
        effects
    }

    fn visit(&mut self, operand: &Operand, defines: bool, effects: &mut Effects) {
        match operand {
            Operand::Name(name)
            | Operand::Element(name, _)
            | Operand::Not(name)
            | Operand::Minus(name, _) => {
                if defines {
                    if let Some(offset) = self.offset_of(name) {
                        effects.defines.push(offset);
                    }
                } else {
                    self.note_use(name, effects);
                }
            }
            Operand::Address(address) => {
                if let Some(name) = address.name() {
                    self.note_use(name, effects);
                }
            }
            Operand::Pair(pair) => pair.iter().for_each(|o| self.visit(o, defines, effects)),
            Operand::Vector(list) | Operand::List(list) => {
                list.iter().for_each(|o| self.visit(o, defines, effects));
            }
            _ => {}
        }
    }

    fn note_use(&mut self, name: &str, effects: &mut Effects) {
        if let Some(offset) = self.offset_of(name) {
            effects.uses.push((offset, SmolStr::new(name)));
        }
    }

    fn offset_of(&mut self, name: &str) -> Option<u32> {
        match self.names.find(self.scope, name) {
            Some((key, Named::Register { ty, count: 1 })) => {
                Some(self.frame.register(&key, register_bytes(ty), 1))
            }
            // The elements of a vector register are not told apart: they are left out.
            Some((_, Named::Register { .. })) => {
                self.kernel.unfollowed = true;
                None
            }
            _ => None,
        }
    }
}

fn writes_first(i: &Instruction) -> bool {
    use Opcode as O;
    match i.opcode {
        O::St | O::Red | O::Bra | O::BrxIdx | O::Ret | O::Exit | O::Trap | O::Brkpt => false,
        O::Membar | O::Fence | O::CpAsync | O::Nanosleep | O::BarWarpSync | O::Prefetch => false,
        O::Prefetchu | O::Discard | O::Applypriority | O::Pmevent | O::Stackrestore => false,
        O::Bar | O::Barrier => i.has(ptx::modifier::Flag::Red),
        O::Call => matches!(i.operands.first(), Some(Operand::List(_))) && i.operands.len() > 1,
        _ => true,
    }
}

/// The events to follow: by instruction, its reads of registers that may not have been written,
/// and all writes of those registers.
pub(crate) fn events(
    effects: &[Effects],
    successors: &[Vec<u32>],
) -> HashMap<u32, Vec<RegisterEvent>> {
    let mut numbers: HashMap<u32, usize> = HashMap::new();
    for effect in effects {
        for &register in effect
            .defines
            .iter()
            .chain(effect.uses.iter().map(|(r, _)| r))
        {
            let next = numbers.len();
            numbers.entry(register).or_insert(next);
        }
    }
    let words = numbers.len().div_ceil(64);
    // What is certainly written before each instruction; unknown until it is reached.
    let mut before: Vec<Option<Vec<u64>>> = vec![None; effects.len()];
    let mut work = Vec::new();
    if let Some(first) = before.first_mut() {
        *first = Some(vec![0; words]);
        work.push(0usize);
    }
    while let Some(at) = work.pop() {
        let Some(mut state) = before[at].clone() else {
            continue;
        };
        if effects[at].guard.is_none() {
            for register in &effects[at].defines {
                let n = numbers[register];
                state[n / 64] |= 1 << (n % 64);
            }
        }
        for &next in &successors[at] {
            let Some(known) = before.get_mut(next as usize) else {
                continue;
            };
            match known {
                None => {
                    *known = Some(state.clone());
                    work.push(next as usize);
                }
                Some(known) => {
                    let mut changed = false;
                    for (mine, theirs) in known.iter_mut().zip(&state) {
                        changed |= *mine & !theirs != 0;
                        *mine &= theirs;
                    }
                    if changed {
                        work.push(next as usize);
                    }
                }
            }
        }
    }
    let certain = |at: usize, register: u32| {
        let n = numbers[&register];
        before[at]
            .as_ref()
            .is_none_or(|state| state[n / 64] >> (n % 64) & 1 != 0)
    };
    let mut followed: Vec<u32> = Vec::new();
    for (at, effect) in effects.iter().enumerate() {
        followed.extend(
            effect
                .uses
                .iter()
                .map(|(r, _)| *r)
                .filter(|&r| !certain(at, r)),
        );
    }
    followed.sort_unstable();
    followed.dedup();
    let mut events: HashMap<u32, Vec<RegisterEvent>> = HashMap::new();
    for (at, effect) in effects.iter().enumerate() {
        let uses = effect
            .uses
            .iter()
            .filter(|(r, _)| !certain(at, *r))
            .map(|(register, name)| RegisterEvent {
                register: *register,
                read: Some(name.to_string()),
                guard: None,
            });
        let defines = effect
            .defines
            .iter()
            .filter(|r| followed.binary_search(r).is_ok());
        let defines = defines.map(|&register| RegisterEvent {
            register,
            read: None,
            guard: effect.guard,
        });
        let here: Vec<RegisterEvent> = uses.chain(defines).collect();
        if !here.is_empty() {
            events.insert(at as u32, here);
        }
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(uses: &[u32], defines: &[u32]) -> Effects {
        let uses = uses.iter().map(|&r| (r, SmolStr::new("r"))).collect();
        Effects {
            uses,
            defines: defines.to_vec(),
            guard: None,
        }
    }

    #[test]
    fn written_on_every_way_is_not_followed() {
        // 0: branch to 1 or 2; both write r1; 3 reads it.
        let effects = [
            effect(&[], &[]),
            effect(&[], &[1]),
            effect(&[], &[1]),
            effect(&[1], &[]),
        ];
        let successors = [vec![1, 2], vec![3], vec![3], vec![]];
        assert!(events(&effects, &successors).is_empty());
    }

    #[test]
    fn written_on_one_way_is() {
        let effects = [
            effect(&[], &[]),
            effect(&[], &[1]),
            effect(&[], &[]),
            effect(&[1], &[]),
        ];
        let successors = [vec![1, 2], vec![3], vec![3], vec![]];
        let events = events(&effects, &successors);
        assert_eq!(events.len(), 2);
        assert_eq!(events[&3][0].read.as_deref(), Some("r"));
        assert_eq!(events[&1][0].read, None);
    }
}
