//! The dotted words behind a mnemonic, each as a value of its family.
//!
//! A few words mean different things to different instructions (`.lo` is a comparison to `setp`
//! and a half of the product to `mul`), so a word is read with the opcode in view.

use crate::words::words;
use crate::{Opcode, ScalarType, StateSpace, VectorWidth};
use smol_str::SmolStr;
use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

/// One modifier of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Modifier {
    /// `.s32`, `.f16x2`, …
    Type(ScalarType),
    /// `.global`, `.shared::cta`, …
    Space(StateSpace),
    /// `.v2`, `.v4`, `.v8`
    Vector(VectorWidth),
    /// `.rn`, `.rzi`, …
    Rounding(Rounding),
    /// `.eq`, `.ltu`, … of `set` and `setp`.
    Compare(Compare),
    /// `.add`, `.xor`, `.cas`, …: what `atom`, `red`, `redux`, `bar.red` compute, and how `setp`
    /// combines its result with a predicate.
    Op(Operation),
    /// `.lo`, `.hi`, `.wide` of a product, or of `dp2a`.
    Part(Part),
    /// `.cta`, `.gpu`, `.sys`, …
    Scope(Scope),
    /// `.relaxed`, `.acquire`, `.volatile`, …
    Order(Order),
    /// `.ca`, `.cg`, `.wt`, …
    Cache(CacheOperator),
    /// `.L1::evict_last`, `.L2::128B`, `.L2::cache_hint`, …
    Hint(CacheHint),
    /// `.up`, `.down`, `.bfly`, `.idx` of `shfl`.
    Shuffle(ShuffleMode),
    /// `.all`, `.any`, `.uni`, `.ballot` of `vote` and `match`.
    Vote(VoteMode),
    /// `.f4e`, `.b4e`, … of `prmt`.
    Permute(PermuteMode),
    /// `.finite`, `.normal`, … of `testp`.
    Class(FloatClass),
    /// Every other word that the ISA's compute instructions know.
    Flag(Flag),
    /// A word that this crate does not know; instructions of the tensor families have many.
    Other(SmolStr),
}

words! {
    /// Rounding modes, of float results and (with `i`) to an integral value.
    Rounding {
        /// To nearest, ties to even.
        Rn = "rn",
        /// Towards zero.
        Rz = "rz",
        /// Towards −∞.
        Rm = "rm",
        /// Towards +∞.
        Rp = "rp",
        /// To nearest, ties away from zero.
        Rna = "rna",
        /// Stochastic.
        Rs = "rs",
        /// To the nearest integer, ties to even.
        Rni = "rni",
        /// To an integer, towards zero.
        Rzi = "rzi",
        /// To an integer, towards −∞.
        Rmi = "rmi",
        /// To an integer, towards +∞.
        Rpi = "rpi",
    }
}

words! {
    /// Comparisons (PTX ISA 9.3.1).
    Compare {
        Eq = "eq", Ne = "ne", Lt = "lt", Le = "le", Gt = "gt", Ge = "ge",
        /// Unsigned less than.
        Lo = "lo",
        /// Unsigned less or same.
        Ls = "ls",
        /// Unsigned greater than.
        Hi = "hi",
        /// Unsigned greater or same.
        Hs = "hs",
        /// Equal or unordered; so are the others with a final `u`.
        Equ = "equ", Neu = "neu", Ltu = "ltu", Leu = "leu", Gtu = "gtu", Geu = "geu",
        /// Neither is NaN.
        Num = "num",
        /// Either is NaN.
        Nan = "nan",
    }
}

words! {
    /// What an atomic, a reduction or a predicate combination computes.
    Operation {
        Add = "add", Min = "min", Max = "max", Inc = "inc", Dec = "dec",
        And = "and", Or = "or", Xor = "xor", Exch = "exch", Cas = "cas", Popc = "popc",
    }
}

words! {
    /// Which part of a product is wanted.
    Part { Lo = "lo", Hi = "hi", Wide = "wide", }
}

words! {
    /// Scopes of the memory model (PTX ISA 8.5), and `.gl` of the old `membar`.
    Scope { Cta = "cta", Cluster = "cluster", Gpu = "gpu", Sys = "sys", Gl = "gl", }
}

words! {
    /// Memory semantics of an access or a fence.
    Order {
        Weak = "weak", Relaxed = "relaxed", Acquire = "acquire", Release = "release",
        AcqRel = "acq_rel", Sc = "sc", Volatile = "volatile", Mmio = "mmio",
    }
}

words! {
    /// Cache operators (PTX ISA 9.7.9.1).
    CacheOperator {
        Ca = "ca", Cg = "cg", Cs = "cs", Lu = "lu", Cv = "cv", Wb = "wb", Wt = "wt",
    }
}

words! {
    /// Eviction priorities and prefetch sizes (PTX ISA 9.7.9.2); hints without effect on values.
    CacheHint {
        L1EvictNormal = "L1::evict_normal", L1EvictUnchanged = "L1::evict_unchanged",
        L1EvictFirst = "L1::evict_first", L1EvictLast = "L1::evict_last",
        L1NoAllocate = "L1::no_allocate",
        L2EvictNormal = "L2::evict_normal", L2EvictUnchanged = "L2::evict_unchanged",
        L2EvictFirst = "L2::evict_first", L2EvictLast = "L2::evict_last",
        L2CacheHint = "L2::cache_hint",
        L2Prefetch64 = "L2::64B", L2Prefetch128 = "L2::128B", L2Prefetch256 = "L2::256B",
        L1 = "L1", L2 = "L2",
    }
}

words! {
    /// Where a lane of a shuffle reads from.
    ShuffleMode { Up = "up", Down = "down", Bfly = "bfly", Idx = "idx", }
}

words! {
    /// Modes of `vote` and `match`.
    VoteMode { All = "all", Any = "any", Uni = "uni", Ballot = "ballot", }
}

words! {
    /// Modes of `prmt` other than the general one.
    PermuteMode { F4e = "f4e", B4e = "b4e", Rc8 = "rc8", Ecl = "ecl", Ecr = "ecr", Rc16 = "rc16", }
}

words! {
    /// Properties that `testp` asks for.
    FloatClass {
        Finite = "finite", Infinite = "infinite", Number = "number", Notanumber = "notanumber",
        Normal = "normal", Subnormal = "subnormal",
    }
}

words! {
    /// Modifiers that are a family of their own.
    Flag {
        /// Subnormal inputs and results become zero.
        Ftz = "ftz",
        /// Clamps to the type's range, or to 0…1 for floats.
        Sat = "sat",
        Satfinite = "satfinite", Relu = "relu", Noftz = "noftz",
        Approx = "approx", Full = "full",
        /// Writes or reads the carry.
        Cc = "cc",
        Sync = "sync", Aligned = "aligned", Arrive = "arrive", Red = "red", Wait = "wait",
        /// Every active thread goes the same way.
        Uni = "uni",
        /// Through the read-only data cache.
        Nc = "nc",
        Unified = "unified", To = "to", Abs = "abs",
        /// NaN wins in `min` and `max`.
        NaN = "NaN",
        XorSign = "xorsign", Shiftamt = "shiftamt", Left = "l", Right = "r",
        Wrap = "wrap", Clamp = "clamp", All = "all", Any = "any",
        Async = "async", Bulk = "bulk", Mbarrier = "mbarrier", Noinc = "noinc",
        Parity = "parity", NoComplete = "noComplete", Read = "read", BulkGroup = "bulk_group",
        CompleteTx = "mbarrier::complete_tx::bytes", Multicast = "multicast::cluster",
        CpMask = "cp_mask", IgnoreOob = "ignore_oob",
        Proxy = "proxy", Alias = "alias", Generic = "generic",
        ProxyTensormap = "tensormap::generic", MbarrierInit = "mbarrier_init",
        SyncRestrictCta = "sync_restrict::shared::cta",
        SyncRestrictCluster = "sync_restrict::shared::cluster",
        ProxyAsync = "async::generic", ProxyAsyncGlobal = "async::global",
        ProxyAsyncShared = "async::shared::cta",
        ProxyAsyncCluster = "async::shared::cluster",
        ExpectTx = "expect_tx", Oob = "oob", PlusOne = "po", Shr7 = "shr7", Shr15 = "shr15", Mask = "mask", Tensormap = "tensormap",
        LaunchDependents = "launch_dependents",
        Inc = "inc", Dec = "dec", Fractional = "fractional", Range = "range", Cvt = "cvt",
    }
}

/// Words that mean the same to every instruction.
static COMMON: LazyLock<HashMap<&'static str, Modifier>> = LazyLock::new(|| {
    let mut table = HashMap::new();
    fn fill<T: Copy>(
        table: &mut HashMap<&'static str, Modifier>,
        all: &'static [T],
        word: fn(T) -> &'static str,
        make: fn(T) -> Modifier,
    ) {
        for &item in all {
            table.entry(word(item)).or_insert_with(|| make(item));
        }
    }
    fill(
        &mut table,
        ScalarType::ALL,
        ScalarType::as_str,
        Modifier::Type,
    );
    fill(
        &mut table,
        StateSpace::ALL,
        StateSpace::as_str,
        Modifier::Space,
    );
    fill(
        &mut table,
        VectorWidth::ALL,
        VectorWidth::as_str,
        Modifier::Vector,
    );
    fill(
        &mut table,
        Rounding::ALL,
        Rounding::as_str,
        Modifier::Rounding,
    );
    fill(&mut table, Scope::ALL, Scope::as_str, Modifier::Scope);
    fill(&mut table, Order::ALL, Order::as_str, Modifier::Order);
    fill(
        &mut table,
        CacheOperator::ALL,
        CacheOperator::as_str,
        Modifier::Cache,
    );
    fill(
        &mut table,
        CacheHint::ALL,
        CacheHint::as_str,
        Modifier::Hint,
    );
    fill(&mut table, Part::ALL, Part::as_str, Modifier::Part);
    fill(
        &mut table,
        PermuteMode::ALL,
        PermuteMode::as_str,
        Modifier::Permute,
    );
    fill(
        &mut table,
        FloatClass::ALL,
        FloatClass::as_str,
        Modifier::Class,
    );
    fill(&mut table, Flag::ALL, Flag::as_str, Modifier::Flag);
    fill(&mut table, Operation::ALL, Operation::as_str, Modifier::Op);
    table
});

impl Modifier {
    /// Reads one dotted word, given without its dot, behind `opcode`.
    #[must_use]
    pub fn from_word(opcode: &Opcode, word: &str) -> Modifier {
        let special = match opcode {
            Opcode::Set | Opcode::Setp | Opcode::Vset | Opcode::Vset2 | Opcode::Vset4 => {
                Compare::from_word(word).map(Modifier::Compare)
            }
            Opcode::Shfl => ShuffleMode::from_word(word).map(Modifier::Shuffle),
            Opcode::Vote | Opcode::Match => VoteMode::from_word(word).map(Modifier::Vote),
            Opcode::Atom | Opcode::Red | Opcode::RedAsync | Opcode::CpReduceAsyncBulk => {
                Operation::from_word(word).map(Modifier::Op)
            }
            _ => None,
        };
        special
            .or_else(|| COMMON.get(word).cloned())
            .unwrap_or_else(|| Modifier::Other(SmolStr::new(word)))
    }

    /// The word without its dot.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Modifier::Type(it) => it.as_str(),
            Modifier::Space(it) => it.as_str(),
            Modifier::Vector(it) => it.as_str(),
            Modifier::Rounding(it) => it.as_str(),
            Modifier::Compare(it) => it.as_str(),
            Modifier::Op(it) => it.as_str(),
            Modifier::Part(it) => it.as_str(),
            Modifier::Scope(it) => it.as_str(),
            Modifier::Order(it) => it.as_str(),
            Modifier::Cache(it) => it.as_str(),
            Modifier::Hint(it) => it.as_str(),
            Modifier::Shuffle(it) => it.as_str(),
            Modifier::Vote(it) => it.as_str(),
            Modifier::Permute(it) => it.as_str(),
            Modifier::Class(it) => it.as_str(),
            Modifier::Flag(it) => it.as_str(),
            Modifier::Other(it) => it.as_str(),
        }
    }
}

impl fmt::Display for Modifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
