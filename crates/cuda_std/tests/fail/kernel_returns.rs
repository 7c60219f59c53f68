#[cuda_std::kernel]
pub unsafe fn answer() -> u32 {
    42
}

fn main() {}
