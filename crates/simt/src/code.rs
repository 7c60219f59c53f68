//! A kernel after decoding: straight instructions as function pointers, control flow as an enum,
//! and side tables for what does not fit into an instruction.

use crate::exec::lanes::Ins;
use crate::findings::Source;
use crate::memory::window::Space;
use crate::ops::warp::{ReduceOp, ShuffleMode, VoteMode};

/// "No such instruction": a branch without a point of reconvergence.
pub(crate) const NONE: u32 = u32::MAX;

/// `@p` or `@!p`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guard {
    /// Offset of the predicate.
    pub(crate) predicate: u32,
    pub(crate) negated: bool,
}

/// An instruction that ends a stretch of straight code.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    pub(crate) guard: Option<Guard>,
    pub(crate) flow: Flow,
}

/// What a control instruction does.
#[derive(Clone, Debug)]
pub(crate) enum Flow {
    /// `bra`; the joins are where parted lanes meet again: an index into [`Joins::lists`].
    Branch { target: u32, joins: u32 },
    /// `brx.idx`.
    Table {
        index: u32,
        targets: Box<[u32]>,
        joins: u32,
    },
    /// `call`.
    Call(Box<Call>),
    /// `ret` of a device function.
    Return,
    /// `exit`, and `ret` of an entry.
    Exit,
    /// `bar`, `barrier`.
    Barrier(Box<Barrier>),
    /// An operation among the lanes of a warp: an index into [`Code::collectives`].
    Collective(u32),
    /// `trap`, `brkpt`.
    Trap,
    /// `nanosleep`: lets others run.
    Yield,
    /// The dynamic stack.
    Stack(StackOp),
}

/// What happens to the dynamic stack; the registers have `bytes` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StackOp {
    /// `stacksave`
    Save { d: u32, bytes: u32 },
    /// `stackrestore`
    Restore { a: u32, bytes: u32 },
    /// `alloca`
    Alloca {
        d: u32,
        size: u32,
        bytes: u32,
        align: u32,
    },
}

/// Where lanes that parted wait for each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JoinPlace {
    pub(crate) pc: u32,
    /// The region that lanes may come from; [`NONE`]: all come that do not exit.
    pub(crate) region: u32,
}

impl JoinPlace {
    /// Where all lanes come.
    pub(crate) fn of_all(pc: u32) -> JoinPlace {
        JoinPlace { pc, region: NONE }
    }
}

/// The places at which lanes meet.
#[derive(Debug, Default)]
pub(crate) struct Joins {
    /// For branches, the outermost place first.
    pub(crate) lists: Vec<Box<[JoinPlace]>>,
    pub(crate) regions: Vec<Region>,
}

/// Some instructions of a function.
#[derive(Debug)]
pub(crate) struct Region {
    /// The function's first instruction.
    pub(crate) start: u32,
    /// A bit for each of its instructions.
    pub(crate) bits: Box<[u64]>,
}

impl Region {
    pub(crate) fn contains(&self, pc: u32) -> bool {
        let at = pc.wrapping_sub(self.start) as usize;
        self.bits
            .get(at / 64)
            .is_some_and(|word| word >> (at % 64) & 1 != 0)
    }
}

/// A value that a control instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source32 {
    /// The same for all lanes.
    Uniform(u32),
    /// A 32-bit register.
    Register(u32),
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) target: Target,
    /// What is copied into the callee's frame.
    pub(crate) arguments: Vec<Passed>,
    /// What is copied back.
    pub(crate) results: Vec<Passed>,
}

/// Whom a call calls.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// A function of the kernel, by index.
    Function(u32),
    /// The function whose address is in a 64-bit register.
    Indirect(u32),
    /// What the driver provides.
    Builtin(Builtin),
}

/// Functions that a module declares and the device provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    /// `vprintf(format, arguments)`.
    Vprintf,
    /// `__assertfail(message, file, line, function, size)`.
    AssertFail,
    /// `malloc(bytes)`.
    Malloc,
    /// `free(address)`.
    Free,
}

/// A parameter on the caller's side of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Passed {
    /// Bytes in the caller's local frame.
    Memory { offset: u32, bytes: u32 },
    /// A register of this many bytes; a predicate has 0.
    Register { offset: u32, bytes: u32 },
    /// A result that nobody wants.
    Nothing,
}

/// `bar` and `barrier`.
#[derive(Clone, Debug)]
pub(crate) struct Barrier {
    pub(crate) id: Source32,
    pub(crate) count: Option<Source32>,
    pub(crate) kind: BarrierKind,
    /// Every thread of the warp must execute the same one.
    pub(crate) aligned: bool,
}

/// What a barrier does besides counting.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BarrierKind {
    /// Waits.
    Sync,
    /// Only counts.
    Arrive,
    /// Waits, and counts threads with a true predicate into a register.
    Popc { d: u32, p: Guard },
    /// Waits, and combines predicates.
    And { d: u32, p: Guard },
    /// Waits, and combines predicates.
    Or { d: u32, p: Guard },
}

/// An operation among the lanes that a mask names.
#[derive(Clone, Debug)]
pub(crate) struct Collective {
    pub(crate) op: CollectiveOp,
    /// The mask; `None` for the old forms without one, which take the lanes that are there.
    pub(crate) members: Option<Source32>,
    /// Destination register or predicate; [`NONE`] for none.
    pub(crate) d: u32,
    /// Second destination, a predicate; [`NONE`] for none.
    pub(crate) p: u32,
    /// The value: a register, or a predicate.
    pub(crate) a: u32,
    pub(crate) negated: bool,
    pub(crate) b: u32,
    pub(crate) c: u32,
}

/// Which operation; lanes meet only in equal ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CollectiveOp {
    Sync,
    Shuffle(ShuffleMode),
    Vote(VoteMode),
    MatchAny32,
    MatchAny64,
    MatchAll32,
    MatchAll64,
    Redux(ReduceOp),
    Elect,
}

/// An access to memory.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    /// The space; `None` for generic addresses.
    pub(crate) space: Option<Space>,
    pub(crate) base: Base,
    pub(crate) offset: i64,
    /// Bytes of one element.
    pub(crate) bytes: u32,
    /// Registers of the elements; [`NONE`] for a sink.
    pub(crate) registers: Vec<u32>,
    pub(crate) kind: AccessKind,
    /// Number among the accesses, for the cache of allocations.
    pub(crate) site: u32,
    /// A scalar access to global or shared memory through a 64-bit register: worth a fast way.
    pub(crate) simple: bool,
}

/// What an access does, as far as findings care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessKind {
    /// A weak load.
    Load,
    /// A weak store.
    Store,
    /// A volatile, relaxed or stronger load.
    StrongLoad { acquire: bool },
    /// A volatile, relaxed or stronger store.
    StrongStore { release: bool },
    /// An atomic.
    Atomic { acquire: bool, release: bool },
}

impl AccessKind {
    pub(crate) fn writes(self) -> bool {
        !matches!(self, AccessKind::Load | AccessKind::StrongLoad { .. })
    }

    pub(crate) fn reads(self) -> bool {
        !matches!(self, AccessKind::Store | AccessKind::StrongStore { .. })
    }

    pub(crate) fn strong(self) -> bool {
        !matches!(self, AccessKind::Load | AccessKind::Store)
    }
}

/// What an address starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// Nothing: the offset is the address.
    Zero,
    /// A 32-bit register.
    Register32(u32),
    /// A 64-bit register.
    Register64(u32),
    /// The frame in local memory.
    Frame,
}

/// A constant that a frame holds, or something that is constant for a launch or a warp.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Constant {
    /// Bits.
    Bits(u64),
    /// The address of a module's variable, plus an offset.
    Symbol(u32, i64),
    /// A kernel parameter: offset, bytes, and whether its sign is extended.
    Param {
        offset: u32,
        bytes: u32,
        signed: bool,
    },
    /// Something that a special register says.
    Special(Special),
}

/// Special registers that do not change while a block runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Special {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    LaneId,
    WarpId,
    WarpCount,
    SmId,
    SmCount,
    GridId,
    LanemaskEq,
    LanemaskLe,
    LanemaskLt,
    LanemaskGe,
    LanemaskGt,
    DynamicShared,
    TotalShared,
    Zero,
    One,
}

/// Where a constant lives in a frame.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) constant: Constant,
    pub(crate) offset: u32,
    /// Bytes of an element: 2, 4, 8 or 16; a predicate has 0.
    pub(crate) bytes: u32,
}

/// A function of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct FunctionCode {
    pub(crate) name: String,
    /// Its first instruction and the one past its last.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Bytes of a register frame.
    pub(crate) frame_bytes: u32,
    pub(crate) slots: Vec<Slot>,
    /// Bytes of local memory.
    pub(crate) local_bytes: u32,
    /// Parameters and results on the callee's side.
    pub(crate) params: Vec<Passed>,
    pub(crate) returns: Vec<Passed>,
}

/// Something to look at before an instruction is executed, when findings are wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Check {
    /// A divisor of so many bytes must not be zero.
    Divisor { offset: u32, bytes: u32 },
    /// A shift must be below the width.
    Shift { offset: u32, width: u32 },
}

/// A read of a register that may not have been written, or a write of such a register.
#[derive(Clone, Debug)]
pub(crate) struct RegisterEvent {
    /// Its offset in the entry's frame.
    pub(crate) register: u32,
    /// For a read, the register's name.
    pub(crate) read: Option<String>,
    /// For a write, the guard that it is behind.
    pub(crate) guard: Option<Guard>,
}

/// What is told of an instruction.
#[derive(Clone, Debug)]
pub(crate) struct Info {
    /// The mnemonic, `ld.global`.
    pub(crate) opcode: String,
    pub(crate) class: Class,
    /// The whole text.
    pub(crate) text: String,
    pub(crate) line: u32,
    pub(crate) source: Option<Source>,
    pub(crate) inlined_at: Vec<Source>,
    pub(crate) function: u32,
    /// The destination register with the bytes of an element, for traces.
    pub(crate) destination: Option<(u32, u32)>,
}

/// Classes of instructions in reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Integer arithmetic, logic, comparison.
    Integer,
    /// Floating point.
    Float,
    /// Conversions and moves.
    Move,
    /// Global memory, constants and parameters through generic addresses.
    Global,
    /// Shared memory.
    Shared,
    /// Local memory.
    Local,
    /// Atomics and reductions in memory.
    Atomic,
    /// Branches, calls.
    Control,
    /// Barriers and fences.
    Barrier,
    /// Shuffles, votes, matches.
    Warp,
    /// The rest.
    Other,
}

impl Class {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Integer => "integer",
            Class::Float => "float",
            Class::Move => "move",
            Class::Global => "global",
            Class::Shared => "shared",
            Class::Local => "local",
            Class::Atomic => "atomic",
            Class::Control => "control",
            Class::Barrier => "barrier",
            Class::Warp => "warp",
            Class::Other => "other",
        }
    }
}

/// A decoded kernel: the entry (function 0) and every function that it may reach.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) name: String,
    pub(crate) functions: Vec<FunctionCode>,
    /// Function of the module (by its number in addresses) to function of the kernel.
    pub(crate) by_number: Vec<Option<u32>>,
    pub(crate) ins: Vec<Ins>,
    pub(crate) info: Vec<Info>,
    pub(crate) controls: Vec<Control>,
    /// For each instruction its number among the controls, or [`NONE`].
    pub(crate) control_of: Vec<u32>,
    /// Instructions behind a guard.
    pub(crate) guarded: Vec<Ins>,
    pub(crate) guards: Vec<Guard>,
    pub(crate) accesses: Vec<Access>,
    pub(crate) collectives: Vec<Collective>,
    pub(crate) joins: Joins,
    /// For each instruction the next at which straight execution stops: a control instruction or a
    /// join.
    pub(crate) ends: Vec<u32>,
    /// The same for a whole warp that has not parted: joins do not matter, and an operation among
    /// all lanes can be executed in line.
    pub(crate) ends_whole: Vec<u32>,
    pub(crate) params_len: u32,
    pub(crate) required_block: Option<[u32; 3]>,
    pub(crate) max_threads: Option<u64>,
    /// Static shared memory; dynamic memory follows.
    pub(crate) shared_bytes: u32,
    /// No instruction can tell in which order blocks run.
    pub(crate) order_free: bool,
    /// The instructions with divisions and shifts behind a check: run instead of `ins` when
    /// findings are wanted.
    pub(crate) checked: Vec<Ins>,
    /// What those check, each with the instruction itself.
    pub(crate) checks: Vec<(Check, Ins)>,
    /// No register of the entry is read before it is written: its frames need no clearing.
    pub(crate) defined: bool,
    /// Registers to follow, by instruction.
    pub(crate) events: std::collections::HashMap<u32, Vec<RegisterEvent>>,
}
