//! The deadlock engine on the paper's examples and on cases by hand, and against all schedules of
//! random small traces.

mod common;

use common::schedules::Schedules;
use common::shapes::{Shape, named, shrink};
use common::suite::times;
use common::text::{Trace, text, trace};
use interloper_engines::goodlock::Goodlock;
use interloper_engines::{Checker, Outcome};
use interloper_findings::{Certainty, Finding, Kind};
use interloper_trace::{Batch, Event, LockId, Names, Op, SiteId, ThreadId};
use std::collections::BTreeSet;
use std::time::Instant;

/// What the engine finds, with the events in batches of this size.
fn outcome(names: &Names, events: &[Event], size: usize) -> Outcome {
    let mut checker = Checker::of(Goodlock::new());
    for (i, chunk) in events.chunks(size).enumerate() {
        let batch = Batch { first: (i * size) as u64, events: chunk.to_vec() };
        checker.feed(&batch, names);
    }
    checker.finish(names);
    checker.outcomes(names).remove(0)
}

fn findings(lines: &str) -> Vec<Finding> {
    let Trace { names, events } = trace(lines);
    let found = outcome(&names, &events, 1000).findings;
    assert_eq!(found, outcome(&names, &events, 1).findings, "batches matter");
    assert!(found.iter().all(|finding| finding.kind == Kind::Deadlock));
    found
}

/// The events of each finding's steps.
fn steps(found: &[Finding]) -> Vec<Vec<u64>> {
    found.iter().map(|finding| finding.steps.iter().map(|step| step.event).collect()).collect()
}

/// Lines `thread: lock lock | lock …`: nested sections, one after the other, thread after thread.
fn sections(lines: &str) -> String {
    let mut text = String::new();
    for line in lines.lines() {
        let (thread, rest) = line.split_once(':').expect("a thread");
        for section in rest.split('|') {
            let locks: Vec<&str> = section.split_whitespace().collect();
            locks.iter().for_each(|m| text += &format!("{}|acq({m})\n", thread.trim()));
            locks.iter().rev().for_each(|m| text += &format!("{}|rel({m})\n", thread.trim()));
        }
    }
    text
}

/// Transactions (3) of the paper.
#[test]
fn two_locks_in_opposite_orders() {
    let found = findings(
        "t|acq(l1)|1\nt|acq(l2)|2\nt|rel(l2)|3\nt|w(x)|4\nt|rel(l1)|5
         u|acq(l2)|11\nu|acq(l1)|12\nu|rel(l1)|13\nu|r(x)|14\nu|r(x)|15\nu|rel(l2)|16",
    );
    let [finding] = &found[..] else { panic!("{found:#?}") };
    assert_eq!(finding.message, "possible deadlock between l2 and l1");
    assert_eq!((finding.certainty, finding.event), (Certainty::Predicted, 6));
    let told: Vec<_> = finding
        .steps
        .iter()
        .map(|step| (step.event, &step.thread[..], &step.op[..], &step.at[..], step.held.clone()))
        .collect();
    let held = |lock: &str| Some(vec![lock.to_string()]);
    assert_eq!(told, [(1, "t", "acq(l2)", "2", held("l1")), (6, "u", "acq(l1)", "12", held("l2"))]);
    assert_eq!(
        finding.notes,
        [
            "thread t holds l1 (acquired at 1) and waits for l2 at 2, which thread u holds",
            "thread u holds l2 (acquired at 11) and waits for l1 at 12, which thread t holds",
            "another schedule of the same events ends in this deadlock",
        ]
    );
}

#[test]
fn one_order_or_one_thread_is_safe() {
    assert_eq!(findings(&sections("t: a b | a c | b c\nu: a b c | a c")), []);
    assert_eq!(findings(&sections("t: a b | b a")), []);
}

/// A gate counts wherever it was acquired, as long as it is held at both acquisitions.
#[test]
fn a_gate_keeps_threads_apart() {
    assert_eq!(findings(&sections("t: g a b\nu: g b a")), []);
    assert_eq!(steps(&findings(&sections("t: g a b\nu: b a"))), [[2, 7]]);
    // In between, it is on a circle itself; behind, it is too late.
    let between = findings(&sections("t: a g b\nu: b g a"));
    let messages: Vec<&str> = between.iter().map(|finding| &finding.message[..]).collect();
    assert_eq!(
        messages,
        ["possible deadlock between g and a", "possible deadlock between b and g"]
    );
    assert_eq!(steps(&findings(&sections("t: a b g\nu: b a g"))), [[1, 7]]);
    // Released before the second acquisition: no gate.
    let released = "t|acq(g)\nt|acq(a)\nt|rel(g)\nt|acq(b)\nt|rel(b)\nt|rel(a)\n";
    assert_eq!(findings(&format!("{released}{}", sections("u: g b a"))).len(), 1);
}

#[test]
fn start_and_join_separate() {
    let (main, child) = (sections("m: a b"), sections("c: b a"));
    assert_eq!(findings(&format!("{main}m|fork(c)\n{child}")), []);
    assert_eq!(findings(&format!("m|fork(c)\n{child}m|join(c)\n{main}")), []);
    assert_eq!(findings(&format!("m|fork(c)\n{child}{main}m|join(c)")).len(), 1);
    // Two children, one after the other, then side by side.
    let other = sections("d: a b");
    let after = format!("m|fork(c)\n{child}m|join(c)\nm|fork(d)\n{other}");
    assert_eq!(findings(&after), []);
    assert_eq!(findings(&format!("m|fork(c)\nm|fork(d)\n{child}m|join(c)\n{other}")).len(), 1);
}

/// What was seen with each lock alone in hand counts only for its own period.
#[test]
fn an_order_seen_before_is_not_an_order_seen_now() {
    let (before, now) = (sections("m: a c | b c"), sections("m: a b c"));
    let other = sections("u: c a");
    assert_eq!(steps(&findings(&format!("{before}m|fork(u)\n{now}{other}"))), [[11, 16]]);
    // In one period, the simpler one is told, and only that.
    assert_eq!(steps(&findings(&format!("m|fork(u)\n{before}{now}{other}"))), [[2, 16]]);
}

#[test]
fn barriers_separate() {
    let (first, second) = (sections("t: a b"), sections("u: b a"));
    let meet = "t|barrier(p)\nu|barrier(p)\n";
    assert_eq!(findings(&format!("{first}{meet}{second}t|r(x)")), []);
    assert_eq!(findings(&format!("{meet}{first}{second}")).len(), 1);
    // A thread that did not arrive is not held by it.
    assert_eq!(findings(&format!("{first}t|barrier(p)\nv|barrier(p)\n{second}v|r(x)")).len(), 1);
    // Going on with something that is none of this engine's business completes the round too.
    let third = format!("{first}t|barrier(p)\nt|r(x)\nu|barrier(p)\nu|r(x)\n{second}");
    assert_eq!(findings(&third).len(), 1);
}

#[test]
fn philosophers() {
    for n in [3, 4, 5, 12, 70] {
        let table: Vec<String> =
            (0..n).map(|i| format!("p{i}: fork{i} fork{}", (i + 1) % n)).collect();
        let found = findings(&sections(&table.join("\n")));
        let [finding] = &found[..] else { panic!("{n}: {found:#?}") };
        assert_eq!((finding.steps.len(), finding.certainty), (n, Certainty::Predicted));
        let mut waiter = table.clone();
        waiter[0] = "p0: waiter fork0 fork1".into();
        waiter[n / 2] = waiter[n / 2].replace(": ", ": waiter ");
        assert_eq!(findings(&sections(&waiter.join("\n"))), [], "{n} with a waiter");
        let mut left = table;
        left[n - 1] = format!("p: fork0 fork{}", n - 1);
        assert_eq!(findings(&sections(&left.join("\n"))), [], "{n} with one left-handed");
    }
}

/// Many objects through the same code are one bug, with a count.
#[test]
fn one_finding_a_place() {
    let mut lines = String::new();
    for i in 0..20 {
        for (thread, first, second) in [("t", "a", "b"), ("u", "b", "a")] {
            lines += &format!("{thread}|acq({first}{i})|12\n{thread}|acq({second}{i})|13\n");
            lines += &format!("{thread}|rel({second}{i})|14\n{thread}|rel({first}{i})|15\n");
        }
    }
    let found = findings(&lines);
    assert_eq!((found.len(), found[0].count), (1, 20));
}

/// Returning from `wait` acquires the lock again, with whatever else is in hand.
#[test]
fn waiting_with_a_second_lock() {
    let found = findings(
        "t|acq(a)\nt|acq(b)\nt|wait(a)\nu|acq(a)\nu|notify(a)\nu|rel(a)\nt|acq(a)\nt|rel(b)\nt|rel(a)
         u|acq(a)\nu|acq(b)\nu|rel(b)\nu|rel(a)",
    );
    assert_eq!(steps(&found), [[6, 10]]);
}

/// A circle that no schedule closes, because the threads come by other locks: it is only possible,
/// while the one that keeps it from closing is predicted.
#[test]
fn detours_make_it_doubtful() {
    let lines = "t|acq(a)\nt|acq(c)\nt|rel(c)\nt|acq(b)\nt|rel(b)\nt|rel(a)
         u|acq(c)\nu|acq(a)\nu|rel(a)\nu|acq(b)\nu|acq(a)\nu|rel(a)\nu|rel(b)\nu|rel(c)";
    let numbered = (1..).zip(lines.lines()).map(|(n, line)| format!("{line}|{n}\n"));
    let lines = &numbered.collect::<String>();
    let found = findings(lines);
    let told: Vec<_> = steps(&found).into_iter().zip(found.iter().map(|f| f.certainty)).collect();
    let stuck = Schedules::new(&trace(lines).events).stuck().unwrap();
    assert_eq!(
        stuck.into_iter().collect::<BTreeSet<_>>(),
        BTreeSet::from([vec![1, 7], vec![1, 10]])
    );
    assert_eq!(
        told,
        [
            (vec![1, 7], Certainty::Predicted),
            (vec![1, 10], Certainty::Predicted),
            (vec![3, 10], Certainty::Possible),
        ]
    );
    assert!(found[2].notes[2].contains("acquires and releases further locks"));
}

/// Starting a thread with a lock in hand that it needs: it comes too late to get stuck.
#[test]
fn forking_makes_it_doubtful() {
    let lines =
        format!("m|acq(g)\nm|fork(c)\n{}m|rel(g)\n{}", sections("m: a b"), sections("c: g | b a"));
    let found = findings(&lines);
    assert_eq!(Schedules::new(&trace(&lines).events).deadlocks(), Some(false));
    assert_eq!((found.len(), found[0].certainty), (1, Certainty::Possible));
    assert!(found[0].notes[2].contains("starts a thread with a lock in hand"));
}

#[test]
fn awaiting_with_locks_makes_it_doubtful() {
    let apart = "m|fork(c)\nm|acq(z)\nm|join(c)\nm|rel(z)\n";
    let found = findings(&format!("{apart}{}", sections("t: a b\nu: b a")));
    assert_eq!((found.len(), found[0].certainty), (1, Certainty::Possible));
}

/// What the engine does not look at.
#[test]
fn other_deadlocks_are_not_seen() {
    let awaiting = "m|fork(c)\nc|acq(a)\nc|rel(a)\nm|acq(a)\nm|join(c)\nm|rel(a)";
    assert_eq!(Schedules::new(&trace(awaiting).events).deadlocks(), Some(true));
    assert_eq!(findings(awaiting), []);
}

/// The locks held before an event, in ascending order.
fn held(events: &[Event], at: usize) -> Vec<LockId> {
    let mut held = BTreeSet::new();
    for event in events[..at].iter().filter(|event| event.thread == events[at].thread) {
        match event.op {
            Op::Acquire => drop(held.insert(event.lock())),
            Op::Release | Op::Wait => drop(held.remove(&event.lock())),
            _ => {}
        }
    }
    held.into_iter().collect()
}

/// What each thread on a circle holds and wants.
type Circle = BTreeSet<(Vec<LockId>, LockId)>;

fn circle(events: &[Event], at: &[usize]) -> Circle {
    at.iter().map(|&at| (held(events, at), events[at].lock())).collect()
}

/// Whether the acquisitions of a finding are those of the circle, perhaps with fewer locks in hand.
fn covers(events: &[Event], at: &[usize], wanted: &Circle) -> bool {
    at.len() == wanted.len()
        && circle(events, at).iter().all(|(few, lock)| {
            let same = |(many, other): &(Vec<LockId>, LockId)| {
                lock == other && few.iter().all(|held| many.contains(held))
            };
            wanted.iter().any(same)
        })
}

/// The circle of locks in a deadlock: from thread to thread that holds the lock it wants.
fn circle_of(events: &[Event], stuck: &[usize]) -> Option<Circle> {
    let follow = |at: usize| {
        let wants = (events[at].op == Op::Acquire).then(|| events[at].lock())?;
        stuck.iter().copied().find(|&other| held(events, other).contains(&wants))
    };
    let mut at = stuck.iter().copied().find(|&at| follow(at).is_some())?;
    for _ in 0..stuck.len() {
        at = follow(at)?;
    }
    let mut around = vec![at];
    while let Some(next) = follow(at).filter(|next| !around.contains(next)) {
        around.push(next);
        at = next;
    }
    Some(circle(events, &around))
}

/// What was compared.
#[derive(Default, Debug)]
struct Tally {
    compared: u32,
    deadlocks: u32,
    predicted: u32,
    possible: u32,
    long: u32,
}

/// Holds the engine's answer against all schedules. If `exact`, there must be warnings if and only
/// if there is a deadlock.
fn compare(events: &[Event], exact: bool, tally: &mut Tally) -> Result<(), String> {
    let Trace { names, events } = named(events);
    let Some(stuck) = Schedules::new(&events).stuck() else { return Ok(()) };
    let outcome = outcome(&names, &events, 7);
    let found: Vec<(Certainty, Vec<usize>)> = outcome
        .findings
        .iter()
        .map(|f| (f.certainty, f.steps.iter().map(|step| step.event as usize).collect()))
        .collect();
    for deadlock in &stuck {
        let told = |circle: &Circle| found.iter().any(|(_, at)| covers(&events, at, circle));
        if let Some(missed) = circle_of(&events, deadlock).filter(|circle| !told(circle)) {
            return Err(format!("the deadlock at {deadlock:?} is missed: {missed:?}"));
        }
    }
    for (certainty, at) in &found {
        let real = stuck.iter().any(|stuck| at.iter().all(|event| stuck.contains(event)));
        if *certainty == Certainty::Predicted && !real {
            return Err(format!("no schedule ends at {at:?}"));
        }
        tally.predicted += u32::from(*certainty == Certainty::Predicted);
        tally.possible += u32::from(*certainty == Certainty::Possible);
        tally.long += u32::from(at.len() > 2);
    }
    if exact && stuck.is_empty() != found.is_empty() {
        return Err(format!("deadlocks {stuck:?}, warnings {found:?}"));
    }
    tally.compared += 1;
    tally.deadlocks += u32::from(!stuck.is_empty());
    Ok(())
}

fn compare_all(shapes: &[Shape], cases: u64, exact: bool) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..cases * u64::from(times()) {
        let events = shapes[seed as usize % shapes.len()].trace(seed);
        if let Err(wrong) = compare(&events, exact, &mut tally) {
            let fails = |few: &[Event]| compare(few, exact, &mut Tally::default()).is_err();
            panic!("{wrong}\n{}smallest:\n{}", text(&events), text(&shrink(&events, &fails)));
        }
    }
    println!("{tally:?}");
    tally
}

/// Nested locks, nothing else done with locks in hand: warnings if and only if there is a deadlock.
#[test]
fn exact_where_locks_nest() {
    let shapes = [
        Shape { threads: 2, steps: 12, ..Shape::LOCKS },
        Shape { steps: 8, accesses: 0, ..Shape::LOCKS },
        Shape { threads: 4, locks: 4, steps: 6, accesses: 0, ..Shape::LOCKS },
        Shape { threads: 2, locks: 4, steps: 16, depth: 4, accesses: 0, ..Shape::LOCKS },
        Shape { steps: 8, accesses: 0, barriers: true, waits: true, ..Shape::LOCKS },
    ];
    let tally = compare_all(&shapes, 6000, true);
    assert!(tally.deadlocks > 300 && tally.compared - tally.deadlocks > 300, "{tally:?}");
    assert!(tally.predicted > 300 && tally.possible > 10 && tally.long > 10, "{tally:?}");
}

/// Whatever is done with locks in hand: no deadlock on locks alone is missed, and what is predicted
/// happens.
#[test]
fn complete_in_any_case() {
    let any = Shape { accesses: 0, nested: false, forks: true, barriers: true, ..Shape::LOCKS };
    let shapes = [
        Shape { forks: false, barriers: false, threads: 2, steps: 14, ..any },
        Shape { threads: 2, steps: 12, ..any },
        Shape { steps: 8, waits: true, ..any },
        Shape { threads: 4, locks: 4, steps: 6, ..any },
        Shape { nested: true, barriers: false, steps: 8, ..any },
    ];
    let tally = compare_all(&shapes, 6000, false);
    assert!(tally.deadlocks > 300 && tally.predicted > 300, "{tally:?}");
    assert!(tally.possible > 100 && tally.long > 10, "{tally:?}");
}

/// A pair of locks, acquired and released.
fn pair(events: &mut Vec<Event>, thread: u32, first: u32, second: u32) {
    let thread = ThreadId(thread);
    for (op, lock) in
        [(Op::Acquire, first), (Op::Acquire, second), (Op::Release, second), (Op::Release, first)]
    {
        events.push(Event::new(thread, op, lock, SiteId::UNKNOWN));
    }
}

fn stat(outcome: &Outcome, name: &str) -> u64 {
    outcome.stats.iter().find(|stat| stat.name == name).map_or(u64::MAX, |stat| stat.value)
}

#[test]
fn repetitions_cost_nothing() {
    let mut events = vec![];
    for i in 0..50_000 {
        pair(&mut events, i % 4, 7, 8);
    }
    let outcome = outcome(&Names::default(), &events, 4096);
    // Once for each thread.
    assert_eq!((stat(&outcome, "lock orders"), outcome.findings.len()), (4, 0));
}

/// A hundred thousand different pairs, in order, in a ring, and helter-skelter.
#[test]
fn many_locks_do_not_hang() {
    let (mut ordered, mut ring, mut random) = (vec![], vec![], vec![]);
    let mut numbers = common::walk::Random(7);
    for i in 0..100_000 {
        pair(&mut ordered, i % 8, i, i + 1);
        pair(&mut ring, i % 8, i, (i + 1) % 100_000);
        let (a, b) = (numbers.below(1000) as u32, numbers.below(999) as u32);
        pair(&mut random, i % 8, a, if b < a { b } else { b + 1 });
    }
    for (events, name) in [(ordered, "ordered"), (ring, "ring"), (random, "random")] {
        let start = Instant::now();
        let outcome = outcome(&Names::default(), &events, 4096);
        let took = start.elapsed();
        let circles = stat(&outcome, "circles of locks");
        let given_up = stat(&outcome, "searches given up");
        println!("{name}: {circles} circles, given up: {given_up}, {took:?}");
        assert_eq!((circles > 0, given_up > 0), (name == "random", name == "random"));
    }
}

/// A hundred thousand locks in one hand: five thousand million pairs of locks are ordered.
#[test]
fn locks_all_held_at_once_do_not_fill_the_memory() {
    let lock = |op, lock| Event::new(ThreadId(0), op, lock, SiteId::UNKNOWN);
    let mut events: Vec<Event> = (0..100_000).map(|it| lock(Op::Acquire, it)).collect();
    events.extend((0..100_000).rev().map(|it| lock(Op::Release, it)));
    let outcome = outcome(&Names::default(), &events, 4096);
    assert_eq!(outcome.findings, []);
    pair(&mut events, 1, 99_999, 0);
    let outcome = self::outcome(&Names::default(), &events, 4096);
    assert_eq!(stat(&outcome, "searches given up"), 1, "there is a circle of all of them");
}

/// Threads that come one after the other, each with both orders: a search by pairs would not end.
#[test]
fn many_threads_do_not_hang() {
    let mut events = vec![];
    for child in 1..20_000 {
        let event = |op| Event::new(ThreadId(0), op, child, SiteId::UNKNOWN);
        events.push(event(Op::Fork));
        pair(&mut events, child, 1, 2);
        pair(&mut events, child, 2, 1);
        events.push(event(Op::Join));
    }
    let start = Instant::now();
    let outcome = outcome(&Names::default(), &events, 4096);
    let took = start.elapsed();
    println!("{} findings, {took:?}", outcome.findings.len());
    assert_eq!(outcome.findings, []);
    assert_eq!(stat(&outcome, "searches given up"), 0);
}
