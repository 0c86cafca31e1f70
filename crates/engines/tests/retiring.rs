//! Variables and locks that retire, and whose numbers are used again: the frontier finds what it finds where everything has a number of
//! its own, at the same events, and its explanations name the same things.

mod common;

use common::suite::{cases, times};
use common::walk::{self, Profile, Walked};
use interloper_engines::{Checker, Frontier, Outcome};
use interloper_trace::{Batch, Event, LockId, Names, Op, OperandKind, Retired, VarId, VarRange};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

/// A trace of many short-lived objects, each with as many variables and a number of its own.
struct Lives {
    size: u32,
    events: Vec<Event>,
    /// By object: at which event it is last mentioned.
    last: Vec<usize>,
    /// The same for locks; `None`: it never retires.
    last_of_lock: Vec<Option<usize>>,
}

fn is_about_variable(event: &Event) -> bool {
    matches!(event.op.operand_kind(), OperandKind::Var | OperandKind::Object)
}

/// Which lock stands for which, as long as nobody has it.
#[derive(Default)]
struct Locks {
    now: HashMap<u32, u32>,
    busy: HashSet<u32>,
    waiting: HashSet<(u32, u32)>,
}

impl Locks {
    /// Follows who holds what; whether the lock was nobody's before.
    fn was_idle(&mut self, event: &Event) -> bool {
        let (thread, lock) = (event.thread.0, event.operand);
        let idle = !self.busy.contains(&lock) && self.waiting.iter().all(|&(_, it)| it != lock);
        match event.op {
            Op::Acquire => {
                self.waiting.remove(&(thread, lock));
                self.busy.insert(lock);
            }
            Op::Release => {
                self.busy.remove(&lock);
            }
            Op::Wait => {
                self.busy.remove(&lock);
                self.waiting.insert((thread, lock));
            }
            _ => {}
        }
        idle
    }
}

impl Lives {
    /// Makes objects of the variables of a trace, so many for each, and has new ones come as `changes` says.
    fn new(events: &[Event], size: u32, changes: &[bool]) -> Lives {
        let mut changes = changes.iter().copied().cycle();
        let mut lives = Lives { size, events: vec![], last: vec![], last_of_lock: vec![] };
        let barriers: HashSet<u32> =
            events.iter().filter(|it| it.op == Op::Barrier).map(|it| it.operand).collect();
        let (mut objects, mut locks) = (HashMap::new(), Locks::default());
        for (at, event) in events.iter().enumerate() {
            let mut event = *event;
            if is_about_variable(&event) {
                let (object, index) = (event.operand / size, event.operand % size);
                let now = objects.entry(object).or_insert(u32::MAX);
                if *now == u32::MAX || changes.next() == Some(true) {
                    *now = lives.last.len() as u32;
                    lives.last.push(at);
                }
                lives.last[*now as usize] = at;
                event.operand = *now * size + index;
            } else if event.op.operand_kind() == OperandKind::Lock {
                let idle = locks.was_idle(&event) && !barriers.contains(&event.operand);
                let now = locks.now.entry(event.operand).or_insert(u32::MAX);
                if *now == u32::MAX || idle && changes.next() == Some(true) {
                    *now = lives.last_of_lock.len() as u32;
                    lives.last_of_lock.push(Some(at));
                }
                let last = &mut lives.last_of_lock[*now as usize];
                *last = if barriers.contains(&event.operand) { None } else { Some(at) };
                event.operand = *now;
            }
            lives.events.push(event);
        }
        // Locks that are held in the end do not retire.
        for lock in locks.busy.iter().chain(locks.waiting.iter().map(|(_, lock)| lock)) {
            lives.last_of_lock[locks.now[lock] as usize] = None;
        }
        lives
    }

    fn object_name(&self, object: u32) -> String {
        format!("object {object}")
    }

    /// Everything has a number of its own.
    fn apart(&self, batch: usize) -> Vec<Outcome> {
        let mut names = Names::default();
        for object in 0..self.last.len() as u32 {
            if self.size == 1 {
                names.var(&self.object_name(object));
            } else {
                let stem = names.vars.stem(&self.object_name(object));
                names.vars.family(stem, 0, self.size).expect("room");
            }
        }
        for lock in 0..self.last_of_lock.len() {
            names.lock(&format!("lock {lock}"));
        }
        let mut checker = Checker::of(Frontier::new());
        for events in self.events.chunks(batch) {
            checker.feed(&Batch { first: checker.events(), events: events.to_vec() }, &names);
        }
        checker.finish(&names);
        checker.outcomes(&names)
    }

    /// Numbers are used again; says how many were.
    fn again(&self, batch: usize, delay: usize) -> (Vec<Outcome>, usize) {
        let mut again = Again::default();
        let mut checker = Checker::of(Frontier::new());
        for (at, events) in self.events.chunks(batch).enumerate() {
            let events = events.iter().map(|event| again.translate(event, self)).collect();
            checker.feed(&Batch { first: checker.events(), events }, &again.names);
            let retired = again.retire(self, ((at + 1) * batch).saturating_sub(delay));
            again.take_back(checker.retire(retired));
        }
        checker.finish(&again.names);
        (checker.outcomes(&again.names), again.used_again)
    }
}

/// A source that uses numbers again.
#[derive(Default)]
struct Again {
    names: Names,
    /// The first variables of objects that have retired not yet, and their locks.
    objects: HashMap<u32, u32>,
    locks: HashMap<u32, u32>,
    free: Vec<u32>,
    free_locks: Vec<u32>,
    used_again: usize,
}

impl Again {
    fn translate(&mut self, event: &Event, lives: &Lives) -> Event {
        let mut event = *event;
        if is_about_variable(&event) {
            let (object, index) = (event.operand / lives.size, event.operand % lives.size);
            event.operand = self.first_variable(object, lives) + index;
        } else if event.op.operand_kind() == OperandKind::Lock {
            event.operand = self.lock(event.operand);
        }
        event
    }

    fn first_variable(&mut self, object: u32, lives: &Lives) -> u32 {
        if let Some(&first) = self.objects.get(&object) {
            return first;
        }
        let (name, vars) = (lives.object_name(object), &mut self.names.vars);
        let free = self.free.pop();
        self.used_again += usize::from(free.is_some());
        let first = match (free, lives.size) {
            (Some(first), 1) => {
                vars.rename(first, &name);
                first
            }
            (None, 1) => vars.intern(&name),
            (Some(first), _) => {
                let stem = vars.stem(&name);
                assert!(vars.rename_family(first, stem, 0));
                first
            }
            (None, size) => {
                let stem = vars.stem(&name);
                vars.family(stem, 0, size).expect("room")
            }
        };
        self.objects.insert(object, first);
        first
    }

    fn lock(&mut self, lock: u32) -> u32 {
        let (names, free) = (&mut self.names.locks, &mut self.free_locks);
        *self.locks.entry(lock).or_insert_with(|| match free.pop() {
            Some(number) => {
                names.rename(number, &format!("lock {lock}"));
                number
            }
            None => names.intern(&format!("lock {lock}")),
        })
    }

    /// What is mentioned for the last time before this event.
    fn retire(&mut self, lives: &Lives, end: usize) -> Retired {
        let mut retired = Retired::default();
        self.objects.retain(|&object, &mut first| {
            let goes = lives.last[object as usize] < end;
            if goes {
                retired.vars.push(VarRange { first: VarId(first), count: lives.size });
            }
            !goes
        });
        self.locks.retain(|&lock, &mut number| {
            let goes = lives.last_of_lock[lock as usize].is_some_and(|last| last < end);
            if goes {
                retired.locks.push(LockId(number));
            }
            !goes
        });
        retired
    }

    fn take_back(&mut self, free: Retired) {
        for VarRange { first, count } in free.vars {
            if count == 1 {
                self.names.vars.release(first.0);
            }
            self.free.push(first.0);
        }
        for lock in free.locks {
            self.names.locks.release(lock.0);
            self.free_locks.push(lock.0);
        }
    }
}

/// Whether the same is found; says how many numbers were used again, and how many violations there were.
fn same(lives: &Lives, batch: usize, delay: usize) -> Result<(usize, u64), String> {
    let apart = lives.apart(batch);
    let (again, used_again) = lives.again(batch, delay);
    let ([apart], [again]) = (&apart[..], &again[..]) else { unreachable!() };
    if apart.violations != again.violations {
        return Err(format!("{} violations, not {}", again.violations, apart.violations));
    }
    for (expected, found) in apart.findings.iter().zip(&again.findings) {
        if expected != found {
            return Err(format!("found {found:#?}, not {expected:#?}"));
        }
    }
    Ok((used_again, apart.violations))
}

#[test]
fn numbers_that_are_used_again_change_nothing() {
    let (used_again, violations) = (Cell::new(0), Cell::new(0));
    for profile in walk::profiles() {
        let profile = Profile { choices: 2 * profile.choices, ..profile };
        let mut runner = TestRunner::new(cases(1_500));
        let changes = prop::collection::vec(prop::bool::weighted(0.2), 7..20);
        let traces = (profile.traces(), changes, 1..12_usize, 0..10_usize);
        let outcome = runner.run(&traces, |(Walked(events), changes, batch, delay)| {
            let lives = Lives::new(&events, 1, &changes);
            let counts = same(&lives, batch, delay).map_err(TestCaseError::fail)?;
            used_again.set(used_again.get() + counts.0);
            violations.set(violations.get() + counts.1);
            Ok(())
        });
        outcome.unwrap_or_else(|failure| panic!("{}: {failure}", profile.name));
    }
    assert!(used_again.get() > 1_000 && violations.get() > 1_000, "{used_again:?}, {violations:?}");
}

#[test]
fn in_long_traces_too() {
    let mut used_again = 0;
    for (number, profile) in walk::profiles().into_iter().enumerate() {
        for seed in 0..20 * u64::from(times()) {
            let events = profile.long(seed, 800);
            let changes: Vec<bool> = (0..31).map(|at| (at * 7 + seed) % 11 < 2).collect();
            let lives = Lives::new(&events, 1, &changes);
            let counts = same(&lives, 1 + (seed as usize * 5 + number) % 40, seed as usize);
            used_again += counts.unwrap_or_else(|wrong| panic!("{}: {wrong}", profile.name)).0;
        }
    }
    assert!(used_again > 3_000, "{used_again}");
}

/// Elements of arrays, several at once.
#[test]
fn pages_of_elements_are_used_again_whole() {
    const SIZE: u32 = 8;
    let mut used_again = 0;
    for profile in [walk::racy(), walk::nested(), walk::mixed(), walk::forking()] {
        let profile = Profile { vars: 2 * SIZE, ..profile };
        for seed in 0..150 * u64::from(times()) {
            let several = |(at, event): (usize, &Event)| {
                let (more, index) = ((at as u64 * 3 + seed) % 8, u64::from(event.operand % SIZE));
                let fits = index + more < u64::from(SIZE) && more > 0;
                let plain = matches!(event.op, Op::Read | Op::Write);
                if plain && fits { event.and_more(more as u16, 1) } else { *event }
            };
            let events = profile.long(seed, 300);
            let events: Vec<Event> = events.iter().enumerate().map(several).collect();
            let changes: Vec<bool> = (0..37).map(|at| (at * 5 + seed) % 13 < 2).collect();
            let counts = same(&Lives::new(&events, SIZE, &changes), 1 + seed as usize % 17, 3);
            used_again += counts.unwrap_or_else(|wrong| panic!("{}: {wrong}", profile.name)).0;
        }
    }
    assert!(used_again > 1_000, "{used_again}");
}
