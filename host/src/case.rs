//! Cases: each runs one piece of GPU work on some input, and says what the result should be.
//!
//! A case is written once as a function over [`Cx`], which gives it the input, times the CPU
//! baseline and the device, and keeps what was measured:
//!
//! ```no_run
//! use lockstep::case::{Case, Cx, Traffic};
//! use lockstep::compare::{self, Comparison};
//! use lockstep::{Dtype, Error, LaunchConfig};
//!
//! fn sum_u32() -> Case {
//!     Case::new("reduce/sum/u32", "reduce", Dtype::U32, run)
//!         .about("Sum of an array")
//!         .kernels(["reduce_sum_u32"])
//!         .traffic(|n| Traffic { read: 4 * n, written: 4 })
//! }
//!
//! fn run(cx: &mut Cx<'_>) -> Result<Option<Comparison>, Error> {
//!     let data = cx.input::<u32>()?;
//!     let total = |data: &[u32]| data.iter().fold(0_u32, |sum, x| sum.wrapping_add(*x));
//!     let expected = cx.baseline(|| total(&data), |parallel| {
//!         compare::exact("sum", &[*parallel], &[total(&data)])
//!     })?;
//!     let Some(device) = cx.device() else { return Ok(None) };
//!     let input = device.upload(&data)?;
//!     let output = device.alloc::<u32>(1)?;
//!     cx.measure(|| {
//!         let args = [input.as_slice(), output.as_arg()];
//!         // SAFETY: the kernel reads its slice and writes one element.
//!         unsafe { device.launch("reduce_sum_u32", LaunchConfig::linear(1, 256), &args) }
//!     })?;
//!     Ok(Some(compare::exact("sum", &output.download()?, &[expected])))
//! }
//! ```

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::OnceLock;

use serde::Serialize;

mod context;

pub use context::{Cx, Plan};

use crate::compare::Comparison;
use crate::input::Dtype;
use crate::{Error, names};

/// Bytes that a case must move, whatever the algorithm: what its throughput is counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Traffic {
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
}

impl Traffic {
    /// Read and written together.
    pub fn total(&self) -> u64 {
        self.read + self.written
    }
}

/// Which n a case takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sizes {
    /// Any, 0 too.
    Any,
    /// At least this.
    AtLeast(u64),
    /// At most this: where the work grows faster than n, or the index type ends.
    AtMost(u64),
    /// This one only: demonstrations.
    Fixed(u64),
}

type Run = dyn Fn(&mut Cx<'_>) -> Result<Option<Comparison>, Error> + Send + Sync;
type TrafficOf = dyn Fn(u64) -> Traffic + Send + Sync;

/// One piece of GPU work with its CPU baseline.
pub struct Case {
    name: Cow<'static, str>,
    group: &'static str,
    about: Cow<'static, str>,
    dtype: Dtype,
    kernels: Vec<Cow<'static, str>>,
    sizes: Sizes,
    hidden: bool,
    must_fail: bool,
    traffic: Option<Box<TrafficOf>>,
    run: Box<Run>,
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Case")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Case {
    /// A case: its path-like name (`reduce/sum/f32`), its group, the type of its elements, and
    /// what it does.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        group: &'static str,
        dtype: Dtype,
        run: impl Fn(&mut Cx<'_>) -> Result<Option<Comparison>, Error> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            group,
            about: Cow::Borrowed(""),
            dtype,
            kernels: Vec::new(),
            sizes: Sizes::Any,
            hidden: false,
            must_fail: false,
            traffic: None,
            run: Box::new(run),
        }
    }

    /// What it does, in one line.
    #[must_use]
    pub fn about(mut self, about: impl Into<Cow<'static, str>>) -> Self {
        self.about = about.into();
        self
    }

    /// The kernels that it launches, as their PTX names them.
    #[must_use]
    pub fn kernels<K: Into<Cow<'static, str>>>(
        mut self,
        kernels: impl IntoIterator<Item = K>,
    ) -> Self {
        self.kernels = kernels.into_iter().map(Into::into).collect();
        self
    }

    /// The bytes that it must move for n elements; without it the report shows no throughput.
    #[must_use]
    pub fn traffic(mut self, of: impl Fn(u64) -> Traffic + Send + Sync + 'static) -> Self {
        self.traffic = Some(Box::new(of));
        self
    }

    /// Which n it takes.
    #[must_use]
    pub fn sizes(mut self, sizes: Sizes) -> Self {
        self.sizes = sizes;
        self
    }

    /// Runs only when named in full: deliberately broken kernels, experiments that hang.
    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// Its result must be wrong: a broken kernel that shows that the comparison catches it.
    #[must_use]
    pub fn must_fail(mut self) -> Self {
        self.must_fail = true;
        self.hidden()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The group that it belongs to.
    pub fn group(&self) -> &'static str {
        self.group
    }

    /// What it does.
    pub fn summary(&self) -> &str {
        &self.about
    }

    /// The type of its elements.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// The kernels that it launches.
    pub fn kernel_names(&self) -> impl Iterator<Item = &str> {
        self.kernels.iter().map(Cow::as_ref)
    }

    /// Which n it takes.
    pub fn size_rule(&self) -> Sizes {
        self.sizes
    }

    /// Whether it runs only when named in full.
    pub fn is_hidden(&self) -> bool {
        self.hidden
    }

    /// Whether its result must be wrong.
    pub fn is_broken(&self) -> bool {
        self.must_fail
    }

    /// The bytes that it must move for n elements; `None` for more elements than any memory holds.
    pub fn traffic_of(&self, n: u64) -> Option<Traffic> {
        const MOST: u64 = 1 << 48;
        let of = self.traffic.as_ref().filter(|_| n <= MOST)?;
        Some(of(n))
    }

    /// Runs it. `None` means that there was no device: the baseline alone was run and checked.
    pub fn run(&self, cx: &mut Cx<'_>) -> Result<Option<Comparison>, Error> {
        (self.run)(cx)
    }
}

/// All cases, in the order of the report.
pub fn all() -> &'static [Case] {
    static ALL: OnceLock<Vec<Case>> = OnceLock::new();
    ALL.get_or_init(crate::cases::all)
}

/// The cases that match any of the patterns (`*` and `?` are wildcards; a pattern also selects
/// everything below it: `reduce` means `reduce/*`). None means all. Hidden ones must be named in
/// full.
pub fn find(patterns: &[String]) -> Result<Vec<&'static Case>, Error> {
    select(all(), patterns)
}

fn select<'a>(cases: &'a [Case], patterns: &[String]) -> Result<Vec<&'a Case>, Error> {
    let selected = |pattern: &str, case: &Case| {
        let below = || names::matches(&format!("{pattern}/*"), case.name());
        case.name() == pattern
            || (!case.hidden && (names::matches(pattern, case.name()) || below()))
    };
    for pattern in patterns {
        if !cases.iter().any(|case| selected(pattern, case)) {
            // A name of several levels names those above it too.
            let names = cases.iter().flat_map(|case| {
                let levels = case.name().match_indices('/').map(|(at, _)| at);
                levels.map(|at| &case.name()[..at]).chain([case.name()])
            });
            let names: BTreeSet<&str> = names.collect();
            return Err(Error::UnknownCase {
                name: pattern.clone(),
                suggestions: names::nearest(pattern, names.into_iter()),
            });
        }
    }
    let wanted = |case: &&Case| match patterns {
        [] => !case.hidden,
        patterns => patterns.iter().any(|pattern| selected(pattern, case)),
    };
    Ok(cases.iter().filter(wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases() -> Vec<Case> {
        let case = |name| Case::new(name, "test", Dtype::I32, |_| Ok(None));
        vec![
            case("reduce/sum/i32"),
            case("reduce/sum/f32"),
            case("scan/i32"),
            case("bad").hidden(),
        ]
    }

    fn check(patterns: &[&str], expected: &[&str]) {
        let cases = cases();
        let patterns: Vec<String> = patterns.iter().map(|p| (*p).to_owned()).collect();
        let found = select(&cases, &patterns).expect("every pattern matches");
        assert_eq!(
            found.iter().map(|case| case.name()).collect::<Vec<_>>(),
            expected
        );
    }

    #[test]
    fn patterns_select_cases() {
        check(&[], &["reduce/sum/i32", "reduce/sum/f32", "scan/i32"]);
        check(&["*"], &["reduce/sum/i32", "reduce/sum/f32", "scan/i32"]);
        check(&["reduce"], &["reduce/sum/i32", "reduce/sum/f32"]);
        check(&["*i32"], &["reduce/sum/i32", "scan/i32"]);
        check(&["bad", "scan/i32"], &["scan/i32", "bad"]);
    }

    #[test]
    fn an_unknown_name_gets_a_suggestion() {
        let error = select(&cases(), &["scan/i3".to_owned()]).expect_err("no such case");
        assert_eq!(
            error.to_string(),
            "no case matches `scan/i3`; did you mean scan/i32?"
        );
        let error = select(&cases(), &["redcue/sum".to_owned()]).expect_err("no such group");
        assert_eq!(
            error.to_string(),
            "no case matches `redcue/sum`; did you mean reduce/sum?"
        );
    }
}
