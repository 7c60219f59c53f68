//! Shifts, logic and bit fields (PTX ISA, "Logic and Shift Instructions" and the bit-field part of
//! "Integer Arithmetic Instructions").

/// `shl.b32`: amounts above 31 give 0.
#[inline(always)]
pub fn shl32(a: u32, by: u32) -> u32 {
    if by > 31 { 0 } else { a << (by & 31) }
}

/// `shl.b64`.
#[inline(always)]
pub fn shl64(a: u64, by: u32) -> u64 {
    if by > 63 { 0 } else { a << (by & 63) }
}

/// `shl.b16`.
#[inline(always)]
pub fn shl16(a: u16, by: u32) -> u16 {
    if by > 15 { 0 } else { a << (by & 15) }
}

/// `shr.u32` and `.b32`.
#[inline(always)]
pub fn shr32(a: u32, by: u32) -> u32 {
    if by > 31 { 0 } else { a >> (by & 31) }
}

/// `shr.u64`.
#[inline(always)]
pub fn shr64(a: u64, by: u32) -> u64 {
    if by > 63 { 0 } else { a >> (by & 63) }
}

/// `shr.u16`.
#[inline(always)]
pub fn shr16(a: u16, by: u32) -> u16 {
    if by > 15 { 0 } else { a >> (by & 15) }
}

/// `shr.s32`: amounts above 31 fill with the sign.
#[inline(always)]
pub fn sar32(a: i32, by: u32) -> i32 {
    a >> (if by > 31 { 31 } else { by })
}

/// `shr.s64`.
#[inline(always)]
pub fn sar64(a: i64, by: u32) -> i64 {
    a >> (if by > 63 { 63 } else { by })
}

/// `shr.s16`.
#[inline(always)]
pub fn sar16(a: i16, by: u32) -> i16 {
    a >> (if by > 15 { 15 } else { by })
}

/// `shf.l`: the upper half of `hi:lo` shifted left; `wrap` takes the amount modulo 32, clamp at 32.
pub fn shf_l(lo: u32, hi: u32, by: u32, wrap: bool) -> u32 {
    let by = if wrap { by & 31 } else { by.min(32) };
    ((join(lo, hi) << by) >> 32) as u32
}

/// `shf.r`: the lower half of `hi:lo` shifted right.
pub fn shf_r(lo: u32, hi: u32, by: u32, wrap: bool) -> u32 {
    let by = if wrap { by & 31 } else { by.min(32) };
    (join(lo, hi) >> by) as u32
}

fn join(lo: u32, hi: u32) -> u64 {
    u64::from(hi) << 32 | u64::from(lo)
}

/// `lop3`: the bit of the table `lut` that the three bits select, `0xf0`, `0xcc`, `0xaa` being the
/// operands themselves.
#[inline(always)]
pub fn lop3(a: u32, b: u32, c: u32, lut: u32) -> u32 {
    let mut result = 0;
    let mut row = 0;
    while row < 8 {
        let keep = ((lut >> row) & 1).wrapping_neg();
        let x = if row & 4 != 0 { a } else { !a };
        let y = if row & 2 != 0 { b } else { !b };
        let z = if row & 1 != 0 { c } else { !c };
        result |= x & y & z & keep;
        row += 1;
    }
    result
}

/// `bfe`: `len` bits of `a` from `pos`, of a type of `width` bits; signed fields take their top
/// bit, or that of `a` when they reach beyond it, as fill.
pub fn bfe(a: u64, pos: u32, len: u32, width: u32, signed: bool) -> u64 {
    let (pos, len) = (pos & 0xff, len & 0xff);
    let top = width - 1;
    let fill = signed && len != 0 && a >> (pos + len - 1).min(top) & 1 == 1;
    let field = if pos > top {
        0
    } else {
        (a & low_bits(width)) >> pos
    };
    let taken = len.min((top + 1).saturating_sub(pos));
    let value = field & low_bits(taken);
    let value = if fill {
        value | !low_bits(taken)
    } else {
        value
    };
    value & low_bits(width)
}

/// `bfi`: the low `len` bits of `a` put into `b` at `pos`.
pub fn bfi(a: u64, b: u64, pos: u32, len: u32, width: u32) -> u64 {
    let (pos, len) = (pos & 0xff, len & 0xff);
    if pos >= width {
        return b;
    }
    let mask = low_bits(len) << pos & low_bits(width);
    (b & !mask) | (a << pos & mask)
}

/// The lowest `n` bits set; all for 64 and more.
pub fn low_bits(n: u32) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

/// `bfind`: position of the most significant set bit (of the first bit that differs from the sign),
/// or with `shift_amount` how far to shift left to bring it to the top; `0xffffffff` for none.
pub fn bfind(a: u64, width: u32, signed: bool, shift_amount: bool) -> u32 {
    let negative = signed && a >> (width - 1) & 1 == 1;
    let a = if negative { !a } else { a } & low_bits(width);
    if a == 0 {
        return u32::MAX;
    }
    let position = 63 - a.leading_zeros();
    if shift_amount {
        width - 1 - position
    } else {
        position
    }
}

/// `fns`: the position of the `offset`-th set bit from `base`, upwards or (negative) downwards.
pub fn fns(mask: u32, base: u32, offset: i32) -> u32 {
    if base > 31 {
        return u32::MAX;
    }
    if offset == 0 {
        return if mask >> base & 1 == 1 {
            base
        } else {
            u32::MAX
        };
    }
    let mut left = offset.unsigned_abs();
    let mut position = base as i32;
    while (0..32).contains(&position) {
        if mask >> position & 1 == 1 {
            left -= 1;
            if left == 0 {
                return position as u32;
            }
        }
        position += offset.signum();
    }
    u32::MAX
}

/// `bmsk`: `len` ones from `pos`, clamped or wrapped at 32.
pub fn bmsk(pos: u32, len: u32, wrap: bool) -> u32 {
    let (pos, len) = if wrap {
        (pos & 31, len & 31)
    } else {
        (pos.min(32), len.min(32))
    };
    (low_bits(len) << pos) as u32
}

/// `szext`: the low `n` bits, extended with zeros or their sign.
pub fn szext(a: u32, n: u32, signed: bool, wrap: bool) -> u32 {
    let n = if wrap { n & 31 } else { n.min(32) };
    if n == 0 {
        return 0;
    }
    let up = 32 - n;
    if signed {
        ((a << up) as i32 >> up) as u32
    } else {
        a << up >> up
    }
}

/// The mode of `prmt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Permute {
    /// Each nibble of the selector picks a byte; its top bit replicates the sign.
    Index,
    /// `.f4e`: four bytes forwards.
    Forward4,
    /// `.b4e`: four bytes backwards.
    Backward4,
    /// `.rc8`: one byte replicated.
    Replicate8,
    /// `.ecl`: edge clamp left.
    ClampLeft,
    /// `.ecr`: edge clamp right.
    ClampRight,
    /// `.rc16`: one half replicated.
    Replicate16,
}

/// `prmt`.
pub fn prmt(a: u32, b: u32, selector: u32, mode: Permute) -> u32 {
    let bytes = join(a, b).to_le_bytes();
    let s = selector & 3;
    let pick = |i: u32| -> u8 {
        let index = match mode {
            Permute::Index => {
                let nibble = selector >> (4 * i) & 15;
                let byte = bytes[(nibble & 7) as usize];
                return if nibble & 8 != 0 {
                    ((byte as i8) >> 7) as u8
                } else {
                    byte
                };
            }
            Permute::Forward4 => s + i,
            Permute::Backward4 => s.wrapping_sub(i) & 7,
            Permute::Replicate8 => s,
            Permute::ClampLeft => s.max(i),
            Permute::ClampRight => s.min(i),
            Permute::Replicate16 => (s & 1) * 2 + (i & 1),
        };
        bytes[index as usize]
    };
    u32::from_le_bytes([pick(0), pick(1), pick(2), pick(3)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shifts_clamp() {
        assert_eq!(
            (shl32(1, 31), shl32(1, 32), shl32(1, u32::MAX)),
            (1 << 31, 0, 0)
        );
        assert_eq!((sar32(-8, 1), sar32(-8, 99), sar64(-8, 99)), (-4, -1, -1));
        assert_eq!(
            (shr64(1 << 63, 63), shr64(1 << 63, 64), shr16(0x8000, 16)),
            (1, 0, 0)
        );
        assert_eq!(
            (shf_l(0x8000_0000, 1, 1, true), shf_l(7, 9, 32, false)),
            (3, 7)
        );
        assert_eq!(
            (shf_r(2, 1, 1, true), shf_r(7, 9, 40, false)),
            (0x8000_0001, 9)
        );
    }

    #[test]
    fn permutes() {
        let (a, b) = (0x8382_8180, 0x0706_0504);
        assert_eq!(prmt(a, b, 0x7531, Permute::Index), 0x0705_8381);
        assert_eq!(prmt(a, b, 0x8888, Permute::Index), 0xffff_ffff);
        assert_eq!(prmt(a, b, 1, Permute::Forward4), 0x0483_8281);
        assert_eq!(prmt(a, b, 1, Permute::Backward4), 0x0607_8081);
        assert_eq!(prmt(a, b, 2, Permute::Replicate8), 0x8282_8282);
        assert_eq!(prmt(a, b, 2, Permute::ClampLeft), 0x8382_8282);
        assert_eq!(prmt(a, b, 2, Permute::ClampRight), 0x8282_8180);
        assert_eq!(prmt(a, b, 1, Permute::Replicate16), 0x8382_8382);
    }

    #[test]
    fn fields() {
        assert_eq!(bfe(0xabcd, 4, 8, 32, false), 0xbc);
        assert_eq!(bfe(0xabcd, 4, 8, 32, true), 0xffff_ffbc);
        assert_eq!(bfe(0x8000_0000, 28, 8, 32, true), 0xffff_fff8);
        assert_eq!(bfe(0x8000_0000, 40, 8, 32, true), 0xffff_ffff);
        assert_eq!(bfe(0x8000_0000, 3, 0, 32, true), 0);
        assert_eq!(bfi(0xf, 0, 28, 8, 32), 0xf000_0000);
        assert_eq!(bfi(0xf, 5, 32, 8, 32), 5);
        assert_eq!(bfind(0, 32, false, false), u32::MAX);
        assert_eq!(
            (bfind(8, 32, false, false), bfind(8, 32, false, true)),
            (3, 28)
        );
        assert_eq!(bfind(0xffff_fff0, 32, true, false), 3);
        assert_eq!(
            (fns(0b1011, 0, 2), fns(0b1011, 3, -2), fns(0b1011, 2, 0)),
            (1, 1, u32::MAX)
        );
        assert_eq!(
            (bmsk(4, 8, false), bmsk(36, 8, true), bmsk(36, 8, false)),
            (0xff0, 0xff0, 0)
        );
        assert_eq!(
            (szext(0x8f, 8, true, false), szext(0x8f, 4, false, false)),
            (0xffff_ff8f, 15)
        );
    }

    proptest! {
        #[test]
        fn lop3_reads_its_table(a: u32, b: u32, c: u32, lut in 0u32..256) {
            let got = lop3(a, b, c, lut);
            for bit in 0..32 {
                let row = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | (c >> bit & 1);
                prop_assert_eq!(got >> bit & 1, lut >> row & 1);
            }
        }

        #[test]
        fn inserted_fields_come_out_again(a: u64, b: u64, pos in 0u32..64, len in 0u32..64) {
            let len = len.min(64 - pos);
            prop_assert_eq!(bfe(bfi(a, b, pos, len, 64), pos, len, 64, false), a & low_bits(len));
        }
    }
}
