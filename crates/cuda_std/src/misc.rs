//! What fits nowhere else: debugging and profiling hooks.

/// Stops the kernel for a debugger. PTX `brkpt`.
#[inline(always)]
pub fn breakpoint() {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: suspends the thread; without a debugger the launch fails.
    unsafe {
        core::arch::asm!("brkpt;", options(nostack));
    }
    #[cfg(not(target_arch = "nvptx64"))]
    crate::device_only()
}

/// Triggers performance monitor event `EVENT`, 0…15, once per warp. PTX `pmevent`.
#[inline(always)]
pub fn profiler_event<const EVENT: u32>() {
    const {
        assert!(
            EVENT < 16,
            "there are 16 performance monitor events: 0 to 15"
        )
    };
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: counts an event.
    unsafe {
        core::arch::asm!("pmevent {e};", e = const EVENT, options(nostack));
    }
    #[cfg(not(target_arch = "nvptx64"))]
    crate::device_only()
}

/// Triggers performance monitor event `counter`, 0…7: [`profiler_event`] for a number that is not
/// a constant.
///
/// # Panics
/// If `counter` is above 7.
#[inline(always)]
pub fn profiler_counter(counter: u32) {
    match counter {
        0 => profiler_event::<0>(),
        1 => profiler_event::<1>(),
        2 => profiler_event::<2>(),
        3 => profiler_event::<3>(),
        4 => profiler_event::<4>(),
        5 => profiler_event::<5>(),
        6 => profiler_event::<6>(),
        7 => profiler_event::<7>(),
        _ => panic!("profiler counters are numbered 0 to 7"),
    }
}

/// The multiprocessor's cycle counter: [`crate::thread::clock64`] by Rust-CUDA's name.
#[inline(always)]
pub fn clock() -> u64 {
    crate::thread::clock64()
}
