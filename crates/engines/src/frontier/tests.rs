//! What the oracle's small traces (`tests/exact.rs`) do not reach: the size of the table, more threads
//! than there are hints, dependences dropped by the thousand.

use super::Frontier;
use super::memory::Record;
use super::table::{Slot, Time};
use crate::{Engine, Velodrome};
use interloper_findings::{Key, Sink, Violation};
use interloper_trace::{
    Batch, Event, LabelId, LockId, Names, Op, Position, SiteId, ThreadId, VarId,
};

/// Keeps the event, the key and the refuted blocks of every violation.
#[derive(Default, PartialEq, Eq, Debug)]
struct Found(Vec<(Position, Key, Vec<Position>)>);

impl Sink for Found {
    fn count(&mut self, _: Position, _: Key) -> bool {
        true
    }

    fn explain(&mut self, key: Key, violation: Violation) {
        let refuted = violation.blocks.iter().filter(|block| block.refuted);
        self.0.push((violation.event, key, refuted.map(|block| block.begin).collect()));
    }
}

fn found(engine: &mut dyn Engine, events: &[Event]) -> Found {
    let mut found = Found::default();
    engine.feed(&Batch { first: 0, events: events.to_vec() }, &Names::default(), &mut found);
    found
}

const SITE: SiteId = SiteId(1);
const LABEL: LabelId = LabelId(1);

/// `rounds` of `threads` threads that are forked, run a block each on a shared variable, and are
/// joined by thread 0.
fn short_lives(rounds: u32, threads: u32) -> Vec<Event> {
    let main = ThreadId(0);
    let mut events = vec![];
    for round in 0..rounds {
        let crew = (0..threads).map(|i| ThreadId(1 + round * threads + i));
        events.extend(crew.clone().map(|child| Event::fork(main, child, SITE)));
        for child in crew.clone() {
            events.push(Event::begin(child, LABEL, SITE));
            events.push(Event::write(child, VarId(0), SITE));
            events.push(Event::end(child, SITE));
        }
        events.extend(crew.map(|child| Event::join(main, child, SITE)));
    }
    events
}

#[test]
fn ten_thousand_short_lived_threads_share_a_few_slots() {
    let mut engine = Frontier::new();
    assert_eq!(found(&mut engine, &short_lives(1_000, 10)), Found::default());
    assert_eq!(engine.table.slots(), 11);
}

#[test]
fn slots_wait_for_a_transaction_that_reaches_their_threads() {
    let watcher = ThreadId(20_000);
    let mut events =
        vec![Event::begin(watcher, LABEL, SITE), Event::write(watcher, VarId(0), SITE)];
    events.extend(short_lives(100, 10));
    let mut engine = Frontier::new();
    assert_eq!(found(&mut engine, &events), Found::default());
    assert_eq!(engine.table.slots(), 1_002, "none may be handed on while the watcher runs");
    let after = [Event::end(watcher, SITE)].into_iter().chain(short_lives(1, 500).into_iter().map(
        // Other threads than before.
        |event| match event.op {
            Op::Fork | Op::Join => Event { operand: event.operand + 30_000, ..event },
            _ => Event { thread: ThreadId(event.thread.0 + 30_000), ..event },
        },
    ));
    let first = events.len() as u64;
    let batch = Batch { first, events: after.collect() };
    engine.feed(&batch, &Names::default(), &mut Found::default());
    assert_eq!(engine.table.slots(), 1_002, "now they are handed on");
}

/// Two threads in a block each read ever new variables, which nobody ever writes.
#[test]
fn reads_of_variables_that_are_never_written_again_are_not_kept() {
    let readers = [ThreadId(1), ThreadId(2)];
    let mut events = vec![];
    for var in 0..50_000 {
        events.extend(readers.map(|reader| Event::begin(reader, LABEL, SITE)));
        events.extend(readers.map(|reader| Event::read(reader, VarId(var), SITE)));
        // So that the reads depend on a running transaction and must be remembered until it ends.
        events.push(Event::write(readers[0], VarId(60_000), SITE));
        events.push(Event::read(readers[1], VarId(60_000), SITE));
        events.extend(readers.map(|reader| Event::end(reader, SITE)));
    }
    let mut engine = Frontier::new();
    assert_eq!(found(&mut engine, &events), Found::default());
    let most = engine.memory.lists().most();
    assert!(most < 100, "{most} lists");
}

/// Engines whose variables have a cell each, and whose variables may share theirs.
fn narrow_and_wide() -> [Frontier; 2] {
    let (narrow, mut wide) = (Frontier::new(), Frontier::new());
    wide.memory.share_cells();
    [narrow, wide]
}

/// Blocks of many threads read the same variable again and again.
#[test]
fn of_each_thread_one_read_is_kept() {
    let readers = 0..9;
    let mut events: Vec<Event> =
        readers.clone().map(|reader| Event::begin(ThreadId(reader), LABEL, SITE)).collect();
    for round in 0..2_000 {
        // Each after every other, now and then.
        let read =
            |at: u32| Event::read(ThreadId((at * (1 + round % 8) + round) % 9), VarId(0), SITE);
        events.extend(readers.clone().map(read));
    }
    for mut engine in narrow_and_wide() {
        assert_eq!(found(&mut engine, &events), Found::default());
        let room = engine.memory.lists().room();
        assert!((4..=64).contains(&room), "room for {room} records");
    }
}

/// A block writes what others have read in between, some of them twice: their last reads count.
#[test]
fn the_last_read_of_each_thread_takes_the_place_of_those_before() {
    let writer = ThreadId(9);
    let orders: [&[u32]; 5] = [
        &[1, 2, 1],
        &[1, 2, 3, 1],
        &[1, 2, 3, 2, 1],
        &[1, 2, 3, 4, 5, 1, 3],
        &[5, 4, 3, 2, 1, 5, 4],
    ];
    for readers in orders {
        let site = |at: usize| SiteId(10 + at as u32);
        let mut events =
            vec![Event::begin(writer, LABEL, SITE), Event::write(writer, VarId(0), SITE)];
        let read = |(at, &reader): (usize, &u32)| Event::read(ThreadId(reader), VarId(0), site(at));
        events.extend(readers.iter().enumerate().map(read));
        events.push(Event::write(writer, VarId(0), SITE));
        let is_last = |at: &usize| !readers[at + 1..].contains(&readers[*at]);
        let first = (0..readers.len()).find(is_last).map(site);
        for mut engine in narrow_and_wide() {
            let Found(violations) = found(&mut engine, &events);
            let interlopers: Vec<SiteId> = violations.iter().map(|it| it.1.interloper).collect();
            assert_eq!(interlopers, first.as_slice(), "{readers:?}");
        }
    }
}

/// Whatever kind of cells variables have, the same is found, and told of the same places.
#[test]
fn narrow_and_wide_cells_remember_the_same() {
    for seed in 0..40 {
        let (threads, vars) = (3 + seed as u32 % 20, 1 + seed as u32 % 7);
        let events = racy(threads, vars, 2_000, seed);
        let [mut narrow, mut wide] = narrow_and_wide();
        let expected = found(&mut narrow, &events);
        assert!(!expected.0.is_empty());
        assert_eq!(found(&mut wide, &events), expected, "seed {seed}");
    }
}

/// As many variables at once as there can be, one of them after the other hit by somebody else.
#[test]
fn accesses_of_very_many_variables() {
    let (one, other) = (ThreadId(1), ThreadId(2));
    let all = Event::write(one, VarId(0), SITE).and_more(u16::MAX, 1);
    let back = Event::read(one, VarId(u32::from(u16::MAX)), SITE).and_more(u16::MAX, -1);
    let mut events = vec![Event::begin(one, LABEL, SITE), all, back];
    events.extend((0..1 << 16).step_by(9).map(|var| Event::write(other, VarId(var), SITE)));
    events.extend([back, Event::end(one, SITE), all]);
    let mut engine = Frontier::new();
    let Found(violations) = found(&mut engine, &events);
    // Positions count variables; the last variable that was hit is the first that is read again.
    let first = violations.first().map(|(event, ..)| *event);
    assert_eq!(first, Some(1 + 2 * (1 << 16) + 7282 + (65_535 - 65_529)));
    assert_eq!(violations.len(), 7282);
    assert!(violations.iter().all(|(.., refuted)| *refuted == [0]));
}

/// A racy trace: blocks of a few accesses, some under locks, by many threads at once.
fn racy(threads: u32, vars: u32, length: usize, mut seed: u64) -> Vec<Event> {
    let mut random = move |below: u32| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((seed >> 33) % u64::from(below)) as u32
    };
    let mut depth = vec![0u32; threads as usize];
    let mut held: Vec<Option<ThreadId>> = vec![None; 8];
    let mut events = vec![];
    while events.len() < length {
        let thread = ThreadId(random(threads));
        let site = SiteId(1 + random(9));
        let lock = LockId(random(held.len() as u32));
        let depth = &mut depth[thread.index()];
        match random(20) {
            0..=2 if *depth < 3 => {
                *depth += 1;
                events.push(Event::begin(thread, LABEL, site));
            }
            3..=6 if *depth > 0 => {
                *depth -= 1;
                events.push(Event::end(thread, site));
            }
            7..=9 => match held[lock.index()] {
                None => {
                    held[lock.index()] = Some(thread);
                    events.push(Event::acquire(thread, lock, site));
                }
                Some(holder) => {
                    held[lock.index()] = None;
                    events.push(Event::release(holder, lock, site));
                }
            },
            10..=13 => events.push(Event::write(thread, VarId(random(vars)), site)),
            _ => events.push(Event::read(thread, VarId(random(vars)), site)),
        }
    }
    events
}

#[test]
fn records_hold_what_the_validator_admits() {
    let slot = Slot(interloper_trace::Validator::MOST_THREADS as u32);
    let time = Time(Time::NEVER.0 - 1);
    for op in Op::ALL {
        let record = Record::new(slot, time, op, SiteId(u32::MAX), LabelId((1 << 27) - 2));
        assert_eq!((record.slot(), record.time()), (slot, time));
        assert_eq!((record.op(), record.site()), (op, SiteId(u32::MAX)));
        assert_eq!(record.label(), LabelId((1 << 27) - 2));
    }
    let outside = Record::new(Slot(1), Time(1), Op::Exit, SITE, LabelId::OUTSIDE);
    assert_eq!((outside.op(), outside.label()), (Op::Exit, LabelId::OUTSIDE));
}

/// Many threads, ended or idle, that a running transaction reaches: time and memory must not grow
/// by the square.
#[test]
fn a_hundred_thousand_threads_under_one_transaction() {
    let main = ThreadId(0);
    let mut events = vec![Event::begin(main, LABEL, SITE), Event::write(main, VarId(0), SITE)];
    events.extend((1..100_000).map(|thread| Event::read(ThreadId(thread), VarId(0), SITE)));
    let last = ThreadId(99_999);
    events.push(Event::write(last, VarId(1), SITE));
    events.push(Event::read(main, VarId(1), SITE));
    let found = found(&mut Frontier::new(), &events);
    assert_eq!(found.0.len(), 1);
    assert_eq!(found.0[0].2, [0]);
}

#[test]
fn agrees_with_velodrome_on_more_threads_than_hints() {
    for (threads, vars, seed) in [(600, 2_000, 1), (300, 5_000, 2), (257, 20_000, 3)] {
        let events = racy(threads, vars, 20_000, seed);
        let frontier = found(&mut Frontier::new(), &events);
        assert!(!frontier.0.is_empty());
        assert_eq!(frontier, found(&mut Velodrome::new(), &events), "seed {seed}");
    }
}
