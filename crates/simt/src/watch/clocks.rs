//! What is ordered before what inside a block.
//!
//! Each warp counts its synchronisations. An access is stamped with its thread and the warp's
//! count. For another warp it is enough to know up to which count its accesses are ordered before
//! one's own; inside a warp the same is known for every pair of lanes.

use crate::exec::lanes::{FULL, bits};
use std::collections::HashMap;

/// The clocks of a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clocks {
    /// Synchronisations of each warp.
    now: Vec<u32>,
    /// `across[w][v]`: accesses of warp `v` with a lower stamp come before those of `w`.
    across: Vec<Vec<u32>>,
    /// `inside[w][i][j]`: the same for lanes `j` and `i` of warp `w`.
    inside: Vec<Vec<[u32; 32]>>,
    /// What a location that threads synchronise through hands on, by address.
    published: HashMap<u64, Vec<u32>>,
}

impl Clocks {
    pub(crate) fn new(warps: usize) -> Clocks {
        Clocks {
            now: vec![0; warps],
            across: vec![vec![0; warps]; warps],
            inside: vec![vec![[0; 32]; 32]; warps],
            published: HashMap::new(),
        }
    }

    /// The stamp of an access that warp `w` makes now.
    pub(crate) fn stamp(&self, w: u32) -> u32 {
        self.now.get(w as usize).copied().unwrap_or(0)
    }

    /// Whether an access of thread `before` with this stamp is ordered before what thread `now`
    /// does. Threads are 32 times the warp, plus the lane.
    pub(crate) fn ordered(&self, before: u32, stamp: u32, now: u32) -> bool {
        if before == now {
            return true;
        }
        let (v, w) = ((before / 32) as usize, (now / 32) as usize);
        let known = if v == w {
            let (i, j) = ((now % 32) as usize, (before % 32) as usize);
            self.inside.get(w).map(|lanes| lanes[i][j])
        } else {
            self.across.get(w).and_then(|known| known.get(v)).copied()
        };
        known.is_some_and(|known| known > stamp)
    }

    /// Lanes of a warp meet in `bar.warp.sync`.
    pub(crate) fn warp_sync(&mut self, warp: u32, group: u32) {
        let w = warp as usize;
        let (Some(now), Some(lanes)) = (self.now.get_mut(w), self.inside.get_mut(w)) else {
            return;
        };
        *now += 1;
        if group == FULL {
            lanes.fill([*now; 32]);
            return;
        }
        let mut joined = [0; 32];
        for i in bits(group) {
            for j in 0..32 {
                joined[j] = joined[j].max(lanes[i][j]);
            }
        }
        for i in bits(group) {
            joined[i] = *now;
        }
        for i in bits(group) {
            lanes[i] = joined;
        }
    }

    /// Warps meet at a barrier, by the lanes that arrived.
    pub(crate) fn barrier(&mut self, arrived: &[u32]) {
        let met: Vec<usize> = (0..arrived.len()).filter(|&w| arrived[w] != 0).collect();
        let mut joined = vec![0; self.now.len()];
        for &w in &met {
            if let (Some(now), Some(lanes)) = (self.now.get_mut(w), self.inside.get_mut(w)) {
                *now += 1;
                lanes.fill([*now; 32]);
            }
            for (mine, theirs) in joined
                .iter_mut()
                .zip(self.across.get(w).into_iter().flatten())
            {
                *mine = (*mine).max(*theirs);
            }
        }
        for &w in &met {
            if let (Some(slot), Some(&now)) = (joined.get_mut(w), self.now.get(w)) {
                *slot = now;
            }
        }
        for &w in &met {
            if let Some(known) = self.across.get_mut(w) {
                known.clone_from(&joined);
            }
        }
    }

    /// A thread writes a location that others synchronise through: what is ordered before it is
    /// handed on.
    pub(crate) fn publish(&mut self, thread: u32, location: u64) {
        let w = (thread / 32) as usize;
        let Some(known) = self.across.get(w) else {
            return;
        };
        let entry = self
            .published
            .entry(location)
            .or_insert_with(|| vec![0; known.len()]);
        for (slot, known) in entry.iter_mut().zip(known) {
            *slot = (*slot).max(*known);
        }
        if let Some(now) = self.now.get_mut(w) {
            *now += 1;
            entry[w] = entry[w].max(*now);
        }
    }

    /// A thread reads such a location: what was handed on comes before what it does next.
    pub(crate) fn receive(&mut self, thread: u32, location: u64) {
        let w = (thread / 32) as usize;
        let Some(published) = self.published.get(&location) else {
            return;
        };
        if let Some(known) = self.across.get_mut(w) {
            for (slot, published) in known.iter_mut().zip(published) {
                *slot = (*slot).max(*published);
            }
        }
        if let (Some(lanes), Some(&own)) = (self.inside.get_mut(w), published.get(w)) {
            for slot in &mut lanes[(thread % 32) as usize] {
                *slot = (*slot).max(own);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_barrier_orders_all_that_came_before() {
        let mut clocks = Clocks::new(3);
        let stamp = clocks.stamp(0);
        assert!(!clocks.ordered(0, stamp, 32) && !clocks.ordered(0, stamp, 1));
        assert!(clocks.ordered(0, stamp, 0));
        clocks.barrier(&[FULL, FULL, 0]);
        assert!(clocks.ordered(0, stamp, 32) && clocks.ordered(0, stamp, 1));
        assert!(!clocks.ordered(0, stamp, 64), "warp 2 was not there");
        assert!(
            !clocks.ordered(0, clocks.stamp(0), 32),
            "what follows the barrier is not ordered"
        );
        // By way of warp 1, warp 2 learns of warp 0.
        clocks.barrier(&[0, FULL, FULL]);
        assert!(clocks.ordered(0, stamp, 64));
    }

    #[test]
    fn a_warp_sync_orders_its_lanes_only() {
        let mut clocks = Clocks::new(1);
        let stamp = clocks.stamp(0);
        clocks.warp_sync(0, 0b0110);
        assert!(clocks.ordered(1, stamp, 2) && !clocks.ordered(1, stamp, 3));
        clocks.warp_sync(0, 0b1100);
        assert!(clocks.ordered(1, stamp, 3), "by way of lane 2");
    }

    #[test]
    fn a_flag_hands_on() {
        let mut clocks = Clocks::new(2);
        let stamp = clocks.stamp(0);
        clocks.publish(0, 64);
        clocks.receive(33, 64);
        assert!(clocks.ordered(0, stamp, 33));
        assert!(!clocks.ordered(0, clocks.stamp(0), 33));
    }
}
