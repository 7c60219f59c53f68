//! The product of all elements, in one launch: the ladder's step 10 with another operation.
//!
//! **Problem.** `out[0]` = Π inputᵢ; 1 for nothing.
//! **Launch, lanes, preconditions, cost.** As [`crate::reduce::v10_last_block`]. Integers wrap; a product
//! has no `redux.sync`, so the warps take the butterfly.
//! **Expected PTX.** `mul.lo`, `mul.rn`; ten `shfl.sync.bfly` (twenty for 8-byte types).

use crate::reduce::v10_last_block::instantiate_single_launch;

instantiate_single_launch! {
    streaming = false,
    Product:
        i32 => reduce_product_i32,
        u32 => reduce_product_u32,
        i64 => reduce_product_i64,
        u64 => reduce_product_u64,
        f32 => reduce_product_f32,
        f64 => reduce_product_f64,
    ;
}
