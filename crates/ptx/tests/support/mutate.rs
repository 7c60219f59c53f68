//! A fast mutator: pieces of real PTX with a few tokens or bytes changed.

/// Words that a mutation may put in: every family's, and the numbers on the edges.
const WORDS: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ";",
    ":",
    ",",
    "@",
    "!",
    "|",
    "+",
    "-",
    "*",
    "/",
    "%",
    "?",
    "=",
    "~",
    "_",
    "\"",
    "//",
    "/*",
    "*/",
    "\n",
    "\0",
    "é",
    "\u{1F980}",
    ".",
    "..",
    "::",
    ".reg",
    ".pred",
    ".b32",
    ".f64",
    ".b128",
    ".param",
    ".shared",
    ".const",
    ".global",
    ".local",
    ".entry",
    ".func",
    ".visible",
    ".extern",
    ".weak",
    ".common",
    ".align",
    ".ptr",
    ".loc",
    ".file",
    ".section",
    ".pragma",
    ".alias",
    ".version",
    ".target",
    ".address_size",
    ".reqntid",
    ".maxntid",
    ".noreturn",
    ".branchtargets",
    ".calltargets",
    ".callprototype",
    ".attribute",
    ".v2",
    ".v4",
    ".v8",
    ".cc",
    ".sat",
    ".ftz",
    ".rn",
    ".rzi",
    ".wide",
    ".lo",
    ".hi",
    ".sync",
    ".L2::cache_hint",
    ".mbarrier::complete_tx::bytes",
    ".shared::cluster",
    ".x",
    ".eq",
    ".ltu",
    "generic",
    "call",
    "bra",
    "brx",
    "ret",
    "mov",
    "add",
    "mad",
    "setp",
    "selp",
    "cvt",
    "ld",
    "st",
    "atom",
    "red",
    "shfl",
    "vote",
    "match",
    "bar",
    "barrier",
    "fence",
    "mbarrier",
    "cp",
    "prmt",
    "%tid",
    "%tid.x",
    "%laneid",
    "%r1",
    "%rd2",
    "%p1",
    "%f1",
    "%r<4>",
    "%r0",
    "%r4294967296",
    "0",
    "1",
    "-1",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "0x",
    "0xFFFFFFFFFFFFFFFF",
    "0b",
    "09",
    "0f3F800000",
    "0f",
    "0d1",
    "0d3FF0000000000000",
    "1.5",
    "1e999",
    "1U",
    "0xFF(",
    "sm_90",
    "8.0",
    "function_name",
    "inlined_at",
];

/// A small generator of random numbers; no crate is needed for this.
pub struct Random(u64);

impl Random {
    /// A generator; equal seeds give equal numbers.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// The next 64 bits (xorshift*).
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `bound`, or 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((self.next() >> 32) as usize)
            .checked_rem(bound)
            .unwrap_or(0)
    }
}

/// A text cut into a header, and into pieces that are about a function's statement long.
pub struct Seed<'a> {
    lines: Vec<&'a str>,
}

impl<'a> Seed<'a> {
    /// Cuts a text.
    pub fn new(text: &'a str) -> Seed<'a> {
        Seed {
            lines: text.split_inclusive('\n').collect(),
        }
    }

    /// Puts a mutated piece of the text into `out`.
    pub fn mutate(&self, random: &mut Random, out: &mut String) {
        out.clear();
        if random.below(16) != 0 {
            out.push_str(".version 8.0\n.target sm_90\n.address_size 64\n");
        }
        let count = 1 + random.below(24);
        let start = random.below(self.lines.len().saturating_sub(count));
        let inside = random.below(4) != 0;
        if inside {
            out.push_str(".entry k(.param .u64 a)\n{\n.reg .pred %p<9>; .reg .b32 %r<9>;\n");
            out.push_str(".reg .b64 %rd<9>; .reg .f32 %f<9>;\n");
        }
        self.lines
            .iter()
            .skip(start)
            .take(count)
            .for_each(|line| out.push_str(line));
        if inside {
            out.push_str("}\n");
        }
        for _ in 0..random.below(6) {
            one_change(random, out);
        }
    }
}

/// Removes, doubles, swaps or replaces a piece of the text.
fn one_change(random: &mut Random, text: &mut String) {
    let from = boundary(text, random.below(text.len() + 1));
    let span = if random.below(8) == 0 {
        random.below(200)
    } else {
        token_length(&text[from..])
    };
    let to = boundary(text, (from + span).min(text.len())).max(from);
    match random.below(7) {
        0 => text.replace_range(from..to, ""),
        1 => {
            let piece = text[from..to].to_owned();
            let at = boundary(text, random.below(text.len() + 1));
            text.insert_str(at, &piece);
        }
        2 => text.replace_range(from..to, WORDS[random.below(WORDS.len())]),
        3 => text.insert_str(from, WORDS[random.below(WORDS.len())]),
        4 => text.truncate(from),
        5 => {
            let byte = char::from(random.below(128) as u8);
            text.replace_range(from..to, byte.encode_utf8(&mut [0; 4]));
        }
        // A run of one word: nesting and long lists.
        _ => {
            let word = WORDS[random.below(WORDS.len())];
            text.insert_str(from, &word.repeat(1 + random.below(300)));
        }
    }
}

/// Length of the word at the start of `text`, at least one character.
fn token_length(text: &str) -> usize {
    let word = text
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
        .count();
    word.max(text.chars().next().map_or(0, char::len_utf8))
}

/// The nearest character boundary at or below `at`.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at)
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0)
}

/// Runs everything that takes a text or a module. Returns whether the text parsed.
///
/// # Panics
/// If a module that was printed does not parse to an equal one.
pub fn exercise(text: &str) -> bool {
    let module = match ptx::parse(text) {
        Ok(module) => module,
        Err(errors) => {
            assert!(!errors.as_slice().is_empty());
            std::hint::black_box(errors.render("text", text));
            return false;
        }
    };
    if let Err(errors) = module.check() {
        std::hint::black_box(errors.render("text", text));
    }
    for function in module.functions() {
        std::hint::black_box((function.param_layout(), function.lines(), function.locals()));
    }
    std::hint::black_box(module.opcode_histogram());
    let printed = module.to_string();
    match ptx::parse(&printed) {
        Ok(again) => assert!(
            again == module,
            "the round trip differs:\n{text}\n--\n{printed}"
        ),
        Err(errors) => panic!("printed text does not parse: {errors}\n{text}\n--\n{printed}"),
    }
    true
}
