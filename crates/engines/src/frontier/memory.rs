//! What a variable and a lock remember: who touched them last, when and where.
//!
//! A [`Record`] is sixteen bytes and a [`Cell`] two of them, half a cache line: with a hundred
//! thousand variables the memory of the last accesses is most of what an event touches.
//!
//! Once variables may share cells, they have larger ones, of another kind ([`super::wide`]); locks keep theirs.

use super::cells::{CellId, Cells, Part};
use super::lists::{ListId, Lists, MEDIUM};
use super::lives::Thread;
use super::pass::{pass_narrow, pass_wide};
use super::settled::Settled;
use super::table::{Slot, Stamp, Table, Time};
use super::wide::Wide;
use interloper_trace::{Event, LabelId, LockId, Names, Op, SiteId, VarRange, prefetch};
use smallvec::SmallVec;

/// Labels are fewer than so many bits can tell apart: names cost 16 bytes and more each.
const LABEL_BITS: u32 = 27;
const LABEL_MASK: u32 = (1 << LABEL_BITS) - 1;
const _: () = assert!(Op::ALL.len() <= 1 << (u32::BITS - LABEL_BITS));
const _: () = assert!(Names::MOST_COST / 16 < LABEL_MASK as u64 / 2);

/// An earlier event that later ones may depend on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    stamp: Stamp,
    /// Site, and above it operation and label of the transaction.
    rest: u64,
}

impl Record {
    /// No event: the time is 0, before everything, and so forgotten.
    pub(super) const NONE: Record = Record { stamp: Stamp::NONE, rest: 0 };

    #[inline(always)]
    pub(super) fn new(slot: Slot, time: Time, op: Op, site: SiteId, label: LabelId) -> Record {
        let word = (op as u32) << LABEL_BITS | (label.0 & LABEL_MASK);
        Record { stamp: Stamp::new(slot, time), rest: u64::from(word) << 32 | u64::from(site.0) }
    }

    #[inline(always)]
    pub(super) fn stamp(&self) -> Stamp {
        self.stamp
    }

    #[inline(always)]
    pub(super) fn slot(&self) -> Slot {
        self.stamp.slot()
    }

    #[inline(always)]
    pub(super) fn time(&self) -> Time {
        self.stamp.time()
    }

    pub(super) fn site(&self) -> SiteId {
        SiteId(self.rest as u32)
    }

    pub(super) fn op(&self) -> Op {
        Op::from_code((self.rest >> (32 + LABEL_BITS)) as u8).unwrap_or(Op::Dummy)
    }

    pub(super) fn label(&self) -> LabelId {
        match (self.rest >> 32) as u32 & LABEL_MASK {
            LABEL_MASK => LabelId::OUTSIDE,
            label => LabelId(label),
        }
    }
}

/// What a variable or a lock remembers.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(super) struct Cell {
    /// The last write of a variable and the reads since, one in place, more of them in a list. Or the
    /// last release of a lock; its second record means nothing.
    pub(super) records: [Record; 2],
}

/// The places of these.
pub(super) const WRITE: usize = 0;
pub(super) const READ: usize = 1;

impl Cell {
    const NEW: Cell = Cell { records: [Record::NONE; 2] };
}

/// The reads of a variable since its last write. A record of time [`Time::NEVER`], which is never
/// forgotten, in [`Slot::NOBODY`] is no read but refers to a list.
#[derive(Clone, Copy)]
pub(super) struct Reads {
    record: Record,
}

const LIST: Stamp = Stamp::new(Slot::NOBODY, Time::NEVER);

impl Reads {
    #[inline(always)]
    pub(super) fn one(record: Record) -> Reads {
        Reads { record }
    }

    pub(super) fn list(id: ListId) -> Reads {
        Reads { record: Record { stamp: LIST, rest: id.pack() } }
    }

    /// The single read, or the list.
    #[inline(always)]
    pub(super) fn get(self) -> Result<Record, ListId> {
        if self.record.stamp == LIST {
            Err(ListId::unpack(self.record.rest))
        } else {
            Ok(self.record)
        }
    }
}

/// What a slot's thread did last, as far as every event changes it.
#[derive(Clone, Copy)]
pub(super) struct Last {
    pub(super) time: Time,
    /// The label of the running transaction; [`LabelId::OUTSIDE`] outside blocks.
    pub(super) label: LabelId,
}

/// How many events ahead variables are asked for.
pub(super) const AHEAD: usize = 32;

/// All variables and locks.
#[derive(Default)]
pub(super) struct Memory {
    variables: Vec<Cell>,
    /// Which variable has which cell, once an access is about several or may be; until then each has the cell of its number.
    cells: Option<Cells>,
    locks: Vec<Cell>,
    lists: Lists,
    /// At so many lists, those that nobody needs are given back.
    list_limit: usize,
}

/// So few lists are not worth a look at all variables. (Tests are small, and are to meet it, too.)
const FEW_LISTS: usize = if cfg!(debug_assertions) { 2 } else { 1 << 12 };

impl Memory {
    /// Takes events one after the other, as long as they change nothing in the table and do not ask for too many lists. Returns how many it
    /// took, and how many positions these have; nothing has been done about the next one. `slots` are by thread, `last` and `threads` by slot.
    #[inline(always)]
    pub(super) fn pass(
        &mut self,
        events: &[Event],
        first: Time,
        slots: &[Slot],
        (last, threads): (&mut [Last], &mut [Thread]),
        (table, settled): (&Table, &Settled),
    ) -> (usize, u64) {
        match &mut self.cells {
            None => {
                let (variables, locks) = (&mut self.variables[..], &mut self.locks[..]);
                let passed = pass_narrow(variables, locks, events, first, slots, last, table);
                (passed, passed as u64)
            }
            Some(cells) => {
                let room = self.list_limit.max(FEW_LISTS);
                let others = (&mut self.locks[..], &mut self.lists, room);
                let by_slot = (last, threads);
                pass_wide(cells, others, events, first, slots, by_slot, (table, settled))
            }
        }
    }

    /// How many events are taken in one go. Where variables share cells, each asks for what a later one needs ([`Memory::pass`]); else they are
    /// asked for in groups.
    pub(super) fn stride(&self) -> usize {
        if self.cells.is_some() { usize::MAX } else { AHEAD }
    }

    /// Asks for what these events will look up, a while before they do: with variables beyond the
    /// second-level cache, this halves the time of the whole engine. (Operands that are no variables
    /// ask for something, too: cheaper than to tell them apart.)
    #[inline(always)]
    pub(super) fn prefetch(&self, events: &[Event]) {
        let Some(last) = self.variables.len().checked_sub(1) else { return };
        for event in events {
            prefetch(&self.variables[(event.operand as usize).min(last)]);
        }
    }

    /// The same for the lists of reads of variables that [`Memory::prefetch`] was asked for before.
    #[inline(always)]
    pub(super) fn prefetch_lists(&self, events: &[Event]) {
        if 16 * self.lists.count() <= self.variables.len() || self.cells.is_some() {
            return;
        }
        for event in events {
            if let Some(cell) = self.variables.get(event.operand as usize)
                && let Err(list) = (Reads { record: cell.records[READ] }).get()
            {
                self.lists.get(list).iter().step_by(4).for_each(prefetch);
            }
        }
    }

    /// From here on variables may have other cells than those of their numbers.
    pub(super) fn share_cells(&mut self) {
        if self.cells.is_none() {
            let wide = |Cell { records: [write, record] }: Cell| {
                Wide::with(write, (Reads { record }).get(), &self.lists)
            };
            let cells = std::mem::take(&mut self.variables).into_iter().map(wide).collect();
            self.cells = Some(Cells::of_their_own(cells));
        }
    }

    /// The cell of a variable, if it is known to have one for itself.
    #[inline]
    pub(super) fn own_cell(&self, var: u32) -> Option<CellId> {
        match &self.cells {
            None => Some(CellId(var)),
            Some(cells) => Some(cells.own(var)).filter(|&cell| cell != u32::MAX).map(CellId),
        }
    }

    /// The cell of an access of several variables, if no others have it, and they have no other.
    #[inline(always)]
    pub(super) fn common_cell(&mut self, event: &Event) -> Option<CellId> {
        self.cells.as_mut()?.common(event)
    }

    /// Finds the variables of an access by their cells, if these are shared.
    pub(super) fn gather(&mut self, event: &Event, parts: &mut Vec<Part>) {
        if let Some(cells) = &mut self.cells {
            cells.gather(event, parts);
        }
    }

    /// An access that was gathered is not made like this.
    pub(super) fn forget(&mut self, parts: &[Part]) {
        if let Some(cells) = &mut self.cells {
            cells.forget(parts);
        }
    }

    /// Gives each part of an access a cell for itself; `homes` gets to know these.
    pub(super) fn take_out(&mut self, event: &Event, parts: &[Part], homes: &mut Vec<CellId>) {
        if let Some(cells) = &mut self.cells {
            cells.take_out(event, parts, homes, &mut self.lists);
        }
    }

    /// All parts of an access, whose reads since the last write were taken, are written at once.
    pub(super) fn overwrite(&mut self, event: &Event, parts: &[Part], write: Record) {
        if let Some(cells) = &mut self.cells {
            let cell = cells.bring_together(event, parts);
            cells.get_mut(cell).write(write);
        }
    }

    /// Calls back with each event that an access of a cell shared by variables depends on.
    pub(super) fn for_each_source(&self, cell: CellId, writes: bool, mut each: impl FnMut(Record)) {
        let Some(cells) = &self.cells else { return };
        let cell = cells.get(cell);
        each(cell.write);
        if writes {
            cell.for_each_read(&self.lists, each);
        }
    }

    /// The last write of a cell's variables.
    #[inline(always)]
    pub(super) fn last_write(&mut self, cell: CellId) -> Record {
        match &self.cells {
            None => grown(&mut self.variables, cell.index()).records[WRITE],
            Some(cells) => cells.get(cell).write,
        }
    }

    /// The reads since, in the order of slots. They are taken away if `taken`.
    pub(super) fn reads(&mut self, cell: CellId, taken: bool) -> SmallVec<[Record; 8]> {
        if let Some(cells) = &mut self.cells {
            let cell = cells.get_mut(cell);
            let reads = cell.reads(&self.lists);
            if taken {
                cell.clear(&mut self.lists);
            }
            return reads;
        }
        let [_, record] = self.variables[cell.index()].records;
        let reads = match (Reads { record }).get() {
            Ok(read) => SmallVec::from_slice(&[read]),
            Err(list) => SmallVec::from_slice(self.lists.get(list)),
        };
        if taken {
            self.empty(cell);
        }
        reads
    }

    /// Remembers a read of a cell's variables.
    pub(super) fn set_read(&mut self, cell: CellId, read: Record, table: &Table) {
        let is_forgotten = |read: &Record| table.is_forgotten(read.slot(), read.time());
        if let Some(cells) = &mut self.cells {
            if !cells.get_mut(cell).read(read, is_forgotten) {
                self.make_room(table);
                let Memory { cells: Some(cells), lists, .. } = self else { return };
                cells.get_mut(cell).read_by_list(read, lists, table);
            }
            return;
        }
        let record = self.variables[cell.index()].records[READ];
        let reads = match (Reads { record }).get() {
            Ok(other) if is_forgotten(&other) || other.slot() == read.slot() => Reads::one(read),
            Ok(other) => {
                self.make_room(table);
                Reads::list(self.lists.pair(MEDIUM, other, read))
            }
            Err(list) => Reads::list(self.lists.put(list, read, is_forgotten)),
        };
        self.variables[cell.index()].records[READ] = reads.record;
    }

    /// Sets the last write of a cell, whose reads were taken away.
    pub(super) fn set_write(&mut self, cell: CellId, write: Record) {
        match &mut self.cells {
            None => self.variables[cell.index()].records = [write, Record::NONE],
            Some(cells) => cells.get_mut(cell).write(write),
        }
    }

    /// These variables are not accessed any more.
    pub(super) fn retire(&mut self, vars: VarRange) {
        match &mut self.cells {
            None => (vars.first.0..vars.end()).for_each(|var| self.empty(CellId(var))),
            Some(cells) => cells.move_out(vars, &mut self.lists),
        }
    }

    /// A cell of one variable remembers nothing any more.
    fn empty(&mut self, cell: CellId) {
        let Some(cell) = self.variables.get_mut(cell.index()) else { return };
        let [_, record] = std::mem::replace(cell, Cell::NEW).records;
        if let Err(list) = (Reads { record }).get() {
            self.lists.give_back(list);
        }
    }

    /// This lock is not used any more.
    pub(super) fn retire_lock(&mut self, lock: LockId) {
        if let Some(cell) = self.locks.get_mut(lock.index()) {
            *cell = Cell::NEW;
        }
    }

    /// The last release of a lock.
    pub(super) fn release(&mut self, lock: LockId) -> &mut Record {
        &mut grown(&mut self.locks, lock.index()).records[WRITE]
    }

    /// Before there is one more list: drops reads that are forgotten, of variables that may never be accessed again, and gives their lists
    /// back. As there must be twice as many lists before the next time, this costs little.
    fn make_room(&mut self, table: &Table) {
        if self.lists.count() < self.list_limit.max(FEW_LISTS) {
            return;
        }
        let is_forgotten = |read: &Record| table.is_forgotten(read.slot(), read.time());
        for cell in self.cells.iter_mut().flat_map(Cells::all) {
            cell.sweep(&mut self.lists, is_forgotten);
        }
        for cell in &mut self.variables {
            let Err(list) = (Reads { record: cell.records[READ] }).get() else { continue };
            let list = self.lists.retain(list, is_forgotten);
            cell.records[READ] = match *self.lists.get(list) {
                [_, _, ..] => Reads::list(list).record,
                ref few => {
                    let left = few.first().copied().unwrap_or(Record::NONE);
                    self.lists.give_back(list);
                    left
                }
            };
        }
        self.list_limit = 2 * self.lists.count();
    }

    /// The reads by several threads.
    #[cfg(test)]
    pub(super) fn lists(&self) -> &Lists {
        &self.lists
    }
}

/// The cell at `index`, which may be mentioned for the first time.
fn grown(cells: &mut Vec<Cell>, index: usize) -> &mut Cell {
    if index >= cells.len() {
        cells.resize(index + 1, Cell::NEW);
    }
    &mut cells[index]
}
