use cuda_std::warp::{self, WarpReductionOp};

fn main() {
    // SAFETY: does not compile.
    let _ = unsafe { warp::warp_reduce(warp::FULL_MASK, 1.0f32, WarpReductionOp::Add) };
}
