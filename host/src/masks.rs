//! Who is together where: the active masks of programs that part and meet, on any device, and as
//! they were recorded on a GPU.
//!
//! ```no_run
//! use lockstep::{Device, DeviceChoice, masks};
//!
//! # fn main() -> Result<(), lockstep::Error> {
//! let device = Device::open(DeviceChoice::Auto)?;
//! for program in masks::PROGRAMS {
//!     println!("{}: {:x?}", program.name, masks::record(&device, program)?);
//! }
//! # Ok(())
//! # }
//! ```

use kernels::programs::masks::{LANES, N};
pub use kernels::programs::masks::{PROGRAMS, Program};
use serde::{Deserialize, Serialize};

use crate::{Device, Error, LaunchConfig};

/// The lanes that come to each event, together or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached(pub Vec<u32>);

/// The groups of lanes that came to each event, in the order of their coming.
pub type Groups = Vec<Vec<u32>>;

/// What a machine did with every program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recording {
    /// The machine.
    pub device: String,
    /// The programs.
    pub programs: Vec<Recorded>,
}

/// What a machine did with one program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// The program's name.
    pub name: String,
    /// Its events.
    pub events: Groups,
}

/// What a launch has written: a value per event and lane.
pub(crate) struct Seen {
    /// The active mask; 0 where the lane did not come.
    pub(crate) masks: Vec<u32>,
    /// The clock.
    pub(crate) clocks: Vec<u64>,
}

/// Runs a program lane by lane on the host.
pub fn reached(program: &Program) -> Reached {
    let mut events = vec![0; program.events as usize];
    for lane in 0..LANES {
        (program.run)(lane, N, &mut |event| events[event as usize] |= 1 << lane);
    }
    Reached(events)
}

/// Runs a program on a device.
pub fn record(device: &Device, program: &Program) -> Result<Groups, Error> {
    let seen = launch(device, program)?;
    let lanes = LANES as usize;
    let events = seen.masks.chunks(lanes).zip(seen.clocks.chunks(lanes));
    Ok(events
        .map(|(masks, clocks)| groups(masks, clocks))
        .collect())
}

/// The different masks of one event, by the earliest clock of each.
fn groups(masks: &[u32], clocks: &[u64]) -> Vec<u32> {
    let mut came: Vec<_> = clocks
        .iter()
        .zip(masks)
        .filter(|(_, mask)| **mask != 0)
        .collect();
    came.sort_unstable();
    let mut groups = Vec::new();
    for (_, &mask) in came {
        if !groups.contains(&mask) {
            groups.push(mask);
        }
    }
    groups
}

pub(crate) fn launch(device: &Device, program: &Program) -> Result<Seen, Error> {
    let slots = (program.events * LANES) as usize;
    let masks = device.alloc::<u32>(slots)?;
    let clocks = device.alloc::<u64>(slots)?;
    let args = [masks.as_arg(), clocks.as_arg(), N.into()];
    // SAFETY: a slot per event and lane; n is what the program expects.
    unsafe { device.launch(program.kernel, LaunchConfig::linear(1, LANES), &args)? };
    Ok(Seen {
        masks: masks.download()?,
        clocks: clocks.download()?,
    })
}

/// What an H200 did: `lockstep masks --device cuda --json FILE` writes this.
pub fn h200() -> serde_json::Result<Recording> {
    serde_json::from_str(include_str!("masks/h200.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_come_in_the_order_of_the_clock() {
        let mut masks = [0; 32];
        let mut clocks = [0; 32];
        for lane in 0..4 {
            masks[lane] = if lane < 2 { 0b11 } else { 0b1100 };
            clocks[lane] = if lane < 2 { 70 } else { 50 };
        }
        assert_eq!(groups(&masks, &clocks), [0b1100, 0b11]);
        assert_eq!(groups(&[0; 32], &clocks), [0; 0]);
    }

    #[test]
    fn lanes_of_the_nested_loops() {
        let program = PROGRAMS
            .iter()
            .find(|program| program.name == "nested_break");
        let Reached(events) = reached(program.expect("it is there"));
        // Lane k leaves both loops at step k; lanes from 16 on never do.
        assert_eq!(events[..4], [u32::MAX, !0xf, !0xff, !0xfff]);
        let inner: Vec<u32> = (0..16).map(|step| u32::MAX << (step + 1)).collect();
        assert_eq!(events[4..20], inner);
        assert_eq!(events[20..24], [!0xf, !0xff, !0xfff, !0xffff]);
        assert_eq!(events[24], u32::MAX);
    }
}
