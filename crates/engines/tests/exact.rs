//! The exact engines agree with the oracle on random traces: on every violation, its event, its
//! blame and its refuted blocks, on every prefix; and what they tell of the cycle is true.
//!
//! `INTERLOPER_CASES=100 cargo test -p interloper-engines` tries a hundred times as many traces.

mod common;

use common::judge::judge_against;
use common::reference::all_violations;
use common::suite::{cases, engine, engine_tests, times};
use common::walk::{self, Act, Profile, Walked};
use interloper_trace::{Event, Op, SiteId, ThreadId};
use proptest::test_runner::{TestCaseError, TestRunner};
use std::collections::HashSet;

engine_tests!(
    racy,
    locked,
    forking,
    nested,
    unary,
    barriers,
    mixed,
    long_racy,
    long_sparse,
    long_locked,
    long_forking,
    long_unary,
    long_readers,
    long_barriers,
    very_long,
    very_many_dependences,
    after_many_that_are_gone,
);

fn random(name: &str, profile: Profile) {
    let mut runner = TestRunner::new(cases(4_000));
    let outcome = runner.run(&profile.traces(), |Walked(events)| {
        judge_against(&|| engine(name), &events, &all_violations(&events))
            .map_err(TestCaseError::fail)
    });
    outcome.unwrap_or_else(|failure| panic!("{}: {failure}", profile.name));
}

fn racy(name: &str) {
    random(name, walk::racy());
}

fn locked(name: &str) {
    random(name, walk::locked());
}

fn forking(name: &str) {
    random(name, walk::forking());
}

fn nested(name: &str) {
    random(name, walk::nested());
}

fn unary(name: &str) {
    random(name, walk::unary());
}

fn barriers(name: &str) {
    random(name, walk::barriers());
}

fn mixed(name: &str) {
    random(name, walk::mixed());
}

/// Longer traces, and so deeper histories: as all engines agree with the oracle, they agree with
/// each other.
fn long(name: &str, profile: Profile, lengths: &[usize]) {
    for seed in 0..u64::from(times()) {
        for (i, &length) in lengths.iter().enumerate() {
            let seed = seed * lengths.len() as u64 + i as u64;
            let roots = 2 + seed as u32 % (profile.roots - 1);
            let profile = Profile { roots, ..profile.clone() };
            let choices = profile.long_choices(seed, length);
            let judged =
                |events: &[Event]| judge_against(&|| engine(name), events, &all_violations(events));
            let events = profile.follow(&choices);
            assert!(events.len() >= length, "{}, seed {seed}: nothing goes on", profile.name);
            let late: HashSet<ThreadId> =
                events[length * 9 / 10..].iter().map(|event| event.thread).collect();
            assert!(late.len() > 1, "{}, seed {seed}: the threads died out", profile.name);
            if judged(&events).is_err() {
                let small = profile.shrink(choices, &|events| judged(events).is_err());
                let wrong = judged(&small).err().unwrap_or_default();
                panic!("{}, seed {seed}, shrunk: {wrong}", profile.name);
            }
        }
    }
}

const LENGTHS: [usize; 12] = [200, 300, 400, 500, 600, 800, 1000, 1200, 1500, 2000, 2500, 3000];

/// The same with up to so many threads at a time; where threads end, others begin.
fn with_threads(roots: u32, mut profile: Profile) -> Profile {
    let ends: usize = profile
        .acts
        .iter()
        .filter(|(act, _)| matches!(act, Act::Join | Act::Exit))
        .map(|(_, times)| times)
        .sum();
    profile.acts.push((Act::Fork, 3 * ends));
    Profile { roots, threads: u32::MAX, alive: roots as usize + 2, ..profile }
}

/// The same with some acts more often.
fn with_acts(acts: &[(Act, usize)], mut profile: Profile) -> Profile {
    profile.acts.extend(acts);
    profile
}

fn long_racy(name: &str) {
    long(name, with_threads(12, Profile { vars: 6, locks: 3, ..walk::racy() }), &LENGTHS);
}

/// Many variables: most transactions have nothing to do with each other, cycles are long.
fn long_sparse(name: &str) {
    let profile = Profile { vars: 80, locks: 6, ..walk::mixed() };
    long(name, with_threads(12, profile), &LENGTHS);
}

fn long_locked(name: &str) {
    long(name, with_threads(12, Profile { vars: 8, locks: 8, ..walk::locked() }), &LENGTHS);
}

/// Hundreds of threads, most of them short-lived.
fn long_forking(name: &str) {
    let profile = Profile { vars: 30, locks: 2, ..walk::forking() };
    long(name, with_threads(12, profile), &LENGTHS);
}

/// Few blocks, which seldom end, among accesses outside blocks.
fn long_unary(name: &str) {
    let profile = Profile { vars: 40, locks: 4, ..walk::unary() };
    long(name, with_threads(12, with_acts(&[(Act::Read, 60)], profile)), &LENGTHS);
}

/// Long blocks that mostly read, in many threads: each comes after many others, again and again.
fn long_readers(name: &str) {
    let acts = vec![(Act::Read, 200), (Act::Write, 12), (Act::Begin, 4), (Act::End, 1)];
    let profile = Profile { vars: 60, acts, ..walk::nested() };
    long(name, with_threads(16, profile), &[1000, 2000, 4000, 6000]);
}

/// Rounds of many threads, most of them outside blocks.
fn long_barriers(name: &str) {
    let acts = [(Act::Read, 25), (Act::Write, 15), (Act::GuardedWrite, 5), (Act::Release, 5)];
    let profile = Profile { vars: 40, locks: 4, ..walk::barriers() };
    long(name, with_threads(12, with_acts(&acts, profile)), &LENGTHS);
}

/// So long that whatever an engine tidies up only now and then is tidied up several times.
fn very_long(name: &str) {
    let racy = Profile { vars: 12, locks: 5, depth: 3, ..walk::racy() };
    long(name, with_threads(8, racy), &[10_000]);
    let forking = Profile { vars: 20, ..walk::forking() };
    let acts = [(Act::Read, 10), (Act::Write, 5)];
    long(name, with_threads(8, with_acts(&acts, forking)), &[10_000]);
}

/// In every round a block reaches all other threads, which answer it and each other: thousands of
/// dependences that soon mean nothing any more, and in every round a cycle through new ones.
fn very_many_dependences(name: &str) {
    const THREADS: u32 = 9;
    let mut events = vec![];
    let mut act = |thread: u32, op: Op, operand: u32| {
        let site = SiteId(events.len() as u32 + 1);
        events.push(Event::new(ThreadId(thread % THREADS), op, operand, site));
    };
    for round in 0..1000 {
        act(round, Op::Begin, 1 + round % 4);
        act(round, Op::Read, 1);
        act(round, Op::Begin, 1 + round % 3);
        act(round, Op::Write, 0);
        for other in round + 1..round + THREADS {
            act(other, Op::Read, 0);
        }
        act(round + 1, Op::Write, 1);
        act(round + 2, Op::Read, 1);
        act(round + 2, Op::Write, 2);
        act(round, Op::Read, 1 + round % 2);
        act(round, Op::End, 0);
        act(round, Op::Write, 1);
        act(round, Op::End, 0);
    }
    let expected = all_violations(&events);
    assert!(expected.len() >= 1000);
    judge_against(&|| engine(name), &events, &expected).unwrap_or_else(|wrong| panic!("{wrong}"));
}

/// One block comes after hundreds of others, which end and are on no cycle any more, while a few
/// stay: what is kept of the latter must survive the tidying up of the former.
fn after_many_that_are_gone(name: &str) {
    const BLOCK: u32 = 0;
    const STAYS: u32 = 1;
    let mut events = vec![];
    let mut act = |thread: u32, op: Op, operand: u32| {
        let site = SiteId(events.len() as u32 + 1);
        events.push(Event::new(ThreadId(thread), op, operand, site));
    };
    act(BLOCK, Op::Begin, 1);
    act(STAYS, Op::Begin, 2);
    act(STAYS, Op::Write, 0);
    for round in 0..400 {
        let (first, second) = (2 + round % 7, 10 + round % 31);
        act(first, Op::Begin, 3);
        act(first, Op::Write, 1);
        act(second, Op::Read, if round % 5 == 0 { 0 } else { 1 });
        act(second, Op::Write, 2);
        act(BLOCK, Op::Read, 2);
        act(first, Op::End, 0);
        if round % 50 == 49 {
            act(BLOCK, Op::Write, 3);
            act(second, Op::Read, 3);
            act(second, Op::Write, 4);
            act(BLOCK, Op::Read, 4);
            act(STAYS, Op::Read, 4);
        }
    }
    let expected = all_violations(&events);
    assert!(expected.len() >= 16);
    judge_against(&|| engine(name), &events, &expected).unwrap_or_else(|wrong| panic!("{wrong}"));
}
