//! A small trace as what it says of a program: what each thread does in which order, and what it
//! must wait for. The ground that [`super::schedules`] stands on.

use interloper_trace::{Event, LockId, Op, ThreadId};
use std::collections::HashMap;

/// A transaction, or an event that belongs to none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unit {
    pub thread: ThreadId,
    /// Its events, in order.
    pub events: Vec<usize>,
    /// Whether it is a block, or a part of one, rather than an event outside.
    pub block: bool,
}

/// Where an event is in its thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The number of the thread, as in [`Program::threads`].
    pub thread: usize,
    /// How many events that matter the thread has before it.
    pub step: usize,
}

/// What the threads of a trace do.
#[derive(Clone)]
pub struct Program {
    pub events: Vec<Event>,
    pub units: Vec<Unit>,
    pub unit_of: Vec<usize>,
    /// By thread: its events that matter.
    steps: Vec<Vec<usize>>,
    /// All of them, in the order of the trace.
    listed: Vec<usize>,
    /// By event that matters.
    places: HashMap<usize, Place>,
    numbers: HashMap<ThreadId, usize>,
    /// By thread: the event that starts it.
    forks: Vec<Option<usize>>,
    /// The complete rounds of barriers, as the arrivals, by each of the arrivals.
    rounds: HashMap<usize, Vec<usize>>,
    /// By thread and step: the locks that are held before it.
    held: Vec<Vec<Vec<LockId>>>,
}

fn matters(event: &Event) -> bool {
    !matches!(event.op, Op::Begin | Op::End | Op::Dummy | Op::Notify | Op::Exit | Op::Escape)
}

impl Program {
    pub fn new(events: &[Event]) -> Program {
        let (units, unit_of) = units(events);
        let mut program = Program {
            events: events.to_vec(),
            units,
            unit_of,
            steps: vec![],
            listed: (0..events.len()).filter(|&at| matters(&events[at])).collect(),
            places: HashMap::new(),
            numbers: HashMap::new(),
            forks: vec![],
            rounds: rounds(events),
            held: vec![],
        };
        for event in events {
            program.know(event.thread);
            if matches!(event.op, Op::Fork | Op::Join) {
                program.know(event.child());
            }
        }
        for (at, event) in events.iter().enumerate() {
            if event.op == Op::Fork {
                let child = program.numbers[&event.child()];
                program.forks[child] = Some(at);
            }
        }
        program.arrange();
        program
    }

    fn know(&mut self, thread: ThreadId) {
        let next = self.numbers.len();
        if *self.numbers.entry(thread).or_insert(next) == next {
            self.forks.push(None);
        }
    }

    /// Leaves out events, which must be accesses.
    pub fn drop_events(&mut self, drop: impl Fn(usize, &Event) -> bool) {
        let Program { listed, events, .. } = self;
        listed.retain(|&at| !drop(at, &events[at]));
        self.arrange();
    }

    /// Works out everything that follows from `listed`.
    fn arrange(&mut self) {
        let threads = self.numbers.len();
        self.steps = vec![vec![]; threads];
        self.held = vec![vec![vec![]]; threads];
        self.places.clear();
        for &at in &self.listed {
            let event = &self.events[at];
            let thread = self.numbers[&event.thread];
            self.places.insert(at, Place { thread, step: self.steps[thread].len() });
            self.steps[thread].push(at);
            let mut held = self.held[thread].last().cloned().unwrap_or_default();
            match event.op {
                Op::Acquire => held.push(event.lock()),
                Op::Release | Op::Wait => held.retain(|&lock| lock != event.lock()),
                _ => {}
            }
            self.held[thread].push(held);
        }
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.steps.len()
    }

    /// The events that matter, in the order of the trace.
    pub fn listed(&self) -> &[usize] {
        &self.listed
    }

    /// Where an event is, if it matters.
    pub fn place(&self, event: usize) -> Option<Place> {
        self.places.get(&event).copied()
    }

    /// The next event of a thread that has not finished.
    pub fn next(&self, state: &[u8], thread: usize) -> usize {
        self.rest(state, thread)[0]
    }

    /// What a thread has still to do.
    pub fn rest(&self, state: &[u8], thread: usize) -> &[usize] {
        &self.steps[thread][usize::from(state[thread])..]
    }

    /// The next events of those who have not finished.
    pub fn pending(&self, state: &[u8]) -> Vec<usize> {
        (0..self.threads()).filter_map(|thread| self.rest(state, thread).first().copied()).collect()
    }

    /// Whether all have finished.
    pub fn complete(&self, state: &[u8]) -> bool {
        self.pending(state).is_empty()
    }

    /// The unit in the middle of which a thread is.
    pub fn inside(&self, state: &[u8], thread: usize) -> Option<usize> {
        let done = usize::from(state[thread]);
        let next = self.steps[thread].get(done)?;
        let last = self.steps[thread].get(done.checked_sub(1)?)?;
        let unit = self.unit_of[*next];
        (unit == self.unit_of[*last]).then_some(unit)
    }

    /// The threads that can go on.
    pub fn able(&self, state: &[u8]) -> Vec<usize> {
        (0..self.threads())
            .filter(|&thread| !self.rest(state, thread).is_empty() && self.enabled(state, thread))
            .collect()
    }

    /// Whether a thread that has not finished can go on.
    pub fn enabled(&self, state: &[u8], thread: usize) -> bool {
        let Some(&next) = self.rest(state, thread).first() else { return false };
        let event = &self.events[next];
        self.is_awake(state, thread)
            && match event.op {
                Op::Acquire => (0..self.threads()).all(|other| {
                    other == thread || !self.holds(state, other).contains(&event.lock())
                }),
                Op::Join => {
                    let child = self.numbers[&event.child()];
                    self.rest(state, child).is_empty() && self.is_awake(state, child)
                }
                _ => true,
            }
    }

    fn holds(&self, state: &[u8], thread: usize) -> &[LockId] {
        &self.held[thread][usize::from(state[thread])]
    }

    /// Whether a thread has been started and does not wait at a barrier.
    fn is_awake(&self, state: &[u8], thread: usize) -> bool {
        let done = |event: &usize| {
            let Place { thread, step } = self.places[event];
            usize::from(state[thread]) > step
        };
        let arrived =
            usize::from(state[thread]).checked_sub(1).map(|last| self.steps[thread][last]);
        let round = arrived.and_then(|event| self.rounds.get(&event));
        self.forks[thread].as_ref().is_none_or(done)
            && round.is_none_or(|round| round.iter().all(done))
    }
}

/// The units, and the unit of each event.
fn units(events: &[Event]) -> (Vec<Unit>, Vec<usize>) {
    let (mut units, mut unit_of): (Vec<Unit>, Vec<usize>) = (vec![], vec![]);
    // By thread: how many blocks are open, and the unit that goes on.
    let mut open: HashMap<ThreadId, (usize, Option<usize>)> = HashMap::new();
    for (at, event) in events.iter().enumerate() {
        let (depth, current) = open.entry(event.thread).or_default();
        let boundary = matches!(event.op, Op::Fork | Op::Join | Op::Barrier);
        if event.op == Op::Begin {
            *depth += 1;
        }
        let inside = *depth > 0 && !boundary;
        let unit = match *current {
            Some(unit) if inside => unit,
            _ => {
                units.push(Unit { thread: event.thread, events: vec![], block: inside });
                units.len() - 1
            }
        };
        units[unit].events.push(at);
        unit_of.push(unit);
        if event.op == Op::End {
            *depth = depth.saturating_sub(1);
        }
        *current = (inside && *depth > 0).then_some(unit);
    }
    (units, unit_of)
}

/// The complete rounds of barriers: one is complete when one of its threads does anything else, or
/// is seen to have ended.
fn rounds(events: &[Event]) -> HashMap<usize, Vec<usize>> {
    let mut rounds = HashMap::new();
    let mut arrivals: HashMap<LockId, Vec<usize>> = HashMap::new();
    for (at, event) in events.iter().enumerate() {
        let mut goes_on = |thread: ThreadId| {
            let there = |round: &Vec<usize>| round.iter().any(|&a| events[a].thread == thread);
            if let Some(round) = arrivals.values_mut().find(|round| there(round)) {
                let round = std::mem::take(round);
                rounds.extend(round.iter().map(|&arrival| (arrival, round.clone())));
            }
        };
        goes_on(event.thread);
        match event.op {
            Op::Join => goes_on(event.child()),
            Op::Barrier => arrivals.entry(event.lock()).or_default().push(at),
            _ => {}
        }
    }
    rounds
}
