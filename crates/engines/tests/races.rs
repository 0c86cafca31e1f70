//! The race engines: the paper's examples, and every claim of theirs against brute force.

mod common;

use common::racing::{ENGINES, engine};
use common::schedules::Schedules;
use common::text::{Trace, trace};
use interloper_engines::Checker;
use interloper_findings::{Certainty, Finding, Kind};
use std::collections::BTreeSet;

fn findings(name: &str, lines: &str) -> Vec<Finding> {
    let Trace { names, events } = trace(lines);
    let mut checker = Checker::new([engine(name)]);
    events.into_iter().for_each(|event| checker.push(event, &names));
    checker.finish(&names);
    checker.outcomes(&names).remove(0).findings
}

/// The variables (or objects) that an engine warns of, each with the events shown.
fn races(name: &str, lines: &str) -> Vec<(String, Vec<u64>)> {
    let shown = |f: Finding| (f.subject, f.steps.iter().map(|step| step.event).collect());
    findings(name, lines).into_iter().map(shown).collect()
}

fn is_racy(name: &str, lines: &str) -> bool {
    !findings(name, lines).is_empty()
}

/// `T1|acq(o1)`, … from `t1: acq o1, acq o2, w x`.
fn thread(code: &str) -> String {
    let (thread, steps) = code.split_once(':').expect("a thread");
    let line = |step: &str| match step.trim().split_once(' ') {
        Some((op, operand)) => format!("{thread}|{op}({operand})\n"),
        None => format!("{thread}|{}\n", step.trim()),
    };
    steps.split(',').map(line).collect()
}

const T1: &str = "t1: acq o1, acq o2, w x, w x, rel o2, rel o1";
const T2: &str = "t2: acq o2, r x, rel o2";
const T3: &str = "t3: acq o1, r x, rel o1";
const T4: &str = "t4: r x, acq o1, acq o2, w x, rel o2, rel o1";

/// Somebody makes the variable, another has used it since, both under both locks: initialization is
/// over for every algorithm.
const MADE: &str = "main: acq o1, acq o2, w x, rel o2, rel o1";
const USED: &str = "t0: acq o1, acq o2, w x, rel o2, rel o1";

fn threads(code: &[&str]) -> String {
    code.iter().map(|code| thread(code)).collect()
}

/// Figure 4, t3 t2 t1: no race; one lockset a variable raises a false alarm. (So does the pair of
/// access- and write-protecting locks: see the tests of `protecting.rs`.)
#[test]
fn figure_4_without_a_race() {
    let lines = threads(&[MADE, USED, T3, T2, T1]);
    assert!(is_racy("eraser", &lines) && is_racy("objectrace", &lines));
    assert!(!is_racy("multilockset", &lines) && !is_racy("hb", &lines));
    let schedules = Schedules::new(&trace(&lines).events);
    assert_eq!(schedules.races(), Some(BTreeSet::new()), "the alarm is false");
}

/// Figure 4, t3 t2 t4: no race, but t4 reads without a lock what it alone writes.
#[test]
fn figure_4_false_alarm_of_many_locksets() {
    let lines = threads(&[T3, T2, T4]);
    let [race] = &findings("multilockset", &lines)[..] else { panic!("one race") };
    assert_eq!(race.message, "possible race on x");
    assert_eq!(race.certainty, Certainty::Possible);
    assert_eq!(
        race.notes,
        [
            "all writes hold o1 and o2, but some read does not, and reads can overlap with writes",
            "these two accesses both hold o2; it may be a false alarm",
        ]
    );
    let schedules = Schedules::new(&trace(&lines).events);
    assert_eq!(schedules.races(), Some(BTreeSet::new()), "the alarm is false");
    assert!(!is_racy("hb", &lines));
}

/// The four events of section 5.4: made by t1, within t2's reach, used by t1, then by t2.
#[test]
fn eraser_misses_a_race_with_initialization() {
    let events =
        |last: &str| format!("t1|w(o.x)|1\nt1|escape(o)|2\nt1|w(o.x)|3\nt2|{last}(o.x)|4\n");
    let read = events("r");
    assert!(!is_racy("eraser", &read) && !is_racy("objectrace", &read));
    for name in ["multilockset", "hb"] {
        assert_eq!(races(name, &read), [("o.x".to_string(), vec![2, 3])], "{name}");
    }
    // A write makes the variable shared and modified at once, with no lock: that it does see.
    let write = events("w");
    assert_eq!(races("eraser", &write), [("o.x".to_string(), vec![2, 3])]);
    assert!(!is_racy("objectrace", &write), "a transfer of ownership");
}

#[test]
fn ownership_is_transferred_once() {
    let handed = "t1|w(x)\nt2|w(x)\nt2|r(x)\n";
    assert!(is_racy("eraser", handed) && !is_racy("objectrace", handed));
    assert!(is_racy("objectrace", &format!("{handed}t1|w(x)\n")), "back again: no transfer");
    assert!(is_racy("objectrace", &format!("{handed}t3|w(x)\n")));
}

/// One lockset an object: different locks for different fields are a false alarm.
#[test]
fn objects_have_one_lockset() {
    let field =
        |t: &str, lock: &str, f: &str| thread(&format!("{t}: acq {lock}, w o.{f}, rel {lock}"));
    let lines = [field("t1", "a", "f"), field("t2", "a", "f"), field("t3", "a", "f")].concat();
    assert!(!is_racy("objectrace", &lines));
    let lines = lines + &field("t1", "b", "g");
    let [race] = &findings("objectrace", &lines)[..] else { panic!("one race") };
    assert_eq!(race.message, "possible race on the fields of o");
    assert_eq!(race.steps.iter().map(|step| step.event).collect::<Vec<_>>(), [7, 10]);
    assert!(!is_racy("eraser", &lines) && !is_racy("multilockset", &lines));
}

/// Three threads, locks b, then b and a, then those given.
fn three(locks: [&str; 2]) -> String {
    let [one, two] = locks;
    format!(
        "t0|begin(init)|1\nt0|acq(b)\nt0|w(x)|2\nt0|rel(b)\nt0|end\n\
         t1|acq(b)\nt1|acq(a)\nt1|w(x)|12\nt1|rel(a)\nt1|rel(b)\n\
         t2|begin(Get)|20\nt2|acq({one})\nt2|acq({two})\nt2|r(x)|22\n"
    )
}

/// A finding names the variable, both accesses and their locks; those of the last one in the order
/// of acquisition.
#[test]
fn both_accesses_with_their_locks() {
    for name in ["eraser", "multilockset", "hb"] {
        let found = findings(name, &three(["d", "c"]));
        let [race] = &found[..] else { panic!("one race of {name}, not {found:?}") };
        assert_eq!(race.kind, Kind::Race);
        assert_eq!((race.subject.as_str(), race.event), ("x", 13));
        let [first, second] = &race.steps[..] else { panic!("two accesses") };
        assert_eq!((first.event, first.thread.as_str(), first.op.as_str()), (7, "t1", "w(x)"));
        assert_eq!((second.event, second.thread.as_str(), second.at.as_str()), (13, "t2", "22"));
        let locks = |locks: &[&str]| Some(locks.iter().map(|lock| lock.to_string()).collect());
        assert_eq!((&first.held, &second.held), (&locks(&["b", "a"]), &locks(&["d", "c"])));
        assert_eq!(race.blocks[0].label, "Get");
        assert!(race.blame.is_none());
    }
}

/// Not the last two accesses, which have a lock in common, but two that have none.
#[test]
fn the_accesses_shown_explain_the_race() {
    let lines = three(["c", "a"]);
    assert_eq!(races("multilockset", &lines), [("x".to_string(), vec![2, 13])]);
    assert!(!is_racy("eraser", &lines), "t0 was initialization");
    assert!(!is_racy("hb", &lines), "in this run, the lock a ordered them");
    // The access that made the lockset smaller is remembered, however many come after it.
    let lock = |t: &str, locks: [&str; 2]| {
        let [one, two] = locks;
        thread(&format!("{t}: acq {one}, acq {two}, w x, rel {two}, rel {one}"))
    };
    let mut lines =
        [lock("t0", ["a", "b"]), lock("t1", ["a", "b"]), lock("t2", ["a", "c"])].concat();
    for t in ["t0", "t1", "t0", "t1"] {
        lines += &lock(t, ["a", "b"]);
    }
    lines += &thread("t3: acq b, w x, rel b");
    for name in ["eraser", "multilockset"] {
        assert_eq!(races(name, &lines), [("x".to_string(), vec![12, 36])], "{name}");
    }
}

/// However many locks there are, those that are held at all accesses count, and all are shown.
#[test]
fn many_locks_in_hand() {
    let code = |t: &str, locks: &[&str]| {
        let acquire: Vec<String> = locks.iter().map(|lock| format!("acq {lock}")).collect();
        let release: Vec<String> = locks.iter().rev().map(|lock| format!("rel {lock}")).collect();
        thread(&format!("{t}: {}, w x, {}", acquire.join(", "), release.join(", ")))
    };
    let all = ["a", "b", "c", "d", "e", "f"];
    let mut lines = [code("t1", &all), code("t2", &all[1..]), code("t3", &all[..3])].concat();
    lines += &[code("t1", &all[..5]), code("t2", &["c"]), code("t3", &all[1..5])].concat();
    for name in ENGINES {
        assert!(!is_racy(name, &lines), "{name}: all hold c");
    }
    lines += &code("t1", &["f", "e", "d", "b", "a"]);
    for name in ["eraser", "objectrace", "multilockset", "hb"] {
        let found = findings(name, &lines);
        if name == "hb" {
            assert!(found.is_empty(), "t3's lock b ordered them");
            continue;
        }
        let [race] = &found[..] else { panic!("one race of {name}, not {found:?}") };
        let held: Vec<String> = race.steps.iter().map(|s| format!("{:?}", s.held)).collect();
        let expected = ["Some([\"c\"])", "Some([\"f\", \"e\", \"d\", \"b\", \"a\"])"];
        assert_eq!(held, expected, "{name}");
    }
}

#[test]
fn an_observed_race() {
    let [race] = &findings("hb", "t1|acq(m)\nt1|w(x)|1\nt1|rel(m)\nt2|r(x)|2\n")[..] else {
        panic!("one race")
    };
    assert_eq!((race.certainty, race.event), (Certainty::Observed, 3));
    assert_eq!(race.steps[0].held, Some(vec!["m".to_string()]));
    assert_eq!(race.steps[1].held, Some(vec![]));
}

/// A thousand objects with the same race are one finding; the same two places the other way round,
/// too.
#[test]
fn the_same_places_are_the_same_race() {
    let mut lines = String::new();
    for i in 0..1000 {
        let (one, two) = if i % 2 == 0 { (5, 7) } else { (7, 5) };
        lines += &format!("t1|w(o{i}.f)|{one}\nt2|w(o{i}.f)|{two}\n");
        lines += &format!("t1|w(o{i}.f)|{one}\nt2|w(o{i}.f)|{two}\n");
    }
    for name in ENGINES {
        let found = findings(name, &lines);
        let counts: Vec<u64> = found.iter().map(|finding| finding.count).collect();
        assert_eq!(counts, [1000], "{name}: each variable once");
        let without_places = lines.replace("|5", "").replace("|7", "");
        assert_eq!(findings(name, &without_places).len(), 1000, "{name}: by variable");
    }
}

#[test]
fn start_and_join_keep_threads_apart() {
    let lines = "t1|w(x)\nt1|fork(t2)\nt2|w(x)\nt2|exit\nt1|join(t2)\nt1|w(x)\n";
    assert!(is_racy("eraser", lines) && is_racy("objectrace", lines));
    assert!(!is_racy("multilockset", lines) && !is_racy("hb", lines));
    let between = lines.replace("t1|join", "t1|w(x)\nt1|join");
    for name in ["multilockset", "hb"] {
        assert_eq!(races(name, &between), [("x".to_string(), vec![2, 4])], "{name}");
    }
}

#[test]
fn barriers_keep_threads_apart() {
    let lines =
        "t1|w(x)\nt1|barrier(b)\nt2|barrier(b)\nt2|w(x)\nt2|barrier(b)\nt1|barrier(b)\nt1|r(x)\n";
    assert!(is_racy("eraser", lines));
    assert!(!is_racy("multilockset", lines) && !is_racy("hb", lines));
    let same_side = lines.replace("t2|w(x)", "t2|w(x)\nt1|r(x)");
    for name in ["multilockset", "hb"] {
        assert_eq!(races(name, &same_side), [("x".to_string(), vec![3, 4])], "{name}");
    }
}

/// Volatile variables and updates order, for `hb`; none of the engines takes them for accesses.
#[test]
fn volatile_accesses_are_synchronization() {
    let lines = "t1|w(x)\nt1|vw(f)\nt2|vr(f)\nt2|w(x)\nt3|vw(f)\nt3|rmw(f)\n";
    assert!(is_racy("eraser", lines) && is_racy("multilockset", lines));
    assert!(!is_racy("hb", lines));
    for (lines, racy) in [
        ("t1|w(x)\nt1|rmw(f)\nt2|rmw(f)\nt2|w(x)\n", false),
        ("t1|w(x)\nt1|vw(f)\nt2|vw(f)\nt2|w(x)\n", true),
        ("t1|w(x)\nt1|vr(f)\nt2|vw(f)\nt2|w(x)\n", true),
        // Both writers are known to whoever reads after them.
        ("t1|w(x)\nt1|vw(f)\nt2|w(y)\nt2|vw(f)\nt3|vr(f)\nt3|w(x)\nt3|w(y)\n", false),
        ("t1|vw(x)\nt2|rmw(x)\nt2|vw(x)\nt3|vr(x)\n", false),
    ] {
        assert_eq!(is_racy("hb", lines), racy, "{lines}");
    }
    for name in ENGINES {
        assert!(!is_racy(name, "t1|vw(f)\nt2|vw(f)\nt3|rmw(f)\nt1|rmw(f)\n"), "{name}");
    }
}

/// Waiting lets the lock go: what is done until the return is not protected by it.
#[test]
fn waiting_lets_go() {
    let lines = [
        thread("t1: acq m, w x, wait m"),
        thread("t2: acq m, w x, notify m, rel m"),
        thread("t1: acq m, w x, rel m"),
    ]
    .concat();
    for name in ENGINES {
        assert!(!is_racy(name, &lines), "{name}");
    }
}

#[test]
fn accesses_before_the_escape_do_not_count() {
    let lines = "t1|w(o.f)\nt1|w(p.f)\nt1|escape(o)\nt2|w(o.f)\nt2|w(p.f)\nt2|r(o.f)\n";
    for name in ["eraser", "multilockset", "hb"] {
        let subjects: Vec<_> = races(name, lines).into_iter().map(|(subject, _)| subject).collect();
        assert_eq!(subjects, ["p.f"], "{name}: p has no escape, and counts from the start");
        let later = format!("{lines}t1|w(o.f)\n");
        let subjects: Vec<_> =
            races(name, &later).into_iter().map(|(subject, _)| subject).collect();
        assert_eq!(subjects, ["p.f", "o.f"], "{name}");
    }
}

/// More readers with a lock of their own each than are remembered: no alarm until there is a write.
#[test]
fn many_read_sets() {
    let mut lines: String =
        (0..500).map(|i| thread(&format!("t{i}: acq m{i}, r x, rel m{i}"))).collect();
    assert!(!is_racy("multilockset", &lines));
    lines += "t0|w(x)\n";
    assert!(is_racy("multilockset", &lines));
}
