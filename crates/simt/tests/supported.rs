//! Which instructions of the ISA's tables the emulator executes: every form of crates/ptx against
//! the decoder. `UPDATE_EXPECT=1` rewrites the list of those that it does not.

use expect_test::expect;
use simt::{Program, SimtError};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The forms that ptxas and crates/ptx take.
const FORMS: &str = include_str!("../../ptx/tests/data/accepted.txt");

fn outcome(instruction: &str) -> Result<(), SimtError> {
    let text = format!(
        ".version 9.2\n.target sm_100a\n.address_size 64\n.entry k(.param .u64 a)\n{{\n\
         .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b128 %q<9>;\n\
         .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .pred %p<9>; .reg .v2 .b32 v;\n\
         .shared .b32 tile[64];\nL:\nT: .branchtargets L;\n{instruction}\n}}\n"
    );
    let module = ptx::parse(&text).unwrap_or_else(|errors| panic!("{instruction}: {errors}"));
    Program::new(Arc::new(module)).prepare("k")
}

#[test]
fn forms_of_the_isa() {
    let (mut good, mut bad) = (0, BTreeMap::<String, usize>::new());
    for line in FORMS
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        match outcome(line) {
            Ok(()) => good += 1,
            Err(SimtError::Unsupported(_)) => {
                let opcode = line.split(['.', ' ', ';']).next().unwrap_or(line);
                let name = line.split([' ', ';']).next().unwrap_or(line);
                let long = ptx::Opcode::ALL.iter().map(|opcode| opcode.as_str());
                let named = long
                    .filter(|it| name.starts_with(*it))
                    .max_by_key(|it| it.len());
                *bad.entry(named.unwrap_or(opcode).to_owned()).or_default() += 1;
            }
            Err(other) => panic!("{line}: {other}"),
        }
    }
    let list: Vec<_> = bad
        .iter()
        .map(|(name, count)| format!("{name}: {count}\n"))
        .collect();
    expect![[r#"
        1116 forms are executed, not these:
        add: 1
        alloca: 3
        barrier.cluster.arrive: 4
        barrier.cluster.wait: 4
        cp.async.bulk: 10
        cp.async.bulk.commit_group: 1
        cp.async.bulk.prefetch: 2
        cp.async.bulk.wait_group: 2
        cp.async.mbarrier.arrive: 4
        cp.reduce.async.bulk: 25
        cvt: 14
        cvt.pack: 1
        fence.mbarrier_init: 1
        fence.proxy: 9
        getctarank: 1
        isspacep: 2
        lop3: 2
        mapa: 1
        mbarrier.arrive: 17
        mbarrier.arrive_drop: 18
        mbarrier.complete_tx: 6
        mbarrier.expect_tx: 6
        mbarrier.init: 2
        mbarrier.inval: 2
        mbarrier.pending_count: 1
        mbarrier.test_wait: 12
        mbarrier.try_wait: 13
        mov: 1
        red.async: 16
        st.async: 12
        stackrestore: 2
        stacksave: 3
    "#]]
    .assert_eq(&format!(
        "{good} forms are executed, not these:\n{}",
        list.concat()
    ));
}
