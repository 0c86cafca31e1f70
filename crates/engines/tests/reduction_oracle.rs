//! Offline reduction against all schedules of small traces: where no schedule ends in a deadlock, what it
//! calls atomic is atomic.

mod common;

use common::guarded::Manner;
use common::schedules::Schedules;
use common::shapes::{Shape, named, shrink};
use common::suite::times;
use common::text::text;
use common::walk::Random;
use interloper_engines::reduction::Reduction;
use interloper_engines::{Checker, Settings, Without};
use interloper_trace::{Event, Op, SiteId};
use std::collections::BTreeSet;

/// The positions of the events at which findings were completed. Every block gets a label of its own, so
/// that no two are one finding.
fn reported(events: &[Event], without: Without) -> BTreeSet<usize> {
    let relabel = |(at, event): (usize, &Event)| match event.op {
        Op::Begin => Event { operand: at as u32, ..*event },
        _ => *event,
    };
    let events: Vec<Event> = events.iter().enumerate().map(relabel).collect();
    let trace = named(&events);
    let mut checker = Checker::of(Reduction::new(Settings { without, ..Settings::default() }));
    trace.events.iter().for_each(|&event| checker.push(event, &trace.names));
    checker.finish(&trace.names);
    let [outcome] = &checker.outcomes(&trace.names)[..] else { panic!("one engine") };
    outcome.findings.iter().map(|finding| finding.event as usize).collect()
}

/// Whether the engine is wrong, and whether it says nothing. `None`: too much work, or there can be a
/// deadlock.
type Trial = Option<(bool, bool)>;

/// Whether reduction says nothing of a set of transactions that is not atomic.
fn misses_a_set(events: &[Event]) -> Trial {
    let schedules = Schedules::new(events).with_cap(40_000);
    if schedules.deadlocks()? {
        return None;
    }
    let says_nothing = reported(events, Without::default()).is_empty();
    Some((says_nothing && !schedules.is_atomic()?, says_nothing))
}

/// Whether Theorem 1 says nothing of a single transaction that some schedule cuts in two, whatever becomes
/// of the others.
fn misses_a_transaction(events: &[Event]) -> Trial {
    let schedules = Schedules::new(events).with_cap(40_000);
    if schedules.deadlocks()? {
        return None;
    }
    let found = reported(events, Without { acq_rel: true, ..Without::default() });
    let units: BTreeSet<usize> = found.iter().map(|&event| schedules.unit_of(event)).collect();
    for unit in 0..schedules.units().len() {
        let silent = schedules.units()[unit].block && !units.contains(&unit);
        if silent && schedules.can_be_cut(unit)? {
            return Some((true, false));
        }
    }
    Some((false, found.is_empty()))
}

/// Tries many traces; a failure is made small and shown. Gives how many could be decided, and of how many
/// of these reduction had nothing to say.
fn try_all(
    kind: &dyn std::fmt::Debug,
    make: &dyn Fn(u64) -> Vec<Event>,
    cases: u32,
    fails: &dyn Fn(&[Event]) -> Trial,
) -> (u32, u32) {
    let (mut decided, mut silent) = (0, 0);
    for seed in 0..u64::from(cases * times()) {
        let events = make(seed);
        let Some((wrong, says_nothing)) = fails(&events) else { continue };
        if wrong {
            let small = shrink(&events, &|few| fails(few).is_some_and(|(wrong, _)| wrong));
            panic!("{kind:?} seed {seed}: missed\n{}", text(&small));
        }
        decided += 1;
        silent += u32::from(says_nothing);
    }
    (decided, silent)
}

/// The same as [`misses_a_set`] for traces in which variables escape: what was done to them before is as if
/// it had never been.
fn misses_a_set_after_escapes(events: &[Event]) -> Trial {
    let escaped_later = |at: usize| {
        let escapes = |event: &Event| event.op == Op::Escape && event.operand == events[at].operand;
        events[at..].iter().any(escapes)
    };
    let schedules = Schedules::new(events).with_cap(40_000).keeping(|at| !escaped_later(at));
    if schedules.deadlocks()? {
        return None;
    }
    let says_nothing = reported(events, Without::default()).is_empty();
    Some((says_nothing && !schedules.is_atomic()?, says_nothing))
}

/// The trace with an `escape` of one or two variables put in.
fn with_escapes(mut events: Vec<Event>, seed: u64) -> Vec<Event> {
    let mut random = Random(seed ^ 0xe5ca_9e00);
    for var in 0..1 + random.below(2) as u32 {
        let at = random.below(events.len());
        let escape = Event::new(events[at].thread, Op::Escape, var, SiteId::UNKNOWN);
        events.insert(at, escape);
    }
    events
}

/// Shapes with what makes the proof delicate.
fn shapes() -> Vec<Shape> {
    let plain = Shape { steps: 6, ..Shape::PLAIN };
    vec![
        plain,
        Shape { threads: 2, vars: 2, locks: 3, steps: 9, ..plain },
        Shape { nested: false, ..plain },
        Shape { in_blocks: false, ..plain },
        Shape { in_blocks: false, nested: false, locks: 3, ..plain },
        Shape { forks: true, ..plain },
        Shape { forks: true, barriers: true, in_blocks: false, ..plain },
        Shape { waits: true, volatiles: true, in_blocks: false, ..plain },
        Shape { ordered: false, in_blocks: false, accesses: 4, ..plain },
        Shape { threads: 2, vars: 3, locks: 2, steps: 10, accesses: 4, in_blocks: false, ..plain },
    ]
}

/// Programs that mostly do right.
fn manners() -> Vec<Manner> {
    let careful = Manner::CAREFUL;
    vec![
        careful,
        Manner { outside: 0, pieces: 3, ..careful },
        Manner { threads: 3, pieces: 1, ..careful },
        Manner { careless: 4, ..careful },
        Manner { crossing: true, ..careful },
        Manner { crossing: true, outside: 0, careless: 3, ..careful },
        Manner { forks: true, careless: 3, ..careful },
        Manner { waits: true, ..careful },
    ]
}

/// All shapes and manners, so many traces of each.
fn all(cases: u32, fails: &dyn Fn(&[Event]) -> Trial) {
    for shape in shapes() {
        let (decided, silent) = try_all(&shape, &|seed| shape.trace(seed), cases, fails);
        println!("{silent} of {decided} say nothing: {shape:?}");
        assert!(decided > cases / 2 && silent > cases / 20);
    }
    for manner in manners() {
        let (decided, silent) = try_all(&manner, &|seed| manner.trace(seed), 2 * cases, fails);
        println!("{silent} of {decided} say nothing: {manner:?}");
        assert!(decided > cases && silent > cases / 10);
    }
}

#[test]
fn what_is_called_atomic_is_atomic() {
    all(250, &misses_a_set);
}

#[test]
fn before_the_escape_nothing_matters() {
    for manner in manners() {
        let make = |seed| with_escapes(manner.trace(seed), seed);
        try_all(&manner, &make, 150, &misses_a_set_after_escapes);
    }
}

#[test]
fn by_theorem_1_each_transaction_is_atomic_by_itself() {
    all(100, &misses_a_transaction);
}
