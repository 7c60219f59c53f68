use cuda_std::warp;

fn main() {
    let text = String::from("a string lives on one thread's heap");
    // SAFETY: does not compile.
    let _ = unsafe { warp::warp_shuffle_idx(warp::FULL_MASK, &text, 0, 32) };
}
