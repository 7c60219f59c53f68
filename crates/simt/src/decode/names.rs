//! Scopes of a function: what a name stands for.

use ptx::module::Linkage;
use ptx::{Block, Instruction, ScalarType, SmolStr, StateSpace, Statement, Variable};
use std::collections::HashMap;

/// What a name was declared as.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Named {
    /// A register of a type, or a vector of so many.
    Register { ty: ScalarType, count: u32 },
    /// A variable of the function: `.local`, `.param`, `.shared`.
    Variable {
        space: StateSpace,
        bytes: u64,
        align: u64,
        dynamic: bool,
    },
    /// A label, by the number of the instruction that it stands before.
    Label(u32),
    /// `.branchtargets`, by their names.
    Targets(Vec<SmolStr>),
    /// `.callprototype` or `.calltargets`.
    Prototype,
}

/// The key of a resolved name: where it was declared.
pub(crate) type Key = (usize, SmolStr);

#[derive(Debug, Default)]
struct Scope {
    parent: Option<usize>,
    names: HashMap<SmolStr, Named>,
    /// `%r<22>`: stem, type and count.
    ranges: HashMap<SmolStr, (ScalarType, u32, u32)>,
}

/// The scopes of a function with its instructions in order, each with its scope.
#[derive(Debug, Default)]
pub(crate) struct Names<'a> {
    scopes: Vec<Scope>,
    pub(crate) instructions: Vec<(&'a Instruction, usize)>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(function: &'a ptx::Function) -> Names<'a> {
        let mut names = Names::default();
        names.scopes.push(Scope::default());
        for variable in function.params.iter().chain(&function.returns) {
            names.declare(0, variable);
        }
        if let Some(body) = &function.body {
            names.block(body, 0);
        }
        names
    }

    fn block(&mut self, block: &'a Block, parent: usize) {
        let scope = self.scopes.len();
        self.scopes.push(Scope {
            parent: Some(parent),
            ..Scope::default()
        });
        for statement in &block.statements {
            match statement {
                Statement::Instruction(instruction) => {
                    self.instructions.push((instruction, scope));
                }
                Statement::Label(label) => {
                    let at = self.instructions.len() as u32;
                    self.scopes[scope]
                        .names
                        .insert(label.name.clone(), Named::Label(at));
                }
                Statement::Variable(variable) => self.declare(scope, variable),
                Statement::Block(inner) => self.block(inner, scope),
                Statement::BranchTargets(targets) => {
                    let named = Named::Targets(targets.targets.clone());
                    self.scopes[scope].names.insert(targets.name.clone(), named);
                }
                Statement::CallTargets(targets) => {
                    self.scopes[scope]
                        .names
                        .insert(targets.name.clone(), Named::Prototype);
                }
                Statement::CallPrototype(prototype) => {
                    self.scopes[scope]
                        .names
                        .insert(prototype.name.clone(), Named::Prototype);
                }
                _ => {}
            }
        }
    }

    fn declare(&mut self, scope: usize, variable: &Variable) {
        let scope = &mut self.scopes[scope];
        let count = variable.vector.map_or(1, |vector| vector.count() as u32);
        if variable.space == StateSpace::Reg {
            if let Some(range) = variable.range {
                scope
                    .ranges
                    .insert(variable.name.clone(), (variable.ty, count, range));
            } else {
                let named = Named::Register {
                    ty: variable.ty,
                    count,
                };
                scope.names.insert(variable.name.clone(), named);
            }
            return;
        }
        let named = Named::Variable {
            space: variable.space.base(),
            bytes: variable.size().unwrap_or(u64::MAX),
            align: variable.alignment(),
            dynamic: variable.linkage == Some(Linkage::Extern),
        };
        scope.names.insert(variable.name.clone(), named);
    }

    /// What a name stands for in a scope, with where it was declared.
    pub(crate) fn find(&self, scope: usize, name: &str) -> Option<(Key, Named)> {
        let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (stem, number) = name.split_at(name.len() - digits);
        let mut at = Some(scope);
        while let Some(scope) = at {
            let here = self.scopes.get(scope)?;
            if let Some(named) = here.names.get(name) {
                return Some(((scope, SmolStr::new(name)), named.clone()));
            }
            // `%r<22>` may follow a stem that ends in digits itself: `%r1<4>` declares `%r13`.
            for cut in 0..digits {
                let stem = &name[..stem.len() + cut];
                let number = &number[cut..];
                let plain = number == "0" || !number.starts_with('0');
                let Some(&(ty, count, range)) = here.ranges.get(stem) else {
                    continue;
                };
                if plain && number.parse::<u32>().is_ok_and(|n| n < range) {
                    let named = Named::Register { ty, count };
                    return Some(((scope, SmolStr::new(name)), named));
                }
            }
            at = here.parent;
        }
        None
    }
}
