//! The cases, by family.

use crate::case::Case;

/// All cases, in the order of the report.
pub(crate) fn all() -> Vec<Case> {
    Vec::new()
}
