//! Sets of periods as numbers, and whether two of them have periods that can overlap.
//!
//! Periods are numbered as they begin. Let `q` be in one set and `p`, of a greater number, in the
//! other: they are concurrent unless `q` happens before `p`. If `q` happens before `r` of its own set,
//! and `r` began before `p`, then `r` will do in its place: whatever is not after `q` is not after `r`.
//! So a sweep over both sets in the order of numbers need only look at the latest periods of the
//! other set, about one a thread.

use crate::context::hashing::IdMap;
use crate::context::periods::{PeriodId, Periods};
use interloper_trace::ThreadId;

/// What keeps transactions apart, locks aside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// `fork`, `join` and `barrier`.
    Periods,
    /// Nothing but being done by the same thread.
    Threads,
}

/// A set of periods.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct WhenId(pub(super) u32);

/// Two periods that can overlap, of the first and of the second set.
pub(super) type Both = (PeriodId, PeriodId);

/// All sets of periods that were asked about.
pub(super) struct Overlaps<'a> {
    periods: &'a Periods,
    order: Order,
    sets: Vec<Box<[PeriodId]>>,
    index: IdMap<Box<[PeriodId]>, WhenId>,
    known: IdMap<(WhenId, WhenId), Option<Both>>,
}

impl<'a> Overlaps<'a> {
    pub(super) fn new(periods: &'a Periods, order: Order) -> Overlaps<'a> {
        let (index, known) = (IdMap::default(), IdMap::default());
        Overlaps { periods, order, sets: vec![], index, known }
    }

    /// The set of these periods, in any order.
    pub(super) fn set(&mut self, mut periods: Vec<PeriodId>) -> WhenId {
        periods.sort_unstable();
        periods.dedup();
        if let Some(&known) = self.index.get(&periods[..]) {
            return known;
        }
        let id = WhenId(self.sets.len() as u32);
        self.sets.push(periods[..].into());
        self.index.insert(periods.into(), id);
        id
    }

    /// What is in any of these sets.
    pub(super) fn union(&mut self, sets: &[WhenId]) -> WhenId {
        match sets {
            [one] => *one,
            _ => {
                let all = sets.iter().flat_map(|&set| self.sets[set.0 as usize].to_vec());
                let all = all.collect();
                self.set(all)
            }
        }
    }

    pub(super) fn thread(&self, period: PeriodId) -> ThreadId {
        self.periods.thread(period)
    }

    /// The thread of all periods in the set, if it is the same.
    pub(super) fn only_thread(&self, set: WhenId) -> Option<ThreadId> {
        let set = &self.sets[set.0 as usize];
        let first = self.periods.thread(*set.first()?);
        set.iter().all(|&period| self.periods.thread(period) == first).then_some(first)
    }

    /// Whether something in a period of the other set may have to wait for something in one of the
    /// first, be it in the same period. (Looks at a few of them only.)
    pub(super) fn follows(&self, one: WhenId, other: WhenId) -> bool {
        let (one, other) = (&self.sets[one.0 as usize], &self.sets[other.0 as usize]);
        one.iter().take(4).any(|&before| {
            other.iter().rev().take(4).any(|&after| before == after || self.before(before, after))
        })
    }

    /// Whether the one must end before the other can begin.
    pub(super) fn before(&self, one: PeriodId, other: PeriodId) -> bool {
        match self.order {
            Order::Periods => self.periods.before(one, other),
            Order::Threads => {
                self.thread(one) == self.thread(other) && self.periods.before(one, other)
            }
        }
    }

    /// Whether two periods can overlap.
    pub(super) fn concurrent(&self, one: PeriodId, other: PeriodId) -> bool {
        match self.order {
            Order::Periods => self.periods.concurrent(one, other),
            Order::Threads => self.periods.thread(one) != self.periods.thread(other),
        }
    }

    /// A period of the one set and one of the other that can overlap.
    pub(super) fn both(&mut self, one: WhenId, other: WhenId) -> Option<Both> {
        if let Some(&known) = self.known.get(&(one, other)) {
            return known;
        }
        let both = self.sweep(one, other);
        self.known.insert((one, other), both);
        self.known.insert((other, one), both.map(|(one, other)| (other, one)));
        both
    }

    fn sweep(&self, one: WhenId, other: WhenId) -> Option<Both> {
        let sets = [&self.sets[one.0 as usize], &self.sets[other.0 as usize]];
        let mut latest = [Latest::default(), Latest::default()];
        let mut at = [0, 0];
        loop {
            let next = |side: usize| sets[side].get(at[side]).copied();
            let side = match (next(0), next(1)) {
                (None, None) => return None,
                (Some(_), None) => 0,
                (None, Some(_)) => 1,
                (Some(one), Some(other)) => usize::from(other < one),
            };
            let period = sets[side][at[side]];
            at[side] += 1;
            let overlaps = |&&earlier: &&PeriodId| self.concurrent(earlier, period);
            if let Some(&earlier) = latest[1 - side].periods.iter().find(overlaps) {
                return Some(if side == 0 { (period, earlier) } else { (earlier, period) });
            }
            latest[side].add(period, self);
        }
    }
}

/// The periods of a set that no later one stands for, and maybe some more.
#[derive(Default)]
struct Latest {
    periods: Vec<PeriodId>,
    /// How many were left when it was cleared last.
    cleared: usize,
}

impl Latest {
    fn add(&mut self, period: PeriodId, overlaps: &Overlaps) {
        if self.periods.len() >= 2 * self.cleared.max(2) {
            let all = std::mem::take(&mut self.periods);
            let goes_on = |&&earlier: &&PeriodId| overlaps.concurrent(earlier, period);
            self.periods = match overlaps.order {
                Order::Periods => all.iter().filter(goes_on).copied().collect(),
                Order::Threads => {
                    let mut periods = all;
                    periods.sort_by_key(|&period| overlaps.thread(period));
                    periods.dedup_by_key(|period| overlaps.thread(*period));
                    periods
                }
            };
            self.cleared = self.periods.len();
        }
        self.periods.push(period);
    }
}
