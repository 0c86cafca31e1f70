//! What the multilockset algorithm keeps of each variable (Wang and Stoller, figure 3).

use super::antichain::{Antichain, Chains};
use crate::context::locksets::{Locksets, SetId};
use crate::context::periods::Periods;
use crate::races::common::Common;
use crate::races::overlap::{Order, Overlap, Sets};
use crate::races::watch::{Glance, News};
use crate::races::{Locks, Touch, grown};
use interloper_trace::VarId;

#[derive(Clone, Copy, Default)]
#[repr(align(32))]
struct Cell {
    /// Held at every write: the paper's `WriteSet`.
    writes: Common,
    /// The locks held at reads, the least of them: `ReadSets`. Without those that are not among
    /// `writes`: these get fewer and fewer, so that others will never matter.
    reads: Antichain,
    /// `ReadThreadSet` and `WriteThreadSet`.
    overlap: Overlap,
    /// Whether there can be a race by what was fed.
    racy: bool,
}

/// The locksets and periods of all variables.
pub(crate) struct Table {
    order: Order,
    cells: Vec<Cell>,
    chains: Chains,
    sets: Sets,
}

impl Table {
    /// Of no variable yet.
    pub(crate) fn new(order: Order) -> Table {
        Table { order, cells: vec![], chains: Chains::default(), sets: Sets::default() }
    }

    /// The next access in the order of the trace.
    #[inline(always)]
    pub(crate) fn feed(
        &mut self,
        touch: &Touch<impl Locks>,
        locksets: &mut Locksets,
        periods: &Periods,
    ) -> News {
        let cell = grown(&mut self.cells, touch.var.index());
        if cell.racy {
            return News::Over;
        }
        let (locks, first) = if touch.write {
            let first = cell.writes.get().is_none();
            (cell.write(touch.held, locksets, &mut self.chains), first)
        } else {
            let first = cell.reads.is_empty();
            (cell.read(touch.held, locksets, &mut self.chains), first)
        };
        let sets = &mut self.sets;
        let overlap = cell.overlap.access(touch.write, touch.period, self.order, periods, sets);
        if !(locks | overlap) {
            News::None
        } else if cell.judge(locksets, &mut self.chains) {
            News::Race
        } else if locks & !first {
            News::Locks
        } else {
            News::None
        }
    }

    /// A quick look at the next access: whether [`Table::feed`] must be told. `holds` tells of a
    /// set of locks whether the thread is sure to hold all of them.
    #[inline(always)]
    pub(crate) fn glance<Held>(
        &self,
        touch: &Touch<Held>,
        holds: impl FnOnce(SetId) -> bool,
    ) -> Glance {
        let Some(cell) = self.cells.get(touch.var.index()) else { return Glance::Look };
        let set = if touch.write { cell.writes.get() } else { cell.reads.first() };
        if cell.racy {
            Glance::Over
        } else if cell.overlap.is_old(touch.write, touch.period) && set.is_some_and(holds) {
            Glance::Old
        } else {
            Glance::Look
        }
    }

    /// The variable's object escapes: what went before does not count.
    pub(crate) fn renew(&mut self, var: VarId) {
        if let Some(cell) = self.cells.get_mut(var.index()) {
            cell.overlap.forget(&mut self.sets);
            cell.reads.forget(&mut self.chains);
            *cell = Cell::default();
        }
    }

    /// Whether there can be a race on the variable, by what was fed.
    #[inline]
    pub(crate) fn is_racy(&self, var: VarId) -> bool {
        self.cells.get(var.index()).is_some_and(|cell| cell.racy)
    }

    /// The locks held at every write of a variable; `None` if there was none.
    pub(crate) fn write_set(&self, var: VarId) -> Option<SetId> {
        self.cells.get(var.index()).and_then(|cell| cell.writes.get())
    }

    /// The least sets of locks held at reads of a variable, as far as they are held at every write,
    /// until there can be a race on it.
    #[cfg(test)]
    pub(crate) fn read_sets(&self, var: VarId) -> Vec<SetId> {
        self.cells.get(var.index()).map_or(vec![], |cell| cell.reads.sets(&self.chains).collect())
    }

    /// Loads what is known of a variable (and gives something of it), so that it is near when an
    /// access to it comes.
    #[inline(always)]
    pub(crate) fn touch(&self, var: VarId) -> u32 {
        self.cells.get(var.index()).map_or(0, |cell| u32::from(cell.racy))
    }
}

impl Cell {
    /// A write with these locks. Whether the sets have changed.
    fn write(&mut self, held: impl Locks, locksets: &mut Locksets, chains: &mut Chains) -> bool {
        let less = self.writes.refine(held, locksets);
        if less && let Some(writes) = self.writes.get() {
            self.reads.narrow(writes, locksets, chains);
        }
        less
    }

    /// A read with these locks. Whether the sets have changed.
    fn read(&mut self, held: impl Locks, locksets: &mut Locksets, chains: &mut Chains) -> bool {
        let matters = match self.writes.get() {
            Some(writes) => held.meet(writes, locksets),
            None => held.set(locksets),
        };
        self.reads.add(matters, locksets, chains)
    }

    /// The cases of figure 3, after something has changed.
    #[cold]
    fn judge(&mut self, locksets: &mut Locksets, chains: &mut Chains) -> bool {
        self.racy = match self.writes.get() {
            None => false,
            Some(SetId::EMPTY) => self.overlap.any(),
            Some(writes) => {
                let mut reads = self.reads.sets(chains);
                self.overlap.write_and_read && reads.any(|read| locksets.disjoint(read, writes))
            }
        };
        if self.racy {
            self.reads.forget(chains);
        }
        self.racy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interloper_trace::{LockId, ThreadId};

    /// The worked numbers of section 5.4: figure 4, in the orders t3 t2 t1 and t3 t2 t4.
    #[test]
    fn the_sets_of_figure_4() {
        let (mut locksets, mut periods) = (Locksets::default(), Periods::default());
        let (o1, o2) = (LockId(1), LockId(2));
        let both = locksets.of(vec![o1, o2]);
        let (one, two) = (SetId::single(o1), SetId::single(o2));
        let mut run = |accesses: &[(u32, bool, SetId)]| {
            let mut table = Table::new(Order::Periods);
            for &(thread, write, held) in accesses {
                let thread = ThreadId(thread);
                let period = periods.of(thread);
                let touch = Touch { var: VarId(0), write, thread, period, held };
                table.feed(&touch, &mut locksets, &periods);
            }
            (table.read_sets(VarId(0)), table.write_set(VarId(0)), table.is_racy(VarId(0)))
        };
        let readers = [(3, false, one), (2, false, two)];
        assert_eq!(run(&readers), (vec![one, two], None, false));
        let t1 = [(1, true, both), (1, true, both)];
        assert_eq!(run(&[readers, t1].concat()), (vec![one, two], Some(both), false));
        let reads = [&readers[..], &[(4, false, SetId::EMPTY)]].concat();
        assert_eq!(run(&reads), (vec![SetId::EMPTY], None, false));
        let (_, writes, racy) = run(&[&reads[..], &[(4, true, both)]].concat());
        assert_eq!((writes, racy), (Some(both), true));
    }
}
