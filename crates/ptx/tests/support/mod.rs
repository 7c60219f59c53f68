//! What the tests and the fuzzing example share: the texts, and mutations of them.
#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]

pub mod mutate;

/// PTX of rustc with LLVM, and of nvcc; both made from sources of this repository.
pub const TEXTS: [(&str, &str); 3] = [
    ("llvm.ptx", include_str!("../data/llvm.ptx")),
    ("nvcc.ptx", include_str!("../data/nvcc.ptx")),
    ("hand.ptx", include_str!("../data/hand.ptx")),
];
