//! Number literals (PTX ISA 4.5.1, 4.5.2).

use crate::lexer::{TokenKind, is_word};
use crate::operand::Integer;

/// Scans the number that starts at `*at` and moves `*at` past it.
pub(crate) fn scan<'a>(source: &'a str, at: &mut usize) -> TokenKind<'a> {
    let bytes = source.as_bytes();
    let start = *at;
    let rest = bytes.get(start..).unwrap_or_default();
    let length = rest.iter().position(|&b| !is_word(b)).unwrap_or(rest.len());
    *at = start + length;
    let word = source.get(start..*at).unwrap_or("");
    match rest.get(..2).unwrap_or_default() {
        [b'0', b'f' | b'F'] => hex_float(word, 8, |bits| TokenKind::F32(bits as u32)),
        [b'0', b'd' | b'D'] => hex_float(word, 16, TokenKind::F64),
        [b'0', b'x' | b'X'] => integer(word.get(2..).unwrap_or(""), 16),
        [b'0', b'b' | b'B'] => integer(word.get(2..).unwrap_or(""), 2),
        _ => decimal(source, start, at, word),
    }
}

fn hex_float<'a>(word: &str, digits: usize, make: fn(u64) -> TokenKind<'a>) -> TokenKind<'a> {
    let hex = word.get(2..).unwrap_or("");
    match u64::from_str_radix(hex, 16) {
        Ok(bits) if hex.len() == digits => make(bits),
        _ if digits == 8 => TokenKind::Bad("an f32 literal is `0f` and eight hexadecimal digits"),
        _ => TokenKind::Bad("an f64 literal is `0d` and sixteen hexadecimal digits"),
    }
}

fn integer<'a>(digits: &str, radix: u32) -> TokenKind<'a> {
    let (digits, suffixed) = match digits.strip_suffix(['U', 'u']) {
        Some(digits) => (digits, true),
        None => (digits, false),
    };
    // `from_str_radix` would take a sign; no digit is one, as `is_word` let none through.
    match u64::from_str_radix(digits, radix) {
        Ok(value) => {
            let unsigned = suffixed || value > i64::MAX as u64;
            TokenKind::Integer(Integer {
                bits: value,
                unsigned,
            })
        }
        Err(error) if *error.kind() == std::num::IntErrorKind::PosOverflow => {
            TokenKind::Bad("this integer does not fit in 64 bits")
        }
        Err(_) => TokenKind::Bad("this is not a number"),
    }
}

fn decimal<'a>(source: &'a str, start: usize, at: &mut usize, word: &str) -> TokenKind<'a> {
    let bytes = source.as_bytes();
    let exponent = |byte: Option<&u8>| matches!(byte, Some(b'e' | b'E'));
    let mut end = start;
    let digits = |end: &mut usize| {
        while bytes.get(*end).is_some_and(u8::is_ascii_digit) {
            *end += 1;
        }
    };
    digits(&mut end);
    let fraction = bytes.get(end) == Some(&b'.')
        && !matches!(bytes.get(end + 1), Some(b) if is_word(*b) && !b.is_ascii_digit() && !exponent(Some(b)));
    if !fraction && !exponent(bytes.get(end)) {
        return match word.strip_prefix('0') {
            Some(octal) if octal.bytes().next().is_some_and(|b| b.is_ascii_digit()) => {
                integer(octal, 8)
            }
            _ => integer(word, 10),
        };
    }
    if fraction {
        end += 1;
        digits(&mut end);
    }
    if exponent(bytes.get(end)) {
        end += 1;
        if matches!(bytes.get(end), Some(b'+' | b'-')) {
            end += 1;
        }
        digits(&mut end);
    }
    let tail = bytes.get(end..).unwrap_or_default();
    let junk = tail.iter().position(|&b| !is_word(b)).unwrap_or(tail.len());
    *at = end + junk;
    match source
        .get(start..*at)
        .and_then(|text| text.parse::<f64>().ok())
    {
        Some(value) => TokenKind::F64(value.to_bits()),
        None => TokenKind::Bad("this is not a number"),
    }
}
