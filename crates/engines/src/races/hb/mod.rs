//! Happens-before races: accesses that nothing ordered in the observed run (vector clocks with
//! epochs, in the manner of FastTrack, Flanagan and Freund 2009).
//!
//! An event happens before another if a chain of these leads from it to the other: a thread's own
//! order; a release of a lock (or `wait`) and every later acquisition of it; `fork(u)` and all of
//! `u`; all of `u` and `join(u)`; the arrivals of a round at a barrier and what its threads do
//! next; a volatile write or update and every later volatile read or update of the same variable.
//! Two plain accesses of a variable by different threads, one of them a write, race if neither
//! happens before the other.
//!
//! **Guarantee.** A variable is reported if and only if two of its accesses race, in this sense, in
//! the observed trace; at the first event that races with an earlier one; with an earlier one that
//! it races with. No race of the variable is looked for after that. (For each variable by itself:
//! after the first race of a program, others may be its consequence.) What another order of the
//! lock operations would show is not reported: that is what the locksets are for.
//!
//! **Method.** As long as a variable has no race its writes are ordered, so the last one stands for
//! all; and so does the last read since, as long as reads are ordered. Only reads that are not go
//! into a list, one a thread.
//!
//! **Deviations.** FastTrack keeps bare epochs; here each comes with position, place and locks, to
//! be shown. Lists of reads are cleared of those that happened before a newer one. Clocks are trees
//! that share what they have in common, so that a hundred thousand short threads cost no hundred
//! thousand clocks of that length. Accesses before the `escape` of an object do not count. A thread
//! that passes something on more than four billion times ends the analysis.
//!
//! **Cost.** Constant time for an access, by the number of threads where several read at the same
//! time; an acquisition from another thread, by the threads whose times differ.

mod clocks;
mod memory;

use super::hands::Hands;
use super::report::{Race, report, sameness};
use super::stamp::Stamp;
use crate::context::blocks::Blocks;
use crate::context::escapes::Escapes;
use crate::context::locksets::Locksets;
use crate::engine::{Engine, Guarantee, Stat};
use clocks::Clocks;
use interloper_findings::{Access, Certainty, Sink, Witness};
use interloper_trace::{Batch, Event, LabelId, Names, Op, OperandKind, Position};
use memory::{Memory, Seen};

/// How many events ahead variables are asked for.
const AHEAD: usize = 32;

/// The happens-before engine. See the head of `races/hb/mod.rs`.
#[derive(Default)]
pub struct HappensBefore {
    clocks: Clocks,
    memory: Memory,
    locksets: Locksets,
    hands: Hands,
    blocks: Blocks,
    escapes: Escapes,
    races: u64,
    skipped: u64,
}

impl Engine for HappensBefore {
    fn name(&self) -> &'static str {
        "hb"
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee {
            promise: "exact: reports a variable if and only if the observed order has a race on it",
            all_clear: "this run ordered all conflicting accesses; another run may not",
        }
    }

    fn feed(&mut self, batch: &Batch, names: &Names, sink: &mut dyn Sink) {
        self.escapes.learn(names);
        let mut at = batch.first;
        for events in batch.events.chunks(AHEAD) {
            if self.clocks.is_over() {
                self.skipped += events.len() as u64;
                continue;
            }
            self.touch(events);
            for event in events {
                self.event(at, event, names, sink);
                at += 1;
            }
        }
    }

    fn stats(&self) -> Vec<Stat> {
        let mut stats = vec![Stat { name: "variables with a race", value: self.races }];
        if self.skipped > 0 {
            stats.push(Stat { name: "events not looked at", value: self.skipped });
        }
        stats
    }
}

impl HappensBefore {
    /// A new engine, before any event.
    pub fn new() -> HappensBefore {
        HappensBefore::default()
    }

    /// Loads what these events will look up, all at once rather than one by one.
    #[inline(always)]
    fn touch(&self, events: &[Event]) {
        let mut seen = 0;
        for event in events {
            if event.op.operand_kind() == OperandKind::Var {
                seen ^= self.memory.touch(event.var());
            }
        }
        std::hint::black_box(seen);
    }

    #[inline(always)]
    fn event(&mut self, at: Position, event: &Event, names: &Names, sink: &mut dyn Sink) {
        let moment = self.clocks.now(event.thread);
        match event.op {
            Op::Read | Op::Write => {
                let held = self.hands.grip(event.thread, &mut self.locksets);
                let stamp = Stamp::new(at, event.op == Op::Write, self.label(event));
                let seen = Seen { moment, stamp, site: event.site, held };
                let race = if event.op == Op::Read {
                    self.memory.read(event.var(), seen, &self.clocks)
                } else {
                    self.memory.write(event.var(), seen, &self.clocks)
                };
                if let Some(earlier) = race {
                    self.race(at, event, earlier, names, sink);
                }
            }
            Op::Begin | Op::End => {
                self.blocks.event(at, event);
            }
            Op::Acquire => {
                self.clocks.acquire(event.thread, event.lock());
                self.hands.event(event);
            }
            Op::Release | Op::Wait => {
                self.clocks.release(event.thread, event.lock());
                self.hands.event(event);
            }
            _ => self.rare(at, event, names),
        }
    }

    #[inline(never)]
    fn rare(&mut self, at: Position, event: &Event, names: &Names) {
        let thread = event.thread;
        match event.op {
            Op::VolatileRead => self.clocks.read_volatile(thread, event.var()),
            Op::VolatileWrite => self.clocks.write_volatile(thread, event.var()),
            Op::Update => {
                self.clocks.read_volatile(thread, event.var());
                self.clocks.write_volatile(thread, event.var());
            }
            Op::Fork => self.clocks.fork(thread, event.child()),
            Op::Join => self.clocks.join(thread, event.child()),
            Op::Barrier => self.clocks.arrive(thread, event.lock()),
            Op::Exit => drop(self.blocks.event(at, event)),
            Op::Escape => {
                for &var in self.escapes.escape(event, names) {
                    self.memory.renew(var);
                }
            }
            _ => {}
        }
    }

    #[inline(always)]
    fn label(&self, event: &Event) -> LabelId {
        self.blocks.open(event.thread).first().map_or(LabelId::OUTSIDE, |open| open.label)
    }

    #[cold]
    fn race(
        &mut self,
        at: Position,
        event: &Event,
        seen: Seen,
        names: &Names,
        sink: &mut dyn Sink,
    ) {
        self.races += 1;
        let same = sameness([seen.site, event.site], event.var(), names);
        report(same, at, sink, || Race {
            event: at,
            thread: event.thread,
            certainty: Certainty::Observed,
            message: None,
            blocks: self.blocks.open(event.thread).iter().map(|open| open.block(false)).collect(),
            steps: vec![self.earlier(event, seen), self.later(at, event)],
            notes: vec!["nothing that happened between the two orders them".to_string()],
        });
    }

    fn earlier(&self, event: &Event, seen: Seen) -> Witness {
        let access = Access {
            event: seen.stamp.at(),
            thread: seen.moment.thread,
            op: if seen.stamp.is_write() { Op::Write } else { Op::Read },
            operand: event.operand,
            site: seen.site,
            label: seen.stamp.label(),
            same_transaction: false,
        };
        Witness { access, held: seen.held.locks(&self.locksets) }
    }

    fn later(&self, at: Position, event: &Event) -> Witness {
        let Event { thread, operand, site, op, .. } = *event;
        let label = self.label(event);
        let access =
            Access { event: at, thread, op, operand, site, label, same_transaction: false };
        Witness { access, held: self.hands.locks(thread) }
    }
}
