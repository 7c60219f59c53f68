//! What the tests share. Nothing in here names the emulator, so that the same tables and fixtures
//! can be run on any device that takes PTX.
#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]

pub mod device;
pub mod table;
pub mod value;
