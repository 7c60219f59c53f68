//! The cases, by family: every kernel with its CPU baseline.

mod arg;
mod broken;
mod compact;
mod dot;
mod faults;
mod histogram;
mod ladder;
mod launches;
mod programs;
mod scalar;
mod scan;
mod segmented;
mod warp_block;

use crate::case::Case;

/// All cases, in the order of the report.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = programs::all();
    cases.extend(warp_block::all());
    cases.extend(ladder::all());
    cases.extend(ladder::unaligned());
    cases.extend(arg::all());
    cases.extend(dot::all());
    cases.extend(scan::all());
    cases.extend(compact::all());
    cases.extend(histogram::all());
    cases.extend(segmented::all());
    cases.extend(broken::all());
    cases.extend(faults::all());
    cases
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_say_their_type_or_subject() {
        let cases = all();
        let names: BTreeSet<&str> = cases.iter().map(Case::name).collect();
        assert_eq!(names.len(), cases.len());
        for case in &cases {
            assert!(!case.summary().is_empty(), "{} has no summary", case.name());
            assert!(
                case.kernel_names().count() > 0,
                "{} has no kernel",
                case.name()
            );
        }
    }

    #[test]
    fn every_kernel_of_every_case_is_in_every_image() {
        assert!(!crate::IMAGES.is_empty());
        for image in crate::IMAGES {
            let entries = crate::device::entry_contracts(image.ptx);
            for case in all() {
                for kernel in case.kernel_names() {
                    assert!(entries.contains_key(kernel), "{kernel} in sm_{}", image.sm);
                }
            }
        }
    }

    #[test]
    fn every_kernel_has_a_case() {
        let cases = all();
        let used: BTreeSet<&str> = cases.iter().flat_map(Case::kernel_names).collect();
        let image = crate::IMAGES.first().expect("at least one architecture");
        for kernel in crate::device::entry_contracts(image.ptx).keys() {
            let measures = kernel == crate::device::ceiling::READ_KERNEL;
            assert!(
                measures || used.contains(kernel.as_str()),
                "no case launches {kernel}"
            );
        }
    }

    #[test]
    fn wrong_kernels_run_only_by_name() {
        for case in all() {
            let name = case.name();
            let wrong = case.group() == "broken" || name.ends_with("/faulty");
            assert_eq!(case.is_hidden(), wrong, "{name}");
            assert_eq!(case.is_broken(), case.group() == "broken", "{name}");
        }
    }
}
