#[cuda_std::kernel]
pub fn careless(_x: *mut f32) {}

fn main() {}
