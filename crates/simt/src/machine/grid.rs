//! A launch: blocks onto machines.

use super::block::Block;
use super::buffer::Buffer;
use super::join::Meeting;
use super::place::place;
use super::run::{Machine, Stop};
use super::schedule::Progress;
use crate::code::{Code, Constant, Special};
use crate::counters::{Profile, Tally};
use crate::error::SimtError;
use crate::exec::context::{At, Lanes};
use crate::findings::{Finding, Kind};
use crate::memory::Memory;
use crate::options::{LaunchConfig, Options};
use crate::trace::{Recorder, Step};
use crate::watch::Watch;
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// What all machines of a launch share.
#[derive(Debug)]
pub(crate) struct Grid {
    pub(crate) config: LaunchConfig,
    /// Addresses of the module's variables.
    pub(crate) symbols: Vec<u64>,
}

/// Instructions after which a block lets another run, where there are several.
const TURN: u64 = 1 << 16;

/// What a launch gave.
pub(crate) struct Outcome {
    pub(crate) tally: Tally,
    pub(crate) findings: Vec<Finding>,
    pub(crate) printed: Vec<u8>,
}

/// Everything that a launch needs.
pub(crate) struct Launch<'a> {
    pub(crate) code: &'a Code,
    pub(crate) grid: &'a Grid,
    pub(crate) params: &'a [u8],
    pub(crate) memory: &'a Memory,
    pub(crate) options: &'a Options,
}

impl<'a> Launch<'a> {
    fn machine(&self, templates: &'a [Buffer]) -> Machine<'a> {
        let options = self.options;
        let mut lanes = Lanes::new(self.code, self.memory, self.params);
        if options.checks.any() || options.profile {
            lanes.watch = Some(Box::new(Watch::new(self.code, options)));
        }
        let profile = options.profile.then(|| Profile::new(self.code.ins.len()));
        Machine {
            code: self.code,
            instructions: if options.checks.arithmetic {
                &self.code.checked
            } else {
                &self.code.ins
            },
            lanes,
            options,
            meeting: Meeting::of(options.model, options.policy, self.code),
            grid: self.grid,
            templates,
            tally: Tally {
                profile,
                ..Tally::default()
            },
            findings: Vec::new(),
            printed: Vec::new(),
            recorder: None,
            asks_seen: 0,
            budget: options.budget,
        }
    }

    /// Runs all blocks, one machine taking them in turns.
    pub(crate) fn run(
        &self,
        sink: Option<&mut (dyn FnMut(&Step) + Send)>,
    ) -> Result<Outcome, SimtError> {
        let templates = self.templates();
        let mut machine = self.machine(&templates);
        let request = self.options.trace.clone().unwrap_or_default();
        machine.recorder = sink.map(|sink| Recorder {
            request,
            sink,
            count: 0,
        });
        let total = self.blocks();
        let most = if self.grid.config.cooperative {
            usize::MAX
        } else {
            self.options.resident_blocks.max(1)
        };
        let mut waiting: VecDeque<Block> = VecDeque::new();
        let mut spare: Vec<Block> = Vec::new();
        let mut next = 0;
        let limit = if total > 1 { TURN } else { u64::MAX };
        // A block whose turn ended although it asked nobody goes on.
        let mut current: Option<Block> = None;
        while next < total || !waiting.is_empty() || current.is_some() {
            let block = if let Some(block) = current.take() {
                Some(block)
            } else if next < total && waiting.len() < most {
                let mut block = spare.pop().unwrap_or_default();
                machine.start_block(&mut block, next, &self.grid.config);
                next += 1;
                Some(block)
            } else {
                waiting.pop_front()
            };
            let Some(mut block) = block else { break };
            let asks = machine.lanes.asks;
            match machine.run_block(&mut block, limit) {
                Ok(Progress::Done) => {
                    machine.tally.blocks += 1;
                    spare.push(block);
                }
                Ok(Progress::Running) if machine.lanes.asks == asks => current = Some(block),
                Ok(Progress::Running) => waiting.push_back(block),
                Err(stop) => return Err(self.error(&machine, &block, stop)),
            }
        }
        Ok(finish(machine))
    }

    /// Runs all blocks on several threads; only for kernels that cannot tell.
    pub(crate) fn run_parallel(&self, workers: usize) -> Result<Outcome, SimtError> {
        let templates = self.templates();
        let (next, total) = (AtomicU64::new(0), self.blocks());
        let failed = AtomicBool::new(false);
        let done: Mutex<Vec<(u64, Result<Outcome, SimtError>)>> = Mutex::new(Vec::new());
        let work = || {
            let mut machine = self.machine(&templates);
            machine.lanes.exclusive = false;
            let mut block = Block::default();
            let mut result = None;
            while !failed.load(Relaxed) {
                // The lowest blocks first: whatever fails, the first failure is the same.
                let number = next.fetch_add(1, Relaxed);
                if number >= total {
                    break;
                }
                machine.start_block(&mut block, number, &self.grid.config);
                match machine.run_block(&mut block, u64::MAX) {
                    Ok(_) => machine.tally.blocks += 1,
                    Err(stop) => {
                        failed.store(true, Relaxed);
                        result = Some((number, Err(self.error(&machine, &block, stop))));
                        break;
                    }
                }
            }
            let result = result.unwrap_or_else(|| (u64::MAX, Ok(finish(machine))));
            if let Ok(mut done) = done.lock() {
                done.push(result);
            }
        };
        rayon::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|_| work());
            }
        });
        let mut results = done.into_inner().unwrap_or_default();
        results.sort_by_key(|(number, _)| *number);
        let mut all = Outcome {
            tally: Tally::default(),
            findings: Vec::new(),
            printed: Vec::new(),
        };
        for (_, result) in results {
            all.tally.merge(&result?.tally);
        }
        Ok(all)
    }

    fn blocks(&self) -> u64 {
        self.grid
            .config
            .grid
            .iter()
            .map(|&n| u64::from(n))
            .product()
    }

    /// Frames with constants in place: for each function one of one half and one of two.
    fn templates(&self) -> Vec<Buffer> {
        let mut templates = Vec::new();
        for function in &self.code.functions {
            for halves in [1, 2] {
                let bytes = function.frame_bytes as usize;
                let mut frame = Buffer::new(bytes * halves);
                for half in 0..halves {
                    for slot in &function.slots {
                        let Some(value) = self.constant(&slot.constant, slot.bytes) else {
                            continue;
                        };
                        let at = half * bytes + slot.offset as usize;
                        fill(&mut frame, at, slot.bytes, value);
                    }
                }
                templates.push(frame);
            }
        }
        templates
    }

    /// The value of a constant, unless it differs from block to block or thread to thread.
    fn constant(&self, constant: &Constant, bytes: u32) -> Option<u64> {
        let config = &self.grid.config;
        let threads: u64 = config.block.iter().map(|&n| u64::from(n)).product();
        Some(match constant {
            Constant::Bits(bits) => *bits,
            Constant::Symbol(index, offset) => {
                let base = self.grid.symbols.get(*index as usize).copied().unwrap_or(0);
                base.wrapping_add(*offset as u64)
            }
            Constant::Param {
                offset,
                bytes: len,
                signed,
            } => {
                let (offset, len) = (*offset as usize, *len as usize);
                let slice = self.params.get(offset..offset + len)?;
                let bits = slice
                    .iter()
                    .rev()
                    .fold(0u64, |value, &b| value << 8 | u64::from(b));
                let up = 64 - 8 * len as u32;
                let _ = bytes;
                if *signed {
                    ((bits << up) as i64 >> up) as u64
                } else {
                    bits
                }
            }
            Constant::Special(special) => match special {
                Special::Ntid(axis) => config.block[*axis as usize].into(),
                Special::Nctaid(axis) => config.grid[*axis as usize].into(),
                Special::WarpCount => threads.div_ceil(32),
                Special::SmCount => 132,
                Special::GridId | Special::Zero => 0,
                Special::One => 1,
                Special::DynamicShared => config.dynamic_shared.into(),
                Special::TotalShared => u64::from(self.code.shared_bytes + config.dynamic_shared),
                _ => return None,
            },
        })
    }

    fn error(&self, machine: &Machine<'_>, block: &Block, stop: Stop) -> SimtError {
        match stop {
            Stop::Fault(mut finding) => {
                // What was found before would be lost with the launch.
                finding
                    .notes
                    .extend(machine.findings.iter().take(8).map(|before| {
                        let here = &before.here;
                        format!(
                            "before this, {}: {} (PTX line {})",
                            before.kind.name(),
                            before.title,
                            here.ptx_line
                        )
                    }));
                SimtError::Fault(finding)
            }
            Stop::Budget => {
                let (w, id) = block.current;
                let wave = block.waves.get(w).or(block.waves.first());
                let part = wave.and_then(|wave| {
                    wave.find(id)
                        .map(|p| wave.parts[p])
                        .or(wave.parts.first().copied())
                });
                let (warp, pc, lane) = match (wave, part) {
                    (Some(wave), Some(part)) => {
                        (wave.warp, part.pc, part.mask.trailing_zeros() & 31)
                    }
                    _ => (0, 0, 0),
                };
                let at = At {
                    block: block.number,
                    warp,
                };
                let config = &self.grid.config;
                let title = format!(
                    "the launch does not end: {} warp instructions were executed",
                    self.options.budget
                );
                let mut notes = Vec::new();
                for wave in &block.waves {
                    for part in &wave.parts {
                        let info = self.code.info.get(part.pc as usize);
                        let text = info.map_or_else(String::new, |i| {
                            format!("PTX line {}: {}", i.line, i.text)
                        });
                        notes.push(format!(
                            "warp {}, lanes {:#010x} at {text}",
                            wave.warp, part.mask
                        ));
                    }
                }
                notes.truncate(16);
                SimtError::Fault(Box::new(Finding {
                    kind: Kind::Livelock,
                    title,
                    here: place(self.code, at, config.grid, config.block, pc, Some(lane)),
                    earlier: Vec::new(),
                    notes,
                    help: Some("raise the budget if the kernel really needs that many".to_owned()),
                    repeats: 0,
                }))
            }
        }
    }
}

/// The results of a machine.
fn finish(mut machine: Machine<'_>) -> Outcome {
    machine.tally.predicated_off = machine.lanes.predicated_off;
    if let Some(watch) = &machine.lanes.watch {
        machine.tally.memory = watch.memory;
    }
    Outcome {
        tally: machine.tally,
        findings: machine.findings,
        printed: machine.printed,
    }
}

/// Fills a register with one value.
fn fill(frame: &mut Buffer, at: usize, bytes: u32, value: u64) {
    if bytes == 0 {
        let mask = if value & 1 != 0 { u32::MAX } else { 0 };
        if let Some(slot) = frame.bytes_mut(at, 4) {
            slot.copy_from_slice(&mask.to_le_bytes());
        }
        return;
    }
    let wide = u128::from(value).to_le_bytes();
    let bytes = bytes as usize;
    if let Some(register) = frame.bytes_mut(at, bytes * 32) {
        for lane in register.chunks_exact_mut(bytes) {
            lane.copy_from_slice(&wide[..bytes]);
        }
    }
}
