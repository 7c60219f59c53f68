//! Sizes as people write them: `2^24`, `1_000_000`, `10^6+7`, `4k`.

/// Parses a number: digits with `_` between them, a power, an ending k, m or g (binary), or a sum
/// or difference of such.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let unreadable = || format!("`{text}` is no number: write 1000, 1_000, 2^20, 10^6+7 or 64k");
    let too_large = || format!("`{text}` does not fit 64 bits");
    let mut total: u64 = 0;
    let mut rest = text.trim();
    let mut adds = true;
    loop {
        let end = rest.find(['+', '-']).unwrap_or(rest.len());
        let value = term(rest[..end].trim())
            .ok_or_else(unreadable)?
            .ok_or_else(too_large)?;
        let sum = if adds {
            total.checked_add(value)
        } else {
            total.checked_sub(value)
        };
        total = sum.ok_or_else(too_large)?;
        let Some(sign) = rest[end..].chars().next() else {
            return Ok(total);
        };
        adds = sign == '+';
        rest = &rest[end + 1..];
    }
}

/// `None` where it is no number, `Some(None)` where it is too large.
fn term(text: &str) -> Option<Option<u64>> {
    if let Some((base, exponent)) = text.split_once('^') {
        let (base, exponent) = (digits(base.trim())?, digits(exponent.trim())?);
        let Some((base, exponent)) = base.zip(exponent) else {
            return Some(None);
        };
        return Some(
            u32::try_from(exponent)
                .ok()
                .and_then(|exponent| base.checked_pow(exponent)),
        );
    }
    let (number, shift) = match text.char_indices().last()? {
        (at, 'k' | 'K') => (&text[..at], 10),
        (at, 'm' | 'M') => (&text[..at], 20),
        (at, 'g' | 'G') => (&text[..at], 30),
        _ => (text, 0),
    };
    Some(digits(number)?.and_then(|value| value.checked_mul(1 << shift)))
}

fn digits(text: &str) -> Option<Option<u64>> {
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    let is_number = !plain.is_empty() && plain.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| plain.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn numbers_are_read() {
        let table = [
            ("0", 0),
            ("1000", 1000),
            ("1_000_000", 1_000_000),
            ("2^24", 1 << 24),
            ("10^6+7", 1_000_007),
            ("10^6 + 7", 1_000_007),
            ("2^20-1", (1 << 20) - 1),
            ("64k", 65536),
            ("1g", 1 << 30),
            ("2^0", 1),
        ];
        for (text, expected) in table {
            assert_eq!(parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in [
            "", "x", "-1", "1.5", "2^", "^2", "1++2", "+1", "0x10", "k", "1-", "é",
        ] {
            assert!(
                parse(text).is_err_and(|error| error.contains("is no number")),
                "{text}"
            );
        }
        for text in [
            "2^64",
            "99999999999999999999",
            "1-2",
            "20000000000g",
            "2^99999999999",
        ] {
            assert!(
                parse(text).is_err_and(|error| error.contains("64 bits")),
                "{text}"
            );
        }
    }
}
