//! The oracle is checked against itself: what can be said in two ways is, and must agree. And the
//! judge is judged: it accepts a right engine, and turns down every wrong one.

mod common;

use common::definition::{
    contiguous, equivalent_traces, from, open_blocks, serializable, serializable_by_permutation,
    transactions, verdict_by_definition,
};
use common::judge::judge;
use common::naive::{Fault, Naive};
use common::reference::all_violations;
use common::suite::cases;
use common::text::{text, trace};
use common::walk::{self, Profile, Walked, profiles};
use interloper_trace::{Event, Op, ThreadId};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::collections::{HashMap, HashSet};

/// Tries a property on traces of every kind.
fn on_every_profile(
    usual: u32,
    choices: Option<usize>,
    property: impl Fn(&[Event]) -> Result<(), TestCaseError>,
) {
    for profile in profiles() {
        let profile = match choices {
            Some(choices) => profile.shortened(choices),
            None => profile,
        };
        let mut runner = TestRunner::new(cases(usual));
        let outcome = runner.run(&profile.traces(), |Walked(events)| property(&events));
        if let Err(failure) = outcome {
            panic!("{}: {failure}", profile.name);
        }
    }
}

#[test]
fn the_graph_agrees_with_permutations() {
    on_every_profile(600, Some(14), |events| {
        let count = transactions(events).into_iter().max().map_or(0, |max| max + 1);
        if count <= 6 {
            prop_assert_eq!(serializable(events), serializable_by_permutation(events));
        }
        Ok(())
    });
}

#[test]
fn the_graph_and_blame_agree_with_swaps_of_commuting_events() {
    on_every_profile(400, Some(8), |events| {
        if events.len() > 8 {
            return Ok(());
        }
        let of = transactions(events);
        let unit = |n: usize| -> Vec<usize> { (0..of.len()).filter(|&i| of[i] == n).collect() };
        let serial = |order: &Vec<usize>| of.iter().all(|&n| contiguous(order, &unit(n)));
        prop_assert_eq!(serializable(events), equivalent_traces(events).iter().any(serial));

        if let Some(verdict) = verdict_by_definition(events) {
            let prefix = &events[..=verdict.event];
            let traces = equivalent_traces(prefix);
            let can_run_serially = |unit: &[usize]| traces.iter().any(|o| contiguous(o, unit));
            let transaction: Vec<usize> =
                unit(of[verdict.event]).into_iter().filter(|&i| i <= verdict.event).collect();
            prop_assert_eq!(verdict.blamed, !can_run_serially(&transaction));
            for begin in open_blocks(prefix, verdict.event) {
                let refuted = verdict.refuted.contains(&begin);
                prop_assert_eq!(refuted, !can_run_serially(&from(&transaction, begin)));
            }
        }
        Ok(())
    });
}

#[test]
fn the_reference_agrees_with_the_definition_on_the_first_violation() {
    on_every_profile(1500, None, |events| {
        let first = all_violations(events).into_iter().next();
        let definition = verdict_by_definition(events);
        prop_assert_eq!(first.is_some(), definition.is_some());
        if let (Some(first), Some(definition)) = (first, definition) {
            prop_assert_eq!(first.event, definition.event);
            prop_assert_eq!(first.blamed, definition.blamed);
            prop_assert_eq!(&first.refuted, &definition.refuted);
            prop_assert_eq!(first.open, open_blocks(events, definition.event));
            prop_assert_eq!(first.blamed, !first.refuted.is_empty());
        }
        Ok(())
    });
}

#[test]
fn the_reference_gives_a_prefix_the_first_of_the_violations() {
    on_every_profile(100, None, |events| {
        let all = all_violations(events);
        for n in 0..=events.len() {
            let expected: Vec<_> = all.iter().filter(|v| v.event < n).cloned().collect();
            prop_assert_eq!(all_violations(&events[..n]), expected);
        }
        Ok(())
    });
}

#[test]
fn the_judge_accepts_a_right_engine() {
    on_every_profile(300, None, |events| {
        judge(&|| Box::new(Naive::new(Fault::None)), events).map_err(TestCaseError::fail)
    });
}

#[test]
fn the_judge_turns_down_every_wrong_engine() {
    for fault in Fault::ALL {
        let accepts = |events: &Vec<Event>| judge(&|| Box::new(Naive::new(fault)), events).is_ok();
        let mut traces = profiles().into_iter().flat_map(sample);
        assert!(traces.any(|events| !accepts(&events)), "{fault:?} was never noticed");
    }
}

/// Some traces of a profile, the same in every run.
fn sample(profile: Profile) -> impl Iterator<Item = Vec<Event>> {
    (0..300).map(move |seed| profile.long(seed, 10 + seed as usize % 50))
}

#[test]
fn random_traces_are_valid() {
    on_every_profile(500, None, |events| {
        disorder(events).map_or(Ok(()), |why| Err(TestCaseError::fail(why)))
    });
}

/// What no run of a program can do.
fn disorder(events: &[Event]) -> Option<String> {
    let mut depth: HashMap<ThreadId, i32> = HashMap::new();
    let mut holders = HashMap::new();
    let (mut ended, mut forked) = (HashSet::new(), HashSet::new());
    for (i, event) in events.iter().enumerate() {
        let t = event.thread;
        let wrong = |what: &str| Some(format!("event {i} {what}"));
        if ended.contains(&t) {
            return wrong("is of a thread that has ended");
        }
        let blocks = depth.entry(t).or_default();
        match event.op {
            Op::Begin => *blocks += 1,
            Op::End if *blocks == 0 => return wrong("ends no block"),
            Op::End => *blocks -= 1,
            Op::Acquire if holders.insert(event.operand, t).is_some() => {
                return wrong("takes a lock that is held");
            }
            Op::Release | Op::Wait if holders.remove(&event.operand) != Some(t) => {
                return wrong("lets go of a lock it does not hold");
            }
            Op::Fork | Op::Join if event.operand == t.0 => return wrong("forks or joins itself"),
            Op::Fork if depth.contains_key(&event.child()) => return wrong("forks too late"),
            Op::Fork if !forked.insert(event.child()) => return wrong("forks twice"),
            Op::Join => drop(ended.insert(event.child())),
            Op::Exit => drop(ended.insert(t)),
            _ => {}
        }
    }
    None
}

#[test]
fn random_traces_show_every_kind_of_violation() {
    let (mut none, mut blamed, mut unblamed, mut partly, mut later) = (0, 0, 0, 0, 0);
    let mut closing_ops = HashSet::new();
    for events in profiles().into_iter().flat_map(sample) {
        let all = all_violations(&events);
        none += usize::from(all.is_empty());
        later += usize::from(all.len() > 1);
        for violation in &all {
            closing_ops.insert(events[violation.event].op);
            blamed += usize::from(violation.blamed);
            unblamed += usize::from(!violation.blamed);
            partly +=
                usize::from(violation.blamed && violation.refuted.len() < violation.open.len());
        }
    }
    let counts = [none, blamed, unblamed, partly, later];
    assert!(counts.iter().all(|&count| count >= 50), "too few of a kind: {counts:?}");
    for op in [
        Op::Read,
        Op::Write,
        Op::VolatileRead,
        Op::VolatileWrite,
        Op::Update,
        Op::Acquire,
        Op::Join,
        // The first event after an arrival, whatever it is.
        Op::Begin,
        Op::End,
        Op::Exit,
        Op::Release,
        Op::Barrier,
        Op::Escape,
        Op::Dummy,
    ] {
        assert!(closing_ops.contains(&op), "no cycle was closed by `{}`", op.word());
    }
}

#[test]
fn text_of_events_reads_back() {
    let events = walk::mixed().long(7, 200);
    let again = trace(&text(&events));
    assert_eq!(again.events.len(), events.len());
    for (read, event) in again.events.iter().zip(&events) {
        assert_eq!(read.op, event.op);
        let thread = format!("T{}", event.thread.0);
        assert_eq!(again.names.threads.text(read.thread.0), thread);
        assert_eq!(again.names.sites.text(read.site.0), event.site.0.to_string());
    }
    assert_eq!(all_violations(&again.events).len(), all_violations(&events).len());
}
