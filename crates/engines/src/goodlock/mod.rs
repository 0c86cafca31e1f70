//! Goodlock: potential deadlocks, as circles of threads that each hold a lock and acquire one that
//! the next thread holds (Wang and Stoller, section 2, who extend Havelund's algorithm; with
//! circles of any length as in Agarwal, Wang and Stoller, PADTAD 2005).
//!
//! **Method.** While events stream by, every acquisition by a thread that holds locks is noted: all
//! the locks held, the lock acquired, the thread and its period, each combination once
//! ([`orders`]). At the end, circles are searched among them ([`search`]): the locks held are
//! pairwise disjoint (a lock that two of the threads hold, a *gate*, keeps them apart; all locks
//! held at the acquisition count, whether they were acquired before or after the one that the
//! circle goes through), the threads are pairwise different, the periods pairwise concurrent
//! ([`cast`]).
//!
//! **Guarantee.** A *schedule* is any order of the same events that each thread's own order, locks,
//! `fork`, `join` and barriers allow.
//!
//! 1. *Complete*: if a schedule ends in a deadlock in which threads wait for each other's locks,
//!    there is a warning of that circle of locks, perhaps with other threads on it or with fewer
//!    locks in hand: where the threads stand then, they are such a circle.
//! 2. A warning is [`Certainty::Predicted`] only if a schedule ends in that very deadlock, each
//!    thread waiting at the very event named. The engine says so if no thread is awaited or met at
//!    a barrier with locks in hand (in the whole trace), no thread of the circle has started
//!    another since it last held no lock, and at most one of them has acquired and released further
//!    locks since. Then all can be run up to points where they hold nothing, one section of locked
//!    code after the other; that one thread is run up to its acquisition; and the rest follow, who
//!    acquire nothing but locks that stay in their hands, disjoint from everybody else's.
//! 3. Other warnings are [`Certainty::Possible`], and some of them are false. But where locks are
//!    released in the opposite order of their acquisition, and nobody forks, joins or arrives at a
//!    barrier with a lock in hand, there are warnings *if and only if* some schedule ends in a
//!    deadlock, though perhaps not in each of those warned of. (Take where a circle's threads stand
//!    as a state, and undo events for as long as possible. If that ends before the beginning, each
//!    thread has just released a lock that another holds; follow these around, and where they were
//!    acquired stands a circle that is closer to the beginning.)
//!
//! The tests hold all three against all schedules of thousands of small traces.
//!
//! **Not seen**: deadlocks in which somebody waits for a signal (`wait`), for the end of a thread
//! or at a barrier. A thread that waits on a lock is taken to return whenever the lock is free.
//!
//! **Deviations.** The paper stops at two threads and two locks; here circles may be longer.
//! Circles can be exponentially many, so short ones are searched first, and the search stops after
//! a fixed number of steps, and looks at so many pairs of locks at most; a number among the engine's [`Stat`]s tells whether it did.
//!
//! **Cost.** A few nanoseconds for an event, more for an acquisition with other locks in hand: a
//! look into a table. Memory by distinct combinations, not by repetitions.

mod cast;
mod knots;
mod orders;
mod report;
mod search;

use crate::context::blocks::Blocks;
use crate::context::held::Held;
use crate::context::locksets::Locksets;
use crate::context::periods::{PeriodId, Periods};
use crate::engine::{Engine, Guarantee, Progress, Stat};
use interloper_findings::Sink;
use interloper_trace::{Batch, Event, LabelId, Names, Op, Position, ThreadId};
use knots::Knots;
use orders::{Orders, Scene, Way};
use report::Reporter;
use search::Search;

#[cfg(doc)]
use interloper_findings::Certainty;

/// The deadlock engine. See the module's documentation.
#[derive(Default)]
pub struct Goodlock {
    held: Held,
    locksets: Locksets,
    periods: Periods,
    blocks: Blocks,
    /// By thread: what it has done since it last held no lock.
    ways: Vec<Way>,
    /// Whether somebody was awaited or met at a barrier with locks in hand.
    entangled: bool,
    orders: Orders,
    lock_orders: u64,
    circles: u64,
    given_up: bool,
}

impl Goodlock {
    /// An engine before the first event.
    pub fn new() -> Goodlock {
        Goodlock::default()
    }

    fn acquire(&mut self, at: Position, event: &Event, period: PeriodId) {
        if !self.held.any(event.thread) {
            self.set_way(event.thread, Way::Direct);
        } else {
            let held = self.held.set(event.thread, &mut self.locksets);
            let way = self.ways[event.thread.index()];
            let scene = Scene { thread: event.thread, period, held, lock: event.lock(), way };
            if !self.orders.knows(&scene) {
                let label = self.blocks.open(event.thread).first().map(|block| block.label);
                let label = label.unwrap_or(LabelId::OUTSIDE);
                let list = self.held.list(event.thread);
                self.orders.note(&scene, (at, event.site, label), list);
            }
        }
        self.held.event(at, event);
    }

    fn release(&mut self, at: Position, event: &Event) {
        self.held.event(at, event);
        if self.held.any(event.thread) {
            self.worsen(event.thread, Way::Detour);
        }
    }

    /// `fork`, `join` and `barrier`.
    #[cold]
    fn turn(&mut self, event: &Event) {
        let held = self.held.any(event.thread);
        match event.op {
            Op::Fork if held => self.worsen(event.thread, Way::Forking),
            Op::Join => self.entangled |= held || self.held.any(event.child()),
            Op::Barrier => self.entangled |= held,
            _ => {}
        }
        self.periods.event(event);
    }

    #[inline(always)]
    fn set_way(&mut self, thread: ThreadId, way: Way) {
        if thread.index() >= self.ways.len() {
            self.ways.resize(thread.index() + 1, Way::Direct);
        }
        self.ways[thread.index()] = way;
    }

    fn worsen(&mut self, thread: ThreadId, way: Way) {
        if let Some(known) = self.ways.get_mut(thread.index()) {
            *known = way.max(*known);
        }
    }
}

impl Engine for Goodlock {
    fn name(&self) -> &'static str {
        "goodlock"
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee {
            promise: "finds every deadlock on locks alone that another order of these events can end in",
            all_clear: "no order of these events ends in a deadlock on locks alone; \
                        waiting for signals, threads and barriers is not looked at",
        }
    }

    fn feed(&mut self, batch: &Batch, _names: &Names, _sink: &mut dyn Sink) {
        for (event, at) in batch.events.iter().zip(batch.first..) {
            // Whatever a thread does shows that it has left its barrier.
            let period = self.periods.of(event.thread);
            match event.op {
                Op::Acquire => self.acquire(at, event, period),
                Op::Release | Op::Wait => self.release(at, event),
                Op::Begin | Op::End | Op::Exit => drop(self.blocks.event(at, event)),
                Op::Fork | Op::Join | Op::Barrier => self.turn(event),
                _ => {}
            }
        }
    }

    fn finish(&mut self, names: &Names, sink: &mut dyn Sink, progress: &mut dyn Progress) {
        self.lock_orders = self.orders.all().len() as u64;
        let (locksets, periods, entangled) = (&self.locksets, &self.periods, self.entangled);
        let knots = Knots::new(&self.orders, locksets);
        let patterns = self.orders.patterns(&knots, periods);
        let reporter = Reporter { locksets, names, entangled };
        let mut search = Search::new(&patterns, &knots, locksets, periods);
        search.prefer_direct = !entangled;
        let mut outcome = search.run(progress);
        // The surest first: it is what is told of several that are the same bug.
        outcome.circles.sort_by_key(|circle| reporter.certainty(circle));
        outcome.circles.iter().for_each(|circle| reporter.report(circle, sink));
        (self.circles, self.given_up) = (outcome.circles.len() as u64, outcome.given_up);
    }

    fn shortfall(&self) -> Option<String> {
        let told = "its search for circles of locks was given up at its limit: there may be more";
        self.given_up.then(|| told.to_string())
    }

    fn stats(&self) -> Vec<Stat> {
        vec![
            Stat { name: "lock orders", value: self.lock_orders },
            Stat { name: "circles of locks", value: self.circles },
            Stat { name: "searches given up", value: u64::from(self.given_up) },
        ]
    }
}
