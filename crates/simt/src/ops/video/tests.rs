//! Tables of what video gives.

use super::{Function, MultiplyAdd, Parallel, Part, Scalar, Second};

const SIGNED: [bool; 3] = [true; 3];
const UNSIGNED: [bool; 3] = [false; 3];

fn scalar(function: Function, signed: [bool; 3]) -> Scalar {
    let parts = [Part::Word; 3];
    Scalar {
        function,
        signed,
        saturate: false,
        second: Second::Merge,
        parts,
    }
}

#[test]
fn scalar_arithmetic() {
    let run =
        |function, signed, a: i64, b: i64| scalar(function, signed).run(a as u32, b as u32, 0);
    assert_eq!(run(Function::Add, SIGNED, -5, 3), -2_i32 as u32);
    assert_eq!(run(Function::Subtract, UNSIGNED, 3, 5), u32::MAX - 1);
    assert_eq!(run(Function::Difference, SIGNED, -5, 3), 8);
    assert_eq!(run(Function::Difference, UNSIGNED, 3, 5), 2);
    assert_eq!(run(Function::Minimum, SIGNED, -1, 1), u32::MAX);
    assert_eq!(run(Function::Minimum, UNSIGNED, -1, 1), 1);
    // The sources may differ in sign: −1 against 2³² − 1.
    assert_eq!(
        run(Function::Maximum, [true, true, false], -1, -1),
        u32::MAX
    );
    assert_eq!(run(Function::Less, [false, true, false], -1, -1), 1);
    assert_eq!(run(Function::GreaterEqual, UNSIGNED, 7, 7), 1);
}

#[test]
fn scalar_saturation_and_parts() {
    let add = Scalar {
        saturate: true,
        ..scalar(Function::Add, SIGNED)
    };
    assert_eq!(add.run(i32::MAX as u32, 1, 0), i32::MAX as u32);
    let add = Scalar {
        saturate: true,
        ..scalar(Function::Add, UNSIGNED)
    };
    assert_eq!(add.run(u32::MAX, 1, 0), u32::MAX);
    let subtract = Scalar {
        saturate: true,
        ..scalar(Function::Subtract, UNSIGNED)
    };
    assert_eq!(subtract.run(1, 2, 0), 0);
    // vabsdiff.s32.s32.s32.sat d.h0, a.b0, b.b2, c: 127 − (−128) is clamped to a half, not a byte.
    let parts = [Part::Half(0), Part::Byte(0), Part::Byte(2)];
    let part = Scalar {
        saturate: true,
        parts,
        ..scalar(Function::Difference, SIGNED)
    };
    assert_eq!(part.run(0x7F, 0x0080_0000, 0xABCD_1234), 0xABCD_00FF);
    let parts = [Part::Byte(3), Part::Half(1), Part::Word];
    let part = Scalar {
        parts,
        ..scalar(Function::Add, UNSIGNED)
    };
    assert_eq!(part.run(0x0102_FFFF, 0x0000_0300, 0x1122_3344), 0x0222_3344);
}

#[test]
fn scalar_second_operations() {
    let with = |second, signed| Scalar {
        second,
        ..scalar(Function::Add, signed)
    };
    assert_eq!(with(Second::Add, SIGNED).run(1, 2, 10), 13);
    assert_eq!(
        with(Second::Minimum, SIGNED).run(1, 2, -4_i32 as u32),
        -4_i32 as u32
    );
    assert_eq!(with(Second::Minimum, UNSIGNED).run(1, 2, -4_i32 as u32), 3);
    assert_eq!(with(Second::Maximum, SIGNED).run(1, 2, -4_i32 as u32), 3);
}

#[test]
fn shifts() {
    let run = |function, signed, a: u32, b: u32| scalar(function, signed).run(a, b, 0);
    assert_eq!(run(Function::LeftClamp, UNSIGNED, u32::MAX, 40), 0);
    assert_eq!(run(Function::LeftWrap, UNSIGNED, 1, 33), 2);
    assert_eq!(run(Function::RightClamp, UNSIGNED, u32::MAX, 32), 0);
    assert_eq!(
        run(Function::RightClamp, [true, true, false], u32::MAX, 99),
        u32::MAX
    );
    assert_eq!(run(Function::RightWrap, UNSIGNED, 0x80, 36), 8);
    let left = Scalar {
        saturate: true,
        ..scalar(Function::LeftClamp, UNSIGNED)
    };
    assert_eq!(left.run(u32::MAX, 32, 0), u32::MAX);
}

#[test]
fn multiply_add() {
    let plain = MultiplyAdd {
        signed: [true; 2],
        parts: [Part::Word; 2],
        negate_product: false,
        negate_summand: false,
        plus_one: false,
        saturate: false,
        scale: 0,
    };
    let minus = |value: i32| value as u32;
    assert_eq!(plain.run(minus(-3), 4, 5), minus(-7));
    assert_eq!(
        MultiplyAdd {
            negate_product: true,
            ..plain
        }
        .run(3, 4, 5),
        minus(-7)
    );
    assert_eq!(
        MultiplyAdd {
            negate_summand: true,
            ..plain
        }
        .run(3, 4, 5),
        7
    );
    assert_eq!(
        MultiplyAdd {
            plus_one: true,
            ..plain
        }
        .run(3, 4, 5),
        18
    );
    assert_eq!(
        MultiplyAdd { scale: 7, ..plain }.run(1 << 20, 1 << 20, 0),
        0
    );
    assert_eq!(
        MultiplyAdd { scale: 15, ..plain }.run(1 << 20, 1 << 20, 1 << 15),
        (1 << 25) + 1
    );
    let sat = MultiplyAdd {
        saturate: true,
        ..plain
    };
    assert_eq!(sat.run(1 << 20, 1 << 20, 0), i32::MAX as u32);
    let unsigned = MultiplyAdd {
        signed: [false; 2],
        ..sat
    };
    assert_eq!(unsigned.run(u32::MAX, u32::MAX, u32::MAX), u32::MAX);
    let parts = MultiplyAdd {
        parts: [Part::Half(1), Part::Byte(1)],
        ..plain
    };
    assert_eq!(parts.run(0xFFFF_0000, 0xFE00, 0), 2);
}

/// The halves or bytes one after the other, against the definition.
fn naive(function: Function, bits: u32, a: u32, b: u32) -> u32 {
    let mut d = 0;
    for shift in (0..32).step_by(bits as usize) {
        let part = |word: u32| (word >> shift) & (u32::MAX >> (32 - bits));
        let signed = |word: u32| (word << (32 - bits - shift)) as i32 >> (32 - bits);
        let value = match function {
            Function::Add => part(a).wrapping_add(part(b)),
            Function::Subtract => part(a).wrapping_sub(part(b)),
            Function::Difference => part(a).abs_diff(part(b)),
            Function::Average => (part(a) + part(b)).div_ceil(2),
            Function::Minimum => signed(a).min(signed(b)) as u32,
            _ => u32::from(part(a) > part(b)),
        };
        d |= (value & (u32::MAX >> (32 - bits))) << shift;
    }
    d
}

#[test]
fn parallel_against_part_after_part() {
    let functions = [
        (Function::Add, UNSIGNED),
        (Function::Subtract, UNSIGNED),
        (Function::Difference, UNSIGNED),
        (Function::Average, UNSIGNED),
        (Function::Minimum, SIGNED),
        (Function::Greater, UNSIGNED),
    ];
    let mut x = 1_u32;
    for _ in 0..2000 {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (a, b) = (x, x.rotate_left(13) ^ 0x8000_7FFF);
        for (function, signed) in functions {
            for (bytes, bits) in [(false, 16), (true, 8)] {
                let d = Parallel::new(function, bytes, signed).run(a, b, 0);
                assert_eq!(
                    d,
                    naive(function, bits, a, b),
                    "{function:?} {bits} {a:#x} {b:#x}"
                );
            }
        }
    }
}

#[test]
fn parallel_selection_mask_and_sum() {
    let add = Parallel::new(Function::Add, true, UNSIGNED);
    // vabsdiff4.u32.u32.u32.add, the sum of absolute differences of __vsadu4.
    let sad = Parallel {
        accumulate: true,
        ..Parallel::new(Function::Difference, true, UNSIGNED)
    };
    assert_eq!(sad.run(0x0102_0304, 0x0401_0301, 100), 100 + 3 + 1 + 3);
    let sat = Parallel {
        saturate: true,
        ..add
    };
    assert_eq!(sat.run(0xFF01_8000, 0x0101_8000, 0), 0xFF02_FF00);
    let masked = Parallel {
        mask: 0b0101,
        ..add
    };
    assert_eq!(
        masked.run(0x0101_0101, 0x0202_0202, 0xAABB_CCDD),
        0xAA03_CC03
    );
    // Sources from either register: .b0000 and .b7777 at once.
    let spread = Parallel {
        a_lanes: [0; 4],
        b_lanes: [7; 4],
        ..add
    };
    assert_eq!(spread.run(0x0000_0001, 0x1000_0000, 0), 0x1111_1111);
    let average = Parallel::new(Function::Average, false, SIGNED);
    assert_eq!(average.run(0xFFFF_0001, 0xFFFE_0002, 0), 0xFFFE_0002);
}
