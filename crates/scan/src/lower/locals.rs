//! The local variables of a method: slots, and the names they have in the source.

use hashbrown::HashMap;

use crate::ir::LocalId;
use interloper_jvm::{ClassFile, Code, Instruction, Local, Located, Member, Pc, PoolIndex};

/// A local variable that some expression names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub slot: u16,
    /// The constant that is its name in the source.
    pub name: Option<PoolIndex>,
    /// Whether it stands for the argument the method was called with, which never changes.
    pub formal: bool,
}

/// The variables of a method. Formal parameters come first; others are added as they are used.
///
/// A parameter that is assigned to in the method is two variables: the argument, which the caller knows, and a local
/// variable that begins as a copy of it.
#[derive(Debug)]
pub(super) struct Locals {
    pub variables: Vec<Variable>,
    /// Those that are not formal parameters, by slot and name.
    ids: HashMap<(u16, Option<PoolIndex>), LocalId, foldhash::fast::FixedState>,
    /// The local variable table, ordered by slot and start.
    table: Vec<Range>,
}

/// A slot has this name in this part of the code.
#[derive(Clone, Copy, Debug)]
struct Range {
    slot: u16,
    start: u16,
    end: u32,
    name: PoolIndex,
}

impl Locals {
    /// Reads the local variable table. Debugging information can be anything: what cannot be read is not there.
    pub fn new(file: &ClassFile<'_>, method: &Member<'_>, code: &Code<'_>) -> Locals {
        let variables = file.local_variables(method, code).unwrap_or_default();
        let range = |it: &interloper_jvm::LocalVariable| Range {
            slot: it.slot.0,
            start: it.start.0,
            end: it.end,
            name: it.name,
        };
        let mut table: Vec<Range> = variables.iter().map(range).collect();
        table.sort_by_key(|it| (it.slot, it.start));
        Locals { variables: Vec::new(), ids: HashMap::default(), table }
    }

    /// The name of a slot at a place in the code.
    fn name_at(&self, slot: u16, pc: Pc) -> Option<PoolIndex> {
        // ranges of a slot do not overlap, so that the last that has begun is the only one
        let behind = self.table.partition_point(|it| (it.slot, it.start) <= (slot, pc.0));
        let range = self.table[..behind].last()?;
        (range.slot == slot && u32::from(pc.0) < range.end).then_some(range.name)
    }

    /// Adds the next formal parameter.
    pub fn formal(&mut self, slot: u16) -> LocalId {
        let name = self.name_at(slot, Pc(0));
        self.variables.push(Variable { slot, name, formal: true });
        LocalId::from_index(self.variables.len() - 1)
    }

    /// The variable in a slot at a place in the code.
    pub fn variable(&mut self, slot: u16, pc: Pc) -> LocalId {
        let name = self.name_at(slot, pc);
        *self.ids.entry((slot, name)).or_insert_with(|| {
            self.variables.push(Variable { slot, name, formal: false });
            LocalId::from_index(self.variables.len() - 1)
        })
    }
}

/// The slot that an instruction changes.
pub(super) fn stored(instruction: &Instruction<'_>) -> Option<(Local, u8)> {
    match *instruction {
        Instruction::Store(kind, local) => Some((local, kind.slots())),
        Instruction::Increment(local, _) => Some((local, 1)),
        _ => None,
    }
}

/// How many slots the instructions use.
pub(super) fn slots_used(instructions: &[Located<'_>]) -> usize {
    let highest = instructions.iter().map(|it| match it.instruction {
        Instruction::Load(kind, local) | Instruction::Store(kind, local) => {
            usize::from(local.0) + usize::from(kind.slots())
        }
        Instruction::Increment(local, _) | Instruction::Ret(local) => usize::from(local.0) + 1,
        _ => 0,
    });
    highest.max().unwrap_or(0)
}
