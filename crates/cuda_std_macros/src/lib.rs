//! The attribute macros of `cuda_std`.
