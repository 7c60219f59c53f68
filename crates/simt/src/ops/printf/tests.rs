//! Tables of what printf gives.

use super::{Arguments, format};

/// Arguments as a kernel packs them, and strings at made-up addresses.
#[derive(Default)]
struct Packed {
    bytes: Vec<u8>,
    strings: Vec<&'static str>,
}

/// One argument.
#[derive(Clone, Copy)]
enum Arg {
    Int(i32),
    Long(i64),
    Double(f64),
    Text(&'static str),
}
use Arg::{Double, Int, Long, Text};

impl Packed {
    fn new(arguments: &[Arg]) -> Packed {
        let mut packed = Packed::default();
        for argument in arguments {
            let (value, bytes) = match *argument {
                Int(value) => (u64::from(value as u32), 4),
                Long(value) => (value as u64, 8),
                Double(value) => (value.to_bits(), 8),
                Text(text) => {
                    packed.strings.push(text);
                    (packed.strings.len() as u64 * 0x1000, 8)
                }
            };
            packed
                .bytes
                .resize(packed.bytes.len().next_multiple_of(bytes), 0xAA);
            packed
                .bytes
                .extend_from_slice(&value.to_le_bytes()[..bytes]);
        }
        packed
    }
}

impl Arguments for Packed {
    type Error = String;

    fn number(&mut self, offset: u32, bytes: u32) -> Result<u64, String> {
        let range = offset as usize..(offset + bytes) as usize;
        let bytes = self
            .bytes
            .get(range)
            .ok_or_else(|| format!("nothing at {offset}"))?;
        Ok(bytes
            .iter()
            .rev()
            .fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }

    fn string(&mut self, address: u64) -> Result<Vec<u8>, String> {
        let text = self.strings.get((address / 0x1000) as usize - 1);
        Ok(text.ok_or("no string")?.as_bytes().to_vec())
    }
}

#[track_caller]
fn prints(text: &str, arguments: &[Arg], expected: &str) {
    let (out, count) = format(text.as_bytes(), &mut Packed::new(arguments)).expect("formats");
    assert_eq!(String::from_utf8_lossy(&out), expected, "{text}");
    let conversions = text.replace("%%", "").matches('%').count() as i32;
    assert_eq!(count, conversions, "{text}");
}

#[test]
fn integers() {
    prints("%d|%i|%u", &[Int(-7), Int(7), Int(-1)], "-7|7|4294967295");
    prints(
        "%5d|%-5d|%05d|%+d|% d",
        &[Int(42); 5],
        "   42|42   |00042|+42| 42",
    );
    prints(
        "%.4d|%8.4d|%-8.4d|%08.4d",
        &[Int(-42); 4],
        "-0042|   -0042|-0042   |   -0042",
    );
    prints(
        "%x|%X|%#x|%#o|%o|%#X",
        &[Int(255); 6],
        "ff|FF|0xff|0377|377|0XFF",
    );
    prints("%#x|%#o|%.0d|%.0u|", &[Int(0); 4], "0|0|||");
    prints("%hhd|%hd|%hhu|%hu", &[Int(-129); 4], "127|-129|127|65407");
    prints(
        "%lld|%llu|%lx|%zu",
        &[Long(-1), Long(-1), Long(255), Long(3)],
        "-1|18446744073709551615|ff|3",
    );
    prints("%ld", &[Long(i64::MIN)], "-9223372036854775808");
    prints("%#010x", &[Int(0xBEEF)], "0x0000beef");
}

#[test]
fn arguments_are_aligned_to_their_size() {
    prints(
        "%d %f %d %lld %c",
        &[Int(1), Double(2.5), Int(3), Long(4), Int(65)],
        "1 2.500000 3 4 A",
    );
}

#[test]
fn floats() {
    prints(
        "%f|%.0f|%#.0f|%.2f",
        &[Double(2.5); 4],
        "2.500000|2|2.|2.50",
    );
    prints(
        "%e|%.0e|%E|%#.0e",
        &[Double(12345.678); 4],
        "1.234568e+04|1e+04|1.234568E+04|1.e+04",
    );
    prints(
        "%g|%g|%g|%g",
        &[
            Double(0.0001),
            Double(0.00001),
            Double(1e6),
            Double(123456.0),
        ],
        "0.0001|1e-05|1e+06|123456",
    );
    prints(
        "%g|%#g|%.3g|%G",
        &[Double(100.0), Double(100.0), Double(1234.0), Double(1e-10)],
        "100|100.000|1.23e+03|1E-10",
    );
    prints(
        "%g|%.10g|%.0g",
        &[Double(0.1), Double(0.1), Double(0.25)],
        "0.1|0.1|0.2",
    );
    prints(
        "%a|%a|%.1a|%a|%A",
        &[
            Double(1.0),
            Double(0.1),
            Double(1.99),
            Double(0.0),
            Double(-2.0),
        ],
        "0x1p+0|0x1.999999999999ap-4|0x2.0p+0|0x0p+0|-0X1P+1",
    );
    prints(
        "%f|%F|%5.1f|%05.1f|%+f",
        &[
            Double(f64::INFINITY),
            Double(f64::NEG_INFINITY),
            Double(f64::NAN),
            Double(f64::INFINITY),
            Double(0.0),
        ],
        "inf|-INF|  nan|  inf|+0.000000",
    );
    prints(
        "%f|%010.3f|%-10.3f|",
        &[Double(-0.0), Double(-3.15159), Double(3.15159)],
        "-0.000000|-00003.152|3.152     |",
    );
    prints("%e|%g", &[Double(0.0), Double(0.0)], "0.000000e+00|0");
    prints(
        "%e|%.17g",
        &[Double(5e-324), Double(1e308)],
        "4.940656e-324|1e+308",
    );
}

#[test]
fn text_and_the_rest() {
    prints(
        "%s|%10s|%-10s|%.2s",
        &[Text("warp"); 4],
        "warp|      warp|warp      |wa",
    );
    prints("%s", &[Long(0)], "(null)");
    prints("%p|%p", &[Long(0x7F00), Long(0)], "0x7f00|(nil)");
    prints("100%% of %d", &[Int(3)], "100% of 3");
    prints("%c%c", &[Int(72), Int(105)], "Hi");
    let (out, count) = format(b"%y %", &mut Packed::new(&[])).expect("formats");
    assert_eq!((out.as_slice(), count), (b"%y %".as_slice(), 0));
}

#[test]
fn stars_take_arguments() {
    let run = |text: &str, arguments: &[Arg]| {
        let (out, _) = format(text.as_bytes(), &mut Packed::new(arguments)).expect("formats");
        String::from_utf8(out).expect("ASCII")
    };
    assert_eq!(run("%*d|", &[Int(5), Int(42)]), "   42|");
    assert_eq!(run("%*d|", &[Int(-5), Int(42)]), "42   |");
    assert_eq!(run("%.*f|", &[Int(1), Double(2.55)]), "2.5|");
    assert_eq!(run("%.*f|", &[Int(-1), Double(2.5)]), "2.500000|");
    assert_eq!(run("%*.*f|", &[Int(8), Int(2), Double(2.5)]), "    2.50|");
}

#[test]
fn hostile_formats_end() {
    assert!(format(b"%d", &mut Packed::new(&[])).is_err());
    let (out, _) = format(b"%999999999999d", &mut Packed::new(&[Int(1)])).expect("formats");
    assert_eq!(out.len(), 4096);
    let (out, _) = format(b"%.99999999f", &mut Packed::new(&[Double(1.0)])).expect("formats");
    assert!(out.len() <= 4098);
}
