//! What is to be inserted into a method.

use super::snippet::Snippet;
use crate::instruction::Pc;
use std::collections::BTreeMap;

/// Insertions into one method. Positions are those of the unedited code.
#[derive(Debug, Clone, Default)]
pub struct CodeEdit {
    pub(super) entry: Snippet,
    pub(super) before: BTreeMap<Pc, Snippet>,
    pub(super) after: BTreeMap<Pc, Snippet>,
    pub(super) around: Option<Around>,
    pub(super) more_stack: u16,
    pub(super) more_locals: u16,
}

/// A handler for whatever leaves the method by an exception.
#[derive(Debug, Clone)]
pub(super) struct Around {
    pub(super) from: Pc,
    pub(super) handler: Snippet,
}

impl CodeEdit {
    /// Nothing is to be inserted.
    pub fn new() -> CodeEdit {
        CodeEdit::default()
    }

    /// Whether nothing is to be inserted.
    pub fn is_empty(&self) -> bool {
        let CodeEdit { entry, before, after, around, .. } = self;
        entry.is_empty() && before.is_empty() && after.is_empty() && around.is_none()
    }

    /// Once at the beginning of each call: a loop back to the first instruction does not pass it.
    pub fn at_entry(&mut self, snippet: Snippet) {
        self.entry = snippet;
    }

    /// Before this instruction, on every way to it. Jumps to the instruction, and exception
    /// handlers that begin with it, go to the snippet.
    pub fn before(&mut self, pc: Pc, snippet: Snippet) {
        self.before.insert(pc, snippet);
    }

    /// After this instruction, when it has completed and goes on with the next one (a jump that is taken
    /// does not pass it).
    ///
    /// After a `monitorenter` the snippet is put under the handler that releases the monitor, if that
    /// begins with the next instruction: compilers refuse methods in which it is not.
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

    /// The snippets use so many local variables of their own, behind those of the method.
    pub fn need_locals(&mut self, slots: u16) {
        self.more_locals = self.more_locals.max(slots);
    }
}
