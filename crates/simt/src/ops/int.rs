//! Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions").

/// Integers that the lanes of a register hold.
pub trait Int: Copy + Eq + Ord + Default {
    /// Width in bits.
    const BITS: u32;
    /// The value, widened with its sign where it has one.
    fn wide(self) -> i128;
    /// The low bits of `x`.
    fn truncate(x: i128) -> Self;
    /// All bits set.
    const ONES: Self;
    /// Smallest and largest value.
    const RANGE: (i128, i128);
}

macro_rules! ints {
    ($($t:ty),*) => {$(
        impl Int for $t {
            const BITS: u32 = <$t>::BITS;
            const ONES: Self = !0;
            const RANGE: (i128, i128) = (<$t>::MIN as i128, <$t>::MAX as i128);
            #[inline(always)]
            fn wide(self) -> i128 { self as i128 }
            #[inline(always)]
            fn truncate(x: i128) -> Self { x as $t }
        }
    )*};
}
ints!(u8, i8, u16, i16, u32, i32, u64, i64);

/// `mul.hi`.
pub fn mul_hi<T: Int>(a: T, b: T) -> T {
    // Unsigned 64-bit products need the 128th bit: wrapping keeps it, the shift is logical.
    let product = a.wide().wrapping_mul(b.wide());
    T::truncate(((product as u128) >> T::BITS) as i128)
}

/// The low half of the product of the low 24 bits, sign-extended for signed types (`mul24.lo`).
pub fn mul24_lo<T: Int>(a: T, b: T) -> T {
    T::truncate(product24(a, b))
}

/// Bits 16 to 47 of the 48-bit product (`mul24.hi`).
pub fn mul24_hi<T: Int>(a: T, b: T) -> T {
    T::truncate(product24(a, b) >> 16)
}

fn product24<T: Int>(a: T, b: T) -> i128 {
    let low = |x: T| {
        if T::RANGE.0 < 0 {
            x.wide() << 104 >> 104
        } else {
            x.wide() & 0xff_ffff
        }
    };
    low(a) * low(b)
}

/// `sad`: `c + |a − b|`.
pub fn sad<T: Int>(a: T, b: T, c: T) -> T {
    T::truncate(c.wide() + (a.wide() - b.wide()).abs())
}

/// `div`; a division by zero, undefined by the ISA, gives all ones as the hardware does.
pub fn div<T: Int>(a: T, b: T) -> T {
    if b == T::default() {
        T::ONES
    } else {
        T::truncate(a.wide() / b.wide())
    }
}

/// `rem`; by zero, undefined by the ISA, gives the dividend.
pub fn rem<T: Int>(a: T, b: T) -> T {
    if b == T::default() {
        a
    } else {
        T::truncate(a.wide() % b.wide())
    }
}

/// The value of the range nearest to `x` (`.sat`).
pub fn clamp<T: Int>(x: i128) -> T {
    T::truncate(x.clamp(T::RANGE.0, T::RANGE.1))
}

/// `mad.hi.sat.s32`.
pub fn mad_hi_sat(a: i32, b: i32, c: i32) -> i32 {
    clamp(i128::from(mul_hi(a, b)) + i128::from(c))
}

/// `dp4a`: four products of bytes, each factor signed or not, added to `c`.
pub fn dp4a(a: u32, a_signed: bool, b: u32, b_signed: bool, c: u32) -> u32 {
    (0..4).fold(c, |sum, i| {
        let product = byte(a, i, a_signed).wrapping_mul(byte(b, i, b_signed));
        sum.wrapping_add(product as u32)
    })
}

/// `dp2a`: two products of a 16-bit half with one of the lower (or upper) two bytes.
pub fn dp2a(a: u32, a_signed: bool, b: u32, b_signed: bool, upper: bool, c: u32) -> u32 {
    (0..2).fold(c, |sum, i| {
        let half = (a >> (16 * i)) as u16;
        let half = if a_signed {
            i32::from(half as i16)
        } else {
            i32::from(half)
        };
        let product = half.wrapping_mul(byte(b, i + 2 * u32::from(upper), b_signed));
        sum.wrapping_add(product as u32)
    })
}

fn byte(word: u32, index: u32, signed: bool) -> i32 {
    let byte = (word >> (8 * index)) as u8;
    if signed {
        i32::from(byte as i8)
    } else {
        i32::from(byte)
    }
}

/// `add` with carry in and out; the carry out is the second part.
pub fn add_carry<T: Int>(a: T, b: T, carry: bool) -> (T, bool) {
    let mask = u128::MAX >> (128 - T::BITS);
    let sum = (a.wide() as u128 & mask) + (b.wide() as u128 & mask) + u128::from(carry);
    (T::truncate(sum as i128), sum >> T::BITS != 0)
}

/// `sub` with borrow in and out.
pub fn sub_borrow<T: Int>(a: T, b: T, borrow: bool) -> (T, bool) {
    let mask = u128::MAX >> (128 - T::BITS);
    let (a, b) = (
        a.wide() as u128 & mask,
        (b.wide() as u128 & mask) + u128::from(borrow),
    );
    (T::truncate(a.wrapping_sub(b) as i128), a < b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn high_products(a: u64, b: u64) {
            prop_assert_eq!(mul_hi(a, b), ((u128::from(a) * u128::from(b)) >> 64) as u64);
            let (x, y) = (a as i64, b as i64);
            prop_assert_eq!(mul_hi(x, y), ((i128::from(x) * i128::from(y)) >> 64) as i64);
            let (x, y) = (a as u32, b as u32);
            prop_assert_eq!(mul_hi(x, y), ((u64::from(x) * u64::from(y)) >> 32) as u32);
        }

        #[test]
        fn carries_chain_to_a_wide_sum(a: u128, b: u128) {
            let (low, carry) = add_carry(a as u64, b as u64, false);
            let (high, _) = add_carry((a >> 64) as u64, (b >> 64) as u64, carry);
            let sum = u128::from(high) << 64 | u128::from(low);
            prop_assert_eq!(sum, a.wrapping_add(b));
            let (low, borrow) = sub_borrow(a as u64, b as u64, false);
            let (high, _) = sub_borrow((a >> 64) as u64, (b >> 64) as u64, borrow);
            let difference = u128::from(high) << 64 | u128::from(low);
            prop_assert_eq!(difference, a.wrapping_sub(b));
        }
    }

    #[test]
    fn division_is_total() {
        assert_eq!(div(7i32, 0), -1);
        assert_eq!(div(7u32, 0), u32::MAX);
        assert_eq!(rem(7u32, 0), 7);
        assert_eq!(div(i32::MIN, -1), i32::MIN);
        assert_eq!(rem(i32::MIN, -1), 0);
        assert_eq!(div(i64::MIN, -1), i64::MIN);
        assert_eq!((div(-7i32, 2), rem(-7i32, 2)), (-3, -1));
    }

    #[test]
    fn dot_products() {
        assert_eq!(dp4a(0x0102_0304, false, 0x0101_0101, false, 100), 110);
        assert_eq!(dp4a(0xffff_ffff, true, 0x0101_0101, true, 0) as i32, -4);
        assert_eq!(
            dp2a(0x0002_0003, false, 0x0000_0504, false, false, 1),
            1 + 3 * 4 + 2 * 5
        );
        assert_eq!(
            dp2a(0xffff_0001, true, 0x0706_0000, false, true, 0) as i32,
            6 - 7
        );
    }

    #[test]
    fn small_products_and_differences() {
        assert_eq!(mul24_lo(0x0100_0003u32, 5), 15);
        assert_eq!(mul24_lo(0x00ff_ffffi32, 5), -5);
        assert_eq!(mul24_hi(0x0080_0000u32, 0x0080_0000), 0x4000_0000);
        assert_eq!(sad(1u32, 5, 10), 14);
        assert_eq!(sad(-3i32, 5, 10), 18);
        assert_eq!(mad_hi_sat(i32::MAX, i32::MAX, i32::MAX), i32::MAX);
    }
}
