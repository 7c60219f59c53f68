//! Video instructions: arithmetic on bytes, halves and words of 32-bit registers (PTX ISA, "Video
//! Instructions").

/// What is computed from a pair of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// `vadd`, `vadd2`, `vadd4`.
    Add,
    /// `vsub…`.
    Subtract,
    /// `vabsdiff…`.
    Difference,
    /// `vavrg2`, `vavrg4`: rounds up where the sum is not negative.
    Average,
    /// `vmin…`.
    Minimum,
    /// `vmax…`.
    Maximum,
    /// `vshl.clamp`: by at most 32.
    LeftClamp,
    /// `vshl.wrap`: by the amount modulo 32.
    LeftWrap,
    /// `vshr.clamp`.
    RightClamp,
    /// `vshr.wrap`.
    RightWrap,
    /// `vset….eq`: 1 or 0, as with the five others.
    Equal,
    /// `vset….ne`.
    NotEqual,
    /// `vset….lt`.
    Less,
    /// `vset….le`.
    LessEqual,
    /// `vset….gt`.
    Greater,
    /// `vset….ge`.
    GreaterEqual,
}

/// What is done with the result and the third operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Second {
    /// The parts that the result does not take come from the third operand.
    Merge,
    /// Their sum; a sum of all parts for the parallel instructions.
    Add,
    /// The smaller, as numbers of the destination's type.
    Minimum,
    /// The larger.
    Maximum,
}

/// A part of a register, of a scalar instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// All 32 bits.
    #[default]
    Word,
    /// `.h0`, `.h1`.
    Half(u8),
    /// `.b0` … `.b3`.
    Byte(u8),
}

impl Part {
    const fn bits(self) -> u32 {
        match self {
            Part::Word => 32,
            Part::Half(_) => 16,
            Part::Byte(_) => 8,
        }
    }

    const fn shift(self) -> u32 {
        match self {
            Part::Word => 0,
            Part::Half(number) => (number & 1) as u32 * 16,
            Part::Byte(number) => (number & 3) as u32 * 8,
        }
    }
}

/// A scalar instruction: `vadd` … `vset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// What is computed.
    pub function: Function,
    /// Whether destination, first and second source are signed.
    pub signed: [bool; 3],
    /// `.sat`
    pub saturate: bool,
    /// What the third operand is for.
    pub second: Second,
    /// Parts of destination, first and second source.
    pub parts: [Part; 3],
}

impl Scalar {
    /// Executes it.
    pub fn run(&self, a: u32, b: u32, c: u32) -> u32 {
        let [_, a_part, b_part] = self.parts;
        let [signed, a_signed, b_signed] = self.signed;
        let ta = extend(a >> a_part.shift(), a_part.bits(), a_signed);
        let tb = extend(b >> b_part.shift(), b_part.bits(), b_signed);
        let mut value = compute(self.function, ta, tb);
        let part = self.parts[0];
        if self.saturate {
            value = clamp(value, part.bits(), signed);
        }
        let c_value = extend(c, 32, signed);
        let word = extend(value as u32, 32, signed);
        match self.second {
            Second::Merge => {
                let mask = (u32::MAX >> (32 - part.bits())) << part.shift();
                ((value as u32) << part.shift() & mask) | (c & !mask)
            }
            Second::Add => (value as u32).wrapping_add(c),
            Second::Minimum => word.min(c_value) as u32,
            Second::Maximum => word.max(c_value) as u32,
        }
    }
}

/// A parallel instruction: `vadd2` … `vset4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parallel {
    /// What is computed; no shift.
    pub function: Function,
    /// Four bytes rather than two halves.
    pub bytes: bool,
    /// Whether destination, first and second source are signed.
    pub signed: [bool; 3],
    /// `.sat`
    pub saturate: bool,
    /// `.add`: the third operand plus the sum of the results, instead of a merge.
    pub accumulate: bool,
    /// Bit `i`: result `i` is taken.
    pub mask: u8,
    /// Which part of both sources (the second's behind the first's) each first operand is.
    pub a_lanes: [u8; 4],
    /// The same for each second operand.
    pub b_lanes: [u8; 4],
}

impl Parallel {
    /// Parts where none are selected: `.h10` and `.h32`, `.b3210` and `.b7654`, every result.
    pub const fn new(function: Function, bytes: bool, signed: [bool; 3]) -> Parallel {
        let b_lanes = if bytes { [4, 5, 6, 7] } else { [2, 3, 0, 0] };
        let mask = if bytes { 0xF } else { 3 };
        Parallel {
            function,
            bytes,
            signed,
            saturate: false,
            accumulate: false,
            mask,
            a_lanes: [0, 1, 2, 3],
            b_lanes,
        }
    }

    /// Executes it.
    pub fn run(&self, a: u32, b: u32, c: u32) -> u32 {
        let (bits, count) = if self.bytes { (8, 4) } else { (16, 2) };
        let both = u64::from(b) << 32 | u64::from(a);
        let take = |lane: u8, signed| {
            extend(
                (both >> ((u32::from(lane) * bits) & 63)) as u32,
                bits,
                signed,
            )
        };
        let [signed, a_signed, b_signed] = self.signed;
        let part = u32::MAX >> (32 - bits);
        let (mut sum, mut merged) = (c, c);
        for (index, (&x, &y)) in self
            .a_lanes
            .iter()
            .zip(&self.b_lanes)
            .take(count)
            .enumerate()
        {
            if self.mask >> index & 1 == 0 {
                continue;
            }
            let mut value = compute(self.function, take(x, a_signed), take(y, b_signed));
            if self.saturate {
                value = clamp(value, bits, signed);
            }
            let shift = index as u32 * bits;
            sum = sum.wrapping_add(value as u32);
            merged = merged & !(part << shift) | (value as u32 & part) << shift;
        }
        if self.accumulate { sum } else { merged }
    }
}

/// `vmad`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MultiplyAdd {
    /// Whether the factors are signed.
    pub signed: [bool; 2],
    /// Parts of the factors.
    pub parts: [Part; 2],
    /// Whether the product is negated: one of the factors has a minus.
    pub negate_product: bool,
    /// Whether the summand has a minus.
    pub negate_summand: bool,
    /// `.po`: plus one.
    pub plus_one: bool,
    /// `.sat`
    pub saturate: bool,
    /// `.shr7`, `.shr15`: how far the sum is shifted down.
    pub scale: u32,
}

impl MultiplyAdd {
    /// Executes it.
    pub fn run(&self, a: u32, b: u32, c: u32) -> u32 {
        let [a_part, b_part] = self.parts;
        let ta = extend(a >> a_part.shift(), a_part.bits(), self.signed[0]);
        let tb = extend(b >> b_part.shift(), b_part.bits(), self.signed[1]);
        let signed = self.signed[0] || self.signed[1] || self.negate_product || self.negate_summand;
        let product = ta * tb;
        let summand = extend(c, 32, signed);
        let sum = if self.plus_one {
            product + summand + 1
        } else if self.negate_product {
            summand - product
        } else if self.negate_summand {
            product - summand
        } else {
            product + summand
        };
        let scaled = sum >> self.scale;
        if !self.saturate {
            return scaled as u32;
        }
        let (least, most) = range(32, signed);
        scaled.clamp(least, most) as u32
    }
}

/// The low bits as a number.
fn extend(value: u32, bits: u32, signed: bool) -> i128 {
    let up = 32 - bits;
    let high = value << up;
    if signed {
        i128::from(high as i32 >> up)
    } else {
        i128::from(high >> up)
    }
}

fn range(bits: u32, signed: bool) -> (i128, i128) {
    if signed {
        (-1 << (bits - 1), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    }
}

fn clamp(value: i128, bits: u32, signed: bool) -> i128 {
    let (least, most) = range(bits, signed);
    value.clamp(least, most)
}

fn compute(function: Function, a: i128, b: i128) -> i128 {
    // Amounts are unsigned words; a clamped one is 32 at most.
    let (clamped, wrapped) = ((b as u32).min(32), b as u32 & 31);
    match function {
        Function::Add => a + b,
        Function::Subtract => a - b,
        Function::Difference => (a - b).abs(),
        Function::Average => (a + b + i128::from(a + b >= 0)) >> 1,
        Function::Minimum => a.min(b),
        Function::Maximum => a.max(b),
        Function::LeftClamp => a << clamped,
        Function::LeftWrap => a << wrapped,
        Function::RightClamp => a >> clamped,
        Function::RightWrap => a >> wrapped,
        Function::Equal => i128::from(a == b),
        Function::NotEqual => i128::from(a != b),
        Function::Less => i128::from(a < b),
        Function::LessEqual => i128::from(a <= b),
        Function::Greater => i128::from(a > b),
        Function::GreaterEqual => i128::from(a >= b),
    }
}

#[cfg(test)]
mod tests;
