//! The record of one case at one n.

use std::time::Duration;

use serde::Serialize;

use crate::compare::Comparison;
use crate::input::Dtype;
use crate::{Case, Device};

/// One case at one n.
#[derive(Debug, Clone, Serialize)]
pub struct Record {
    /// The case's name.
    pub case: String,
    /// Its group.
    pub group: &'static str,
    /// The type of its elements.
    pub dtype: Dtype,
    /// Elements of the input.
    pub n: u64,
    /// Bytes that the work must read and write.
    pub bytes: Option<u64>,
    /// `cuda`, `simt`, or absent where the CPU alone worked.
    pub device: Option<&'static str>,
    /// Event times of the device's work: of a GPU only.
    pub gpu: Option<Times>,
    /// `bytes` over the median event time, in 10^9 bytes a second.
    pub gb_per_s: Option<f64>,
    /// That, as a share of the ceiling that the report names.
    pub ceiling_share: Option<f64>,
    /// Wall times of the parallel CPU baseline.
    pub cpu: Option<Times>,
    /// In how many chunks the input went through the device.
    pub chunks: usize,
    /// How the result compares with what it should be.
    pub comparison: Option<Comparison>,
    /// What to make of it.
    pub verdict: Verdict,
    /// What else the case says.
    pub notes: Vec<String>,
}

impl Record {
    pub(crate) fn new(case: &Case, device: Option<&Device>, n: u64) -> Self {
        Self {
            case: case.name().to_owned(),
            group: case.group(),
            dtype: case.dtype(),
            n,
            bytes: case.traffic_of(n).map(|traffic| traffic.total()),
            device: device.map(|device| device.info().kind),
            gpu: None,
            gb_per_s: None,
            ceiling_share: None,
            cpu: None,
            chunks: 1,
            comparison: None,
            verdict: Verdict::BaselineOnly,
            notes: Vec::new(),
        }
    }

    /// CPU time over GPU time.
    pub fn ratio(&self) -> Option<f64> {
        let (cpu, gpu) = (self.cpu.as_ref()?, self.gpu.as_ref()?);
        let ratio = cpu.median_s / gpu.median_s;
        ratio.is_finite().then_some(ratio)
    }
}

/// What to make of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum Verdict {
    /// The device's result is what it should be.
    Equal,
    /// It is not.
    Wrong,
    /// There was no device; the CPU baseline agrees with the sequential one.
    BaselineOnly,
    /// The case does not take this input.
    Skipped {
        /// Why not.
        reason: String,
    },
    /// The kernel or a baseline failed.
    Failed {
        /// What was said.
        message: String,
        /// Whether the device can do no more in this process.
        lost: bool,
    },
    /// The machine lacks what the case needs.
    Environment {
        /// What it lacks.
        message: String,
    },
}

impl Verdict {
    /// Whether a result is wrong, or did not come because of a fault in the program.
    pub fn is_wrong(&self) -> bool {
        matches!(self, Self::Wrong | Self::Failed { .. })
    }

    /// One word for the table.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Wrong => "WRONG",
            Self::BaselineOnly => "CPU only",
            Self::Skipped { .. } => "skipped",
            Self::Failed { .. } => "FAILED",
            Self::Environment { .. } => "not run",
        }
    }
}

/// Repeated times of the same work, in seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Times {
    /// The median.
    pub median_s: f64,
    /// The first and the third quartile.
    pub quartiles_s: (f64, f64),
    /// The shortest.
    pub min_s: f64,
    /// The longest.
    pub max_s: f64,
    /// How many.
    pub reps: usize,
}

impl Times {
    /// The statistics of some times; `None` of none.
    pub fn of(times: &[Duration]) -> Option<Self> {
        let mut sorted: Vec<f64> = times.iter().map(Duration::as_secs_f64).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let (min_s, max_s) = (*sorted.first()?, *sorted.last()?);
        Some(Self {
            median_s: quantile(&sorted, 0.5),
            quartiles_s: (quantile(&sorted, 0.25), quantile(&sorted, 0.75)),
            min_s,
            max_s,
            reps: sorted.len(),
        })
    }

    /// The median as a duration.
    pub fn median(&self) -> Duration {
        Duration::from_secs_f64(self.median_s)
    }

    /// Half the distance between the quartiles, as a share of the median.
    pub fn spread(&self) -> f64 {
        let half = (self.quartiles_s.1 - self.quartiles_s.0) / 2.0;
        if self.median_s > 0.0 {
            half / self.median_s
        } else {
            0.0
        }
    }
}

/// The value below which a share `q` lies, between two neighbours in proportion.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let place = q * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(millis: &[u64], median: f64, quartiles: (f64, f64)) {
        let times: Vec<_> = millis.iter().map(|ms| Duration::from_millis(*ms)).collect();
        let times = Times::of(&times).expect("some times");
        let near = |a: f64, b: f64| (a * 1e3 - b).abs() < 1e-9;
        assert!(near(times.median_s, median), "{times:?}");
        assert!(near(times.quartiles_s.0, quartiles.0) && near(times.quartiles_s.1, quartiles.1));
    }

    #[test]
    fn statistics_are_those_of_the_sorted_times() {
        check(&[5], 5.0, (5.0, 5.0));
        check(&[4, 2], 3.0, (2.5, 3.5));
        check(&[9, 1, 5, 3, 7], 5.0, (3.0, 7.0));
        assert_eq!(Times::of(&[]), None);
    }
}
