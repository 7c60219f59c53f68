//! What the tests share. The tables and their values do not name the emulator: they can be run on any
//! device that takes PTX.
#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]

pub mod device;
pub mod run_table;
pub mod table;
pub mod value;
