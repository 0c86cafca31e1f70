//! All violations of a trace, by an explicit graph over transactions from which nothing is ever
//! removed.
//!
//! After a violation the analysis goes on: the dependence that would close a cycle is left out of
//! the graph, everything else proceeds as if nothing had happened. What counts as a source of an
//! event is fixed here for all exact engines: the last write, each thread's last read since, the
//! last release, the fork, the last event of a joined thread; after an arrival at a barrier, and for the
//! join of a thread that arrived last, the arrivals of the others in its round.

use interloper_trace::{Event, Op, ThreadId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A violation, as the oracle sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OracleViolation {
    pub event: usize,
    pub thread: ThreadId,
    /// Whether the transaction is to blame.
    pub blamed: bool,
    /// The begins of the blocks open in the thread, outermost first.
    pub open: Vec<usize>,
    /// Those of them that are refuted.
    pub refuted: Vec<usize>,
    /// The sources whose dependences were left out.
    pub left_out: Vec<usize>,
}

#[derive(Default)]
struct Thread {
    open: Vec<usize>,
    last: Option<usize>,
    fork: Option<usize>,
}

#[derive(Default)]
struct Variable {
    write: Option<usize>,
    reads: BTreeMap<ThreadId, usize>,
}

/// The analysis after the events so far.
#[derive(Default)]
pub struct Reference {
    pub events: Vec<Event>,
    /// The transaction of each event.
    pub of: Vec<usize>,
    /// The event before it in its thread.
    pub previous: Vec<Option<usize>>,
    /// The sources of each event whose dependences were accepted.
    pub accepted: Vec<Vec<usize>>,
    /// The graph: the successors of each transaction.
    next: Vec<BTreeSet<usize>>,
    threads: HashMap<ThreadId, Thread>,
    variables: HashMap<u32, Variable>,
    releases: HashMap<u32, usize>,
    /// The arrivals of each round at a barrier.
    rounds: Vec<Vec<usize>>,
    /// The round at each barrier that more may join.
    open_rounds: HashMap<u32, usize>,
    /// The rounds of those threads whose last event is an arrival.
    arrived: HashMap<ThreadId, usize>,
}

/// All violations of a trace, in order.
pub fn all_violations(events: &[Event]) -> Vec<OracleViolation> {
    let mut reference = Reference::default();
    events.iter().filter_map(|&event| reference.step(event)).collect()
}

impl Reference {
    /// Takes the next event.
    pub fn step(&mut self, event: Event) -> Option<OracleViolation> {
        let at = self.events.len();
        let mut sources = self.sources(&event);
        sources.extend(self.pass(event.thread));
        if event.op == Op::Join {
            sources.extend(self.pass(ThreadId(event.operand)));
        }
        self.arrived.remove(&event.thread);
        let transaction = self.enter(at, event);
        let foreign: Vec<usize> =
            sources.into_iter().filter(|&s| self.events[s].thread != event.thread).collect();
        // The order of the sources does not matter: an edge into a transaction changes nothing in
        // what that transaction reaches.
        let reached = if foreign.is_empty() { vec![] } else { self.reachable(transaction) };
        let (left_out, accepted): (Vec<usize>, Vec<usize>) =
            foreign.into_iter().partition(|&source| reached[self.of[source]]);
        for &source in &accepted {
            self.next[self.of[source]].insert(transaction);
        }
        self.accepted.push(accepted);
        let violation = (!left_out.is_empty()).then(|| self.blame(at, left_out));
        self.remember(at, &event);
        violation
    }

    /// The events that this one depends on directly, besides its thread's previous one.
    fn sources(&self, event: &Event) -> Vec<usize> {
        let mut sources = vec![];
        if let Some(thread) = self.threads.get(&event.thread)
            && thread.last.is_none()
        {
            sources.extend(thread.fork);
        }
        let variable = self.variables.get(&event.operand);
        match event.op {
            Op::Read | Op::VolatileRead => sources.extend(variable.and_then(|v| v.write)),
            Op::Write | Op::VolatileWrite | Op::Update => {
                sources.extend(variable.and_then(|v| v.write));
                sources.extend(variable.iter().flat_map(|v| v.reads.values()));
            }
            Op::Acquire => sources.extend(self.releases.get(&event.operand)),
            Op::Join => {
                let child = self.threads.get(&ThreadId(event.operand));
                sources.extend(child.and_then(|child| child.last));
            }
            _ => {}
        }
        sources
    }

    /// The arrivals that a thread has waited for, if it was at a barrier last. It goes on, or has gone
    /// on: its round is complete.
    fn pass(&mut self, thread: ThreadId) -> Vec<usize> {
        let Some(&round) = self.arrived.get(&thread) else { return vec![] };
        self.open_rounds.retain(|_, open| *open != round);
        self.rounds[round].clone()
    }

    fn arrive(&mut self, at: usize, event: &Event) {
        let round = *self.open_rounds.entry(event.operand).or_insert_with(|| {
            self.rounds.push(vec![]);
            self.rounds.len() - 1
        });
        self.rounds[round].push(at);
        self.arrived.insert(event.thread, round);
    }

    /// Files the event under its transaction; a new one follows its thread's last.
    fn enter(&mut self, at: usize, event: Event) -> usize {
        let thread = self.threads.entry(event.thread).or_default();
        let before = thread.last.map(|last| self.of[last]);
        let transaction = match before {
            Some(transaction) if !thread.open.is_empty() => transaction,
            _ => {
                self.next.push(BTreeSet::new());
                let new = self.next.len() - 1;
                if let Some(before) = before {
                    self.next[before].insert(new);
                }
                new
            }
        };
        self.events.push(event);
        self.of.push(transaction);
        self.previous.push(thread.last);
        thread.last = Some(at);
        if event.op == Op::Begin {
            thread.open.push(at);
        }
        transaction
    }

    /// For every transaction, whether it comes after this one.
    fn reachable(&self, from: usize) -> Vec<bool> {
        let mut reached = vec![false; self.next.len()];
        let mut todo = vec![from];
        while let Some(transaction) = todo.pop() {
            for &to in &self.next[transaction] {
                if !reached[to] {
                    reached[to] = true;
                    todo.push(to);
                }
            }
        }
        reached
    }

    /// Who is to blame: the blocks with an event from which accepted dependences and program order
    /// lead to a left-out source.
    fn blame(&self, at: usize, left_out: Vec<usize>) -> OracleViolation {
        let event = &self.events[at];
        let open = self.threads[&event.thread].open.clone();
        // An event outside blocks closes no cycle: nothing comes after it yet.
        let first = open[0];
        let causes = self.causes(&left_out, first);
        let own = (first..at).filter(|&i| causes[i] && self.of[i] == self.of[at]);
        let latest = own.max();
        let inside = |begin: usize| latest.is_some_and(|latest| latest >= begin);
        OracleViolation {
            event: at,
            thread: event.thread,
            blamed: inside(0),
            refuted: open.iter().copied().filter(|&begin| inside(begin)).collect(),
            open,
            left_out,
        }
    }

    /// For every event since `first`, whether program order and accepted dependences lead from it to
    /// one of these. (Both lead forward only: what is before `first` leads from nothing after it.)
    fn causes(&self, ends: &[usize], first: usize) -> Vec<bool> {
        let mut causes = vec![false; self.events.len()];
        let mut todo = ends.to_vec();
        while let Some(event) = todo.pop() {
            if event >= first && !causes[event] {
                causes[event] = true;
                todo.extend(self.accepted[event].iter().chain(&self.previous[event]));
            }
        }
        causes
    }

    fn remember(&mut self, at: usize, event: &Event) {
        match event.op {
            Op::Read | Op::VolatileRead => {
                let variable = self.variables.entry(event.operand).or_default();
                variable.reads.insert(event.thread, at);
            }
            Op::Write | Op::VolatileWrite | Op::Update => {
                let variable = self.variables.entry(event.operand).or_default();
                *variable = Variable { write: Some(at), reads: BTreeMap::new() };
            }
            Op::Release | Op::Wait => drop(self.releases.insert(event.operand, at)),
            Op::Fork => {
                self.threads.entry(ThreadId(event.operand)).or_default().fork = Some(at);
            }
            Op::End => drop(self.threads.entry(event.thread).or_default().open.pop()),
            Op::Barrier => self.arrive(at, event),
            _ => {}
        }
    }
}
