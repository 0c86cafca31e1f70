//! A finding, in words: everything a report needs, and nothing of how it was found.

use crate::pattern::LockPattern;
use crate::review::Review;

/// What was found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A block of code did not execute atomically, or need not.
    Atomicity,
    /// Two threads access a variable, one of them writes, and nothing keeps them apart.
    Race,
    /// Threads can come to wait for each other for ever.
    Deadlock,
    /// Code that acquires a lock twice while it holds another.
    Pattern,
}

impl Kind {
    /// The word in machine formats.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Atomicity => "atomicity",
            Kind::Race => "race",
            Kind::Deadlock => "deadlock",
            Kind::Pattern => "pattern",
        }
    }
}

/// How sure a finding is; the surest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Certainty {
    /// It happened in the observed run.
    Observed,
    /// It did not happen, but another schedule of the same events makes it happen (as far as the
    /// engine's documentation promises).
    Predicted,
    /// The engine could not show that it cannot happen.
    Possible,
}

impl Certainty {
    /// The word in machine formats.
    pub fn word(self) -> &'static str {
        match self {
            Certainty::Observed => "observed",
            Certainty::Predicted => "predicted",
            Certainty::Possible => "possible",
        }
    }
}

/// One event on the cycle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Its position in the trace.
    pub event: u64,
    /// Its thread's name.
    pub thread: String,
    /// The operation as text traces write it: `r(balance)`.
    pub op: String,
    /// The same for people: `reads balance`.
    pub action: String,
    /// Where in the source, as the trace gives it (`Account.java:12`); empty if unknown.
    pub at: String,
    /// The locks that its thread held; `None` if the engine does not keep track.
    pub held: Option<Vec<String>>,
}

/// A transaction on the cycle: a box of the error graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transaction {
    /// Its thread's name.
    pub thread: String,
    /// Its label; `None` for an event outside any block, empty for a block without a label.
    pub label: Option<String>,
    /// Whether it is to blame.
    pub blamed: bool,
}

/// A dependence between two transactions of the cycle: an edge of the error graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Index into [`Finding::transactions`].
    pub from: usize,
    /// Index into [`Finding::transactions`].
    pub to: usize,
    /// The event it leaves from; `None` for the order of two transactions of one thread.
    pub source: Option<Step>,
    /// The event it arrives at; `None` for the order of two transactions of one thread.
    pub target: Option<Step>,
    /// Why the order cannot be turned: `write before read of balance`, `program order`.
    pub reason: String,
    /// Whether this is the dependence that closed the cycle.
    pub closing: bool,
}

/// A block that was open in the blamed thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its label, empty if it has none.
    pub label: String,
    /// The position of its `begin`.
    pub begin: u64,
    /// Where it begins; empty if unknown.
    pub at: String,
    /// Whether the finding refutes its atomicity.
    pub refuted: bool,
}

/// Who is to blame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blame {
    /// The thread's name.
    pub thread: String,
    /// The transaction's label; empty if it has none.
    pub label: String,
    /// The position of its `begin`.
    pub begin: u64,
    /// Whether the trace proves it.
    pub certain: bool,
    /// The labels of all refuted blocks, outermost first.
    pub refuted: Vec<String>,
}

/// Something found in a trace; violations that are the same bug are one finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What it is.
    pub kind: Kind,
    /// How sure it is.
    pub certainty: Certainty,
    /// What it is about, in a word: the block (`Account.withdraw`), the variable, the locks.
    pub subject: String,
    /// Names this bug in every run and for every engine: a hash of what makes it the same bug.
    pub fingerprint: String,
    /// The event of its first occurrence.
    pub event: u64,
    /// How often it occurred.
    pub count: u64,
    /// Who is to blame; `None` where nobody is.
    pub blame: Option<Blame>,
    /// The thread whose event closed the cycle.
    pub thread: String,
    /// The blocks open in that thread, outermost first.
    pub blocks: Vec<Block>,
    /// One sentence: `Account.withdraw is not atomic`.
    pub message: String,
    /// The events it rests on. Observed: those of the cycle in the order of the chain: the first
    /// access, the interloping steps of other threads, the closing access. Otherwise in the order
    /// that makes the trouble, which is not the order in which they were seen.
    pub steps: Vec<Step>,
    /// The transactions of the cycle; the first is the one in which it closed.
    pub transactions: Vec<Transaction>,
    /// The dependences of the cycle, in order; the last one closes it.
    pub edges: Vec<Edge>,
    /// Why, in sentences, beside what steps and edges show.
    pub notes: Vec<String>,
    /// What was decided of it before.
    pub review: Review,
    /// All of a lock pattern, of which the other fields tell the first place; `None` for other kinds.
    pub pattern: Option<Box<LockPattern>>,
}
