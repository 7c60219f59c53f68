//! What `vprintf` prints: C's format strings as CUDA defines them ("Formatted Output" in the CUDA
//! C++ Programming Guide), over the packed buffer of arguments.
//!
//! Arguments lie in the buffer as in a C struct after the usual promotions: four bytes for `int`
//! and what is smaller, eight for `long`, `long long`, `double` and pointers, each aligned to its
//! size.

mod float;

/// What a format string draws on.
pub trait Arguments {
    /// Why memory could not be read.
    type Error;

    /// The little-endian number of `bytes` bytes (4 or 8) at `offset` of the argument buffer.
    ///
    /// # Errors
    /// If there is no memory.
    fn number(&mut self, offset: u32, bytes: u32) -> Result<u64, Self::Error>;

    /// The bytes of the C string at `address`, without its final zero.
    ///
    /// # Errors
    /// If there is no memory, or no zero in it.
    fn string(&mut self, address: u64) -> Result<Vec<u8>, Self::Error>;
}

/// Widths and precisions beyond this are cut to it: a format must not ask for gigabytes.
const MAX_WIDTH: usize = 4096;

/// One conversion, `%-08.3lld`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    length: Length,
    conversion: u8,
}

/// Length modifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Length {
    Char,
    Short,
    #[default]
    Int,
    Long,
}

/// Formats; returns the text and what `printf` returns on the device: how many arguments it
/// converted.
///
/// # Errors
/// The first error of `arguments`.
pub fn format<A: Arguments>(format: &[u8], arguments: &mut A) -> Result<(Vec<u8>, i32), A::Error> {
    let mut out = Vec::with_capacity(format.len());
    let mut taker = Taker {
        arguments,
        offset: 0,
    };
    let (mut rest, mut converted) = (format, 0);
    while let Some(at) = rest.iter().position(|&byte| byte == b'%') {
        let (text, tail) = rest.split_at(at);
        out.extend_from_slice(text);
        let mut used = 1;
        match specification(tail, &mut taker)? {
            Some((spec, length)) if spec.conversion == b'%' => {
                out.push(b'%');
                used = length;
            }
            Some((spec, length)) => {
                pad(&mut out, &spec, convert(&spec, &mut taker)?);
                converted += 1;
                used = length;
            }
            // No conversion: the sign stands for itself.
            None => out.push(b'%'),
        }
        rest = tail.get(used..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    Ok((out, converted))
}

/// Takes arguments off the buffer.
struct Taker<'a, A> {
    arguments: &'a mut A,
    offset: u32,
}

impl<A: Arguments> Taker<'_, A> {
    fn take(&mut self, bytes: u32) -> Result<u64, A::Error> {
        let offset = self.offset.next_multiple_of(bytes);
        let value = self.arguments.number(offset, bytes)?;
        self.offset = offset.saturating_add(bytes).min(1 << 24);
        Ok(value)
    }

    /// A width or precision given as `*`.
    fn star(&mut self) -> Result<i32, A::Error> {
        Ok(self.take(4)? as i32)
    }
}

/// The bytes of a conversion, read one by one.
struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    /// The next byte; 0 at the end.
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte;
        self.at += usize::from(found);
        found
    }

    fn number(&mut self) -> usize {
        let mut value = 0_usize;
        while self.peek().is_ascii_digit() {
            value = (value * 10 + usize::from(self.peek() - b'0')).min(MAX_WIDTH);
            self.at += 1;
        }
        value
    }

    fn flags(&mut self, spec: &mut Spec) {
        loop {
            match self.peek() {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternate = true,
                b'0' => spec.zero = true,
                _ => return,
            }
            self.at += 1;
        }
    }

    fn length(&mut self) -> Length {
        if self.eat(b'h') {
            return if self.eat(b'h') {
                Length::Char
            } else {
                Length::Short
            };
        }
        if self.eat(b'l') {
            self.eat(b'l');
            return Length::Long;
        }
        if matches!(self.peek(), b'j' | b'z' | b't' | b'L') {
            self.at += 1;
            return Length::Long;
        }
        Length::Int
    }
}

/// Reads the conversion at the start of `text`, a `%`, and tells its length. `None` where there is
/// none.
fn specification<A: Arguments>(
    text: &[u8],
    taker: &mut Taker<'_, A>,
) -> Result<Option<(Spec, usize)>, A::Error> {
    let (mut spec, mut reader) = (Spec::default(), Reader { text, at: 1 });
    reader.flags(&mut spec);
    if reader.eat(b'*') {
        let width = taker.star()?;
        spec.left |= width < 0;
        spec.width = (width.unsigned_abs() as usize).min(MAX_WIDTH);
    } else {
        spec.width = reader.number();
    }
    if reader.eat(b'.') {
        spec.precision = if reader.eat(b'*') {
            // A negative precision is as if there were none.
            usize::try_from(taker.star()?)
                .ok()
                .map(|it| it.min(MAX_WIDTH))
        } else {
            Some(reader.number())
        };
    }
    spec.length = reader.length();
    spec.conversion = reader.peek();
    let known = b"dioxXucsp%eEfFgGaA".contains(&spec.conversion);
    Ok(known.then_some((spec, reader.at + 1)))
}

/// A converted value: what zeros may be put behind, and the rest.
struct Piece {
    sign: Vec<u8>,
    digits: Vec<u8>,
    /// Whether zeros may fill the width.
    zeros: bool,
}

fn convert<A: Arguments>(spec: &Spec, taker: &mut Taker<'_, A>) -> Result<Piece, A::Error> {
    Ok(match spec.conversion {
        b'd' | b'i' => signed(spec, integer(spec, taker)?),
        b'u' | b'o' | b'x' | b'X' => unsigned(spec, integer(spec, taker)?),
        b'c' => plain(vec![taker.take(4)? as u8]),
        b'p' => match taker.take(8)? {
            0 => plain(b"(nil)".to_vec()),
            address => plain(format!("{address:#x}").into_bytes()),
        },
        b's' => {
            let mut text = match taker.take(8)? {
                0 => b"(null)".to_vec(),
                address => taker.arguments.string(address)?,
            };
            text.truncate(spec.precision.unwrap_or(usize::MAX));
            plain(text)
        }
        _ => float::convert(spec, f64::from_bits(taker.take(8)?)),
    })
}

fn plain(digits: Vec<u8>) -> Piece {
    Piece {
        sign: Vec::new(),
        digits,
        zeros: false,
    }
}

/// The bits of an integer argument, cut to its length.
fn integer<A: Arguments>(spec: &Spec, taker: &mut Taker<'_, A>) -> Result<u64, A::Error> {
    let signed = matches!(spec.conversion, b'd' | b'i');
    if spec.length == Length::Long {
        return taker.take(8);
    }
    let value = taker.take(4)?;
    Ok(match (spec.length, signed) {
        (Length::Char, true) => value as i8 as u64,
        (Length::Char, false) => u64::from(value as u8),
        (Length::Short, true) => value as i16 as u64,
        (Length::Short, false) => u64::from(value as u16),
        (_, true) => value as i32 as u64,
        (_, false) => u64::from(value as u32),
    })
}

fn sign(spec: &Spec, negative: bool) -> Vec<u8> {
    let sign: &[u8] = match (negative, spec.plus, spec.space) {
        (true, ..) => b"-",
        (_, true, _) => b"+",
        (_, _, true) => b" ",
        _ => b"",
    };
    sign.to_vec()
}

fn signed(spec: &Spec, bits: u64) -> Piece {
    let value = bits as i64;
    let digits = at_least(spec, value.unsigned_abs().to_string(), value == 0);
    Piece {
        sign: sign(spec, value < 0),
        digits,
        zeros: spec.precision.is_none(),
    }
}

fn unsigned(spec: &Spec, value: u64) -> Piece {
    let text = match spec.conversion {
        b'o' => format!("{value:o}"),
        b'x' => format!("{value:x}"),
        b'X' => format!("{value:X}"),
        _ => value.to_string(),
    };
    let mut digits = at_least(spec, text, value == 0);
    let mut prefix = Vec::new();
    if spec.alternate {
        match spec.conversion {
            b'o' if digits.first() != Some(&b'0') => digits.insert(0, b'0'),
            b'x' if value != 0 => prefix = b"0x".to_vec(),
            b'X' if value != 0 => prefix = b"0X".to_vec(),
            _ => {}
        }
    }
    Piece {
        sign: prefix,
        digits,
        zeros: spec.precision.is_none(),
    }
}

/// At least as many digits as the precision says; a zero with precision 0 has none.
fn at_least(spec: &Spec, text: String, is_zero: bool) -> Vec<u8> {
    match spec.precision {
        Some(0) if is_zero => Vec::new(),
        Some(precision) => format!("{text:0>precision$}").into_bytes(),
        None => text.into_bytes(),
    }
}

/// Puts a piece into the output, as wide as the conversion says.
fn pad(out: &mut Vec<u8>, spec: &Spec, piece: Piece) {
    let fill = spec
        .width
        .saturating_sub(piece.sign.len() + piece.digits.len());
    let zeros = spec.zero && !spec.left && piece.zeros;
    if !spec.left && !zeros {
        out.extend(std::iter::repeat_n(b' ', fill));
    }
    out.extend_from_slice(&piece.sign);
    if zeros {
        out.extend(std::iter::repeat_n(b'0', fill));
    }
    out.extend_from_slice(&piece.digits);
    if spec.left {
        out.extend(std::iter::repeat_n(b' ', fill));
    }
}

#[cfg(test)]
mod tests;
