//! Which accesses to show for a race.
//!
//! A lockset that has become empty names no culprits. So each variable remembers two accesses: its
//! last write, and the last access by another thread than that. Whenever there are a write and two
//! threads these two conflict; and mostly one of them and the access at hand do, too. Besides, for
//! some variables, the accesses that made a lockset smaller are remembered: they are what had no
//! lock in common, if the last ones had.

use super::hands::Grip;
use super::overlap::Order;
use super::scene::Scene;
use super::stamp::Stamp;
use super::{Locks, Touch, grown};
use crate::context::periods::{PeriodId, Periods};
use interloper_findings::{Access, Witness};
use interloper_trace::{Event, LabelId, LockId, Op, Position, SiteId, ThreadId, VarId};

/// An access that may have to be shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Record {
    stamp: Stamp,
    site: SiteId,
    period: PeriodId,
    held: Grip,
    pub(super) var: VarId,
}

impl Record {
    /// No access: its period is none.
    const NONE: Record = Record {
        stamp: Stamp::NONE,
        site: SiteId::UNKNOWN,
        period: PeriodId(u32::MAX),
        held: Grip::EMPTY,
        var: VarId(0),
    };

    #[inline(always)]
    pub(super) fn new(at: Position, event: &Event, touch: &Touch<Grip>, label: LabelId) -> Record {
        let Touch { var, write, period, held, .. } = *touch;
        Record { stamp: Stamp::new(at, write, label), site: event.site, period, held, var }
    }

    fn at(&self) -> Position {
        self.stamp.at()
    }

    fn is_write(&self) -> bool {
        self.stamp.is_write()
    }

    pub(super) fn site(&self) -> SiteId {
        self.site
    }

    pub(super) fn locks(&self, scene: &Scene) -> Vec<LockId> {
        self.held.locks(&scene.locksets)
    }

    pub(super) fn thread(&self, periods: &Periods) -> ThreadId {
        periods.thread(self.period)
    }

    /// The same for a report. `scene` is that of the moment, which tells more of the latest event.
    pub(super) fn witness(&self, now: Position, scene: &Scene) -> Witness {
        let thread = self.thread(&scene.periods);
        let event = self.at();
        let held = if event == now { scene.hands.locks(thread) } else { self.locks(scene) };
        let access = Access {
            event,
            thread,
            op: if self.is_write() { Op::Write } else { Op::Read },
            operand: self.var.0,
            site: self.site,
            label: self.stamp.label(),
            same_transaction: false,
        };
        Witness { access, held }
    }
}

/// The recent accesses of a variable: a line of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Recent {
    /// The last write; the last read, as long as there is none.
    main: Record,
    /// The last access by another thread than that.
    other: Record,
}

impl Default for Recent {
    fn default() -> Recent {
        Recent { main: Record::NONE, other: Record::NONE }
    }
}

impl Recent {
    /// Remembers an access of this thread.
    #[inline(always)]
    pub(super) fn note(&mut self, record: Record, thread: ThreadId, periods: &Periods) {
        let Recent { main, other } = self;
        let is_of_thread = |one: &Record| {
            one.period == record.period
                || one.period == Record::NONE.period
                || periods.thread(one.period) == thread
        };
        let same = is_of_thread(main);
        if main.is_write() && !record.is_write() {
            if !same {
                *other = record;
            }
            return;
        }
        if !same && (other.stamp.is_before(main.stamp) || is_of_thread(other)) {
            *other = *main;
        }
        *main = record;
    }

    /// Loads it (and gives something of it), so that it is near when an access comes.
    #[inline(always)]
    pub(super) fn touch(&self) -> u32 {
        self.main.stamp.touch()
    }

    fn all(&self) -> impl Iterator<Item = Record> {
        [self.main, self.other].into_iter().filter(|record| record.period != Record::NONE.period)
    }
}

/// How many accesses are kept of those that made a variable's locksets smaller.
const KEPT: usize = 8;

/// For how many variables, at most: most locksets become smaller once or twice, while it is found
/// out which lock is the variable's.
const VARIABLES: usize = 1 << 12;

/// The accesses that made locksets smaller lately.
#[derive(Default)]
pub(super) struct Refiners {
    /// By the key's lower bits: the key they are of, and the accesses.
    slots: Vec<(usize, Vec<Record>)>,
}

impl Refiners {
    /// Remembers an access of the variable (or object) with this number.
    #[cold]
    pub(super) fn note(&mut self, key: usize, record: Record) {
        let (of, list) = grown(&mut self.slots, key % VARIABLES);
        if *of != key {
            list.clear();
            *of = key;
        }
        if list.len() == KEPT {
            list.remove(0);
        }
        list.push(record);
    }

    /// Forgets those of a variable.
    pub(super) fn forget(&mut self, key: usize) {
        if let Some((of, list)) = self.slots.get_mut(key % VARIABLES)
            && *of == key
        {
            list.clear();
        }
    }

    fn of(&self, key: usize) -> &[Record] {
        match self.slots.get(key % VARIABLES) {
            Some((of, list)) if *of == key => list,
            _ => &[],
        }
    }
}

/// Two conflicting accesses, in the order of the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    pub(super) first: Record,
    pub(super) second: Record,
    /// No lock was held at both.
    pub(super) disjoint: bool,
    /// They can overlap, locks aside.
    pub(super) concurrent: bool,
}

impl Pair {
    /// Whether the two alone show that there can be a race.
    pub(super) fn explains(&self) -> bool {
        self.disjoint && self.concurrent
    }
}

/// The pair that explains a race best, of what is remembered and the access at hand.
pub(super) fn best(
    now: Record,
    recent: &Recent,
    refiners: &Refiners,
    key: usize,
    order: Order,
    scene: &mut Scene,
) -> Option<Pair> {
    let kept = refiners.of(key).iter().copied();
    let mut all: Vec<Record> = recent.all().chain(kept).collect();
    all.push(now);
    all.sort_by_key(Record::at);
    all.dedup();
    let mut pairs = vec![];
    for (i, &first) in all.iter().enumerate() {
        for &second in &all[i + 1..] {
            pairs.extend(pair(first, second, order, scene));
        }
    }
    pairs.into_iter().max_by_key(|pair| {
        let same_var = pair.first.var == pair.second.var;
        let here = pair.second == now;
        let (first, second) = (pair.first.at(), pair.second.at());
        (pair.explains(), pair.concurrent, pair.disjoint, same_var, here, second, first)
    })
}

fn pair(first: Record, second: Record, order: Order, scene: &mut Scene) -> Option<Pair> {
    let threads = [first, second].map(|record| record.thread(&scene.periods));
    if threads[0] == threads[1] || !(first.is_write() || second.is_write()) {
        return None;
    }
    let [one, other] = [first, second].map(|record| record.held.set(&mut scene.locksets));
    let disjoint = scene.locksets.disjoint(one, other);
    let concurrent = order.concurrent(first.period, second.period, &scene.periods);
    Some(Pair { first, second, disjoint, concurrent })
}
