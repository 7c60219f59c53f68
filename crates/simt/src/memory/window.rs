//! Where the windows of the other state spaces lie among generic addresses (PTX ISA, "Generic
//! Addressing"): high above global memory, which holds constants too.

/// The lowest address of any window.
pub const FIRST: u64 = SHARED;
/// Generic address of shared address 0.
pub const SHARED: u64 = 0x7f00_0000_0000_0000;
/// Generic address of local address 0; each thread sees its own memory there.
pub const LOCAL: u64 = 0x7f10_0000_0000_0000;
/// Generic address of the kernel's parameter block.
pub const PARAM: u64 = 0x7f20_0000_0000_0000;
/// Addresses of functions.
pub const CODE: u64 = 0x7f30_0000_0000_0000;
/// Size of a window.
pub const SIZE: u64 = 1 << 32;

/// A state space that a generic address points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// Global memory and constants.
    Global,
    /// The block's shared memory.
    Shared,
    /// The thread's own memory.
    Local,
    /// The kernel's parameters.
    Param,
}

impl Space {
    /// The window that a generic address lies in.
    #[inline(always)]
    pub const fn of(address: u64) -> Space {
        match address >> 32 {
            0x7f00_0000 => Space::Shared,
            0x7f10_0000 => Space::Local,
            0x7f20_0000 => Space::Param,
            _ => Space::Global,
        }
    }

    /// Generic address of the space's address 0.
    pub const fn base(self) -> u64 {
        match self {
            Space::Global => 0,
            Space::Shared => SHARED,
            Space::Local => LOCAL,
            Space::Param => PARAM,
        }
    }

    /// The name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Param => "parameter",
        }
    }
}
