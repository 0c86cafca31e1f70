//! The accesses of each variable that a later one may race with.

use super::clocks::{Clocks, Moment};
use crate::races::grown;
use crate::races::hands::Grip;
use crate::races::stamp::Stamp;
use interloper_trace::{SiteId, ThreadId, VarId};

/// An access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Seen {
    pub(super) moment: Moment,
    pub(super) stamp: Stamp,
    pub(super) site: SiteId,
    pub(super) held: Grip,
}

impl Seen {
    /// No access: of time 0, which everybody knows.
    const NONE: Seen = Seen {
        moment: Moment { thread: ThreadId(0), time: 0 },
        stamp: Stamp::NONE,
        site: SiteId::UNKNOWN,
        held: Grip::EMPTY,
    };
}

/// The reads since the last write.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// At most one, in place.
    One,
    /// Of several threads, in a list.
    List(u32),
    /// There was a race; nothing is remembered any more.
    Over,
}

impl Reads {
    /// As an access that is none: its time is one that no thread comes to.
    fn seen(self) -> Seen {
        let moment = match self {
            Reads::One => return Seen::NONE,
            Reads::List(list) => Moment { thread: ThreadId(list), time: LIST },
            Reads::Over => Moment { thread: ThreadId(0), time: OVER },
        };
        Seen { moment, ..Seen::NONE }
    }
}

const LIST: u32 = Clocks::LAST + 1;
const OVER: u32 = Clocks::LAST + 2;

/// A line of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Cell {
    write: Seen,
    /// The one read since, or [`Reads::seen`].
    read: Seen,
}

impl Default for Cell {
    fn default() -> Cell {
        Cell { write: Seen::NONE, read: Seen::NONE }
    }
}

impl Cell {
    #[inline(always)]
    fn reads(&self) -> Reads {
        match self.read.moment {
            Moment { thread, time: LIST } => Reads::List(thread.0),
            Moment { time: OVER, .. } => Reads::Over,
            _ => Reads::One,
        }
    }
}

/// All variables.
#[derive(Default)]
pub(super) struct Memory {
    cells: Vec<Cell>,
    /// In the order of threads.
    lists: Vec<Vec<Seen>>,
    free: Vec<u32>,
}

impl Memory {
    /// A read. The access that it races with, if any, and then none of this variable any more.
    #[inline(always)]
    pub(super) fn read(&mut self, var: VarId, now: Seen, clocks: &Clocks) -> Option<Seen> {
        let thread = now.moment.thread;
        let cell = grown(&mut self.cells, var.index());
        let reads = cell.reads();
        if reads == Reads::Over {
            return None;
        }
        if !clocks.knows(thread, cell.write.moment) {
            let seen = cell.write;
            self.forget(var, Reads::Over);
            return Some(seen);
        }
        match reads {
            Reads::One if clocks.knows(thread, cell.read.moment) => cell.read = now,
            Reads::One => self.second_reader(var, now),
            Reads::List(list) => add(&mut self.lists[list as usize], now, clocks),
            Reads::Over => {}
        }
        None
    }

    /// A write. The access that it races with, if any, and then none of this variable any more.
    #[inline(always)]
    pub(super) fn write(&mut self, var: VarId, now: Seen, clocks: &Clocks) -> Option<Seen> {
        let thread = now.moment.thread;
        let cell = grown(&mut self.cells, var.index());
        let reads = cell.reads();
        let unknown = |seen: &&Seen| !clocks.knows(thread, seen.moment);
        let opponent = if unknown(&&cell.write) {
            Some(cell.write)
        } else {
            let read = match reads {
                Reads::One => Some(&cell.read).filter(unknown),
                Reads::List(list) => {
                    let reads = self.lists[list as usize].iter();
                    reads.filter(unknown).max_by_key(|read| read.stamp.at())
                }
                Reads::Over => return None,
            };
            read.copied()
        };
        if opponent.is_some() {
            self.forget(var, Reads::Over);
            return opponent;
        }
        if reads == Reads::One {
            // Whoever knows the write knows the read before it.
            (cell.write, cell.read) = (now, Seen::NONE);
        } else {
            self.forget(var, Reads::One);
            self.cells[var.index()].write = now;
        }
        None
    }

    /// Forgets what is known of a variable: it starts anew, or it is of no interest any more.
    #[cold]
    fn forget(&mut self, var: VarId, reads: Reads) {
        let Some(cell) = self.cells.get_mut(var.index()) else { return };
        let old = std::mem::replace(cell, Cell { read: reads.seen(), ..Cell::default() });
        if let Reads::List(list) = old.reads() {
            self.lists[list as usize].clear();
            self.free.push(list);
        }
    }

    /// The variable's object escapes: what went before does not count.
    pub(super) fn renew(&mut self, var: VarId) {
        self.forget(var, Reads::One);
    }

    #[cold]
    fn second_reader(&mut self, var: VarId, now: Seen) {
        let list = self.free.pop().unwrap_or_else(|| {
            self.lists.push(Vec::with_capacity(4));
            self.lists.len() as u32 - 1
        });
        let cell = &mut self.cells[var.index()];
        let first = std::mem::replace(&mut cell.read, Reads::List(list).seen());
        let in_order = first.moment.thread < now.moment.thread;
        self.lists[list as usize].extend(if in_order { [first, now] } else { [now, first] });
    }

    /// Loads what is known of a variable (and gives something of it), so that it is near when an
    /// access to it comes.
    #[inline(always)]
    pub(super) fn touch(&self, var: VarId) -> u32 {
        self.cells.get(var.index()).map_or(0, |cell| cell.write.stamp.touch())
    }
}

/// Adds a read to those of other threads. Those that happened before it are no longer needed: a
/// write that comes after this one comes after them.
fn add(reads: &mut Vec<Seen>, now: Seen, clocks: &Clocks) {
    if reads.len() == reads.capacity() {
        reads.retain(|read| !clocks.knows(now.moment.thread, read.moment));
    }
    match reads.binary_search_by_key(&now.moment.thread, |read| read.moment.thread) {
        Ok(place) => reads[place] = now,
        Err(place) => reads.insert(place, now),
    }
}
