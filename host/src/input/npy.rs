//! The header of a `.npy` file: element type, shape, where the data begins.

use std::io::Read;
use std::path::Path;

use npyz::{DType, Endianness, NpyHeader, Order, TypeChar};

use super::{Dtype, InputError};

/// What every `.npy` file begins with.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// Magic, version, and the longer of the two forms of the header's length.
const PRELUDE: usize = 12;

/// No header that numpy writes for one plain array comes near this.
const LONGEST_HEADER: usize = 1 << 16;

const TOO_MANY: &str = "the shape has more elements than any file holds";

/// An array that this crate can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) dtype: Dtype,
    /// Elements, of all dimensions together.
    pub(super) len: u64,
    /// Bytes before the first element.
    pub(super) data: u64,
}

/// Reads the header; `reader` then stands at the first element.
pub(super) fn read_header(path: &Path, reader: &mut impl Read) -> Result<Header, InputError> {
    let malformed = |reason: &str| InputError::Npy {
        path: path.to_owned(),
        reason: reason.into(),
    };
    let io = |source| InputError::Read {
        path: path.to_owned(),
        source,
    };
    let mut text = Vec::new();
    reader
        .take(PRELUDE as u64)
        .read_to_end(&mut text)
        .map_err(io)?;
    let whole = header_bytes(&text).map_err(malformed)?;
    let rest = (whole - text.len().min(whole)) as u64;
    reader.take(rest).read_to_end(&mut text).map_err(io)?;
    if text.len() < whole {
        return Err(malformed("the file ends inside the header"));
    }
    if !is_countable(&text[..whole]) {
        return Err(malformed(TOO_MANY));
    }
    let header = NpyHeader::from_reader(&text[..whole])
        .map_err(|error| malformed(&format!("the header cannot be read: {error}")))?;
    let dtype = element_type(&header.dtype()).map_err(|reason| malformed(&reason))?;
    if header.order() == Order::Fortran && header.shape().len() > 1 {
        return Err(malformed(
            "the array is in Fortran order; save it with numpy.ascontiguousarray",
        ));
    }
    let len = header
        .shape()
        .iter()
        .try_fold(1_u64, |len, extent| len.checked_mul(*extent));
    let bytes = len.and_then(|len| len.checked_mul(dtype.size() as u64));
    let len = len.filter(|_| bytes.is_some());
    let len = len.ok_or_else(|| malformed(TOO_MANY))?;
    Ok(Header {
        dtype,
        len,
        data: whole as u64,
    })
}

/// Length of prelude and header together, from the prelude.
fn header_bytes(prelude: &[u8]) -> Result<usize, &'static str> {
    let short = "the file ends inside the header";
    let (version, length) = prelude
        .get(MAGIC.len()..)
        .and_then(|rest| rest.split_at_checked(2))
        .ok_or(short)?;
    let (bytes, length) = match version[0] {
        1 => {
            let field = length.first_chunk::<2>().ok_or(short)?;
            (10, usize::from(u16::from_le_bytes(*field)))
        }
        2 | 3 => {
            let field = length.first_chunk::<4>().ok_or(short)?;
            (12, u32::from_le_bytes(*field) as usize)
        }
        _ => return Err("its format version is none of 1, 2, 3"),
    };
    match length {
        0 => Err("the header is empty"),
        1..=LONGEST_HEADER => Ok(bytes + length),
        _ => Err("the header is longer than any of a plain array"),
    }
}

/// Whether the numbers of the header can be multiplied: `npyz` does so without a check.
fn is_countable(header: &[u8]) -> bool {
    let mut digits = header
        .split(|byte| !byte.is_ascii_digit())
        .filter(|run| !run.is_empty());
    let product = digits.try_fold(1_u64, |product, run| {
        let number: u64 = std::str::from_utf8(run).ok()?.parse().ok()?;
        product.checked_mul(number.max(1))
    });
    product.is_some()
}

fn element_type(dtype: &DType) -> Result<Dtype, String> {
    let unsupported = |what: String| {
        let names = Dtype::ALL.map(Dtype::name).join(" ");
        format!("unsupported dtype {what}: lockstep reads {names}")
    };
    let DType::Plain(plain) = dtype else {
        return Err(unsupported(dtype.descr()));
    };
    let found = match (plain.type_char(), plain.size_field()) {
        (TypeChar::Int, 1) => Dtype::I8,
        (TypeChar::Int, 2) => Dtype::I16,
        (TypeChar::Int, 4) => Dtype::I32,
        (TypeChar::Int, 8) => Dtype::I64,
        (TypeChar::Uint, 1) => Dtype::U8,
        (TypeChar::Uint, 2) => Dtype::U16,
        (TypeChar::Uint, 4) => Dtype::U32,
        (TypeChar::Uint, 8) => Dtype::U64,
        (TypeChar::Float, 2) => Dtype::F16,
        (TypeChar::Float, 4) => Dtype::F32,
        (TypeChar::Float, 8) => Dtype::F64,
        _ => return Err(unsupported(format!("'{plain}'"))),
    };
    if plain.endianness() == Endianness::Big {
        let little = plain.to_string().replace('>', "<");
        return Err(unsupported(format!(
            "'{plain}' (big-endian; save it with .astype('{little}'))"
        )));
    }
    Ok(found)
}
