//! Sectors of global memory and banks of shared memory that an access touches.

use crate::code::Access;
use crate::counters::MemoryCounters;
use crate::exec::context::Lanes;
use crate::exec::lanes::{LANES, bits};
use crate::memory::window::Space;

/// Bytes of a sector.
const SECTOR: u64 = 32;

/// Counts one access of a warp.
pub(super) fn count(
    counters: &mut MemoryCounters,
    lanes: &Lanes<'_>,
    access: &Access,
    at: &[u64; LANES],
    bytes: u64,
) {
    let mut global = [0; LANES];
    let mut shared = [0; LANES];
    let (mut globals, mut shareds) = (0, 0);
    for lane in bits(lanes.mask) {
        match Lanes::locate(access, at[lane]) {
            (Space::Global, address) => {
                global[globals] = address;
                globals += 1;
            }
            (Space::Shared, address) => {
                shared[shareds] = address;
                shareds += 1;
            }
            _ => {}
        }
    }
    if globals > 0 {
        counters.requests += 1;
        counters.bytes += globals as u64 * bytes;
        counters.sectors += sectors(&mut global[..globals], bytes);
    }
    if shareds > 0 {
        counters.shared_requests += 1;
        counters.shared_passes += passes(&shared[..shareds], bytes);
    }
}

/// Different sectors among accesses of so many bytes.
fn sectors(addresses: &mut [u64], bytes: u64) -> u64 {
    addresses.sort_unstable();
    let (mut count, mut next) = (0, 0);
    for &address in &*addresses {
        // The address may be anything: the access has not been looked at yet.
        let last = address.saturating_add(bytes.max(1) - 1) / SECTOR;
        let first = address / SECTOR;
        let from = first.max(next);
        if last >= from {
            count += last - from + 1;
            next = last + 1;
        }
    }
    count
}

/// Passes that the 32 banks of four bytes need: accesses of 8 and 16 bytes go by halves and
/// quarters of a warp; lanes that read the same word share it.
fn passes(addresses: &[u64], bytes: u64) -> u64 {
    let together = (128 / bytes.clamp(4, 128)) as usize;
    let mut total = 0;
    for group in addresses.chunks(together.max(1)) {
        let mut words: Vec<u64> = group
            .iter()
            .flat_map(|&address| (address / 4)..=(address.saturating_add(bytes.max(1) - 1) / 4))
            .collect();
        words.sort_unstable();
        words.dedup();
        let mut banks = [0u64; 32];
        for word in words {
            banks[(word % 32) as usize] += 1;
        }
        total += banks.iter().copied().max().unwrap_or(1).max(1);
    }
    // A wide access takes several passes even without conflicts: those are not conflicts.
    let least = addresses.len().div_ceil(together.max(1)) as u64;
    total - least + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(f: impl Fn(u64) -> u64) -> Vec<u64> {
        (0..32).map(f).collect()
    }

    #[test]
    fn sectors_by_stride() {
        for (stride, expected) in [(4, 4), (8, 8), (16, 16), (32, 32), (128, 32), (0, 1)] {
            assert_eq!(
                sectors(&mut lanes(|i| 4096 + i * stride), 4),
                expected,
                "stride {stride}"
            );
        }
        assert_eq!(sectors(&mut lanes(|i| i * 16), 16), 16);
        assert_eq!(sectors(&mut [30], 4), 2);
    }

    #[test]
    fn passes_by_stride() {
        for (stride, expected) in [(4, 1), (8, 2), (128, 32), (132, 1), (0, 1)] {
            assert_eq!(
                passes(&lanes(|i| i * stride), 4),
                expected,
                "stride {stride}"
            );
        }
        assert_eq!(passes(&lanes(|i| i * 8), 8), 1);
        assert_eq!(passes(&lanes(|i| i * 16), 16), 1);
    }
}
