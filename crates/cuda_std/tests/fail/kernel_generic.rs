#[cuda_std::kernel]
pub unsafe fn any<T: Copy>(_x: *mut T) {}

fn main() {}
