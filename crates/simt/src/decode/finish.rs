//! What can be said of a kernel once all of it is decoded: joins, stretches of straight code, and
//! whether the order of blocks can be told.

use super::defined;
use super::graph::{self, EXIT};
use super::{KernelBuilder, ModuleInfo};
use crate::code::{
    AccessKind, Builtin, Check, Code, Control, Flow, JoinPlace, NONE, Region, Source32, Target,
};
use crate::exec::lanes::{FULL, Ins};
use crate::exec::misc;
use crate::memory::window::Space;
use ptx::modifier::Flag;
use ptx::{Opcode, StateSpace};

/// Puts the tables together.
pub(crate) fn finish(
    info: &ModuleInfo,
    entry: &ptx::Function,
    mut builder: KernelBuilder,
    shared_bytes: u32,
) -> Code {
    let joins = joins(&mut builder);
    let events = builder
        .functions
        .first()
        .map_or_else(Default::default, |entry| {
            defined::events(
                &builder.effects,
                &successors(&builder, entry.start, entry.end),
            )
        });
    let defined = events.is_empty() && !builder.unfollowed;
    let (checked, checks) = checked(&builder);
    let count = builder.ins.len();
    let mut control_of = vec![NONE; count];
    for (&pc, &index) in &builder.control_at {
        control_of[pc as usize] = index;
    }
    let mut ends = vec![0; count];
    let mut ends_whole = vec![0; count];
    let (mut end, mut end_whole) = (count as u32, count as u32);
    for pc in (0..count).rev() {
        let control = builder
            .control_at
            .get(&(pc as u32))
            .map(|&index| &builder.controls[index as usize]);
        if control.is_some() {
            end = pc as u32;
        }
        if control.is_some_and(|control| !in_line(control, &builder)) {
            end_whole = pc as u32;
        }
        ends[pc] = end;
        ends_whole[pc] = end_whole;
        // Whoever comes from above stops at a join.
        if joins[pc] {
            end = pc as u32;
        }
    }
    let mut by_number = Vec::new();
    for (&number, &index) in &builder.indices {
        let needed = number as usize + 1;
        by_number.resize(by_number.len().max(needed), None);
        by_number[number as usize] = Some(index);
    }
    let max = entry
        .max_threads()
        .map(|n| n.iter().map(|&n| u64::from(n.max(1))).product());
    Code {
        name: entry.name.to_string(),
        order_free: order_free(info, &builder),
        functions: builder.functions,
        by_number,
        ins: builder.ins,
        info: builder.info,
        controls: builder.controls,
        control_of,
        guarded: builder.guarded,
        guards: builder.guards,
        accesses: builder.accesses,
        collectives: builder.collectives,
        joins: builder.joins,
        ends,
        ends_whole,
        params_len: builder.params_len,
        required_block: entry.required_threads().map(|n| n.map(|n| n.max(1))),
        max_threads: max,
        shared_bytes,
        checked,
        checks,
        defined,
        events,
    }
}

/// Whether a whole warp can run a control instruction as a straight one: an operation among all
/// lanes.
fn in_line(control: &Control, builder: &KernelBuilder) -> bool {
    let Flow::Collective(index) = control.flow else {
        return false;
    };
    let collective = &builder.collectives[index as usize];
    let whole = matches!(collective.members, None | Some(Source32::Uniform(FULL)));
    control.guard.is_none() && whole
}

/// Finds where the lanes that part at each branch meet, writes it into the branches, and returns
/// which instructions are such places.
fn joins(builder: &mut KernelBuilder) -> Vec<bool> {
    let mut places = vec![false; builder.ins.len()];
    for index in 0..builder.functions.len() {
        let (start, end) = (builder.functions[index].start, builder.functions[index].end);
        let found = graph::joins(&successors(builder, start, end));
        for (pc, meets) in (start..).zip(found).filter(|(_, meets)| !meets.is_empty()) {
            let Some(&control) = builder.control_at.get(&pc) else {
                continue;
            };
            let list = meets.into_iter().map(|place| {
                places[(start + place.at) as usize] = true;
                let region = place.within.map(|within| {
                    builder.joins.regions.push(Region {
                        start,
                        bits: within,
                    });
                    builder.joins.regions.len() as u32 - 1
                });
                JoinPlace {
                    pc: start + place.at,
                    region: region.unwrap_or(NONE),
                }
            });
            let list = list.collect();
            let flow = &mut builder.controls[control as usize].flow;
            if let Flow::Branch { joins, .. } | Flow::Table { joins, .. } = flow {
                *joins = builder.joins.lists.len() as u32;
                builder.joins.lists.push(list);
            }
        }
        let function = &builder.functions[index];
        // Lanes that parted in a callee meet where it returns to, and those that a guard kept from
        // a call or barrier behind that.
        for pc in function.start..function.end - 1 {
            let Some(&index) = builder.control_at.get(&pc) else {
                continue;
            };
            let control = &builder.controls[index as usize];
            let branch = matches!(control.flow, Flow::Branch { .. });
            if matches!(control.flow, Flow::Call(_)) || (control.guard.is_some() && !branch) {
                places[pc as usize + 1] = true;
            }
        }
    }
    places
}

/// For each instruction of a function those that may follow, counted from its start.
fn successors(builder: &KernelBuilder, start: u32, end: u32) -> Vec<Vec<u32>> {
    let local = |pc: u32| if pc == EXIT { EXIT } else { pc - start };
    (start..end)
        .map(|pc| {
            let control = builder.control_at.get(&pc);
            let control = control.map(|&index| &builder.controls[index as usize]);
            after(control, pc).into_iter().map(local).collect()
        })
        .collect()
}

/// The instructions with checks in front of those that need one.
fn checked(builder: &KernelBuilder) -> (Vec<Ins>, Vec<(Check, Ins)>) {
    let mut checked = builder.ins.clone();
    let mut checks = Vec::new();
    for &(pc, check) in &builder.checks {
        let Some(ins) = checked.get_mut(pc as usize) else {
            continue;
        };
        let pair = misc::checked();
        checks.push((check, *ins));
        let index = checks.len() as u64 - 1;
        *ins = Ins {
            full: pair.full,
            masked: pair.masked,
            imm: index,
            ..*ins
        };
    }
    (checked, checks)
}

/// The instructions that may follow one of a function.
fn after(control: Option<&Control>, pc: u32) -> Vec<u32> {
    let Some(control) = control else {
        return vec![pc + 1];
    };
    let mut next = match &control.flow {
        Flow::Branch { target, .. } => vec![*target],
        Flow::Table { targets, .. } => targets.to_vec(),
        Flow::Return | Flow::Exit => vec![EXIT],
        Flow::Trap => Vec::new(),
        Flow::Call(call) if matches!(call.target, Target::Builtin(Builtin::AssertFail)) => {
            Vec::new()
        }
        _ => vec![pc + 1],
    };
    if control.guard.is_some() && !next.contains(&(pc + 1)) {
        next.push(pc + 1);
    }
    next.sort_unstable();
    next.dedup();
    next
}

/// Whether nothing in the kernel can tell in which order blocks run: no strong access and no
/// atomic that could meet another block's, no clock, no output. Integer reductions without a
/// result commute, and so do not count.
fn order_free(info: &ModuleInfo, builder: &KernelBuilder) -> bool {
    let private = |space| matches!(space, Some(Space::Shared | Space::Local | Space::Param));
    let quiet = builder.accesses.iter().all(|access| {
        private(access.space) || matches!(access.kind, AccessKind::Load | AccessKind::Store)
    });
    let commuting = quiet || only_commuting(info, builder);
    let silent = builder.controls.iter().all(|control| match &control.flow {
        Flow::Call(call) => !matches!(call.target, Target::Builtin(_)),
        _ => true,
    });
    let clockless = builder
        .info
        .iter()
        .all(|info| !(info.text.contains("%clock") || info.text.contains("%globaltimer")));
    commuting && silent && clockless
}

/// Whether the atomics on memory that blocks share are integer reductions that commute.
fn only_commuting(info: &ModuleInfo, builder: &KernelBuilder) -> bool {
    let mut fine = true;
    for function in &builder.functions {
        let Some(function) = info.module.function(&function.name) else {
            return false;
        };
        function.for_each_instruction(|i| {
            let shared = matches!(i.space().map(StateSpace::base), Some(StateSpace::Shared));
            match i.opcode {
                Opcode::Atom => fine &= shared,
                // To the block's own shared memory, or with release to global memory.
                Opcode::StAsync | Opcode::RedAsync => fine &= i.has(Flag::CompleteTx),
                Opcode::CpReduceAsyncBulk => fine &= shared,
                Opcode::Red => {
                    use ptx::modifier::Operation as O;
                    let integer = i.ty(0).is_some_and(|ty| !ty.is_float());
                    let commutes = matches!(
                        i.operation(),
                        Some(O::Add | O::Min | O::Max | O::And | O::Or | O::Xor)
                    );
                    fine &= shared || (integer && commutes && i.order().is_none_or(relaxed));
                }
                Opcode::Ld | Opcode::St | Opcode::Ldu => {
                    fine &= shared
                        || i.order()
                            .is_none_or(|order| order == ptx::modifier::Order::Weak);
                }
                _ => {}
            }
        });
    }
    fine
}

fn relaxed(order: ptx::modifier::Order) -> bool {
    matches!(order, ptx::modifier::Order::Relaxed)
}
