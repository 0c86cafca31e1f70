//! Periods of threads and the order that threads cannot escape: `fork`, `join` and `barrier` end a
//! period of a thread and begin the next; a period happens before another if it must end before the
//! other can begin (Wang and Stoller, section 4).
//!
//! The paper keeps a graph and remembers the answers to questions; here each period has a vector
//! clock, which answers at once.
//!
//! A barrier: each of its threads is seen to arrive. A thread that goes on shows that its round is
//! complete: everything before the round's arrivals happens before whatever its threads do next.

use super::clock::Clock;
use interloper_trace::{Event, LockId, Op, ThreadId};
use std::collections::HashMap;

/// A period of a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct PeriodId(pub(crate) u32);

struct Period {
    thread: ThreadId,
    /// From 1, within the thread.
    number: u32,
    /// Which periods of other threads happen before, by number.
    clock: Clock,
}

#[derive(Clone, Copy, Default)]
struct Thread {
    /// The current period plus one; 0 before the first.
    period: u32,
    /// Has arrived at a barrier and not gone on yet.
    arrived: bool,
}

/// All periods so far.
#[derive(Default)]
pub(crate) struct Periods {
    periods: Vec<Period>,
    threads: Vec<Thread>,
    /// Where the threads are that have arrived, and who is there.
    rounds: HashMap<LockId, Vec<ThreadId>>,
    at: HashMap<ThreadId, LockId>,
}

impl Periods {
    /// The period of a thread's next event. To be asked for the thread of every event that
    /// is looked at, and before [`Periods::event`] is told of it.
    #[inline(always)]
    pub(crate) fn of(&mut self, thread: ThreadId) -> PeriodId {
        match self.threads.get(thread.index()) {
            Some(&Thread { period, arrived: false }) if period != 0 => PeriodId(period - 1),
            _ => self.begin_or_go_on(thread),
        }
    }

    /// Takes note of an event: `fork`, `join` and `barrier` begin new periods, and end the current
    /// one, to which they belong themselves.
    #[inline(always)]
    pub(crate) fn event(&mut self, event: &Event) {
        if matches!(event.op, Op::Fork | Op::Join | Op::Barrier) {
            self.turn(event);
        }
    }

    /// The thread of a period.
    pub(crate) fn thread(&self, period: PeriodId) -> ThreadId {
        self.periods[period.0 as usize].thread
    }

    /// Whether period `a` must end before period `b` can begin.
    pub(crate) fn before(&self, a: PeriodId, b: PeriodId) -> bool {
        let (a, b) = (&self.periods[a.0 as usize], &self.periods[b.0 as usize]);
        if a.thread == b.thread {
            a.number < b.number
        } else {
            b.clock.get(a.thread.index()) >= a.number
        }
    }

    /// Whether two periods, of different threads, can overlap.
    pub(crate) fn concurrent(&self, a: PeriodId, b: PeriodId) -> bool {
        self.thread(a) != self.thread(b) && !self.before(a, b) && !self.before(b, a)
    }

    #[cold]
    fn begin_or_go_on(&mut self, thread: ThreadId) -> PeriodId {
        self.know(thread);
        if self.threads[thread.index()].arrived {
            self.complete(thread);
        }
        match self.threads[thread.index()].period {
            0 => self.begin(thread, Clock::default()),
            period => PeriodId(period - 1),
        }
    }

    fn know(&mut self, thread: ThreadId) {
        if thread.index() >= self.threads.len() {
            self.threads.resize(thread.index() + 1, Thread::default());
        }
    }

    /// A new period of the thread, after its current one.
    fn begin(&mut self, thread: ThreadId, clock: Clock) -> PeriodId {
        let state = &mut self.threads[thread.index()];
        let number = match state.period {
            0 => 1,
            period => self.periods[period as usize - 1].number + 1,
        };
        self.periods.push(Period { thread, number, clock });
        state.period = self.periods.len() as u32;
        PeriodId(state.period - 1)
    }

    /// What must have happened when the period ends: all before it, and itself.
    fn until_end(&self, period: PeriodId) -> Clock {
        let Period { thread, number, clock } = &self.periods[period.0 as usize];
        let mut clock = clock.clone();
        clock.raise(thread.index(), *number);
        clock
    }

    #[cold]
    fn turn(&mut self, event: &Event) {
        let period = self.of(event.thread);
        match event.op {
            Op::Fork => {
                self.know(event.child());
                if self.threads[event.child().index()].period == 0 {
                    self.begin(event.child(), self.until_end(period));
                }
                self.begin(event.thread, self.periods[period.0 as usize].clock.clone());
            }
            Op::Join => {
                let mut clock = self.periods[period.0 as usize].clock.clone();
                // A thread that was neither forked nor seen orders nothing.
                if self.threads.get(event.child().index()).is_some_and(|child| child.period != 0) {
                    let last = self.of(event.child());
                    clock.merge(&self.until_end(last));
                }
                self.begin(event.thread, clock);
            }
            _ => {
                self.threads[event.thread.index()].arrived = true;
                self.rounds.entry(event.lock()).or_default().push(event.thread);
                self.at.insert(event.thread, event.lock());
            }
        }
    }

    /// A thread goes on from a barrier: all who have arrived there begin new periods.
    fn complete(&mut self, thread: ThreadId) {
        let round = self.at.get(&thread).and_then(|barrier| self.rounds.remove(barrier));
        let round = round.unwrap_or_default();
        let mut clock = Clock::default();
        for member in &round {
            let last = PeriodId(self.threads[member.index()].period - 1);
            clock.merge(&self.until_end(last));
        }
        for &member in &round {
            self.at.remove(&member);
            self.threads[member.index()].arrived = false;
            self.begin(member, clock.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interloper_trace::{Names, SiteId};

    /// Runs lines such as `1 fork 2`; gives the period of each event and the order between them.
    fn run(lines: &str) -> (Periods, Vec<PeriodId>) {
        let (mut names, mut periods) = (Names::default(), Periods::default());
        let mut of = vec![];
        for line in lines.split(", ") {
            let words: Vec<&str> = line.split_whitespace().collect();
            let thread = names.thread(words[0]);
            let event = match words[1..] {
                ["fork", child] => Event::fork(thread, names.thread(child), SiteId::UNKNOWN),
                ["join", child] => Event::join(thread, names.thread(child), SiteId::UNKNOWN),
                ["barrier", b] => Event::new(thread, Op::Barrier, names.lock(b).0, SiteId::UNKNOWN),
                _ => Event::read(thread, names.var("x"), SiteId::UNKNOWN),
            };
            of.push(periods.of(thread));
            periods.event(&event);
        }
        (periods, of)
    }

    /// Figure 2 of the paper: one thread starts another and awaits it.
    #[test]
    fn start_and_join() {
        let (periods, of) = run("1 r, 1 fork 2, 1 r, 2 r, 1 join 2, 1 r");
        let (first, second, child, third) = (of[0], of[2], of[3], of[5]);
        assert_eq!(of[0], of[1], "the fork belongs to the period that it ends");
        assert!(periods.before(first, child) && periods.before(first, second));
        assert!(periods.concurrent(second, child) && periods.concurrent(child, second));
        assert!(periods.before(child, third) && periods.before(first, third));
        assert!(!periods.concurrent(first, second) && !periods.concurrent(third, child));
    }

    #[test]
    fn threads_that_were_just_there_are_concurrent() {
        let (periods, of) = run("1 r, 2 r, 3 join 9, 3 r");
        assert!(periods.concurrent(of[0], of[1]) && periods.concurrent(of[1], of[3]));
    }

    /// The threads of a round are ordered; one that arrives later, at the next round, is not.
    #[test]
    fn barriers_go_by_rounds() {
        let (periods, of) = run(
            "1 r, 2 r, 3 r, 1 barrier b, 2 barrier b, 2 r, 3 barrier b, 1 r, 1 barrier b, 3 r, 1 r",
        );
        let [one, two, three, two_after, one_after, three_after, one_last] =
            [0, 1, 2, 5, 7, 9, 10].map(|i| of[i]);
        assert!(periods.before(one, two_after) && periods.before(two, one_after));
        assert!(periods.concurrent(one_after, two_after));
        assert!(periods.concurrent(three, two_after) && periods.concurrent(three, one_after));
        assert!(periods.before(one_after, three_after) && periods.before(three, one_last));
        assert!(periods.concurrent(two_after, three_after));
    }

    /// What happened before a fork happened before everything the child starts in turn.
    #[test]
    fn order_goes_on_through_children() {
        let (periods, of) = run("1 r, 1 fork 2, 2 fork 3, 3 r, 2 join 3, 1 join 2, 1 r");
        assert!(periods.before(of[0], of[3]) && periods.before(of[3], of[6]));
    }
}
