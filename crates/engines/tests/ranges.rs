//! Accesses of several variables at once: the frontier finds what the oracle finds in the same trace with an event for each
//! variable, and so do engines that get these events from the checker.

mod common;

use common::judge::Recorder;
use common::reference::{OracleViolation, all_violations};
use common::suite::{cases, engine, times};
use common::text::text;
use common::walk::{self, Profile, Walked};
use interloper_engines::{Checker, Frontier, Velodrome};
use interloper_findings::Violation;
use interloper_trace::{Batch, Event, Names, Op};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};
use std::collections::BTreeMap;

const VARS: u32 = 12;

/// Makes some accesses be about further variables, as the shapes say.
fn with_ranges(events: &[Event], shapes: &[(u8, i8)]) -> Vec<Event> {
    let mut shapes = shapes.iter().cycle();
    let widened = |event: &Event| {
        let plain = matches!(event.op, Op::Read | Op::Write);
        let Some(&(more, stride)) = shapes.next().filter(|_| plain) else { return *event };
        let room = |distance: i64| {
            let last = i64::from(event.operand) + distance;
            (0..i64::from(VARS)).contains(&last)
        };
        let most = (0..=i64::from(more)).take_while(|at| room(at * i64::from(stride))).last();
        match most {
            Some(most) if most > 0 && stride != 0 => event.and_more(most as u16, stride),
            _ => *event,
        }
    };
    events.iter().map(widened).collect()
}

/// An event for each variable, and for each of these events which one it comes from.
fn apart(events: &[Event]) -> (Vec<Event>, Vec<usize>) {
    let singles = |(at, event): (usize, &Event)| event.singles().map(move |single| (single, at));
    events.iter().enumerate().flat_map(singles).unzip()
}

/// What the oracle says, by the events that the single ones come from: of each the most blocks that are refuted.
fn expected(events: &[Event]) -> BTreeMap<usize, Vec<usize>> {
    let (singles, from) = apart(events);
    let mut found = BTreeMap::<usize, Vec<usize>>::new();
    for OracleViolation { event, refuted, .. } in all_violations(&singles) {
        let refuted: Vec<usize> = refuted.into_iter().map(|begin| from[begin]).collect();
        let known = found.entry(from[event]).or_default();
        if refuted.len() > known.len() {
            *known = refuted;
        }
    }
    found
}

/// What the frontier says, the same way.
fn found(events: &[Event], batch: usize) -> BTreeMap<usize, Vec<usize>> {
    let (_, from) = apart(events);
    let mut told = Recorder::new(true);
    let mut engine = engine("frontier");
    let mut first = 0;
    for few in events.chunks(batch) {
        let batch = Batch { first, events: few.to_vec() };
        engine.feed(&batch, &Names::default(), &mut told);
        first = batch.end();
    }
    let mut found = BTreeMap::<usize, Vec<usize>>::new();
    for Violation { event, blocks, .. } in told.explained {
        let refuted = blocks.iter().filter(|block| block.refuted);
        let refuted: Vec<usize> = refuted.map(|block| from[block.begin as usize]).collect();
        let known = found.entry(from[event as usize]).or_default();
        if refuted.len() > known.len() {
            *known = refuted;
        }
    }
    found
}

fn agree(events: &[Event]) -> Result<(), String> {
    let expected = expected(events);
    for batch in [1, 7, events.len().max(1)] {
        let found = found(events, batch);
        if found != expected {
            let ranges: Vec<_> = events.iter().map(|event| (event.more, event.stride)).collect();
            let trace = text(events);
            return Err(format!("found {found:?}, not {expected:?} in\n{trace}\n{ranges:?}"));
        }
    }
    Ok(())
}

fn shapes() -> impl Strategy<Value = Vec<(u8, i8)>> {
    let stride = prop::sample::select(vec![1_i8, 1, 1, -1, 2, 2, -2, 3]);
    prop::collection::vec((0..12_u8, stride), 1..20)
}

#[test]
fn the_frontier_takes_several_variables_at_once() {
    for profile in walk::profiles() {
        let profile = Profile { vars: VARS, ..profile };
        let mut runner = TestRunner::new(cases(1_500));
        let traces = (profile.traces(), shapes());
        let outcome = runner.run(&traces, |(Walked(events), shapes)| {
            agree(&with_ranges(&events, &shapes)).map_err(TestCaseError::fail)
        });
        outcome.unwrap_or_else(|failure| panic!("{}: {failure}", profile.name));
    }
}

#[test]
fn in_long_traces_too() {
    let profile = Profile { vars: VARS, ..walk::mixed() };
    for seed in 0..20 * u64::from(times()) {
        let events = profile.long(seed, 600);
        let shape = |at: u64| ((at * 7 + seed) as u8 % 9, [1, -1, 2, 1, 3][(at % 5) as usize]);
        let shapes: Vec<(u8, i8)> = (0..37).map(shape).collect();
        agree(&with_ranges(&events, &shapes)).unwrap_or_else(|wrong| panic!("{seed}: {wrong}"));
    }
}

/// Beside an engine that does not know of several variables at once, all get single events.
#[test]
fn the_checker_takes_events_apart_for_those_who_need_it() {
    let profile = Profile { vars: VARS, ..walk::racy() };
    for seed in 0..20 {
        let events = with_ranges(&profile.long(seed, 100), &[(0, 1), (5, 1), (3, 2), (11, -1)]);
        let (singles, _) = apart(&events);
        let mut together = Checker::new([
            Box::new(Frontier::new()) as Box<dyn interloper_engines::Engine>,
            Box::new(Velodrome::new()),
        ]);
        let mut alone = Checker::of(Velodrome::new());
        let names = Names::default();
        for few in events.chunks(7) {
            together.feed(&Batch { first: together.events(), events: few.to_vec() }, &names);
        }
        alone.feed(&Batch { first: 0, events: singles.clone() }, &names);
        assert_eq!(together.events(), singles.len() as u64);
        let [frontier, velodrome] = &together.outcomes(&names)[..] else { unreachable!() };
        let [expected] = &alone.outcomes(&names)[..] else { unreachable!() };
        assert!(expected.violations > 0, "{seed}");
        assert_eq!(frontier.violations, expected.violations, "{seed}");
        assert_eq!(velodrome.violations, expected.violations, "{seed}");
    }
}
