//! Accesses that need less than a whole probe, because the same window has one of the same object before.
//!
//! While a window is open nobody takes an object from its thread, so what was found out about it still
//! holds, and what happens to a field again happens at the same moment for everybody else. But a probe may
//! have to close the window for a while, to take over what it is about: from then on only the object of
//! that very probe is certain; and from a poll on, nothing.
//!
//! So accesses of one group of an object's fields that follow each other are made together ([`Need::Together`]): the first one gets hold of the object for all of them, looks whether all of them are told already, and leaves the number of windows closed so far in a
//! local variable if so. The others have nothing to do as long as it is the same. If they are not told, each tells what it does, and the last
//! one remembers that all have.

use crate::loops::Rounds;
use crate::plan::{Action, Own, Plan};
use crate::values::{Value, Values};
use crate::windows::{self, Step};
use interloper_jvm::{Body, ConstantPool, Instruction, PoolIndex};

/// So many objects of a window are looked after at most.
const MOST: usize = 32;

/// What an access needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// A look at the state, and a record.
    Probe,
    /// The same, together with others of the same object: which of those in the window, whether some of them write, and
    /// which of them this is.
    Together { number: usize, write: bool, turn: Turn },
    /// A record: the state is known to allow the access.
    Record,
    /// Nothing: the window has told it already.
    Nothing,
}

impl Need {
    /// How many numbers of accesses made together a window needs for this.
    pub(crate) fn together(&self) -> usize {
        match self {
            Need::Together { number, .. } => number + 1,
            _ => 0,
        }
    }
}

/// The place of an access among those that it is made together with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    First,
    Next,
    Last,
}

/// What the accesses of a method need, in order.
///
/// What loops look after by themselves is not made together with others.
pub(crate) fn needs(
    plan: &Plan<'_>,
    body: &Body<'_>,
    pool: &ConstantPool<'_>,
    (rounds, steps): (&Rounds, &[Step]),
    in_block: bool,
) -> Vec<Need> {
    let elements_differ = plan.elements_differ;
    let mut repeats = Repeats { elements_differ, in_block, ..Repeats::default() };
    let mut actions = plan.actions.iter().peekable();
    for block in &body.blocks {
        repeats.values.forget();
        repeats.close();
        for i in block.instructions.clone() {
            let instruction = &body.instructions[i].instruction;
            let action = actions.next_if(|(at, _)| *at == i).map(|(_, action)| action);
            if !windows::goes_on(i, action, instruction, plan, pool) {
                repeats.close();
            }
            if steps[i] == Step::Poll {
                repeats.be_uncertain();
            }
            if let Some(action) = action.filter(|it| it.is_access()) {
                repeats.access(action, instruction, rounds.number(i).is_some());
            }
            repeats.values.step(instruction, pool);
        }
    }
    repeats.close();
    repeats.needs
}

/// Whether objects may be for others to see from an access on, so that they need other records than before.
fn may_hand_over(action: &Action<'_>) -> bool {
    match action {
        // Others' fields may be volatile.
        Action::Field { write, own, .. } => *write && *own != Own::Plain,
        Action::Static { write, .. } => *write,
        _ => false,
    }
}

/// A variable of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variable {
    Field(PoolIndex),
    Element(Value),
}

/// What has one state: a group of fields of an object (see `groups.rs`), or an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Guarded {
    object: Value,
    group: usize,
}

/// What is known in a window.
#[derive(Debug, Default)]
struct Repeats {
    values: Values,
    /// Whether one element of an array says nothing about others.
    elements_differ: bool,
    /// Whose state is known.
    object: Option<Guarded>,
    /// What it is known to be, if it is an array's.
    certain: Option<Certain>,
    /// Whether all of it is in a block.
    in_block: bool,
    /// What was told of it, and whether it was a write.
    told: Vec<(Variable, bool)>,
    /// Accesses of the window that are made together.
    together: Vec<Together>,
    /// What the accesses need, in order.
    needs: Vec<Need>,
}

/// Accesses of one object, by their places among all.
#[derive(Debug)]
struct Together {
    object: Guarded,
    write: bool,
    accesses: Vec<usize>,
}

/// The state of an array: it may be read, or written, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Certain {
    Read,
    Write,
}

impl Repeats {
    /// The window is closed.
    fn close(&mut self) {
        self.be_uncertain();
        let groups = self.together.drain(..).filter(|it| it.accesses.len() > 1);
        for (number, Together { write, accesses, .. }) in groups.enumerate() {
            let count = accesses.len();
            for (i, access) in accesses.into_iter().enumerate() {
                let turn = match i {
                    0 => Turn::First,
                    _ if i + 1 == count => Turn::Last,
                    _ => Turn::Next,
                };
                self.needs[access] = Need::Together { number, write, turn };
            }
        }
    }

    fn be_uncertain(&mut self) {
        self.object = None;
        self.certain = None;
        self.told.clear();
    }

    /// Finds out what an instruction needs that makes an access; afterwards it has it.
    fn access(&mut self, action: &Action<'_>, instruction: &Instruction<'_>, in_round: bool) {
        if may_hand_over(action) {
            self.close();
        }
        let need = match self.subject(action, instruction) {
            Some((object, variable)) => self.need(action, object, variable, in_round),
            None => {
                self.be_uncertain();
                Need::Probe
            }
        };
        self.needs.push(need);
    }

    fn need(
        &mut self,
        action: &Action<'_>,
        object: Value,
        variable: Variable,
        in_round: bool,
    ) -> Need {
        let (write, own, group) = match action {
            Action::Field { write, own, group, .. } => (*write, *own, *group),
            Action::Element { write, .. } => (*write, Own::No, 0),
            _ => (true, Own::No, 0),
        };
        if self.elements_differ && matches!(action, Action::Element { .. }) {
            self.be_uncertain();
            return Need::Probe;
        }
        let object = Guarded { object, group };
        let same = self.object == Some(object);
        if same && self.is_told(variable, write) {
            return Need::Nothing;
        }
        let wanted = if write { Certain::Write } else { Certain::Read };
        if same && self.certain >= Some(wanted) {
            self.told.push((variable, write));
            return Need::Record;
        }
        if !same || own != Own::Plain || in_round {
            self.be_uncertain();
        }
        if own == Own::Volatile {
            return Need::Probe;
        }
        self.object = Some(object);
        self.told.push((variable, write));
        if matches!(action, Action::Element { .. }) {
            self.certain = Some(wanted);
        } else if own == Own::Plain && !in_round {
            self.join(object, write);
        }
        Need::Probe
    }

    /// The next access is made together with others of the same object.
    fn join(&mut self, object: Guarded, write: bool) {
        let i = self.needs.len();
        if let Some(together) = self.together.iter_mut().find(|it| it.object == object) {
            together.write |= write;
            together.accesses.push(i);
        } else if self.together.len() < MOST {
            self.together.push(Together { object, write, accesses: vec![i] });
        }
    }

    /// Whether the window has told of an access as much as another one would tell. Outside of blocks, another variable in between may be what makes the
    /// thread depend on others, and then it matters that this one is accessed after it.
    fn is_told(&self, variable: Variable, write: bool) -> bool {
        let from = if self.in_block { 0 } else { self.told.len().saturating_sub(1) };
        self.told[from..].iter().any(|(it, written)| *it == variable && (*written || !write))
    }

    /// The object and the variable of an access, as they lie on the stack.
    fn subject(
        &self,
        action: &Action<'_>,
        instruction: &Instruction<'_>,
    ) -> Option<(Value, Variable)> {
        let value = |write, wide| match (write, wide) {
            (false, _) => 0,
            (true, false) => 1,
            (true, true) => 2,
        };
        match (action, *instruction) {
            (
                Action::Field { write, wide, .. },
                Instruction::GetField(index) | Instruction::PutField(index),
            ) => {
                let object = self.values.below_top(value(*write, *wide))?;
                Some((object, Variable::Field(index)))
            }
            (Action::Element { write, wide }, _) => {
                let above = value(*write, *wide);
                let index = self.values.below_top(above)?;
                Some((self.values.below_top(above + 1)?, Variable::Element(index)))
            }
            _ => None,
        }
    }
}
