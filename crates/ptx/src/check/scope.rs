//! What a name means at a point of the text.

use crate::module::{Block, Function, Item, Prototype, Statement, Targets, Variable};
use crate::{Module, Span};
use std::collections::HashMap;

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Symbol<'a> {
    /// A register or a variable.
    Variable(&'a Variable),
    /// A function.
    Function(&'a Function),
    /// A label of an instruction.
    Label,
    /// A `.branchtargets` list.
    BranchTargets,
    /// A `.calltargets` list.
    CallTargets(&'a Targets),
    /// A `.callprototype`.
    Prototype(&'a Prototype),
}

#[derive(Default)]
struct Scope<'a> {
    names: HashMap<&'a str, Symbol<'a>>,
    /// Groups of registers, by the part of the name before the number.
    groups: HashMap<&'a str, &'a Variable>,
}

/// The scopes that are open, the module's own first.
pub(super) struct Scopes<'a> {
    stack: Vec<Scope<'a>>,
    duplicates: Vec<(&'a str, Span)>,
}

impl<'a> Scopes<'a> {
    /// The module's scope.
    pub(super) fn new(module: &'a Module) -> Scopes<'a> {
        let mut scopes = Scopes {
            stack: vec![Scope::default()],
            duplicates: Vec::new(),
        };
        for item in &module.items {
            match item {
                // A prototype may stand beside its definition.
                Item::Function(function) => match scopes.find(&function.name) {
                    Some(Symbol::Function(other)) if function.body.is_none() => {
                        debug_assert_eq!(other.name, function.name);
                    }
                    Some(Symbol::Function(other)) if other.body.is_none() => {
                        scopes.replace(&function.name, Symbol::Function(function));
                    }
                    _ => scopes.declare(&function.name, Symbol::Function(function), function.span),
                },
                Item::Variable(variable) => match scopes.find(&variable.name) {
                    Some(Symbol::Variable(other))
                        if other.linkage.is_some() && variable.linkage.is_some() => {}
                    _ => scopes.variable(variable),
                },
                _ => {}
            }
        }
        scopes.aliases(module);
        scopes
    }

    fn aliases(&mut self, module: &'a Module) {
        for item in &module.items {
            if let Item::Alias(alias) = item
                && let Some(symbol) = self.find(&alias.aliasee)
            {
                self.replace(&alias.name, symbol);
            }
        }
    }

    /// Opens the scope of a function's parameters.
    pub(super) fn enter_function(&mut self, function: &'a Function) {
        self.stack.push(Scope::default());
        for variable in function.returns.iter().chain(&function.params) {
            self.variable(variable);
        }
    }

    /// Opens the scope of a block, with all that it declares at its own level.
    pub(super) fn enter_block(&mut self, block: &'a Block) {
        self.stack.push(Scope::default());
        for statement in &block.statements {
            match statement {
                Statement::Variable(variable) => self.variable(variable),
                Statement::Label(label) => self.declare(&label.name, Symbol::Label, label.span),
                Statement::BranchTargets(list) => {
                    self.declare(&list.name, Symbol::BranchTargets, list.span);
                }
                Statement::CallTargets(list) => {
                    self.declare(&list.name, Symbol::CallTargets(list), list.span);
                }
                Statement::CallPrototype(it) => {
                    self.declare(&it.name, Symbol::Prototype(it), it.span);
                }
                _ => {}
            }
        }
    }

    /// Closes the scope entered last.
    pub(super) fn leave(&mut self) {
        self.stack.pop();
    }

    /// What the name stands for; the innermost scope counts.
    pub(super) fn find(&self, name: &str) -> Option<Symbol<'a>> {
        self.stack.iter().rev().find_map(|scope| scope.find(name))
    }

    /// The names declared twice since the last call.
    pub(super) fn take_duplicates(&mut self) -> Vec<(&'a str, Span)> {
        std::mem::take(&mut self.duplicates)
    }

    fn variable(&mut self, variable: &'a Variable) {
        if variable.range.is_none() {
            return self.declare(&variable.name, Symbol::Variable(variable), variable.span);
        }
        let Some(top) = self.stack.last_mut() else {
            return;
        };
        if top.groups.insert(&variable.name, variable).is_some() {
            self.duplicates.push((&variable.name, variable.span));
        }
    }

    fn declare(&mut self, name: &'a str, symbol: Symbol<'a>, span: Span) {
        let Some(top) = self.stack.last_mut() else {
            return;
        };
        if top.names.insert(name, symbol).is_some() {
            self.duplicates.push((name, span));
        }
    }

    fn replace(&mut self, name: &'a str, symbol: Symbol<'a>) {
        if let Some(top) = self.stack.last_mut() {
            top.names.insert(name, symbol);
        }
    }
}

impl<'a> Scope<'a> {
    fn find(&self, name: &str) -> Option<Symbol<'a>> {
        if let Some(symbol) = self.names.get(name) {
            return Some(*symbol);
        }
        if self.groups.is_empty() {
            return None;
        }
        // `%a12` may be number 12 of `%a<n>` or number 2 of `%a1<n>`; a u32 has ten digits.
        let digits = name
            .bytes()
            .rev()
            .take(10)
            .take_while(u8::is_ascii_digit)
            .count();
        (1..=digits).rev().find_map(|length| {
            let (group, number) = name.split_at_checked(name.len() - length)?;
            let variable = *self.groups.get(group)?;
            let plain = number == "0" || !number.starts_with('0');
            let inside = number.parse::<u32>().ok()? < variable.range?;
            (plain && inside).then_some(Symbol::Variable(variable))
        })
    }
}
