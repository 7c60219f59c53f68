//! The programs of the seed articles, each small enough to be read at once.

pub mod broadcast;
pub mod divergence;
pub mod group_by;
pub mod hello;
pub mod masks;
pub mod matmul;
pub mod matrix_add;
pub mod search;
pub mod sub_warp;
pub mod synchronize;
pub mod vector_add;
pub mod warp_filter;
