//! Parts of a warp that work on their own: [`Tile`] with a size known at compile time, and
//! [`crate::coalesced::CoalescedGroup`] over whichever lanes are there. Both offer the methods of
//! [`Group`].

use crate::collective;
use crate::group::{Group, Sealed};
use crate::ops::ReduceOp;
use crate::warp::{self, FULL_MASK, WarpShuffleMode, WarpShuffleValue};

/// `N` neighbouring lanes of a warp, aligned to `N`: N is 1, 2, 4, 8, 16 or 32.
///
/// Lanes are numbered by their *rank* in the tile, 0…N−1. Other tiles of the warp may be
/// elsewhere in the program meanwhile.
///
/// ```
/// use cuda_std::ops;
/// use cuda_std::prelude::*;
/// use cuda_std::tile::Tile;
///
/// /// Sums of 8 neighbours: 32 ones give 8, 8, 8, 8, in lanes 0, 8, 16 and 24.
/// ///
/// /// # Safety
/// /// - One block of 32 threads; `x` holds 32 elements, `out` 4.
/// #[kernel(block = 32)]
/// pub unsafe fn sums_of_eight(x: *const f32, out: *mut f32) {
///     // SAFETY: all lanes take part in every call; the indices are in bounds.
///     unsafe {
///         let lane = thread::thread_idx_x() as usize;
///         let tile = Tile::<8>::new();
///         let sum = tile.reduce(*x.add(lane), ops::Add);
///         if tile.rank() == 0 {
///             *out.add(lane / 8) = sum;
///         }
///     }
/// }
/// ```
///
/// A size that is no power of two does not compile:
///
/// ```compile_fail
/// // SAFETY: never runs.
/// let tile = unsafe { cuda_std::tile::Tile::<12>::new() };
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Tile<const N: u32> {
    lane: u32,
}

impl<const N: u32> Tile<N> {
    /// The tile that this thread's lane belongs to.
    ///
    /// # Safety
    /// - Whoever calls a method of the tile calls it in all `N` lanes of the tile, none of which
    ///   has exited, and with the same arguments where the method says so.
    /// - The block's size is a multiple of `N`, so that all `N` lanes exist.
    #[inline(always)]
    pub unsafe fn new() -> Self {
        const {
            assert!(
                N.is_power_of_two() && N <= 32,
                "the size of a tile is 1, 2, 4, 8, 16 or 32"
            );
        }
        Self {
            lane: warp::lane_id(),
        }
    }

    /// The tiles of half the size: this lane's one.
    ///
    /// ```
    /// # unsafe fn example(tile: cuda_std::tile::Tile<32>) {
    /// let half: cuda_std::tile::Tile<16> = tile.split();
    /// # }
    /// ```
    #[inline(always)]
    pub fn split<const M: u32>(self) -> Tile<M> {
        const {
            assert!(
                M.is_power_of_two() && M <= N,
                "a tile is split into smaller ones: 1, 2, 4, 8 or 16"
            );
        }
        Tile { lane: self.lane }
    }

    /// From blocked to striped order: before, the lane of rank r holds elements rK…rK+K−1 of the
    /// tile's NK; after, its register j holds element jN + r. Valid in every lane.
    ///
    /// `K` shuffles per 4 bytes, no shared memory. `K` is a power of two, at most `N`; with
    /// `K` = `N` this is the transpose of an N×N matrix of which each lane holds a row.
    #[inline(always)]
    pub fn blocked_to_striped<T: WarpShuffleValue, const K: usize>(self, items: [T; K]) -> [T; K] {
        const {
            assert!(
                K.is_power_of_two() && K <= N as usize,
                "K is a power of two, at most N"
            )
        };
        let (rank, k) = (self.rank(), K as u32);
        // The output register that this lane's items belong to, for its K items alike.
        let home = rank * k / N;
        let mut out = items;
        for round in 0..k {
            // One register per lane and round: those that read it have rank ≡ q (mod K).
            let q = home.wrapping_sub(round) % k;
            let j = (round + rank) % k;
            let value = self.shuffle(select(&items, q), (j * N + rank) / k);
            replace(&mut out, j, value);
        }
        out
    }

    /// From striped to blocked order: the inverse of [`Self::blocked_to_striped`]. Valid in every
    /// lane.
    ///
    /// `K` shuffles per 4 bytes, no shared memory. `K` is a power of two, at most `N`.
    #[inline(always)]
    pub fn striped_to_blocked<T: WarpShuffleValue, const K: usize>(self, items: [T; K]) -> [T; K] {
        const {
            assert!(
                K.is_power_of_two() && K <= N as usize,
                "K is a power of two, at most N"
            )
        };
        let (rank, k) = (self.rank(), K as u32);
        let home = rank * k / N;
        let mut out = items;
        for round in 0..k {
            // The mirror image: what was read from register q is now written there.
            let q = home.wrapping_sub(round) % k;
            let j = (round + rank) % k;
            let value = self.shuffle(select(&items, j), (rank * k + q) % N);
            replace(&mut out, q, value);
        }
        out
    }

    /// The transpose of an N×N matrix of which the lane of rank r holds row r; after, it holds
    /// column r. `K` must be `N`. Valid in every lane.
    #[inline(always)]
    pub fn transpose<T: WarpShuffleValue, const K: usize>(self, row: [T; K]) -> [T; K] {
        const {
            assert!(
                K == N as usize,
                "a transpose takes N elements in each of N lanes"
            )
        };
        self.blocked_to_striped(row)
    }
}

/// `items[index]` by selects: an index that differs between lanes would put the array into memory.
#[inline(always)]
fn select<T: Copy, const K: usize>(items: &[T; K], index: u32) -> T {
    let mut value = items[0];
    for (i, &item) in items.iter().enumerate().skip(1) {
        if index == i as u32 {
            value = item;
        }
    }
    value
}

/// `items[index] = value` by selects.
#[inline(always)]
fn replace<T: Copy, const K: usize>(items: &mut [T; K], index: u32, value: T) {
    for (i, item) in items.iter_mut().enumerate() {
        if index == i as u32 {
            *item = value;
        }
    }
}

impl<const N: u32> Sealed for Tile<N> {}

impl<const N: u32> Group for Tile<N> {
    #[inline(always)]
    fn mask(self) -> u32 {
        if N == 32 {
            FULL_MASK
        } else {
            (FULL_MASK >> (32 - N)) << (self.lane & !(N - 1) & 31)
        }
    }

    #[inline(always)]
    fn rank(self) -> u32 {
        self.lane & (N - 1)
    }

    #[inline(always)]
    fn size(self) -> u32 {
        N
    }

    #[inline(always)]
    fn lane_of(self, rank: u32) -> u32 {
        (self.lane & !(N - 1)) | (rank & (N - 1))
    }

    #[inline(always)]
    fn rank_of(self, lane: u32) -> u32 {
        lane & (N - 1)
    }

    #[inline(always)]
    fn shuffle<T: WarpShuffleValue>(self, value: T, rank: u32) -> T {
        // SAFETY: promised at the construction of the tile.
        unsafe { collective::shuffle(WarpShuffleMode::Idx, self.mask(), value, rank, N) }
    }

    #[inline(always)]
    fn shuffle_up<T: WarpShuffleValue>(self, value: T, delta: u32) -> T {
        // SAFETY: promised at the construction of the tile.
        unsafe { collective::shuffle(WarpShuffleMode::Up, self.mask(), value, delta, N) }
    }

    #[inline(always)]
    fn shuffle_down<T: WarpShuffleValue>(self, value: T, delta: u32) -> T {
        // SAFETY: promised at the construction of the tile.
        unsafe { collective::shuffle(WarpShuffleMode::Down, self.mask(), value, delta, N) }
    }

    #[inline(always)]
    fn shuffle_xor<T: WarpShuffleValue>(self, value: T, ranks: u32) -> T {
        // Beyond the tile, `bfly` would reach into an earlier one.
        let ranks = if ranks < N { ranks } else { 0 };
        // SAFETY: promised at the construction of the tile.
        unsafe { collective::shuffle(WarpShuffleMode::Xor, self.mask(), value, ranks, N) }
    }

    #[inline(always)]
    fn reduce<T: WarpShuffleValue, O: ReduceOp<T>>(self, value: T, op: O) -> T {
        // SAFETY: promised at the construction of the tile.
        unsafe {
            if O::HARDWARE && N == 32 {
                return self.reduce_all(value, op);
            }
            collective::tree::<T, O, N>(self.mask(), value, op)
        }
    }

    #[inline(always)]
    fn reduce_all<T: WarpShuffleValue, O: ReduceOp<T>>(self, value: T, op: O) -> T {
        // SAFETY: promised at the construction of the tile.
        unsafe {
            if let Some(result) = op.redux(self.mask(), value) {
                return result;
            }
            collective::butterfly::<T, O, N>(self.mask(), value, op)
        }
    }
}
