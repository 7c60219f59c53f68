//! Moves `#[address_space(shared|constant)]` statics into their state spaces.
//!
//! rustc puts every static into the generic address space and keeps only the section name, so a
//! "shared" static would silently become one `.global` variable for the whole grid. The pass gives
//! such a static its NVPTX address space and lets every use see it through an `addrspacecast`,
//! which LLVM's `infer-address-spaces` then folds into `ld.shared`, `st.shared` and `ld.const`.

use super::line::{self, Global, Piece};
use super::{IrError, readable};
use std::collections::HashMap;

/// The symbol by which kernels name the dynamic shared memory of their launch.
const DYNAMIC_SHARED: &str = "__lockstep_dynamic_shared";

/// The state spaces that statics can be moved to.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Space {
    name: &'static str,
    section: &'static str,
    /// LLVM's number for it (NVPTX usage guide, Address Spaces).
    number: u32,
}

const SHARED: Space = Space {
    name: "shared",
    section: ".shared",
    number: 3,
};
const CONSTANT: Space = Space {
    name: "constant",
    section: ".constant",
    number: 4,
};

/// Rewrites the module; also says how many statics were moved.
pub(super) fn lower(ir: &str) -> Result<(String, usize), IrError> {
    let moved = find(ir)?;
    if moved.is_empty() {
        return Ok((ir.to_owned(), 0));
    }
    let mut out = String::with_capacity(ir.len() + ir.len() / 8);
    for (index, text) in ir.lines().enumerate() {
        match line::global(text) {
            Some(global) if !is_keep_alive_list(&global) => {
                out.push_str(&definition(text, &global, &moved)?);
            }
            _ => operands(text, index + 1, &moved, &mut out)?,
        }
        out.push('\n');
    }
    Ok((out, moved.len()))
}

type Moved<'a> = HashMap<&'a str, Space>;

/// The statics that are to be moved.
fn find(ir: &str) -> Result<Moved<'_>, IrError> {
    let mut moved = HashMap::new();
    for global in ir.lines().filter_map(line::global) {
        if global.name == DYNAMIC_SHARED {
            moved.insert(global.name, SHARED);
            continue;
        }
        let section = global.section();
        let Some(space) = [SHARED, CONSTANT]
            .into_iter()
            .find(|space| Some(space.section) == section)
        else {
            continue;
        };
        if space == SHARED && !is_uninitialised(&global) {
            return Err(IrError::InitialisedShared {
                name: readable(global.name),
            });
        }
        moved.insert(global.name, space);
    }
    Ok(moved)
}

/// Whether a shared static's initialiser says nothing. rustc prints wholly uninitialised memory as
/// `undef`, and a struct of uninitialised fields as a list of them.
fn is_uninitialised(global: &Global<'_>) -> bool {
    let initialiser = global.body.split(", section").next().unwrap_or_default();
    let mut words = initialiser
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty());
    initialiser.contains("undef")
        && !initialiser.contains("c\"")
        && !words.any(|word| word == "zeroinitializer")
}

/// LLVM's lists of symbols that must survive: they hold addresses, but only at compile time.
fn is_keep_alive_list(global: &Global<'_>) -> bool {
    matches!(global.name, "llvm.used" | "llvm.compiler.used")
}

/// A moved static's definition in its state space; any other global as it is, unless it holds the
/// address of a moved one.
fn definition(text: &str, global: &Global<'_>, moved: &Moved<'_>) -> Result<String, IrError> {
    if let Some(space) = moved.get(global.name) {
        return Ok(defined_in(text, *space));
    }
    for piece in line::pieces(&text[1..]) {
        if let Piece::Symbol(name) = piece
            && let Some(space) = moved.get(name)
        {
            return Err(IrError::AddressInStatic {
                name: readable(name),
                user: readable(global.name),
                space: space.name,
            });
        }
    }
    Ok(text.to_owned())
}

fn defined_in(text: &str, space: Space) -> String {
    let section = format!(", section \"{}\"", space.section);
    let text = text.replacen(&section, "", 1);
    for keyword in [" global ", " constant "] {
        if let Some(at) = text.find(keyword) {
            let (head, tail) = text.split_at(at);
            return format!("{head} addrspace({}){tail}", space.number);
        }
    }
    text
}

/// Every operand that names a moved static becomes the generic address of it. The type in front of
/// an operand, where there is one, stays `ptr`, so this holds in instructions and in constant
/// expressions alike.
fn operands(text: &str, number: usize, moved: &Moved<'_>, out: &mut String) -> Result<(), IrError> {
    if !text.contains('@') {
        out.push_str(text);
        return Ok(());
    }
    // Metadata may name a global only as a bare constant; none that rustc emits names a static.
    let metadata = text.starts_with('!');
    for piece in line::pieces(text) {
        let name = match piece {
            Piece::Text(text) => {
                out.push_str(text);
                continue;
            }
            Piece::Symbol(name) => name,
        };
        match moved.get(name) {
            Some(space) if metadata => {
                return Err(IrError::Unrewritten {
                    name: readable(name),
                    space: space.name,
                    line: number,
                    text: text.to_owned(),
                });
            }
            Some(space) => {
                let at = space.number;
                out.push_str("addrspacecast (ptr addrspace(");
                out.push_str(&at.to_string());
                out.push_str(") ");
                push_symbol(name, out);
                out.push_str(" to ptr)");
            }
            None => push_symbol(name, out),
        }
    }
    Ok(())
}

fn push_symbol(name: &str, out: &mut String) {
    let plain = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-'));
    out.push('@');
    if plain {
        out.push_str(name);
    } else {
        out.push('"');
        out.push_str(name);
        out.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn lowered(ir: &str) -> String {
        lower(ir).unwrap().0
    }

    #[test]
    fn every_use_is_cast() {
        let text = lowered(concat!(
            "@S = internal unnamed_addr global [8 x i8] undef, section \".shared\", align 4\n",
            "@C = internal unnamed_addr constant [4 x i8] c\"@S\\00\\00\", section \".constant\", align 4\n",
            "@llvm.used = appending global [1 x ptr] [ptr @S], section \"llvm.metadata\"\n",
            "  store float %v, ptr @S, align 4\n",
            "  %p = getelementptr inbounds float, ptr @S, i64 %t\n",
            "  %q = phi ptr [ @S, %a ], [ @SS, %b ]\n",
            "  %r = load i32, ptr getelementptr inbounds nuw (i8, ptr @S, i64 4), align 4\n",
            "  call void @f(ptr noundef nonnull align 4 @S, ptr @C)\n",
        ));
        expect![[r#"
            @S = internal unnamed_addr addrspace(3) global [8 x i8] undef, align 4
            @C = internal unnamed_addr addrspace(4) constant [4 x i8] c"@S\00\00", align 4
            @llvm.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(3) @S to ptr)], section "llvm.metadata"
              store float %v, ptr addrspacecast (ptr addrspace(3) @S to ptr), align 4
              %p = getelementptr inbounds float, ptr addrspacecast (ptr addrspace(3) @S to ptr), i64 %t
              %q = phi ptr [ addrspacecast (ptr addrspace(3) @S to ptr), %a ], [ @SS, %b ]
              %r = load i32, ptr getelementptr inbounds nuw (i8, ptr addrspacecast (ptr addrspace(3) @S to ptr), i64 4), align 4
              call void @f(ptr noundef nonnull align 4 addrspacecast (ptr addrspace(3) @S to ptr), ptr addrspacecast (ptr addrspace(4) @C to ptr))
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn dynamic_shared_memory_is_an_external_array() {
        let text = lowered("@__lockstep_dynamic_shared = external global [0 x i8], align 16\n");
        expect![[r#"
            @__lockstep_dynamic_shared = external addrspace(3) global [0 x i8], align 16
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn a_module_without_such_statics_stays_as_it_is() {
        let ir = "@G = global i32 0, align 4\n";
        assert_eq!(lower(ir), Ok((ir.to_owned(), 0)));
    }

    #[test]
    fn shared_memory_has_no_initial_value() {
        for value in [
            "zeroinitializer",
            "c\"\\01\\00\\00\\00\"",
            "<{ [4 x i8] undef, [4 x i8] zeroinitializer }>",
        ] {
            let ir =
                format!("@S = internal global [4 x i8] {value}, section \".shared\", align 4\n");
            assert_eq!(
                lower(&ir),
                Err(IrError::InitialisedShared { name: "S".into() })
            );
        }
    }

    #[test]
    fn an_address_in_another_static_is_refused() {
        let ir = concat!(
            "@S = internal global [4 x i8] undef, section \".shared\", align 4\n",
            "@P = constant ptr @S, align 8\n",
        );
        assert_eq!(
            lower(ir),
            Err(IrError::AddressInStatic {
                name: "S".into(),
                user: "P".into(),
                space: "shared"
            })
        );
    }

    #[test]
    fn metadata_that_names_a_shared_static_is_refused() {
        let ir = concat!(
            "@S = internal global [4 x i8] undef, section \".shared\", align 4\n",
            "!7 = !{ptr @S, i32 1}\n",
        );
        assert!(matches!(
            lower(ir),
            Err(IrError::Unrewritten { line: 2, .. })
        ));
    }
}
