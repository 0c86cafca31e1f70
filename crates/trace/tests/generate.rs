//! The generator against what it promises, checked from the definitions: validity, conflict
//! serializability, the requested shape, and the same trace for the same seed.

#![allow(clippy::unwrap_used)]

use interloper_trace::{Batch, Event, Names, Op, Placement, Shape, ShapeError, Source, ThreadId};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

/// A whole trace in memory.
fn events_of(shape: &Shape) -> (Vec<Event>, Names) {
    let mut source = shape.generate().unwrap();
    let mut batch = Batch::default();
    let mut events: Vec<Event> = Vec::new();
    while source.next_batch(&mut batch).unwrap() {
        assert_eq!(batch.first, events.len() as u64);
        assert!((1..=Batch::SIZE).contains(&batch.events.len()));
        events.extend(&batch.events);
    }
    assert!(batch.events.is_empty());
    assert!(!source.next_batch(&mut batch).unwrap(), "an ended source stays ended");
    (events, source.names().clone())
}

/// A fingerprint of the trace as text (FNV-1a).
fn fingerprint(shape: &Shape) -> u64 {
    let (events, names) = events_of(shape);
    let lines: String = events.iter().map(|event| names.line(event) + "\n").collect();
    lines.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Checks that some run of a program could have given this trace.
fn check_validity(events: &[Event]) -> Result<(), String> {
    let mut holder: HashMap<u32, ThreadId> = HashMap::new();
    let mut depth: HashMap<ThreadId, u32> = HashMap::new();
    let mut acted: HashSet<ThreadId> = HashSet::new();
    let mut forked: HashSet<ThreadId> = HashSet::new();
    let mut joined: HashSet<ThreadId> = HashSet::new();
    for (at, event) in events.iter().enumerate() {
        let thread = event.thread;
        let wrong = |what: &str| Err(format!("event {at}, {event:?}: {what}"));
        if joined.contains(&thread) {
            return wrong("acts after its join");
        }
        acted.insert(thread);
        match event.op {
            Op::Begin => *depth.entry(thread).or_default() += 1,
            Op::End => match depth.get_mut(&thread) {
                Some(open) if *open > 0 => *open -= 1,
                _ => return wrong("no block is open"),
            },
            Op::Acquire if holder.insert(event.lock().0, thread).is_some() => {
                return wrong("the lock is held");
            }
            Op::Release if holder.remove(&event.lock().0) != Some(thread) => {
                return wrong("the lock is not held");
            }
            Op::Fork if acted.contains(&event.child()) || !forked.insert(event.child()) => {
                return wrong("forked too late or twice");
            }
            Op::Join if !forked.contains(&event.child()) || !joined.insert(event.child()) => {
                return wrong("joined twice or never forked");
            }
            Op::Barrier if depth.get(&thread).is_some_and(|&open| open > 0) => {
                return wrong("arrives in the middle of a block");
            }
            Op::Barrier if holder.values().any(|&holder| holder == thread) => {
                return wrong("arrives with a lock");
            }
            Op::Acquire | Op::Release | Op::Fork | Op::Join | Op::Read | Op::Write => {}
            Op::Barrier => {}
            _ => return wrong("not an operation of the generator"),
        }
    }
    if forked != joined {
        return Err("a forked thread is not joined".into());
    }
    if !forked.is_empty() && acted.difference(&forked).count() != 1 {
        return Err("exactly the main thread is not forked".into());
    }
    if !holder.is_empty() {
        return Err(format!("locks are held at the end: {holder:?}"));
    }
    match depth.values().all(|&open| open == 0) {
        true => Ok(()),
        false => Err("blocks are open at the end".into()),
    }
}

/// The transaction of each event: blocks are one, every event outside is one of its own.
fn transactions(events: &[Event]) -> Vec<usize> {
    let mut open: HashMap<ThreadId, (usize, u32)> = HashMap::new();
    let mut count = 0;
    let mut of = Vec::new();
    for event in events {
        let (transaction, depth) = open.entry(event.thread).or_default();
        if *depth == 0 {
            *transaction = count;
            count += 1;
        }
        match event.op {
            Op::Begin => *depth += 1,
            Op::End => *depth -= 1,
            _ => {}
        }
        of.push(*transaction);
    }
    of
}

/// Whether two events cannot be swapped.
fn conflict(a: &Event, b: &Event) -> bool {
    let starts_or_ends =
        |e: &Event, thread| matches!(e.op, Op::Fork | Op::Join) && e.child() == thread;
    let access = |e: &Event| matches!(e.op, Op::Read | Op::Write);
    let locking = |e: &Event| matches!(e.op, Op::Acquire | Op::Release);
    a.thread == b.thread
        || starts_or_ends(a, b.thread)
        || starts_or_ends(b, a.thread)
        || access(a) && access(b) && a.operand == b.operand && (a.op, b.op) != (Op::Read, Op::Read)
        || locking(a) && locking(b) && a.operand == b.operand
}

/// The arrivals at the barrier, by rounds. Nobody goes on, nor is joined, before all have arrived.
fn rounds(events: &[Event], shape: &Shape) -> Result<Vec<Vec<usize>>, String> {
    let (mut rounds, mut round): (Vec<Vec<usize>>, Vec<usize>) = (vec![], vec![]);
    for (at, event) in events.iter().enumerate() {
        let goes_on = |&arrival: &usize| {
            let thread = events[arrival].thread;
            event.thread == thread || event.op == Op::Join && event.child() == thread
        };
        if round.iter().any(goes_on) {
            if round.len() != shape.threads as usize {
                return Err(format!("event {at} comes before all have arrived"));
            }
            rounds.push(std::mem::take(&mut round));
        }
        if event.op == Op::Barrier {
            round.push(at);
        }
    }
    rounds.extend((!round.is_empty()).then_some(round));
    Ok(rounds)
}

/// Conflict serializability from the definition: all pairs of events, then a search for an order.
fn is_serializable(events: &[Event], rounds: &[Vec<usize>]) -> bool {
    let mut round_of: Vec<&[usize]> = vec![&[]; events.len()];
    for round in rounds {
        round.iter().filter(|&&at| at < events.len()).for_each(|&at| round_of[at] = round);
    }
    let ordered_by_round = |before: usize, at: usize| {
        let other = |&other: &usize| other < at && events[other].thread == events[at].thread;
        round_of[before].iter().any(other)
    };
    let of = transactions(events);
    let count = of.iter().max().map_or(0, |last| last + 1);
    let mut edge = vec![vec![false; count]; count];
    for (at, later) in events.iter().enumerate() {
        for (before, earlier) in events[..at].iter().enumerate() {
            if of[before] != of[at] && (conflict(earlier, later) || ordered_by_round(before, at)) {
                edge[of[before]][of[at]] = true;
            }
        }
    }
    let edge = &edge;
    let successors = |node: usize| (0..count).filter(move |&to| edge[node][to]);
    let mut incoming = vec![0; count];
    (0..count).flat_map(&successors).for_each(|to| incoming[to] += 1);
    let mut free: Vec<usize> = (0..count).filter(|&node| incoming[node] == 0).collect();
    let mut ordered = 0;
    while let Some(node) = free.pop() {
        ordered += 1;
        for to in successors(node) {
            incoming[to] -= 1;
            if incoming[to] == 0 {
                free.push(to);
            }
        }
    }
    ordered == count
}

fn id_of_var(names: &Names, number: u32) -> u32 {
    let name = format!("V{number}");
    (0..names.vars.len() as u32).find(|&id| names.vars.text(id) == name).unwrap()
}

/// Where the write stands that completes the violation: the last access to its variable.
fn closing_write(events: &[Event], names: &Names, shape: &Shape) -> usize {
    let var = id_of_var(names, shape.vars + u32::from(shape.long));
    events
        .iter()
        .rposition(|event| matches!(event.op, Op::Read | Op::Write) && event.operand == var)
        .unwrap()
}

/// Each thread may have this much to finish when the number of events is reached.
fn slack(shape: &Shape) -> u64 {
    let mut each = 12 + 3 * u64::from(shape.nesting);
    if shape.patterns > 0 {
        each += 6 * u64::from(shape.block_length);
    }
    let rounds = shape.phases.max(1) * shape.barriers.max(1);
    u64::from(shape.threads) * each * u64::from(rounds) + 16
}

fn small_shapes() -> impl Strategy<Value = Shape> {
    let sizes = (1..400u64, 2..7u32, 1..30u32, 1..12u32, 1..12u32, 1..5u32);
    let manners = (0.0..=1.0, 0.0..=1.0, 0..4u32, any::<bool>(), 1..20u32, any::<u64>());
    let violation =
        prop_oneof![Just(Placement::None), Just(Placement::Early), Just(Placement::Last)];
    let barriers = prop_oneof![2 => Just(0), 1 => 1..4u32];
    let patterns = prop_oneof![2 => Just(0), 1 => 1..30u32];
    let rest = (violation, barriers, patterns);
    (sizes, manners, rest).prop_map(|(sizes, manners, (violation, barriers, patterns))| {
        let (events, threads, vars, locks, block_length, nesting) = sizes;
        let (unary, writes, phases, long, burst, seed) = manners;
        let least = (4 * phases + 2 * barriers * phases.max(1)) * threads;
        let events = events.max(u64::from(least));
        Shape {
            events,
            threads,
            vars,
            locks,
            block_length,
            nesting,
            unary,
            writes,
            phases,
            barriers,
            patterns,
            long,
            violation,
            locations: 20,
            burst,
            seed,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_trace_is_valid_and_serializable_where_it_shall_be(shape in small_shapes()) {
        let (events, names) = events_of(&shape);
        prop_assert_eq!(check_validity(&events), Ok(()));
        let rounds = rounds(&events, &shape).map_err(TestCaseError::fail)?;
        prop_assert_eq!(rounds.len() as u32, shape.barriers * shape.phases.max(1));
        let length = events.len() as u64;
        prop_assert!(length >= shape.events, "{} events are too few", length);
        prop_assert!(length <= shape.events + slack(&shape), "{} events are too many", length);
        if shape.violation == Placement::None {
            prop_assert!(is_serializable(&events, &rounds));
            return Ok(());
        }
        let closing = closing_write(&events, &names, &shape);
        prop_assert!(is_serializable(&events[..closing], &rounds));
        prop_assert!(!is_serializable(&events[..=closing], &rounds));
        // Nothing else is wrong: without the closing write all is serializable.
        let mut rest = events.clone();
        rest[closing].op = Op::Dummy;
        prop_assert!(is_serializable(&rest, &rounds));
        if shape.violation == Placement::Last {
            // The end of the block, two joins, end and join of the long transaction.
            prop_assert!(events.len() - closing <= 6);
        } else if shape.barriers == 0 {
            prop_assert!(closing <= events.len() / 8 + 12, "{} of {}", closing, events.len());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn larger_traces_are_valid(
        shape in small_shapes(),
        events in 5_000..20_000u64,
        threads in 2..200u32,
        nesting in 1..30u32,
    ) {
        let least = (4 * shape.phases + 2 * shape.barriers * shape.phases.max(1)) * threads;
        let shape = Shape { events: events.max(least.into()), threads, nesting, ..shape };
        let (events, names) = events_of(&shape);
        prop_assert_eq!(check_validity(&events), Ok(()));
        prop_assert!(events.len() as u64 >= shape.events);
        prop_assert!(events.len() as u64 <= shape.events + slack(&shape));
        prop_assert!(rounds(&events, &shape).is_ok());
        if shape.violation == Placement::Early && shape.barriers == 0 {
            prop_assert!(closing_write(&events, &names, &shape) <= events.len() / 4);
        }
    }
}

#[test]
fn the_oracle_sees_a_cut_block() {
    let [one, two] = [ThreadId(0), ThreadId(1)];
    let (var, site) = (interloper_trace::VarId(0), interloper_trace::SiteId::UNKNOWN);
    let mut events = vec![
        Event::begin(one, interloper_trace::LabelId::UNNAMED, site),
        Event::read(one, var, site),
        Event::read(two, var, site),
        Event::write(one, var, site),
        Event::end(one, site),
    ];
    assert!(is_serializable(&events, &[]));
    events[2] = Event::write(two, var, site);
    assert!(!is_serializable(&events, &[]));
    let arrive = |thread| Event::new(thread, Op::Barrier, 0, site);
    let mut events = vec![
        Event::begin(one, interloper_trace::LabelId::UNNAMED, site),
        arrive(one),
        arrive(two),
        Event::write(two, var, site),
        Event::read(one, var, site),
    ];
    let shape = Shape { threads: 2, ..Shape::default() };
    assert_eq!(rounds(&events, &shape).unwrap(), [[1, 2]]);
    assert!(is_serializable(&events, &[]));
    assert!(!is_serializable(&events, &[vec![1, 2]]), "the write is after and before the block");
    events.swap(0, 2);
    assert_eq!(rounds(&events, &shape).unwrap(), [[0, 1]]);
    assert!(is_serializable(&events, &[vec![0, 1]]));
}

#[test]
fn a_seed_gives_one_trace_forever() {
    let shape = Shape {
        events: 500,
        threads: 3,
        vars: 20,
        locks: 5,
        nesting: 3,
        unary: 0.3,
        phases: 2,
        long: true,
        violation: Placement::Last,
        burst: 2,
        seed: 42,
        ..Shape::default()
    };
    assert_eq!(fingerprint(&shape), 442_209_264_744_485_909);
    assert_eq!(fingerprint(&shape), fingerprint(&shape.clone()));
    let seeds: HashSet<u64> =
        (0..50).map(|seed| fingerprint(&Shape { seed, ..shape.clone() })).collect();
    assert_eq!(seeds.len(), 50);
}

/// What a trace consists of.
#[derive(Default)]
struct Census {
    threads: HashSet<ThreadId>,
    accesses: u64,
    writes: u64,
    unary: u64,
    bare: u64,
    transactions: u64,
    deepest: u32,
    switches: u64,
    sites: HashSet<u32>,
    vars: HashSet<u32>,
    locks: HashSet<u32>,
    labels: HashSet<u32>,
}

fn census(events: &[Event]) -> Census {
    let mut sum = Census::default();
    let mut depth: HashMap<ThreadId, u32> = HashMap::new();
    let mut held: HashMap<ThreadId, u32> = HashMap::new();
    for pair in events.windows(2) {
        sum.switches += u64::from(pair[0].thread != pair[1].thread);
    }
    for event in events {
        sum.threads.insert(event.thread);
        sum.sites.insert(event.site.0);
        let depth = depth.entry(event.thread).or_default();
        let held = held.entry(event.thread).or_default();
        match event.op {
            Op::Begin => {
                sum.transactions += u64::from(*depth == 0);
                sum.labels.insert(event.operand);
                *depth += 1;
                sum.deepest = sum.deepest.max(*depth);
            }
            Op::End => *depth -= 1,
            Op::Acquire => {
                sum.locks.insert(event.operand);
                *held += 1;
            }
            Op::Release => *held -= 1,
            Op::Read | Op::Write => {
                sum.vars.insert(event.operand);
                sum.accesses += 1;
                sum.writes += u64::from(event.op == Op::Write);
                sum.unary += u64::from(*depth == 0);
                sum.bare += u64::from(*held == 0);
            }
            _ => {}
        }
    }
    sum
}

fn near(found: u64, of: u64, wanted: f64, tolerance: f64) {
    let found = found as f64 / of as f64;
    assert!((found - wanted).abs() <= tolerance, "{found} instead of {wanted}");
}

#[test]
fn requested_shares_and_numbers_are_met() {
    for (threads, unary, writes, locks) in
        [(4, 0.0, 0.3, 50), (8, 0.5, 0.0, 200), (2, 1.0, 1.0, 10), (30, 0.2, 0.7, 5)]
    {
        let shape = Shape {
            events: 200_000,
            threads,
            unary,
            writes,
            locks,
            vars: 1_000,
            nesting: 5,
            ..Shape::default()
        };
        let sum = census(&events_of(&shape).0);
        near(sum.unary, sum.accesses, unary, 0.02);
        near(sum.writes, sum.accesses, writes, 0.01);
        assert_eq!(sum.threads.len(), threads as usize);
        assert_eq!(sum.locks.len(), locks as usize);
        assert_eq!(sum.vars.len(), 1_000);
        assert_eq!(sum.sites.len(), 500);
        if unary < 1.0 {
            assert_eq!(sum.deepest, 5);
            assert_eq!(sum.labels.len(), 100);
            near(sum.accesses - sum.unary, sum.transactions, 8.0, 0.2);
        }
        if threads < locks {
            near(sum.bare, sum.accesses, unary / 2.0, 0.02);
        }
    }
}

#[test]
fn bursts_have_the_requested_length() {
    for burst in [1, 5, 40] {
        let shape = Shape { events: 200_000, threads: 10, burst, ..Shape::default() };
        let (events, _) = events_of(&shape);
        // One draw of ten gives the same thread again.
        let wanted = f64::from(burst) / 0.9;
        near(events.len() as u64, census(&events).switches, wanted, wanted * 0.1);
    }
}

#[test]
fn phases_have_new_threads_each() {
    let shape = Shape { events: 20_000, threads: 30, phases: 4, long: true, ..Shape::default() };
    let (events, names) = events_of(&shape);
    // The main thread, the long one, and the workers.
    assert_eq!(census(&events).threads.len(), 2 + 4 * 30);
    assert_eq!(names.threads.len(), 2 + 4 * 30);
    let first_join = events.iter().position(|event| event.op == Op::Join).unwrap();
    assert_eq!(names.line(&events[0]).split('|').nth(1), Some("fork(T1)"));
    let (mut running, mut most) = (0, 0);
    for event in &events[1..] {
        match event.op {
            Op::Fork => running += 1,
            Op::Join => running -= 1,
            _ => {}
        }
        most = most.max(running);
    }
    assert_eq!(most, 30);
    near(first_join as u64, events.len() as u64, 0.25, 0.03);
}

/// Operation, label or variable, and place.
type Lines = Vec<(Op, u32, u32)>;

/// Each transaction, as its lines: what is done where, and to which variable of the object.
fn code(events: &[Event], shape: &Shape) -> HashMap<Lines, HashSet<u32>> {
    let mut running: HashMap<ThreadId, (u32, u32, Lines)> = HashMap::new();
    let mut objects: HashMap<Lines, HashSet<u32>> = HashMap::new();
    for event in events {
        let (depth, object, lines) = running.entry(event.thread).or_default();
        let role = match event.op {
            Op::Begin => event.operand,
            Op::Acquire => {
                *object = event.operand;
                0
            }
            Op::Read | Op::Write => {
                assert_eq!(event.operand % shape.locks, *object, "the lock held guards it");
                event.operand / shape.locks
            }
            _ => 0,
        };
        lines.push((event.op, role, event.site.0));
        match event.op {
            Op::Begin => *depth += 1,
            Op::End => *depth -= 1,
            _ => {}
        }
        if *depth == 0 {
            objects.entry(std::mem::take(lines)).or_default().insert(*object);
        }
    }
    objects
}

#[test]
fn patterns_are_run_again_and_again() {
    let shape = Shape {
        events: 200_000,
        patterns: 40,
        vars: 1_003,
        locks: 100,
        nesting: 3,
        locations: 300,
        ..Shape::default()
    };
    let (events, _) = events_of(&shape);
    let code = code(&events, &shape);
    assert_eq!(code.len(), 40, "the last ones are run to their end, too");
    assert_eq!(census(&events).labels.len(), 40);
    // Ten methods to each of four classes, which share the objects out.
    assert!(code.values().all(|objects| objects.len() == 25));
    let classes: HashSet<Vec<u32>> = code
        .values()
        .map(|objects| {
            let mut objects: Vec<u32> = objects.iter().copied().collect();
            objects.sort_unstable();
            objects
        })
        .collect();
    assert_eq!(classes.len(), 4);
    let anew = |seed| events_of(&Shape { seed, ..shape.clone() }).0;
    assert_ne!(anew(1)[..100], anew(2)[..100], "another seed, other code");
}

#[test]
fn rounds_are_of_one_length() {
    let shape = Shape { events: 20_000, threads: 5, barriers: 4, ..Shape::default() };
    let (events, names) = events_of(&shape);
    let rounds = rounds(&events, &shape).unwrap();
    assert_eq!(rounds.len(), 4);
    for (number, round) in (1..).zip(&rounds) {
        near(round[0] as u64, events.len() as u64, f64::from(number) / 4.0, 0.02);
        assert!(names.line(&events[round[0]]).contains("|barrier(B0)|"));
    }
    assert_eq!(census(&events).threads.len(), 5);
}

#[test]
fn every_transaction_depends_on_the_long_one() {
    for phases in [0, 3] {
        let shape = Shape {
            events: 5_000,
            threads: 4,
            vars: 50,
            phases,
            long: true,
            unary: 0.3,
            violation: Placement::Early,
            ..Shape::default()
        };
        let (events, names) = events_of(&shape);
        let flag = id_of_var(&names, 50);
        let first_begin = events.iter().position(|event| event.op == Op::Begin).unwrap();
        let long = events[first_begin].thread;
        let of_long: Vec<Op> =
            events.iter().filter(|event| event.thread == long).map(|event| event.op).collect();
        assert_eq!(of_long, [Op::Begin, Op::Write, Op::End]);
        let end = events.iter().rposition(|event| event.thread == long).unwrap();
        assert_eq!(end, events.len() - 1 - usize::from(phases > 0));
        let mut depth: HashMap<ThreadId, u32> = HashMap::new();
        let mut begun: HashSet<ThreadId> = HashSet::new();
        for event in events.iter().filter(|event| event.thread != long) {
            if begun.remove(&event.thread) {
                assert_eq!((event.op, event.operand), (Op::Read, flag));
            }
            match event.op {
                Op::Begin => {
                    let depth = depth.entry(event.thread).or_default();
                    if *depth == 0 {
                        begun.insert(event.thread);
                    }
                    *depth += 1;
                }
                Op::End => *depth.get_mut(&event.thread).unwrap() -= 1,
                _ => {}
            }
        }
    }
}

#[test]
fn presets_are_as_described() {
    let names: Vec<&str> = Shape::PRESETS.iter().map(|preset| preset.name).collect();
    assert_eq!(names, ["locked", "wide", "phases", "long", "unary", "nested", "patterns"]);
    for name in names {
        let whole = Shape::preset(name).unwrap();
        assert_eq!((whole.events, whole.vars), (10_000_000, 100_000));
        let shape = Shape { events: 200_000, ..whole };
        let (events, _) = events_of(&shape);
        assert_eq!(check_validity(&events), Ok(()), "{name}");
        assert!(events.len() as u64 <= shape.events + slack(&shape));
        let sum = census(&events);
        match name {
            "locked" => assert_eq!((sum.threads.len(), sum.unary, sum.deepest), (8, 0, 1)),
            "wide" => assert_eq!(sum.threads.len(), 32),
            "phases" => assert_eq!(sum.threads.len(), 3_001),
            "long" => near(sum.transactions, shape.events, 0.0077, 0.0003),
            "unary" => near(sum.unary, sum.accesses, 0.9, 0.01),
            "patterns" => assert_eq!((sum.threads.len(), sum.labels.len()), (8, 500)),
            _ => assert_eq!(sum.deepest, 6),
        }
    }
}

#[test]
fn impossible_shapes_are_refused_with_a_reason() {
    let base = Shape::default();
    let refused = |shape: Shape| match shape.generate() {
        Ok(_) => panic!("{shape:?} was accepted"),
        Err(error) => error.to_string(),
    };
    assert_eq!(
        refused(Shape { threads: 0, ..base.clone() }),
        "`threads` must be from 1 to 100000, but is 0"
    );
    for shape in [
        Shape { threads: 100_001, ..base.clone() },
        Shape { events: 0, ..base.clone() },
        Shape { vars: 0, ..base.clone() },
        Shape { vars: u32::MAX, ..base.clone() },
        Shape { locks: 0, ..base.clone() },
        Shape { block_length: 0, ..base.clone() },
        Shape { block_length: u32::MAX, ..base.clone() },
        Shape { nesting: 0, ..base.clone() },
        Shape { locations: 0, ..base.clone() },
        Shape { burst: 0, ..base.clone() },
        Shape { barriers: 1_000_001, ..base.clone() },
        Shape { patterns: 1_000_001, ..base.clone() },
    ] {
        assert!(matches!(shape.check(), Err(ShapeError::OutOfRange { .. })), "{shape:?}");
    }
    assert_eq!(
        refused(Shape { unary: 1.5, ..base.clone() }),
        "`unary` is a share and must be from 0 to 1, but is 1.5"
    );
    assert!(refused(Shape { writes: f64::NAN, ..base.clone() }).contains("`writes`"));
    assert!(
        refused(Shape { threads: 1, violation: Placement::Last, ..base.clone() })
            .contains("two threads")
    );
    assert_eq!(
        refused(Shape { events: 1_000, threads: 300, phases: 10, ..base.clone() }),
        "10 phases of 300 threads take at least 12000 events, but `events` is 1000: ask for more \
         events, fewer phases or fewer threads"
    );
    assert_eq!(
        refused(Shape { events: 1_000, barriers: 20, phases: 5, ..base.clone() }),
        "100 rounds of 8 threads that end at a barrier take at least 1760 events, but `events` is \
         1000: ask for more events, fewer rounds or fewer threads"
    );
    assert_eq!(
        refused(Shape { patterns: 1_000, block_length: 1_001, ..base.clone() }),
        "1000 patterns of 1001 accesses are more than 1000000 accesses in all: ask for fewer \
         patterns or a smaller `block_length`"
    );
    assert!(
        refused(Shape { threads: 100_000, phases: 1_000, ..base }).contains("10000000 threads")
    );
    assert_eq!(
        Shape::preset("big").unwrap_err().to_string(),
        "there is no shape called `big`; there are locked, wide, phases, long, unary, nested, \
         patterns"
    );
}

#[test]
fn extreme_shapes_come_to_an_end() {
    let base = Shape { events: 3_000, vars: 1, locks: 1, ..Shape::default() };
    for shape in [
        Shape { threads: 1, ..base.clone() },
        Shape { threads: 500, unary: 1.0, ..base.clone() },
        Shape { threads: 500, nesting: 1_000, block_length: 1_000_000_000, ..base.clone() },
        Shape { threads: 2, burst: 1_000_000_000, ..base.clone() },
        Shape { events: 1, threads: 2, long: true, violation: Placement::Early, ..base.clone() },
        Shape { threads: 1, phases: 750, ..base.clone() },
        Shape { threads: 1, barriers: 1_500, ..base.clone() },
        Shape { threads: 500, patterns: 1_000, nesting: 1_000, long: true, ..base },
    ] {
        let (events, _) = events_of(&shape);
        assert_eq!(check_validity(&events), Ok(()), "{shape:?}");
        assert!(events.len() as u64 >= shape.events);
    }
}

/// Prints how fast each preset is made: `cargo test --release --test generate -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn speed() {
    for preset in Shape::PRESETS {
        let shape = Shape::preset(preset.name).unwrap();
        let start = std::time::Instant::now();
        let mut source = shape.generate().unwrap();
        let ready = start.elapsed();
        let mut batch = Batch::default();
        let (mut events, mut begins) = (0, 0);
        while source.next_batch(&mut batch).unwrap() {
            events += batch.events.len();
            begins += batch.events.iter().filter(|event| event.op == Op::Begin).count();
        }
        let seconds = (start.elapsed() - ready).as_secs_f64();
        println!(
            "{:7} {events} events, {begins} blocks: {:5.1} million events/s, {:.1} ms to prepare",
            preset.name,
            events as f64 / seconds / 1e6,
            ready.as_secs_f64() * 1e3
        );
    }
}
