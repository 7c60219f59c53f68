//! Generated input: reproducible from a seed, whatever the number of threads.

use std::fmt;
use std::str::FromStr;

use rayon::prelude::*;

use super::{Element, InputError, try_zeroed};
use crate::Error;

/// How generated elements are distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Distribution {
    /// Integers over their whole range, floats over [−1, 1).
    #[default]
    Uniform,
    /// Mean 0; standard deviation 1 for floats, an eighth of the range for integers.
    Normal,
    /// The same everywhere: 1, or 0.1 for floats, whose sums are then never exact.
    Constant,
    /// Rising from element to element, as far as the type's precision goes.
    Sorted,
    /// Falling from element to element.
    Reverse,
    /// Large elements of alternating sign with small ones between them: what rounding and overflow
    /// like least.
    Alternating,
    /// Uniform, with NaN, infinities, zeros of both signs, subnormals and extremes among them.
    Specials,
}

impl Distribution {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Uniform,
        Self::Normal,
        Self::Constant,
        Self::Sorted,
        Self::Reverse,
        Self::Alternating,
        Self::Specials,
    ];

    /// As the command line writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Normal => "normal",
            Self::Constant => "constant",
            Self::Sorted => "sorted",
            Self::Reverse => "reverse",
            Self::Alternating => "alternating",
            Self::Specials => "specials",
        }
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Distribution {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, InputError> {
        let found = Self::ALL
            .into_iter()
            .find(|distribution| distribution.name() == text);
        found.ok_or_else(|| InputError::Distribution(text.to_owned()))
    }
}

/// Elements that one task generates.
const CHUNK: usize = 1 << 16;

/// `len` elements of a distribution. The same seed gives the same elements, and a prefix of a
/// longer array of it (but for [`Distribution::Sorted`] and [`Distribution::Reverse`] of floats).
pub fn generate<T: Element>(
    distribution: Distribution,
    seed: u64,
    len: usize,
) -> Result<Vec<T>, Error> {
    let mut data = try_zeroed::<T>(len)?;
    data.par_chunks_mut(CHUNK)
        .enumerate()
        .for_each(|(chunk, part)| {
            for (offset, element) in part.iter_mut().enumerate() {
                *element = one(distribution, seed, chunk * CHUNK + offset, len);
            }
        });
    Ok(data)
}

fn one<T: Element>(distribution: Distribution, seed: u64, index: usize, len: usize) -> T {
    let bits = random(seed, index as u64);
    match distribution {
        Distribution::Uniform => uniform(bits),
        Distribution::Normal => T::from_f64(normal(seed, index as u64) * T::SPREAD),
        Distribution::Constant if T::DTYPE.is_float() => T::from_f64(0.1),
        Distribution::Constant => T::from_f64(1.0),
        Distribution::Sorted => ramp(index, len),
        Distribution::Reverse => ramp(len - 1 - index, len),
        Distribution::Alternating => match index % 4 {
            0 => T::from_f64(T::LARGE),
            2 => T::from_f64(-T::LARGE),
            _ => T::from_f64(1.0),
        },
        // One in 32 is special.
        Distribution::Specials if bits & 31 == 0 => {
            T::SPECIALS[(bits >> 5) as usize % T::SPECIALS.len()]
        }
        Distribution::Specials => uniform(bits),
    }
}

fn uniform<T: Element>(bits: u64) -> T {
    if !T::DTYPE.is_float() {
        return T::from_bits64(bits);
    }
    // 53 bits: every value is a multiple of 2^-52 in [−1, 1); narrower types round it.
    let unit = (bits >> 11) as f64 / (1_u64 << 52) as f64;
    T::from_f64(unit - 1.0)
}

fn ramp<T: Element>(index: usize, len: usize) -> T {
    if T::DTYPE.is_float() {
        T::from_f64(index as f64 / len as f64 - 0.5)
    } else {
        // Rising over the type's range, not wrapping: index·2^bits/len − half of it.
        let range = T::LARGE * 2.0;
        T::from_f64((index as f64 / len as f64 - 0.5) * range)
    }
}

/// Box–Muller, from two random words.
fn normal(seed: u64, index: u64) -> f64 {
    let unit = |salt| {
        let bits = random(seed ^ salt, index);
        ((bits >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    };
    let (radius, angle) = (unit(0x6a09_e667_f3bc_c908), unit(0xbb67_ae85_84ca_a73b));
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

/// A word that depends on seed and index alone (SplitMix64 by Steele, Lea and Flood).
fn random(seed: u64, index: u64) -> u64 {
    let mut z = mix(seed).wrapping_add(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = mix(z);
    z
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use half::f16;

    use super::*;

    fn make<T: Element>(distribution: Distribution, len: usize) -> Vec<T> {
        generate(distribution, 7, len).expect("the host has the memory")
    }

    #[test]
    fn the_seed_decides() {
        let a: Vec<u64> = make(Distribution::Uniform, 100_000);
        assert_eq!(a, make::<u64>(Distribution::Uniform, 100_000));
        assert_eq!(a[..777], make::<u64>(Distribution::Uniform, 777));
        assert_ne!(
            a,
            generate::<u64>(Distribution::Uniform, 8, 100_000).expect("memory")
        );
    }

    #[test]
    fn uniform_floats_fill_their_interval() {
        let data: Vec<f64> = make(Distribution::Uniform, 100_000);
        assert!(data.iter().all(|x| (-1.0..1.0).contains(x)));
        let mean = data.iter().sum::<f64>() / data.len() as f64;
        assert!(mean.abs() < 0.01, "{mean}");
    }

    #[test]
    fn normal_floats_have_mean_and_spread() {
        let data: Vec<f32> = make(Distribution::Normal, 100_000);
        let mean = data.iter().map(|x| f64::from(*x)).sum::<f64>() / data.len() as f64;
        let square = data.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / data.len() as f64;
        assert!(
            mean.abs() < 0.02 && (square - 1.0).abs() < 0.02,
            "{mean} {square}"
        );
    }

    fn check_order<T: Element + PartialOrd>() {
        for len in [0, 1, 2, 1000] {
            assert!(make::<T>(Distribution::Sorted, len).is_sorted());
            assert!(
                make::<T>(Distribution::Reverse, len)
                    .iter()
                    .rev()
                    .is_sorted()
            );
        }
    }

    #[test]
    fn sorted_input_is_sorted() {
        check_order::<i8>();
        check_order::<i32>();
        check_order::<u32>();
        check_order::<u64>();
        check_order::<i64>();
        check_order::<f16>();
        check_order::<f32>();
        check_order::<f64>();
    }

    #[test]
    fn specials_are_among_them() {
        let data: Vec<f32> = make(Distribution::Specials, 10_000);
        assert!(data.iter().any(|x| x.is_nan()) && data.contains(&f32::NEG_INFINITY));
        let data: Vec<i32> = make(Distribution::Specials, 10_000);
        assert!(data.contains(&i32::MIN) && data.contains(&i32::MAX));
    }
}
