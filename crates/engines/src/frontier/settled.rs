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
use super::table::{Slot, Stamp};

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
