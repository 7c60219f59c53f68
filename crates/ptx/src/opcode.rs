//! Mnemonics.
//!
//! Where the ISA's instruction is named by several dotted words (`bar.warp.sync`,
//! `cp.async.bulk`, `mbarrier.test_wait`), the opcode takes the leading words that name it and the
//! rest are modifiers.

use smol_str::SmolStr;
use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

macro_rules! opcodes {
    ($($variant:ident = $text:literal,)*) => {
        /// What an instruction does.
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Opcode {
            $(#[doc = concat!("`", $text, "`")] $variant,)*
            /// An instruction that is parsed but not modelled: texture, surface and matrix
            /// instructions, and what future versions of the ISA add. Holds its first word.
            Other(SmolStr),
        }

        impl Opcode {
            /// Every modelled opcode, in the order of declaration.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$variant,)*];

            /// The mnemonic, all its words.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Opcode::$variant => $text,)*
                    Opcode::Other(word) => word.as_str(),
                }
            }
        }
    };
}

opcodes! {
    // 9.7.1 Integer arithmetic
    Add = "add", Sub = "sub", Mul = "mul", Mad = "mad", Mul24 = "mul24", Mad24 = "mad24",
    Sad = "sad", Div = "div", Rem = "rem", Abs = "abs", Neg = "neg", Min = "min", Max = "max",
    Popc = "popc", Clz = "clz", Bfind = "bfind", Fns = "fns", Brev = "brev", Bfe = "bfe",
    Bfi = "bfi", Bmsk = "bmsk", Szext = "szext", Dp4a = "dp4a", Dp2a = "dp2a",
    // 9.7.2 Extended precision
    Addc = "addc", Subc = "subc", Madc = "madc",
    // 9.7.3 Floating point
    Testp = "testp", Copysign = "copysign", Fma = "fma", Rcp = "rcp",
    Sqrt = "sqrt", Rsqrt = "rsqrt", Sin = "sin", Cos = "cos", Lg2 = "lg2",
    Ex2 = "ex2", Tanh = "tanh",
    // 9.7.6 Comparison and selection, 9.7.8 logic and shifts
    Set = "set", Setp = "setp", Selp = "selp", Slct = "slct",
    And = "and", Or = "or", Xor = "xor", Not = "not", Cnot = "cnot", Lop3 = "lop3",
    Shf = "shf", Shl = "shl", Shr = "shr",
    // 9.7.9 Data movement and conversion
    Mov = "mov", Shfl = "shfl", Prmt = "prmt", Ld = "ld", Ldu = "ldu", St = "st",
    StAsync = "st.async", StBulk = "st.bulk", Prefetch = "prefetch", Prefetchu = "prefetchu",
    Isspacep = "isspacep", Cvta = "cvta", Cvt = "cvt", CvtPack = "cvt.pack", Mapa = "mapa",
    Getctarank = "getctarank", Applypriority = "applypriority", Discard = "discard",
    Createpolicy = "createpolicy",
    CpAsync = "cp.async", CpAsyncCommitGroup = "cp.async.commit_group",
    CpAsyncWaitGroup = "cp.async.wait_group", CpAsyncWaitAll = "cp.async.wait_all",
    CpAsyncMbarrierArrive = "cp.async.mbarrier.arrive",
    CpAsyncBulk = "cp.async.bulk", CpAsyncBulkCommitGroup = "cp.async.bulk.commit_group",
    CpAsyncBulkWaitGroup = "cp.async.bulk.wait_group",
    CpAsyncBulkPrefetch = "cp.async.bulk.prefetch", CpReduceAsyncBulk = "cp.reduce.async.bulk",
    // 9.7.12 Control flow
    Bra = "bra", BrxIdx = "brx.idx", Call = "call", Ret = "ret", Exit = "exit",
    // 9.7.13 Synchronisation and communication
    Bar = "bar", BarWarpSync = "bar.warp.sync", Barrier = "barrier",
    BarrierClusterArrive = "barrier.cluster.arrive", BarrierClusterWait = "barrier.cluster.wait",
    Membar = "membar", Fence = "fence", FenceProxy = "fence.proxy",
    FenceMbarrierInit = "fence.mbarrier_init", Atom = "atom", Red = "red",
    RedAsync = "red.async", Vote = "vote", Match = "match", Activemask = "activemask",
    Redux = "redux", Griddepcontrol = "griddepcontrol", Elect = "elect",
    MbarrierInit = "mbarrier.init", MbarrierInval = "mbarrier.inval",
    MbarrierExpectTx = "mbarrier.expect_tx", MbarrierCompleteTx = "mbarrier.complete_tx",
    MbarrierArrive = "mbarrier.arrive", MbarrierArriveDrop = "mbarrier.arrive_drop",
    MbarrierTestWait = "mbarrier.test_wait", MbarrierTryWait = "mbarrier.try_wait",
    MbarrierPendingCount = "mbarrier.pending_count",
    // 9.7.18 Video
    Vadd = "vadd", Vsub = "vsub", Vabsdiff = "vabsdiff", Vmin = "vmin", Vmax = "vmax",
    Vshl = "vshl", Vshr = "vshr", Vmad = "vmad", Vset = "vset",
    Vadd2 = "vadd2", Vsub2 = "vsub2", Vavrg2 = "vavrg2", Vabsdiff2 = "vabsdiff2",
    Vmin2 = "vmin2", Vmax2 = "vmax2", Vset2 = "vset2",
    Vadd4 = "vadd4", Vsub4 = "vsub4", Vavrg4 = "vavrg4", Vabsdiff4 = "vabsdiff4",
    Vmin4 = "vmin4", Vmax4 = "vmax4", Vset4 = "vset4",
    // 9.7.17 Stack, 9.7.19 miscellaneous
    Stacksave = "stacksave", Stackrestore = "stackrestore", Alloca = "alloca",
    Brkpt = "brkpt", Nanosleep = "nanosleep", Pmevent = "pmevent", Trap = "trap",
    Setmaxnreg = "setmaxnreg",
}

static BY_NAME: LazyLock<HashMap<&'static str, &'static Opcode>> = LazyLock::new(|| {
    Opcode::ALL
        .iter()
        .map(|opcode| (opcode.as_static(), opcode))
        .collect()
});

impl Opcode {
    fn as_static(&'static self) -> &'static str {
        self.as_str()
    }

    /// The modelled opcode with exactly this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Opcode> {
        BY_NAME.get(name).map(|&opcode| opcode.clone())
    }

    /// Whether longer names begin with this word, so that what follows may belong to the opcode.
    pub(crate) fn has_longer_names(word: &str) -> bool {
        matches!(
            word,
            "st" | "cvt" | "cp" | "brx" | "bar" | "barrier" | "fence" | "red" | "mbarrier"
        )
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
