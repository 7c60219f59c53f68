//! `call` (ISA 9.7.12.5): the callee exists and takes as many arguments as it is given.

use super::Checker;
use super::scope::Symbol;
use crate::instruction::Instruction;
use crate::module::Variable;
use crate::{Call, Error, Operand, StateSpace};

impl<'a> Checker<'a> {
    /// Checks a call, direct or indirect.
    pub(super) fn call(&self, instruction: &'a Instruction) -> Result<(), Error> {
        let span = instruction.span;
        let in_section = |error: Error| error.in_section("9.7.12.5");
        let Some(call) = instruction.call() else {
            let message = "a call is `call (results), function, (arguments)`".to_owned();
            return Err(in_section(Error::invalid(message, span)));
        };
        let signature = match self.find(call.target, span).map_err(in_section)? {
            Symbol::Function(function) => Some((&function.returns, &function.params)),
            Symbol::Variable(variable) if variable.space == StateSpace::Reg => {
                self.indirect(&call, instruction).map_err(in_section)?
            }
            _ => {
                let message = format!("`{}` is neither a function nor a register", call.target);
                return Err(in_section(Error::invalid(message, span)));
            }
        };
        for operand in call.results.iter().chain(call.arguments) {
            if let Operand::Name(name) = operand {
                self.find(name, span).map_err(in_section)?;
            }
        }
        match signature {
            Some((returns, params)) => {
                arity(&call, returns, params, instruction).map_err(in_section)
            }
            None => Ok(()),
        }
    }

    /// The signature that an indirect call states, where it states one.
    #[expect(
        clippy::type_complexity,
        reason = "two parameter lists, used in one place"
    )]
    fn indirect(
        &self,
        call: &Call<'_>,
        instruction: &Instruction,
    ) -> Result<Option<(&'a Vec<Variable>, &'a Vec<Variable>)>, Error> {
        let span = instruction.span;
        let Some(prototype) = call.prototype else {
            let message = "an indirect call names its prototype or its targets last".to_owned();
            return Err(Error::invalid(message, span));
        };
        match self.find(prototype, span)? {
            Symbol::Prototype(it) => Ok(Some((&it.returns, &it.params))),
            Symbol::CallTargets(list) => {
                for target in &list.targets {
                    if !matches!(self.find(target, list.span)?, Symbol::Function(_)) {
                        return Err(Error::invalid(
                            format!("`{target}` is no function"),
                            list.span,
                        ));
                    }
                }
                Ok(None)
            }
            Symbol::Variable(_) => Ok(None),
            _ => Err(Error::invalid(
                format!("`{prototype}` is no prototype"),
                span,
            )),
        }
    }
}

fn arity(
    call: &Call<'_>,
    returns: &[Variable],
    params: &[Variable],
    instruction: &Instruction,
) -> Result<(), Error> {
    let counts = [
        ("result", call.results.len(), returns.len()),
        ("argument", call.arguments.len(), params.len()),
    ];
    for (what, given, wanted) in counts {
        // `vprintf` and its like are declared in full; a result may not be dropped either.
        if given != wanted {
            let message = format!(
                "`{}` has {wanted} {what}{}, and the call names {given}",
                call.target,
                if wanted == 1 { "" } else { "s" }
            );
            return Err(Error::invalid(message, instruction.span));
        }
    }
    Ok(())
}
