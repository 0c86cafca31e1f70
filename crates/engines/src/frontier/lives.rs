//! The lives of threads: birth, last events, ends, and the slots of the table they pass through.

use super::explain::EdgeId;
use super::memory::{Last, Record};
use super::table::{Slot, Time};
use super::{Block, Frontier, Now};
use crate::context::rounds::RoundId;
use interloper_findings::{OpenBlock, Sink};
use interloper_trace::{Batch, Event, LabelId, Op, ThreadId};

/// What is known of a thread of the program.
#[derive(Clone, Copy)]
pub(super) enum Life {
    /// Not seen yet, or running.
    Plain,
    /// Forked by this event, and has done nothing yet.
    Forked(Record),
    /// Has arrived at a barrier, in this slot and round, and not gone on.
    Arrived(Slot, RoundId),
    /// Ended with this event, which had this operand. If that was an arrival at a barrier: the round.
    Ended(Record, u32, Option<RoundId>),
}

/// The thread that holds a slot.
pub(super) struct Thread {
    pub(super) id: ThreadId,
    /// The open blocks, outermost first.
    pub(super) blocks: Vec<Block>,
    /// The dependences into the running transaction that the table may refer to.
    pub(super) edges_in: Vec<EdgeId>,
    /// Its last event of the batches before the one in hand.
    pub(super) last_event: Event,
    /// The label of the transaction that ended last.
    pub(super) last_label: LabelId,
    pub(super) ended: bool,
}

impl Thread {
    fn new(first: &Event) -> Thread {
        Thread {
            id: first.thread,
            blocks: vec![],
            edges_in: vec![],
            last_event: *first,
            last_label: LabelId::OUTSIDE,
            ended: false,
        }
    }

    /// How many open blocks contain the thread's event at `time`, which is in its transaction.
    pub(super) fn depth(&self, time: Time) -> usize {
        self.blocks.partition_point(|block| block.begin <= time)
    }

    /// The open blocks, of which so many are refuted.
    pub(super) fn open_blocks(&self, refuted: usize) -> Vec<OpenBlock> {
        let open = |(depth, block): (usize, &Block)| OpenBlock {
            label: block.label,
            begin: block.begin.0 - 1,
            site: block.site,
            refuted: depth < refuted,
        };
        self.blocks.iter().enumerate().map(open).collect()
    }
}

impl Frontier {
    /// Every event of a thread comes before its join: its last one stands for all.
    pub(super) fn join(&mut self, now: Now) {
        let child = now.event.child();
        let slot = self.slot_of(child);
        if slot != Slot::NOBODY {
            let operand = self.last_event(now.batch, slot).operand;
            self.depend_on(now, self.last_record(now.batch, slot), operand);
            self.end_thread(now, child);
        } else if let Life::Ended(last, operand, _) = *self.life(child) {
            self.depend_on(now, last, operand);
        }
        if let Life::Ended(_, _, Some(round)) = *self.life(child) {
            self.depend_on_round(now, round);
        }
    }

    /// The slot of a thread that has not ended; nobody's if it has, or has not begun.
    fn slot_of(&self, thread: ThreadId) -> Slot {
        match self.lives.get(thread.index()) {
            Some(&Life::Arrived(slot, _)) => slot,
            _ => self.slots.get(thread.index()).copied().unwrap_or(Slot::NOBODY),
        }
    }

    fn last_record(&self, batch: &Batch, slot: Slot) -> Record {
        let Thread { blocks, last_label, .. } = &self.threads[slot.index()];
        let Last { time, label } = self.last[slot.index()];
        let event = self.last_event(batch, slot);
        let label = if event.op == Op::End && blocks.is_empty() { *last_label } else { label };
        Record::new(slot, time, event.op, event.site, label)
    }

    /// The last event of the slot's thread: in the batch in hand, or one before.
    fn last_event(&self, batch: &Batch, slot: Slot) -> Event {
        let position = self.last[slot.index()].time.0 - 1;
        match position.checked_sub(batch.first) {
            Some(_) if self.ranges.in_batch => batch.event_at(position),
            Some(index) => batch.events.get(index as usize).copied(),
            None => None,
        }
        .unwrap_or(self.threads[slot.index()].last_event)
    }

    /// Keeps the last event of each thread when the batch goes; whichever is less work, by threads
    /// or by events.
    pub(super) fn remember_last(&mut self, batch: &Batch) {
        if batch.events.len() < self.threads.len() || self.ranges.in_batch {
            let next = batch.events.iter().skip(1).map(|event| Some(event.thread));
            let with_next = batch.events.iter().zip(next.chain([None]));
            for (event, _) in with_next.filter(|(event, next)| *next != Some(event.thread)) {
                let slot = self.slot_of(event.thread);
                self.threads[slot.index()].last_event = *event;
            }
        } else {
            for slot in 1..self.threads.len() as u32 {
                self.threads[slot as usize].last_event = self.last_event(batch, Slot(slot));
            }
        }
    }

    pub(super) fn life(&mut self, thread: ThreadId) -> &mut Life {
        if self.lives.len() <= thread.index() {
            self.lives.resize(thread.index() + 1, Life::Plain);
            self.slots.resize(thread.index() + 1, Slot::NOBODY);
        }
        &mut self.lives[thread.index()]
    }

    /// An event of a thread that no slot is known of: its first, or the one after its arrival at a
    /// barrier. Gives its slot.
    #[cold]
    pub(super) fn without_slot(
        &mut self,
        batch: &Batch,
        event: &Event,
        time: Time,
        sink: &mut dyn Sink,
    ) -> Slot {
        match *self.life(event.thread) {
            Life::Arrived(slot, round) => {
                self.go_on(Now { batch, event, operand: event.operand, slot, time }, round, sink);
                slot
            }
            _ => self.first_event(batch, event, time),
        }
    }

    /// A thread's first event gives it a slot, and depends on its fork.
    fn first_event(&mut self, batch: &Batch, event: &Event, time: Time) -> Slot {
        let slot = self.free_slots.pop().unwrap_or_else(|| self.table.add_slot());
        let life = std::mem::replace(self.life(event.thread), Life::Plain);
        self.slots[event.thread.index()] = slot;
        let last = Last { time, label: LabelId::OUTSIDE };
        while self.threads.len() <= slot.index() {
            // Also for the slot of nobody, which no thread ever takes.
            self.threads.push(Thread::new(event));
            self.last.push(last);
        }
        self.threads[slot.index()] = Thread::new(event);
        self.last[slot.index()] = last;
        if let Life::Forked(fork) = life {
            let now = Now { batch, event, operand: event.operand, slot, time };
            self.enter(now);
            self.depend_on(now, fork, event.thread.0);
        }
        slot
    }

    /// The first event of a transaction is its `begin`: what that depends on arrives in it.
    pub(super) fn enter(&mut self, now: Now) {
        if now.event.op == Op::Begin {
            self.table.start(now.slot, now.time);
            self.last[now.slot.index()].label = now.event.label();
        }
    }

    /// The thread does nothing more: what it left open will never be entered again.
    pub(super) fn end_thread(&mut self, now: Now, thread: ThreadId) {
        let slot = self.slot_of(thread);
        let round = match *self.life(thread) {
            Life::Arrived(_, round) => Some(round),
            _ => None,
        };
        let operand = self.last_event(now.batch, slot).operand;
        *self.life(thread) = Life::Ended(self.last_record(now.batch, slot), operand, round);
        self.slots[thread.index()] = Slot::NOBODY;
        let place = &mut self.threads[slot.index()];
        place.ended = true;
        if !place.blocks.is_empty() {
            place.blocks.clear();
            self.finish(slot, now.time);
        }
        if self.table.is_column_empty(slot) {
            self.free_slots.push(slot);
        }
    }
}
