//! How a kernel is launched and how it is executed.

/// The shape of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// All blocks are resident at once, so that they may wait for each other.
    pub cooperative: bool,
}

impl LaunchConfig {
    /// A one-dimensional launch without dynamic shared memory.
    pub fn linear(blocks: u32, threads: u32) -> LaunchConfig {
        LaunchConfig {
            grid: [blocks, 1, 1],
            block: [threads, 1, 1],
            dynamic_shared: 0,
            cooperative: false,
        }
    }
}

/// How diverged threads of a warp find together again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Model {
    /// Independent thread scheduling: threads that part at a branch wait for each other at its
    /// immediate post-dominator, and any part of a warp may run in the meantime (Volta and later).
    #[default]
    Independent,
    /// A stack of (next PC, reconvergence PC, mask): only its top runs (before Volta).
    PostDominatorStack,
    /// Each lane has a next PC; the lanes with the smallest run.
    SmallestPc,
    /// The PC at which most lanes stand runs.
    Majority,
}

/// An enum that the command line names by words.
macro_rules! named {
    ($name:ident, $what:literal, $($variant:ident = $word:literal),*) => {
        impl $name {
            /// Every variant, in the order of declaration.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(match self { $($name::$variant => $word),* })
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<$name, String> {
                match text {
                    $($word => Ok($name::$variant),)*
                    _ => Err(format!("`{text}` is no {}: take {}", $what, [$($word),*].join(", "))),
                }
            }
        }
    };
}

named!(
    Model,
    "execution model",
    Independent = "independent",
    PostDominatorStack = "stack",
    SmallestPc = "smallest-pc",
    Majority = "majority"
);
named!(
    Policy,
    "scheduling policy",
    GreedyOldest = "greedy",
    RoundRobin = "round-robin",
    Random = "random",
    Adversarial = "adversarial"
);

/// Who runs next among the warps of a block, and among the parts of a warp where the model allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Policy {
    /// The same until it waits or ends, then the oldest that can run.
    #[default]
    GreedyOldest,
    /// The next in turn, after every stretch of straight code.
    RoundRobin,
    /// Drawn from the seed, after every stretch of straight code.
    Random,
    /// Chosen to expose missing synchronisation: lanes that part never wait to come together
    /// unless the program makes them, and whoever has run least far back in the program goes last.
    Adversarial,
}

/// What is looked for beyond the faults that end a program anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Checks {
    /// Reads of global (in tracked memory), shared and local bytes that nothing wrote, and of
    /// registers.
    pub uninitialized: bool,
    /// Conflicting accesses to shared memory that no barrier orders, to global memory between
    /// blocks.
    pub races: bool,
    /// Barriers, masks and shuffles that the ISA leaves undefined.
    pub undefined: bool,
    /// Integer divisions by zero, and shifts by the width of their operand or more.
    pub arithmetic: bool,
}

impl Checks {
    /// Everything.
    pub const ALL: Checks = Checks {
        uninitialized: true,
        races: true,
        undefined: true,
        arithmetic: true,
    };
    /// Only what ends a program anyway.
    pub const NONE: Checks = Checks {
        uninitialized: false,
        races: false,
        undefined: false,
        arithmetic: false,
    };

    /// Whether anything is looked for.
    pub const fn any(self) -> bool {
        self.uninitialized || self.races || self.undefined || self.arithmetic
    }
}

/// How a launch is executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Reconvergence.
    pub model: Model,
    /// Lanes that issue together: 4, 8, 16, 32 or 64. A PTX warp has 32 lanes whatever the width,
    /// so that results do not change: narrower ones issue a warp in parts, 64 issues two as one.
    pub width: u32,
    /// Order of warps.
    pub policy: Policy,
    /// Seed of [`Policy::Random`] and [`Policy::Adversarial`].
    pub seed: u64,
    /// What to look for.
    pub checks: Checks,
    /// After how many findings to stop.
    pub max_findings: usize,
    /// Count instructions by opcode and line, sectors, bank conflicts.
    pub profile: bool,
    /// Which warps to trace.
    pub trace: Option<TraceRequest>,
    /// Warp instructions after which the launch counts as one that never ends.
    pub budget: u64,
    /// Threads that run blocks; 0 takes as many as rayon has. Blocks run in parallel only where no
    /// instruction of the kernel can tell: results never depend on this.
    pub workers: usize,
    /// Blocks that are resident at once on a machine that runs blocks in turn.
    pub resident_blocks: usize,
    /// Bytes of local memory a thread may use.
    pub local_limit: u32,
    /// Bytes of shared memory a block may use.
    pub shared_limit: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            model: Model::Independent,
            width: 32,
            policy: Policy::GreedyOldest,
            seed: 0,
            checks: Checks::NONE,
            max_findings: 16,
            profile: false,
            trace: None,
            budget: 1 << 40,
            workers: 0,
            resident_blocks: 1024,
            local_limit: 512 << 10,
            shared_limit: 227 << 10,
        }
    }
}

/// Which steps to record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceRequest {
    /// Only this block.
    pub block: Option<[u32; 3]>,
    /// Only this warp of a block.
    pub warp: Option<u32>,
    /// Record the value that each step leaves in its destination register.
    pub values: bool,
    /// Steps after which recording stops; 0 for no end.
    pub limit: usize,
}
