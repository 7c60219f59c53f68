#[cuda_std::kernel]
pub unsafe fn owned(_x: String) {}

fn main() {}
