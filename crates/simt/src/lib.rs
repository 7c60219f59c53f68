//! A SIMT emulator that executes PTX warp by warp on the CPU.

pub mod ops;
