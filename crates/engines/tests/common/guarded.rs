//! Random small traces of programs that mostly do right: variables have locks, which are mostly held; some
//! locks are used by one thread only, or within another only, or around nothing that matters. Among
//! programs that lock at random, almost all are obviously broken, and what is delicate about reduction
//! hardly ever decides.

use super::walk::Random;
use interloper_trace::{Event, Op, SiteId, ThreadId};
use std::collections::HashSet;

/// A kind of program.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    pub threads: usize,
    /// Transactions and sections of a thread, at most.
    pub pieces: usize,
    /// Of ten pieces, how many are outside blocks.
    pub outside: usize,
    /// Of twenty accesses, how many are to a variable whose lock is not held.
    pub careless: usize,
    /// Locks are released in any order, and blocks end while locks are held.
    pub crossing: bool,
    /// The first thread starts the others after its first piece, and may await them before its last.
    pub forks: bool,
    /// Some sections wait in the middle.
    pub waits: bool,
}

impl Manner {
    /// Nothing special.
    pub const CAREFUL: Manner = Manner {
        threads: 2,
        pieces: 2,
        outside: 2,
        careless: 1,
        crossing: false,
        forks: false,
        waits: false,
    };

    /// A trace, the same for the same seed. Every event has a site of its own.
    pub fn trace(&self, seed: u64) -> Vec<Event> {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bd1);
        let mut threads: Vec<Vec<Event>> =
            (0..self.threads).map(|thread| self.thread(thread as u32, &mut random)).collect();
        if self.forks {
            for child in 1..threads.len() as u32 {
                threads[0].insert(0, Event::new(ThreadId(0), Op::Fork, child, SiteId::UNKNOWN));
                // Before the last piece, if nothing is open there.
                let last = threads[0].iter().rposition(|event| event.op == Op::Begin);
                if let Some(at) = last.filter(|_| !self.crossing && random.below(2) == 0) {
                    threads[0]
                        .insert(at, Event::new(ThreadId(0), Op::Join, child, SiteId::UNKNOWN));
                }
            }
        }
        interleave(&threads, &mut random)
    }

    fn thread(&self, thread: u32, random: &mut Random) -> Vec<Event> {
        let mut maker = Maker { manner: self, thread, code: vec![], held: vec![] };
        for _ in 0..1 + random.below(self.pieces) {
            let block = random.below(10) >= self.outside;
            if block {
                maker.emit(Op::Begin, 1 + thread);
            }
            for _ in 0..1 + random.below(3) {
                maker.step(random, 2);
            }
            if !self.crossing {
                maker.release_to(0, random);
            }
            if block {
                maker.emit(Op::End, 0);
            }
        }
        maker.release_to(0, random);
        maker.code
    }
}

/// Two ordinary locks, one that is used within the first only, and from 3 on one for each thread.
const ORDINARY: u32 = 2;
const INNER: u32 = 2;

struct Maker<'a> {
    manner: &'a Manner,
    thread: u32,
    code: Vec<Event>,
    held: Vec<u32>,
}

impl Maker<'_> {
    fn emit(&mut self, op: Op, operand: u32) {
        self.code.push(Event::new(ThreadId(self.thread), op, operand, SiteId::UNKNOWN));
    }

    fn step(&mut self, random: &mut Random, depth: usize) {
        let before = self.held.len();
        if depth > 0 && random.below(3) > 0 && self.acquire(random) {
            for _ in 0..random.below(3) {
                self.step(random, depth - 1);
            }
            if self.manner.waits && random.below(6) == 0 && self.held.len() == 1 {
                let lock = self.held[0];
                self.emit(Op::Wait, lock);
                self.emit(Op::Acquire, lock);
                self.access(random);
            }
            self.release_to(before, random);
        } else {
            self.access(random);
        }
    }

    /// Locks in ascending order only: no deadlock.
    fn acquire(&mut self, random: &mut Random) -> bool {
        let lock = match random.below(8) {
            0 if self.held.contains(&0) => INNER,
            1 => INNER + 1 + self.thread,
            _ => random.below(ORDINARY as usize) as u32,
        };
        let possible = self.held.iter().all(|&held| held < lock);
        if possible {
            self.held.push(lock);
            self.emit(Op::Acquire, lock);
        }
        possible
    }

    fn release_to(&mut self, left: usize, random: &mut Random) {
        while self.held.len() > left {
            let last = self.held.len() - 1;
            let at = if self.manner.crossing { random.below(last + 1) } else { last };
            let lock = self.held.remove(at);
            self.emit(Op::Release, lock);
        }
    }

    /// Variables 0 and 1 belong to the locks of these numbers, 2 is written under both and read under
    /// either, 3 belongs to the inner lock, 4 is only read, from 5 on there is one for each thread.
    fn access(&mut self, random: &mut Random) {
        let op = if random.below(2) == 0 { Op::Read } else { Op::Write };
        let held = |lock: u32| self.held.contains(&lock);
        let careless = random.below(20) < self.manner.careless;
        let (op, var) = match random.below(8) as u32 {
            6 => (Op::Read, 4),
            7 => (op, 5 + self.thread),
            _ if careless => (op, random.below(4) as u32),
            5 if held(INNER) => (op, 3),
            4 if held(0) && held(1) => (op, 2),
            4 if held(0) || held(1) => (Op::Read, 2),
            choice if held(choice % 2) => (op, choice % 2),
            _ => (op, 5 + self.thread),
        };
        self.emit(op, var);
    }
}

/// Runs the threads in a random order. They never get stuck: locks are taken in ascending order.
fn interleave(code: &[Vec<Event>], random: &mut Random) -> Vec<Event> {
    let mut done = vec![0; code.len()];
    let mut started: Vec<bool> = (0..code.len() as u32).map(|t| !is_forked(code, t)).collect();
    let (mut held, mut events) = (HashSet::new(), vec![]);
    loop {
        let able = |&thread: &usize| {
            code[thread].get(done[thread]).is_some_and(|event: &Event| match event.op {
                Op::Acquire => !held.contains(&event.operand),
                Op::Join => done[event.operand as usize] == code[event.operand as usize].len(),
                _ => true,
            }) && started[thread]
        };
        let able: Vec<usize> = (0..code.len()).filter(able).collect();
        let Some(&thread) = able.get(random.below(able.len().max(1))) else { return events };
        let event = code[thread][done[thread]];
        done[thread] += 1;
        match event.op {
            Op::Acquire => drop(held.insert(event.operand)),
            Op::Release | Op::Wait => drop(held.remove(&event.operand)),
            Op::Fork => started[event.operand as usize] = true,
            _ => {}
        }
        events.push(Event { site: SiteId(events.len() as u32 + 1), ..event });
    }
}

fn is_forked(code: &[Vec<Event>], thread: u32) -> bool {
    code.iter().flatten().any(|event| event.op == Op::Fork && event.operand == thread)
}
