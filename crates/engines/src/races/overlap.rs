//! Whether conflicting accesses of a variable can run at the same time, by the periods of their
//! threads: the two period sets of the multilockset algorithm and the tests on them (Wang and
//! Stoller, section 5.4: `IsConcurrent`, `IsConcurrentWith`).
//!
//! The paper's sets grow with every period. Here they stay small, and the answers are the same,
//! provided that accesses come in the order of the trace:
//!
//! - The answers never change back, so they are kept, and what can no longer change them is
//!   dropped. A variable that several threads write and read at any time, as most shared ones, soon
//!   needs no sets at all.
//! - Let `q` be in a set when a later access comes in period `p`. Then `q` is concurrent with `p`
//!   unless it happens before it: `p` runs now, so it cannot end before `q` begins. Of periods of
//!   one set that are ordered only the last is needed: what does not come after the earlier one
//!   does not come after the later one either. So a set needs periods that are all concurrent, at
//!   most one of each thread; the others are cleared away each time the set has doubled.
//! - A period that is in its set needs no test: it had one against all accesses before it, and
//!   those that came since had one against it.

use super::slab::{Slab, Slot};
use crate::context::periods::{PeriodId, Periods};
use smallvec::SmallVec;

/// What keeps accesses apart, locks aside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// `fork`, `join` and `barrier`.
    Periods,
    /// Nothing but being done by the same thread.
    Threads,
}

impl Order {
    /// Whether two periods can overlap.
    #[inline]
    pub(crate) fn concurrent(self, a: PeriodId, b: PeriodId, periods: &Periods) -> bool {
        a != b
            && match self {
                Order::Periods => periods.concurrent(a, b),
                Order::Threads => periods.thread(a) != periods.thread(b),
            }
    }
}

/// The periods of one variable's reads or writes, ascending; those that happen before another of
/// them may be missing.
#[derive(Clone, Default)]
struct Set {
    periods: SmallVec<[PeriodId; 4]>,
    /// How many were left when it was cleared last.
    cleared: usize,
}

impl Set {
    fn of(one: PeriodId) -> Set {
        Set { periods: Some(one).into_iter().filter(|&one| one != NONE).collect(), cleared: 0 }
    }

    fn contains(&self, period: PeriodId) -> bool {
        self.periods.last() == Some(&period) || self.periods.binary_search(&period).is_ok()
    }

    fn overlaps(&self, period: PeriodId, order: Order, periods: &Periods) -> bool {
        self.periods.iter().any(|&earlier| order.concurrent(earlier, period, periods))
    }

    fn add(&mut self, period: PeriodId, order: Order, periods: &Periods) {
        if self.periods.len() >= 2 * self.cleared.max(2) {
            self.periods.retain(|earlier| order.concurrent(*earlier, period, periods));
            self.cleared = self.periods.len();
        }
        if let Err(place) = self.periods.binary_search(&period) {
            self.periods.insert(place, period);
        }
    }
}

/// The periods in which a variable was accessed, as far as they matter. Must be given the same
/// [`Sets`] each time.
#[derive(Clone, Copy)]
pub(crate) struct Overlap {
    /// The one write period and the one read period, until there are more; [`NONE`] before the
    /// first.
    write: PeriodId,
    read: PeriodId,
    /// All of them then, until all is known.
    more: Option<Slot>,
    /// Two writes can overlap.
    pub(crate) writes: bool,
    /// A write and a read can overlap.
    pub(crate) write_and_read: bool,
}

const NONE: PeriodId = PeriodId(u32::MAX);

impl Default for Overlap {
    fn default() -> Overlap {
        Overlap { write: NONE, read: NONE, more: None, writes: false, write_and_read: false }
    }
}

/// The period sets of variables that have more than one period of a kind.
pub(crate) type Sets = Slab<Both>;

/// The period sets of a variable.
#[derive(Default)]
pub(crate) struct Both {
    writes: Set,
    reads: Set,
}

impl Overlap {
    /// Whether all is known.
    #[inline(always)]
    fn is_settled(&self) -> bool {
        self.writes & self.write_and_read
    }

    /// Whether two conflicting accesses can overlap.
    #[inline(always)]
    pub(crate) fn any(&self) -> bool {
        self.writes | self.write_and_read
    }

    /// Whether an access is sure to tell nothing new: all that it could tell is known, or it is in
    /// the same period as the one before of its kind.
    #[inline(always)]
    pub(crate) fn is_old(&self, write: bool, period: PeriodId) -> bool {
        let last = if write { self.write } else { self.read };
        self.write_and_read & (self.writes | !write) || last == period && self.more.is_none()
    }

    /// An access, later than those before. Whether it made one of the answers a yes.
    #[inline(always)]
    pub(crate) fn access(
        &mut self,
        write: bool,
        period: PeriodId,
        order: Order,
        periods: &Periods,
        sets: &mut Sets,
    ) -> bool {
        !self.is_old(write, period) && self.look(write, period, order, periods, sets)
    }

    #[inline(never)]
    fn look(
        &mut self,
        write: bool,
        period: PeriodId,
        order: Order,
        periods: &Periods,
        sets: &mut Sets,
    ) -> bool {
        let before = (self.writes, self.write_and_read);
        let overlaps = |one| one != NONE && order.concurrent(one, period, periods);
        let mine = if write { &mut self.write } else { &mut self.read };
        if self.more.is_none() && !overlaps(*mine) {
            *mine = period;
            self.write_and_read |= overlaps(if write { self.read } else { self.write });
        } else {
            self.look_at_sets(write, period, order, periods, sets);
        }
        if self.is_settled() {
            sets.remove(self.more.take());
        }
        (self.writes, self.write_and_read) != before
    }

    fn look_at_sets(
        &mut self,
        write: bool,
        period: PeriodId,
        order: Order,
        periods: &Periods,
        sets: &mut Sets,
    ) {
        let slot = *self.more.get_or_insert_with(|| {
            let slot = sets.add();
            *sets.get_mut(slot) = Both { writes: Set::of(self.write), reads: Set::of(self.read) };
            slot
        });
        let Both { writes, reads } = sets.get_mut(slot);
        if (if write { &*writes } else { &*reads }).contains(period) {
            return;
        }
        if write {
            self.writes = self.writes || writes.overlaps(period, order, periods);
            self.write_and_read = self.write_and_read || reads.overlaps(period, order, periods);
            writes.add(period, order, periods);
        } else {
            self.write_and_read = writes.overlaps(period, order, periods);
            reads.add(period, order, periods);
        }
    }

    /// Forgets all accesses.
    pub(crate) fn forget(&mut self, sets: &mut Sets) {
        sets.remove(self.more.take());
        *self = Overlap::default();
    }
}
