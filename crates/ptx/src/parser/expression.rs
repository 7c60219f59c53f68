//! Constant expressions (PTX ISA 4.5.3 to 4.5.6), evaluated while they are read.

use super::{MAX_NESTING, Parsed, Parser};
use crate::lexer::TokenKind;
use crate::{Error, Immediate, Integer};

impl Parser<'_> {
    /// A constant: an integer expression or a float literal, either with a sign.
    pub(super) fn immediate(&mut self) -> Parsed<Immediate> {
        let negative = self.at(b'-') && {
            let mut ahead = self.lexer;
            matches!(ahead.next().kind, TokenKind::F32(_) | TokenKind::F64(_))
        };
        if negative {
            self.bump();
        }
        match self.token.kind {
            TokenKind::F32(bits) => {
                self.bump();
                Ok(Immediate::F32(bits ^ (u32::from(negative) << 31)))
            }
            TokenKind::F64(bits) => {
                self.bump();
                Ok(Immediate::F64(bits ^ (u64::from(negative) << 63)))
            }
            _ => Ok(Immediate::Integer(self.constant()?)),
        }
    }

    /// An integer constant expression.
    pub(super) fn constant(&mut self) -> Parsed<Integer> {
        self.ternary(0)
    }

    fn ternary(&mut self, depth: u32) -> Parsed<Integer> {
        let condition = self.binary(0, depth)?;
        if !self.eat(b'?') {
            return Ok(condition);
        }
        if depth >= MAX_NESTING {
            return self.limit("the nesting of a constant expression", MAX_NESTING);
        }
        let then = self.ternary(depth + 1)?;
        self.expect(b':')?;
        let otherwise = self.ternary(depth + 1)?;
        let bits = if condition.bits != 0 {
            then.bits
        } else {
            otherwise.bits
        };
        Ok(Integer {
            bits,
            unsigned: then.unsigned || otherwise.unsigned,
        })
    }

    /// Operators that bind at least as tightly as `level`; precedence climbing.
    fn binary(&mut self, level: u8, depth: u32) -> Parsed<Integer> {
        let mut left = self.unary(depth)?;
        while let Some((operator, binding)) = self.operator()
            && binding >= level
        {
            if depth >= MAX_NESTING {
                return self.limit("the nesting of a constant expression", MAX_NESTING);
            }
            let span = self.token.span;
            self.bump();
            if matches!(
                operator,
                "<<" | ">>" | "&&" | "||" | "==" | "!=" | "<=" | ">="
            ) {
                self.bump();
            }
            let right = self.binary(binding + 1, depth + 1)?;
            left = match evaluate(operator, left, right) {
                Some(value) => value,
                None => return self.record(Error::invalid("division by zero", span)),
            };
        }
        Ok(left)
    }

    /// The operator that comes next, and how tightly it binds.
    fn operator(&self) -> Option<(&'static str, u8)> {
        let TokenKind::Punct(first) = self.token.kind else {
            return None;
        };
        let mut ahead = self.lexer;
        let next = ahead.next();
        let second = match next.kind {
            TokenKind::Punct(byte) if next.span.start == self.token.span.end => byte,
            _ => 0,
        };
        Some(match (first, second) {
            (b'|', b'|') => ("||", 1),
            (b'&', b'&') => ("&&", 2),
            (b'=', b'=') => ("==", 6),
            (b'!', b'=') => ("!=", 6),
            (b'<', b'<') => ("<<", 8),
            (b'>', b'>') => (">>", 8),
            (b'<', b'=') => ("<=", 7),
            (b'>', b'=') => (">=", 7),
            (b'|', _) => ("|", 3),
            (b'^', _) => ("^", 4),
            (b'&', _) => ("&", 5),
            (b'<', _) => ("<", 7),
            (b'>', _) => (">", 7),
            (b'+', _) => ("+", 9),
            (b'-', _) => ("-", 9),
            (b'*', _) => ("*", 10),
            (b'/', _) => ("/", 10),
            (b'%', _) => ("%", 10),
            _ => return None,
        })
    }

    fn unary(&mut self, depth: u32) -> Parsed<Integer> {
        if depth >= MAX_NESTING {
            return self.limit("the nesting of a constant expression", MAX_NESTING);
        }
        match self.token.kind {
            TokenKind::Integer(value) => {
                self.bump();
                Ok(value)
            }
            TokenKind::Punct(b'+') => {
                self.bump();
                self.unary(depth + 1)
            }
            TokenKind::Punct(b'-') => {
                self.bump();
                let value = self.unary(depth + 1)?;
                Ok(Integer {
                    bits: value.bits.wrapping_neg(),
                    unsigned: value.unsigned && value.bits >> 63 == 0,
                })
            }
            TokenKind::Punct(b'~') => {
                self.bump();
                let value = self.unary(depth + 1)?;
                Ok(Integer {
                    bits: !value.bits,
                    ..value
                })
            }
            TokenKind::Punct(b'!') => {
                self.bump();
                Ok(Integer::signed(i64::from(self.unary(depth + 1)?.bits == 0)))
            }
            TokenKind::Punct(b'(') => {
                self.bump();
                self.parenthesised(depth)
            }
            _ => self.unexpected("an operand"),
        }
    }

    /// `( expression )`, or a cast `(.s64)` or `(.u64)` and what it applies to.
    fn parenthesised(&mut self, depth: u32) -> Parsed<Integer> {
        let cast = if self.eat_dot("s64") {
            Some(false)
        } else if self.eat_dot("u64") {
            Some(true)
        } else {
            None
        };
        if let Some(unsigned) = cast {
            self.expect(b')')?;
            return Ok(Integer {
                bits: self.unary(depth + 1)?.bits,
                unsigned,
            });
        }
        let value = self.ternary(depth + 1)?;
        self.expect(b')')?;
        Ok(value)
    }
}

/// ISA table 6; `None` for a division by zero.
fn evaluate(operator: &str, left: Integer, right: Integer) -> Option<Integer> {
    let unsigned = left.unsigned || right.unsigned;
    let (a, b) = (left.bits, right.bits);
    let (signed_a, signed_b) = (a as i64, b as i64);
    let same = |bits| Integer { bits, unsigned };
    let truth = |value| Integer::signed(i64::from(value));
    let order = if unsigned {
        a.cmp(&b)
    } else {
        signed_a.cmp(&signed_b)
    };
    Some(match operator {
        "||" => truth(a != 0 || b != 0),
        "&&" => truth(a != 0 && b != 0),
        "==" => truth(a == b),
        "!=" => truth(a != b),
        "<" => truth(order.is_lt()),
        ">" => truth(order.is_gt()),
        "<=" => truth(order.is_le()),
        ">=" => truth(order.is_ge()),
        "|" => same(a | b),
        "^" => same(a ^ b),
        "&" => same(a & b),
        "+" => same(a.wrapping_add(b)),
        "-" => same(a.wrapping_sub(b)),
        "*" => same(a.wrapping_mul(b)),
        "<<" => Integer {
            bits: if b < 64 { a << b } else { 0 },
            ..left
        },
        ">>" if left.unsigned => Integer {
            bits: if b < 64 { a >> b } else { 0 },
            ..left
        },
        ">>" => Integer {
            bits: (signed_a >> b.min(63)) as u64,
            ..left
        },
        "/" | "%" if b == 0 => return None,
        "/" if unsigned => same(a / b),
        "/" => same(signed_a.wrapping_div(signed_b) as u64),
        "%" if unsigned => same(a % b),
        _ => same(signed_a.wrapping_rem(signed_b) as u64),
    })
}
