//! How fast the device reads: the ceiling that other kernels are measured against.
//!
//! **Problem.** Read every element once, compute next to nothing, write nothing.
//! **Launch.** [`BLOCK`] threads, [`grid`] blocks.
//! **Lanes.** Each thread keeps the exclusive or of its share in a register, and would write it if it
//! were one value in 2^32; that keeps the loads alive.
//! **Expected PTX.** Four `ld.global.nc.v4.b32` in a row: hints that bypass L1 make it slower on an H200.
//! **Cost.** One 16-byte load per 16 bytes.

use crate::reduce::{v9_many, walk};

/// Threads in a block.
pub const BLOCK: u32 = v9_many::WIDE_BLOCK;

/// What a share must give for a write: hardly ever.
pub const RARE: u32 = 0x9e37_79b9;

/// Blocks that fill the device.
pub const fn grid(multiprocessors: u32) -> u32 {
    multiprocessors * v9_many::RESIDENT
}

/// Reads `data`; writes `out[0]` if a thread's exclusive or is [`RARE`].
///
/// # Safety
/// - A block has [`BLOCK`] threads.
/// - `out` is aligned and valid for a write.
#[cuda_std::kernel(block = (BLOCK, 1, 1))]
pub unsafe fn ceiling_read(data: &[u32], out: *mut u32) {
    let mut folded = [0_u32; 4];
    let mut ragged = 0;
    walk::<u32, false>(
        data,
        BLOCK as usize,
        |load, _, pack| {
            for word in pack.as_ref() {
                folded[load] ^= *word;
            }
        },
        |_, value| ragged ^= value,
    );
    if folded[0] ^ folded[1] ^ folded[2] ^ folded[3] ^ ragged == RARE {
        // SAFETY: valid by the caller's promise; whatever thread comes last writes the same value.
        unsafe { out.write(RARE) }
    }
}
