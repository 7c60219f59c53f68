//! The emulator's drivers for older hosts: the tables of `instructions/` again, without the newest
//! vector units. One test, because the limit is the process's.

mod support;

use simt::{HostVectors, limit_host_vectors};
use support::run_table::table;

#[test]
fn every_instruction_on_older_hosts() {
    let tables = [
        ("integer", include_str!("instructions/integer.txt")),
        ("bits", include_str!("instructions/bits.txt")),
        ("float", include_str!("instructions/float.txt")),
        ("compare", include_str!("instructions/compare.txt")),
        ("convert", include_str!("instructions/convert.txt")),
        ("half", include_str!("instructions/half.txt")),
        ("video", include_str!("instructions/video.txt")),
    ];
    for limit in [HostVectors::Avx2, HostVectors::Least] {
        limit_host_vectors(limit);
        for (name, text) in tables {
            table(&format!("{name}.txt, {limit:?}"), text);
        }
    }
}
