//! Lockstep, the host library.
