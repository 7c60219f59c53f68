//! What the device provides to a program: `vprintf` and the end of a failed assertion.

use super::block::Block;
use super::run::{Machine, Stop};
use super::wave::Wave;
use crate::code::{Call, Passed};
use crate::exec::context::Fault;
use crate::exec::lanes::bits;
use crate::exec::memory::get;
use crate::findings::Kind;
use crate::memory::window::Space;

/// Longest string that is read, and most output that is kept.
const STRING_LIMIT: usize = 1 << 16;
const OUTPUT_LIMIT: usize = 16 << 20;

/// `vprintf(format, arguments)`: prints for each lane in turn.
pub(crate) fn vprintf(
    machine: &mut Machine<'_>,
    block: &mut Block,
    w: usize,
    p: usize,
    call: &Call,
) -> Result<(), Stop> {
    let wave = &mut block.waves[w];
    let part = wave.parts[p];
    for half in 0..wave.halves {
        for lane in bits(Wave::half(part.mask, half)) {
            let [format, arguments] = [0, 1].map(|n| {
                let mut value = [0; 8];
                let passed = call.arguments.get(n).copied().unwrap_or(Passed::Nothing);
                machine.read_passed(
                    wave,
                    part.mask,
                    half,
                    lane,
                    (part.frame, passed),
                    &mut value,
                );
                u64::from_le_bytes(value)
            });
            machine.bind(wave, part.frame, half, part.mask);
            let text = read_string(machine, lane, format);
            let (line, count) = render(
                &text,
                |offset, bytes| read_bytes(machine, lane, arguments.wrapping_add(offset), bytes),
                |address| read_string(machine, lane, address),
            );
            if machine.printed.len() + line.len() <= OUTPUT_LIMIT {
                machine.printed.extend(line);
            }
            if let Some(&result) = call.results.first() {
                let value = u64::from(count).to_le_bytes();
                machine.write_passed(wave, part.mask, half, lane, (part.frame, result), &value);
            }
        }
    }
    Ok(())
}

/// `__assertfail(message, file, line, function, size)`.
pub(crate) fn assertion(
    machine: &mut Machine<'_>,
    block: &mut Block,
    w: usize,
    p: usize,
    call: &Call,
) {
    let wave = &mut block.waves[w];
    let part = wave.parts[p];
    let at = part.mask.trailing_zeros() as usize;
    let (half, lane) = ((at / 32).min(1), at % 32);
    let values: Vec<u64> = (0..4)
        .map(|n| {
            let mut value = [0; 8];
            let passed = call.arguments.get(n).copied().unwrap_or(Passed::Nothing);
            machine.read_passed(
                wave,
                part.mask,
                half,
                lane,
                (part.frame, passed),
                &mut value,
            );
            u64::from_le_bytes(value)
        })
        .collect();
    machine.bind(wave, part.frame, half, part.mask);
    let text = |machine: &Machine<'_>, address| {
        String::from_utf8_lossy(&read_string(machine, lane, address)).into_owned()
    };
    let title = format!("assertion failed: {}", text(machine, values[0]));
    let note = format!(
        "{}:{}, in {}",
        text(machine, values[1]),
        values[2] as u32,
        text(machine, values[3])
    );
    machine.lanes.raise(Fault {
        kind: Kind::Assertion,
        pc: part.pc,
        at: machine.lanes.at,
        lane: Some(lane as u32),
        title,
        notes: vec![note],
        help: None,
    });
}

/// Bytes at a generic address, little-endian; `None` outside memory.
fn read_bytes(machine: &Machine<'_>, lane: usize, address: u64, bytes: usize) -> Option<u64> {
    let mut value = 0;
    for k in 0..bytes {
        value |= u64::from(read_byte(machine, lane, address.wrapping_add(k as u64))?) << (8 * k);
    }
    Some(value)
}

fn read_byte(machine: &Machine<'_>, lane: usize, address: u64) -> Option<u8> {
    let lanes = &machine.lanes;
    let space = Space::of(address);
    let inner = address.wrapping_sub(space.base());
    let host = match space {
        Space::Global => {
            let allocation = lanes.memory.below(address)?;
            let storage = allocation.storage.as_ref()?;
            let offset = address - allocation.base();
            // SAFETY: the offset lies inside the storage.
            (offset < allocation.len()).then(|| unsafe { storage.start().add(offset as usize) })?
        }
        Space::Shared => {
            // SAFETY: the offset lies inside the block's shared memory.
            (inner < u64::from(lanes.shared_len))
                .then(|| unsafe { lanes.shared.add(inner as usize) })?
        }
        Space::Local => {
            let stride = u64::from(lanes.local_stride);
            // SAFETY: each lane has `local_stride` bytes.
            (inner < stride)
                .then(|| unsafe { lanes.local.add(lane * stride as usize + inner as usize) })?
        }
        Space::Param => return lanes.params.get(inner as usize).copied(),
    };
    // SAFETY: the pointer was made valid above, for one byte.
    Some(unsafe { get::<u8>(host) })
}

fn read_string(machine: &Machine<'_>, lane: usize, address: u64) -> Vec<u8> {
    let mut text = Vec::new();
    while text.len() < STRING_LIMIT {
        match read_byte(machine, lane, address.wrapping_add(text.len() as u64)) {
            Some(0) | None => break,
            Some(byte) => text.push(byte),
        }
    }
    text
}

/// Formats like C's `printf`. `read` gives argument bytes by offset in the packed arguments,
/// `string` what a pointer points to. Returns the text and how many arguments it used.
fn render(
    format: &[u8],
    read: impl Fn(u64, usize) -> Option<u64>,
    string: impl Fn(u64) -> Vec<u8>,
) -> (Vec<u8>, u32) {
    let mut out = Vec::new();
    let (mut offset, mut count) = (0u64, 0);
    let mut at = 0;
    let mut next = |bytes: usize| {
        offset = offset.next_multiple_of(bytes as u64);
        let value = read(offset, bytes).unwrap_or(0);
        offset += bytes as u64;
        count += 1;
        value
    };
    while let Some(&byte) = format.get(at) {
        at += 1;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let start = at;
        let mut spec = Spec::default();
        while let Some(&flag) = format.get(at).filter(|b| b"-+ #0".contains(b)) {
            spec.flag(flag);
            at += 1;
        }
        let number = |at: &mut usize, next: &mut dyn FnMut(usize) -> u64| {
            if format.get(*at) == Some(&b'*') {
                *at += 1;
                return next(4) as i32 as i64;
            }
            let mut value = 0i64;
            while let Some(digit) = format.get(*at).filter(|b| b.is_ascii_digit()) {
                value = (value * 10 + i64::from(digit - b'0')).min(4096);
                *at += 1;
            }
            value
        };
        let width = number(&mut at, &mut next);
        spec.left |= width < 0;
        spec.width = width.unsigned_abs().min(4096) as usize;
        if format.get(at) == Some(&b'.') {
            at += 1;
            spec.precision = usize::try_from(number(&mut at, &mut next)).ok();
        }
        let mut long = 0;
        while let Some(&size) = format.get(at).filter(|b| b"hlLqjzt".contains(b)) {
            long += match size {
                b'l' => 1,
                b'q' | b'j' | b'z' | b't' => 2,
                _ => 0,
            };
            at += 1;
        }
        // On the device's host, Linux, `long` has 64 bits.
        let bytes = if long > 0 { 8 } else { 4 };
        let Some(&conversion) = format.get(at) else {
            out.extend(&format[start - 1..]);
            break;
        };
        at += 1;
        match conversion {
            b'%' => out.push(b'%'),
            b'd' | b'i' => {
                let value = next(bytes);
                let value = if bytes == 8 {
                    value as i64
                } else {
                    i64::from(value as i32)
                };
                spec.number(&mut out, value < 0, value.unsigned_abs().to_string());
            }
            b'u' => {
                let value = next(bytes);
                spec.number(&mut out, false, value.to_string());
            }
            b'x' => spec.hex(&mut out, format!("{:x}", next(bytes)), "0x"),
            b'X' => spec.hex(&mut out, format!("{:X}", next(bytes)), "0X"),
            b'o' => spec.hex(&mut out, format!("{:o}", next(bytes)), "0"),
            b'c' => {
                let value = next(4) as u8;
                spec.pad(&mut out, &[value]);
            }
            b's' => {
                let mut text = string(next(8));
                text.truncate(spec.precision.unwrap_or(usize::MAX));
                spec.pad(&mut out, &text);
            }
            b'p' => {
                let text = format!("{:#x}", next(8));
                spec.pad(&mut out, text.as_bytes());
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let value = f64::from_bits(next(8));
                spec.float(&mut out, value, conversion);
            }
            other => {
                out.extend(&format[start - 1..at - 1]);
                out.push(other);
            }
        }
    }
    (out, count)
}

/// A conversion's flags.
#[derive(Clone, Copy, Debug, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

impl Spec {
    fn flag(&mut self, flag: u8) {
        match flag {
            b'-' => self.left = true,
            b'+' => self.plus = true,
            b' ' => self.space = true,
            b'#' => self.alternate = true,
            _ => self.zero = true,
        }
    }

    fn pad(&self, out: &mut Vec<u8>, text: &[u8]) {
        let fill = self.width.saturating_sub(text.len());
        if !self.left {
            out.extend(std::iter::repeat_n(b' ', fill));
        }
        out.extend(text);
        if self.left {
            out.extend(std::iter::repeat_n(b' ', fill));
        }
    }

    /// Digits with their sign, padded with zeros where asked for.
    fn signed(&self, out: &mut Vec<u8>, sign: &str, digits: &str, zeros: bool) {
        let len = sign.len() + digits.len();
        let fill = if zeros && !self.left {
            self.width.saturating_sub(len)
        } else {
            0
        };
        let text = format!("{sign}{}{digits}", "0".repeat(fill));
        self.pad(out, text.as_bytes());
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            _ => "",
        }
    }

    fn number(&self, out: &mut Vec<u8>, negative: bool, digits: String) {
        let least = self.precision.unwrap_or(1);
        let digits = format!("{digits:0>least$}");
        self.signed(
            out,
            self.sign(negative),
            &digits,
            self.zero && self.precision.is_none(),
        );
    }

    fn hex(&self, out: &mut Vec<u8>, digits: String, prefix: &str) {
        let least = self.precision.unwrap_or(1);
        let prefix = if self.alternate && digits != "0" {
            prefix
        } else {
            ""
        };
        let digits = format!("{digits:0>least$}");
        self.signed(out, prefix, &digits, self.zero && self.precision.is_none());
    }

    fn float(&self, out: &mut Vec<u8>, value: f64, conversion: u8) {
        let upper = conversion.is_ascii_uppercase();
        let case = |text: String| if upper { text.to_uppercase() } else { text };
        let sign = self.sign(value.is_sign_negative());
        if !value.is_finite() {
            let text = if value.is_nan() { "nan" } else { "inf" };
            self.signed(out, sign, &case(text.to_owned()), false);
            return;
        }
        let magnitude = value.abs();
        let digits = match conversion.to_ascii_lowercase() {
            b'f' => format!("{magnitude:.*}", self.precision.unwrap_or(6)),
            b'e' => exponent(magnitude, self.precision.unwrap_or(6)),
            b'a' => hex_float(magnitude),
            _ => general(
                magnitude,
                self.precision.unwrap_or(6).max(1),
                self.alternate,
            ),
        };
        self.signed(out, sign, &case(digits), self.zero);
    }
}

/// `%e`: at least two digits of exponent.
fn exponent(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, power) = power
        .strip_prefix('-')
        .map_or(('+', power), |power| ('-', power));
    format!("{mantissa}e{sign}{power:0>2}")
}

/// `%g`: the shorter of `%e` and `%f`, without trailing zeros.
fn general(value: f64, precision: usize, keep_zeros: bool) -> String {
    let scientific = format!("{value:.*e}", precision - 1);
    let power: i32 = scientific
        .split_once('e')
        .and_then(|(_, p)| p.parse().ok())
        .unwrap_or(0);
    let strip = |text: String| {
        if keep_zeros || !text.contains('.') {
            return text;
        }
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    if value != 0.0 && (power < -4 || power >= precision as i32) {
        let text = exponent(value, precision - 1);
        let (mantissa, power) = text.split_once('e').unwrap_or((&text, "+00"));
        return format!("{}e{power}", strip(mantissa.to_owned()));
    }
    let power = if value == 0.0 { 0 } else { power };
    strip(format!(
        "{value:.*}",
        (precision as i32 - 1 - power).max(0) as usize
    ))
}

/// `%a`.
fn hex_float(value: f64) -> String {
    let bits = value.to_bits();
    let (exp, mantissa) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    if value == 0.0 {
        return "0x0p+0".to_owned();
    }
    let (lead, exp) = if exp == 0 {
        (0, -1022)
    } else {
        (1, exp - 1023)
    };
    let digits = format!("{mantissa:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("0x{lead}{point}{digits}p{exp:+}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(format: &str, words: &[u64], expected: &str) {
        // Arguments as 8-byte slots would be for doubles and pointers; ints take 4 bytes.
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let read = |offset: u64, n: usize| {
            let slice = bytes.get(offset as usize..offset as usize + n)?;
            Some(
                slice
                    .iter()
                    .rev()
                    .fold(0, |value, &byte| value << 8 | u64::from(byte)),
            )
        };
        let (text, _) = render(format.as_bytes(), read, |_| b"text".to_vec());
        assert_eq!(String::from_utf8_lossy(&text), expected);
    }

    #[test]
    fn integers() {
        check(
            "%d|%5d|%-5d|",
            &[0xffff_ffff_0000_0001u64.rotate_left(32), 3],
            "-1|    1|3    |",
        );
        check("%05d %+d", &[42 | 7 << 32], "00042 +7");
        check(
            "%lld %llu %#llx",
            &[u64::MAX, u64::MAX, 255],
            "-1 18446744073709551615 0xff",
        );
        check("%u%% %c", &[7 | 65 << 32], "7% A");
    }

    #[test]
    fn floats_and_strings() {
        let one = 1.5f64.to_bits();
        check("%f %.1f %8.2f", &[one, one, one], "1.500000 1.5     1.50");
        check(
            "%e %g %g",
            &[1234.5f64.to_bits(), 1e-5f64.to_bits(), 100000f64.to_bits()],
            "1.234500e+03 1e-05 100000",
        );
        check("%g %g", &[1e6f64.to_bits(), 0.0f64.to_bits()], "1e+06 0");
        check(
            "%f %F",
            &[f64::NAN.to_bits(), f64::NEG_INFINITY.to_bits()],
            "nan -INF",
        );
        check("[%6s] [%.2s]", &[0, 0], "[  text] [te]");
        check("%a", &[1.5f64.to_bits()], "0x1.8p+0");
    }

    #[test]
    fn broken_formats_do_no_harm() {
        check("%", &[], "%");
        check("%y %5", &[], "%y %5");
    }
}
