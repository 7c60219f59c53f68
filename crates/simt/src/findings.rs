//! What is wrong with a program, and how it is told.

use std::fmt;

/// A line of the program that the PTX was made from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Source {
    /// File, as the compiler named it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 where unknown.
    pub column: u32,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        if self.column != 0 {
            write!(f, ":{}", self.column)?;
        }
        Ok(())
    }
}

/// Where something happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The block.
    pub block: [u32; 3],
    /// The warp of the block.
    pub warp: u32,
    /// The lane, where one can be named.
    pub lane: Option<u32>,
    /// The thread of that lane.
    pub thread: Option<[u32; 3]>,
    /// The function's name.
    pub function: String,
    /// The instruction's text.
    pub instruction: String,
    /// Index of the instruction in the decoded kernel.
    pub pc: u32,
    /// Line of the PTX text.
    pub ptx_line: u32,
    /// The program's line, from `.loc`.
    pub source: Option<Source>,
    /// The lines it was inlined into, innermost call first.
    pub inlined_at: Vec<Source>,
}

impl Place {
    fn threads(&self) -> String {
        let [x, y, z] = self.block;
        let mut text = format!("block ({x}, {y}, {z}), warp {}", self.warp);
        if let Some(lane) = self.lane {
            text += &format!(", lane {lane}");
        }
        if let Some([x, y, z]) = self.thread {
            text += &format!(", thread ({x}, {y}, {z})");
        }
        text
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(source) = &self.source {
            writeln!(f, "  --> {source}")?;
            for outer in &self.inlined_at {
                writeln!(f, "      inlined at {outer}")?;
            }
        }
        writeln!(f, "   = {}", self.threads())?;
        write!(
            f,
            "   = PTX line {}, in `{}`: {}",
            self.ptx_line, self.function, self.instruction
        )
    }
}

/// The class of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// An access outside every allocation.
    OutOfBounds,
    /// An address that is no multiple of the access's size.
    Misaligned,
    /// An access to memory that was freed.
    UseAfterFree,
    /// A write to constant memory or parameters.
    ReadOnly,
    /// A read of memory that nothing wrote.
    UninitializedMemory,
    /// A read of a register that nothing wrote.
    UninitializedRegister,
    /// Unordered conflicting accesses to shared memory.
    SharedRace,
    /// Unordered conflicting accesses of two blocks to global memory.
    GlobalRace,
    /// A block barrier that only a part of a warp executes.
    DivergentBarrier,
    /// A barrier executed with different thread counts, or a count that cannot be met.
    BarrierMismatch,
    /// A lane executes a `.sync` operation whose mask lacks it.
    MaskLacksCaller,
    /// Lanes give different masks that overlap, or a mask names a lane that does something else.
    MaskMismatch,
    /// A mask names a lane that has exited.
    MaskNamesAbsentLane,
    /// A shuffle reads a lane that does not take part.
    ShuffleSourceAbsent,
    /// Every thread that is left waits.
    Deadlock,
    /// The budget of instructions ran out.
    Livelock,
    /// An integer division by zero.
    DivisionByZero,
    /// A shift by at least the width of its operand.
    ShiftTooWide,
    /// An index outside a branch table.
    BranchTable,
    /// A call of something that is no function, or with other parameters than it has.
    InvalidCall,
    /// `trap` was executed.
    Trap,
    /// An assertion of the program failed.
    Assertion,
    /// Local memory or the call stack ran out.
    StackOverflow,
    /// `free` of something that is no live block of the heap.
    InvalidFree,
}

impl Kind {
    /// A short name, stable for machines.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::OutOfBounds => "out-of-bounds",
            Kind::Misaligned => "misaligned",
            Kind::UseAfterFree => "use-after-free",
            Kind::ReadOnly => "read-only",
            Kind::UninitializedMemory => "uninitialized-memory",
            Kind::UninitializedRegister => "uninitialized-register",
            Kind::SharedRace => "shared-race",
            Kind::GlobalRace => "global-race",
            Kind::DivergentBarrier => "divergent-barrier",
            Kind::BarrierMismatch => "barrier-mismatch",
            Kind::MaskLacksCaller => "mask-lacks-caller",
            Kind::MaskMismatch => "mask-mismatch",
            Kind::MaskNamesAbsentLane => "mask-names-absent-lane",
            Kind::ShuffleSourceAbsent => "shuffle-source-absent",
            Kind::Deadlock => "deadlock",
            Kind::Livelock => "livelock",
            Kind::DivisionByZero => "division-by-zero",
            Kind::ShiftTooWide => "shift-too-wide",
            Kind::BranchTable => "branch-table",
            Kind::InvalidCall => "invalid-call",
            Kind::Trap => "trap",
            Kind::Assertion => "assertion",
            Kind::StackOverflow => "stack-overflow",
            Kind::InvalidFree => "invalid-free",
        }
    }
}

/// One thing that is wrong with the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its class.
    pub kind: Kind,
    /// What happened, in one line.
    pub title: String,
    /// Where.
    pub here: Place,
    /// What happened before, and where.
    pub earlier: Vec<(String, Place)>,
    /// More about it: the allocation, the mask, each waiting lane.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Option<String>,
    /// In how many further places of the run the same happened at the same instruction.
    pub repeats: u64,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "error[{}]: {}", self.kind.name(), self.title)?;
        self.here.write(f)?;
        for (what, place) in &self.earlier {
            writeln!(f, "\n  {what}")?;
            place.write(f)?;
        }
        for note in &self.notes {
            write!(f, "\n   = note: {note}")?;
        }
        if self.repeats > 0 {
            write!(
                f,
                "\n   = note: the same happened {} more times",
                self.repeats
            )?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n   = help: {help}")?;
        }
        Ok(())
    }
}
