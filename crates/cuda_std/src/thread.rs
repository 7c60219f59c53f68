//! Where this thread is in the grid, and how it waits for the others of its block.
//!
//! A grid holds blocks, a block holds threads; each is one-, two- or three-dimensional. Threads of
//! a block are numbered with x fastest, and 32 consecutive ones form a warp (see [`crate::warp`]).
//!
//! Unless a function says otherwise it needs no minimum sm, and every thread that calls it has a
//! defined result.

use crate::demand::demand;
use crate::intrinsics as nvvm;
use crate::{UVec2, UVec3};

macro_rules! special_registers {
    ($($(#[$doc:meta])* $name:ident = $intrinsic:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name() -> u32 {
            // SAFETY: reads a special register; nothing is required of the caller.
            unsafe { nvvm::$intrinsic() }
        }
    )*};
}

special_registers! {
    /// This thread's x coordinate in its block. PTX `%tid.x`.
    thread_idx_x = tid_x;
    /// This thread's y coordinate in its block. PTX `%tid.y`.
    thread_idx_y = tid_y;
    /// This thread's z coordinate in its block. PTX `%tid.z`.
    thread_idx_z = tid_z;
    /// This block's x coordinate in the grid. PTX `%ctaid.x`.
    block_idx_x = ctaid_x;
    /// This block's y coordinate in the grid. PTX `%ctaid.y`.
    block_idx_y = ctaid_y;
    /// This block's z coordinate in the grid. PTX `%ctaid.z`.
    block_idx_z = ctaid_z;
    /// Threads of a block along x. PTX `%ntid.x`.
    block_dim_x = ntid_x;
    /// Threads of a block along y. PTX `%ntid.y`.
    block_dim_y = ntid_y;
    /// Threads of a block along z. PTX `%ntid.z`.
    block_dim_z = ntid_z;
    /// Blocks of the grid along x. PTX `%nctaid.x`.
    grid_dim_x = nctaid_x;
    /// Blocks of the grid along y. PTX `%nctaid.y`.
    grid_dim_y = nctaid_y;
    /// Blocks of the grid along z. PTX `%nctaid.z`.
    grid_dim_z = nctaid_z;
    /// The multiprocessor that this thread runs on now. PTX `%smid` (PTX ISA, "Special Registers").
    ///
    /// It may change during a kernel (preemption), and multiprocessors need not be numbered without gaps.
    sm_id = smid;
    /// An upper bound of the numbers that [`sm_id`] returns. PTX `%nsmid`.
    sm_count = nsmid;
    /// The slot of the multiprocessor in which this warp is scheduled now. PTX `%warpid`.
    ///
    /// Not the warp's number in its block (that is [`crate::warp::warp_id`]); it may change during a kernel.
    warp_slot = warpid;
    /// The multiprocessor's cycle counter, low 32 bits. PTX `%clock`.
    clock32 = clock;
}

/// This thread's position in its block: `%tid`.
///
/// ```
/// # use cuda_std::thread;
/// # unsafe fn example() {
/// let position = thread::thread_idx();
/// let is_corner = position.x == 0 && position.y == 0;
/// # let _ = is_corner;
/// # }
/// ```
#[inline(always)]
pub fn thread_idx() -> UVec3 {
    UVec3::new(thread_idx_x(), thread_idx_y(), thread_idx_z())
}

/// This block's position in the grid: `%ctaid`.
#[inline(always)]
pub fn block_idx() -> UVec3 {
    UVec3::new(block_idx_x(), block_idx_y(), block_idx_z())
}

/// The block's dimensions in threads: `%ntid`.
#[inline(always)]
pub fn block_dim() -> UVec3 {
    UVec3::new(block_dim_x(), block_dim_y(), block_dim_z())
}

/// The grid's dimensions in blocks: `%nctaid`.
#[inline(always)]
pub fn grid_dim() -> UVec3 {
    UVec3::new(grid_dim_x(), grid_dim_y(), grid_dim_z())
}

/// This thread's number in its block, x fastest: `x + y·dim.x + z·dim.x·dim.y`.
///
/// Warps are cut from this order: lane = number mod 32.
#[inline(always)]
pub fn thread_rank() -> u32 {
    (thread_idx_z() * block_dim_y() + thread_idx_y()) * block_dim_x() + thread_idx_x()
}

/// The number of threads in a block.
#[inline(always)]
pub fn block_size() -> u32 {
    block_dim_x() * block_dim_y() * block_dim_z()
}

/// This block's number in the grid, x fastest.
#[inline(always)]
pub fn block_rank() -> u32 {
    (block_idx_z() * grid_dim_y() + block_idx_y()) * grid_dim_x() + block_idx_x()
}

/// The number of blocks in the grid.
#[inline(always)]
pub fn grid_size() -> u32 {
    grid_dim_x() * grid_dim_y() * grid_dim_z()
}

/// A number that no other thread of the grid has, for any shape of grid and block: the block's
/// number times the block's size, plus the thread's number. Wraps beyond 2³² threads.
#[inline(always)]
pub fn index() -> u32 {
    block_rank() * block_size() + thread_rank()
}

/// This thread's global x coordinate: its number in a one-dimensional launch.
///
/// Wraps beyond 2³² threads; a grid-stride loop over more elements counts in `usize`.
///
/// ```
/// # use cuda_std::thread;
/// # unsafe fn example(n: usize) {
/// // A grid-stride loop over any number of elements.
/// let mut i = thread::index_1d() as usize;
/// while i < n {
///     i += (thread::grid_dim_x() * thread::block_dim_x()) as usize;
/// }
/// # }
/// ```
#[inline(always)]
pub fn index_1d() -> u32 {
    thread_idx_x() + block_idx_x() * block_dim_x()
}

/// This thread's global x and y coordinates.
///
/// ```
/// # use cuda_std::thread;
/// # unsafe fn example(width: u32, height: u32) {
/// let pixel = thread::index_2d();
/// if pixel.x < width && pixel.y < height {
///     let at = pixel.y * width + pixel.x;
///     # let _ = at;
/// }
/// # }
/// ```
#[inline(always)]
pub fn index_2d() -> UVec2 {
    UVec2::new(index_1d(), thread_idx_y() + block_idx_y() * block_dim_y())
}

/// This thread's global coordinates.
#[inline(always)]
pub fn index_3d() -> UVec3 {
    let UVec2 { x, y } = index_2d();
    UVec3::new(x, y, thread_idx_z() + block_idx_z() * block_dim_z())
}

/// Whether this is thread (0, 0, 0) of block (0, 0, 0): true in one thread of the grid.
#[inline(always)]
pub fn first() -> bool {
    block_idx() == UVec3::ZERO && thread_idx() == UVec3::ZERO
}

/// The number of lanes in a warp: 32 on every NVIDIA GPU so far. A constant here, not `WARP_SZ`.
#[inline(always)]
pub const fn warp_size() -> u32 {
    32
}

/// Waits until every thread of the block has come here. What they wrote to shared and global
/// memory before is visible to all of them after. PTX `bar.sync 0` (PTX ISA, "bar, barrier").
///
/// Every thread of the block that has not exited must reach this call: in a branch that only some
/// take, the block hangs or the barrier means something else. The emulator names the missing lanes.
///
/// ```
/// use cuda_std::prelude::*;
///
/// /// # Safety
/// /// - One block of 64 threads; `d` holds 64 elements.
/// #[kernel(block = 64)]
/// pub unsafe fn reverse(d: *mut i32) {
///     let tile = shared_array![i32; 64];
///     let t = thread::thread_idx_x() as usize;
///     // SAFETY: t < 64, and the barrier orders the writes before the reads.
///     unsafe {
///         *tile.add(t) = *d.add(t);
///         thread::sync_threads();
///         *d.add(t) = *tile.add(63 - t);
///     }
/// }
/// ```
#[inline(always)]
pub fn sync_threads() {
    // SAFETY: barrier 0 with all threads of the block; a missing thread is a hang, not memory unsafety.
    unsafe { nvvm::barrier0(0) }
}

/// [`sync_threads`] that counts: the number of threads whose `predicate` is not 0, in every
/// thread. PTX `bar.red.popc.u32`.
///
/// ```
/// # use cuda_std::thread;
/// # unsafe fn example(x: u32) {
/// let positive = thread::sync_threads_count(u32::from(x > 0));
/// # let _ = positive;
/// # }
/// ```
#[inline(always)]
pub fn sync_threads_count(predicate: u32) -> u32 {
    // SAFETY: as sync_threads.
    unsafe { nvvm::barrier0_popc(predicate) }
}

/// [`sync_threads`] that asks: not 0 in every thread if `predicate` is not 0 in all of them, else
/// 0. PTX `bar.red.and.pred`.
///
/// ```
/// # use cuda_std::thread;
/// # unsafe fn example(x: u32) {
/// if thread::sync_threads_and(u32::from(x == 0)) != 0 {
///     // Every thread of the block is done.
/// }
/// # }
/// ```
#[inline(always)]
pub fn sync_threads_and(predicate: u32) -> u32 {
    // SAFETY: as sync_threads.
    unsafe { nvvm::barrier0_and(predicate) }
}

/// [`sync_threads`] that asks: not 0 in every thread if `predicate` is not 0 in any of them, else
/// 0. PTX `bar.red.or.pred`.
///
/// ```
/// # use cuda_std::thread;
/// # unsafe fn example(x: u32) {
/// if thread::sync_threads_or(u32::from(x != 0)) == 0 {
///     // No thread of the block has work left.
/// }
/// # }
/// ```
#[inline(always)]
pub fn sync_threads_or(predicate: u32) -> u32 {
    // SAFETY: as sync_threads.
    unsafe { nvvm::barrier0_or(predicate) }
}

/// Named barrier: waits until `threads` threads of the block, this one among them, have called
/// `barrier_sync` or [`barrier_arrive`] on barrier `id`. PTX `barrier.sync id, threads`.
///
/// Needs sm_70 where not all lanes of a warp call it together.
///
/// ```
/// # use cuda_std::thread;
/// # unsafe fn example() {
/// # unsafe {
/// // Warp 0 produces, warp 1 consumes; 64 threads in all, others go on.
/// match thread::thread_rank() / 32 {
///     0 => thread::barrier_arrive(1, 64),
///     1 => thread::barrier_sync(1, 64),
///     _ => {}
/// }
/// # }
/// # }
/// ```
///
/// # Safety
/// - `id` is 1…15: barrier 0 belongs to [`sync_threads`].
/// - `threads` is a multiple of 32, at most the block's size, and the same in every call on this
///   barrier until it opens.
/// - Whole warps take part: PTX counts threads warp by warp.
///
/// A constant `id` or `threads` that cannot be is an error of the build, a computed one a debug
/// assertion.
#[inline(always)]
pub unsafe fn barrier_sync(id: u32, threads: u32) {
    check_barrier(id, threads);
    // SAFETY: the caller's duties are those of the instruction.
    unsafe { nvvm::barrier_sync_count(id, threads) }
}

/// Named barrier, the half that does not wait: a producer arrives, consumers
/// [`barrier_sync`]. PTX `barrier.arrive id, threads`.
///
/// # Safety
/// - As [`barrier_sync`].
#[inline(always)]
pub unsafe fn barrier_arrive(id: u32, threads: u32) {
    check_barrier(id, threads);
    // SAFETY: the caller's duties are those of the instruction.
    unsafe { nvvm::barrier_arrive_count(id, threads) }
}

#[inline(always)]
fn check_barrier(id: u32, threads: u32) {
    demand!(id, id < 16, "a block has barriers 0 to 15");
    demand!(
        threads,
        threads != 0 && threads.is_multiple_of(32) && threads <= 1024,
        "a named barrier is for a multiple of 32 threads, at most 1024"
    );
}

/// Orders this thread's memory accesses before the fence against those after it, as every thread
/// of the grid sees them. PTX `fence.sc.gpu` (sm_70): CUDA's `__threadfence()`.
///
/// It does not wait for anybody. A lighter fence is [`crate::atomic::fence`] with an ordering.
#[inline(always)]
pub fn grid_fence() {
    device_fence();
}

/// Orders this thread's memory accesses as every thread on the device sees them. PTX
/// `fence.sc.gpu` (sm_70).
#[inline(always)]
pub fn device_fence() {
    crate::atomic::fence(
        core::sync::atomic::Ordering::SeqCst,
        crate::atomic::Scope::Device,
    );
}

/// Orders this thread's memory accesses as every thread of the block sees them. PTX
/// `fence.sc.cta` (sm_70).
#[inline(always)]
pub fn block_fence() {
    crate::atomic::fence(
        core::sync::atomic::Ordering::SeqCst,
        crate::atomic::Scope::Block,
    );
}

/// Orders this thread's memory accesses as the host and other devices see them too. PTX
/// `fence.sc.sys` (sm_70).
#[inline(always)]
pub fn system_fence() {
    crate::atomic::fence(
        core::sync::atomic::Ordering::SeqCst,
        crate::atomic::Scope::System,
    );
}

/// Suspends this thread for about `nanos` nanoseconds: between 0 and twice that, at most 1 ms.
/// PTX `nanosleep.u32`, sm_70.
///
/// ```
/// # use cuda_std::thread;
/// # unsafe fn example(taken: fn() -> bool) {
/// // Back off while a lock is taken.
/// let mut wait = 32;
/// while taken() {
///     thread::nanosleep(wait);
///     wait = (2 * wait).min(1024);
/// }
/// # }
/// ```
#[inline(always)]
pub fn nanosleep(nanos: u32) {
    // SAFETY: delays, and touches nothing.
    unsafe { nvvm::nanosleep(nanos) }
}

/// The multiprocessor's cycle counter. PTX `%clock64`.
///
/// ```
/// # use cuda_std::thread;
/// # unsafe fn example() {
/// let start = thread::clock64();
/// // …
/// let cycles = thread::clock64() - start;
/// # let _ = cycles;
/// # }
/// ```
#[inline(always)]
pub fn clock64() -> u64 {
    // SAFETY: reads a special register.
    unsafe { nvvm::clock64() }
}

/// Nanoseconds on a clock that all multiprocessors share; its resolution is the device's own
/// affair (often 32 ns, at times 1 µs). PTX `%globaltimer`.
#[inline(always)]
pub fn global_timer() -> u64 {
    // SAFETY: reads a special register.
    unsafe { nvvm::globaltimer() }
}
