//! The block-based engine against all schedules of small random traces.

mod common;

use common::cuts::{can_run, reported, rule, warnings};
use common::judge::run as run_engine;
use common::schedules::Schedules;
use common::shapes::{Shape, named, shrink};
use common::suite::times;
use common::text::text;
use interloper_engines::{BlockRule, by_name};
use interloper_findings::{Certainty, Warning};
use interloper_trace::{Event, Op, OperandKind, ThreadId};
use std::collections::{BTreeSet, HashMap};

/// What is wrong about what the engine says of pairs of transactions: Theorem 4 as an equivalence.
/// What it does not call predicted need not be true.
fn wrong_about_pairs(events: &[Event], blocks: BlockRule) -> Option<String> {
    let schedules = Schedules::new(events).with_cap(60_000);
    if forks_with_a_lock(events) || schedules.deadlocks() != Some(false) {
        return None;
    }
    let trace = named(events);
    let told = warnings(rule(blocks), &trace.events, &trace.names);
    let sure: Vec<Warning> =
        told.iter().filter(|warning| warning.certainty == Certainty::Predicted).cloned().collect();
    let (reported, sure) = (reported(&told, &schedules), reported(&sure, &schedules));
    let units = schedules.units();
    let mut cut = BTreeSet::new();
    for one in 0..units.len() {
        for other in one + 1..units.len() {
            let apart = units[one].thread != units[other].thread;
            if apart && !schedules.is_atomic_among(&[one, other])? {
                cut.insert(vec![one, other]);
            }
        }
    }
    let right = sure.is_subset(&cut) && cut.is_subset(&reported);
    if !right {
        return Some(format!("not atomic: {cut:?}, reported: {reported:?}, sure: {sure:?}"));
    }
    impossible_order(events, &told)
}

/// A story that is told for sure and that no schedule runs.
fn impossible_order(events: &[Event], told: &[Warning]) -> Option<String> {
    let sure = told.iter().filter(|warning| warning.certainty == Certainty::Predicted);
    let orders = sure.map(|warning| {
        warning.steps.iter().map(|step| step.access.event as usize).collect::<Vec<_>>()
    });
    let wrong = orders.into_iter().find(|order| !can_run(events, order));
    wrong.map(|order| format!("no schedule runs {order:?}"))
}

/// Whether a thread starts another while it holds a lock. If the other needs that lock within a
/// transaction, there may be no serial order at all, which these theorems know nothing of.
fn forks_with_a_lock(events: &[Event]) -> bool {
    let mut held: HashMap<ThreadId, usize> = HashMap::new();
    events.iter().any(|event| {
        let held = held.entry(event.thread).or_default();
        match event.op {
            Op::Acquire => *held += 1,
            Op::Release | Op::Wait => *held -= 1,
            _ => {}
        }
        event.op == Op::Fork && *held > 0
    })
}

fn run(shape: Shape, blocks: BlockRule, cases: u64) {
    for seed in 0..cases * u64::from(times()) {
        let events = shape.trace(seed);
        if wrong_about_pairs(&events, blocks).is_some() {
            let few = shrink(&events, &|few| wrong_about_pairs(few, blocks).is_some());
            let wrong = wrong_about_pairs(&few, blocks).unwrap_or_default();
            panic!("{shape:?}, seed {seed}: {wrong}\n{}", text(&few));
        }
    }
}

/// Two threads, mostly a transaction each.
const TWO: Shape = Shape { threads: 2, steps: 7, ..Shape::PLAIN };

#[test]
fn theorem_3_for_one_variable() {
    run(Shape { vars: 1, ..TWO }, BlockRule::OneVariable, 1_500);
    run(Shape { vars: 1, locks: 3, depth: 4, steps: 9, ..TWO }, BlockRule::OneVariable, 800);
    run(Shape { vars: 1, threads: 3, ..TWO }, BlockRule::OneVariable, 500);
}

#[test]
fn theorem_4_for_two_variables() {
    run(Shape { vars: 2, ..TWO }, BlockRule::TwoVariables, 1_500);
    run(Shape { vars: 3, locks: 3, depth: 4, steps: 9, ..TWO }, BlockRule::TwoVariables, 1_200);
    run(Shape { vars: 2, steps: 12, accesses: 4, ..TWO }, BlockRule::TwoVariables, 800);
}

#[test]
fn locks_that_are_not_nested() {
    let shape = Shape { nested: false, locks: 3, steps: 10, depth: 4, accesses: 4, ..TWO };
    run(Shape { vars: 1, ..shape }, BlockRule::OneVariable, 800);
    run(shape, BlockRule::TwoVariables, 1_200);
    run(Shape { ordered: false, ..shape }, BlockRule::TwoVariables, 800);
}

#[test]
fn updates_and_volatiles() {
    run(Shape { volatiles: true, vars: 1, steps: 8, ..TWO }, BlockRule::TwoVariables, 1_500);
}

#[test]
fn waits_forks_and_barriers() {
    run(Shape { waits: true, ..TWO }, BlockRule::TwoVariables, 800);
    run(Shape { forks: true, threads: 3, ..TWO }, BlockRule::TwoVariables, 600);
    run(Shape { barriers: true, threads: 3, ..TWO }, BlockRule::TwoVariables, 600);
    run(Shape { in_blocks: false, threads: 3, ..TWO }, BlockRule::TwoVariables, 500);
}

/// Whether a lock is held from one transaction of a thread to the next: that keeps others from
/// between them, which the theorem knows nothing of.
fn spans_transactions(events: &[Event], schedules: &Schedules) -> bool {
    let mut held: HashMap<(ThreadId, u32), Option<usize>> = HashMap::new();
    events.iter().enumerate().any(|(at, event)| match event.op {
        Op::Acquire => held.insert((event.thread, event.operand), None).is_some(),
        Op::Release | Op::Wait => held.remove(&(event.thread, event.operand)).is_none(),
        op if op.operand_kind() == OperandKind::Var => {
            let unit = schedules.unit_of(at);
            let mine = held.iter_mut().filter(|((thread, _), _)| *thread == event.thread);
            mine.map(|(_, last)| last.replace(unit)).any(|last| last.is_some_and(|u| u != unit))
        }
        _ => false,
    })
}

/// What is wrong about what the engine says of whole traces: Theorem 5 as an equivalence, as far as
/// it holds.
fn wrong_about_all(events: &[Event]) -> Option<String> {
    let schedules = Schedules::new(events).with_cap(60_000);
    let no_case = forks_with_a_lock(events) || spans_transactions(events, &schedules);
    if no_case || schedules.deadlocks() != Some(false) {
        return None;
    }
    let trace = named(events);
    let told = warnings(rule(BlockRule::Cycles), &trace.events, &trace.names);
    for units in reported(&told, &schedules) {
        if schedules.is_atomic_among(&units)? {
            return Some(format!("{units:?} are atomic among themselves"));
        }
    }
    if !schedules.is_atomic()? && told.is_empty() {
        return Some("missed".to_string());
    }
    impossible_order(events, &told)
}

fn run_whole(shape: Shape, cases: u64) {
    for seed in 0..cases * u64::from(times()) {
        let events = shape.trace(seed);
        if wrong_about_all(&events).is_some() {
            let few = shrink(&events, &|few| wrong_about_all(few).is_some());
            let wrong = wrong_about_all(&few).unwrap_or_default();
            panic!("{shape:?}, seed {seed}: {wrong}\n{}", text(&few));
        }
    }
}

#[test]
fn theorem_5_for_three_threads() {
    let shape = Shape { threads: 3, vars: 3, steps: 5, accesses: 7, ..TWO };
    run_whole(shape, 1_000);
    run_whole(Shape { in_blocks: false, ..shape }, 1_000);
    run_whole(Shape { locks: 3, steps: 7, accesses: 5, ..shape }, 1_000);
}

#[test]
fn theorem_5_for_four_threads() {
    run_whole(Shape { threads: 4, vars: 4, steps: 4, accesses: 7, ..TWO }, 1_000);
    run_whole(Shape { threads: 4, vars: 3, steps: 4, forks: true, ..TWO }, 500);
}

/// What the frontier saw happen between two transactions is predicted, too: if the cycle is of
/// accesses of variables, and the two transactions alone are not view-serializable in this order (the
/// frontier goes by conflicts: a write that is written over before anybody reads it counts).
fn unpredicted(events: &[Event]) -> Option<String> {
    let schedules = Schedules::new(events);
    let make = || by_name("frontier").expect("an engine");
    let observed = run_engine(&make, events, 5, true).expect("a well-behaved engine");
    let trace = named(events);
    let told = warnings(rule(BlockRule::TwoVariables), &trace.events, &trace.names);
    let reported = reported(&told, &schedules);
    for violation in observed.explained {
        let ends = violation.cycle.iter().flat_map(|edge| [&edge.from, &edge.to]);
        let of_vars = ends.clone().all(|access| access.op.operand_kind() == OperandKind::Var);
        let units: BTreeSet<usize> =
            ends.map(|access| schedules.unit_of(access.event as usize)).collect();
        let units: Vec<usize> = units.into_iter().collect();
        if let [one, other] = units[..]
            && of_vars
            && !is_serial_view(events, &schedules, [one, other])
            && !reported.contains(&units)
        {
            return Some(format!("{units:?} was seen, reported: {reported:?}"));
        }
    }
    None
}

/// Whether the observed order of two transactions comes to the same as one after the other: what each
/// read reads, and the final writes.
fn is_serial_view(events: &[Event], schedules: &Schedules, units: [usize; 2]) -> bool {
    let mine = |unit: usize| {
        (0..events.len()).filter(move |&at| schedules.unit_of(at) == unit).collect::<Vec<_>>()
    };
    let [one, other] = units.map(mine);
    let observed: Vec<usize> =
        (0..events.len()).filter(|at| one.contains(at) || other.contains(at)).collect();
    let view = |order: &[usize]| {
        let mut last: HashMap<u32, usize> = HashMap::new();
        let mut reads = BTreeSet::new();
        for &at in order {
            let event = &events[at];
            if matches!(event.op, Op::Read | Op::VolatileRead | Op::Update) {
                reads.insert((at, last.get(&event.operand).copied()));
            }
            if matches!(event.op, Op::Write | Op::VolatileWrite | Op::Update) {
                last.insert(event.operand, at);
            }
        }
        (reads, last)
    };
    let seen = view(&observed);
    seen == view(&[&one[..], &other[..]].concat()) || seen == view(&[&other[..], &one[..]].concat())
}

#[test]
fn what_the_frontier_observes_is_predicted() {
    let shape = Shape { threads: 3, vars: 3, steps: 9, accesses: 7, in_blocks: false, ..TWO };
    let wild = Shape { ordered: false, nested: false, waits: true, volatiles: true, ..shape };
    for shape in [shape, Shape { forks: true, ..shape }, wild] {
        for seed in 0..800 * u64::from(times()) {
            let events = shape.trace(seed);
            if unpredicted(&events).is_some() {
                let few = shrink(&events, &|few| unpredicted(few).is_some());
                let wrong = unpredicted(&few).unwrap_or_default();
                panic!("{shape:?}, seed {seed}: {wrong}\n{}", text(&few));
            }
        }
    }
}
