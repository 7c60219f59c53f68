//! Video instructions. What one does besides its registers is packed into the 64 bits that an
//! instruction carries.

use super::function::{Decoder, Op};
use crate::exec::lanes::each;
use crate::ops::video::{Function, MultiplyAdd, Parallel, Part, Scalar, Second};
use ptx::modifier::{Compare, Flag, Operation};
use ptx::{Component, Instruction, Opcode, Operand, ScalarType as T, SmolStr};

/// The functions by their number in the packed form.
const FUNCTIONS: [Function; 16] = [
    Function::Add,
    Function::Subtract,
    Function::Difference,
    Function::Average,
    Function::Minimum,
    Function::Maximum,
    Function::LeftClamp,
    Function::LeftWrap,
    Function::RightClamp,
    Function::RightWrap,
    Function::Equal,
    Function::NotEqual,
    Function::Less,
    Function::LessEqual,
    Function::Greater,
    Function::GreaterEqual,
];

const SECONDS: [Second; 4] = [Second::Merge, Second::Add, Second::Minimum, Second::Maximum];

impl Decoder<'_> {
    /// `vadd` to `vset4`.
    pub(crate) fn video(&mut self, i: &Instruction) -> Result<Op, String> {
        let name = i.opcode.as_str();
        if i.opcode == Opcode::Vmad {
            let spec = multiply_add(i)?;
            let pair = each(|imm, a: u32, b: u32, c: u32| unpack_multiply_add(imm).run(a, b, c));
            return Ok(self
                .video_operands(i)?
                .with(pair)
                .imm(pack_multiply_add(&spec)));
        }
        let lanes = match name.as_bytes().last() {
            Some(b'2') => 2,
            Some(b'4') => 4,
            _ => 1,
        };
        if lanes == 1 {
            let spec = scalar(i)?;
            let pair = each(|imm, a: u32, b: u32, c: u32| unpack_scalar(imm).run(a, b, c));
            return Ok(self.video_operands(i)?.with(pair).imm(pack_scalar(&spec)));
        }
        let spec = parallel(i, lanes == 4)?;
        let pair = each(|imm, a: u32, b: u32, c: u32| unpack_parallel(imm).run(a, b, c));
        Ok(self.video_operands(i)?.with(pair).imm(pack_parallel(&spec)))
    }

    fn video_operands(&mut self, i: &Instruction) -> Result<Op, String> {
        let mut sources = [0; 3];
        for (index, source) in sources.iter_mut().enumerate() {
            let operand = match i.operands.get(index + 1) {
                Some(operand) => whole(operand),
                None => Operand::Immediate(ptx::Immediate::Integer(ptx::Integer::unsigned(0))),
            };
            *source = self.src(&operand, T::U32)?;
        }
        let d = self.dst(&whole(self.operand(i, 0)?), 4)?;
        let [a, b, c] = sources;
        let op = Op::new(each(|_, a: u32, _: u32, _: u32| a));
        Ok(Op { a, b, c, ..op }.to(d, 4))
    }
}

impl Op {
    fn with(self, pair: crate::exec::lanes::Pair) -> Op {
        Op { pair, ..self }
    }
}

/// The operand without the part that it selects and without its sign.
fn whole(operand: &Operand) -> Operand {
    let name = |name: &SmolStr| Operand::Name(name.clone());
    match operand {
        Operand::Element(register, _) | Operand::Minus(register, _) => name(register),
        other => other.clone(),
    }
}

fn component(i: &Instruction, index: usize) -> Option<Component> {
    match i.operands.get(index) {
        Some(Operand::Element(_, component)) => Some(*component),
        Some(Operand::Minus(_, component)) => *component,
        _ => None,
    }
}

fn part(i: &Instruction, index: usize) -> Result<Part, String> {
    Ok(match component(i, index) {
        None => Part::Word,
        Some(Component::H0) => Part::Half(0),
        Some(Component::H1) => Part::Half(1),
        Some(Component::B0) => Part::Byte(0),
        Some(Component::B1) => Part::Byte(1),
        Some(Component::B2) => Part::Byte(2),
        Some(Component::B3) => Part::Byte(3),
        Some(other) => return Err(format!("`.{other}` does not select a part here")),
    })
}

/// Whether destination and sources are signed. `vset` has no type of its own for its result.
fn signs(i: &Instruction) -> [bool; 3] {
    let signed = |index| i.ty(index) == Some(T::S32);
    if i.compare().is_some() {
        return [false, signed(0), signed(1)];
    }
    [signed(0), signed(1), signed(2)]
}

fn function(i: &Instruction) -> Result<Function, String> {
    use Opcode as O;
    let clamps = i.has(Flag::Clamp);
    Ok(match (&i.opcode, i.compare()) {
        (O::Vadd | O::Vadd2 | O::Vadd4, _) => Function::Add,
        (O::Vsub | O::Vsub2 | O::Vsub4, _) => Function::Subtract,
        (O::Vabsdiff | O::Vabsdiff2 | O::Vabsdiff4, _) => Function::Difference,
        (O::Vavrg2 | O::Vavrg4, _) => Function::Average,
        (O::Vmin | O::Vmin2 | O::Vmin4, _) => Function::Minimum,
        (O::Vmax | O::Vmax2 | O::Vmax4, _) => Function::Maximum,
        (O::Vshl, _) if clamps => Function::LeftClamp,
        (O::Vshl, _) => Function::LeftWrap,
        (O::Vshr, _) if clamps => Function::RightClamp,
        (O::Vshr, _) => Function::RightWrap,
        (_, Some(Compare::Eq)) => Function::Equal,
        (_, Some(Compare::Ne)) => Function::NotEqual,
        (_, Some(Compare::Lt)) => Function::Less,
        (_, Some(Compare::Le)) => Function::LessEqual,
        (_, Some(Compare::Gt)) => Function::Greater,
        (_, Some(Compare::Ge)) => Function::GreaterEqual,
        _ => return Err("the comparison is not supported here".to_owned()),
    })
}

fn scalar(i: &Instruction) -> Result<Scalar, String> {
    let second = match i.operation() {
        None => Second::Merge,
        Some(Operation::Add) => Second::Add,
        Some(Operation::Min) => Second::Minimum,
        Some(Operation::Max) => Second::Maximum,
        Some(other) => return Err(format!("`.{other}` is no second operation")),
    };
    let parts = [part(i, 0)?, part(i, 1)?, part(i, 2)?];
    Ok(Scalar {
        function: function(i)?,
        signed: signs(i),
        saturate: i.has(Flag::Sat),
        second,
        parts,
    })
}

fn parallel(i: &Instruction, bytes: bool) -> Result<Parallel, String> {
    let mut spec = Parallel::new(function(i)?, bytes, signs(i));
    spec.saturate = i.has(Flag::Sat);
    spec.accumulate = i.operation() == Some(Operation::Add);
    if let Some(component) = component(i, 0) {
        spec.mask = match component {
            Component::Lanes(lanes) if lanes.halves != bytes => lanes
                .as_slice()
                .iter()
                .fold(0, |mask, lane| mask | 1 << lane),
            Component::B0 | Component::H0 => 1,
            Component::B1 | Component::H1 => 2,
            Component::B2 => 4,
            Component::B3 => 8,
            other => return Err(format!("`.{other}` is no mask of results")),
        };
    }
    for (index, lanes) in [(1, &mut spec.a_lanes), (2, &mut spec.b_lanes)] {
        match component(i, index) {
            None => {}
            Some(Component::Lanes(selected)) if selected.halves != bytes => {
                *lanes = selected.numbers;
            }
            Some(other) => return Err(format!("`.{other}` does not select sources here")),
        }
    }
    Ok(spec)
}

fn multiply_add(i: &Instruction) -> Result<MultiplyAdd, String> {
    let minus = |index: usize| matches!(i.operands.get(index), Some(Operand::Minus(..)));
    let scale = match (i.has(Flag::Shr7), i.has(Flag::Shr15)) {
        (true, _) => 7,
        (_, true) => 15,
        _ => 0,
    };
    let signed = signs(i);
    Ok(MultiplyAdd {
        signed: [signed[1], signed[2]],
        parts: [part(i, 1)?, part(i, 2)?],
        negate_product: minus(1) != minus(2),
        negate_summand: minus(3),
        plus_one: i.has(Flag::PlusOne),
        saturate: i.has(Flag::Sat),
        scale,
    })
}

/// Bits, put in and taken out from the low end.
struct Bits(u64, u32);

impl Bits {
    fn put(&mut self, value: u64, bits: u32) {
        self.0 |= value << self.1;
        self.1 += bits;
    }

    fn take(&mut self, bits: u32) -> u64 {
        let value = self.0 & ((1 << bits) - 1);
        self.0 >>= bits;
        value
    }

    fn flag(&mut self) -> bool {
        self.take(1) == 1
    }

    fn put_function(&mut self, function: Function) {
        let number = FUNCTIONS.iter().position(|&it| it == function).unwrap_or(0);
        self.put(number as u64, 4);
    }

    fn function(&mut self) -> Function {
        FUNCTIONS[self.take(4) as usize & 15]
    }

    fn put_part(&mut self, part: Part) {
        let (kind, number) = match part {
            Part::Word => (0, 0),
            Part::Half(number) => (1, number),
            Part::Byte(number) => (2, number),
        };
        self.put(kind, 2);
        self.put(number.into(), 2);
    }

    fn part(&mut self) -> Part {
        let (kind, number) = (self.take(2), self.take(2) as u8);
        match kind {
            0 => Part::Word,
            1 => Part::Half(number),
            _ => Part::Byte(number),
        }
    }

    fn put_flags(&mut self, flags: &[bool]) {
        flags.iter().for_each(|&flag| self.put(flag.into(), 1));
    }

    fn flags<const N: usize>(&mut self) -> [bool; N] {
        std::array::from_fn(|_| self.flag())
    }
}

fn pack_scalar(spec: &Scalar) -> u64 {
    let mut bits = Bits(0, 0);
    bits.put_function(spec.function);
    bits.put_flags(&spec.signed);
    bits.put_flags(&[spec.saturate]);
    let second = SECONDS.iter().position(|&it| it == spec.second);
    bits.put(second.unwrap_or(0) as u64, 2);
    spec.parts.iter().for_each(|&part| bits.put_part(part));
    bits.0
}

fn unpack_scalar(packed: u64) -> Scalar {
    let mut bits = Bits(packed, 0);
    Scalar {
        function: bits.function(),
        signed: bits.flags(),
        saturate: bits.flag(),
        second: SECONDS[bits.take(2) as usize & 3],
        parts: std::array::from_fn(|_| bits.part()),
    }
}

fn pack_parallel(spec: &Parallel) -> u64 {
    let mut bits = Bits(0, 0);
    bits.put_function(spec.function);
    bits.put_flags(&[spec.bytes]);
    bits.put_flags(&spec.signed);
    bits.put_flags(&[spec.saturate, spec.accumulate]);
    bits.put(spec.mask.into(), 4);
    let lanes = spec.a_lanes.iter().chain(&spec.b_lanes);
    lanes.for_each(|&lane| bits.put(lane.into(), 3));
    bits.0
}

fn unpack_parallel(packed: u64) -> Parallel {
    let mut bits = Bits(packed, 0);
    Parallel {
        function: bits.function(),
        bytes: bits.flag(),
        signed: bits.flags(),
        saturate: bits.flag(),
        accumulate: bits.flag(),
        mask: bits.take(4) as u8,
        a_lanes: std::array::from_fn(|_| bits.take(3) as u8),
        b_lanes: std::array::from_fn(|_| bits.take(3) as u8),
    }
}

fn pack_multiply_add(spec: &MultiplyAdd) -> u64 {
    let mut bits = Bits(0, 0);
    bits.put_flags(&spec.signed);
    spec.parts.iter().for_each(|&part| bits.put_part(part));
    bits.put_flags(&[
        spec.negate_product,
        spec.negate_summand,
        spec.plus_one,
        spec.saturate,
    ]);
    bits.put(spec.scale.into(), 4);
    bits.0
}

fn unpack_multiply_add(packed: u64) -> MultiplyAdd {
    let mut bits = Bits(packed, 0);
    MultiplyAdd {
        signed: bits.flags(),
        parts: std::array::from_fn(|_| bits.part()),
        negate_product: bits.flag(),
        negate_summand: bits.flag(),
        plus_one: bits.flag(),
        saturate: bits.flag(),
        scale: bits.take(4) as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_out_again() {
        for (number, &function) in FUNCTIONS.iter().enumerate() {
            let flag = |bit: usize| number >> bit & 1 == 1;
            let signed = [flag(0), flag(1), flag(2)];
            let scalar = Scalar {
                function,
                signed,
                saturate: flag(3),
                second: SECONDS[number % 4],
                parts: [Part::Word, Part::Half(1), Part::Byte(3)],
            };
            assert_eq!(unpack_scalar(pack_scalar(&scalar)), scalar);
            let parallel = Parallel {
                saturate: flag(0),
                accumulate: flag(1),
                mask: number as u8,
                a_lanes: [7, 0, 3, 5],
                ..Parallel::new(function, flag(3), signed)
            };
            assert_eq!(unpack_parallel(pack_parallel(&parallel)), parallel);
            let multiply_add = MultiplyAdd {
                signed: [flag(0), flag(1)],
                parts: [Part::Byte(2), Part::Half(0)],
                negate_product: flag(2),
                negate_summand: flag(3),
                plus_one: flag(1),
                saturate: flag(0),
                scale: [0, 7, 15][number % 3],
            };
            assert_eq!(
                unpack_multiply_add(pack_multiply_add(&multiply_add)),
                multiply_add
            );
        }
    }
}
