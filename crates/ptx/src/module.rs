//! Modules, functions, variables and statements.

use crate::instruction::Frame;
use crate::operand::{Immediate, Integer};
use crate::words::words;
use crate::{Instruction, ScalarType, Span, StateSpace, VectorWidth};
use smol_str::SmolStr;

/// A PTX text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// `.version 8.7` as `(8, 7)`.
    pub version: (u32, u32),
    /// The words of `.target`: `sm_90`, `texmode_unified`, `debug`.
    pub target: Vec<SmolStr>,
    /// `.address_size`: 32 or 64.
    pub address_size: u32,
    /// Everything else, in order.
    pub items: Vec<Item>,
}

/// What stands at the outer level.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Item {
    /// A variable.
    Variable(Variable),
    /// An entry or a device function; a prototype where it has no body.
    Function(Box<Function>),
    /// `.file 1 "src/lib.rs"`
    File(File),
    /// `.section .debug_info { … }`, kept as text.
    Section(Section),
    /// `.alias name, aliasee;`
    Alias(Alias),
    /// `.pragma "…";`
    Pragma(Pragma),
}

/// `.file 1 "src/lib.rs", 1700000000, 4096`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The number that `.loc` names.
    pub index: u32,
    /// The path.
    pub name: SmolStr,
    /// Time stamp and size, where given.
    pub stamp: Option<(u64, u64)>,
    /// Where it stands.
    pub span: Span,
}

/// `.section .debug_str { … }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The name, without its dot.
    pub name: SmolStr,
    /// The text between the outer braces.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// `.alias name, aliasee;`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// The new name.
    pub name: SmolStr,
    /// The function that it stands for.
    pub aliasee: SmolStr,
    /// Where it stands.
    pub span: Span,
}

/// `.pragma "nounroll";`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pragma {
    /// The strings.
    pub texts: Vec<SmolStr>,
    /// Where it stands.
    pub span: Span,
}

words! {
    /// Linking directives (PTX ISA 11.6).
    Linkage { Extern = "extern", Visible = "visible", Weak = "weak", Common = "common", }
}

/// A variable or a group of registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// `.visible`, `.extern`, …
    pub linkage: Option<Linkage>,
    /// `.attribute(.managed)` and the like, by their words.
    pub attributes: Vec<SmolStr>,
    /// Where it lives.
    pub space: StateSpace,
    /// `.align`, in bytes.
    pub align: Option<u32>,
    /// `.v2`, `.v4`
    pub vector: Option<VectorWidth>,
    /// The type of an element.
    pub ty: ScalarType,
    /// The name, without the range of a group of registers.
    pub name: SmolStr,
    /// `22` of `%r<22>`, which declares `%r0` … `%r21`.
    pub range: Option<u32>,
    /// Array dimensions, outermost first; `None` is an empty `[]`.
    pub dimensions: Vec<Option<u64>>,
    /// `.ptr .global .align 16` of a kernel parameter.
    pub pointer: Option<PointerAttributes>,
    /// What stands behind `=`.
    pub initializer: Option<Initializer>,
    /// Where it stands.
    pub span: Span,
}

/// `.ptr{.space}{.align N}` of a kernel parameter (PTX ISA 5.1.6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointerAttributes {
    /// What the pointer points into; generic where not given.
    pub space: Option<StateSpace>,
    /// Alignment of what it points to.
    pub align: Option<u32>,
}

/// An initial value (PTX ISA 5.4.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initializer {
    /// A number.
    Immediate(Immediate),
    /// The address of a variable or function.
    Address {
        /// Its name.
        name: SmolStr,
        /// Bytes added.
        offset: i64,
        /// Whether the address is a generic one: `generic(name)`.
        generic: bool,
        /// For `0xFF00(name)`: only the bits under the mask, shifted down, are stored.
        mask: Option<Integer>,
    },
    /// `{ … }`
    List(Vec<Initializer>),
}

/// An entry or a device function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// `.visible`, `.extern`, …
    pub linkage: Option<Linkage>,
    /// `.entry` rather than `.func`.
    pub is_entry: bool,
    /// The name.
    pub name: SmolStr,
    /// Return parameters.
    pub returns: Vec<Variable>,
    /// Parameters.
    pub params: Vec<Variable>,
    /// `.reqntid` and the other directives behind the parameters.
    pub directives: Vec<FunctionDirective>,
    /// The code; a prototype has none.
    pub body: Option<Block>,
    /// Where the header stands, up to its body.
    pub span: Span,
}

/// A directive between a function's parameters and its body (PTX ISA 11.2 and 11.4).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FunctionDirective {
    /// `.reqntid x, y, z`: the block's exact shape. Missing dimensions are 1.
    RequiredThreads([u32; 3]),
    /// `.maxntid x, y, z`: at most that many threads in all.
    MaxThreads([u32; 3]),
    /// `.minnctapersm n`
    MinBlocksPerSm(u32),
    /// `.maxnctapersm n` (an older form)
    MaxBlocksPerSm(u32),
    /// `.maxnreg n`
    MaxRegisters(u32),
    /// `.noreturn`
    NoReturn,
    /// `.reqnctapercluster x, y, z`
    RequiredClusterBlocks([u32; 3]),
    /// `.maxclusterrank n`
    MaxClusterRank(u32),
    /// `.explicitcluster`
    ExplicitCluster,
    /// `.blocksareclusters`
    BlocksAreClusters,
    /// `.abi_preserve n`
    AbiPreserve(u32),
    /// `.abi_preserve_control n`
    AbiPreserveControl(u32),
    /// `.unique`, `.attribute(…)` and other words without effect here.
    Attribute(SmolStr),
    /// `.pragma "…";`
    Pragma(Pragma),
}

/// `{ … }`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// What it holds, in order.
    pub statements: Vec<Statement>,
    /// From brace to brace.
    pub span: Span,
}

/// One statement of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Statement {
    /// An instruction.
    Instruction(Box<Instruction>),
    /// `name:`
    Label(Label),
    /// `.reg`, `.local`, `.shared`, `.param` and other declarations.
    Variable(Box<Variable>),
    /// A nested scope.
    Block(Block),
    /// `.loc`
    Loc(Loc),
    /// `.pragma "…";`
    Pragma(Pragma),
    /// `name: .branchtargets L0, L1;`
    BranchTargets(Targets),
    /// `name: .calltargets f, g;`
    CallTargets(Targets),
    /// `name: .callprototype (ret) _ (params);`
    CallPrototype(Box<Prototype>),
}

/// A label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its name.
    pub name: SmolStr,
    /// Where it stands.
    pub span: Span,
}

/// A list of labels or functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Targets {
    /// The list's own name.
    pub name: SmolStr,
    /// What it lists, in order.
    pub targets: Vec<SmolStr>,
    /// Where it stands.
    pub span: Span,
}

/// The signature of an indirect call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prototype {
    /// Its name.
    pub name: SmolStr,
    /// Return parameters.
    pub returns: Vec<Variable>,
    /// Parameters.
    pub params: Vec<Variable>,
    /// `.noreturn`, `.abi_preserve`.
    pub directives: Vec<FunctionDirective>,
    /// Where it stands.
    pub span: Span,
}

/// `.loc 1 12 5, function_name $L__info_string0, inlined_at 1 30 9 // @[ src/lib.rs:30:9 ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loc {
    /// Number of the `.file`.
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 where unknown.
    pub column: u32,
    /// `function_name label+offset`
    pub function_name: Option<(SmolStr, u64)>,
    /// `inlined_at file line column`
    pub inlined_at: Option<(u32, u32, u32)>,
    /// LLVM's comment behind the directive: the calls that the place was inlined into, innermost
    /// first.
    pub frames: Vec<Frame>,
    /// Where it stands.
    pub span: Span,
}
