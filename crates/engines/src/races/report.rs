//! A race, for a person.

use interloper_findings::{Certainty, Kind, Mark, OpenBlock, Sameness, Sink, Warning, Witness};
use interloper_trace::{LockId, Names, Position, SiteId, ThreadId, VarId};

/// A race that is about to be reported.
pub(super) struct Race {
    /// The event at which it was known.
    pub(super) event: Position,
    /// Its thread.
    pub(super) thread: ThreadId,
    pub(super) certainty: Certainty,
    pub(super) message: Option<String>,
    /// The blocks open in that thread.
    pub(super) blocks: Vec<OpenBlock>,
    pub(super) steps: Vec<Witness>,
    pub(super) notes: Vec<String>,
}

/// What makes two races the same: the two places, in either order; the variable where a place is
/// not known.
pub(super) fn sameness(places: [SiteId; 2], var: VarId, names: &Names) -> Sameness {
    let mut places = places;
    // By name, not by number: the fingerprint is that of names, the same in every run.
    places.sort_by_key(|site| names.sites.text(site.0));
    let marks = places.map(|site| Mark::place(site, Mark::Var(var)));
    Sameness::new(Kind::Race, &marks)
}

/// Counts the race, and describes it if it is the first of its kind.
pub(super) fn report(
    same: Sameness,
    event: Position,
    sink: &mut dyn Sink,
    race: impl FnOnce() -> Race,
) {
    if sink.warn(event, same) {
        let Race { event, thread, certainty, message, blocks, steps, notes } = race();
        let kind = Kind::Race;
        let cycle = vec![];
        let warning =
            Warning { kind, certainty, message, event, thread, blocks, steps, cycle, notes };
        sink.describe(same, warning);
    }
}

/// Locks by name: `a`, `a and b`, `a, b and c`.
pub(super) fn list(locks: &[LockId], names: &Names) -> String {
    let names: Vec<&str> = locks.iter().map(|lock| names.locks.text(lock.0)).collect();
    match &names[..] {
        [] => "no lock".to_string(),
        [one] => one.to_string(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
