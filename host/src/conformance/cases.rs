//! Which cases each kernel is tried with.

use conformance::{
    BLOCK_SHAPES, BlockOp, Case, Entry, Family, ReduceOp, ScalarOp, ShuffleOp, SpecialOp,
    StructureOp, Value, VoteOp, Which,
};

use super::batch::{Batch, MASKS, Numbers, tile_mask};
use super::expect::group::groups_of;
use super::number::{Number, with_number};

/// All batches of a kernel.
pub(super) fn batches(entry: &Entry) -> Vec<Batch> {
    let mut numbers = Numbers::new(entry.kernel.bytes().map(u64::from).sum());
    let numbers = &mut numbers;
    match entry.family {
        Family::Shuffle => vec![shuffles(entry.value, numbers)],
        Family::Vote => vec![votes(numbers)],
        Family::Match => vec![matches(entry.value, numbers)],
        Family::Reduce => vec![reductions(entry.value, numbers)],
        Family::Special => vec![special(numbers)],
        Family::Scalar(which) => {
            vec![with_number!(entry.value, T => scalars::<T>(which, numbers), warp(0))]
        }
        Family::Structure(which) => vec![structures(which, numbers)],
        Family::Exchange(n, _) => vec![exchanges(n, entry.value, numbers)],
        Family::Block => with_number!(entry.value, T => blocks::<T>(numbers), Vec::new()),
        Family::BlockAffine => block_words(4, 8, numbers),
        Family::BlockItems => block_words(4, 16, numbers),
        Family::BlockSized(size) => {
            with_number!(entry.value, T => vec![sized::<T>(size, numbers)], Vec::new())
        }
    }
}

/// A batch of warps.
fn warp(size: usize) -> Batch {
    Batch::new([32, 1, 1], size)
}

fn case(mask: u32, op: u32, width: u32) -> Case {
    Case {
        mask,
        op,
        width,
        extra: 0,
    }
}

/// Every mode, width, mask and operand: the same in all lanes from 0 to 33, and different ones.
fn shuffles(value: Value, numbers: &mut Numbers) -> Batch {
    let mut batch = warp(value.size());
    for &op in ShuffleOp::ALL {
        for width in [1, 2, 4, 8, 16, 32] {
            if op == ShuffleOp::Broadcast && width != 32 {
                continue;
            }
            for &mask in MASKS {
                for operand in 0..=33 {
                    batch.push(
                        case(mask, op as u32, width),
                        |_| operand,
                        |_| numbers.value(value),
                    );
                }
                if op != ShuffleOp::Broadcast {
                    for stride in [1, 7, 31] {
                        batch.push(
                            case(mask, op as u32, width),
                            |lane| lane as u32 * stride % 32,
                            |_| numbers.value(value),
                        );
                    }
                }
            }
        }
    }
    batch
}

/// None, all, each single lane, and random ones.
fn votes(numbers: &mut Numbers) -> Batch {
    let mut batch = warp(1);
    let single = (0..32).flat_map(|lane| [1u32 << lane, !(1u32 << lane)]);
    let mut patterns: Vec<u32> = [0, u32::MAX, 0xAAAA_AAAA]
        .into_iter()
        .chain(single)
        .collect();
    patterns.extend((0..8).map(|_| numbers.next() as u32));
    for &op in VoteOp::ALL {
        for &mask in MASKS {
            for &pattern in &patterns {
                batch.push(
                    case(mask, op as u32, 0),
                    |_| 0,
                    |lane| vec![(pattern >> lane & 1) as u8],
                );
            }
        }
    }
    batch
}

/// Values from palettes of 1, 2, 3 and 32, of which neighbours differ in one bit.
fn matches(value: Value, numbers: &mut Numbers) -> Batch {
    let mut batch = warp(value.size());
    for op in 0..2 {
        for &mask in MASKS {
            for colours in [1, 1, 2, 2, 2, 3, 32] {
                let palette = palette(value, colours, numbers);
                let picks: Vec<usize> = (0..32).map(|_| numbers.below(colours) as usize).collect();
                batch.push(
                    case(mask, op, 0),
                    |_| 0,
                    |lane| palette[picks[lane]].clone(),
                );
            }
            for palette in float_palettes(value) {
                let picks: Vec<usize> = (0..32).map(|_| numbers.below(2) as usize).collect();
                batch.push(
                    case(mask, op, 0),
                    |_| 0,
                    |lane| palette[picks[lane]].clone(),
                );
            }
        }
    }
    batch
}

fn palette(value: Value, colours: u32, numbers: &mut Numbers) -> Vec<Vec<u8>> {
    let mut colour = numbers.value(value);
    (0..colours)
        .map(|_| {
            let own = colour.clone();
            if matches!(value, Value::Bool | Value::Char) {
                colour = numbers.value(value);
            } else {
                let bit = numbers.below(colour.len() as u32 * 8) as usize;
                colour[bit / 8] ^= 1 << (bit % 8);
            }
            own
        })
        .collect()
}

/// Floats that compare equal with other bits, or other than themselves with the same bits.
fn float_palettes(value: Value) -> Vec<[Vec<u8>; 2]> {
    let of32 = |a: f32, b: f32| [a.to_le_bytes().to_vec(), b.to_le_bytes().to_vec()];
    let of64 = |a: f64, b: f64| [a.to_le_bytes().to_vec(), b.to_le_bytes().to_vec()];
    match value {
        Value::F32 => vec![of32(0.0, -0.0), of32(f32::NAN, f32::NAN), of32(1.25, 1.75)],
        Value::F64 => vec![of64(0.0, -0.0), of64(f64::NAN, f64::NAN), of64(1.25, 1.75)],
        _ => Vec::new(),
    }
}

fn reductions(value: Value, numbers: &mut Numbers) -> Batch {
    let mut batch = warp(value.size());
    for &op in ReduceOp::ALL {
        for &mask in MASKS {
            for _ in 0..8 {
                batch.push(case(mask, op as u32, 0), |_| 0, |_| numbers.value(value));
            }
            batch.push(
                case(mask, op as u32, 0),
                |_| 0,
                |lane| (lane as i32 - 16).to_le_bytes().to_vec(),
            );
        }
    }
    batch
}

fn special(numbers: &mut Numbers) -> Batch {
    let mut batch = warp(4);
    for &op in SpecialOp::ALL {
        for &mask in MASKS {
            let operands: Vec<u32> = (0..32).map(|_| numbers.below(1000)).collect();
            batch.push(
                case(mask, op as u32, 0),
                |lane| operands[lane],
                |_| numbers.value(Value::U32),
            );
        }
    }
    batch
}

/// The masks that a set of lanes is tried with.
fn masks(which: Which) -> Vec<u32> {
    match which {
        Which::Tile(32) => vec![u32::MAX],
        Which::Tile(n) => {
            let mut masks: Vec<u32> = MASKS
                .iter()
                .map(|&tiles| tile_mask(n, tiles))
                .filter(|&mask| mask != 0)
                .collect();
            masks.sort_unstable();
            masks.dedup();
            masks
        }
        _ => MASKS.to_vec(),
    }
}

fn scalars<T: Number>(which: Which, numbers: &mut Numbers) -> Batch {
    let mut batch = warp(size_of::<T>());
    let floats = T::ordered(0).to_bytes() != vec![0; size_of::<T>()];
    for &op in ScalarOp::ALL {
        let bitwise = matches!(op, ScalarOp::And | ScalarOp::Or | ScalarOp::Xor);
        let reduction = bitwise
            || matches!(
                op,
                ScalarOp::Add | ScalarOp::Mul | ScalarOp::Min | ScalarOp::Max
            );
        if bitwise && floats {
            continue;
        }
        for mask in masks(which) {
            for width in 0..if reduction { 2 } else { 1 } {
                for _ in 0..4 {
                    let case = Case {
                        extra: numbers.next() as u32,
                        ..case(mask, op as u32, width)
                    };
                    let order = numbers.permutation(32);
                    let operands: Vec<u32> = (0..32).map(|_| numbers.next() as u32).collect();
                    batch.push(
                        case,
                        |lane| operands[lane],
                        |lane| scalar::<T>(op, order[lane], numbers).to_bytes(),
                    );
                }
            }
        }
    }
    batch
}

/// A value that suits an operation.
fn scalar<T: Number>(op: ScalarOp, order: u32, numbers: &mut Numbers) -> T {
    match op {
        ScalarOp::Mul => T::factor(numbers),
        ScalarOp::Min | ScalarOp::Max | ScalarOp::ArgMin | ScalarOp::ArgMax => T::extreme(numbers),
        ScalarOp::SortPairs => T::ordered(order),
        _ => T::summand(numbers),
    }
}

fn structures(which: Which, numbers: &mut Numbers) -> Batch {
    let mut batch = warp(8);
    for &op in StructureOp::ALL {
        // A label is made of the operand, so that the operand cannot be a rank too.
        let of_rank = matches!(op, StructureOp::Shuffle | StructureOp::Broadcast);
        let uniform = matches!(
            op,
            StructureOp::ShuffleUp | StructureOp::ShuffleDown | StructureOp::ShuffleXor
        );
        if which == Which::Labeled && (of_rank || uniform) {
            continue;
        }
        for mask in masks(which) {
            for round in 0..if uniform { 32 } else { 6 } {
                let case = Case {
                    extra: numbers.next() as u32,
                    ..case(mask, op as u32, 0)
                };
                let mut operands: Vec<u32> = (0..32)
                    .map(|_| numbers.next() as u32 >> (round % 3 * 15))
                    .collect();
                if uniform {
                    operands.fill(round);
                }
                if of_rank {
                    for group in groups_of(which, &case, &[0; 32]) {
                        let shared = numbers.below(group.size() as u32);
                        for lane in cuda_std::model::lanes(group.mask) {
                            let own = operands[lane] % group.size() as u32;
                            operands[lane] = if op == StructureOp::Broadcast {
                                shared
                            } else {
                                own
                            };
                        }
                    }
                }
                batch.push(case, |lane| operands[lane], |_| numbers.value(Value::U64));
            }
        }
    }
    batch
}

fn exchanges(n: u32, value: Value, numbers: &mut Numbers) -> Batch {
    let mut batch = warp(value.size());
    for op in 0..2 {
        for mask in masks(Which::Tile(n)) {
            for _ in 0..4 {
                batch.push(case(mask, op, 0), |_| 0, |_| numbers.value(value));
            }
        }
    }
    batch
}

fn blocks<T: Number>(numbers: &mut Numbers) -> Vec<Batch> {
    let one = |&shape: &[u32; 3]| {
        let mut batch = Batch::new(shape, size_of::<T>());
        let threads = batch.threads();
        for &op in BlockOp::ALL {
            let extremes = matches!(
                op,
                BlockOp::ReduceMin | BlockOp::ReduceMax | BlockOp::ReduceAllMax | BlockOp::ArgMax
            );
            for _ in 0..4 {
                let case = Case {
                    extra: numbers.below(threads as u32),
                    ..case(0, op as u32, 0)
                };
                let order = numbers.permutation(threads);
                let value = |_| {
                    if extremes {
                        T::extreme(numbers)
                    } else {
                        T::summand(numbers)
                    }
                    .to_bytes()
                };
                batch.push(case, |thread| order[thread], value);
            }
        }
        batch
    };
    BLOCK_SHAPES.iter().map(one).collect()
}

/// Cases of `ops` operations on words of any value, in every shape.
fn block_words(ops: u32, size: usize, numbers: &mut Numbers) -> Vec<Batch> {
    let one = |&shape: &[u32; 3]| {
        let mut batch = Batch::new(shape, size);
        for op in 0..ops {
            for _ in 0..4 {
                let case = Case {
                    extra: numbers.next() as u32,
                    ..case(0, op, 0)
                };
                let operands: Vec<u32> = (0..batch.threads())
                    .map(|_| numbers.next() as u32)
                    .collect();
                batch.push(
                    case,
                    |thread| operands[thread],
                    |_| block_value(size, numbers),
                );
            }
        }
        batch
    };
    BLOCK_SHAPES.iter().map(one).collect()
}

/// For a histogram, keys of which some lie beyond the 64 bins; otherwise any bytes.
fn block_value(size: usize, numbers: &mut Numbers) -> Vec<u8> {
    if size == 16 {
        (0..4)
            .flat_map(|_| numbers.below(70).to_le_bytes())
            .collect()
    } else {
        numbers.value(Value::Bytes(size))
    }
}

fn sized<T: Number>(size: u32, numbers: &mut Numbers) -> Batch {
    let mut batch = Batch::new([size, 1, 1], size_of::<T>());
    for op in 0..2 {
        for _ in 0..8 {
            batch.push(
                case(0, op, 0),
                |_| 0,
                |_| {
                    if op == 0 {
                        T::summand(numbers)
                    } else {
                        T::extreme(numbers)
                    }
                    .to_bytes()
                },
            );
        }
    }
    batch
}
