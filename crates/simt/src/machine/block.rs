//! A block: its warps and what they share.

use super::barrier::{BARRIERS, BarrierState};
use super::buffer::Buffer;
use super::meeting::Rendezvous;
use super::run::Machine;
use super::wave::{Part, State, Wave};
use crate::code::{Constant, NONE, Special};
use crate::exec::lanes::vector;
use crate::options::LaunchConfig;

/// A block of threads while it runs.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pub(crate) number: u64,
    pub(crate) index: [u32; 3],
    pub(crate) shape: [u32; 3],
    /// Coordinates of each thread, filled up to whole warps.
    pub(crate) threads: Vec<[u32; 3]>,
    pub(crate) waves: Vec<Wave>,
    pub(crate) shared: Buffer,
    pub(crate) shared_len: u32,
    /// Lanes that exist, by warp of 32.
    pub(crate) existing: Vec<u32>,
    /// Lanes that have not exited.
    pub(crate) live: Vec<u32>,
    pub(crate) barriers: Vec<BarrierState>,
    pub(crate) meetings: Vec<Rendezvous>,
    /// Wave and part that ran last.
    pub(crate) current: (usize, u32),
    /// A thread asked to let others run.
    pub(crate) yielded: bool,
    /// State of the random policies.
    pub(crate) random: u64,
    /// How long each wave was passed over, for the policies.
    pub(crate) turn: u64,
}

/// The coordinates of number `n` in a box.
pub(crate) fn coordinates(n: u64, shape: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(shape[0].max(1)), u64::from(shape[1].max(1)));
    [(n % x) as u32, (n / x % y) as u32, (n / x / y) as u32]
}

impl Machine<'_> {
    /// Makes `block` block number `number` of the grid, reusing what it holds.
    pub(crate) fn start_block(&mut self, block: &mut Block, number: u64, config: &LaunchConfig) {
        let threads = config.block.iter().map(|&n| u64::from(n)).product::<u64>();
        let warps = threads.div_ceil(32) as usize;
        let shared_len = self.code.shared_bytes + config.dynamic_shared;
        block.number = number;
        block.index = coordinates(number, config.grid);
        if block.shape != config.block {
            block.shape = config.block;
            let padded = 32 * (warps as u64).next_multiple_of(2);
            block.threads = (0..padded).map(|n| coordinates(n, config.block)).collect();
        }
        if block.shared.len() < shared_len as usize || block.shared_len != shared_len {
            block.shared = Buffer::new(shared_len as usize);
        } else {
            block.shared.clear();
        }
        block.shared_len = shared_len;
        block.existing = (0..warps)
            .map(|warp| {
                let lanes = (threads - 32 * warp as u64).min(32);
                u32::MAX >> (32 - lanes)
            })
            .collect();
        block.live = block.existing.clone();
        block.barriers.clear();
        block.barriers.resize(BARRIERS, BarrierState::default());
        block.meetings.clear();
        block.current = (0, 0);
        block.yielded = false;
        block.turn = 0;
        block.random = splitmix(self.options.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let layout = waves(&block.existing, self.options.width);
        block.waves.truncate(layout.len());
        block.waves.resize_with(layout.len(), Wave::default);
        for (w, (warp, halves, lanes)) in layout.into_iter().enumerate() {
            self.start_wave(block, w, warp, halves, lanes);
        }
        crate::watch::start_block(&mut self.lanes, block);
    }

    fn start_wave(&mut self, block: &mut Block, w: usize, warp: u32, halves: usize, lanes: u64) {
        let entry = &self.code.functions[0];
        let wave = &mut block.waves[w];
        if wave.halves != halves {
            *wave = Wave {
                halves,
                ..Wave::default()
            };
        }
        (wave.warp, wave.lanes, wave.live) = (warp, lanes, lanes);
        wave.parts.clear();
        wave.joins.clear();
        wave.next_id = 0;
        for frame in &mut wave.frames {
            frame.used = false;
        }
        wave.local.clear();
        wave.grow_local(entry.local_bytes);
        let frame = self.take_frame(wave, 0);
        let it = &mut wave.frames[frame as usize];
        (it.parent, it.call_pc, it.local_base) = (NONE, NONE, 0);
        (it.live, it.depth) = (lanes, 0);
        let part = Part {
            id: 0,
            mask: lanes,
            pc: entry.start,
            frame,
            join: NONE,
            state: State::Ready,
        };
        wave.push(part);
        self.fill_specials(block, w, frame);
    }

    /// Writes what special registers say into the slots of a frame.
    pub(crate) fn fill_specials(&mut self, block: &mut Block, w: usize, frame: u32) {
        let wave = &block.waves[w];
        let (function, halves) = (wave.frames[frame as usize].function, wave.halves);
        let code = self.code;
        for half in 0..halves {
            let wave = &mut block.waves[w];
            self.bind(wave, frame, half, wave.lanes);
            let warp = wave.warp + half as u32;
            for slot in &code.functions[function as usize].slots {
                let Constant::Special(special) = slot.constant else {
                    continue;
                };
                let Some(values) = special_values(block, special, warp) else {
                    // The same for the whole launch: the template has it.
                    continue;
                };
                // SAFETY: the slot is a register of that many bytes in the bound frame.
                unsafe {
                    match slot.bytes {
                        2 => {
                            *vector::<u16>(&self.lanes, slot.offset) = values.map(|v| v as u16);
                        }
                        4 => *vector::<u32>(&self.lanes, slot.offset) = values,
                        8 => *vector::<u64>(&self.lanes, slot.offset) = values.map(u64::from),
                        _ => {}
                    }
                }
            }
        }
    }
}

/// What a special register says to each lane of a warp, if that differs from block to block or
/// from lane to lane.
fn special_values(block: &Block, special: Special, warp: u32) -> Option<[u32; 32]> {
    let by_lane = |f: fn(u32) -> u32| std::array::from_fn(|lane| f(lane as u32));
    Some(match special {
        Special::Tid(axis) => {
            let first = warp as usize * 32;
            let mut values = [0; 32];
            let threads = block.threads.get(first..).unwrap_or(&[]);
            for (value, thread) in values.iter_mut().zip(threads) {
                *value = thread[axis as usize];
            }
            values
        }
        Special::Ctaid(axis) => [block.index[axis as usize]; 32],
        Special::LaneId => by_lane(|lane| lane),
        Special::WarpId => [warp; 32],
        Special::SmId => [(block.number % 132) as u32; 32],
        Special::LanemaskEq => by_lane(|lane| 1 << lane),
        Special::LanemaskLt => by_lane(|lane| (1 << lane) - 1),
        Special::LanemaskLe => by_lane(|lane| u32::MAX >> (31 - lane)),
        Special::LanemaskGt => by_lane(|lane| u32::MAX.checked_shl(lane + 1).unwrap_or(0)),
        Special::LanemaskGe => by_lane(|lane| u32::MAX << lane),
        _ => return None,
    })
}

/// Warp, halves and lanes of each wave of a block.
fn waves(existing: &[u32], width: u32) -> Vec<(u32, usize, u64)> {
    let mut waves = Vec::new();
    if width == 64 {
        for (pair, warps) in existing.chunks(2).enumerate() {
            let upper = warps.get(1).copied().unwrap_or(0);
            let lanes = u64::from(upper) << 32 | u64::from(warps[0]);
            waves.push((2 * pair as u32, warps.len(), lanes));
        }
        return waves;
    }
    let group = if width >= 32 {
        u32::MAX
    } else {
        (1 << width) - 1
    };
    for (warp, &lanes) in existing.iter().enumerate() {
        for part in 0..32 / width.clamp(1, 32) {
            let here = lanes & group.checked_shl(part * width).unwrap_or(0);
            if here != 0 {
                waves.push((warp as u32, 1, u64::from(here)));
            }
        }
    }
    waves
}

/// One step of SplitMix64.
pub(crate) fn splitmix(seed: u64) -> u64 {
    let x = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
