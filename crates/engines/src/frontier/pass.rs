//! The fast lanes: events that change nothing but what variables and locks remember, which nearly all events are.
//!
//! In traces of many kinds, operations follow each other without a pattern, so a branch on the operation costs more than all the rest of an
//! ordinary event. [`pass_narrow`] therefore treats every access and every lock operation alike, by rules from a
//! table: as long as nothing that a running transaction reaches is involved, an event is a few loads,
//! comparisons and stores.
//!
//! Where variables share cells, a program goes through arrays, mostly in loops: [`pass_wide`] has branches, and more events pass. Those, too, whose
//! dependences are settled already, reads beside other threads' reads, and blocks within blocks.

use super::Block;
use super::cells::Cells;
use super::lists::Lists;
use super::lives::Thread;
use super::memory::{Cell, Last, READ, Record, WRITE};
use super::settled::Settled;
use super::table::{Slot, Table, Time};
use super::wide::Wide;
use interloper_trace::{Event, Op, OperandKind};
use std::hint::select_unpredictable;

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

/// Where variables have the cells of their numbers: takes events one after the other, and says how many.
#[inline(always)]
pub(super) fn pass_narrow(
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
        let Some(Cell { records }) = cells.get_mut(event.operand as usize) else { return i };
        let free = |record: &Record| hints.forget(record.stamp()) | (record.slot() == slot);
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

/// Where variables share cells: takes events one after the other, and says how many, and how many positions these have. There may be so many
/// lists before there are more to be given back.
#[inline(always)]
pub(super) fn pass_wide(
    cells: &mut Cells,
    (locks, lists, room): (&mut [Cell], &mut Lists, usize),
    events: &[Event],
    first: Time,
    slots: &[Slot],
    (last, threads): (&mut [Last], &mut [Thread]),
    (table, settled): (&Table, &Settled),
) -> (usize, u64) {
    let (hints, changes) = (table.hints(), table.changes());
    let mut time = first;
    for (i, event) in events.iter().enumerate() {
        cells.ask_for(&events[i..], lists);
        let rule = &Rule::BY_OP[event.op as usize];
        let passed = if rule.lock {
            let event = std::slice::from_ref(event);
            pass_narrow(&mut [], locks, event, time, slots, last, table) > 0
        } else if let Some(&slot) = slots.get(event.thread.index())
            && slot != Slot::NOBODY
            && let Some(last) = last.get_mut(slot.index())
        {
            let is_free = |source: &Record| {
                let forgotten = hints.forget(source.stamp()) | (source.slot() == slot);
                forgotten || settled.has(slot, *source, changes)
            };
            let record = Record::new(slot, time, event.op, event.site, last.label);
            let passed = if !rule.cell {
                nest(&mut threads[slot.index()], event, time)
            } else if usize::from(rule.becomes) == WRITE {
                cells.of(event).is_some_and(|cell| overwrite(cell, record, is_free))
            } else if let Some(cell) = cells.of(event) {
                is_free(&cell.write) && read(cell, record, (lists, room), table)
            } else {
                event.more > 0 && read_few(cells, event, record, is_free, (lists, room), table)
            };
            last.time = if passed { time } else { last.time };
            passed
        } else {
            false
        };
        if !passed {
            return (i, time.0 - first.0);
        }
        time.0 += 1 + u64::from(event.more);
    }
    (events.len(), time.0 - first.0)
}

/// Opens or closes a block within a block, if this is what the event does; whether it is.
#[inline(always)]
fn nest(thread: &mut Thread, event: &Event, time: Time) -> bool {
    let blocks = &mut thread.blocks;
    match event.op {
        Op::Begin if !blocks.is_empty() => {
            blocks.push(Block { label: event.label(), begin: time, site: event.site });
            true
        }
        Op::End if blocks.len() > 1 => {
            blocks.pop();
            true
        }
        _ => false,
    }
}

/// Writes a cell if all that this depends on is free; whether it did.
#[inline(always)]
fn overwrite(cell: &mut Wide, write: Record, is_free: impl Fn(&Record) -> bool) -> bool {
    let passed = is_free(&cell.write) && cell.has_only(is_free);
    if passed {
        cell.write(write);
    }
    passed
}

/// Remembers a read, if that needs no more lists than there may be; whether it did.
#[inline(always)]
fn read(cell: &mut Wide, read: Record, (lists, room): (&mut Lists, usize), table: &Table) -> bool {
    if cell.read(read, |other| table.hints().forget(other.stamp())) {
        return true;
    }
    let passed = lists.count() < room;
    if passed {
        cell.read_by_list(read, lists, table);
    }
    passed
}

/// The same for a read of variables that have a few cells to themselves: nothing arrives with any of them, so all have the time of the first.
#[inline(always)]
fn read_few(
    cells: &mut Cells,
    event: &Event,
    record: Record,
    is_free: impl Fn(&Record) -> bool,
    (lists, room): (&mut Lists, usize),
    table: &Table,
) -> bool {
    let Some(few) = cells.few(event) else { return false };
    let has_room = lists.count() + few.len() <= room;
    if !has_room || !few.iter().all(|&cell| is_free(&cells.get(cell).write)) {
        return false;
    }
    few.into_iter().all(|cell| read(cells.get_mut(cell), record, (lists, room), table))
}
