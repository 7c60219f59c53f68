#[cuda_std::address_space(texture)]
static IMAGE: [u32; 4] = [0; 4];

fn main() {}
