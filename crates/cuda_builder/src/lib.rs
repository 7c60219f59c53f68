//! Finds a kernel toolchain and compiles Rust kernels to PTX.
