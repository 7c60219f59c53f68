//! From a parsed module to decoded kernels.

mod access;
mod bulk;
mod compare;
mod convert;
mod defined;
mod finish;
mod float;
mod flow;
mod frame;
mod function;
mod graph;
mod integer;
mod mbarrier;
mod names;
mod operands;
mod packing;
mod select;
mod video;

use crate::code::{
    Access, Base, Check, Code, Collective, Control, Flow, FunctionCode, Guard, Info, Joins, NONE,
};
use crate::error::Unsupported;
use crate::exec::lanes::{Ins, Level, Pair};
use crate::exec::{collective, misc};
use crate::memory::window::Space;
use function::{Decoder, Op, place};
use names::Names;
use ptx::{Operand, SmolStr, StateSpace, Variable};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A module with what its kernels share.
#[derive(Debug)]
pub(crate) struct ModuleInfo {
    pub(crate) module: Arc<ptx::Module>,
    symbols: HashMap<SmolStr, u32>,
    numbers: HashMap<SmolStr, u32>,
}

impl ModuleInfo {
    pub(crate) fn new(module: Arc<ptx::Module>) -> ModuleInfo {
        let mut symbols = HashMap::new();
        for (index, variable) in globals(&module).enumerate() {
            symbols.entry(variable.name.clone()).or_insert(index as u32);
        }
        let mut numbers = HashMap::new();
        for (index, function) in defined(&module).enumerate() {
            numbers.entry(function.name.clone()).or_insert(index as u32);
        }
        for item in &module.items {
            if let ptx::Item::Alias(alias) = item
                && let Some(&number) = numbers.get(&alias.aliasee)
            {
                numbers.entry(alias.name.clone()).or_insert(number);
            }
        }
        ModuleInfo {
            module,
            symbols,
            numbers,
        }
    }

    /// The number of a `.global` or `.const` variable.
    pub(crate) fn symbol(&self, name: &str) -> Option<u32> {
        self.symbols.get(name).copied()
    }

    /// The number of a function with a body.
    pub(crate) fn function_number(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    fn function(&self, number: u32) -> Option<&ptx::Function> {
        defined(&self.module).nth(number as usize)
    }

    fn file(&self, index: u32) -> Option<String> {
        self.module.file(index).map(str::to_owned)
    }
}

/// The module's variables in global and constant memory.
pub(crate) fn globals(module: &ptx::Module) -> impl Iterator<Item = &Variable> {
    module
        .variables()
        .filter(|v| matches!(v.space.base(), StateSpace::Global | StateSpace::Const))
}

fn defined(module: &ptx::Module) -> impl Iterator<Item = &ptx::Function> {
    module
        .functions()
        .filter(|function| function.body.is_some())
}

/// The tables of a kernel while it is decoded.
pub(crate) struct KernelBuilder {
    pub(crate) functions: Vec<FunctionCode>,
    pub(crate) ins: Vec<Ins>,
    pub(crate) info: Vec<Info>,
    pub(crate) controls: Vec<Control>,
    /// Control instruction by its place.
    pub(crate) control_at: HashMap<u32, u32>,
    pub(crate) guarded: Vec<Ins>,
    pub(crate) guards: Vec<Guard>,
    pub(crate) accesses: Vec<Access>,
    pub(crate) collectives: Vec<Collective>,
    pub(crate) joins: Joins,
    pub(crate) checks: Vec<(u32, Check)>,
    pub(crate) params_len: u32,
    /// Registers that the entry's instructions read and write.
    pub(crate) effects: Vec<defined::Effects>,
    /// The entry has registers that this leaves out: vectors, carries.
    pub(crate) unfollowed: bool,
    /// Function of the module to function of the kernel.
    indices: HashMap<u32, u32>,
    /// Shared variables by function and name.
    shared: HashMap<(Option<u32>, SmolStr), u64>,
}

impl KernelBuilder {
    /// Adds an instruction that others run, and returns its number.
    pub(crate) fn inner(&mut self, ins: Ins, guard: Option<Guard>) -> u64 {
        let index = self.guarded.len() as u64;
        // An inner instruction reports faults at the place of the outer one.
        self.guarded.push(Ins {
            pc: self.ins.len() as u32,
            ..ins
        });
        self.guards.push(guard.unwrap_or(Guard {
            predicate: 0,
            negated: false,
        }));
        index
    }

    pub(crate) fn add_access(&mut self, access: Access) -> u64 {
        let index = self.accesses.len();
        let simple = !access.kind.strong()
            && matches!(access.space, Some(Space::Global | Space::Shared))
            && matches!(access.base, Base::Register64(_))
            && matches!(access.registers.as_slice(), [register] if *register != NONE);
        self.accesses.push(Access {
            site: index as u32,
            simple,
            ..access
        });
        index as u64
    }

    pub(crate) fn add_collective(&mut self, collective: Collective) -> u32 {
        self.collectives.push(collective);
        self.collectives.len() as u32 - 1
    }

    /// Something to check before the instruction that comes next.
    pub(crate) fn note_check(&mut self, check: Check) {
        self.checks.push((self.ins.len() as u32, check));
    }

    /// What stands in the place of a control instruction: a stop, or where it may be executed in
    /// line, the operation among lanes.
    pub(crate) fn control_ins(
        &self,
        flow: &Flow,
        guard: Option<Guard>,
        index: usize,
        pc: u32,
    ) -> Ins {
        let pair: Pair = match flow {
            Flow::Collective(_) if guard.is_none() => collective::inline(),
            _ => misc::stop(),
        };
        let imm = match flow {
            Flow::Collective(number) => u64::from(*number),
            _ => index as u64,
        };
        place(Op::new(pair).imm(imm), pc)
    }

    pub(crate) fn function_index(&self, module: &ModuleInfo, name: &str) -> Option<u32> {
        self.indices.get(&module.function_number(name)?).copied()
    }
}

impl Decoder<'_> {
    fn number(&self) -> Option<u32> {
        self.module.function_number(&self.function.name)
    }

    /// Where a shared variable lies.
    pub(crate) fn shared_offset(&self, name: &str) -> Option<u64> {
        let shared = &self.kernel.shared;
        let own = shared.get(&(self.number(), SmolStr::new(name)));
        own.or_else(|| shared.get(&(None, SmolStr::new(name))))
            .copied()
    }

    /// Where a kernel parameter lies.
    pub(crate) fn param_offset(&self, name: &str) -> Result<u32, String> {
        let (offsets, _) = self
            .function
            .param_layout()
            .ok_or("the parameters are too large")?;
        let index = self
            .function
            .params
            .iter()
            .position(|param| param.name == name);
        index
            .and_then(|index| offsets.get(index))
            .map(|&offset| offset as u32)
            .ok_or_else(|| format!("`{name}` is no parameter"))
    }
}

/// Decodes an entry and all that it may reach.
pub(crate) fn kernel(info: &ModuleInfo, entry: &ptx::Function) -> Result<Code, Box<Unsupported>> {
    let reached = reachable(info, entry);
    let (shared, shared_bytes) = shared_layout(info, &reached).map_err(|what| {
        Box::new(Unsupported {
            what,
            function: entry.name.to_string(),
            ptx_line: entry.span.line,
            place: None,
        })
    })?;
    if let Some(shape) = entry.required_cluster()
        && shape.iter().any(|&blocks| blocks > 1)
    {
        let [x, y, z] = shape;
        return Err(Box::new(Unsupported {
            what: format!("clusters of ({x}, {y}, {z}) blocks: a cluster has one block here"),
            function: entry.name.to_string(),
            ptx_line: entry.span.line,
            place: None,
        }));
    }
    let params_len = entry
        .param_layout()
        .map_or(0, |(_, size)| size)
        .min(1 << 16) as u32;
    let mut builder = KernelBuilder {
        functions: Vec::new(),
        ins: Vec::new(),
        info: Vec::new(),
        controls: Vec::new(),
        control_at: HashMap::new(),
        guarded: Vec::new(),
        guards: Vec::new(),
        accesses: Vec::new(),
        collectives: Vec::new(),
        joins: Joins::default(),
        checks: Vec::new(),
        params_len,
        effects: Vec::new(),
        unfollowed: false,
        indices: reached
            .iter()
            .enumerate()
            .map(|(i, &n)| (n, i as u32))
            .collect(),
        shared,
    };
    let level = Level::detect();
    for (index, &number) in reached.iter().enumerate() {
        let Some(function) = info.function(number) else {
            continue;
        };
        let start = builder.ins.len() as u32;
        let decoder = Decoder {
            module: info,
            function,
            names: Names::new(function),
            scope: 0,
            frame: frame::Frame::default(),
            is_entry: index == 0,
            level,
            carry: None,
            start,
            kernel: &mut builder,
        };
        let code = decoder.decode()?;
        builder.functions.push(code);
    }
    Ok(finish::finish(info, entry, builder, shared_bytes))
}

/// The functions that a kernel may reach, the entry first.
fn reachable(info: &ModuleInfo, entry: &ptx::Function) -> Vec<u32> {
    let Some(first) = info.function_number(&entry.name) else {
        return Vec::new();
    };
    let mut order = vec![first];
    let mut seen = HashSet::from([first]);
    let mut at = 0;
    while at < order.len() {
        let Some(function) = info.function(order[at]) else {
            break;
        };
        at += 1;
        let mut found = Vec::new();
        let mut indirect = false;
        function.for_each_instruction(|instruction| {
            if let Some(call) = instruction.call() {
                indirect |= call.prototype.is_some();
            }
            for operand in &instruction.operands {
                visit_names(operand, &mut |name| {
                    found.extend(info.function_number(name))
                });
            }
        });
        if indirect {
            for variable in globals(&info.module) {
                if let Some(initializer) = &variable.initializer {
                    visit_initializer(initializer, &mut |name| {
                        found.extend(info.function_number(name));
                    });
                }
            }
        }
        for number in found {
            let callable = info
                .function(number)
                .is_some_and(|function| !function.is_entry);
            if callable && seen.insert(number) {
                order.push(number);
            }
        }
    }
    order
}

fn visit_names(operand: &Operand, visit: &mut impl FnMut(&str)) {
    match operand {
        Operand::Name(name) | Operand::Offset(name, _) => visit(name),
        Operand::Address(address) => {
            if let Some(name) = address.name() {
                visit(name);
            }
        }
        Operand::Vector(list) | Operand::List(list) => {
            list.iter().for_each(|operand| visit_names(operand, visit));
        }
        Operand::Pair(pair) => pair.iter().for_each(|operand| visit_names(operand, visit)),
        _ => {}
    }
}

fn visit_initializer(initializer: &ptx::Initializer, visit: &mut impl FnMut(&str)) {
    match initializer {
        ptx::Initializer::Address { name, .. } => visit(name),
        ptx::Initializer::List(list) => list.iter().for_each(|item| visit_initializer(item, visit)),
        ptx::Initializer::Immediate(_) => {}
    }
}

type SharedLayout = HashMap<(Option<u32>, SmolStr), u64>;

/// Lays out the shared variables that the functions name: static ones first, then the dynamic
/// array, which all `.extern` declarations share.
fn shared_layout(info: &ModuleInfo, functions: &[u32]) -> Result<(SharedLayout, u32), String> {
    let mut layout = SharedLayout::new();
    let mut end = 0u64;
    let mut dynamic = Vec::new();
    let mut align_dynamic = 16;
    let module_level: HashMap<&str, &Variable> = info
        .module
        .variables()
        .filter(|v| v.space.base() == StateSpace::Shared)
        .map(|v| (v.name.as_str(), v))
        .collect();
    let mut place = |key: (Option<u32>, SmolStr),
                     size: Option<u64>,
                     align: u64,
                     is_dynamic: bool|
     -> Result<(), String> {
        let align = align.clamp(1, 1024).next_power_of_two();
        if layout.contains_key(&key) {
            return Ok(());
        }
        if is_dynamic {
            align_dynamic = align_dynamic.max(align);
            layout.insert(key.clone(), 0);
            dynamic.push(key);
            return Ok(());
        }
        let start = end.next_multiple_of(align);
        let size = size.filter(|&size| size < 1 << 30);
        end = start + size.ok_or_else(|| format!("`{}` is too large", key.1))?;
        layout.insert(key, start);
        Ok(())
    };
    for &number in functions {
        let Some(function) = info.function(number) else {
            continue;
        };
        for variable in function.locals() {
            if variable.space.base() == StateSpace::Shared {
                let key = (Some(number), variable.name.clone());
                let is_dynamic = variable.is_dynamic_shared();
                place(key, variable.size(), variable.alignment(), is_dynamic)?;
            }
        }
        let mut named: Vec<&Variable> = Vec::new();
        function.for_each_instruction(|instruction| {
            for operand in &instruction.operands {
                visit_names(operand, &mut |name| {
                    named.extend(module_level.get(name).copied())
                });
            }
        });
        for variable in named {
            let key = (None, variable.name.clone());
            place(
                key,
                variable.size(),
                variable.alignment(),
                variable.is_dynamic_shared(),
            )?;
        }
    }
    let end = end.next_multiple_of(align_dynamic);
    for key in dynamic {
        layout.insert(key, end);
    }
    match u32::try_from(end) {
        Ok(bytes) if bytes <= 1 << 30 => Ok((layout, bytes)),
        _ => Err(format!("{end} bytes of shared memory")),
    }
}
