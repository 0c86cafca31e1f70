//! The exact engines agree with the oracle on random traces: on every violation, its event, its
//! blame and its refuted blocks, on every prefix; and what they tell of the cycle is true.
//!
//! `INTERLOPER_CASES=100 cargo test -p interloper-engines` tries a hundred times as many traces.

mod common;

use common::judge::judge_against;
use common::reference::all_violations;
use common::suite::{cases, engine, engine_tests, times};
use common::walk::{self, Act, Profile, Walked};
use interloper_trace::Event;
use proptest::test_runner::{TestCaseError, TestRunner};

engine_tests!(
    racy,
    locked,
    forking,
    nested,
    unary,
    mixed,
    long_racy,
    long_sparse,
    long_locked,
    long_forking,
    long_unary,
    long_readers,
    very_long,
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
            assert!(events.len() >= length, "{}, seed {seed}: all died out", profile.name);
            if judged(&events).is_err() {
                let small = profile.shrink(choices, &|events| judged(events).is_err());
                let wrong = judged(&small).err().unwrap_or_default();
                panic!("{}, seed {seed}, shrunk: {wrong}", profile.name);
            }
        }
    }
}

const LENGTHS: [usize; 12] = [200, 300, 400, 500, 600, 800, 1000, 1200, 1500, 2000, 2500, 3000];

/// A profile with so many threads.
fn with_threads(roots: u32, profile: Profile) -> Profile {
    let (threads, alive) = (profile.threads.max(roots + 4), profile.alive.max(roots as usize + 4));
    Profile { roots, threads, alive, ..profile }
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
    let profile = Profile { vars: 80, locks: 6, threads: 100, ..walk::mixed() };
    long(name, with_threads(12, profile), &LENGTHS);
}

fn long_locked(name: &str) {
    long(name, with_threads(12, Profile { vars: 8, locks: 8, ..walk::locked() }), &LENGTHS);
}

/// Hundreds of threads, most of them short-lived.
fn long_forking(name: &str) {
    let profile = Profile { vars: 30, locks: 2, threads: 400, ..walk::forking() };
    long(name, with_threads(12, profile), &LENGTHS);
}

/// Few blocks, which seldom end, among accesses outside blocks.
fn long_unary(name: &str) {
    let profile = Profile { vars: 40, locks: 4, ..walk::unary() };
    long(name, with_threads(12, with_acts(&[(Act::Read, 60)], profile)), &LENGTHS);
}

/// Long blocks that mostly read, in many threads: each comes after many others.
fn long_readers(name: &str) {
    let profile = Profile { vars: 120, ..walk::nested() };
    let acts = [(Act::Read, 150), (Act::VolatileRead, 20), (Act::Write, 10)];
    long(name, with_threads(30, with_acts(&acts, profile)), &LENGTHS);
}

/// So long that whatever an engine tidies up only now and then is tidied up several times.
fn very_long(name: &str) {
    let racy = Profile { vars: 100, locks: 5, depth: 3, ..walk::racy() };
    long(name, with_threads(8, racy), &[12_000, 20_000]);
    let forking = Profile { vars: 60, threads: 2_500, ..walk::forking() };
    let acts = [(Act::Read, 10), (Act::Write, 5)];
    long(name, with_threads(8, with_acts(&acts, forking)), &[12_000, 20_000]);
}
