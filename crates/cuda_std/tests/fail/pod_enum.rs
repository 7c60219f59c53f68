#[derive(Clone, Copy, cuda_std::Pod)]
#[repr(u8)]
enum Colour {
    Red,
}

fn main() {}
