//! What the analysis reports.

use crate::ir::MethodId;

/// A place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The method; [`Program`](crate::ir::Program) knows its name and file.
    pub method: MethodId,
    /// The line, 0 if unknown.
    pub line: u32,
}

/// One acquisition of a witness lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acquisition {
    /// The calls that lead to it, the first of them in the witness's method; none if that method locks itself.
    pub calls: Vec<Place>,
    /// Where the lock is acquired.
    pub place: Place,
    /// The lock's name there.
    pub lock: String,
}

impl Acquisition {
    /// Where the witness's method acquires it: by a call, or itself.
    pub fn start(&self) -> Place {
        self.calls.first().copied().unwrap_or(self.place)
    }
}

/// The lock that is held all the while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// Its name in its method; `*` if it has none.
    pub lock: String,
    /// Where it is acquired.
    pub place: Place,
    /// The calls that lead from its method to the witness's method; none if they are the same.
    pub calls: Vec<Place>,
}

/// One instance of the pattern: while the context is held, the witness is acquired and released, and acquired again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The method in which the second acquisition follows the first.
    pub method: MethodId,
    /// The witness's name in that method: of the lock acquired second.
    pub witness: String,
    /// The name of the lock acquired first; another one only with the variant.
    pub first_witness: String,
    /// The lock that is held.
    pub context: Context,
    /// The first acquisition.
    pub first: Acquisition,
    /// The second acquisition.
    pub second: Acquisition,
    /// Other witnesses of the same place, by name: the first few of them.
    pub others: Vec<String>,
    /// How many more there are; with the variant, at least how many.
    pub more: usize,
}

/// A warning: all occurrences that involve the same witness lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// One for each place where the witness is locked the second time, those with a context in their own method first, as many as
    /// [`Options::places_per_warning`](crate::Options::places_per_warning) allows.
    pub occurrences: Vec<Occurrence>,
    /// How many more places there are.
    pub more: usize,
}

/// What the analysis saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Methods with a body.
    pub methods: usize,
    /// Synchronization blocks, synchronized methods included.
    pub regions: usize,
    /// Assignments and calls.
    pub statements: usize,
    /// Calls.
    pub calls: usize,
    /// Methods whose blocks are nested too deeply to be analysed.
    pub deep_methods: usize,
    /// Methods that acquire locks, themselves or through calls.
    pub locking_methods: usize,
    /// Different static locks and class literals, and what is reached from them.
    pub global_locks: usize,
    /// Strongly connected components of the call graph.
    pub components: usize,
    /// The nodes of the largest one.
    pub largest_component: usize,
    /// Call targets that are too many to be followed.
    pub capped_dispatches: usize,
    /// With the variant: methods whose pairs are too many to be followed.
    pub capped_pairs: usize,
    /// Methods and call targets whose locks are too many to be handed on.
    pub capped_locks: usize,
}

/// How many places were looked at and left out, by the filter that left them out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// The witness is the lock of a library class.
    pub library: usize,
    /// Only classes that are there to be called take part.
    pub elsewhere: usize,
    /// The chains of calls are too long.
    pub deep: usize,
    /// The witness may be the context, which objects hand on to each other.
    pub handed_on: usize,
    /// The witness may be the context, to which a path leads back.
    pub leads_back: usize,
    /// A call would have to come to itself with the same arguments.
    pub comes_to_itself: usize,
    /// A loop would have to meet two objects that acquire the lock, and not all do.
    pub some_targets: usize,
    /// There is no chain of calls to show, because names change on the way.
    pub untold: usize,
    /// Not looked at, because many places of the same witness were left out.
    pub unseen: usize,
}

/// The result of an analysis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The warnings, in the order of the program.
    pub warnings: Vec<Warning>,
    /// How many places are not reported.
    pub left_out: LeftOut,
    /// What was seen.
    pub stats: Stats,
}
