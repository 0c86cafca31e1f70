//! The table of the frontier: for each running transaction, the earliest transaction (and event) of
//! each other thread that happens after it.
//!
//! Rows exist for running transactions, columns for threads; both are [`Slot`]s. A row is as long as
//! its last entry needs, and lists its entries in a set, as each column lists the rows that have an
//! entry in it: work is done for entries that exist, not for threads that do.
//!
//! Invariants:
//! - `floor[j]` is at most every `reach` entry of column `j`, and at most the begin of `j`'s own
//!   running transaction. An event of `j` before `floor[j]` is on no path from a running
//!   transaction, and never will be again.
//! - If running transaction A reaches running transaction B, then A's row is at most B's, entry by
//!   entry.
//! - Stairs of an entry ascend strictly in arrival and in root.

use super::explain::EdgeId;

/// A thread's place in the table; handed on to another thread once its column is empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slot(pub(super) u32);

impl Slot {
    /// No thread's slot.
    pub(super) const NOBODY: Slot = Slot(0);

    #[inline(always)]
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An event's position plus one, so that 0 is before every event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Time(pub(super) u64);

impl Time {
    /// After every event; the largest number that a record of the memory can hold.
    pub(super) const NEVER: Time = Time((1 << 44) - 1);
}

/// A set of slots, as long as its largest member needs.
#[derive(Clone, Default)]
pub(super) struct SlotSet {
    words: Vec<u64>,
    len: usize,
}

impl SlotSet {
    fn insert(&mut self, slot: Slot) {
        let (word, bit) = (slot.index() / 64, 1u64 << (slot.index() % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.len += usize::from(self.words[word] & bit == 0);
        self.words[word] |= bit;
    }

    fn remove(&mut self, slot: Slot) {
        let (word, bit) = (slot.index() / 64, 1u64 << (slot.index() % 64));
        self.len -= usize::from(self.words[word] & bit != 0);
        self.words[word] &= !bit;
    }

    /// The empty set, in the same memory.
    fn cleared(mut self) -> SlotSet {
        self.words.fill(0);
        self.len = 0;
        self
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The smallest member that is at least `from`.
    #[inline]
    fn next(&self, from: u32) -> Option<Slot> {
        let first = from as usize / 64;
        let mut word = self.words.get(first)? & (u64::MAX << (from % 64));
        let mut at = first;
        while word == 0 {
            at += 1;
            word = *self.words.get(at)?;
        }
        Some(Slot((at * 64) as u32 + word.trailing_zeros()))
    }
}

/// An event-level arrival: events of the column's thread from `arrival` on happen after the row's
/// event at `root`.
#[derive(Clone, Copy)]
pub(super) struct Stair {
    pub(super) arrival: Time,
    pub(super) root: Time,
    pub(super) edge: EdgeId,
}

/// What is known beside the time of an entry.
#[derive(Clone)]
pub(super) struct Detail {
    /// The dependence by which the row's transaction first reached the column's.
    pub(super) edge: EdgeId,
    pub(super) stairs: Vec<Stair>,
}

#[derive(Default)]
struct Row {
    /// By column: when the earliest transaction of that thread that is reached began.
    reach: Vec<Time>,
    details: Vec<Detail>,
    columns: SlotSet,
}

pub(super) struct Table {
    hints: Box<Hints>,
    rows: Vec<Row>,
    /// By column: the rows with an entry in it.
    reached_by: Vec<SlotSet>,
    floor: Vec<Time>,
    /// By slot: when its running transaction began.
    begin: Vec<Time>,
}

const HINTS: usize = 256;

/// By slot modulo [`HINTS`]: at most the floors of the slots that share the place.
pub(super) struct Hints([Time; HINTS]);

impl Hints {
    /// [`Table::is_forgotten`], faster, and sometimes `false` where that is `true`.
    #[inline(always)]
    pub(super) fn forget(&self, slot: Slot, time: Time) -> bool {
        time < self.0[slot.index() % HINTS]
    }
}

impl Default for Table {
    /// A table of nobody's slot only.
    fn default() -> Table {
        let mut table = Table {
            hints: Box::new(Hints([Time::NEVER; HINTS])),
            rows: vec![],
            reached_by: vec![],
            floor: vec![],
            begin: vec![],
        };
        table.add_slot();
        table
    }
}

impl Table {
    /// Adds a row and a column.
    pub(super) fn add_slot(&mut self) -> Slot {
        self.rows.push(Row::default());
        self.reached_by.push(SlotSet::default());
        self.floor.push(Time::NEVER);
        self.begin.push(Time::NEVER);
        Slot(self.rows.len() as u32 - 1)
    }

    /// How many slots there are for threads.
    pub(super) fn slots(&self) -> usize {
        self.rows.len() - 1
    }

    /// Whether no running transaction reaches an event of `slot` at `time` (nor ever will).
    #[inline(always)]
    pub(super) fn is_forgotten(&self, slot: Slot, time: Time) -> bool {
        time < self.floor[slot.index()]
    }

    pub(super) fn hints(&self) -> &Hints {
        &self.hints
    }

    fn set_floor(&mut self, slot: Slot, floor: Time) {
        self.floor[slot.index()] = floor;
        let first = slot.index() % HINTS;
        let sharing = self.floor.iter().skip(first).step_by(HINTS);
        self.hints.0[first] = sharing.copied().min().unwrap_or(Time::NEVER);
    }

    /// When the running transaction of `slot` began; [`Time::NEVER`] if none runs.
    #[inline(always)]
    pub(super) fn begin_of(&self, slot: Slot) -> Time {
        self.begin[slot.index()]
    }

    /// Whether nothing running reaches any transaction of `slot`.
    pub(super) fn is_column_empty(&self, slot: Slot) -> bool {
        self.reached_by[slot.index()].is_empty() && self.begin[slot.index()] == Time::NEVER
    }

    /// A transaction begins.
    #[inline(always)]
    pub(super) fn start(&mut self, slot: Slot, time: Time) {
        self.begin[slot.index()] = time;
        self.lower_floor(slot, time);
    }

    #[inline(always)]
    fn lower_floor(&mut self, slot: Slot, time: Time) {
        let floor = &mut self.floor[slot.index()];
        *floor = (*floor).min(time);
        let hint = &mut self.hints.0[slot.index() % HINTS];
        *hint = (*hint).min(time);
    }

    /// The running transaction of `slot` ends: its row is emptied. Columns that became empty are
    /// handed to `emptied`.
    #[inline(always)]
    pub(super) fn finish(&mut self, slot: Slot, emptied: impl FnMut(Slot)) {
        self.begin[slot.index()] = Time::NEVER;
        if self.reached_by[slot.index()].is_empty() {
            self.set_floor(slot, Time::NEVER);
        }
        if !self.rows[slot.index()].columns.is_empty() {
            self.clear_row(slot, emptied);
        }
    }

    fn clear_row(&mut self, slot: Slot, mut emptied: impl FnMut(Slot)) {
        let columns = std::mem::take(&mut self.rows[slot.index()].columns);
        let mut next = columns.next(0);
        while let Some(column) = next {
            let c = column.index();
            let row = &mut self.rows[slot.index()];
            row.reach[c] = Time::NEVER;
            row.details[c].stairs.clear();
            self.reached_by[c].remove(slot);
            if self.reached_by[c].is_empty() {
                self.set_floor(column, self.begin[c]);
                emptied(column);
            }
            next = columns.next(column.0 + 1);
        }
        self.rows[slot.index()].columns = columns.cleared();
    }

    /// When the earliest transaction of `column` began that the row's transaction reaches.
    #[inline]
    pub(super) fn reach(&self, row: Slot, column: Slot) -> Time {
        if row == column {
            return self.begin[row.index()];
        }
        self.rows[row.index()].reach.get(column.index()).copied().unwrap_or(Time::NEVER)
    }

    /// The entry's detail; only for entries that exist.
    pub(super) fn detail(&self, row: Slot, column: Slot) -> Option<&Detail> {
        self.rows[row.index()].details.get(column.index())
    }

    pub(super) fn stairs_mut(&mut self, row: Slot, column: Slot) -> &mut Vec<Stair> {
        &mut self.rows[row.index()].details[column.index()].stairs
    }

    /// The running transactions that reach the event of `column` at `time`, into `found`; corrects
    /// the column's floor on the way.
    pub(super) fn rows_reaching(&mut self, column: Slot, time: Time, found: &mut Vec<Slot>) {
        let own = self.begin[column.index()];
        let mut floor = own;
        if own <= time {
            found.push(column);
        }
        let rows = &self.reached_by[column.index()];
        let mut next = rows.next(0);
        while let Some(row) = next {
            let reach = self.rows[row.index()].reach[column.index()];
            floor = floor.min(reach);
            if reach <= time {
                found.push(row);
            }
            next = rows.next(row.0 + 1);
        }
        self.set_floor(column, floor);
    }

    /// The row's transaction now reaches a transaction of `column` that began at `time`, by `edge`.
    pub(super) fn set(&mut self, row: Slot, column: Slot, time: Time, edge: EdgeId) {
        let entry = &mut self.rows[row.index()];
        let c = column.index();
        if entry.reach.len() <= c {
            entry.reach.resize(c + 1, Time::NEVER);
            entry.details.resize(c + 1, Detail { edge, stairs: vec![] });
        }
        entry.reach[c] = time;
        entry.details[c].edge = edge;
        entry.columns.insert(column);
        self.reached_by[c].insert(row);
        self.lower_floor(column, time);
    }

    /// Whatever the running transaction of `from` reaches, `row`'s now reaches, too.
    pub(super) fn merge(&mut self, row: Slot, from: Slot) {
        let mut next = self.rows[from.index()].columns.next(0);
        while let Some(column) = next {
            let source = &self.rows[from.index()];
            let (time, edge) = (source.reach[column.index()], source.details[column.index()].edge);
            next = source.columns.next(column.0 + 1);
            debug_assert_ne!(column, row, "a cycle was let in");
            if time < self.reach(row, column) {
                self.set(row, column, time, edge);
            }
        }
    }

    /// Calls `visit` on every edge that an entry refers to.
    pub(super) fn visit_edges(&mut self, mut visit: impl FnMut(&mut EdgeId)) {
        for row in &mut self.rows {
            let mut next = row.columns.next(0);
            while let Some(column) = next {
                let detail = &mut row.details[column.index()];
                visit(&mut detail.edge);
                detail.stairs.iter_mut().for_each(|stair| visit(&mut stair.edge));
                next = row.columns.next(column.0 + 1);
            }
        }
    }
}
