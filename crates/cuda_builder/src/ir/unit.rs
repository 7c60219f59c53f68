//! What a linked codegen unit defines and still needs, as far as linking goes.

use super::line::{self, function};

/// The symbols of one module.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Unit<'a> {
    /// The kernels.
    pub(crate) kernels: Vec<&'a str>,
    /// Functions and statics that other modules can see, without the kernels.
    pub(crate) exported: Vec<&'a str>,
    /// Statics that kernels write and the next launch reads: neither constant nor shared. They are
    /// one variable for all units.
    pub(crate) variables: Vec<&'a str>,
    /// Statics private to the module that it writes, shared ones included.
    pub(crate) private_variables: Vec<&'a str>,
    /// What is only declared.
    pub(crate) undefined: Vec<&'a str>,
}

impl<'a> Unit<'a> {
    /// Reads a module's text.
    pub(crate) fn read(ir: &'a str) -> Unit<'a> {
        let mut unit = Unit::default();
        for text in ir.lines() {
            if let Some(rest) = text.strip_prefix("declare ") {
                unit.undefined
                    .extend(function(rest).filter(|name| !name.starts_with("llvm.")));
            } else if let Some(rest) = text.strip_prefix("define ") {
                match function(rest) {
                    Some(name) if rest.contains("ptx_kernel") => unit.kernels.push(name),
                    Some(name) if !is_local(rest) => unit.exported.push(name),
                    _ => {}
                }
            } else if let Some(global) = line::global(text) {
                unit.add(&global);
            }
        }
        unit
    }

    fn add(&mut self, global: &line::Global<'a>) {
        let linkage = global.body.split(' ').next().unwrap_or_default();
        match linkage {
            "external" => return self.undefined.push(global.name),
            "appending" => return,
            _ => {}
        }
        let variable = is_variable(global);
        let local = is_local(global.body);
        if variable && global.section() != Some(".shared") {
            self.variables.push(global.name);
        }
        if variable && local {
            self.private_variables.push(global.name);
        }
        if !local {
            self.exported.push(global.name);
        }
    }
}

/// Makes private variables visible: the optimiser must not conclude from one unit's kernels that
/// nobody writes them.
pub(crate) fn expose_variables(ir: &str) -> String {
    let mut out = String::with_capacity(ir.len());
    for text in ir.lines() {
        match line::global(text) {
            Some(global)
                if is_variable(&global)
                    && is_local(global.body)
                    && global.section() != Some(".shared") =>
            {
                let at = text.len() - global.body.len();
                let (_, rest) = global.body.split_once(' ').unwrap_or_default();
                out.push_str(&text[..at]);
                out.push_str(rest);
            }
            _ => out.push_str(text),
        }
        out.push('\n');
    }
    out
}

fn is_variable(global: &line::Global<'_>) -> bool {
    global
        .body
        .split(' ')
        .take_while(|&word| word != "constant")
        .any(|word| word == "global")
}

/// Whether what a definition's first words say is seen by no other module.
fn is_local(definition: &str) -> bool {
    definition.starts_with("internal ") || definition.starts_with("private ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const IR: &str = concat!(
        "@V = hidden global i32 0, align 4\n",
        "@P = internal unnamed_addr global i32 1, align 4\n",
        "@S = internal global [4 x i8] undef, section \".shared\", align 4\n",
        "@C = private unnamed_addr constant [7 x i8] c\" global\", align 1\n",
        "@E = external global [0 x i8], align 16\n",
        "@llvm.used = appending global [1 x ptr] [ptr @S], section \"llvm.metadata\"\n",
        "define ptx_kernel void @k(ptr %x) unnamed_addr #0 {\n",
        "define hidden noundef i32 @f() {\n",
        "define internal void @g() {\n",
        "declare noundef i32 @vprintf(ptr, ptr)\n",
        "declare void @llvm.nvvm.barrier0()\n",
    );

    #[test]
    fn what_is_defined_and_needed() {
        assert_eq!(
            Unit::read(IR),
            Unit {
                kernels: vec!["k"],
                exported: vec!["V", "f"],
                variables: vec!["V", "P"],
                private_variables: vec!["P", "S"],
                undefined: vec!["E", "vprintf"],
            }
        );
    }

    #[test]
    fn variables_become_visible() {
        let exposed = expose_variables(IR);
        assert!(
            exposed.contains("\n@P = unnamed_addr global i32 1, align 4\n"),
            "{exposed}"
        );
        assert!(exposed.contains("@S = internal global"), "{exposed}");
        assert!(
            exposed.contains("@C = private unnamed_addr constant"),
            "{exposed}"
        );
    }
}
