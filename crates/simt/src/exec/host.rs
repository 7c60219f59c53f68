//! What accesses by a whole warp do with the host's vectors: by hand, because the compiler's
//! vectorisation of the plain loops costs more than the access itself.

use super::lanes::{LANES, Level};
use super::memory::get;

/// Whether lane `i`'s address is lane 0's plus `i × size_of::<M>()`.
///
/// By hand, because the compiler's vectorisation of the plain loop costs twice the load itself.
#[inline(always)]
pub(super) fn contiguous<M>(level: Level, base: &[u64; LANES]) -> bool {
    match level {
        // SAFETY: a level is what was detected on this host.
        #[cfg(target_arch = "x86_64")]
        Level::V4 => unsafe { contiguous_v4::<M>(base) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::V3 => unsafe { contiguous_v3::<M>(base) },
        Level::Base => {
            let step = size_of::<M>() as u64;
            base.iter()
                .zip(0..)
                .all(|(&at, i)| at.wrapping_sub(base[0]) == i * step)
        }
    }
}

/// # Safety
/// - The host has AVX-512 F.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn contiguous_v4<M>(base: &[u64; LANES]) -> bool {
    use std::arch::x86_64::*;
    let shift = size_of::<M>().trailing_zeros();
    let count = _mm_cvtsi32_si128(shift as i32);
    let first = _mm512_set1_epi64(base[0] as i64);
    let mut wrong = _mm512_setzero_si512();
    let mut lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    for row in 0..LANES / 8 {
        // SAFETY: rows of eight addresses lie inside the array; the load needs no alignment.
        let at = unsafe { _mm512_loadu_si512(base.as_ptr().add(8 * row).cast()) };
        let expected = _mm512_add_epi64(first, _mm512_sll_epi64(lane, count));
        wrong = _mm512_or_si512(wrong, _mm512_xor_si512(at, expected));
        lane = _mm512_add_epi64(lane, _mm512_set1_epi64(8));
    }
    _mm512_test_epi64_mask(wrong, wrong) == 0
}

/// # Safety
/// - The host has AVX2.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn contiguous_v3<M>(base: &[u64; LANES]) -> bool {
    use std::arch::x86_64::*;
    let shift = size_of::<M>().trailing_zeros();
    let count = _mm_cvtsi32_si128(shift as i32);
    let first = _mm256_set1_epi64x(base[0] as i64);
    let mut wrong = _mm256_setzero_si256();
    let mut lane = _mm256_set_epi64x(3, 2, 1, 0);
    for row in 0..LANES / 4 {
        // SAFETY: rows of four addresses lie inside the array; the load needs no alignment.
        let at = unsafe { _mm256_loadu_si256(base.as_ptr().add(4 * row).cast()) };
        let expected = _mm256_add_epi64(first, _mm256_sll_epi64(lane, count));
        wrong = _mm256_or_si256(wrong, _mm256_xor_si256(at, expected));
        lane = _mm256_add_epi64(lane, _mm256_set1_epi64x(4));
    }
    _mm256_testz_si256(wrong, wrong) == 1
}

/// The lowest address, the highest, and the bits of all.
#[inline(always)]
pub(super) fn extent(level: Level, at: &[u64; LANES]) -> (u64, u64, u64) {
    match level {
        // SAFETY: a level is what was detected on this host.
        #[cfg(target_arch = "x86_64")]
        Level::V4 => unsafe { extent_v4(at) },
        _ => at.iter().fold((u64::MAX, 0, 0), |(low, high, union), &at| {
            (at.min(low), at.max(high), at | union)
        }),
    }
}

/// # Safety
/// - The host has AVX-512 F.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn extent_v4(at: &[u64; LANES]) -> (u64, u64, u64) {
    use std::arch::x86_64::*;
    // SAFETY: rows of eight addresses lie inside the array; the load needs no alignment.
    let row = |row: usize| unsafe { _mm512_loadu_si512(at.as_ptr().add(8 * row).cast()) };
    let (mut low, mut high, mut union) = (row(0), row(0), row(0));
    for k in 1..LANES / 8 {
        low = _mm512_min_epu64(low, row(k));
        high = _mm512_max_epu64(high, row(k));
        union = _mm512_or_si512(union, row(k));
    }
    (
        _mm512_reduce_min_epu64(low),
        _mm512_reduce_max_epu64(high),
        _mm512_reduce_or_epi64(union) as u64,
    )
}

/// Reads an element for each lane, at `at` plus `delta`.
///
/// # Safety
/// - Each of those host addresses is valid for reads and aligned for `M`.
#[inline(always)]
pub(super) unsafe fn pick<M: Copy>(level: Level, at: &[u64; LANES], delta: u64) -> [M; LANES] {
    // SAFETY: the caller vouches for the addresses; sizes agree in each arm; a level is what was
    // detected on this host.
    unsafe {
        match (level, size_of::<M>()) {
            #[cfg(target_arch = "x86_64")]
            (Level::V4, 4) => std::mem::transmute_copy(&pick_words(at, delta)),
            #[cfg(target_arch = "x86_64")]
            (Level::V4, 8) => std::mem::transmute_copy(&pick_doubles(at, delta)),
            _ => at.map(|at| get::<M>(at.wrapping_add(delta) as *mut u8)),
        }
    }
}

/// # Safety
/// - The host has AVX-512 F.
/// - As for [`pick`].
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx2")]
unsafe fn pick_words(at: &[u64; LANES], delta: u64) -> [u32; LANES] {
    use std::arch::x86_64::{__m256i, __m512i, _mm256_setzero_si256};
    let mut result = [0; LANES];
    for row in 0..LANES / 8 {
        // SAFETY: rows of eight lanes lie inside both arrays. Other threads may write what is read:
        // the block of assembler does what relaxed loads of the elements do, none of which is torn,
        // being aligned.
        unsafe {
            let index = at.as_ptr().add(8 * row).cast::<__m512i>().read_unaligned();
            let mut words: __m256i = _mm256_setzero_si256();
            std::arch::asm!(
                "kxnorw {all}, {all}, {all}",
                "vpgatherqd {words}{{{all}}}, [{delta} + {index}]",
                all = out(kreg) _,
                words = inout(ymm_reg) words,
                index = in(zmm_reg) index,
                delta = in(reg) delta,
                options(nostack, readonly, preserves_flags),
            );
            result
                .as_mut_ptr()
                .add(8 * row)
                .cast::<__m256i>()
                .write_unaligned(words);
        }
    }
    result
}

/// # Safety
/// - The host has AVX-512 F.
/// - As for [`pick`].
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn pick_doubles(at: &[u64; LANES], delta: u64) -> [u64; LANES] {
    use std::arch::x86_64::{__m512i, _mm512_setzero_si512};
    let mut result = [0; LANES];
    for row in 0..LANES / 8 {
        // SAFETY: as in `pick_words`.
        unsafe {
            let index = at.as_ptr().add(8 * row).cast::<__m512i>().read_unaligned();
            let mut doubles: __m512i = _mm512_setzero_si512();
            std::arch::asm!(
                "kxnorw {all}, {all}, {all}",
                "vpgatherqq {doubles}{{{all}}}, [{delta} + {index}]",
                all = out(kreg) _,
                doubles = inout(zmm_reg) doubles,
                index = in(zmm_reg) index,
                delta = in(reg) delta,
                options(nostack, readonly, preserves_flags),
            );
            result
                .as_mut_ptr()
                .add(8 * row)
                .cast::<__m512i>()
                .write_unaligned(doubles);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Addresses of 32 elements of 8 bytes in `data`, in an order that `f` gives.
    fn addresses(data: &mut [u64; 64], f: impl Fn(usize) -> usize) -> [u64; LANES] {
        let start = data.as_mut_ptr() as u64;
        std::array::from_fn(|i| start + 8 * f(i) as u64)
    }

    #[test]
    fn every_level_agrees_with_the_plain_loops() {
        let level = Level::detect();
        let mut data: [u64; 64] = std::array::from_fn(|i| i as u64 * 0x0102_0304_0506_0708);
        let expected = data;
        for step in [0, 1, 5, 13, 63] {
            let order = |i| (i * step + 3) % 64;
            let at = addresses(&mut data, order);
            assert_eq!(extent(level, &at), extent(Level::Base, &at), "step {step}");
            let row = contiguous::<u64>(level, &at);
            assert_eq!(row, contiguous::<u64>(Level::Base, &at), "step {step}");
            assert_eq!(row, at.windows(2).all(|pair| pair[1] == pair[0] + 8));
            // Away from the elements, to see that the distance counts.
            let shifted = at.map(|at| at - 4096);
            // SAFETY: the addresses are those of elements.
            let (wide, narrow, bytes) = unsafe {
                (
                    pick::<u64>(level, &shifted, 4096),
                    pick::<u32>(level, &shifted, 4100),
                    pick::<u8>(level, &shifted, 4096),
                )
            };
            for i in 0..LANES {
                let value = expected[order(i)];
                assert_eq!((wide[i], narrow[i]), (value, (value >> 32) as u32));
                assert_eq!(bytes[i], value as u8);
            }
        }
    }
}
