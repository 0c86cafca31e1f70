//! What is to be inserted into a method.

use super::snippet::Snippet;
use crate::code::Code;
use crate::instruction::{Local, Pc};
use std::collections::BTreeMap;

/// Insertions into one method. Positions are those of the unedited code.
#[derive(Debug, Clone, Default)]
pub struct CodeEdit {
    pub(super) entry: Snippet,
    pub(super) guard: Option<Guard>,
    pub(super) before: BTreeMap<Pc, Snippet>,
    pub(super) after: BTreeMap<Pc, Snippet>,
    pub(super) around: Option<Around>,
    pub(super) more_stack: u16,
    pub(super) own: OwnSlots,
}

/// What a local variable of an edit holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LocalKind {
    /// An object of a class, by its internal name (arrays: by their descriptor), or null.
    Reference(String),
    /// An int.
    Int,
}

/// The slots of an edit, behind those of the method.
#[derive(Debug, Clone, Default)]
pub(super) struct OwnSlots {
    /// How many slots the method has: the first of the edit's own.
    pub(super) behind: u16,
    /// How many slots the edit has; may be more than there can be.
    pub(super) count: u32,
    /// Those that have a value in the whole method, in order. The others belong to no frame.
    pub(super) lasting: Vec<(Local, LocalKind)>,
}

impl OwnSlots {
    fn take(&mut self, slots: u16) -> Local {
        let first = self.count.saturating_add(u32::from(self.behind));
        self.count = self.count.saturating_add(u32::from(slots));
        // If there is no such slot, the edit is refused as a whole.
        Local(u16::try_from(first).unwrap_or(u16::MAX))
    }
}

/// A handler for whatever leaves the method by an exception.
#[derive(Debug, Clone)]
pub(super) struct Around {
    pub(super) from: Pc,
    pub(super) handler: Snippet,
}

/// What a call does instead of the body, unless all conditions hold.
#[derive(Debug, Clone)]
pub(super) struct Guard {
    pub(super) conditions: Vec<Snippet>,
    pub(super) then: Snippet,
    pub(super) otherwise: Snippet,
}

/// The size of the jump behind a condition: an `ifeq`.
pub(super) const JUMP: usize = 3;

impl Guard {
    /// The size of what stands at the entry.
    pub(super) fn size(&self) -> usize {
        let conditions = self.conditions.iter().map(|it| it.bytes().len() + JUMP);
        conditions.sum::<usize>() + self.then.bytes().len()
    }
}

impl CodeEdit {
    /// Nothing is to be inserted.
    pub fn new() -> CodeEdit {
        CodeEdit::default()
    }

    /// Nothing is to be inserted into this code yet. Only such an edit can have local variables, and
    /// only for this code.
    pub fn for_code(code: &Code<'_>) -> CodeEdit {
        let own = OwnSlots { behind: code.max_locals, ..OwnSlots::default() };
        CodeEdit { own, ..CodeEdit::default() }
    }

    /// A local variable that lives as long as the call. The snippet at the entry must set it; all
    /// others can read it, those in exception handlers too, and set it to a value of the same kind.
    pub fn add_local(&mut self, kind: LocalKind) -> Local {
        let local = self.own.take(1);
        self.own.lasting.push((local, kind));
        local
    }

    /// The first of so many slots that every snippet can use for itself. Nothing is in them when a
    /// snippet begins.
    pub fn temporaries(&mut self, slots: u16) -> Local {
        self.own.take(slots)
    }

    /// Whether nothing is to be inserted.
    pub fn is_empty(&self) -> bool {
        let CodeEdit { entry, guard, before, after, around, .. } = self;
        entry.is_empty()
            && guard.is_none()
            && before.is_empty()
            && after.is_empty()
            && around.is_none()
    }

    /// Once at the beginning of each call: a loop back to the first instruction does not pass it.
    pub fn at_entry(&mut self, snippet: Snippet) {
        self.entry = snippet;
    }

    /// Behind the snippet at the entry: conditions, each of which leaves an int. As soon as one is 0, the call goes on with
    /// `otherwise`, which finds nothing but the parameters and must leave the method; else with `then` and the body. What is to be done
    /// when an exception leaves the body is done for the conditions, too, and not for `otherwise`. Not for constructors.
    pub fn guard(&mut self, conditions: Vec<Snippet>, then: Snippet, otherwise: Snippet) {
        self.guard = Some(Guard { conditions, then, otherwise });
    }

    /// How many bytes stand before the body.
    pub(super) fn entry_size(&self) -> usize {
        self.entry.bytes().len() + self.guard.as_ref().map_or(0, Guard::size)
    }

    /// Before this instruction, on every way to it. Jumps to the instruction, and exception
    /// handlers that begin with it, go to the snippet. Only when the handler that releases a monitor
    /// fails itself, it is tried again without what is inserted.
    pub fn before(&mut self, pc: Pc, snippet: Snippet) {
        self.before.insert(pc, snippet);
    }

    /// After this instruction, when it has completed and goes on with the next one (a jump that is taken
    /// does not pass it).
    ///
    /// After a `monitorenter` the snippet is put under the handler that releases the monitor, if that
    /// begins with the next instruction; after a `monitorexit` it is not put under the handler that
    /// ends there. Compilers refuse methods in which this is otherwise.
    pub fn after(&mut self, pc: Pc, snippet: Snippet) {
        self.after.insert(pc, snippet);
    }

    /// When an exception leaves the code from this instruction on to the end. The snippet finds the
    /// throwable, and nothing else, on the stack; it must throw it again in the end.
    pub fn on_exception(&mut self, from: Pc, handler: Snippet) {
        self.around = Some(Around { from, handler });
    }

    /// The snippets need so many more slots of the operand stack than are in use where they stand.
    pub fn need_stack(&mut self, slots: u16) {
        self.more_stack = self.more_stack.max(slots);
    }
}
