//! What happened before what: a vector clock for each thread, and what locks, volatile variables
//! and barriers pass on.
//!
//! A thread counts its own time, from 1, one up after each event that passes something on. Its
//! clock holds the times of other threads up to which it knows all that they did. It knows an
//! access of thread `u` at time `n` if its clock says at least `n` for `u`.

use crate::context::clock::Clock;
use crate::races::grown;
use interloper_trace::{LockId, ThreadId, VarId};
use std::collections::HashMap;

#[derive(Default)]
struct Thread {
    /// Its own time; 0 before its first event.
    time: u32,
    /// Has arrived at a barrier and not gone on yet.
    arrived: bool,
    /// Up to when it knows the others. Its own entry means nothing.
    clock: Clock,
}

/// A moment of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Moment {
    pub(super) thread: ThreadId,
    pub(super) time: u32,
}

/// What is passed on from one thread to another.
#[derive(Default)]
struct Stamp {
    /// Who passed it on last; `None` before the first.
    from: Option<Moment>,
    /// What is known besides.
    clock: Clock,
    /// That is more than the passing thread knew itself.
    mixed: bool,
}

/// The order of all events so far.
#[derive(Default)]
pub(super) struct Clocks {
    threads: Vec<Thread>,
    locks: Vec<Stamp>,
    volatiles: Vec<Stamp>,
    /// Who has arrived at each barrier, and who is where.
    rounds: HashMap<LockId, Vec<ThreadId>>,
    at: HashMap<ThreadId, LockId>,
    /// Some thread's time has come to its end.
    over: bool,
}

impl Clocks {
    /// The last time that a thread can come to.
    pub(super) const LAST: u32 = u32::MAX - 2;

    /// The moment of a thread's next event. To be asked before every event.
    #[inline(always)]
    pub(super) fn now(&mut self, thread: ThreadId) -> Moment {
        match self.threads.get(thread.index()) {
            Some(&Thread { time, arrived: false, .. }) if time != 0 => Moment { thread, time },
            _ => self.begin_or_go_on(thread),
        }
    }

    /// Whether the thread, at its next event, comes after that moment of perhaps another one.
    #[inline(always)]
    pub(super) fn knows(&self, thread: ThreadId, earlier: Moment) -> bool {
        earlier.thread == thread
            || self.threads[thread.index()].clock.get(earlier.thread.index()) >= earlier.time
    }

    /// Whether a thread has passed on more often than can be counted. What is known from then on is
    /// not to be relied on.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    #[cold]
    fn begin_or_go_on(&mut self, thread: ThreadId) -> Moment {
        if grown(&mut self.threads, thread.index()).arrived {
            self.complete(thread);
        }
        let state = &mut self.threads[thread.index()];
        state.time = state.time.max(1);
        Moment { thread, time: state.time }
    }

    /// `acq(m)`
    pub(super) fn acquire(&mut self, thread: ThreadId, lock: LockId) {
        let stamp = grown(&mut self.locks, lock.index());
        learn(&mut self.threads[thread.index()], thread, stamp);
    }

    /// `rel(m)` and `wait(m)`
    pub(super) fn release(&mut self, thread: ThreadId, lock: LockId) {
        let stamp = grown(&mut self.locks, lock.index());
        let state = &mut self.threads[thread.index()];
        *stamp = state.stamp(thread);
        self.over |= state.tick();
    }

    /// `vr(x)`: after all volatile writes of it so far.
    pub(super) fn read_volatile(&mut self, thread: ThreadId, var: VarId) {
        let stamp = grown(&mut self.volatiles, var.index());
        learn(&mut self.threads[thread.index()], thread, stamp);
    }

    /// `vw(x)`: before all volatile reads of it to come, as the writes before it.
    pub(super) fn write_volatile(&mut self, thread: ThreadId, var: VarId) {
        let stamp = grown(&mut self.volatiles, var.index());
        let state = &mut self.threads[thread.index()];
        let mut new = state.stamp(thread);
        if !knows_all(state, thread, stamp) {
            new.mixed = true;
            new.clock.merge(&stamp.clock);
            if let Some(Moment { thread, time }) = stamp.from {
                new.clock.raise(thread.index(), time);
            }
        }
        *stamp = new;
        self.over |= state.tick();
    }

    /// `fork(u)`
    pub(super) fn fork(&mut self, thread: ThreadId, child: ThreadId) {
        grown(&mut self.threads, child.index());
        let state = &mut self.threads[thread.index()];
        let (mut clock, time) = (state.clock.clone(), state.time);
        clock.raise(thread.index(), time);
        self.over |= state.tick();
        let child = &mut self.threads[child.index()];
        if child.time == 0 {
            *child = Thread { time: 1, arrived: false, clock };
        }
    }

    /// `join(u)`: a thread that was neither forked nor seen has nothing to tell.
    pub(super) fn join(&mut self, thread: ThreadId, child: ThreadId) {
        if self.threads.get(child.index()).is_none_or(|child| child.time == 0) || child == thread {
            return;
        }
        let Moment { time, .. } = self.now(child);
        let clock = self.threads[child.index()].clock.clone();
        let mine = &mut self.threads[thread.index()].clock;
        mine.merge(&clock);
        mine.raise(child.index(), time);
    }

    /// `barrier(b)`
    pub(super) fn arrive(&mut self, thread: ThreadId, barrier: LockId) {
        self.threads[thread.index()].arrived = true;
        self.rounds.entry(barrier).or_default().push(thread);
        self.at.insert(thread, barrier);
    }

    /// A thread goes on from a barrier: all who have arrived there come after each other's arrival.
    fn complete(&mut self, thread: ThreadId) {
        let round = self.at.get(&thread).and_then(|barrier| self.rounds.remove(barrier));
        let round = round.unwrap_or_default();
        let mut clock = Clock::default();
        for member in &round {
            let Thread { time, clock: known, .. } = &self.threads[member.index()];
            clock.merge(known);
            clock.raise(member.index(), *time);
        }
        for &member in &round {
            self.at.remove(&member);
            let state = &mut self.threads[member.index()];
            state.arrived = false;
            state.clock = clock.clone();
            self.over |= state.tick();
        }
    }
}

impl Thread {
    fn stamp(&self, thread: ThreadId) -> Stamp {
        let from = Some(Moment { thread, time: self.time });
        Stamp { from, clock: self.clock.clone(), mixed: false }
    }

    /// Something was passed on: what comes now is not part of it. Whether time has run out.
    fn tick(&mut self) -> bool {
        self.time = (self.time + 1).min(Clocks::LAST);
        self.time == Clocks::LAST
    }
}

/// Whether the thread knows what is passed on already. Who knows the moment of passing knows all
/// that the passing thread knew.
#[inline(always)]
fn knows_all(state: &Thread, thread: ThreadId, stamp: &Stamp) -> bool {
    match stamp.from {
        None => true,
        Some(from) => {
            !stamp.mixed
                && (from.thread == thread || state.clock.get(from.thread.index()) >= from.time)
        }
    }
}

#[inline(always)]
fn learn(state: &mut Thread, thread: ThreadId, stamp: &Stamp) {
    if !knows_all(state, thread, stamp)
        && let Some(Moment { thread: from, time }) = stamp.from
    {
        state.clock.merge(&stamp.clock);
        state.clock.raise(from.index(), time);
    }
}
