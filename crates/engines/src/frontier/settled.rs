//! Dependences that change nothing.
//!
//! A thread that reads what another has written depends on that thread again and again. After a dependence on one of its events
//! every row that reaches that event also reaches whoever depended on it, and so does every row that reaches an earlier
//! event of the same thread: there are not more of these. Nor are there more that reach a later event, until a time when the next row
//! arrives. So a dependence on any event up to then neither closes a cycle nor
//! changes the table, as long as no row has come to reach a transaction. What may happen meanwhile is that rows are
//! emptied, that transactions begin and stairs are added, which are after all events so far, and that blocks open and close: roots that no
//! open block tells apart stay so, because blocks that open later begin after both.

use super::memory::Record;
use super::table::{Slot, Stamp, Time};
use super::{Frontier, Now, explain};

/// A dependence after which the table had changed so often.
#[derive(Clone, Copy)]
struct Place {
    /// The thread that was depended on, and until when its events are covered.
    until: Stamp,
    /// Who depended on it.
    slot: Slot,
    changes: u64,
}

const NOTHING: Place = Place { until: Stamp::NONE, slot: Slot::NOBODY, changes: 0 };

const PLACES: usize = 64;

/// The latest such dependences, at most one of a pair of threads.
pub(super) struct Settled([Place; PLACES]);

impl Default for Settled {
    fn default() -> Settled {
        Settled([NOTHING; PLACES])
    }
}

impl Settled {
    fn index(slot: Slot, column: Slot) -> usize {
        slot.0.wrapping_mul(31).wrapping_add(column.0) as usize % PLACES
    }

    /// Whether it is known that a dependence of an event of `slot` changes nothing in the table, which has changed so often.
    #[inline(always)]
    pub(super) fn has(&self, slot: Slot, source: Record, changes: u64) -> bool {
        let known = &self.0[Settled::index(slot, source.slot())];
        let covers = known.until.slot() == source.slot() && known.until.time() >= source.time();
        covers && known.slot == slot && known.changes == changes
    }

    /// Such a dependence closed no cycle, those on later events of the same thread, until a time, are like it, and the table has
    /// changed so often by now.
    pub(super) fn add(&mut self, slot: Slot, until: Stamp, changes: u64) {
        self.0[Settled::index(slot, until.slot())] = Place { until, slot, changes };
    }
}

impl Frontier {
    /// Up to which time, no later than now, events of a thread are like its event at `time` to whoever depends on them: reached by no other
    /// row, and by none from another root.
    pub(super) fn settled_until(&self, column: Slot, time: Time, now: Time) -> Time {
        let begin = self.table.begin_of(column);
        let next = if begin > time {
            begin
        } else {
            let thread = &self.threads[column.index()];
            thread.blocks.get(thread.depth(time)).map_or(Time::NEVER, |block| block.begin)
        };
        let next = next.min(self.table.next_arrival(column, time));
        Time(now.0.min(next.0 - 1))
    }

    /// Whether a dependence closes no cycle and adds nothing to the table; the long way.
    pub(super) fn changes_nothing(&self, now: Now, source: Record) -> bool {
        let (column, time) = (source.slot(), source.time());
        let begin = self.table.begin_of(now.slot);
        let closes = begin != Time::NEVER && self.table.reach(now.slot, column) <= time;
        let is_known = |row: Slot| {
            let arrived = self.table.reach(row, now.slot) <= begin.min(now.time);
            let depth = |root: Time| self.threads[row.index()].depth(root);
            let top = || self.table.entry(row, now.slot).and_then(|entry| entry.stairs.last());
            let root = explain::root(&self.table, row, column, time);
            arrived
                && root.is_none_or(|root| top().is_some_and(|top| depth(top.root) >= depth(root)))
        };
        let mut rows = (1..=self.table.slots() as u32).map(Slot);
        !closes && rows.all(|row| self.table.reach(row, column) > time || is_known(row))
    }
}
