//! Printing from a kernel, with Rust's format arguments and no heap.
//!
//! CUDA offers one system call, `vprintf`. The macros format into a buffer on the thread's stack
//! and hand it over piece by piece: up to [`LINE`] bytes arrive whole, longer output in several
//! pieces between which other threads may print.
//!
//! The output waits in a ring of the device (1 MiB unless set otherwise) until the host
//! synchronises; if a kernel prints more than that, the oldest is lost.

use core::fmt::{self, Write};

/// Bytes that one [`crate::print!`] hands over in one piece.
pub const LINE: usize = 256;

/// [`std::print!`](https://doc.rust-lang.org/std/macro.print.html) from a kernel.
#[macro_export]
macro_rules! print {
    ($($arg:tt)*) => {
        $crate::io::print(::core::format_args!($($arg)*))
    };
}

/// [`std::println!`](https://doc.rust-lang.org/std/macro.println.html) from a kernel.
///
/// In a `no_std` crate the prelude brings it as `println!`; where std's is in scope too, write
/// `cuda_std::println!`.
///
/// ```
/// use cuda_std::prelude::*;
///
/// /// # Safety
/// /// - None.
/// #[kernel]
/// pub unsafe fn hello() {
///     cuda_std::println!("hello from thread {} of block {}", thread::thread_idx_x(), thread::block_idx_x());
/// }
/// ```
#[macro_export]
macro_rules! println {
    () => { $crate::print!("\n") };
    ($format:literal $($arg:tt)*) => { $crate::print!("{}\n", ::core::format_args!($format $($arg)*)) };
}

/// Panics, with both values, unless two expressions are equal.
#[macro_export]
macro_rules! assert_eq {
    ($($arg:tt)*) => { ::core::assert_eq!($($arg)*) };
}

/// Panics, with both values, if two expressions are equal.
#[macro_export]
macro_rules! assert_ne {
    ($($arg:tt)*) => { ::core::assert_ne!($($arg)*) };
}

/// What [`crate::print!`] expands to.
///
/// # Panics
/// On the host, where `std::print!` is the one to use.
#[inline(never)]
pub fn print(arguments: fmt::Arguments<'_>) {
    let mut line = Line::new();
    // A Display that fails has nothing that could be done about it here.
    let _ = line.write_fmt(arguments);
    line.flush();
}

/// A line on the stack, handed to `vprintf` when it is full or done.
struct Line {
    bytes: [u8; LINE + 1],
    len: usize,
}

impl Line {
    fn new() -> Self {
        Self {
            bytes: [0; LINE + 1],
            len: 0,
        }
    }

    fn flush(&mut self) {
        if self.len == 0 {
            return;
        }
        self.bytes[self.len] = 0;
        // SAFETY: the bytes up to the 0 are initialised and stay alive during the call, which copies them.
        unsafe { system_print(self.bytes.as_ptr()) };
        self.len = 0;
    }
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for &byte in text.as_bytes() {
            if self.len == LINE {
                self.flush();
            }
            // A 0 inside would end the string early.
            self.bytes[self.len] = if byte == 0 { b' ' } else { byte };
            self.len += 1;
        }
        Ok(())
    }
}

/// Prints a string that ends in 0.
///
/// # Safety
/// - `text` points to bytes that end in a 0.
#[cfg(target_arch = "nvptx64")]
unsafe fn system_print(text: *const u8) {
    #[repr(C)]
    struct Arguments {
        text: *const u8,
    }
    let arguments = Arguments { text };
    // SAFETY: the format takes one string, which is what the argument block holds.
    unsafe {
        core::arch::nvptx::vprintf(c"%s".as_ptr().cast(), (&raw const arguments).cast());
    }
}

/// # Safety
/// - None: it panics.
#[cfg(not(target_arch = "nvptx64"))]
unsafe fn system_print(_text: *const u8) {
    crate::device_only()
}
