//! Is this a trace that a program could have made?
//!
//! Engines take this for granted: blocks close only after they open, a lock has one holder, nobody
//! acts before being started or after having ended. Re-entrant acquisitions, which say nothing new,
//! are filtered here: the inner `acq` and `rel` keep their place in the trace as `dummy`.

use crate::error::{Disorder, Place, Problem, TraceError};
use crate::event::{Batch, Event, LockId, Op, Position, ThreadId};
use crate::names::Names;
use crate::remarks::Remarks;
use crate::retired::Retired;
use crate::source::{Damage, Source};
use std::collections::HashMap;

#[derive(Clone, Copy, Default)]
struct Thread {
    /// How many blocks are open.
    depth: i32,
    /// Has run and not ended: nothing special about its events.
    running: bool,
    /// Has run, now or before.
    has_run: bool,
    forked: bool,
    ended: bool,
}

#[derive(Clone, Copy, Default)]
struct Lock {
    /// The holder's number plus one; 0 if nobody holds it.
    holder: u32,
    /// How often the holder has acquired it beyond the first time.
    again: u32,
}

/// Checks events one after the other.
#[derive(Default)]
pub struct Validator {
    threads: Vec<Thread>,
    /// By lock plus one: the first belongs to events that touch no lock.
    locks: Vec<Lock>,
    /// How often those who wait on a lock held it, where that is more than once.
    waiting: HashMap<(ThreadId, LockId), u32>,
    acted: usize,
    open: i64,
    lenient: bool,
    skipped: u64,
    reentrant: u64,
}

/// What an operation asks for and does, as numbers: the common operations of a trace follow each
/// other without a pattern, and a branch on them costs more than all the rest of the check.
#[derive(Clone, Copy)]
struct Rule {
    /// The change in open blocks.
    depth: i32,
    /// All ones if there is a lock.
    lock: u32,
    /// All ones if the thread must hold the lock before; else nobody may.
    held_before: u32,
    /// All ones if the thread holds the lock after.
    held_after: u32,
    /// Needs a closer look.
    rare: bool,
}

impl Rule {
    const fn of(op: Op) -> Rule {
        const ALL: u32 = u32::MAX;
        let plain = Rule { depth: 0, lock: 0, held_before: 0, held_after: 0, rare: false };
        match op {
            Op::Begin => Rule { depth: 1, ..plain },
            Op::End => Rule { depth: -1, ..plain },
            Op::Acquire => Rule { lock: ALL, held_after: ALL, ..plain },
            Op::Release => Rule { lock: ALL, held_before: ALL, ..plain },
            Op::Fork | Op::Join | Op::Wait | Op::Exit => Rule { rare: true, ..plain },
            _ => plain,
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

impl Validator {
    /// The most threads that may act in a trace: engines remember them in 24 bits, and keep two
    /// values to themselves.
    pub const MOST_THREADS: usize = (1 << 24) - 2;
    /// The most events that a trace may have: engines remember positions in 40 bits, as above.
    pub const MOST_EVENTS: u64 = (1 << 40) - 2;
    /// The most blocks that may be open at a time, over all threads.
    pub const MOST_BLOCKS: i64 = 1 << 24;

    /// A validator before the first event. If `lenient`, events that cannot be are made `dummy` and
    /// counted instead of refused.
    pub fn new(lenient: bool) -> Validator {
        Validator { lenient, ..Validator::default() }
    }

    /// How many events were skipped.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// How many events were filtered because they acquire or release a lock that stays held.
    pub fn reentrant(&self) -> u64 {
        self.reentrant
    }

    /// How many threads have acted.
    pub fn threads(&self) -> u64 {
        self.acted as u64
    }

    /// How many blocks are open and locks held: unfinished business at the end of a trace.
    pub fn open(&self) -> (u64, u64) {
        let locks = self.locks.iter().filter(|lock| lock.holder != 0).count();
        (self.open.max(0) as u64, locks as u64)
    }

    /// Checks the next events, and rewrites those that mean nothing to `dummy`. The first bad one
    /// is returned with what is wrong with it.
    pub fn check(&mut self, batch: &mut Batch, names: &Names) -> Result<(), (Position, Disorder)> {
        // No batch can have more positions than that.
        let most = batch.events.len() as u64 * (u64::from(u16::MAX) + 1);
        if batch.first.saturating_add(most) > Validator::MOST_EVENTS
            && batch.end() > Validator::MOST_EVENTS
        {
            let limit = Validator::MOST_EVENTS;
            return Err((batch.first.max(limit), Disorder::TooManyEvents { limit }));
        }
        self.threads.resize(self.threads.len().max(names.threads.len()), Thread::default());
        self.locks.resize(self.locks.len().max(names.locks.len() + 1), Lock::default());
        let mut done = 0;
        while done < batch.events.len() {
            done += self.pass_plain(&batch.events[done..]);
            let Some(event) = batch.events.get_mut(done) else { break };
            if let Err(wrong) = self.event(event) {
                if !self.lenient {
                    let wrong = wrong.explain(event, names);
                    return Err((batch.position(done), wrong));
                }
                self.skipped += 1;
                // It takes as many positions as before.
                *event = Event { op: Op::Dummy, operand: 0, stride: 0, ..*event };
            }
            done += 1;
        }
        if self.open > Validator::MOST_BLOCKS {
            let last = batch.end() - 1;
            return Err((last, Disorder::TooManyBlocks { limit: Validator::MOST_BLOCKS }));
        }
        Ok(())
    }

    /// Takes events one after the other, as long as they are as they should be and need nothing done
    /// but bookkeeping. Returns how many it took; nothing has been done about the next one.
    #[inline(always)]
    fn pass_plain(&mut self, events: &[Event]) -> usize {
        if !self.waiting.is_empty() {
            return 0;
        }
        let (threads, locks) = (&mut self.threads[..], &mut self.locks[..]);
        let mut opened = 0;
        let mut passed = 0;
        for event in events {
            let rule = &Rule::BY_OP[event.op as usize];
            let thread = &mut threads[event.thread.index()];
            let lock = &mut locks[((event.operand + 1) & rule.lock) as usize];
            let me = event.thread.0 + 1;
            let depth = thread.depth + rule.depth;
            let plain = thread.running
                & !rule.rare
                & (depth >= 0)
                & (lock.holder == me & rule.held_before)
                & (lock.again == 0);
            if !plain {
                break;
            }
            thread.depth = depth;
            lock.holder = me & rule.held_after;
            opened += i64::from(rule.depth);
            passed += 1;
        }
        self.open += opened;
        passed
    }

    /// The same for all events, one rule after the other.
    #[cold]
    fn event(&mut self, event: &mut Event) -> Result<(), Wrong> {
        if !self.threads[event.thread.index()].running {
            self.first_or_last(event.thread)?;
        }
        match event.op {
            Op::Acquire => self.acquire(event),
            Op::Release => self.release(event),
            Op::Begin => {
                self.threads[event.thread.index()].depth += 1;
                self.open += 1;
                Ok(())
            }
            Op::End => {
                let depth = &mut self.threads[event.thread.index()].depth;
                if *depth == 0 {
                    return Err(Wrong::End);
                }
                *depth -= 1;
                self.open -= 1;
                Ok(())
            }
            Op::Wait => self.wait(event),
            Op::Fork => self.fork(event),
            Op::Join => self.join(event),
            Op::Exit => {
                self.end_thread(event.thread);
                Ok(())
            }
            Op::Read | Op::Write | Op::VolatileRead | Op::VolatileWrite | Op::Update => Ok(()),
            Op::Dummy | Op::Notify | Op::Barrier | Op::Escape => Ok(()),
        }
    }

    fn first_or_last(&mut self, thread: ThreadId) -> Result<(), Wrong> {
        let state = &mut self.threads[thread.index()];
        if state.ended {
            return Err(Wrong::Ended);
        }
        if self.acted == Validator::MOST_THREADS {
            return Err(Wrong::Crowd);
        }
        state.running = true;
        state.has_run = true;
        self.acted += 1;
        Ok(())
    }

    fn lock(&mut self, lock: LockId) -> &mut Lock {
        &mut self.locks[lock.index() + 1]
    }

    fn acquire(&mut self, event: &mut Event) -> Result<(), Wrong> {
        let lock = self.lock(event.lock());
        let me = event.thread.0 + 1;
        match lock.holder {
            0 => {
                let again = self.waiting.remove(&(event.thread, event.lock())).unwrap_or(0);
                *self.lock(event.lock()) = Lock { holder: me, again };
            }
            holder if holder == me => {
                lock.again += 1;
                self.filter(event);
            }
            holder => return Err(Wrong::Held(ThreadId(holder - 1))),
        }
        Ok(())
    }

    fn release(&mut self, event: &mut Event) -> Result<(), Wrong> {
        let lock = self.lock(event.lock());
        if lock.holder != event.thread.0 + 1 {
            return Err(Wrong::NotHeld);
        }
        if lock.again == 0 {
            lock.holder = 0;
        } else {
            lock.again -= 1;
            self.filter(event);
        }
        Ok(())
    }

    fn filter(&mut self, event: &mut Event) {
        self.reentrant += 1;
        event.op = Op::Dummy;
        event.operand = 0;
    }

    /// Waiting lets go of a lock however often it is held; the return takes it as often again.
    fn wait(&mut self, event: &Event) -> Result<(), Wrong> {
        let lock = self.lock(event.lock());
        if lock.holder != event.thread.0 + 1 {
            return Err(Wrong::NotHeld);
        }
        let again = std::mem::take(lock).again;
        if again > 0 {
            self.waiting.insert((event.thread, event.lock()), again);
        }
        Ok(())
    }

    fn fork(&mut self, event: &Event) -> Result<(), Wrong> {
        let child = &mut self.threads[event.child().index()];
        if event.child() == event.thread {
            Err(Wrong::Itself)
        } else if child.forked {
            Err(Wrong::ForkedTwice)
        } else if child.has_run {
            Err(Wrong::RanBeforeFork)
        } else if child.ended {
            Err(Wrong::JoinedBeforeFork)
        } else {
            child.forked = true;
            Ok(())
        }
    }

    fn join(&mut self, event: &Event) -> Result<(), Wrong> {
        if event.child() == event.thread {
            return Err(Wrong::Itself);
        }
        self.end_thread(event.child());
        Ok(())
    }

    fn end_thread(&mut self, thread: ThreadId) {
        let state = &mut self.threads[thread.index()];
        state.running = false;
        state.ended = true;
    }
}

/// What is wrong with an event, before it is put into words.
enum Wrong {
    End,
    Held(ThreadId),
    NotHeld,
    RanBeforeFork,
    JoinedBeforeFork,
    ForkedTwice,
    Ended,
    Itself,
    Crowd,
}

impl Wrong {
    #[cold]
    fn explain(self, event: &Event, names: &Names) -> Disorder {
        let thread = names.threads.text(event.thread.0).to_string();
        let operand = names.table(event.op.operand_kind());
        let operand = operand.map_or("", |table| table.text(event.operand)).to_string();
        match self {
            Wrong::End => Disorder::EndWithoutBegin { thread },
            Wrong::Held(holder) => {
                let holder = names.threads.text(holder.0).to_string();
                Disorder::LockHeld { thread, lock: operand, holder }
            }
            Wrong::NotHeld => Disorder::LockNotHeld { thread, lock: operand },
            Wrong::RanBeforeFork => Disorder::RanBeforeFork { child: operand },
            Wrong::JoinedBeforeFork => Disorder::JoinedBeforeFork { child: operand },
            Wrong::ForkedTwice => Disorder::ForkedTwice { child: operand },
            Wrong::Ended => Disorder::ActsAfterEnd { thread },
            Wrong::Itself => Disorder::Itself { thread },
            Wrong::Crowd => Disorder::TooManyThreads { limit: Validator::MOST_THREADS },
        }
    }
}

/// A source whose events were checked.
pub struct Validated<S> {
    source: S,
    validator: Validator,
}

impl<S: Source> Validated<S> {
    /// Checks what comes out of `source`.
    pub fn new(source: S, lenient: bool) -> Validated<S> {
        Validated { source, validator: Validator::new(lenient) }
    }

    /// What checked the events so far.
    pub fn validator(&self) -> &Validator {
        &self.validator
    }
}

impl<S: Source> Source for Validated<S> {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, TraceError> {
        let more = self.source.next_batch(batch)?;
        self.validator.check(batch, self.source.names()).map_err(|(position, disorder)| {
            TraceError {
                input: self.source.input().to_string(),
                place: self.source.place(batch, position),
                problem: Problem::Disorder(disorder),
            }
        })?;
        Ok(more)
    }

    fn names(&self) -> &Names {
        self.source.names()
    }

    fn take_retired(&mut self) -> Retired {
        self.source.take_retired()
    }

    fn take_back(&mut self, free: Retired) {
        self.source.take_back(free);
    }

    fn input(&self) -> &str {
        self.source.input()
    }

    fn place(&self, batch: &Batch, position: Position) -> Place {
        self.source.place(batch, position)
    }

    fn skipped(&self) -> u64 {
        self.source.skipped() + self.validator.skipped()
    }

    fn remarks(&self) -> Option<&Remarks> {
        self.source.remarks()
    }

    fn damage(&self) -> Option<&Damage> {
        self.source.damage()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::SiteId;

    /// Threads that have ended count too: engines remember them long after.
    #[test]
    fn threads_beyond_what_engines_remember_are_refused() {
        let mut names = Names::default();
        let [a, b, c] = ["a", "b", "c"].map(|name| names.thread(name));
        for lenient in [false, true] {
            let mut validator = Validator::new(lenient);
            validator.acted = Validator::MOST_THREADS - 2;
            let exit = |thread| Event::new(thread, Op::Exit, 0, SiteId::UNKNOWN);
            let mut batch = Batch { first: 0, events: vec![exit(a), exit(b), exit(c)] };
            let checked = validator.check(&mut batch, &names);
            let limit = Validator::MOST_THREADS;
            if lenient {
                assert_eq!((checked, validator.skipped()), (Ok(()), 1));
                assert_eq!(batch.events[2].op, Op::Dummy);
            } else {
                assert_eq!(checked, Err((2, Disorder::TooManyThreads { limit })));
            }
            assert_eq!(validator.threads(), limit as u64);
        }
    }
}
