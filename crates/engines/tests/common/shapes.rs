//! Random small traces for [`super::schedules`]: threads are made up first, each a straight line of
//! code, and then run in a random order. All blocks end, all locks are released.

use super::text::{Trace, text, trace};
use super::walk::Random;
use interloper_trace::{Batch, Event, Op, SiteId, ThreadId, Validator};
use std::collections::HashSet;

/// A kind of program.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// How many threads, from two.
    pub threads: usize,
    pub vars: usize,
    pub locks: usize,
    /// How many things a thread does, at most; closing what it opened comes on top.
    pub steps: usize,
    /// How many blocks and locks are open in a thread at a time.
    pub depth: usize,
    /// Of ten choices, how many are accesses.
    pub accesses: usize,
    /// Locks are acquired in ascending order only: no deadlock.
    pub ordered: bool,
    /// Blocks and locks close in the opposite order of opening, as in Java.
    pub nested: bool,
    /// Every access is within an atomic block.
    pub in_blocks: bool,
    /// Threads start and await each other.
    pub forks: bool,
    /// Threads meet at barriers, without locks in hand.
    pub barriers: bool,
    /// Some wait for signals.
    pub waits: bool,
    /// Some accesses are volatile, or updates.
    pub volatiles: bool,
}

impl Shape {
    /// Accesses and locks in blocks, no deadlock, nothing else.
    pub const PLAIN: Shape = Shape {
        threads: 3,
        vars: 2,
        locks: 2,
        steps: 5,
        depth: 3,
        accesses: 5,
        ordered: true,
        nested: true,
        in_blocks: true,
        forks: false,
        barriers: false,
        waits: false,
        volatiles: false,
    };

    /// Locks only, in any order: deadlocks are likely.
    pub const LOCKS: Shape = Shape {
        vars: 1,
        locks: 3,
        steps: 6,
        depth: 3,
        accesses: 1,
        ordered: false,
        in_blocks: false,
        ..Shape::PLAIN
    };

    /// A trace, the same for the same seed. Every event has a site of its own.
    pub fn trace(&self, seed: u64) -> Vec<Event> {
        let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ self.threads as u64);
        loop {
            let threads = self.program(&mut random);
            // It may end in a deadlock: then another order, and another program after a while.
            for _ in 0..8 {
                if let Some(events) = run(&threads, &mut random) {
                    return events;
                }
            }
        }
    }

    fn program(&self, random: &mut Random) -> Vec<Vec<Event>> {
        let mut code: Vec<Vec<Event>> =
            (0..self.threads).map(|thread| self.thread(thread as u32, random)).collect();
        if self.barriers {
            self.add_barriers(&mut code, random);
        }
        if self.forks {
            add_forks(&mut code, random);
        }
        code
    }

    fn thread(&self, thread: u32, random: &mut Random) -> Vec<Event> {
        let mut maker = Maker { shape: self, thread, code: vec![], open: vec![] };
        for _ in 0..1 + random.below(self.steps) {
            maker.step(random);
        }
        while !maker.open.is_empty() {
            maker.close(random);
        }
        maker.code
    }

    /// One or two rounds of a barrier for some of the threads, where they hold no lock.
    fn add_barriers(&self, code: &mut [Vec<Event>], random: &mut Random) {
        for barrier in 0..random.below(3) {
            let lock = (self.locks + barrier % 2) as u32;
            for (thread, events) in (0u32..).zip(code.iter_mut()) {
                if random.below(4) == 0 {
                    continue;
                }
                // After those that are there already: rounds come in the same order everywhere.
                let last = events.iter().rposition(|event| event.op == Op::Barrier);
                let places = unlocked(events, last.map_or(0, |last| last + 1));
                let at = places[random.below(places.len())];
                events.insert(at, plain(thread, Op::Barrier, lock));
            }
        }
    }
}

fn plain(thread: u32, op: Op, operand: u32) -> Event {
    Event::new(ThreadId(thread), op, operand, SiteId::UNKNOWN)
}

/// The places in a thread, from one on, at which it holds no lock.
fn unlocked(events: &[Event], from: usize) -> Vec<usize> {
    let mut held = 0;
    let mut places = vec![];
    for at in 0..=events.len() {
        if at >= from && held == 0 {
            places.push(at);
        }
        match events.get(at).map(|event| event.op) {
            Some(Op::Acquire) => held += 1,
            Some(Op::Release | Op::Wait) => held -= 1,
            _ => {}
        }
    }
    places
}

/// Some threads are started by one of lower number, and perhaps awaited by it or by another.
fn add_forks(code: &mut [Vec<Event>], random: &mut Random) {
    for child in 1..code.len() {
        if random.below(3) == 0 {
            continue;
        }
        let parent = random.below(child);
        let at = random.below(code[parent].len() + 1);
        code[parent].insert(at, plain(parent as u32, Op::Fork, child as u32));
        if random.below(2) == 0 {
            // Only without a lock in hand: the child might need it.
            let places = unlocked(&code[parent], at + 1);
            if let Some(&at) = places.get(random.below(places.len().max(1))) {
                code[parent].insert(at, plain(parent as u32, Op::Join, child as u32));
            }
        }
    }
}

/// What is open in a thread under construction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Block,
    Lock(u32),
}

struct Maker<'a> {
    shape: &'a Shape,
    thread: u32,
    code: Vec<Event>,
    open: Vec<Open>,
}

impl Maker<'_> {
    fn step(&mut self, random: &mut Random) {
        if random.below(10) < self.shape.accesses {
            self.access(random);
            return;
        }
        match random.below(10) {
            0..4 => self.acquire(random),
            4..6 if self.shape.accesses == 0 => self.acquire(random),
            4..6 => self.begin(),
            6 if self.shape.waits => self.wait(),
            _ => self.close(random),
        }
    }

    fn emit(&mut self, op: Op, operand: u32) {
        self.code.push(plain(self.thread, op, operand));
    }

    fn access(&mut self, random: &mut Random) {
        if self.shape.in_blocks && !self.open.contains(&Open::Block) {
            self.begin();
        }
        let op = match random.below(if self.shape.volatiles { 7 } else { 4 }) {
            0 | 1 => Op::Read,
            2 | 3 => Op::Write,
            4 => Op::VolatileRead,
            5 => Op::VolatileWrite,
            _ => Op::Update,
        };
        let volatile = !matches!(op, Op::Read | Op::Write);
        // A volatile variable is never accessed plainly.
        let var = random.below(self.shape.vars) + if volatile { self.shape.vars } else { 0 };
        self.emit(op, var as u32);
    }

    fn begin(&mut self) {
        self.open.push(Open::Block);
        let label = 1 + self.thread;
        self.emit(Op::Begin, label);
    }

    fn held(&self) -> Vec<u32> {
        let lock = |open: &Open| if let Open::Lock(lock) = open { Some(*lock) } else { None };
        self.open.iter().filter_map(lock).collect()
    }

    fn acquire(&mut self, random: &mut Random) {
        let held = self.held();
        let lowest =
            if self.shape.ordered { held.iter().max().map_or(0, |max| max + 1) } else { 0 };
        let free: Vec<u32> =
            (lowest..self.shape.locks as u32).filter(|lock| !held.contains(lock)).collect();
        if !free.is_empty() && self.open.len() < self.shape.depth {
            let lock = free[random.below(free.len())];
            self.open.push(Open::Lock(lock));
            self.emit(Op::Acquire, lock);
        }
    }

    /// With one lock in hand: the return acquires it while no other is held.
    fn wait(&mut self) {
        if let [lock] = self.held()[..] {
            self.emit(Op::Wait, lock);
            self.emit(Op::Acquire, lock);
        }
    }

    fn close(&mut self, random: &mut Random) {
        if self.open.is_empty() {
            return;
        }
        let last = self.open.len() - 1;
        let at = if self.shape.nested { last } else { random.below(last + 1) };
        match self.open.remove(at) {
            Open::Lock(lock) => self.emit(Op::Release, lock),
            Open::Block => self.emit(Op::End, 0),
        }
    }
}

/// Runs the threads in a random order; `None` if they get stuck. Barriers are for all threads that
/// ever arrive there as many times.
fn run(code: &[Vec<Event>], random: &mut Random) -> Option<Vec<Event>> {
    let mut done = vec![0; code.len()];
    let mut held = HashSet::new();
    let mut events: Vec<Event> = vec![];
    while (0..code.len()).any(|thread| done[thread] < code[thread].len()) {
        let able: Vec<usize> =
            (0..code.len()).filter(|&thread| able(code, &done, &held, thread)).collect();
        let thread = *able.get(random.below(able.len().max(1)))?;
        let event = code[thread][done[thread]];
        done[thread] += 1;
        match event.op {
            Op::Acquire => drop(held.insert(event.operand)),
            Op::Release | Op::Wait => drop(held.remove(&event.operand)),
            _ => {}
        }
        events.push(Event { site: SiteId(events.len() as u32 + 1), ..event });
    }
    Some(events)
}

fn able(code: &[Vec<Event>], done: &[usize], held: &HashSet<u32>, thread: usize) -> bool {
    let Some(event) = code[thread].get(done[thread]) else { return false };
    let is = |e: &Event, op: Op, operand: u32| e.op == op && e.operand == operand;
    let started = code.iter().zip(done).all(|(events, &done)| {
        events[done..].iter().all(|event| !is(event, Op::Fork, thread as u32))
    });
    // The barrier just arrived at: everybody who has as many arrivals to make has made them.
    let arrived = done[thread].checked_sub(1).map(|last| code[thread][last]);
    let through = arrived.filter(|event| event.op == Op::Barrier).is_none_or(|barrier| {
        let count = |events: &[Event]| {
            events.iter().filter(|event| is(event, Op::Barrier, barrier.operand)).count()
        };
        let mine = count(&code[thread][..done[thread]]);
        code.iter()
            .zip(done)
            .all(|(events, &done)| count(&events[..done]) >= mine.min(count(events)))
    });
    started
        && through
        && match event.op {
            Op::Acquire => !held.contains(&event.operand),
            Op::Join => done[event.operand as usize] == code[event.operand as usize].len(),
            _ => true,
        }
}

/// The events with names made of their ids (and so with other ids), for engines that ask for names.
pub fn named(events: &[Event]) -> Trace {
    trace(&text(events))
}

/// Whether a program could have made this trace, without acquiring a lock twice.
pub fn is_valid(events: &[Event]) -> bool {
    let Trace { names, events } = named(events);
    let mut validator = Validator::new(false);
    let valid = validator.check(&mut Batch { first: 0, events }, &names).is_ok();
    valid && validator.reentrant() == 0
}

/// Takes events away, alone or in pairs (such as `acq` and `rel`), for as long as what remains is
/// valid, releases what it acquires and makes the same test fail.
pub fn shrink(events: &[Event], fails: &dyn Fn(&[Event]) -> bool) -> Vec<Event> {
    let mut events = events.to_vec();
    let mut at = 0;
    while at < events.len() {
        let fewer = |last: usize| {
            let keep = |i: &usize| *i != at && *i != last;
            (0..events.len()).filter(keep).map(|i| events[i]).collect::<Vec<Event>>()
        };
        let tried = (at..events.len()).map(fewer);
        let good = |few: &Vec<Event>| is_valid(few) && is_closed(few) && fails(few);
        match tried.into_iter().find(good) {
            Some(fewer) => (events, at) = (fewer, 0),
            None => at += 1,
        }
    }
    events
}

/// Whether all locks are released and all blocks closed.
pub fn is_closed(events: &[Event]) -> bool {
    let trace = named(events);
    let mut validator = Validator::new(false);
    let mut batch = Batch { first: 0, events: trace.events };
    validator.check(&mut batch, &trace.names).is_ok() && validator.open() == (0, 0)
}
