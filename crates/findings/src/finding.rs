//! A finding, in words: everything a report needs, and nothing of how it was found.

/// What was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A block of code did not execute atomically.
    Atomicity,
}

impl Kind {
    /// The word in machine formats.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Atomicity => "atomicity",
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
    /// The events of the cycle in the order of the chain: the first access, the interloping
    /// steps of other threads, the closing access.
    pub steps: Vec<Step>,
    /// The transactions of the cycle; the first is the one in which it closed.
    pub transactions: Vec<Transaction>,
    /// The dependences of the cycle, in order; the last one closes it.
    pub edges: Vec<Edge>,
}
