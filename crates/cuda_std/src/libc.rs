//! The one C function that `core` calls and LLVM does not expand by itself on this target.

/// Compares bytes as unsigned numbers.
///
/// # Safety
/// - `a` and `b` are valid for reading `n` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
    let mut i = 0;
    while i < n {
        // SAFETY: i < n; the caller's duty.
        let (x, y) = unsafe { (*a.add(i), *b.add(i)) };
        if x != y {
            return i32::from(x) - i32::from(y);
        }
        i += 1;
    }
    0
}
