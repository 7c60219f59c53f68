//! Sizes and times as people read them.

use std::time::Duration;

/// `1.5 GiB`: bytes in binary units, three digits.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{count} B")
    } else {
        format!("{value:.*} {}", digits(value), UNITS[unit])
    }
}

/// `26.5 µs`: a duration with three digits.
pub fn time(duration: Duration) -> String {
    let nanos = duration.as_secs_f64() * 1e9;
    let (value, unit) = match nanos {
        n if n < 1e3 => (n, "ns"),
        n if n < 1e6 => (n / 1e3, "µs"),
        n if n < 1e9 => (n / 1e6, "ms"),
        n => (n / 1e9, "s"),
    };
    format!("{value:.*} {unit}", digits(value))
}

/// `2^24` for powers of two from 1024, digits otherwise.
pub fn count(n: u64) -> String {
    if n >= 1024 && n.is_power_of_two() {
        format!("2^{}", n.trailing_zeros())
    } else {
        n.to_string()
    }
}

/// Decimals that leave three digits.
fn digits(value: f64) -> usize {
    if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_well() {
        let table = [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.00 KiB"),
            (1 << 30, "1.00 GiB"),
            (150 << 20, "150 MiB"),
        ];
        for (count, text) in table {
            assert_eq!(bytes(count), text);
        }
    }

    #[test]
    fn times_read_well() {
        let table = [
            (0, "0.00 ns"),
            (999, "999 ns"),
            (26_500, "26.5 µs"),
            (1_000_000_000, "1.00 s"),
        ];
        for (nanos, text) in table {
            assert_eq!(time(Duration::from_nanos(nanos)), text);
        }
    }

    #[test]
    fn counts_read_well() {
        for (n, text) in [
            (0, "0"),
            (512, "512"),
            (1 << 24, "2^24"),
            (1_000_007, "1000007"),
        ] {
            assert_eq!(count(n), text);
        }
    }
}
