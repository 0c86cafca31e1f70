//! What an engine concludes beyond the observed order, in ids: races, deadlocks, blocks that another
//! schedule could cut in two, blocks that do not reduce.

use crate::finding::{Certainty, Kind};
use crate::violation::{Access, Dependence, OpenBlock};
use interloper_trace::{LabelId, LockId, Position, SiteId, ThreadId, VarId};

/// A name that is part of what makes two warnings the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Mark {
    /// Nothing.
    #[default]
    None,
    /// A block's label.
    Label(LabelId),
    /// A place.
    Site(SiteId),
    /// A variable.
    Var(VarId),
    /// A lock.
    Lock(LockId),
    /// A thread.
    Thread(ThreadId),
}

impl Mark {
    /// A block: by its label, or by where it begins if it has none.
    pub fn block(label: LabelId, begins: SiteId) -> Mark {
        if label == LabelId::UNNAMED { Mark::Site(begins) } else { Mark::Label(label) }
    }

    /// A place, or what is there if the place is not known.
    pub fn place(site: SiteId, otherwise: Mark) -> Mark {
        if site == SiteId::UNKNOWN { otherwise } else { Mark::Site(site) }
    }
}

/// What makes two warnings the same for a programmer. Of places rather than objects where they are
/// known: a thousand objects with the same race are one bug.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sameness {
    /// What is warned of.
    pub kind: Kind,
    /// What it is about; unused ones are [`Mark::None`].
    pub marks: [Mark; Sameness::MARKS],
}

impl Sameness {
    /// How many marks there are at most.
    pub const MARKS: usize = 6;

    /// By these marks, in this order.
    ///
    /// # Panics
    /// If there are more than [`Sameness::MARKS`].
    pub fn new(kind: Kind, marks: &[Mark]) -> Sameness {
        let mut all = [Mark::None; Sameness::MARKS];
        all[..marks.len()].copy_from_slice(marks);
        Sameness { kind, marks: all }
    }
}

/// An event that a warning rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// The event.
    pub access: Access,
    /// The locks that its thread held, in the order of their acquisition where that is known.
    pub held: Vec<LockId>,
}

/// Something that an engine warns of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// What it is.
    pub kind: Kind,
    /// How sure it is.
    pub certainty: Certainty,
    /// One sentence, if the usual one for the kind and the block will not do.
    pub message: Option<String>,
    /// The event at which it was known, or that completes it.
    pub event: Position,
    /// The thread whose block it is about; for races and deadlocks, that of `event`.
    pub thread: ThreadId,
    /// The blocks of that thread around the trouble, outermost first; those with `refuted` are said
    /// not to be atomic.
    pub blocks: Vec<OpenBlock>,
    /// The events it rests on, in the order that makes the trouble: for a race the two accesses, for a
    /// deadlock the acquisitions around the cycle, for a block that can be cut in two the order that
    /// cuts it, for a block that does not reduce the events that do not fit.
    pub steps: Vec<Witness>,
    /// For a block that can be cut in two, the cycle of dependences in that order, as in
    /// [`crate::Violation`]; otherwise empty.
    pub cycle: Vec<Dependence>,
    /// Why, in sentences.
    pub notes: Vec<String>,
}
