//! What an engine observed, in ids: the interface between engines and findings.

use crate::warning::{Sameness, Warning};
use interloper_trace::{LabelId, Op, Position, SiteId, ThreadId};

/// One end of a dependence: an event, and the transaction it belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The event's position in the trace.
    pub event: Position,
    /// Its thread.
    pub thread: ThreadId,
    /// What it did.
    pub op: Op,
    /// The operand of `op`.
    pub operand: u32,
    /// Where in the source.
    pub site: SiteId,
    /// The label of the transaction it is part of ([`LabelId::OUTSIDE`] outside blocks).
    pub label: LabelId,
    /// Whether the same transaction also contains the neighbouring access on the cycle: for the
    /// source of a dependence, the target of the dependence before it. Meaningless for targets.
    pub same_transaction: bool,
}

/// An edge of the cycle: `from` happened before `to` and conflicts with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dependence {
    /// The earlier event.
    pub from: Access,
    /// The later event, of another thread.
    pub to: Access,
}

/// An atomic block that was open when the cycle closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenBlock {
    /// The block's label.
    pub label: LabelId,
    /// The position of its `begin`.
    pub begin: Position,
    /// Where in the source it begins.
    pub site: SiteId,
    /// Whether the block contains both ends of a path of dependences that left it and came back:
    /// then no equivalent run executes this block serially.
    pub refuted: bool,
}

/// The observed order of events has no equivalent serial one; this event made it so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The event that closed the cycle.
    pub event: Position,
    /// Its thread.
    pub thread: ThreadId,
    /// The blocks open in that thread, outermost (the transaction) first. The transaction is to
    /// blame if it is refuted; if no block is, every transaction on the cycle could have run
    /// serially by itself, only not all of them together.
    pub blocks: Vec<OpenBlock>,
    /// The cycle: the first dependence leaves the transaction, each next one starts in the thread
    /// where the one before arrived, the last one comes back and closes the cycle.
    pub cycle: Vec<Dependence>,
}

/// What makes two violations the same bug for a programmer: the same block, and the same pair of
/// places, the interloper's and the block's, between which the cycle closed.
///
/// All exact engines give a violation the same key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    /// The innermost refuted block, or the transaction if nobody is to blame.
    pub label: LabelId,
    /// Where that block begins, if it has no label: its name, so to speak.
    pub begins: SiteId,
    /// Whether somebody is to blame.
    pub blamed: bool,
    /// The place of the closing dependence's source. If there are several such dependences, of one
    /// that refutes the most blocks, and of these the source that came first.
    pub interloper: SiteId,
    /// The place where the cycle closed.
    pub closes: SiteId,
}

impl Key {
    /// The key of a violation: `block` is the label and the beginning of the innermost refuted block,
    /// or of the transaction if nobody is to blame.
    pub fn new(block: (LabelId, SiteId), blamed: bool, interloper: SiteId, closes: SiteId) -> Key {
        let (label, begins) = block;
        let begins = if label == LabelId::UNNAMED { begins } else { SiteId::UNKNOWN };
        Key { label, begins, blamed, interloper, closes }
    }
}

/// Where engines report to.
pub trait Sink {
    /// Counts a violation. `true`: it is the first of its kind, and the engine must explain it by a
    /// call of [`Sink::explain`]. (Explaining costs more than finding.)
    fn count(&mut self, event: Position, key: Key) -> bool;

    /// Takes the explanation of the violation counted last.
    fn explain(&mut self, key: Key, violation: Violation);

    /// Counts a warning. `true`: it is the first of its kind, and the engine must describe it by a
    /// call of [`Sink::describe`]. (By default, for those who only collect violations: nothing.)
    fn warn(&mut self, _event: Position, _same: Sameness) -> bool {
        false
    }

    /// Takes the description of the warning counted last.
    fn describe(&mut self, _same: Sameness, _warning: Warning) {}
}
