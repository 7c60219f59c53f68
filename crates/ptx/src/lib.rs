//! PTX text to a typed module: no IO, no execution, and no panic on any input.
//!
//! [`parse`] reads what LLVM and nvcc emit for compute kernels (PTX ISA 6.0 to 9.x) into a
//! [`Module`] whose nodes carry their [`Span`]. Printing a module and parsing it again gives an
//! equal module.
//!
//! ```
//! let text = "
//!     .version 8.0
//!     .target sm_90
//!     .address_size 64
//!     .visible .entry double(.param .u64 .ptr .global .align 4 data) .reqntid 32
//!     {
//!         .reg .b32 %r<3>;
//!         .reg .b64 %rd<3>;
//!         ld.param.u64 %rd1, [data];
//!         ld.global.u32 %r1, [%rd1];
//!         add.s32 %r2, %r1, %r1;
//!         st.global.u32 [%rd1], %r2;
//!         ret;
//!     }";
//! let module = ptx::parse(text).expect("well-formed");
//! let entry = module.entry("double").expect("present");
//! assert_eq!(entry.params[0].size(), Some(8));
//! assert_eq!(entry.required_threads(), Some([32, 1, 1]));
//! assert_eq!(ptx::parse(&module.to_string()), Ok(module));
//! ```

mod check;
mod error;
pub mod instruction;
mod isa;
mod lexer;
pub mod modifier;
pub mod module;
mod number;
mod opcode;
pub mod operand;
mod parser;
mod print;
mod query;
mod span;
mod special;
mod types;
mod words;

pub use error::{Error, ErrorKind, Errors};
pub use instruction::{Call, Frame, Guard, Instruction, SourceLocation};
pub use modifier::Modifier;
pub use module::{Block, Function, Initializer, Item, Module, Statement, Variable};
pub use opcode::Opcode;
pub use operand::{Address, Base, Component, Immediate, Integer, Operand};
pub use smol_str::SmolStr;
pub use span::Span;
pub use special::SpecialRegister;
pub use types::{ScalarType, StateSpace, VectorWidth};

/// Parses a PTX text.
///
/// # Errors
/// All the faults found, at most 64, in the order of the text.
pub fn parse(source: &str) -> Result<Module, Errors> {
    parser::parse(source)
}
