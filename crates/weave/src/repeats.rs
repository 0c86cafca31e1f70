//! Accesses that need less than a whole probe, because the same window has one of the same object before.
//!
//! While a window is open nobody takes an object from its thread, so what was found out about it still
//! holds, and what happens to a field again happens at the same moment for everybody else. But a probe may
//! have to close the window for a while, to take over what it is about: from then on only the object of
//! that very probe is certain. Of all others it is so only if the thread has closed no window since, which a probe can
//! find out by the number of windows at the beginning.

use crate::plan::{Action, Own, Plan};
use crate::values::{Value, Values};
use crate::windows;
use interloper_jvm::{Body, ConstantPool, Instruction, PoolIndex};

/// What an access needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// A look at the state, and a record.
    Probe,
    /// The same, and then the number of windows that were closed so far.
    Noting,
    /// A record, and a look at the state unless the number of windows is still the same.
    Perhaps,
    /// A record: the state is known to allow the access.
    Record,
    /// Nothing: the window has told it already.
    Nothing,
}

/// What the accesses of a method need, in order.
pub(crate) fn needs(plan: &Plan<'_>, body: &Body<'_>, pool: &ConstantPool<'_>) -> Vec<Need> {
    let mut repeats = Repeats::default();
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
            if let Some(action) = action.filter(|it| it.is_access()) {
                repeats.access(action, instruction);
            }
            repeats.values.step(instruction, pool);
        }
    }
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
    /// Whose state is known, and to be what.
    object: Option<Guarded>,
    certain: Option<Certain>,
    /// What was told of it, and whether it was a write.
    told: Vec<(Variable, bool)>,
    /// All objects whose state was looked at since the number of windows was noted, or could have been.
    looked_at: Vec<(Guarded, Certain)>,
    noted_at: Option<usize>,
    /// What the accesses need, in order.
    needs: Vec<Need>,
}

/// The state of an array, or of an object whose class has it in a field: it may be read, or written, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Certain {
    Read,
    Write,
}

impl Repeats {
    /// The window is closed.
    fn close(&mut self) {
        self.be_uncertain();
        self.looked_at.clear();
        self.noted_at = None;
    }

    fn be_uncertain(&mut self) {
        self.object = None;
        self.certain = None;
        self.told.clear();
    }

    /// Finds out what an instruction needs that makes an access; afterwards it has it.
    fn access(&mut self, action: &Action<'_>, instruction: &Instruction<'_>) {
        if may_hand_over(action) {
            self.close();
        }
        let need = match self.subject(action, instruction) {
            Some((object, variable)) => self.need(action, object, variable),
            None => {
                self.be_uncertain();
                Need::Probe
            }
        };
        if need == Need::Perhaps
            && let Some(noted) = self.noted_at
        {
            self.needs[noted] = Need::Noting;
        }
        self.needs.push(need);
    }

    fn need(&mut self, action: &Action<'_>, object: Value, variable: Variable) -> Need {
        let (write, own, group) = match action {
            Action::Field { write, own, group, .. } => (*write, *own, *group),
            Action::Element { write, .. } => (*write, Own::No, 0),
            _ => (true, Own::No, 0),
        };
        let object = Guarded { object, group };
        if self.object == Some(object) && self.is_told(variable, write) {
            return Need::Nothing;
        }
        let wanted = if write { Certain::Write } else { Certain::Read };
        let element = matches!(action, Action::Element { .. });
        let known = element || own == Own::Plain;
        if self.object == Some(object) && known && self.certain >= Some(wanted) {
            self.told.push((variable, write));
            return Need::Record;
        }
        self.be_uncertain();
        if own == Own::Volatile {
            return Need::Probe;
        }
        self.object = Some(object);
        self.told.push((variable, write));
        if element {
            self.certain = Some(wanted);
        }
        if own == Own::No {
            return Need::Probe;
        }
        let before = self.looked_at.iter().filter(|(it, _)| *it == object).map(|it| it.1).max();
        self.certain = Some(wanted);
        if before >= Some(wanted) {
            return Need::Perhaps;
        }
        self.looked_at.push((object, wanted));
        self.noted_at.get_or_insert(self.needs.len());
        Need::Probe
    }

    /// Whether the window has told of an access as much as another one would tell.
    fn is_told(&self, variable: Variable, write: bool) -> bool {
        self.told.iter().any(|(it, written)| *it == variable && (*written || !write))
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
