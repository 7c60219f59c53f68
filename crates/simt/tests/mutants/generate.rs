//! Mutated kernels: texts of the tests with a few lines or words changed, and kernels drawn from
//! the ISA's forms.

/// A generator of random numbers (SplitMix64): equal seeds give equal mutants.
#[derive(Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below `bound`, or 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 32).checked_rem(bound as u64).unwrap_or(0) as usize
    }

    /// True once in `n` times.
    pub(crate) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of a list.
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "3",
    "4",
    "5",
    "7",
    "8",
    "15",
    "16",
    "17",
    "31",
    "32",
    "33",
    "63",
    "64",
    "127",
    "128",
    "255",
    "256",
    "1000",
    "4095",
    "65535",
    "65536",
    "0x7fffffff",
    "0x80000000",
    "0xffffffff",
    "-2147483648",
    "0x7f0000000000",
    "0x7f00000000000000",
    "0x7f10000000000000",
    "0x7f20000000000000",
    "0x7f30000000000000",
    "0x6000000000000000",
    "0x7fffffffffffffff",
    "0x8000000000000000",
    "0xffffffffffffffff",
    "0f3F800000",
    "0f7FC00000",
    "0d7FF0000000000000",
];

const TYPES: &[&str] = &[
    "b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16",
    "f16x2", "bf16", "bf16x2", "f32", "f64", "pred", "v2", "v4", "v8",
];

const MODIFIERS: &[&str] = &[
    "global",
    "shared",
    "local",
    "const",
    "param",
    "shared::cta",
    "shared::cluster",
    "sync",
    "aligned",
    "wide",
    "lo",
    "hi",
    "sat",
    "ftz",
    "rn",
    "rz",
    "cc",
    "to",
    "volatile",
    "relaxed.gpu",
    "acquire.gpu",
    "release.gpu",
    "add",
    "min",
    "max",
    "and",
    "or",
    "xor",
    "exch",
    "cas",
    "inc",
    "up",
    "down",
    "bfly",
    "idx",
    "all",
    "any",
    "ballot",
    "uni",
    "red",
    "arrive",
    "popc",
    "eq",
    "lt",
    "geu",
    "nan",
    "parity",
    "expect_tx",
    "noinc",
    "clamp",
    "wrap",
    "trap",
];

/// Control flow, and what needs a special register.
const EXTRA: &[&str] = &[
    "bra L0;",
    "bra L1;",
    "bra L2;",
    "@%p1 bra L0;",
    "@!%p2 bra L1;",
    "@%p3 bra.uni L2;",
    "brx.idx %r1, T;",
    "exit;",
    "ret;",
    "trap;",
    "call f, (%r1);",
    "call (%r2), g, (%r1, %rd2);",
    "@%p1 call f, (%r1);",
    "mov.u64 %rd8, f; call %rd8, (%r1), P;",
    "call %rd4, (%r1), P;",
    "mov.u32 %r1, %tid.x;",
    "mov.u32 %r2, %laneid;",
    "mov.u32 %r3, %clock;",
    "mov.u64 %rd2, %globaltimer;",
    "mov.u32 %r4, %ctaid.x;",
    "setp.lt.u32 %p1, %r1, %r2;",
    "setp.ne.s32 %p2|%p3, %r1, 5;",
    "and.b32 %r1, %r1, 31;",
    "and.b64 %rd2, %rd2, 252; add.u64 %rd1, %rd1, %rd2;",
    "bar.sync 0;",
    "bar.warp.sync -1;",
    "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;",
    "vote.sync.ballot.b32 %r1, %p1, %r2;",
    "activemask.b32 %r5;",
    "redux.sync.add.u32 %r1, %r2, -1;",
    "nanosleep.u32 %r1;",
    "alloca.u64 %rd5, 64; st.local.u32 [%rd5], %r1;",
    "alloca.u64 %rd5, %rd2, 16;",
    "stacksave.u64 %rd6;",
    "stackrestore.u64 %rd6;",
    "call (%rd7), malloc, (%rd2);",
    "call (%rd7), malloc, (48); st.u32 [%rd7], %r1;",
    "call free, (%rd7);",
    "call (%r1), vprintf, (%rd1, %rd3);",
    "ld.u32 %r1, [%rd7];",
    "st.local.v4.u32 [%rd5], {%r1, %r2, %r3, %r4};",
    "ld.shared.u64 %rd2, [tile+8];",
    "atom.shared.add.u32 %r1, [tile+16], %r2;",
    "mbarrier.init.shared.b64 [barrier], 3;",
    "mbarrier.arrive.shared.b64 %rd2, [barrier];",
    "mbarrier.try_wait.parity.shared.b64 %p1, [barrier], 0;",
    "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [tile], 64;",
    "cp.async.ca.shared.global [tile+16], [%rd1], 16;",
    "st.bulk.shared::cta [tile], %rd2, 0;",
    "{ .reg .b32 %r1; mov.u32 %r1, 7; }",
];

/// A kernel of random instructions: most of one form of the ISA each.
pub(crate) fn drawn(random: &mut Random, forms: &[&str], out: &mut String) {
    out.push_str(
        ".version 9.2\n.target sm_100a\n.address_size 64\n\
         .const .align 8 .b32 fixed[4] = {1, 2, 3, 4};\n.global .align 8 .b32 moving[4];\n\
         .extern .func (.param .b64 r) malloc(.param .b64 a);\n\
         .extern .func free(.param .b64 a);\n\
         .extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n\
         .func f(.reg .b32 a) { .reg .b32 %r<4>; .local .b32 x[4]; st.local.b32 [x], a; ret; }\n\
         .func (.reg .b32 r) g(.reg .b32 a, .reg .b64 b) { .reg .pred %p;\n\
         setp.gt.u32 %p, a, 40; @%p bra E; add.u32 a, a, 9; call (r), g, (a, b);\n\
         E: mov.b32 r, a; ret; }\n\
         .entry k(.param .u64 a, .param .u64 b)\n{\n\
         .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b128 %q<9>;\n\
         .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .pred %p<9>; .reg .v2 .b32 v;\n\
         .shared .align 16 .b32 tile[64]; .shared .align 8 .b64 barrier; .local .b32 own[8];\n\
         T: .branchtargets L0, L1, L2;\nP: .callprototype _ (.reg .b32 _);\n",
    );
    // Registers that hold addresses and small numbers, most of the time.
    for k in 0..9 {
        let line = match random.below(8) {
            0 => format!("ld.param.u64 %rd{k}, [a];\n"),
            1 => format!("ld.param.u64 %rd{k}, [b];\n"),
            2 => format!("cvta.shared.u64 %rd{k}, tile;\n"),
            3 => format!("mov.u64 %rd{k}, tile;\n"),
            4 => format!("mov.u64 %rd{k}, own;\n"),
            5 => format!("mov.u64 %rd{k}, fixed;\n"),
            6 => format!("mov.u64 %rd{k}, {};\n", random.pick(&NUMBERS[..38])),
            _ => String::new(),
        };
        out.push_str(&line);
        if !random.once_in(4) {
            let value = random.pick(&NUMBERS[..29]);
            out.push_str(&format!("mov.u32 %r{k}, {value};\n"));
        }
        if !random.once_in(4) {
            out.push_str(&format!(
                "mov.u16 %h{k}, {};\n",
                random.pick(&NUMBERS[..24])
            ));
        }
    }
    let count = 1 + random.below(12);
    let labels: Vec<usize> = (0..3).map(|_| random.below(count + 1)).collect();
    for at in 0..=count {
        for (label, &place) in labels.iter().enumerate() {
            if place == at {
                out.push_str(&format!("L{label}:\n"));
            }
        }
        if random.once_in(6) {
            out.push_str(random.pick(&["@%p1 ", "@!%p2 ", "@%p3 "]));
        }
        let line = match random.below(3) {
            0 => random.pick(EXTRA),
            _ => random.pick(forms),
        };
        out.push_str(line);
        out.push('\n');
    }
    out.push_str("}\n");
}

/// Changes a text a few times.
pub(crate) fn mutate(random: &mut Random, text: &mut String) {
    for _ in 0..1 + random.below(4) {
        match random.below(8) {
            0 => lines(random, text, |random, lines, at| {
                let other = random.below(lines.len());
                lines.swap(at, other);
            }),
            1 => lines(random, text, |_, lines, at| {
                lines.remove(at);
            }),
            2 => lines(random, text, |random, lines, at| {
                let line = lines[at];
                let other = random.below(lines.len());
                lines.insert(other, line);
            }),
            3 => lines(random, text, |random, lines, at| {
                lines.insert(at, random.pick(EXTRA));
            }),
            _ => word(random, text),
        }
    }
}

fn lines(random: &mut Random, text: &mut String, f: impl Fn(&mut Random, &mut Vec<&str>, usize)) {
    let mut list: Vec<&str> = text.lines().collect();
    if list.len() < 6 {
        return;
    }
    // The header stays.
    let at = 3 + random.below(list.len() - 3);
    f(random, &mut list, at);
    let mut changed = list.join("\n");
    changed.push('\n');
    *text = changed;
}

/// Replaces a word by another of its kind.
fn word(random: &mut Random, text: &mut String) {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | ':');
    let start = text.len() / 8 + random.below(text.len().saturating_sub(text.len() / 8));
    let Some(from) = (start..text.len()).find(|&at| {
        text.is_char_boundary(at)
            && text[at..].starts_with(is_word)
            && !text[..at].ends_with(is_word)
    }) else {
        return;
    };
    let len = text[from..]
        .find(|c| !is_word(c))
        .unwrap_or(text.len() - from);
    let old = &text[from..from + len];
    let behind_dot = text[..from].ends_with('.');
    let new = if old.starts_with('%') {
        let (class, count) = random_class(random, old);
        format!("%{class}{}", random.below(count))
    } else if old.starts_with(|c: char| c.is_ascii_digit()) {
        random.pick(NUMBERS).to_owned()
    } else if behind_dot && TYPES.contains(&old) {
        random.pick(TYPES).to_owned()
    } else if behind_dot {
        random.pick(MODIFIERS).to_owned()
    } else {
        // A label, a variable or an opcode: another one of the text.
        let others: Vec<&str> = text
            .split(|c| !is_word(c))
            .filter(|other| !other.is_empty() && !other.starts_with('%'))
            .collect();
        random.pick(&others).to_owned()
    };
    text.replace_range(from..from + len, &new);
}

/// A class of registers: mostly that of the old one.
fn random_class(random: &mut Random, old: &str) -> (String, usize) {
    let class: String = old[1..]
        .chars()
        .take_while(|c| c.is_ascii_alphabetic())
        .collect();
    if random.once_in(6) {
        let other = random.pick(&["r", "rd", "p", "f", "fd", "h", "rs", "q"]);
        return (other.to_owned(), 4);
    }
    (class, 12)
}
