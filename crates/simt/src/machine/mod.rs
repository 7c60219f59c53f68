//! Execution of blocks: warps that part and meet, barriers, calls, scheduling.

pub(crate) mod barrier;
pub(crate) mod block;
pub(crate) mod buffer;
pub(crate) mod call;
pub(crate) mod control;
pub(crate) mod grid;
pub(crate) mod heap;
pub(crate) mod join;
pub(crate) mod meeting;
pub(crate) mod place;
pub(crate) mod print;
pub(crate) mod run;
pub(crate) mod schedule;
pub(crate) mod stack;
pub(crate) mod wave;
