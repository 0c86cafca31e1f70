//! The table of the frontier: for each running transaction, the earliest transaction (and event) of
//! each other thread that happens after it.
//!
//! Rows exist for running transactions, columns for threads; both are [`Slot`]s. A row holds pages
//! of entries where it has any, and lists its entries in a set, as each column lists the rows that
//! have an entry in it: work is done and memory taken for entries that exist, not for threads that do.
//!
//! Invariants:
//! - `floor[j]` is at most every `reach` entry of column `j`, and at most the begin of `j`'s own
//!   running transaction. An event of `j` before `floor[j]` is on no path from a running
//!   transaction, and never will be again.
//! - If running transaction A reaches running transaction B, then A's row is at most B's, entry by
//!   entry.
//! - Stairs of an entry ascend in arrival, and strictly in root.

use super::explain::EdgeId;

/// A thread's place in the table; handed on to another thread once its column is empty.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
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
    pub(super) const NEVER: Time = Time((1 << 40) - 1);
}

/// When, and in whose slot: time (40 bits: a million million events) above slot (24 bits: sixteen
/// million threads).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp(u64);

const SLOT_BITS: u32 = 24;

impl Stamp {
    /// Before every event.
    pub(super) const NONE: Stamp = Stamp(0);

    #[inline(always)]
    pub(super) const fn new(slot: Slot, time: Time) -> Stamp {
        Stamp(time.0 << SLOT_BITS | slot.0 as u64)
    }

    #[inline(always)]
    pub(super) fn slot(self) -> Slot {
        Slot(self.0 as u32 & ((1 << SLOT_BITS) - 1))
    }

    #[inline(always)]
    pub(super) fn time(self) -> Time {
        Time(self.0 >> SLOT_BITS)
    }
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

/// What a row knows of a column.
pub(super) struct Entry {
    /// When the earliest transaction of the column's thread began that the row's reaches;
    /// [`Time::NEVER`] if there is none, and then the rest means nothing.
    reach: Time,
    /// The dependence by which the row's transaction reached that one.
    pub(super) edge: EdgeId,
    pub(super) stairs: Vec<Stair>,
}

impl Entry {
    fn new() -> Entry {
        Entry { reach: Time::NEVER, edge: EdgeId::NONE, stairs: vec![] }
    }

    fn clear(&mut self) {
        self.reach = Time::NEVER;
        self.stairs.clear();
        // Room for a few stairs stays for the next user of the page, not for a great many.
        self.stairs.shrink_to(4);
    }
}

/// Entries of neighbouring columns.
type Page = [Entry; PAGE];

const PAGE: usize = 64;

#[derive(Default)]
struct Row {
    pages: Vec<Option<Box<Page>>>,
    columns: SlotSet,
}

impl Row {
    #[inline]
    fn get(&self, column: Slot) -> Option<&Entry> {
        let page = self.pages.get(column.index() / PAGE)?.as_ref()?;
        Some(&page[column.index() % PAGE])
    }

    #[inline]
    fn get_mut(&mut self, column: Slot) -> Option<&mut Entry> {
        let page = self.pages.get_mut(column.index() / PAGE)?.as_mut()?;
        Some(&mut page[column.index() % PAGE])
    }
}

pub(super) struct Table {
    hints: Box<Hints>,
    rows: Vec<Row>,
    /// Pages without entries, for rows that need one.
    #[expect(clippy::vec_box, reason = "pages move to rows and back without being copied")]
    spare: Vec<Box<Page>>,
    /// By column: the rows with an entry in it.
    reached_by: Vec<SlotSet>,
    floor: Vec<Time>,
    /// By slot: when its running transaction began.
    begin: Vec<Time>,
    /// How often a row came to reach something.
    changes: u64,
}

const HINTS: usize = 256;

/// By slot modulo [`HINTS`]: at most the floors of the slots that share the place, as stamps of
/// slot 0, which compare with other stamps as times do.
pub(super) struct Hints([Stamp; HINTS]);

impl Hints {
    fn new() -> Hints {
        Hints([Stamp::new(Slot(0), Time::NEVER); HINTS])
    }

    /// [`Table::is_forgotten`], faster, and sometimes `false` where that is `true`.
    #[inline(always)]
    pub(super) fn forget(&self, stamp: Stamp) -> bool {
        stamp.0 < self.0[stamp.0 as usize % HINTS].0
    }

    fn set(&mut self, slot: Slot, floor: Time) {
        self.0[slot.index() % HINTS] = Stamp::new(Slot(0), floor);
    }

    #[inline(always)]
    fn lower(&mut self, slot: Slot, floor: Time) {
        let hint = &mut self.0[slot.index() % HINTS];
        hint.0 = hint.0.min(Stamp::new(Slot(0), floor).0);
    }
}

impl Default for Table {
    /// A table of nobody's slot only.
    fn default() -> Table {
        let mut table = Table {
            hints: Box::new(Hints::new()),
            rows: vec![],
            spare: vec![],
            reached_by: vec![],
            floor: vec![],
            begin: vec![],
            changes: 0,
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
        if std::mem::replace(&mut self.floor[slot.index()], floor) == floor {
            return;
        }
        let first = slot.index() % HINTS;
        let sharing = self.floor.iter().skip(first).step_by(HINTS);
        self.hints.set(slot, sharing.copied().min().unwrap_or(Time::NEVER));
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
        self.hints.lower(slot, time);
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
            if let Some(entry) = self.rows[slot.index()].get_mut(column) {
                entry.clear();
            }
            self.reached_by[c].remove(slot);
            if self.reached_by[c].is_empty() {
                self.set_floor(column, self.begin[c]);
                emptied(column);
            }
            next = columns.next(column.0 + 1);
        }
        let row = &mut self.rows[slot.index()];
        row.columns = columns.cleared();
        self.spare.extend(row.pages.drain(..).flatten());
    }

    /// When the earliest transaction of `column` began that the row's transaction reaches.
    #[inline]
    pub(super) fn reach(&self, row: Slot, column: Slot) -> Time {
        if row == column {
            return self.begin[row.index()];
        }
        self.rows[row.index()].get(column).map_or(Time::NEVER, |entry| entry.reach)
    }

    /// What the row knows of the column, if it reaches it.
    pub(super) fn entry(&self, row: Slot, column: Slot) -> Option<&Entry> {
        self.rows[row.index()].get(column).filter(|entry| entry.reach != Time::NEVER)
    }

    /// How often a row came to reach something that it did not reach before.
    #[inline(always)]
    pub(super) fn changes(&self) -> u64 {
        self.changes
    }

    /// The stairs of an entry, if the row reaches the column.
    pub(super) fn stairs_mut(&mut self, row: Slot, column: Slot) -> Option<&mut Vec<Stair>> {
        self.rows[row.index()].get_mut(column).map(|entry| &mut entry.stairs)
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
            let reach = self.reach(row, column);
            floor = floor.min(reach);
            if reach <= time {
                found.push(row);
            }
            next = rows.next(row.0 + 1);
        }
        self.set_floor(column, floor);
    }

    /// The earliest time after this one from which on a row other than the column's own reaches the events of `column`, or does so by
    /// another stair.
    pub(super) fn next_arrival(&self, column: Slot, time: Time) -> Time {
        let rows = &self.reached_by[column.index()];
        let (mut earliest, mut next) = (Time::NEVER, rows.next(0));
        while let Some(row) = next {
            if let Some(Entry { reach, stairs, .. }) = self.entry(row, column) {
                let below = stairs.partition_point(|stair| stair.arrival <= time);
                let stair = stairs.get(below).map_or(Time::NEVER, |stair| stair.arrival);
                earliest = earliest.min(if *reach > time { *reach } else { stair });
            }
            next = rows.next(row.0 + 1);
        }
        earliest
    }

    /// The row's transaction now reaches a transaction of `column` that began at `time`, by `edge`.
    pub(super) fn set(&mut self, row: Slot, column: Slot, time: Time, edge: EdgeId) {
        self.changes += 1;
        let Row { pages, columns } = &mut self.rows[row.index()];
        let number = column.index() / PAGE;
        if pages.len() <= number {
            pages.resize_with(number + 1, || None);
        }
        let page = pages[number].get_or_insert_with(|| {
            self.spare.pop().unwrap_or_else(|| Box::new(std::array::from_fn(|_| Entry::new())))
        });
        let entry = &mut page[column.index() % PAGE];
        (entry.reach, entry.edge) = (time, edge);
        columns.insert(column);
        self.reached_by[column.index()].insert(row);
        self.lower_floor(column, time);
    }

    /// Whatever the running transaction of `from` reaches, `row`'s now reaches, too.
    pub(super) fn merge(&mut self, row: Slot, from: Slot) {
        let mut next = self.rows[from.index()].columns.next(0);
        while let Some(column) = next {
            let source = &self.rows[from.index()];
            next = source.columns.next(column.0 + 1);
            debug_assert_ne!(column, row, "a cycle was let in");
            if let Some(&Entry { reach, edge, .. }) = source.get(column)
                && reach < self.reach(row, column)
            {
                self.set(row, column, reach, edge);
            }
        }
    }

    /// Calls `visit` on every edge that an entry refers to.
    pub(super) fn visit_edges(&mut self, mut visit: impl FnMut(&mut EdgeId)) {
        for row in &mut self.rows {
            let mut next = row.columns.next(0);
            while let Some(column) = next {
                if let Some(entry) = row.get_mut(column) {
                    visit(&mut entry.edge);
                    entry.stairs.iter_mut().for_each(|stair| visit(&mut stair.edge));
                }
                next = row.columns.next(column.0 + 1);
            }
        }
    }
}
