//! A circle of locks as a warning.

use super::orders::{Occurrence, Way};
use super::search::Part;
use crate::context::locksets::Locksets;
use interloper_findings::{Access, Certainty, Kind, Mark, Sameness, Sink, Warning, Witness};
use interloper_trace::{LockId, Names, Op, SiteId, ThreadId};

/// Reports circles.
pub(super) struct Reporter<'a> {
    pub(super) locksets: &'a Locksets,
    pub(super) names: &'a Names,
    /// Whether somebody was awaited or met at a barrier with locks in hand.
    pub(super) entangled: bool,
}

impl Reporter<'_> {
    /// Reports a circle: each part acquires a lock that the next one holds.
    pub(super) fn report(&self, circle: &[Part<'_>], sink: &mut dyn Sink) {
        let Some(last) = circle.iter().max_by_key(|part| part.who.at) else { return };
        let same = self.sameness(circle);
        if !sink.warn(last.who.at, same) {
            return;
        }
        // The thread that came first begins.
        let first = (0..circle.len()).min_by_key(|&i| circle[i].who.at).unwrap_or(0);
        let circle = [&circle[first..], &circle[..first]].concat();
        let mut notes: Vec<String> = (0..circle.len()).map(|i| self.note(&circle, i)).collect();
        notes.push(self.doubt(&circle).unwrap_or(CERTAIN).to_string());
        let warning = Warning {
            kind: Kind::Deadlock,
            certainty: self.certainty(&circle),
            message: None,
            event: last.who.at,
            thread: last.who.thread,
            blocks: vec![],
            steps: circle.iter().map(|part| self.witness(part)).collect(),
            cycle: vec![],
            notes,
        };
        sink.describe(same, warning);
    }

    /// By the places of the acquisitions and of those of the locks held, so that a circle of many
    /// objects through the same code is one bug, however long.
    fn sameness(&self, circle: &[Part<'_>]) -> Sameness {
        let inner = (0..circle.len()).map(|i| (circle[i].who.site, circle[i].lock));
        let outer = (0..circle.len()).map(|i| {
            let (lock, site) = self.in_hand(circle, i);
            (site, lock)
        });
        let mut marks = marks(inner);
        marks.extend(self::marks(outer));
        marks.truncate(Sameness::MARKS);
        Sameness::new(Kind::Deadlock, &marks)
    }

    /// The lock that a part of the circle holds and the one before it wants, and where it was
    /// acquired.
    fn in_hand(&self, circle: &[Part<'_>], i: usize) -> (LockId, SiteId) {
        let wanted = circle[(i + circle.len() - 1) % circle.len()].lock;
        let held = circle[i].who.latest.iter().find(|(lock, _)| *lock == wanted);
        held.copied().unwrap_or((wanted, SiteId::UNKNOWN))
    }

    fn witness(&self, part: &Part<'_>) -> Witness {
        let who = part.who;
        let access = Access {
            event: who.at,
            thread: who.thread,
            op: Op::Acquire,
            operand: part.lock.0,
            site: who.site,
            label: who.label,
            same_transaction: false,
        };
        Witness { access, held: self.held(who) }
    }

    /// The locks in hand, in the order of their acquisition as far as that is known.
    fn held(&self, who: &Occurrence) -> Vec<LockId> {
        let latest = || who.latest.iter().map(|&(lock, _)| lock);
        let mut held = self.locksets.locks(who.held);
        held.retain(|&lock| latest().all(|other| other != lock));
        held.extend(latest());
        held
    }

    /// How sure it is that a schedule ends there.
    pub(super) fn certainty(&self, circle: &[Part<'_>]) -> Certainty {
        if self.doubt(circle).is_none() { Certainty::Predicted } else { Certainty::Possible }
    }

    /// Why no schedule may end there; `None` if one does.
    fn doubt(&self, circle: &[Part<'_>]) -> Option<&'static str> {
        let detours = circle.iter().filter(|part| part.who.way == Way::Detour).count();
        if self.entangled {
            Some(ENTANGLED)
        } else if circle.iter().any(|part| part.who.way == Way::Forking) {
            Some(FORKING)
        } else {
            (detours > 1).then_some(DETOURS)
        }
    }

    fn note(&self, circle: &[Part<'_>], i: usize) -> String {
        let part = &circle[i];
        let next = &circle[(i + 1) % circle.len()];
        let (held, site) = self.in_hand(circle, i);
        format!(
            "thread {} holds {}{} and waits for {}{}, which thread {} holds",
            self.thread(part.who.thread),
            self.lock(held),
            self.place(" (acquired at ", site, ")"),
            self.lock(part.lock),
            self.place(" at ", part.who.site, ""),
            self.thread(next.who.thread),
        )
    }

    fn thread(&self, thread: ThreadId) -> &str {
        self.names.threads.text(thread.0)
    }

    fn lock(&self, lock: LockId) -> &str {
        self.names.locks.text(lock.0)
    }

    fn place(&self, before: &str, site: SiteId, after: &str) -> String {
        match self.names.sites.text(site.0) {
            "" => String::new(),
            place => format!("{before}{place}{after}"),
        }
    }
}

const CERTAIN: &str = "another schedule of the same events ends in this deadlock";
const ENTANGLED: &str = "something else may keep them from getting there together: in this trace \
    threads are awaited, or met at barriers, with locks in hand";
const FORKING: &str = "something else may keep them from getting there together: one of them starts \
    a thread with a lock in hand";
const DETOURS: &str = "something else may keep them from getting there together: on the way, more \
    than one of them acquires and releases further locks";

/// Each place once, or the lock if the place is not known.
fn marks(of: impl Iterator<Item = (SiteId, LockId)>) -> Vec<Mark> {
    let known =
        |(site, lock)| if site == SiteId::UNKNOWN { (site, lock) } else { (site, LockId(0)) };
    let mut all: Vec<(SiteId, LockId)> = of.map(known).collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(|(site, lock)| Mark::place(site, Mark::Lock(lock))).collect()
}
