//! Inputs for the tests: sizes around every boundary, and distributions that break things.

use super::Number;

/// Nothing, one, around a warp, around a block, around a rayon chunk, and no multiple of anything.
pub(crate) const SIZES: [usize; 14] = [
    0,
    1,
    2,
    31,
    32,
    33,
    255,
    256,
    257,
    1023,
    4097,
    super::CHUNK - 1,
    super::CHUNK + 1,
    3 * super::CHUNK + 77,
];

/// Element types that can be made from 64 random bits.
pub(crate) trait Sample: Number {
    /// Any value; for floats a moderate number.
    fn from_bits64(bits: u64) -> Self;
    /// The values that break things.
    const NASTY: &'static [Self];
}

macro_rules! sample_integer {
    ($($t:ident),*) => {$(
        impl Sample for $t {
            fn from_bits64(bits: u64) -> Self { bits as $t }
            const NASTY: &'static [Self] = &[$t::MIN, $t::MAX, 0, 1, $t::MAX - 1, $t::MIN + 1];
        }
    )*};
}

macro_rules! sample_float {
    ($($t:ident),*) => {$(
        impl Sample for $t {
            fn from_bits64(bits: u64) -> Self { (bits >> 40) as $t / 65536.0 - 128.0 }
            const NASTY: &'static [Self] = &[
                0.0, -0.0, $t::NAN, $t::INFINITY, 1.0, -$t::MAX, $t::MAX, $t::MIN_POSITIVE,
                $t::NEG_INFINITY, -1.0,
            ];
        }
    )*};
}

sample_integer!(i32, u32, i64, u64);
sample_float!(f32, f64);

/// splitmix64.
pub(crate) fn random_bits(seed: u64, index: usize) -> u64 {
    let mut z = seed.wrapping_add((index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Random, constant, sorted, and nasty values, of one size.
pub(crate) fn distributions<T: Sample>(len: usize) -> Vec<(&'static str, Vec<T>)> {
    let random: Vec<T> = (0..len)
        .map(|i| T::from_bits64(random_bits(7, i)))
        .collect();
    let mut sorted = random.clone();
    sorted.sort_by(|a, b| a.partial_cmp(b).expect("no NaN among the random values"));
    let nasty = (0..len).map(|i| T::NASTY[i * 7 % T::NASTY.len()]).collect();
    vec![
        ("random", random),
        ("constant", vec![T::ONE; len]),
        ("sorted", sorted),
        ("nasty", nasty),
    ]
}

/// Runs the check for every size and distribution.
pub(crate) fn for_each_input<T: Sample>(mut check: impl FnMut(&str, &[T])) {
    for len in SIZES {
        for (name, values) in distributions::<T>(len) {
            check(
                &format!("{name} {} × {len}", std::any::type_name::<T>()),
                &values,
            );
        }
    }
}
