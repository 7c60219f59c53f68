#[derive(Clone, Copy, cuda_std::Pod)]
struct Loose {
    x: u32,
}

fn main() {}
