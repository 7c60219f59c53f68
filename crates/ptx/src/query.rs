//! What the host asks of a module: entries, their parameters and contracts, shared memory, lines.

use crate::module::*;
use crate::{Address, Base, Instruction, Operand, StateSpace};
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

impl Module {
    /// All functions, prototypes included.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.items.iter().filter_map(|item| match item {
            Item::Function(function) => Some(&**function),
            _ => None,
        })
    }

    /// The entries, which a host can launch.
    pub fn entries(&self) -> impl Iterator<Item = &Function> {
        self.functions()
            .filter(|function| function.is_entry && function.body.is_some())
    }

    /// The entry of this name.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<&Function> {
        self.entries().find(|function| function.name == name)
    }

    /// The function of this name; its definition rather than a prototype, where both are there.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<&Function> {
        let mut named = self
            .functions()
            .filter(|function| function.name == name)
            .peekable();
        let first = named.peek().copied();
        named.find(|function| function.body.is_some()).or(first)
    }

    /// The module's own variables.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.items.iter().filter_map(|item| match item {
            Item::Variable(variable) => Some(variable),
            _ => None,
        })
    }

    /// The path of `.file index`.
    #[must_use]
    pub fn file(&self, index: u32) -> Option<&str> {
        self.files()
            .find(|file| file.index == index)
            .map(|file| file.name.as_str())
    }

    /// The shared variables that an entry can reach: those of its own body and of the functions
    /// that it may call, and those of the module that any of these names.
    ///
    /// A function whose address is taken counts as called.
    #[must_use]
    pub fn shared_variables<'a>(&'a self, entry: &'a Function) -> Vec<&'a Variable> {
        let functions: HashMap<_, _> = self
            .functions()
            .filter(|it| it.body.is_some())
            .map(|it| (&it.name, it))
            .collect();
        let aliases: HashMap<_, _> = self.aliases().map(|it| (&it.name, &it.aliasee)).collect();
        let variables: HashMap<_, _> = self.variables().map(|it| (&it.name, it)).collect();
        let (mut seen, mut work) = (HashSet::from([&entry.name]), vec![entry]);
        let mut shared = Vec::new();
        while let Some(function) = work.pop() {
            let own = function.locals();
            shared.extend(
                own.into_iter()
                    .filter(|it| it.space.base() == StateSpace::Shared),
            );
            function.for_each_name(|name| {
                let name = aliases.get(name).copied().unwrap_or(name);
                if !seen.insert(name) {
                    return;
                }
                work.extend(functions.get(name));
                let variable = variables.get(name);
                shared.extend(variable.filter(|it| it.space.base() == StateSpace::Shared));
                // Tables of functions and pointers to other variables.
                if let Some(initializer) = variable.and_then(|it| it.initializer.as_ref()) {
                    initializer.for_each_name(|name| {
                        if let Some(function) = functions.get(name)
                            && seen.insert(name)
                        {
                            work.push(function);
                        }
                    });
                }
            });
        }
        shared
    }

    /// Bytes of statically sized shared memory that an entry needs: its shared variables, laid out
    /// one after the other at their alignments. `None` where the sum overflows.
    #[must_use]
    pub fn static_shared_bytes(&self, entry: &Function) -> Option<u64> {
        let shared = self.shared_variables(entry).into_iter();
        shared
            .filter(|it| !it.is_dynamic_shared())
            .try_fold(0_u64, |end, variable| {
                end.checked_next_multiple_of(variable.alignment())?
                    .checked_add(variable.size()?)
            })
    }

    /// The array of dynamic shared memory that an entry uses, if it uses one.
    #[must_use]
    pub fn dynamic_shared<'a>(&'a self, entry: &'a Function) -> Option<&'a Variable> {
        self.shared_variables(entry)
            .into_iter()
            .find(|it| it.is_dynamic_shared())
    }

    /// The source lines that a function's instructions come from, by file and line, sorted.
    #[must_use]
    pub fn source_lines(&self, function: &Function) -> Vec<(SmolStr, u32)> {
        let mut places = BTreeSet::new();
        function.for_each_instruction(|instruction| {
            if let Some(loc) = &instruction.loc
                && loc.line > 0
            {
                places.insert((loc.file, loc.line));
            }
        });
        let names: HashMap<u32, &SmolStr> = self.files().map(|it| (it.index, &it.name)).collect();
        let name = |file| names.get(&file).copied().cloned().unwrap_or_default();
        places
            .into_iter()
            .map(|(file, line)| (name(file), line))
            .collect()
    }

    /// The `.file` directives.
    pub fn files(&self) -> impl Iterator<Item = &File> {
        self.items.iter().filter_map(|item| match item {
            Item::File(file) => Some(file),
            _ => None,
        })
    }

    fn aliases(&self) -> impl Iterator<Item = &Alias> {
        self.items.iter().filter_map(|item| match item {
            Item::Alias(alias) => Some(alias),
            _ => None,
        })
    }

    /// How often each opcode occurs, by its mnemonic.
    #[must_use]
    pub fn opcode_histogram(&self) -> BTreeMap<&str, usize> {
        let mut histogram = BTreeMap::new();
        for function in self.functions() {
            function.for_each_instruction(|instruction| {
                *histogram.entry(instruction.opcode.as_str()).or_default() += 1;
            });
        }
        histogram
    }
}

impl Variable {
    /// Bytes of one element: the type's, times the vector's width.
    #[must_use]
    pub fn element_size(&self) -> u64 {
        u64::from(self.ty.bytes()) * self.vector.map_or(1, |vector| vector.count() as u64)
    }

    /// Bytes of the whole variable. An outer `[]` counts what the initialiser lists, or 0 where
    /// there is none, as in an `.extern .shared` array. `None` where the size overflows.
    #[must_use]
    pub fn size(&self) -> Option<u64> {
        let listed = match &self.initializer {
            Some(Initializer::List(list)) => list.len() as u64,
            _ => 0,
        };
        let elements = self
            .dimensions
            .iter()
            .try_fold(1_u64, |product, dimension| {
                product.checked_mul(dimension.unwrap_or(listed))
            })?;
        elements.checked_mul(self.element_size())
    }

    /// The alignment: the one stated, or else the size of an element.
    #[must_use]
    pub fn alignment(&self) -> u64 {
        self.align
            .map_or_else(|| self.element_size().max(1), u64::from)
    }
}

/// Defines accessors for the directives with one value.
macro_rules! directive {
    ($($(#[$meta:meta])* $method:ident: $variant:ident -> $type:ty;)*) => {
        $(
            $(#[$meta])*
            #[must_use]
            pub fn $method(&self) -> Option<$type> {
                self.directives.iter().find_map(|directive| match directive {
                    FunctionDirective::$variant(value) => Some(*value),
                    _ => None,
                })
            }
        )*
    };
}

impl Function {
    directive! {
        /// `.reqntid`: the block's exact shape.
        required_threads: RequiredThreads -> [u32; 3];
        /// `.maxntid`: at most that many threads in a block, all dimensions together.
        max_threads: MaxThreads -> [u32; 3];
        /// `.minnctapersm`
        min_blocks_per_sm: MinBlocksPerSm -> u32;
        /// `.maxnreg`
        max_registers: MaxRegisters -> u32;
        /// `.reqnctapercluster`
        required_cluster: RequiredClusterBlocks -> [u32; 3];
    }

    /// Byte offset of each parameter in the parameter block, and the size of the block.
    #[must_use]
    pub fn param_layout(&self) -> Option<(Vec<u64>, u64)> {
        let mut end = 0_u64;
        let mut offsets = Vec::with_capacity(self.params.len());
        for param in &self.params {
            let offset = end.checked_next_multiple_of(param.alignment())?;
            offsets.push(offset);
            end = offset.checked_add(param.size()?)?;
        }
        Some((offsets, end))
    }

    /// Calls `each` for every instruction, in the order of the text.
    pub fn for_each_instruction<'a>(&'a self, mut each: impl FnMut(&'a Instruction)) {
        self.for_each_statement(|statement| {
            if let Statement::Instruction(instruction) = statement {
                each(instruction);
            }
        });
    }

    /// Calls `each` for every statement, in the order of the text; a block before what it holds.
    pub fn for_each_statement<'a>(&'a self, mut each: impl FnMut(&'a Statement)) {
        let mut stack: Vec<_> = self
            .body
            .iter()
            .map(|body| body.statements.iter())
            .collect();
        while let Some(top) = stack.last_mut() {
            let Some(statement) = top.next() else {
                stack.pop();
                continue;
            };
            each(statement);
            if let Statement::Block(block) = statement {
                stack.push(block.statements.iter());
            }
        }
    }

    /// Calls `each` for every name that an operand holds.
    fn for_each_name<'a>(&'a self, mut each: impl FnMut(&'a SmolStr)) {
        self.for_each_instruction(|instruction| {
            let mut work: Vec<&Operand> = instruction.operands.iter().collect();
            while let Some(operand) = work.pop() {
                match operand {
                    Operand::Name(name) | Operand::Offset(name, _) => each(name),
                    Operand::Address(Address {
                        base: Base::Name(name),
                        ..
                    }) => each(name),
                    Operand::Vector(all) | Operand::List(all) | Operand::Coordinates(all) => {
                        work.extend(all);
                    }
                    Operand::Pair(pair) => work.extend(pair.iter()),
                    _ => {}
                }
            }
        });
    }

    /// First and last line of the function in the PTX text.
    #[must_use]
    pub fn lines(&self) -> (u32, u32) {
        let mut last = self.span.line;
        self.for_each_instruction(|instruction| last = last.max(instruction.span.line));
        (self.span.line, last)
    }

    /// The variables declared in the body, parameters of calls included.
    #[must_use]
    pub fn locals(&self) -> Vec<&Variable> {
        let mut locals = Vec::new();
        self.for_each_statement(|statement| {
            if let Statement::Variable(variable) = statement {
                locals.push(&**variable);
            }
        });
        locals
    }
}

impl Variable {
    /// Whether this is the array of dynamic shared memory: `.extern .shared … name[]`.
    #[must_use]
    pub fn is_dynamic_shared(&self) -> bool {
        self.space.base() == StateSpace::Shared && self.linkage == Some(Linkage::Extern)
    }
}

impl Initializer {
    /// Calls `each` for every variable or function whose address is stored.
    fn for_each_name<'a>(&'a self, mut each: impl FnMut(&'a SmolStr)) {
        let mut work = vec![self];
        while let Some(value) = work.pop() {
            match value {
                Initializer::Address { name, .. } => each(name),
                Initializer::List(all) => work.extend(all),
                Initializer::Immediate(_) => {}
            }
        }
    }
}
