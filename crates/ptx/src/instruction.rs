//! Instructions.

use crate::modifier::{
    CacheOperator, Compare, Flag, FloatClass, Modifier, Operation, Order, Part, PermuteMode,
    Rounding, Scope, ShuffleMode, VoteMode,
};
use crate::{Opcode, Operand, ScalarType, Span, StateSpace, VectorWidth};
use smol_str::SmolStr;
use std::sync::Arc;

/// `@%p1` or `@!%p1` in front of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Guard {
    /// The predicate register.
    pub register: SmolStr,
    /// Whether the instruction runs where the predicate is false.
    pub negated: bool,
}

/// A place in the program that the PTX was made from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// File name, as the compiler's comment or the `.file` directive has it.
    pub file: SmolStr,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 where unknown.
    pub column: u32,
}

/// The `.loc` in force at an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceLocation {
    /// Number of the `.file`.
    pub file: u32,
    /// Line, from 1; 0 for code that the compiler made.
    pub line: u32,
    /// Column, from 1; 0 where unknown.
    pub column: u32,
    /// Where the code was inlined, innermost call first; from LLVM's comment behind the `.loc`, or
    /// from nvcc's `inlined_at`.
    pub inlined_at: Option<Arc<[Frame]>>,
}

/// One instruction.
///
/// [`parse`](crate::parse) accepts any modifiers and operands; [`Module::check`] holds them against
/// the ISA's tables, after which a reader may rely on what the accessors below return.
///
/// [`Module::check`]: crate::Module::check
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The predicate, if any.
    pub guard: Option<Guard>,
    /// The mnemonic.
    pub opcode: Opcode,
    /// The dotted words behind the mnemonic, in order.
    pub modifiers: Vec<Modifier>,
    /// The operands, in order. Those of `call` are: an optional [`Operand::List`] of results, the
    /// callee, an optional list of arguments, and an optional prototype or target list.
    pub operands: Vec<Operand>,
    /// Where each operand stands.
    pub operand_spans: Vec<Span>,
    /// Where the instruction stands, from its guard to its semicolon.
    pub span: Span,
    /// The `.loc` in force.
    pub loc: Option<SourceLocation>,
}

/// Defines accessors that return the first modifier of a family.
macro_rules! first_of {
    ($($(#[$meta:meta])* $method:ident: $family:ident -> $type:ty;)*) => {
        $(
            $(#[$meta])*
            #[must_use]
            pub fn $method(&self) -> Option<$type> {
                self.modifiers.iter().find_map(|modifier| match modifier {
                    Modifier::$family(it) => Some(*it),
                    _ => None,
                })
            }
        )*
    };
}

impl Instruction {
    first_of! {
        /// The state space.
        space: Space -> StateSpace;
        /// The vector width of a load or store.
        vector: Vector -> VectorWidth;
        /// The rounding mode.
        rounding: Rounding -> Rounding;
        /// The comparison of `set` and `setp`.
        compare: Compare -> Compare;
        /// What `atom`, `red`, `redux`, `bar.red` compute, or how `setp` combines.
        operation: Op -> Operation;
        /// The part of the product.
        part: Part -> Part;
        /// The scope of an access or fence.
        scope: Scope -> Scope;
        /// The memory semantics.
        order: Order -> Order;
        /// The cache operator.
        cache: Cache -> CacheOperator;
        /// The mode of `shfl`.
        shuffle: Shuffle -> ShuffleMode;
        /// The mode of `vote` and `match`.
        vote: Vote -> VoteMode;
        /// The mode of `prmt`.
        permute: Permute -> PermuteMode;
        /// The property that `testp` asks for.
        class: Class -> FloatClass;
    }

    /// Whether the flag is among the modifiers.
    #[must_use]
    pub fn has(&self, flag: Flag) -> bool {
        self.modifiers
            .iter()
            .any(|modifier| matches!(modifier, Modifier::Flag(it) if *it == flag))
    }

    /// The types, in order: `cvt.rn.f32.s32` gives `f32`, `s32`.
    pub fn types(&self) -> impl Iterator<Item = ScalarType> + '_ {
        self.modifiers.iter().filter_map(|modifier| match modifier {
            Modifier::Type(it) => Some(*it),
            _ => None,
        })
    }

    /// The type at `index` among the types.
    #[must_use]
    pub fn ty(&self, index: usize) -> Option<ScalarType> {
        self.types().nth(index)
    }

    /// The call's parts, if this is a `call`.
    #[must_use]
    pub fn call(&self) -> Option<Call<'_>> {
        if self.opcode != Opcode::Call {
            return None;
        }
        let mut rest = self.operands.as_slice();
        let mut results: &[Operand] = &[];
        if let [Operand::List(list), tail @ ..] = rest {
            (results, rest) = (list, tail);
        }
        let [Operand::Name(target), tail @ ..] = rest else {
            return None;
        };
        rest = tail;
        let mut arguments: &[Operand] = &[];
        if let [Operand::List(list), tail @ ..] = rest {
            (arguments, rest) = (list, tail);
        }
        let prototype = rest.first().and_then(Operand::name);
        Some(Call {
            results,
            target,
            arguments,
            prototype,
        })
    }
}

/// The parts of a `call` (PTX ISA 9.7.12.5).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Call<'a> {
    /// Where the results go.
    pub results: &'a [Operand],
    /// The function, or the register that holds its address.
    pub target: &'a str,
    /// The arguments.
    pub arguments: &'a [Operand],
    /// For an indirect call: the `.callprototype`, `.calltargets` or table of functions.
    pub prototype: Option<&'a str>,
}
