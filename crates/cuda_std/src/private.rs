//! What the macros expand to. Not part of the API.

/// Bytes of the contract text that go before the entry's name.
const TEMPLATE: &[u8] = b"reqntid=0000000000,0000000000,0000000000;maxntid=0000000000;minctasm=0000000000;maxnreg=0000000000;entry=";
/// Where the last digit of each of the six values stands in [`TEMPLATE`].
const LAST_DIGITS: [usize; 6] = [17, 28, 39, 58, 78, 97];

/// The length of the contract text of the entry `symbol`.
pub const fn contract_len(symbol: &str) -> usize {
    TEMPLATE.len() + symbol.len()
}

/// The launch contract of the entry `symbol` as the builder reads it; 0 means "not set".
///
/// # Panics
/// In a constant, that is at compile time: when a value cannot be launched.
pub const fn contract_text<const LEN: usize>(
    block: [u64; 3],
    max_block: u64,
    min_blocks: u64,
    max_regs: u64,
    symbol: &str,
) -> [u8; LEN] {
    assert!(
        block[0] * block[1] * block[2] <= 1024,
        "a block has at most 1024 threads: the `block` of this kernel has more"
    );
    assert!(
        block[0] == 0 || block[1] * block[2] != 0,
        "the `block` of this kernel has a dimension of 0"
    );
    assert!(
        max_block <= 1024,
        "a block has at most 1024 threads: `max_block` is more"
    );
    assert!(
        max_regs <= 255,
        "a thread has at most 255 registers: `max_regs` is more"
    );
    let values = [
        block[0], block[1], block[2], max_block, min_blocks, max_regs,
    ];
    let mut text = [0u8; LEN];
    let mut i = 0;
    while i < LEN {
        text[i] = if i < TEMPLATE.len() {
            TEMPLATE[i]
        } else {
            symbol.as_bytes()[i - TEMPLATE.len()]
        };
        i += 1;
    }
    let mut v = 0;
    while v < values.len() {
        write_decimal(&mut text, LAST_DIGITS[v], values[v]);
        v += 1;
    }
    text
}

const fn write_decimal(text: &mut [u8], last: usize, mut value: u64) {
    let mut at = last;
    while value != 0 {
        text[at] = b'0' + (value % 10) as u8;
        value /= 10;
        at -= 1;
    }
}

/// A kernel parameter that is passed as it is must be `Copy`: nothing would drop it.
pub const fn assert_copy<T: Copy>() {}

/// The `&[T]` of a kernel from the pointer and length that the host passed.
///
/// # Safety
/// - `pointer` and `length` describe one live buffer.
#[inline(always)]
pub unsafe fn slice<T>(pointer: &[T; 0], length: usize) -> &[T] {
    // SAFETY: the caller's duty.
    unsafe { core::slice::from_raw_parts(pointer.as_ptr(), length) }
}

/// The `&mut [T]` of a kernel from the pointer and length that the host passed.
///
/// # Safety
/// - `pointer` and `length` describe one live buffer.
#[inline(always)]
pub unsafe fn slice_mut<'a, T>(pointer: *mut T, length: usize) -> &'a mut [T] {
    // SAFETY: the caller's duty.
    unsafe { core::slice::from_raw_parts_mut(pointer, length) }
}

/// Wraps a kernel's body in an unmangled entry. A macro by example, because only such a one can
/// allow the unstable ABI on behalf of the kernel crate, which then needs no `feature` line.
#[cfg(target_arch = "nvptx64")]
#[macro_export]
#[doc(hidden)]
#[allow_internal_unstable(abi_ptx)]
macro_rules! __ptx_entry {
    ({ $($prefix:tt)* } $name:ident ( $($params:tt)* ) $body:block) => {
        #[unsafe(no_mangle)]
        #[allow(improper_ctypes_definitions)]
        $($prefix)* unsafe extern "ptx-kernel" fn $name($($params)*) $body
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contract_text_is_what_the_builder_reads() {
        const LEN: usize = contract_len("sum");
        let text: [u8; LEN] = contract_text([256, 2, 1], 1024, 16, 255, "sum");
        assert_eq!(
            core::str::from_utf8(&text),
            Ok(
                "reqntid=0000000256,0000000002,0000000001;maxntid=0000001024;minctasm=0000000016;maxnreg=0000000255;entry=sum"
            )
        );
    }
}
