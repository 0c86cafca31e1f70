//! What all rules need once the trace has ended: the transactions by variable, their periods, their
//! locks as sets, and the exact check of two transactions.

use super::collect::{Pair, PairKind, Roles, Var};
use super::grid::Grid;
use super::overlap::{Both, Order, Overlaps, WhenId};
use super::skeleton::SkeletonId;
use super::store::{Mark, Run, Store, TxnId};
use crate::context::hashing::IdMap;
use crate::context::locksets::{Locksets, SetId};
use crate::context::periods::{PeriodId, Periods};
use interloper_trace::LockId;
use std::rc::Rc;

/// An event of a stored transaction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Place {
    pub(super) txn: TxnId,
    pub(super) mark: u32,
}

/// A pair of events of a stored transaction on one variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    pub(super) txn: TxnId,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) kind: PairKind,
}

/// Things in the order of variables.
pub(super) struct ByVar<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy> ByVar<T> {
    /// Of things that come with their variables; those of a variable stay in their order.
    pub(super) fn new<I: Iterator<Item = (Var, T)>>(
        vars: usize,
        things: impl Fn() -> I,
    ) -> ByVar<T> {
        let mut starts = vec![0u32; vars + 1];
        let mut any = None;
        for (var, thing) in things() {
            starts[var.index() + 1] += 1;
            any = Some(thing);
        }
        for var in 0..vars {
            starts[var + 1] += starts[var];
        }
        let mut ends = starts.clone();
        let mut items = any.map_or(vec![], |any| vec![any; starts[vars] as usize]);
        for (var, thing) in things() {
            let end = &mut ends[var.index()];
            items[*end as usize] = thing;
            *end += 1;
        }
        ByVar { starts, items }
    }

    pub(super) fn of(&self, var: Var) -> &[T] {
        let at = var.index();
        &self.items[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// How many points of a grid are looked at, for two transactions and in all.
const GRID: usize = 1 << 22;
const ALL_GRIDS: u64 = 1 << 30;
/// How many grids are remembered.
const GRIDS: usize = 1 << 12;

/// What came of an exact check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Check {
    /// There is such a schedule.
    Possible,
    /// There is none.
    Impossible,
    /// There is one if locks are nested and there is no deadlock; that is all that is known.
    Unchecked,
}

/// The whole trace.
pub(super) struct Study<'a> {
    pub(super) store: &'a Store,
    pub(super) overlaps: Overlaps<'a>,
    pub(super) locksets: Locksets,
    pub(super) by_var: ByVar<Place>,
    pairs: ByVar<Span>,
    vars: usize,
    /// By transaction.
    when: Vec<WhenId>,
    grids: IdMap<(SkeletonId, SkeletonId), Option<Rc<Grid>>>,
    points: u64,
    /// How many exact checks there were, and how many were too large.
    pub(super) checked: u64,
    pub(super) unchecked: u64,
}

impl<'a> Study<'a> {
    /// `dead` tells which variables are those of objects before their escape.
    pub(super) fn new(
        store: &'a Store,
        periods: &'a Periods,
        order: Order,
        dead: &[bool],
    ) -> Study<'a> {
        let mut overlaps = Overlaps::new(periods, order);
        let when =
            store.ids().map(|txn| overlaps.set(store.runs(txn).map(|run| run.period).collect()));
        let when = when.collect();
        let counts = |mark: &Mark| {
            (mark.is(Roles::INITIAL) || mark.is(Roles::WRITE)) && !dead[mark.var.index()]
        };
        let by_var = ByVar::new(dead.len(), || {
            store.ids().flat_map(|txn| {
                let marks = store.marks(txn).iter().enumerate();
                marks
                    .filter(|(_, mark)| counts(mark))
                    .map(move |(at, mark)| (mark.var, Place { txn, mark: at as u32 }))
            })
        });
        let pairs = ByVar::new(dead.len(), || {
            store.ids().flat_map(|txn| {
                let marks = store.marks(txn);
                store.pairs(txn).iter().filter_map(move |pair| {
                    let var = marks[pair.first as usize].var;
                    let Pair { first, last, kind } = *pair;
                    (!dead[var.index()]).then_some((var, Span { txn, first, last, kind }))
                })
            })
        });
        Study {
            store,
            overlaps,
            locksets: Locksets::default(),
            by_var,
            pairs,
            vars: dead.len(),
            when,
            grids: IdMap::default(),
            points: 0,
            checked: 0,
            unchecked: 0,
        }
    }

    pub(super) fn vars(&self) -> impl Iterator<Item = Var> + use<> {
        (0..self.vars as u32).map(Var)
    }

    /// The pairs on a variable that something could come between: the 1v-blocks of the variable.
    pub(super) fn spans(&self, var: Var) -> impl Iterator<Item = Span> {
        let of_txns = self.by_var.of(var).chunk_by(|one, other| one.txn == other.txn);
        let read_write = of_txns.filter_map(|places| {
            let with = |role| places.iter().find(|&&place| self.mark(place).is(role));
            let (first, last) = (with(Roles::FIRST)?, with(Roles::FINAL)?);
            let span = Span {
                txn: first.txn,
                first: first.mark,
                last: last.mark,
                kind: PairKind::ReadWrite,
            };
            (first.mark < last.mark).then_some(span)
        });
        self.pairs.of(var).iter().copied().chain(read_write)
    }

    pub(super) fn when(&self, txn: TxnId) -> WhenId {
        self.when[txn.index()]
    }

    pub(super) fn mark(&self, place: Place) -> &'a Mark {
        &self.store.marks(place.txn)[place.mark as usize]
    }

    /// The locks held at an event, in the order of their acquisition.
    pub(super) fn held(&self, place: Place, held: &mut Vec<LockId>) {
        self.store.skeleton(place.txn).held(self.mark(place).segment, held);
    }

    /// The locks held from one event of a transaction to a later one.
    pub(super) fn throughout(&self, txn: TxnId, first: u32, last: u32, held: &mut Vec<LockId>) {
        let segment = |mark: u32| self.mark(Place { txn, mark }).segment;
        self.store.skeleton(txn).throughout(segment(first), segment(last), held);
    }

    /// The same as a set.
    pub(super) fn throughout_set(&mut self, txn: TxnId, first: u32, last: u32) -> SetId {
        let mut held = vec![];
        self.throughout(txn, first, last, &mut held);
        self.locksets.of(held)
    }

    /// All locks held at any time from one event of a transaction to a later one.
    pub(super) fn used_set(&mut self, txn: TxnId, first: u32, last: u32) -> SetId {
        let segment = |mark: u32| self.mark(Place { txn, mark }).segment;
        let mut used = vec![];
        self.store.skeleton(txn).used(segment(first), segment(last), &mut used);
        self.locksets.of(used)
    }

    /// Periods of two transactions that can overlap.
    pub(super) fn both(&mut self, one: TxnId, other: TxnId) -> Option<Both> {
        self.overlaps.both(self.when(one), self.when(other))
    }

    /// The run of a transaction in a period.
    pub(super) fn run(&self, txn: TxnId, period: PeriodId) -> Option<&'a Run> {
        self.store.runs(txn).find(|run| run.period == period)
    }

    /// Whether event `between` can come after `first` and before `last`.
    pub(super) fn can_cut(&mut self, txn: TxnId, first: u32, last: u32, between: Place) -> Check {
        let segments = self.segments(txn, first, last);
        let cut = self.mark(between).segment;
        let check = self.check(txn, between.txn, |grid| grid.meet(segments.clone(), cut..=cut));
        check.unwrap_or_else(|| {
            let held = self.used_set(between.txn, between.mark, between.mark);
            self.by_sets((txn, first, last), held)
        })
    }

    /// Whether the other transaction can go from one of its events to a later one while the first is
    /// between two of its own.
    pub(super) fn can_be_within(
        &mut self,
        outer: (TxnId, u32, u32),
        inner: (TxnId, u32, u32),
    ) -> Check {
        let rows = self.segments(outer.0, outer.1, outer.2);
        let columns = self.segments(inner.0, inner.1, inner.2);
        let check = self.check(outer.0, inner.0, |grid| grid.pass(rows.clone(), columns.clone()));
        check.unwrap_or_else(|| {
            let used = self.used_set(inner.0, inner.1, inner.2);
            self.by_sets(outer, used)
        })
    }

    fn segments(&self, txn: TxnId, first: u32, last: u32) -> std::ops::RangeInclusive<u32> {
        let segment = |mark: u32| self.mark(Place { txn, mark }).segment;
        segment(first)..=segment(last)
    }

    /// The exact check; `None` if it would be too large.
    fn check(&mut self, one: TxnId, other: TxnId, ask: impl Fn(&Grid) -> bool) -> Option<Check> {
        self.checked += 1;
        let grid = self.grid(one, other);
        self.unchecked += u64::from(grid.is_none());
        grid.map(|grid| if ask(&grid) { Check::Possible } else { Check::Impossible })
    }

    /// The paper's test: these locks are needed while the transaction is between two of its events.
    fn by_sets(&mut self, (txn, first, last): (TxnId, u32, u32), needed: SetId) -> Check {
        let throughout = self.throughout_set(txn, first, last);
        match self.locksets.disjoint(throughout, needed) {
            true => Check::Unchecked,
            false => Check::Impossible,
        }
    }

    fn grid(&mut self, one: TxnId, other: TxnId) -> Option<Rc<Grid>> {
        let key = (self.store.skeleton_id(one), self.store.skeleton_id(other));
        if let Some(known) = self.grids.get(&key) {
            return known.clone();
        }
        let (one, other) = (self.store.skeleton(one), self.store.skeleton(other));
        let left = ALL_GRIDS.saturating_sub(self.points).min(GRID as u64) as usize;
        let grid = Grid::new(&one, &other, left).map(Rc::new);
        if let Some(grid) = &grid {
            self.points += grid.points() as u64;
        }
        if self.grids.len() >= GRIDS {
            self.grids.clear();
        }
        self.grids.insert(key, grid.clone());
        grid
    }
}
