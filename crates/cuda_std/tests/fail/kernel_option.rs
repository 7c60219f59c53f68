#[cuda_std::kernel(blocks = 4)]
pub unsafe fn misspelt(_x: *mut f32) {}

fn main() {}
