//! The frontier: conflict serializability without a graph.
//!
//! **Guarantee.** Reports a violation if and only if the observed trace is not conflict
//! serializable (the definition of Velodrome, PLDI 2008, section 2), at the very event that makes it
//! so. A transaction is blamed if and only if it is not self-serializable (section 4.3), and exactly
//! those open blocks are refuted that no equivalent trace executes serially.
//!
//! **Method.** For each running transaction, a row of a table holds the earliest transaction of
//! each other thread that happens after it: the frontier of its future ([`table`]). An event that
//! depends on an earlier event of thread `j` closes a cycle exactly if that event is on or behind
//! the frontier of the event's own transaction in `j`. Otherwise every running transaction whose
//! frontier covers the earlier event now also covers whatever the event's transaction reaches.
//! Finished transactions that nothing running reaches cost nothing and need no collection.
//! Positions of events are the only time stamps: a transaction is known by the position of its
//! `begin`, and an event belongs to a reached transaction, or a later one of that thread, exactly if
//! its position is not smaller.
//!
//! What an event depends on: its variable's last write and, if it writes, the reads since; its
//! lock's last release; its thread's fork; the last event of the thread it joins; after an arrival at a
//! barrier, the arrivals of the others in the round ([`barriers`]).
//!
//! Blame needs the same on single events: beside each entry, the first event of that thread that
//! happens after some event of the row's transaction. With nested blocks, different blocks may
//! arrive at different times: the entry holds a staircase of arrivals, each with the latest event
//! it is rooted in, as far as open blocks can tell them apart.
//!
//! Most dependences are on a thread that was depended on before, and change nothing: these cost little ([`settled`]).
//!
//! An access of several variables is taken as one event as far as that is the same, see [`ranges`]. Variables with the same past
//! share what is remembered of them ([`cells`]).
//!
//! **After a violation** the closing dependence is left out and the analysis goes on: later
//! violations are exact for the order that remains. A write supersedes the reads before it, also
//! where a dependence on one of them was left out.
//!
//! **Cost.** Constant time for an event that no running transaction's frontier covers; otherwise
//! time by the number of running transactions that do. Memory by variables, locks and pairs of a
//! running transaction and a thread that it reaches, not by the length of the trace. A thread that
//! goes on from a barrier takes time by those arrivals of its round that a running transaction
//! reaches. A slot of the table goes to a new thread once its
//! old thread has ended and nothing running reaches it.

mod barriers;
mod cells;
mod explain;
mod lists;
mod lives;
mod memory;
mod pass;
mod ranges;
mod retire;
mod settled;
mod table;
mod wide;

#[cfg(test)]
mod tests;

use crate::context::rounds::Rounds;
use crate::engine::{EXACT, Engine, Guarantee, Stat};
use cells::CellId;
use explain::{Edge, EdgeId, Edges};
use interloper_findings::{Access, Dependence, Key, Sink, Violation};
use interloper_trace::{Batch, Event, LabelId, Names, Op, Position, Retired, SiteId};
use lives::{Life, Thread};
use memory::{Last, Memory, Record};
use ranges::Ranges;
use settled::Settled;
use std::cmp::Reverse;
use std::mem::take;
use table::{Slot, Stair, Stamp, Table, Time};

/// The frontier engine. See the module's documentation.
#[derive(Default)]
pub struct Frontier {
    table: Table,
    memory: Memory,
    /// By slot.
    threads: Vec<Thread>,
    /// By slot.
    last: Vec<Last>,
    /// By thread: the slot it runs in.
    slots: Vec<Slot>,
    /// By thread: what else is known of it.
    lives: Vec<Life>,
    /// Arrivals at barriers, with their operands.
    rounds: Rounds<(Record, u32)>,
    free_slots: Vec<Slot>,
    edges: Edges,
    settled: Settled,
    /// Dependences of the current event that would close a cycle.
    closing: Vec<Closing>,
    /// Room for accesses of several variables.
    ranges: Ranges,
    /// Room for the rows that reach a source.
    reaching: Vec<Slot>,
}

struct Block {
    label: LabelId,
    begin: Time,
    site: SiteId,
}

/// A dependence on an earlier event, with the operands of both.
#[derive(Clone, Copy)]
struct Closing {
    source: Record,
    from: u32,
    to: u32,
}

/// The event in hand.
#[derive(Clone, Copy)]
struct Now<'a> {
    batch: &'a Batch,
    event: &'a Event,
    /// Its operand, or one of them.
    operand: u32,
    slot: Slot,
    time: Time,
}

impl Engine for Frontier {
    fn name(&self) -> &'static str {
        "frontier"
    }

    fn guarantee(&self) -> Guarantee {
        EXACT
    }

    fn takes_ranges(&self) -> bool {
        true
    }

    fn judges_by_conflicts(&self) -> bool {
        true
    }

    fn feed(&mut self, batch: &Batch, names: &Names, sink: &mut dyn Sink) {
        self.ranges.in_batch = batch.has_ranges();
        // Families have numbers for members that nobody may ever use: these get no cells.
        if self.ranges.in_batch || names.vars.has_families() {
            self.memory.share_cells();
        }
        let mut position = batch.first;
        let mut chunks = batch.events.chunks(self.memory.stride()).peekable();
        chunks.peek().inspect(|first| self.memory.prefetch(first));
        while let Some(events) = chunks.next() {
            self.memory.prefetch_lists(events);
            chunks.peek().inspect(|next| self.memory.prefetch(next));
            let mut rest = events;
            while !rest.is_empty() {
                let time = Time(position + 1);
                let Frontier { memory, slots, last, threads, table, settled, .. } = &mut *self;
                let by_slot = (&mut last[..], &mut threads[..]);
                let (passed, positions) = memory.pass(rest, time, slots, by_slot, (table, settled));
                position += positions;
                rest = &rest[passed..];
                if let [event, others @ ..] = rest {
                    self.event(batch, event, position, sink);
                    position += 1 + u64::from(event.more);
                    rest = others;
                }
            }
        }
        self.remember_last(batch);
    }

    fn forgets(&self) -> bool {
        true
    }

    fn forget(&mut self, retired: &Retired) {
        self.forget_retired(retired);
    }

    fn mentions(&mut self, visit: &mut dyn FnMut(Op, u32)) {
        self.visit_mentions(visit);
    }

    fn stats(&self) -> Vec<Stat> {
        vec![Stat { name: "threads in the table at most", value: self.table.slots() as u64 }]
    }
}

impl Frontier {
    /// A new engine, before any event.
    pub fn new() -> Frontier {
        Frontier::default()
    }

    #[inline(always)]
    fn event(&mut self, batch: &Batch, event: &Event, position: Position, sink: &mut dyn Sink) {
        let time = Time(position + 1);
        let slot = match self.slots.get(event.thread.index()) {
            Some(&slot) if slot != Slot::NOBODY => slot,
            _ => self.without_slot(batch, event, time, sink),
        };
        let now = Now { batch, event, operand: event.operand, slot, time };
        if event.more > 0 && event.op != Op::Dummy {
            return self.range(now, sink);
        }
        let record = self.record(now);
        self.step(now, record);
        if !self.closing.is_empty() {
            self.violated(now, sink);
        }
    }

    /// What others may depend on, if it is the event in hand.
    fn record(&mut self, now: Now) -> Record {
        let last = &mut self.last[now.slot.index()];
        last.time = now.time;
        Record::new(now.slot, now.time, now.event.op, now.event.site, last.label)
    }

    /// An event that is more than an access that nobody running has to do with.
    fn step(&mut self, now: Now, record: Record) {
        match now.event.op {
            Op::Begin => self.begin(now),
            Op::End => self.end(now),
            Op::Read | Op::VolatileRead => self.read(now, record),
            Op::Write | Op::VolatileWrite | Op::Update => self.write(now, record),
            Op::Acquire => {
                let release = *self.memory.release(now.event.lock());
                self.depend(now, release);
            }
            Op::Release | Op::Wait => *self.memory.release(now.event.lock()) = record,
            Op::Fork => *self.life(now.event.child()) = Life::Forked(record),
            Op::Join => self.join(now),
            Op::Exit => self.end_thread(now, now.event.thread),
            Op::Barrier => self.arrive(now, record),
            Op::Dummy | Op::Notify | Op::Escape => {}
        }
    }

    #[inline(always)]
    fn begin(&mut self, now: Now) {
        let thread = &mut self.threads[now.slot.index()];
        let label = now.event.label();
        if thread.blocks.is_empty() {
            self.last[now.slot.index()].label = label;
            self.table.start(now.slot, now.time);
        }
        thread.blocks.push(Block { label, begin: now.time, site: now.event.site });
    }

    #[inline(always)]
    fn end(&mut self, now: Now) {
        let thread = &mut self.threads[now.slot.index()];
        thread.blocks.pop();
        if thread.blocks.is_empty() {
            self.finish(now.slot, now.time);
        }
    }

    /// The running transaction of a slot ends.
    #[inline(always)]
    fn finish(&mut self, slot: Slot, time: Time) {
        let thread = &mut self.threads[slot.index()];
        let label = &mut self.last[slot.index()].label;
        thread.last_label = std::mem::replace(label, LabelId::OUTSIDE);
        for edge in thread.edges_in.drain(..) {
            self.edges.end(edge, time);
        }
        let (threads, free) = (&self.threads, &mut self.free_slots);
        self.table.finish(slot, |column| {
            if threads[column.index()].ended {
                free.push(column);
            }
        });
    }

    fn read(&mut self, now: Now, record: Record) {
        match self.memory.own_cell(now.operand) {
            Some(cell) => self.read_cell(now, record, cell),
            None => self.read_parts(now, record),
        }
    }

    fn read_cell(&mut self, now: Now, record: Record, cell: CellId) {
        let write = self.memory.last_write(cell);
        self.depend(now, write);
        self.memory.set_read(cell, record, &self.table);
    }

    fn write(&mut self, now: Now, record: Record) {
        match self.memory.own_cell(now.operand) {
            Some(cell) => self.write_cell(now, record, cell),
            None => self.write_parts(now, record),
        }
    }

    fn write_cell(&mut self, now: Now, record: Record, cell: CellId) {
        self.depend_on_cell(now, cell, true);
        self.memory.set_write(cell, record);
    }

    /// The event depends on the last write of the cell's variables and on the reads since, which are taken away if all
    /// of these variables are written.
    fn depend_on_cell(&mut self, now: Now, cell: CellId, whole: bool) {
        let write = self.memory.last_write(cell);
        self.depend(now, write);
        for read in self.memory.reads(cell, whole) {
            self.depend(now, read);
        }
    }

    /// The event depends on an earlier one of the same variable or lock.
    #[inline(always)]
    fn depend(&mut self, now: Now, source: Record) {
        self.depend_on(now, source, now.operand);
    }

    /// The event depends on an earlier one, which had this operand.
    #[inline(always)]
    fn depend_on(&mut self, now: Now, source: Record, operand: u32) {
        // In this order: mostly the first test settles it, also where there is no source.
        let slot = source.slot();
        if !self.table.is_forgotten(slot, source.time()) && slot != now.slot {
            if self.settled.has(now.slot, source, self.table.changes()) {
                debug_assert!(self.changes_nothing(now, source), "settled too early");
            } else {
                self.depend_on_remembered(now, source, operand);
            }
        }
    }

    #[inline(never)]
    fn depend_on_remembered(&mut self, now: Now, source: Record, operand: u32) {
        let (column, time) = (source.slot(), source.time());
        let begin = self.table.begin_of(now.slot);
        if begin != Time::NEVER && self.table.reach(now.slot, column) <= time {
            self.closing.push(Closing { source, from: operand, to: now.operand });
            return;
        }
        let mut reaching = take(&mut self.reaching);
        self.table.rows_reaching(column, time, &mut reaching);
        let arrives = begin.min(now.time);
        let mut edge = None;
        for &row in &reaching {
            if self.table.reach(row, now.slot) > arrives {
                let id = *edge.get_or_insert_with(|| self.add_edge(now, source, operand));
                self.table.set(row, now.slot, arrives, id);
                self.table.merge(row, now.slot);
            }
            if let Some(root) = explain::root(&self.table, row, column, time)
                && self.is_new_stair(row, now.slot, root)
            {
                let id = *edge.get_or_insert_with(|| self.add_edge(now, source, operand));
                if let Some(stairs) = self.table.stairs_mut(row, now.slot) {
                    stairs.push(Stair { arrival: now.time, root, edge: id });
                }
            }
        }
        reaching.clear();
        self.reaching = reaching;
        let until = self.settled_until(column, time, now.time);
        self.settled.add(now.slot, Stamp::new(column, until), self.table.changes());
        if self.edges.is_full() {
            self.compact_edges();
        }
    }

    fn compact_edges(&mut self) {
        let lists = self.threads.iter_mut().map(|thread| &mut thread.edges_in);
        self.edges.compact(&mut self.table, lists);
    }

    /// Whether an arrival rooted here refutes a block that earlier arrivals do not. Drops stairs that
    /// closed blocks left behind.
    fn is_new_stair(&mut self, row: Slot, column: Slot, root: Time) -> bool {
        let thread = &self.threads[row.index()];
        let Some(stairs) = self.table.stairs_mut(row, column) else { return false };
        while let [.., below, top] = &stairs[..]
            && thread.depth(below.root) == thread.depth(top.root)
        {
            stairs.pop();
        }
        stairs.last().is_none_or(|top| thread.depth(top.root) < thread.depth(root))
    }

    fn add_edge(&mut self, now: Now, source: Record, operand: u32) -> EdgeId {
        let Dependence { from, to } = self.dependence(now, source, operand);
        let running = self.table.begin_of(now.slot) != Time::NEVER;
        let to_ended = if running { Time::NEVER } else { now.time };
        let id = self.edges.add(Edge { from_slot: source.slot(), from, to, to_ended });
        if running {
            self.threads[now.slot.index()].edges_in.push(id);
        }
        id
    }

    fn dependence(&self, now: Now, source: Record, operand: u32) -> Dependence {
        let from = Access {
            event: source.time().0 - 1,
            thread: self.threads[source.slot().index()].id,
            op: source.op(),
            operand,
            site: source.site(),
            label: source.label(),
            same_transaction: true,
        };
        let to = Access {
            event: now.time.0 - 1,
            thread: now.event.thread,
            op: now.event.op,
            operand: now.operand,
            site: now.event.site,
            label: self.last[now.slot.index()].label,
            same_transaction: true,
        };
        Dependence { from, to }
    }

    /// Reports the event in hand, which closed a cycle with each source in `closing`: by the one that
    /// refutes the most blocks, and of these the first.
    #[cold]
    fn violated(&mut self, now: Now, sink: &mut dyn Sink) {
        let thread = &self.threads[now.slot.index()];
        let depth = |source: &Record| {
            let root = explain::root(&self.table, now.slot, source.slot(), source.time());
            root.map_or(0, |root| thread.depth(root))
        };
        let rank = |it: &&Closing| (depth(&it.source), Reverse(it.source.time()));
        let Some(&Closing { source, from, to }) = self.closing.iter().max_by_key(rank) else {
            return;
        };
        let now = Now { operand: to, ..now };
        let refuted = depth(&source);
        let block = &thread.blocks[refuted.saturating_sub(1)];
        let closes = now.event.site;
        let key = Key::new((block.label, block.site), refuted > 0, source.site(), closes);
        let event = now.time.0 - 1;
        if sink.count(event, key) {
            let closing = self.dependence(now, source, from);
            let (row, column) = (now.slot, source.slot());
            let cycle = explain::cycle(&self.table, &self.edges, row, column, closing, refuted > 0);
            let blocks = thread.open_blocks(refuted);
            sink.explain(key, Violation { event, thread: thread.id, blocks, cycle });
        }
        self.closing.clear();
    }
}
