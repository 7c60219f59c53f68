//! Floating-point arithmetic.

use super::function::{Decoder, Op};
use crate::exec::lanes::{Pair, each, map1, map2, map3, with3};
use crate::ops::approx;
use crate::ops::float::{self, canonical, flush, saturate};
use crate::ops::narrow::{Half, both};
use crate::ops::soft::Rounding;
use ptx::modifier::{Flag, Rounding as Mode};
use ptx::{Instruction, Modifier, Opcode, ScalarType as T};

/// The rounding of an instruction's arithmetic.
pub(crate) fn rounding(mode: Option<Mode>) -> Result<Rounding, String> {
    Ok(match mode {
        None | Some(Mode::Rn | Mode::Rni) => Rounding::Nearest,
        Some(Mode::Rz | Mode::Rzi) => Rounding::Zero,
        Some(Mode::Rm | Mode::Rmi) => Rounding::Down,
        Some(Mode::Rp | Mode::Rpi) => Rounding::Up,
        Some(Mode::Rna) => Rounding::NearestAway,
        Some(other) => return Err(format!("the rounding .{other} is not supported")),
    })
}

/// The modes of a rare operation as bits of `imm`: rounding, then ftz, then sat.
pub(crate) const FTZ: u64 = 8;
pub(crate) const SAT: u64 = 16;

pub(crate) fn encode(rounding: Rounding, ftz: bool, sat: bool) -> u64 {
    let code = match rounding {
        Rounding::Nearest => 0,
        Rounding::Zero => 1,
        Rounding::Down => 2,
        Rounding::Up => 3,
        Rounding::NearestAway => 4,
    };
    code | (u64::from(ftz) * FTZ) | (u64::from(sat) * SAT)
}

pub(crate) fn decode_rounding(imm: u64) -> Rounding {
    match imm & 7 {
        0 => Rounding::Nearest,
        1 => Rounding::Zero,
        2 => Rounding::Down,
        3 => Rounding::Up,
        _ => Rounding::NearestAway,
    }
}

/// Flushes an operand where `imm` says so.
fn input(imm: u64, x: f32) -> f32 {
    if imm & FTZ != 0 { flush(x) } else { x }
}

/// Finishes a result as `imm` says.
fn output(imm: u64, x: f32) -> f32 {
    let x = canonical(if imm & FTZ != 0 { flush(x) } else { x });
    if imm & SAT != 0 { saturate(x) } else { x }
}

impl Decoder<'_> {
    /// Arithmetic on floats.
    pub(crate) fn float(&mut self, i: &Instruction) -> Result<Op, String> {
        let ty = self.ty(i, 0)?;
        match ty {
            T::F32 => self.single(i),
            T::F64 => self.double(i),
            T::F16 | T::Bf16 | T::F16x2 | T::Bf16x2 => self.half(i, ty),
            T::F32x2 => self.single_pair(i),
            other => Err(format!("arithmetic on .{other} is not supported")),
        }
    }

    fn single(&mut self, i: &Instruction) -> Result<Op, String> {
        use Opcode as O;
        let l = self.level;
        let (ftz, sat) = (i.has(Flag::Ftz), i.has(Flag::Sat));
        let mode = rounding(i.rounding())?;
        let imm = encode(mode, ftz, sat);
        let types2 = [T::F32; 3];
        let common = mode == Rounding::Nearest && !sat;
        let mixed = i.ty(1).is_some_and(|ty| ty != T::F32);
        if mixed {
            return self.mixed(i, imm);
        }
        match i.opcode {
            O::Add | O::Sub | O::Mul => {
                let pair: Pair = match (&i.opcode, common, ftz) {
                    (O::Add, true, false) => map2(l, |a: f32, b: f32| canonical(a + b)),
                    (O::Sub, true, false) => map2(l, |a: f32, b: f32| canonical(a - b)),
                    (O::Mul, true, false) => map2(l, |a: f32, b: f32| canonical(a * b)),
                    (O::Add, true, true) => {
                        map2(l, |a: f32, b: f32| canonical(flush(flush(a) + flush(b))))
                    }
                    (O::Sub, true, true) => {
                        map2(l, |a: f32, b: f32| canonical(flush(flush(a) - flush(b))))
                    }
                    (O::Mul, true, true) => {
                        map2(l, |a: f32, b: f32| canonical(flush(flush(a) * flush(b))))
                    }
                    (O::Add, ..) => each(|m, a: f32, b: f32, (): ()| {
                        output(
                            m,
                            float::add32(input(m, a), input(m, b), decode_rounding(m)),
                        )
                    }),
                    (O::Sub, ..) => each(|m, a: f32, b: f32, (): ()| {
                        output(
                            m,
                            float::add32(input(m, a), -input(m, b), decode_rounding(m)),
                        )
                    }),
                    _ => each(|m, a: f32, b: f32, (): ()| {
                        output(
                            m,
                            float::mul32(input(m, a), input(m, b), decode_rounding(m)),
                        )
                    }),
                };
                Ok(self.op2(i, pair, types2)?.imm(imm))
            }
            O::Fma | O::Mad => {
                let relu = i.has(Flag::Relu);
                if relu {
                    return Err(".relu on .f32".to_owned());
                }
                let pair: Pair = match (common, ftz) {
                    (true, false) => map3(l, |a: f32, b: f32, c: f32| canonical(a.mul_add(b, c))),
                    (true, true) => map3(l, |a: f32, b: f32, c: f32| {
                        canonical(flush(flush(a).mul_add(flush(b), flush(c))))
                    }),
                    _ => each(|m, a: f32, b: f32, c: f32| {
                        let (a, b, c) = (input(m, a), input(m, b), input(m, c));
                        output(m, float::fma32(a, b, c, decode_rounding(m)))
                    }),
                };
                Ok(self.op3(i, pair, [T::F32; 4])?.imm(imm))
            }
            O::Min | O::Max => self.extremum32(i),
            O::Div => {
                let pair: Pair = if i.has(Flag::Approx) {
                    each(|m, a: f32, b: f32, (): ()| {
                        output(m, approx::div(input(m, a), input(m, b)))
                    })
                } else if common && !ftz {
                    map2(l, |a: f32, b: f32| canonical(a / b))
                } else if mode == Rounding::Nearest {
                    each(|m, a: f32, b: f32, (): ()| output(m, input(m, a) / input(m, b)))
                } else {
                    each(|m, a: f32, b: f32, (): ()| {
                        output(
                            m,
                            float::div32(input(m, a), input(m, b), decode_rounding(m)),
                        )
                    })
                };
                Ok(self.op2(i, pair, types2)?.imm(imm))
            }
            _ => self.unary32(i, imm),
        }
    }

    /// `add`, `sub` and `fma` of an f32 with narrower operands (PTX ISA 8.6).
    fn mixed(&mut self, i: &Instruction, imm: u64) -> Result<Op, String> {
        let narrow = self.ty(i, 1)?;
        let half = match narrow {
            T::F16 => Half::F16,
            T::Bf16 => Half::Bf16,
            other => return Err(format!("operands of .f32 and .{other}")),
        };
        macro_rules! widened {
            ($half:expr) => {
                match i.opcode {
                    Opcode::Add => each(|m, a: u16, c: f32, (): ()| {
                        output(m, float::add32($half.widen(a), c, decode_rounding(m)))
                    }),
                    Opcode::Sub => each(|m, a: u16, c: f32, (): ()| {
                        output(m, float::add32($half.widen(a), -c, decode_rounding(m)))
                    }),
                    _ => each(|m, a: u16, b: u16, c: f32| {
                        let (a, b) = ($half.widen(a), $half.widen(b));
                        output(m, float::fma32(a, b, c, decode_rounding(m)))
                    }),
                }
            };
        }
        let pair = if half == Half::F16 {
            widened!(Half::F16)
        } else {
            widened!(Half::Bf16)
        };
        let op = if i.opcode == Opcode::Fma {
            self.op3(i, pair, [T::F32, narrow, narrow, T::F32])?
        } else {
            self.op2(i, pair, [T::F32, narrow, T::F32])?
        };
        Ok(op.imm(imm))
    }

    fn extremum32(&mut self, i: &Instruction) -> Result<Op, String> {
        let l = self.level;
        let min = i.opcode == Opcode::Min;
        if i.operands.len() == 4 {
            // Three operands: pairwise, with the same rules.
            let mode = u64::from(min)
                | u64::from(i.has(Flag::NaN)) << 1
                | u64::from(i.has(Flag::Ftz)) << 2
                | u64::from(i.has(Flag::Abs)) << 4;
            let pair = each(|m, a: f32, b: f32, c: f32| {
                let prepare = |x: f32| {
                    let x = if m & 4 != 0 { flush(x) } else { x };
                    if m & 16 != 0 { x.abs() } else { x }
                };
                let f = extremum(m);
                f(f(prepare(a), prepare(b)), prepare(c))
            });
            return Ok(self.op3(i, pair, [T::F32; 4])?.imm(mode));
        }
        let pair: Pair = match (
            min,
            i.has(Flag::NaN),
            i.has(Flag::Ftz),
            i.has(Flag::XorSign),
        ) {
            (true, false, false, false) => map2(l, float::min32),
            (false, false, false, false) => map2(l, float::max32),
            (true, true, false, false) => map2(l, float::min32_nan),
            (false, true, false, false) => map2(l, float::max32_nan),
            _ => {
                let mode = u64::from(min)
                    | u64::from(i.has(Flag::NaN)) << 1
                    | u64::from(i.has(Flag::Ftz)) << 2
                    | u64::from(i.has(Flag::XorSign)) << 3;
                let pair = each(|m, a: f32, b: f32, (): ()| {
                    let (a, b) = if m & 4 != 0 {
                        (flush(a), flush(b))
                    } else {
                        (a, b)
                    };
                    let f = extremum(m);
                    if m & 8 != 0 {
                        float::xorsign_abs(a, b, f)
                    } else {
                        f(a, b)
                    }
                });
                return Ok(self.op2(i, pair, [T::F32; 3])?.imm(mode));
            }
        };
        self.op2(i, pair, [T::F32; 3])
    }

    fn unary32(&mut self, i: &Instruction, imm: u64) -> Result<Op, String> {
        use Opcode as O;
        let l = self.level;
        let ftz = imm & FTZ != 0;
        let exact = !i.has(Flag::Approx);
        let pair: Pair = match i.opcode {
            O::Abs if !ftz => map1(l, |a: f32| a.abs()),
            O::Neg if !ftz => map1(l, |a: f32| -a),
            O::Abs => map1(l, |a: f32| flush(a).abs()),
            O::Neg => map1(l, |a: f32| -flush(a)),
            O::Copysign => {
                // `copysign d, a, b`: the sign of a on the magnitude of b.
                let pair = map2(l, |a: f32, b: f32| b.copysign(a));
                return self.op2(i, pair, [T::F32; 3]);
            }
            O::Sqrt if exact && imm == 0 => map1(l, |a: f32| canonical(a.sqrt())),
            O::Sqrt if exact => each(|m, a: f32, (): (), (): ()| {
                output(m, float::sqrt32(input(m, a), decode_rounding(m)))
            }),
            O::Rcp if exact && imm == 0 => map1(l, |a: f32| canonical(1.0 / a)),
            O::Rcp if exact => each(|m, a: f32, (): (), (): ()| {
                output(m, float::rcp32(input(m, a), decode_rounding(m)))
            }),
            O::Sqrt => each(|m, a: f32, (): (), (): ()| output(m, approx::sqrt(input(m, a)))),
            O::Rcp => each(|m, a: f32, (): (), (): ()| output(m, approx::rcp(input(m, a)))),
            O::Rsqrt => each(|m, a: f32, (): (), (): ()| output(m, approx::rsqrt(input(m, a)))),
            O::Sin => each(|m, a: f32, (): (), (): ()| output(m, approx::sin(input(m, a)))),
            O::Cos => each(|m, a: f32, (): (), (): ()| output(m, approx::cos(input(m, a)))),
            O::Lg2 => each(|m, a: f32, (): (), (): ()| output(m, approx::lg2(input(m, a)))),
            O::Ex2 => each(|m, a: f32, (): (), (): ()| output(m, approx::ex2(input(m, a)))),
            O::Tanh => each(|m, a: f32, (): (), (): ()| output(m, approx::tanh(input(m, a)))),
            _ => return Err("the instruction is not supported on .f32".to_owned()),
        };
        Ok(self.op1(i, pair, [T::F32; 2])?.imm(imm))
    }

    fn double(&mut self, i: &Instruction) -> Result<Op, String> {
        use Opcode as O;
        let l = self.level;
        let mode = rounding(i.rounding())?;
        let imm = encode(mode, false, false);
        let nearest = mode == Rounding::Nearest;
        let t2 = [T::F64; 3];
        let pair: Pair = match (&i.opcode, nearest) {
            (O::Add, true) => map2(l, |a: f64, b: f64| a + b),
            (O::Sub, true) => map2(l, |a: f64, b: f64| a - b),
            (O::Mul, true) => map2(l, |a: f64, b: f64| a * b),
            (O::Div, true) => map2(l, |a: f64, b: f64| a / b),
            (O::Min, _) => map2(l, float::min64),
            (O::Max, _) => map2(l, float::max64),
            (O::Copysign, _) => map2(l, |a: f64, b: f64| b.copysign(a)),
            (O::Add, false) => {
                each(|m, a: f64, b: f64, (): ()| float::add64(a, b, decode_rounding(m)))
            }
            (O::Sub, false) => {
                each(|m, a: f64, b: f64, (): ()| float::add64(a, -b, decode_rounding(m)))
            }
            (O::Mul, false) => {
                each(|m, a: f64, b: f64, (): ()| float::mul64(a, b, decode_rounding(m)))
            }
            (O::Div, false) => {
                each(|m, a: f64, b: f64, (): ()| float::div64(a, b, decode_rounding(m)))
            }
            (O::Fma | O::Mad, nearest) => {
                let pair: Pair = if nearest {
                    map3(l, |a: f64, b: f64, c: f64| a.mul_add(b, c))
                } else {
                    each(|m, a: f64, b: f64, c: f64| float::fma64(a, b, c, decode_rounding(m)))
                };
                return Ok(self.op3(i, pair, [T::F64; 4])?.imm(imm));
            }
            _ => {
                let approximate = i.has(Flag::Approx);
                let pair: Pair = match &i.opcode {
                    O::Abs => map1(l, |a: f64| a.abs()),
                    O::Neg => map1(l, |a: f64| -a),
                    O::Sqrt if nearest => map1(l, |a: f64| a.sqrt()),
                    O::Sqrt => {
                        each(|m, a: f64, (): (), (): ()| float::sqrt64(a, decode_rounding(m)))
                    }
                    O::Rcp if approximate => {
                        each(|_, a: f64, (): (), (): ()| approx::high_word(a, |x| 1.0 / x))
                    }
                    O::Rcp if nearest => map1(l, |a: f64| 1.0 / a),
                    O::Rcp => {
                        each(|m, a: f64, (): (), (): ()| float::div64(1.0, a, decode_rounding(m)))
                    }
                    O::Rsqrt if i.has(Flag::Ftz) => {
                        each(|_, a: f64, (): (), (): ()| approx::high_word(a, |x| 1.0 / x.sqrt()))
                    }
                    O::Rsqrt => each(|_, a: f64, (): (), (): ()| 1.0 / a.sqrt()),
                    _ => return Err("the instruction is not supported on .f64".to_owned()),
                };
                return Ok(self.op1(i, pair, [T::F64; 2])?.imm(imm));
            }
        };
        Ok(self.op2(i, pair, t2)?.imm(imm))
    }

    /// `.f32x2` (sm_100): two f32 in a 64-bit register.
    fn single_pair(&mut self, i: &Instruction) -> Result<Op, String> {
        let mode = rounding(i.rounding())?;
        let imm = encode(mode, i.has(Flag::Ftz), false);
        fn halves(a: u64) -> [f32; 2] {
            [f32::from_bits(a as u32), f32::from_bits((a >> 32) as u32)]
        }
        fn join(f: impl Fn(usize) -> f32) -> u64 {
            u64::from(f(1).to_bits()) << 32 | u64::from(f(0).to_bits())
        }
        let t = T::B64;
        let op = match i.opcode {
            Opcode::Fma => {
                let pair = each(|m, a: u64, b: u64, c: u64| {
                    let (a, b, c) = (halves(a), halves(b), halves(c));
                    join(|k| {
                        let [a, b, c] = [a[k], b[k], c[k]].map(|x| input(m, x));
                        output(m, float::fma32(a, b, c, decode_rounding(m)))
                    })
                });
                self.op3(i, pair, [t; 4])?
            }
            Opcode::Add | Opcode::Sub | Opcode::Mul => {
                let pair: Pair = match i.opcode {
                    Opcode::Add => each(|m, a: u64, b: u64, (): ()| {
                        let (a, b) = (halves(a), halves(b));
                        join(|k| {
                            output(
                                m,
                                float::add32(input(m, a[k]), input(m, b[k]), decode_rounding(m)),
                            )
                        })
                    }),
                    Opcode::Sub => each(|m, a: u64, b: u64, (): ()| {
                        let (a, b) = (halves(a), halves(b));
                        join(|k| {
                            output(
                                m,
                                float::add32(input(m, a[k]), -input(m, b[k]), decode_rounding(m)),
                            )
                        })
                    }),
                    _ => each(|m, a: u64, b: u64, (): ()| {
                        let (a, b) = (halves(a), halves(b));
                        join(|k| {
                            output(
                                m,
                                float::mul32(input(m, a[k]), input(m, b[k]), decode_rounding(m)),
                            )
                        })
                    }),
                };
                self.op2(i, pair, [t; 3])?
            }
            _ => return Err("the instruction is not supported on .f32x2".to_owned()),
        };
        Ok(op.imm(imm))
    }

    fn half(&mut self, i: &Instruction, ty: T) -> Result<Op, String> {
        let mode = u64::from(i.has(Flag::Ftz))
            | u64::from(i.has(Flag::Sat)) << 1
            | u64::from(i.has(Flag::Relu)) << 2
            | u64::from(i.has(Flag::NaN)) << 3
            | u64::from(i.has(Flag::XorSign)) << 4;
        let packed = matches!(ty, T::F16x2 | T::Bf16x2);
        let f16 = matches!(ty, T::F16 | T::F16x2);
        macro_rules! unary {
            ($f:expr) => {
                match (packed, f16) {
                    (false, true) => each(|m, a: u16, (): (), (): ()| $f(Half::F16, m, a)),
                    (false, false) => each(|m, a: u16, (): (), (): ()| $f(Half::Bf16, m, a)),
                    (true, true) => {
                        each(|m, a: u32, (): (), (): ()| both(a, 0, |x, _| $f(Half::F16, m, x)))
                    }
                    (true, false) => {
                        each(|m, a: u32, (): (), (): ()| both(a, 0, |x, _| $f(Half::Bf16, m, x)))
                    }
                }
            };
        }
        macro_rules! binary {
            ($f:expr) => {
                match (packed, f16) {
                    (false, true) => {
                        each(|m, a: u16, b: u16, (): ()| half2($f, Half::F16, m, a, b))
                    }
                    (false, false) => {
                        each(|m, a: u16, b: u16, (): ()| half2($f, Half::Bf16, m, a, b))
                    }
                    (true, true) => each(|m, a: u32, b: u32, (): ()| {
                        both(a, b, |x, y| half2($f, Half::F16, m, x, y))
                    }),
                    (true, false) => each(|m, a: u32, b: u32, (): ()| {
                        both(a, b, |x, y| half2($f, Half::Bf16, m, x, y))
                    }),
                }
            };
        }
        use Opcode as O;
        let op = match i.opcode {
            O::Fma => {
                let pair: Pair = match (packed, f16) {
                    (false, true) => with3(self.level, |m, a: u16, b: u16, c: u16| {
                        fma(Half::F16, m, a, b, c)
                    }),
                    (false, false) => with3(self.level, |m, a: u16, b: u16, c: u16| {
                        fma(Half::Bf16, m, a, b, c)
                    }),
                    (true, true) => each(|m, a: u32, b: u32, c: u32| fma2(Half::F16, m, a, b, c)),
                    (true, false) => each(|m, a: u32, b: u32, c: u32| fma2(Half::Bf16, m, a, b, c)),
                };
                self.op3(i, pair, [ty; 4])?
            }
            O::Add => self.op2(i, binary!(|h: Half, _, a, b| h.add(a, b)), [ty; 3])?,
            O::Sub => self.op2(i, binary!(|h: Half, _, a, b| h.sub(a, b)), [ty; 3])?,
            O::Mul => self.op2(i, binary!(|h: Half, _, a, b| h.mul(a, b)), [ty; 3])?,
            O::Min => {
                let pair: Pair = binary!(|h: Half, m, a, b| extremum16(h, m, a, b, false));
                self.op2(i, pair, [ty; 3])?
            }
            O::Max => {
                let pair: Pair = binary!(|h: Half, m, a, b| extremum16(h, m, a, b, true));
                self.op2(i, pair, [ty; 3])?
            }
            O::Abs => self.op1(i, unary!(|h: Half, m, a| in16(h, m, a) & 0x7fff), [ty; 2])?,
            O::Neg => self.op1(i, unary!(|h: Half, m, a| in16(h, m, a) ^ 0x8000), [ty; 2])?,
            O::Ex2 => {
                let pair: Pair = unary!(|h: Half, m, a| in16(h, m, h.ex2(in16(h, m, a))));
                self.op1(i, pair, [ty; 2])?
            }
            O::Tanh => self.op1(i, unary!(|h: Half, _, a| h.tanh(a)), [ty; 2])?,
            _ => return Err(format!("the instruction is not supported on .{ty}")),
        };
        Ok(op.imm(mode))
    }

    /// Whether an instruction works on floats.
    pub(crate) fn is_float(i: &Instruction) -> bool {
        i.modifiers
            .iter()
            .any(|m| matches!(m, Modifier::Type(ty) if ty.is_float()))
    }
}

fn extremum(mode: u64) -> fn(f32, f32) -> f32 {
    match mode & 3 {
        0 => float::max32,
        1 => float::min32,
        2 => float::max32_nan,
        _ => float::min32_nan,
    }
}

/// `.ftz` of a half operand.
fn in16(h: Half, mode: u64, a: u16) -> u16 {
    if mode & 1 != 0 { h.flush(a) } else { a }
}

fn out16(h: Half, mode: u64, r: u16) -> u16 {
    let r = in16(h, mode, r);
    let r = if mode & 2 != 0 { h.saturate(r) } else { r };
    if mode & 4 != 0 { h.relu(r) } else { r }
}

fn half2(f: impl Fn(Half, u64, u16, u16) -> u16, h: Half, mode: u64, a: u16, b: u16) -> u16 {
    out16(h, mode, f(h, mode, in16(h, mode, a), in16(h, mode, b)))
}

fn fma(h: Half, mode: u64, a: u16, b: u16, c: u16) -> u16 {
    out16(
        h,
        mode,
        h.fma(in16(h, mode, a), in16(h, mode, b), in16(h, mode, c)),
    )
}

fn fma2(h: Half, mode: u64, a: u32, b: u32, c: u32) -> u32 {
    let low = fma(h, mode, a as u16, b as u16, c as u16);
    let high = fma(
        h,
        mode,
        (a >> 16) as u16,
        (b >> 16) as u16,
        (c >> 16) as u16,
    );
    u32::from(high) << 16 | u32::from(low)
}

fn extremum16(h: Half, mode: u64, a: u16, b: u16, greater: bool) -> u16 {
    let sign = if mode & 16 != 0 { (a ^ b) & 0x8000 } else { 0 };
    let (a, b) = if mode & 16 != 0 {
        (a & 0x7fff, b & 0x7fff)
    } else {
        (a, b)
    };
    let pick = if greater { Half::max } else { Half::min };
    let result = pick(h, a, b, mode & 8 != 0);
    if h.is_nan(result) {
        result
    } else {
        result | sign
    }
}
