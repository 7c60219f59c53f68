use cuda_std::warp;

#[derive(Clone, Copy)]
struct Undeclared {
    _x: u32,
}

fn main() {
    // SAFETY: does not compile.
    let _ = unsafe { warp::warp_broadcast(warp::FULL_MASK, Undeclared { _x: 1 }, 0) };
}
