//! What a variable and a lock remember: who touched them last, when and where.
//!
//! A [`Record`] is sixteen bytes and a [`Cell`] two of them, half a cache line: with a hundred
//! thousand variables the memory of the last accesses is most of what an event touches.
//!
//! Operations follow each other in a trace without a pattern, so a branch on the operation costs more
//! than all the rest of an ordinary event. [`Memory::pass`] therefore treats every access and every
//! lock operation alike, by rules from a table: as long as nothing that a running transaction reaches
//! is involved, which is nearly always, an event is a few loads, comparisons and stores.

use super::cells::{CellId, Cells, Change, Part};
use super::table::{Slot, Stamp, Table, Time};
use interloper_trace::{Event, LabelId, LockId, Names, Op, OperandKind, SiteId, VarRange};
use smallvec::SmallVec;
use std::hint::select_unpredictable;

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
struct Cell {
    /// The last write of a variable and the reads since, one in place, more of them in a list. Or the
    /// last release of a lock; its second record means nothing.
    records: [Record; 2],
}

const WRITE: usize = 0;
const READ: usize = 1;

impl Cell {
    const NEW: Cell = Cell { records: [Record::NONE; 2] };
}

/// The reads of a variable since its last write. A record of time [`Time::NEVER`], which is never
/// forgotten, in [`Slot::NOBODY`] is no read but the number of a list.
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

    fn list(number: u32) -> Reads {
        Reads { record: Record { stamp: LIST, rest: u64::from(number) } }
    }

    /// The single read, or the number of the list.
    #[inline(always)]
    pub(super) fn get(self) -> Result<Record, ListId> {
        if self.record.stamp == LIST {
            Err(ListId(self.record.rest as usize))
        } else {
            Ok(self.record)
        }
    }
}

/// What an operation asks of a cell and does to it.
#[derive(Clone, Copy)]
struct Rule {
    /// Whether it is an access or a lock operation at all.
    cell: bool,
    lock: bool,
    /// It does not depend on the last write (or release).
    ignores_write: bool,
    /// It does not depend on the reads, nor takes their place.
    ignores_read: bool,
    /// Which record it becomes.
    becomes: u8,
}

impl Rule {
    const fn of(op: Op) -> Rule {
        let lock = matches!(op.operand_kind(), OperandKind::Lock);
        let releases = matches!(op, Op::Release | Op::Wait);
        let writes = matches!(op, Op::Write | Op::VolatileWrite | Op::Update) || releases;
        let reads = matches!(op, Op::Read | Op::VolatileRead | Op::Acquire);
        Rule {
            cell: reads || writes,
            lock,
            ignores_write: releases,
            ignores_read: lock,
            becomes: if writes { WRITE } else { READ } as u8,
        }
    }

    const BY_OP: [Rule; Op::ALL.len()] = {
        let mut rules = [Rule::of(Op::Dummy); Op::ALL.len()];
        let mut i = 0;
        while i < rules.len() {
            rules[i] = Rule::of(Op::ALL[i]);
            i += 1;
        }
        rules
    };
}

/// Reads by several threads: in place as long as they are few, to be found with one look.
pub(super) type List = SmallVec<[Record; 8]>;

/// A list of reads in [`Memory`].
#[derive(Clone, Copy)]
pub(super) struct ListId(usize);

/// What a slot's thread did last, as far as every event changes it.
#[derive(Clone, Copy)]
pub(super) struct Last {
    pub(super) time: Time,
    /// The label of the running transaction; [`LabelId::OUTSIDE`] outside blocks.
    pub(super) label: LabelId,
}

/// All variables and locks.
#[derive(Default)]
pub(super) struct Memory {
    variables: Vec<Cell>,
    /// Which variable has which cell, once an access is about several or may be; until then each has the cell of its number.
    cells: Option<Cells>,
    locks: Vec<Cell>,
    lists: Vec<List>,
    free: Vec<ListId>,
    /// At so many lists, those that nobody needs are given back.
    list_limit: usize,
}

/// So few lists are not worth a look at all variables. (Tests are small, and are to meet it, too.)
const FEW_LISTS: usize = if cfg!(debug_assertions) { 2 } else { 1 << 12 };

impl Memory {
    /// Takes events one after the other, as long as they depend on nothing that a running transaction
    /// reaches and leave nothing that needs a list. Returns how many it took; nothing has been
    /// done about the next one. `slots` are by thread, `last` by slot.
    #[inline(always)]
    pub(super) fn pass(
        &mut self,
        events: &[Event],
        first: Time,
        slots: &[Slot],
        last: &mut [Last],
        table: &Table,
    ) -> usize {
        let (variables, locks) = (&mut self.variables[..], &mut self.locks[..]);
        match &self.cells {
            None => pass_by(|var| var, variables, locks, events, first, slots, last, table),
            Some(cells) => {
                let own = |var| cells.own(var);
                pass_by(own, variables, locks, events, first, slots, last, table)
            }
        }
    }

    /// Asks for what these events will look up, a while before they do: with variables beyond the
    /// second-level cache, this halves the time of the whole engine. (Operands that are no variables
    /// ask for something, too: cheaper than to tell them apart.)
    #[inline(always)]
    pub(super) fn prefetch(&self, events: &[Event]) {
        let Some(last) = self.variables.len().checked_sub(1) else { return };
        match &self.cells {
            None => {
                for event in events {
                    prefetch(&self.variables[(event.operand as usize).min(last)]);
                }
            }
            Some(cells) => {
                for event in events {
                    prefetch(&self.variables[(cells.any(event.operand) as usize).min(last)]);
                }
            }
        }
    }

    /// The same for the lists of reads of variables that [`Memory::prefetch`] was asked for before.
    #[inline(always)]
    pub(super) fn prefetch_lists(&self, events: &[Event]) {
        if 16 * (self.lists.len() - self.free.len()) <= self.variables.len() {
            return;
        }
        let place = |var| self.cells.as_ref().map_or(var, |cells| cells.any(var));
        for event in events {
            if let Some(cell) = self.variables.get(place(event.operand) as usize)
                && let Err(list) = (Reads { record: cell.records[READ] }).get()
            {
                prefetch(&self.lists[list.0]);
            }
        }
    }

    /// From here on variables may have other cells than those of their numbers.
    pub(super) fn share_cells(&mut self) {
        let Memory { cells, variables, .. } = self;
        cells.get_or_insert_with(|| Cells::of_their_own(variables.len()));
    }

    /// The cell of a variable, if it is known to have one for itself.
    #[inline]
    pub(super) fn own_cell(&self, var: u32) -> Option<CellId> {
        match &self.cells {
            None => Some(CellId(var)),
            Some(cells) => Some(cells.own(var)).filter(|&cell| cell != u32::MAX).map(CellId),
        }
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
        if let Some(mut cells) = self.cells.take() {
            cells.take_out(event, parts, homes, |change| self.change(change));
            self.cells = Some(cells);
        }
    }

    /// All parts of an access, whose reads since the last write were taken, are written at once.
    pub(super) fn overwrite(&mut self, event: &Event, parts: &[Part], write: Record) {
        if let Some(mut cells) = self.cells.take() {
            let cell = cells.bring_together(event, parts, |change| self.change(change));
            self.cells = Some(cells);
            self.set_write(cell, write);
        }
    }

    fn change(&mut self, change: Change) {
        let (to, cell) = match change {
            Change::New(to) => (to, Cell::NEW),
            Change::Copy { from, to } => (to, self.copy(from)),
        };
        *grown(&mut self.variables, to.index()) = cell;
    }

    /// A cell that says the same, with a list of its own.
    fn copy(&mut self, from: CellId) -> Cell {
        let mut cell = self.variables[from.index()];
        if let Err(list) = (Reads { record: cell.records[READ] }).get() {
            let reads = self.lists[list.0].clone();
            cell.records[READ] = self.add_list(reads).record;
        }
        cell
    }

    /// Calls back with each event that an access of a cell depends on.
    pub(super) fn for_each_source(&self, cell: CellId, writes: bool, mut each: impl FnMut(Record)) {
        let [write, record] = self.variables[cell.index()].records;
        each(write);
        match (Reads { record }).get() {
            Ok(read) if writes => each(read),
            Err(list) if writes => self.lists[list.0].iter().for_each(|&read| each(read)),
            _ => {}
        }
    }

    /// The last write of a cell's variables, and the reads since.
    pub(super) fn cell(&mut self, cell: CellId) -> (Record, Reads) {
        let [write, record] = grown(&mut self.variables, cell.index()).records;
        (write, Reads { record })
    }

    /// Changes the reads of a cell.
    pub(super) fn set_reads(&mut self, cell: CellId, reads: Reads) {
        self.variables[cell.index()].records[READ] = reads.record;
    }

    /// Sets the last write of a cell, with no reads since.
    pub(super) fn set_write(&mut self, cell: CellId, write: Record) {
        self.variables[cell.index()].records = [write, Record::NONE];
    }

    /// These variables are not accessed any more.
    pub(super) fn retire(&mut self, vars: VarRange) {
        match self.cells.take() {
            None => (vars.first.0..vars.end()).for_each(|var| self.empty(CellId(var))),
            Some(mut cells) => {
                cells.move_out(vars, |cell| self.empty(cell));
                self.cells = Some(cells);
            }
        }
    }

    /// A cell remembers nothing any more.
    fn empty(&mut self, cell: CellId) {
        let Some(cell) = self.variables.get_mut(cell.index()) else { return };
        let [_, record] = std::mem::replace(cell, Cell::NEW).records;
        if let Err(list) = (Reads { record }).get() {
            self.free_list(list);
        }
    }

    /// This lock is not used any more.
    pub(super) fn retire_lock(&mut self, lock: LockId) {
        if let Some(cell) = self.locks.get_mut(lock.index()) {
            *cell = Cell::NEW;
        }
    }

    /// The reads of a list, which stays.
    pub(super) fn list(&self, list: ListId) -> &List {
        &self.lists[list.0]
    }

    /// The last release of a lock.
    pub(super) fn release(&mut self, lock: LockId) -> &mut Record {
        &mut grown(&mut self.locks, lock.index()).records[WRITE]
    }

    pub(super) fn list_mut(&mut self, list: ListId) -> &mut List {
        &mut self.lists[list.0]
    }

    /// A list of these two reads. Lists are in the order of slots.
    pub(super) fn new_list(&mut self, first: Record, second: Record) -> Reads {
        let in_order = first.slot() < second.slot();
        let reads = if in_order { [first, second] } else { [second, first] };
        self.add_list(List::from_iter(reads))
    }

    fn add_list(&mut self, reads: List) -> Reads {
        let list = self.free.pop().unwrap_or_else(|| {
            self.lists.push(List::new());
            ListId(self.lists.len() - 1)
        });
        self.lists[list.0] = reads;
        Reads::list(list.0 as u32)
    }

    /// Whether it is time for [`Memory::sweep_lists`].
    pub(super) fn has_many_lists(&self) -> bool {
        self.free.is_empty() && self.lists.len() >= self.list_limit.max(FEW_LISTS)
    }

    /// Drops reads that are forgotten, of variables that may never be accessed again, and gives their lists back.
    /// As there must be twice as many lists before the next time, this costs little.
    #[cold]
    pub(super) fn sweep_lists(&mut self, is_forgotten: impl Fn(&Record) -> bool) {
        for cell in &mut self.variables {
            let Err(ListId(number)) = (Reads { record: cell.records[READ] }).get() else {
                continue;
            };
            let list = &mut self.lists[number];
            list.retain(|read| !is_forgotten(read));
            if list.len() <= 1 {
                cell.records[READ] = list.pop().unwrap_or(Record::NONE);
                self.free.push(ListId(number));
            }
        }
        self.list_limit = 2 * (self.lists.len() - self.free.len());
    }

    /// How many lists there are, used or not.
    #[cfg(test)]
    pub(super) fn list_count(&self) -> usize {
        self.lists.len()
    }

    /// Gives a list back, and takes its reads.
    pub(super) fn free_list(&mut self, list: ListId) -> List {
        self.free.push(list);
        std::mem::take(&mut self.lists[list.0])
    }
}

/// [`Memory::pass`]; `cell` tells where a variable is, or a number that is too large.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn pass_by(
    cell: impl Fn(u32) -> u32,
    variables: &mut [Cell],
    locks: &mut [Cell],
    events: &[Event],
    first: Time,
    slots: &[Slot],
    last: &mut [Last],
    table: &Table,
) -> usize {
    let hints = table.hints();
    for (i, event) in events.iter().enumerate() {
        let rule = &Rule::BY_OP[event.op as usize];
        let Some(&slot) = slots.get(event.thread.index()) else { return i };
        let Some(last) = last.get_mut(slot.index()) else { return i };
        let cells = select_unpredictable(rule.lock, &mut *locks, &mut *variables);
        let place = select_unpredictable(rule.lock, event.operand, cell(event.operand));
        let Some(Cell { records }) = cells.get_mut(place as usize) else { return i };
        let free = |record: &Record| hints.forget(record.stamp) | (record.stamp.slot() == slot);
        let pass = rule.cell
            & (event.more == 0)
            & (slot != Slot::NOBODY)
            & (free(&records[WRITE]) | rule.ignores_write)
            & (free(&records[READ]) | rule.ignores_read);
        if !pass {
            return i;
        }
        let time = Time(first.0 + i as u64);
        last.time = time;
        // A write leaves no reads behind; a read is written over what is written first.
        records[READ] = Record::NONE;
        records[usize::from(rule.becomes & 1)] =
            Record::new(slot, time, event.op, event.site, last.label);
    }
    events.len()
}

/// Brings a value into the cache while other work goes on.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(unsafe_code)]
fn prefetch<T>(value: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    const LINE: usize = 64;
    let start = std::ptr::from_ref(value).cast::<i8>();
    for offset in (0..size_of::<T>()).step_by(LINE) {
        // SAFETY: a prefetch reads nothing and cannot fault, wherever it points; it needs SSE, which
        // every x86-64 processor has. Loading the value instead takes a tenth more time in all.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(offset)) }
    }
}

/// Brings a value into the cache while other work goes on, where the processor is known to.
#[cfg(not(target_arch = "x86_64"))]
fn prefetch<T>(_: &T) {}

/// The cell at `index`, which may be mentioned for the first time.
fn grown(cells: &mut Vec<Cell>, index: usize) -> &mut Cell {
    if index >= cells.len() {
        cells.resize(index + 1, Cell::NEW);
    }
    &mut cells[index]
}
