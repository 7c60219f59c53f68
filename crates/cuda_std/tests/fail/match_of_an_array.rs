use cuda_std::warp;

fn main() {
    // SAFETY: does not compile.
    let _ = unsafe { warp::warp_match_any(warp::FULL_MASK, [1u32; 2]) };
}
