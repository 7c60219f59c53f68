//! Group-by inside a warp: `match.any` finds the lanes that hold the same key.
//!
//! **Problem.** For each element the mask of the lanes of its warp with the same key, its rank among
//! them, and, in the group's first lane, the sum of the group's values.
//! **Launch.** [`BLOCK`] threads, one element each.
//! **Lanes.** With keys 5, 7, 5, 5, 7, … in lanes 0, 1, 2, 3, 4: lane 3's mask begins 0b01101, its rank is
//! 2; lane 0 holds the sum of the values of lanes 0, 2, 3, …; the other lanes of the group hold 0.
//! **Preconditions.** Lanes past the end do not take part: the mask of the others comes from a ballot.
//! **Expected PTX.** `vote.sync.ballot`, `match.any.sync.b32`, `bar.warp.sync`-free shuffles.
//! **Cost.** One `match` and one shuffle for each further member of the warp's largest group.

use cuda_std::prelude::*;
use cuda_std::warp::{warp_match_any, warp_shuffle_idx, warp_vote_any, warp_vote_ballot};

use crate::index;
use crate::warp_level::{FULL, WARP};

/// Threads in a block.
pub const BLOCK: u32 = 256;

/// Masks, ranks and group sums.
///
/// # Safety
/// - `values`, `masks`, `ranks` and `sums` are as long as `keys`.
#[kernel(block = BLOCK)]
pub unsafe fn warp_group_by_u32(
    keys: &[u32],
    values: &[i32],
    masks: *mut u32,
    ranks: *mut u32,
    sums: *mut i32,
) {
    let i = index::global();
    // SAFETY: no lane left the warp.
    let here = unsafe { warp_vote_ballot(FULL, i < keys.len()) };
    if i >= keys.len() {
        return;
    }
    // SAFETY: `here` is the lanes that did not return; all of them stay together to the end, and
    // the buffers have a slot per element.
    unsafe {
        let group = warp_match_any(here, *keys.get_unchecked(i));
        let rank = (group & warp::lanemask_lt()).count_ones();
        let sum = sum_of_group(here, group, *values.get_unchecked(i));
        masks.add(i).write(group);
        ranks.add(i).write(rank);
        sums.add(i).write(if rank == 0 { sum } else { 0 });
    }
}

/// Each lane adds the values of its group, member by member; the warp goes on until its largest
/// group is through.
///
/// # Safety
/// - All lanes of `here` call this together, and `group` is a part of it with this lane.
#[inline(always)]
unsafe fn sum_of_group(here: u32, group: u32, value: i32) -> i32 {
    let mut sum = 0i32;
    let mut rest = group;
    // SAFETY: the vote keeps all lanes of `here` in the loop together.
    unsafe {
        while warp_vote_any(here, rest != 0) {
            let member = if rest == 0 {
                warp::lane_id()
            } else {
                rest.trailing_zeros()
            };
            let (other, _) = warp_shuffle_idx(here, value, member, WARP);
            if rest != 0 {
                sum = sum.wrapping_add(other);
                rest &= rest - 1;
            }
        }
    }
    sum
}
