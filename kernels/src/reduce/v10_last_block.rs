//! Step 10: one launch: the block that comes last reduces the partials.
//!
//! **Problem.** The whole input to `out[0]`.
//! **Launch.** 512 threads, as many blocks as step 9.
//! **Lanes.** As step 9; then thread 0 writes the partial, and takes a ticket. The block with the last
//! ticket reads all partials, in the order of the blocks: the result does not depend on which block
//! that was.
//! **Preconditions.** `ticket[0]` is 0; it is 0 again afterwards.
//! **Expected PTX.** A fence at device scope on both sides of one `atom`, `bar.red.or`.
//! **Cost.** As step 9, plus 2 barriers and one atomic per block, minus a launch.

use cuda_std::thread;

use super::persistent::accumulate;
use super::v7_redux::block_by_redux;
use super::v9_many::{WIDE_BLOCK, WIDE_WARPS};

use crate::element::Element;
use crate::index;
use crate::last_block::is_last_block;
use crate::warp_level::ReduxOp;

/// Where the results of a single-launch step go.
#[derive(Clone, Copy)]
pub(crate) struct Targets<T> {
    /// One per block.
    pub(crate) partials: *mut T,
    /// Zero before and after.
    pub(crate) ticket: *mut u32,
    /// One value.
    pub(crate) out: *mut T,
}

/// The body of steps 10 and 11.
///
/// # Safety
/// - The whole block calls this together; `slots` is shared memory for a value per warp.
/// - The targets are valid for the grid, and the ticket is 0.
#[inline(always)]
pub(crate) unsafe fn single_launch<T: Element, O: ReduxOp<T>, const STREAMING: bool>(
    input: &[T],
    to: Targets<T>,
    slots: *mut T,
) {
    let value = accumulate::<T, O, STREAMING>(input, WIDE_BLOCK as usize);
    // SAFETY: the caller's promise is the same.
    unsafe { finish::<T, O>(value, to, slots) }
}

/// The threads' values to one, over the block and the grid.
///
/// # Safety
/// - As [`single_launch`].
#[inline(always)]
pub(crate) unsafe fn finish<T: Element, O: ReduxOp<T>>(value: T, to: Targets<T>, slots: *mut T) {
    // SAFETY: a slot per warp, and the whole block is here; the barrier in `is_last_block` lies
    // between the two uses of the slots. The last block alone reads the partials, all written.
    unsafe {
        let partial = block_by_redux::<T, O>(value, slots, WIDE_WARPS);
        if index::in_block() == 0 {
            to.partials.add(index::block()).write_volatile(partial);
        }
        if !is_last_block(to.ticket) {
            return;
        }
        let mut value = O::IDENTITY;
        let mut i = index::in_block();
        while i < thread::grid_dim_x() as usize {
            value = O::combine(value, to.partials.add(i).read_volatile());
            i += WIDE_BLOCK as usize;
        }
        let value = block_by_redux::<T, O>(value, slots, WIDE_WARPS);
        if index::in_block() == 0 {
            to.out.write(O::combine(O::IDENTITY, value));
        }
    }
}

/// Writes the eighteen kernels of a single-launch step.
macro_rules! instantiate_single_launch {
    (
        streaming = $streaming:literal,
        $($op:ident: $($t:ident => $name:ident),* $(,)?;)*
    ) => {$($(
        #[doc = concat!("The step's kernel for `", stringify!($op), "` over `", stringify!($t), "`; see the module.")]
        ///
        /// # Safety
        /// - `partials` is valid for writes of one value per block, `out` for one.
        /// - `ticket` is valid and 0.
        #[cuda_std::kernel(
            block = crate::reduce::v9_many::WIDE_BLOCK,
            min_blocks = crate::reduce::v9_many::RESIDENT
        )]
        pub unsafe fn $name(input: &[$t], partials: *mut $t, ticket: *mut u32, out: *mut $t) {
            let slots = cuda_std::shared_array![$t; crate::reduce::v9_many::WIDE_WARPS as usize];
            let to = crate::reduce::v10_last_block::Targets { partials, ticket, out };
            // SAFETY: the shape and the pointers are the caller's promise; the shared array is
            // this block's own.
            unsafe {
                crate::reduce::v10_last_block::single_launch::<$t, crate::op::$op, $streaming>(
                    input, to, slots,
                )
            }
        }
    )*)*};
}
pub(crate) use instantiate_single_launch;

instantiate_single_launch! {
    streaming = false,
    Sum:
        i32 => reduce_sum_i32_v10_last_block,
        u32 => reduce_sum_u32_v10_last_block,
        i64 => reduce_sum_i64_v10_last_block,
        u64 => reduce_sum_u64_v10_last_block,
        f32 => reduce_sum_f32_v10_last_block,
        f64 => reduce_sum_f64_v10_last_block,
    ;
    Min:
        i32 => reduce_min_i32_v10_last_block,
        u32 => reduce_min_u32_v10_last_block,
        i64 => reduce_min_i64_v10_last_block,
        u64 => reduce_min_u64_v10_last_block,
        f32 => reduce_min_f32_v10_last_block,
        f64 => reduce_min_f64_v10_last_block,
    ;
    Max:
        i32 => reduce_max_i32_v10_last_block,
        u32 => reduce_max_u32_v10_last_block,
        i64 => reduce_max_i64_v10_last_block,
        u64 => reduce_max_u64_v10_last_block,
        f32 => reduce_max_f32_v10_last_block,
        f64 => reduce_max_f64_v10_last_block,
    ;
}
