//! `%f`, `%e`, `%g` and `%a`.

use super::{Piece, Spec, sign};

/// Converts a number.
pub(super) fn convert(spec: &Spec, value: f64) -> Piece {
    let magnitude = value.abs();
    let mut sign = sign(spec, value.is_sign_negative());
    let text = if value.is_nan() {
        "nan".to_owned()
    } else if value.is_infinite() {
        "inf".to_owned()
    } else {
        match spec.conversion.to_ascii_lowercase() {
            b'f' => fixed(magnitude, spec.precision.unwrap_or(6), spec.alternate),
            b'e' => exponential(magnitude, spec.precision.unwrap_or(6), spec.alternate),
            b'g' => shortest(magnitude, spec.precision.unwrap_or(6), spec.alternate),
            _ => {
                sign.extend_from_slice(b"0x");
                hexadecimal(magnitude, spec.precision, spec.alternate)
            }
        }
    };
    let (mut digits, zeros) = (text.into_bytes(), value.is_finite());
    if spec.conversion.is_ascii_uppercase() {
        digits.make_ascii_uppercase();
        sign.make_ascii_uppercase();
    }
    Piece {
        sign,
        digits,
        zeros,
    }
}

/// `%f`.
fn fixed(value: f64, precision: usize, alternate: bool) -> String {
    let mut text = format!("{value:.precision$}");
    if precision == 0 && alternate {
        text.push('.');
    }
    text
}

/// `%e`: at least two digits of exponent.
fn exponential(value: f64, precision: usize, alternate: bool) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let point = if precision == 0 && alternate { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}{point}e{sign}{:02}", exponent.abs())
}

/// `%g`: whichever of the two is shorter, without zeros at the end.
fn shortest(value: f64, precision: usize, alternate: bool) -> String {
    let precision = precision.max(1);
    let scientific = format!("{value:.*e}", precision - 1);
    let exponent = scientific
        .split_once('e')
        .and_then(|(_, it)| it.parse().ok())
        .unwrap_or(0_i64);
    if exponent >= -4 && exponent < precision as i64 {
        let after = (precision as i64 - 1 - exponent).max(0) as usize;
        let text = fixed(value, after, alternate);
        return if alternate {
            text
        } else {
            without_zeros(&text)
        };
    }
    let text = exponential(value, precision - 1, alternate);
    match text.split_once('e') {
        Some((digits, exponent)) if !alternate => format!("{}e{exponent}", without_zeros(digits)),
        _ => text,
    }
}

fn without_zeros(text: &str) -> String {
    let cut = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    };
    cut.to_owned()
}

/// `%a`, without its `0x`.
fn hexadecimal(value: f64, precision: Option<usize>, alternate: bool) -> String {
    let bits = value.to_bits();
    let mut fraction = bits & ((1 << 52) - 1);
    let (mut lead, exponent) = match (bits >> 52, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        (biased, _) => (1, biased as i32 - 1023),
    };
    let digits = match precision {
        Some(precision) if precision < 13 => {
            // Rounds to nearest, ties to even, at the last digit that is shown.
            let drop = 52 - 4 * precision as u32;
            let whole = (lead << 52) | fraction;
            let (kept, lost, half) = (
                whole >> drop,
                whole & ((1 << drop) - 1),
                1_u64 << (drop - 1),
            );
            let up = lost > half || (lost == half && kept & 1 == 1);
            let rounded = (kept + u64::from(up)) << drop;
            (lead, fraction) = (rounded >> 52, rounded & ((1 << 52) - 1));
            format!("{fraction:013x}").chars().take(precision).collect()
        }
        Some(precision) => format!("{:0<precision$}", format!("{fraction:013x}")),
        None => format!("{fraction:013x}").trim_end_matches('0').to_owned(),
    };
    let point = if digits.is_empty() && !alternate {
        ""
    } else {
        "."
    };
    format!("{lead}{point}{digits}p{exponent:+}")
}
