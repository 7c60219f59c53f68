//! Holds a parsed module against the ISA: names are declared, instructions have one of the forms
//! of the tables, operands have the types that the form wants.

mod call;
mod forms;
mod operands;
mod scope;

use crate::instruction::Instruction;
use crate::module::{Alias, Block, Function, Item, Statement, Variable};
use crate::{Error, ErrorKind, Errors, Module, Opcode, ScalarType, Span, StateSpace};
use scope::{Scopes, Symbol};

/// Errors reported for one module.
const MAX_ERRORS: usize = 64;

impl Module {
    /// Holds the module against the ISA's tables.
    ///
    /// Instructions of the families that this crate does not model ([`Opcode::Other`]) are passed
    /// over: their modifiers and operands stay unchecked.
    ///
    /// # Errors
    /// All the faults found, at most 64, in the order of the text.
    pub fn check(&self) -> Result<(), Errors> {
        let mut checker = Checker {
            module: self,
            scopes: Scopes::new(self),
            errors: Vec::new(),
        };
        checker.module();
        if checker.errors.is_empty() {
            Ok(())
        } else {
            Err(Errors(checker.errors))
        }
    }
}

struct Checker<'a> {
    module: &'a Module,
    scopes: Scopes<'a>,
    errors: Vec<Error>,
}

impl<'a> Checker<'a> {
    fn report(&mut self, error: Error) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }

    fn module(&mut self) {
        let module = self.module;
        self.duplicates();
        for item in &module.items {
            match item {
                Item::Function(function) => self.function(function),
                Item::Variable(variable) => self.variable(variable),
                Item::Alias(alias) => self.alias(alias),
                _ => {}
            }
        }
    }

    /// Names that the scope entered last declares twice.
    fn duplicates(&mut self) {
        for (name, span) in self.scopes.take_duplicates() {
            self.report(Error::invalid(
                format!("`{name}` is declared twice in one scope"),
                span,
            ));
        }
    }

    fn alias(&mut self, alias: &Alias) {
        if !matches!(self.scopes.find(&alias.aliasee), Some(Symbol::Function(_))) {
            let kind = ErrorKind::Undeclared(alias.aliasee.to_string());
            self.report(Error::new(kind, alias.span).in_section("11.6.5"));
        }
    }

    fn function(&mut self, function: &'a Function) {
        if function.is_entry && !function.returns.is_empty() {
            let message = format!("the entry `{}` returns a value", function.name);
            self.report(Error::invalid(message, function.span).in_section("11.2.1"));
        }
        let Some(body) = &function.body else { return };
        self.scopes.enter_function(function);
        self.duplicates();
        self.block(body);
        self.scopes.leave();
    }

    // As deep as the parser's limit on scopes; a module built by hand may go deeper, and then
    // the stack of whoever built it was the first to know.
    fn block(&mut self, block: &'a Block) {
        self.scopes.enter_block(block);
        self.duplicates();
        for statement in &block.statements {
            match statement {
                Statement::Instruction(instruction) => self.instruction(instruction),
                Statement::Block(inner) => self.block(inner),
                Statement::Variable(variable) => self.variable(variable),
                Statement::BranchTargets(list) => {
                    for target in &list.targets {
                        if !matches!(self.scopes.find(target), Some(Symbol::Label)) {
                            let message = format!("`{target}` is no label");
                            self.report(Error::invalid(message, list.span).in_section("11.3.1"));
                        }
                    }
                }
                _ => {}
            }
        }
        self.scopes.leave();
    }

    fn variable(&mut self, variable: &Variable) {
        let span = variable.span;
        if variable.size().is_none() {
            let message = format!("the size of `{}` is more than 64 bits hold", variable.name);
            self.report(Error::invalid(message, span).in_section("5.4.2"));
        }
        let is_register = variable.space == StateSpace::Reg;
        if variable.range.is_some() && !is_register {
            let message = format!("`{}<n>` declares registers, not variables", variable.name);
            self.report(Error::invalid(message, span).in_section("5.4.6"));
        }
        if variable.ty == ScalarType::Pred && !is_register {
            let message = "predicates live in registers only".to_owned();
            self.report(Error::invalid(message, span).in_section("5.2.1"));
        }
        if variable.initializer.is_some()
            && !matches!(variable.space, StateSpace::Global | StateSpace::Const)
        {
            let message = format!(
                "`.{}` variables have no initial value, only `.global` and `.const` ones",
                variable.space
            );
            self.report(Error::invalid(message, span).in_section("5.4.4"));
        }
    }

    fn instruction(&mut self, instruction: &'a Instruction) {
        if let Some(guard) = &instruction.guard {
            self.guard(&guard.register, instruction.span);
        }
        let result = match &instruction.opcode {
            Opcode::Other(_) => Ok(()),
            Opcode::Call => self.call(instruction),
            Opcode::Mov => self.mov(instruction),
            _ => self.forms(instruction),
        };
        if let Err(error) = result {
            self.report(error);
        }
    }

    fn guard(&mut self, register: &str, span: Span) {
        let error = match self.scopes.find(register) {
            Some(Symbol::Variable(variable))
                if variable.space == StateSpace::Reg && variable.ty == ScalarType::Pred =>
            {
                return;
            }
            Some(_) => {
                let message = format!("the guard `{register}` is no predicate register");
                Error::invalid(message, span)
            }
            None => Error::new(ErrorKind::Undeclared(register.to_owned()), span),
        };
        self.report(error.in_section("9.3"));
    }
}
