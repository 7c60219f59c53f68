//! Operands of instructions.

use crate::SpecialRegister;
use smol_str::SmolStr;
use std::fmt;

/// An integer constant: PTX evaluates all of them as `.s64` or `.u64` (ISA 4.5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Integer {
    /// The 64 bits of the value.
    pub bits: u64,
    /// Whether they are to be read as unsigned.
    pub unsigned: bool,
}

impl Integer {
    /// A signed constant.
    #[must_use]
    pub const fn signed(value: i64) -> Integer {
        Integer {
            bits: value as u64,
            unsigned: false,
        }
    }

    /// An unsigned constant.
    #[must_use]
    pub const fn unsigned(value: u64) -> Integer {
        Integer {
            bits: value,
            unsigned: true,
        }
    }

    /// The value, whichever way it is to be read.
    #[must_use]
    pub const fn value(self) -> i128 {
        if self.unsigned {
            self.bits as i128
        } else {
            self.bits as i64 as i128
        }
    }
}

/// A constant operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Immediate {
    /// An integer, or a constant expression of integers (already evaluated).
    Integer(Integer),
    /// The bits of an f32: `0f3F800000`.
    F32(u32),
    /// The bits of an f64: `0d3FF0000000000000`, or a decimal such as `1.5`.
    F64(u64),
}

/// A component of a vector register, or a part of a register in the video instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant is the component of that name")]
pub enum Component {
    X,
    Y,
    Z,
    W,
    B0,
    B1,
    B2,
    B3,
    H0,
    H1,
    /// Several bytes or halves, as the SIMD video instructions select them: `.b7531`, `.h10`.
    Lanes(Lanes),
}

/// Which bytes or halves a SIMD video instruction takes or writes (PTX ISA 9.7.18.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lanes {
    /// Halves (`.h…`) rather than bytes (`.b…`).
    pub halves: bool,
    /// How many there are, 2 to 4.
    pub count: u8,
    /// Their numbers, the one for the lowest result first: `.h32` is `[2, 3, …]`.
    pub numbers: [u8; 4],
}

impl Lanes {
    fn from_word(word: &str) -> Option<Lanes> {
        let (halves, digits) = match word.as_bytes() {
            [b'h', digits @ ..] if digits.len() == 2 => (true, digits),
            [b'b', digits @ ..] if (2..=4).contains(&digits.len()) => (false, digits),
            _ => return None,
        };
        let most = if halves { b'3' } else { b'7' };
        let mut numbers = [0; 4];
        for (number, digit) in numbers.iter_mut().zip(digits.iter().rev()) {
            if !(b'0'..=most).contains(digit) {
                return None;
            }
            *number = digit - b'0';
        }
        Some(Lanes {
            halves,
            count: digits.len() as u8,
            numbers,
        })
    }

    /// The numbers of the lanes that are there.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        self.numbers
            .get(..usize::from(self.count))
            .unwrap_or_default()
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Component::Lanes(lanes) => {
                f.write_str(if lanes.halves { "h" } else { "b" })?;
                lanes
                    .as_slice()
                    .iter()
                    .rev()
                    .try_for_each(|number| write!(f, "{number}"))
            }
            other => f.write_str(other.simple_name()),
        }
    }
}

impl Component {
    /// Reads `x` or `r` … `w` or `a`, `b0` … `h1`; where `b` stands for blue, that is `.z`.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Component> {
        Some(match word {
            "x" | "r" => Component::X,
            "y" | "g" => Component::Y,
            "z" | "b" => Component::Z,
            "w" | "a" => Component::W,
            "b0" => Component::B0,
            "b1" => Component::B1,
            "b2" => Component::B2,
            "b3" => Component::B3,
            "h0" => Component::H0,
            "h1" => Component::H1,
            _ => return Lanes::from_word(word).map(Component::Lanes),
        })
    }

    /// The word of every component but [`Component::Lanes`].
    const fn simple_name(self) -> &'static str {
        match self {
            Component::X => "x",
            Component::Y => "y",
            Component::Z => "z",
            Component::W => "w",
            Component::B0 => "b0",
            Component::B1 => "b1",
            Component::B2 => "b2",
            Component::B3 => "b3",
            Component::H0 => "h0",
            Component::H1 => "h1",
            Component::Lanes(_) => "",
        }
    }

    /// Position in a vector, for `x` … `w`.
    #[must_use]
    pub const fn index(self) -> Option<usize> {
        match self {
            Component::X => Some(0),
            Component::Y => Some(1),
            Component::Z => Some(2),
            Component::W => Some(3),
            _ => None,
        }
    }
}

/// What an address starts from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// A register or a variable.
    Name(SmolStr),
    /// An immediate address.
    Immediate(Integer),
}

/// `[base + offset]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// Where it starts.
    pub base: Base,
    /// Bytes added to it.
    pub offset: i64,
}

impl Address {
    /// The register or variable that the address starts from.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match &self.base {
            Base::Name(name) => Some(name),
            Base::Immediate(_) => None,
        }
    }
}

/// One operand.
///
/// Names stand as they are written: whether one is a register, a variable, a label or a function
/// follows from the declarations in scope.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A register, variable, label, function or prototype.
    Name(SmolStr),
    /// A special register: `%tid.x`, `%laneid`.
    Special(SpecialRegister),
    /// A component of a vector register: `%v.x`.
    Element(SmolStr, Component),
    /// `-%r1`, `-%r1.h0`: a factor or summand of `vmad` that is negated.
    Minus(SmolStr, Option<Component>),
    /// The address of a variable plus an offset, as a value: `buffer+8`.
    Offset(SmolStr, i64),
    /// A constant.
    Immediate(Immediate),
    /// `_`: a result that is thrown away.
    Sink,
    /// `!%p1`: a predicate, negated.
    Not(SmolStr),
    /// `%p1|%p2`, `%r1|%p1`: two results.
    Pair(Box<[Operand; 2]>),
    /// `[%rd1+8]`.
    Address(Address),
    /// `[tensor, {x, y}]`: an address with coordinates, as texture and tensor copies have it.
    Coordinates(Vec<Operand>),
    /// `{%r1, %r2}`.
    Vector(Vec<Operand>),
    /// `(ret)` or `(a, b)` of a `call`.
    List(Vec<Operand>),
}

impl Operand {
    /// The name, if the operand is a plain one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Operand::Name(name) => Some(name),
            _ => None,
        }
    }

    /// The integer, if the operand is one.
    #[must_use]
    pub fn integer(&self) -> Option<Integer> {
        match self {
            Operand::Immediate(Immediate::Integer(value)) => Some(*value),
            _ => None,
        }
    }
}
