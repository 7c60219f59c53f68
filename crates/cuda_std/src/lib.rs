//! The device library.
#![no_std]
