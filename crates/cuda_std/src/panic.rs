//! The panic handler of every kernel crate: says who panicked, where and why, then traps.

use core::panic::PanicInfo;

use crate::thread;

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    let (t, b) = (thread::thread_idx(), thread::block_idx());
    crate::println!(
        "thread ({}, {}, {}) of block ({}, {}, {}) {info}",
        t.x,
        t.y,
        t.z,
        b.x,
        b.y,
        b.z
    );
    // SAFETY: ends the kernel; the host's next call reports it.
    unsafe { core::arch::nvptx::trap() }
}
