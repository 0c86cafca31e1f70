//! Made-up executions of many threads, logged as the probe would log them, come back in an order that is
//! theirs: also from small arenas, from slots that are used again, and from JVMs that were killed.
//!
//! The simulator does one step at a time, so it knows the real order. Who may access an object without a word
//! in the log follows the protocol of the probe: one thread that writes, one that reads, or all that read.

mod common;

use common::*;
use interloper_tap::log;
use interloper_trace::{Event, Op, ThreadId};
use std::collections::HashMap;

/// Who may access an object without more ado.
#[derive(Clone, Copy)]
enum State {
    New,
    Writer(usize),
    Reader(usize),
    Readers(u32),
}

/// What an event did to what, so that it can be found again: an access (object, field or index), or a lock.
type Act = (Op, String);

#[derive(Clone, Copy)]
struct Running {
    uid: u32,
    depth: u32,
    holds: Option<u32>,
}

struct Simulator {
    random: Random,
    logs: Vec<Log>,
    running: Vec<Option<Running>>,
    /// Up to which number a slot has seen objects become read by all.
    seen: Vec<u32>,
    made: u32,
    objects: Vec<State>,
    lock_states: Vec<State>,
    holders: Vec<Option<usize>>,
    /// Threads that have ended: uid, slot, position after their end.
    ended: Vec<(u32, u32, u64)>,
    next_uid: u32,
    /// The execution: who did what.
    real: Vec<(u32, Act)>,
}

const OBJECTS: u32 = 6;
const ARRAY: u32 = 1;
const LOCKS: u32 = 3;
/// Ids of objects and, after them, of locks.
const FIRST_ID: u32 = 10;

impl Simulator {
    fn new(program: &Program, slots: u32, seed: u64) -> Simulator {
        let logs: Vec<Log> = (0..slots).map(|slot| program.log(slot)).collect();
        let count = slots as usize;
        let mut simulator = Simulator {
            random: Random(seed),
            logs,
            running: vec![None; count],
            seen: vec![0; count],
            made: 0,
            objects: vec![State::New; OBJECTS as usize],
            lock_states: vec![State::New; LOCKS as usize],
            holders: vec![None; LOCKS as usize],
            ended: Vec::new(),
            next_uid: 1,
            real: Vec::new(),
        };
        simulator.logs[0].one(log::START, 0, 0);
        simulator.running[0] = Some(Running { uid: 0, depth: 0, holds: None });
        simulator
    }

    fn edge(&mut self, from: usize, to: usize) {
        if from != to {
            let (slot, position) = (self.logs[to].slot, self.logs[to].position);
            self.logs[from].two(log::EDGE, 0, slot, position);
        }
    }

    /// What the probe does before an access, and the object's state after it.
    fn before_access(
        &mut self,
        slot: usize,
        id: u32,
        class: u32,
        state: State,
        write: bool,
    ) -> State {
        match (state, write) {
            (State::New, _) => {
                self.logs[slot].two(log::OBJECT, 0, id, u64::from(class));
                State::Writer(slot)
            }
            (State::Writer(owner), _) if owner == slot => state,
            (State::Reader(owner), false) if owner == slot => state,
            (State::Reader(owner), true) if owner == slot => State::Writer(slot),
            (State::Writer(owner), true) | (State::Reader(owner), true) => {
                self.edge(slot, owner);
                State::Writer(slot)
            }
            (State::Writer(owner), false) => {
                self.edge(slot, owner);
                State::Reader(slot)
            }
            (State::Reader(owner), false) => {
                self.edge(slot, owner);
                self.made += 1;
                self.logs[slot].one(log::MAKE, 0, self.made);
                self.seen[slot] = self.made;
                State::Readers(self.made)
            }
            (State::Readers(number), false) => {
                if self.seen[slot] < number {
                    self.logs[slot].one(log::SEEN, 0, number);
                    self.seen[slot] = number;
                }
                state
            }
            (State::Readers(_), true) => {
                for other in 0..self.logs.len() {
                    self.edge(slot, other);
                }
                State::Writer(slot)
            }
        }
    }

    fn access(&mut self, slot: usize, uid: u32) {
        let object = self.random.below(OBJECTS);
        let write = self.random.below(3) == 0;
        let (id, op) = (FIRST_ID + object, if write { Op::Write } else { Op::Read });
        let class = if object == ARRAY { DOUBLES } else { ACCOUNT };
        let state = self.objects[object as usize];
        self.objects[object as usize] = self.before_access(slot, id, class, state, write);
        let field = self.random.below(FIELDS);
        let what = if object == ARRAY {
            let site = if write { ELEMENT_WRITE } else { ELEMENT_READ };
            self.logs[slot].two(log::ELEMENT, site, id, u64::from(field));
            format!("[{field}]")
        } else {
            self.logs[slot].one(log::ACCESS, MANY + 2 * field + u32::from(write), id);
            format!("{object}.f{field}")
        };
        self.real.push((uid, (op, what)));
    }

    fn lock(&mut self, slot: usize, running: &mut Running) {
        let lock = running.holds.unwrap_or_else(|| self.random.below(LOCKS));
        let id = FIRST_ID + OBJECTS + lock;
        match running.holds {
            Some(_) => {
                self.logs[slot].one(log::REL, CALL, id);
                self.holders[lock as usize] = None;
                running.holds = None;
            }
            None if self.holders[lock as usize].is_none() => {
                let state = self.lock_states[lock as usize];
                self.lock_states[lock as usize] = self.before_access(slot, id, LATCH, state, true);
                self.logs[slot].one(log::ACQ, CALL, id);
                self.holders[lock as usize] = Some(slot);
                running.holds = Some(lock);
                self.real.push((running.uid, (Op::Acquire, format!("lock {lock}"))));
            }
            None => {}
        }
    }

    fn fork(&mut self, slot: usize) {
        let Some(free) = self.running.iter().position(Option::is_none) else { return };
        let uid = self.next_uid;
        self.next_uid += 1;
        self.logs[slot].one(log::FORK, CALL, uid);
        self.logs[free].one(log::START, 0, uid);
        self.edge(free, slot);
        self.running[free] = Some(Running { uid, depth: 0, holds: None });
    }

    fn exit(&mut self, slot: usize, running: Running) {
        if slot == 0 || running.holds.is_some() {
            return;
        }
        self.logs[slot].one(log::EXIT, 0, 0);
        self.running[slot] = None;
        self.ended.push((running.uid, slot as u32, self.logs[slot].position));
    }

    fn join(&mut self, slot: usize) {
        if let Some((uid, other, position)) = self.ended.pop() {
            if self.random.below(2) == 0 {
                self.logs[slot].two(log::EDGE, 0, other, position);
            }
            self.logs[slot].one(log::JOIN, CALL, uid);
        }
    }

    fn step(&mut self) {
        let slot = self.random.below(self.running.len() as u32) as usize;
        let Some(mut running) = self.running[slot] else { return };
        match self.random.below(40) {
            0 => self.fork(slot),
            1 => return self.exit(slot, running),
            2 => self.join(slot),
            3..6 => {
                running.depth += 1;
                self.logs[slot].one(log::BEGIN, 0, METHOD);
            }
            6..9 if running.depth > 0 => {
                running.depth -= 1;
                self.logs[slot].one(log::END, 0, 0);
            }
            9..14 => self.lock(slot, &mut running),
            _ => {
                for _ in 0..self.random.below(4) {
                    self.access(slot, running.uid);
                }
            }
        }
        self.running[slot] = Some(running);
    }
}

/// Per thread, what it did, in its order.
fn by_thread<'a>(acts: impl Iterator<Item = (u32, &'a Act)>) -> HashMap<u32, Vec<&'a Act>> {
    let mut threads: HashMap<u32, Vec<&Act>> = HashMap::new();
    for (uid, act) in acts {
        threads.entry(uid).or_default().push(act);
    }
    threads
}

/// For every act, by thread and number: how many writes, and other accesses, of the same thing came before.
fn conflicts(acts: &[(u32, Act)]) -> HashMap<(u32, usize), (u32, u32)> {
    let mut done: HashMap<u32, usize> = HashMap::new();
    let mut before: HashMap<&str, (u32, u32)> = HashMap::new();
    let mut result = HashMap::new();
    for (uid, (op, what)) in acts {
        let number = done.entry(*uid).or_default();
        let (writes, reads) = before.entry(what).or_default();
        let write = *op != Op::Read;
        // The order of reads among themselves does not matter.
        result.insert((*uid, *number), (*writes, if write { *reads } else { 0 }));
        *number += 1;
        *(if write { writes } else { reads }) += 1;
    }
    result
}

/// The same acts as the simulator's, out of the trace.
fn acts(jvm: &interloper_tap::Jvm, events: &[Event]) -> Vec<(u32, Act)> {
    use interloper_trace::Source;
    let names = jvm.names();
    let uid = |thread: ThreadId| {
        names.threads.text(thread.0).trim_start_matches('t').parse().expect("t and a number")
    };
    let wanted = |event: &&Event| matches!(event.op, Op::Read | Op::Write | Op::Acquire);
    let name = |event: &Event| match event.op {
        Op::Acquire => names.locks.text(event.operand).to_string(),
        _ => names.vars.text(event.operand).to_string(),
    };
    events.iter().filter(wanted).map(|event| (uid(event.thread), (event.op, name(event)))).collect()
}

/// Names of objects depend on the order of their first use in the trace: gives them the simulator's names, by
/// the first act of a thread that tells.
fn rename(real: &[(u32, Act)], traced: &mut [(u32, Act)]) {
    let mut known: HashMap<String, String> = HashMap::new();
    let order = by_thread(real.iter().map(|(uid, act)| (*uid, act)));
    let mut done: HashMap<u32, usize> = HashMap::new();
    for (uid, (op, name)) in traced {
        let number = done.entry(*uid).or_default();
        let (real_op, real_name) = order[uid].get(*number).expect("no more than what was done");
        *number += 1;
        assert_eq!(op, real_op);
        let given = known.entry(name.clone()).or_insert_with(|| real_name.clone());
        assert_eq!(given, real_name, "{name} in the trace");
        *name = given.clone();
    }
}

struct Case {
    chunks: u32,
    slots: u32,
    steps: u32,
    /// Every log ends somewhere, as no JVM does that: harder than any kill.
    torn: bool,
}

fn check(case: &Case, seed: u64) -> (usize, usize) {
    let (program, mut jvm) = connected(case.chunks, case.slots);
    let (slots, steps, torn) = (case.slots, case.steps, case.torn);
    let writer = std::thread::spawn(move || {
        program.tell(steps / 10 + 10);
        let mut simulator = Simulator::new(&program, slots, seed);
        if torn {
            for log in &mut simulator.logs {
                log.cut = u64::from(simulator.random.below(2 * steps / slots));
            }
        }
        for _ in 0..steps {
            simulator.step();
        }
        if !torn {
            program.end();
        }
        simulator.real
    });
    let events = events(&mut jvm);
    let real = writer.join().expect("written");
    let mut traced = acts(&jvm, &events);
    rename(&real, &mut traced);
    let expected = conflicts(&real);
    for (act, before) in conflicts(&traced) {
        assert_eq!(expected[&act], before, "seed {seed}, act {act:?}");
    }
    let facts = jvm.facts();
    assert_eq!(facts.broken, 0, "seed {seed}");
    if !torn {
        assert_eq!((facts.cut, facts.dropped), (0, 0), "seed {seed}");
        assert_eq!(traced.len(), real.len(), "seed {seed}");
    }
    (traced.len(), real.len())
}

#[test]
fn executions_come_back_whole_and_in_order() {
    for seed in 0..cases(60) {
        check(&Case { chunks: 200, slots: 2 + seed as u32 % 7, steps: 1500, torn: false }, seed);
    }
}

#[test]
fn a_small_arena_is_enough() {
    for seed in 0..cases(6) {
        check(&Case { chunks: 6, slots: 4, steps: 20_000, torn: false }, seed);
    }
}

#[test]
fn what_is_left_of_torn_logs_is_in_order() {
    let (mut traced, mut real) = (0, 0);
    for seed in 0..cases(60) {
        let case = Case { chunks: 200, slots: 2 + seed as u32 % 7, steps: 800, torn: true };
        let (some, all) = check(&case, seed);
        traced += some;
        real += all;
    }
    assert!(traced > real / 10, "{traced} of {real}");
}
