//! `trace generate`: the same trace every time, and an effect for every option.

use crate::common::{Scratch, fed, generated, interloper};
use serde_json::Value;

const BASE: [&str; 10] =
    ["--events", "4000", "--threads", "4", "--vars", "40", "--locks", "10", "--locations", "20"];

/// The base with other options; what comes later wins, so options of the base are taken out.
fn options<'a>(changes: &[&'a str]) -> Vec<&'a str> {
    let mut options: Vec<&str> = vec![];
    for pair in BASE.chunks(2) {
        if !changes.contains(&pair[0]) {
            options.extend(pair);
        }
    }
    options.extend(changes);
    options
}

fn trace(changes: &[&str]) -> String {
    generated(&options(changes))
}

fn counts(trace: &str) -> Value {
    let outcome = fed(&["trace", "stat", "-f", "json", "-"], trace.as_bytes()).exits(0);
    outcome.json()["traces"][0]["counts"].clone()
}

fn count(trace: &str, name: &str) -> u64 {
    counts(trace)[name].as_u64().unwrap_or(0)
}

#[test]
fn the_same_settings_give_the_same_trace() {
    let once = trace(&["--violation", "early", "--unary", "0.2", "--seed", "7"]);
    let again = trace(&["--violation", "early", "--unary", "0.2", "--seed", "7"]);
    assert_eq!(once, again);
    fed(&["trace", "validate", "-"], once.as_bytes()).exits(0);
}

#[test]
fn each_number_is_met() {
    for (option, value, name) in [
        ("--threads", 7, "threads"),
        ("--vars", 30, "variables"),
        ("--locks", 5, "locks"),
        ("--locations", 9, "locations"),
        ("--nesting", 3, "deepest nesting"),
    ] {
        let changed = trace(&[option, &value.to_string()]);
        assert_eq!(count(&changed, name), value, "{option}");
        assert_ne!(count(&trace(&[]), name), value, "{option} has an effect");
    }
    let events = count(&trace(&["--events", "6000"]), "events");
    assert!((6000..6100).contains(&events), "{events}");
}

#[test]
fn shares_are_met() {
    assert_eq!(count(&trace(&["--writes", "1"]), "events r"), 0);
    assert_eq!(count(&trace(&["--writes", "0"]), "events w"), 0);
    assert_eq!(count(&trace(&[]), "events outside blocks"), 0);
    assert_eq!(count(&trace(&["--unary", "1"]), "transactions"), 0);
    let half = counts(&trace(&["--unary", "0.5"]));
    assert!(half["events outside blocks"].as_u64() > Some(500), "{half}");
    assert!(half["transactions"].as_u64() > Some(50), "{half}");
}

#[test]
fn lengths_are_met() {
    let transactions = |length| count(&trace(&["--block-length", length]), "transactions");
    let (short, long) = (transactions("2"), transactions("20"));
    assert!(short > 3 * long, "{short} short ones, {long} long ones");
    let switches = |burst| {
        let text = trace(&["--burst", burst]);
        let threads: Vec<&str> =
            text.lines().map(|line| &line[..line.find('|').unwrap()]).collect();
        threads.windows(2).filter(|pair| pair[0] != pair[1]).count()
    };
    let (often, seldom) = (switches("1"), switches("50"));
    assert!(often > 5 * seldom, "{often} and {seldom} switches between threads");
}

#[test]
fn phases_fork_and_join_all_threads() {
    let counts = counts(&trace(&["--phases", "3"]));
    assert_eq!((&counts["events fork"], &counts["events join"]), (&12.into(), &12.into()));
    assert_eq!(counts["threads"], 13);
    assert_eq!(count(&trace(&[]), "events fork"), 0);
}

#[test]
fn rounds_end_at_a_barrier() {
    let arrivals = |more: &[&str]| count(&trace(more), "events barrier");
    assert_eq!(arrivals(&["--barriers", "5"]), 5 * 4);
    assert_eq!(arrivals(&["--barriers", "5", "--phases", "3"]), 3 * 5 * 4, "in each phase");
    assert_eq!(arrivals(&[]), 0);
    let text = trace(&["--barriers", "5", "--long", "--unary", "0.3"]);
    fed(&["check", "-", "-e", "frontier"], text.as_bytes()).exits(0);
}

#[test]
fn patterns_have_a_label_each() {
    let labels = |patterns| count(&trace(&["--patterns", patterns]), "labels");
    assert_eq!((labels("30"), labels("7")), (30, 7));
    let code = |text: &str, label: &str| -> Vec<String> {
        // The lines of the first transaction with this label, without the object's number.
        let begin = text.lines().find(|line| line.contains(&format!("|begin({label})|")));
        let thread = begin.unwrap().split('|').next().unwrap();
        let own = text.lines().filter(|line| line.split('|').next() == Some(thread));
        let from = own.skip_while(|line| Some(*line) != begin);
        let until = from.take_while(|line| !line.contains("|end|"));
        until.map(|line| line.rsplit_once('|').unwrap().1.to_string()).collect()
    };
    let text = trace(&["--patterns", "3", "--locations", "1000"]);
    let later = text.lines().skip(2000).map(|line| format!("{line}\n")).collect::<String>();
    for label in ["m0", "m1", "m2"] {
        assert_eq!(code(&text, label), code(&later, label), "the same places again");
    }
}

#[test]
fn one_transaction_may_span_the_trace() {
    for long in [&["--long"][..], &["--long", "true"], &["--shape", "long"]] {
        let text = trace(long);
        let (first, last) = (text.lines().next().unwrap(), text.lines().next_back().unwrap());
        assert!(first.contains("|begin"), "{first}");
        assert_eq!(last.split('|').next(), first.split('|').next());
        assert!(last.contains("|end|"), "{last}");
        assert_eq!(count(&text, "threads"), 5);
    }
    assert_eq!(count(&trace(&["--shape", "long", "--long", "false"]), "threads"), 4);
}

#[test]
fn violations_are_where_they_were_asked_for() {
    for engine in ["frontier", "velodrome"] {
        let verdict = |place| {
            let text = trace(&["--violation", place]);
            let args = ["check", "-", "-f", "json", "-e", engine];
            let outcome = fed(&args, text.as_bytes());
            let report = outcome.json();
            let event = report["runs"][0]["engines"][0]["findings"][0]["event"].as_u64();
            (outcome.code, event, report["runs"][0]["events"].as_u64().unwrap())
        };
        let (code, event, _) = verdict("none");
        assert_eq!((code, event), (0, None));
        let (code, event, events) = verdict("early");
        assert!(code == 1 && event.unwrap() < events / 8, "{event:?} of {events}");
        let (code, event, events) = verdict("last");
        assert!(code == 1 && event.unwrap() >= events - 10, "{event:?} of {events}");
    }
}

#[test]
fn another_seed_another_trace() {
    assert_ne!(trace(&["--seed", "1"]), trace(&["--seed", "2"]));
    assert_eq!(trace(&["--seed", "0"]), trace(&[]));
}

#[test]
fn every_shape_is_valid_and_serializable_and_its_own() {
    let mut seen = vec![];
    for shape in ["locked", "wide", "phases", "long", "unary", "nested", "patterns"] {
        let text = generated(&["--shape", shape, "--events", "13000", "--vars", "1000"]);
        fed(&["check", "-"], text.as_bytes()).exits(0);
        assert!(!seen.contains(&text), "{shape} is like another");
        seen.push(text);
    }
}

#[test]
fn the_output_and_its_format_can_be_chosen() {
    let scratch = Scratch::new();
    let with = |more: &[&str]| {
        let args = [&["trace", "generate"], &options(more)[..]].concat();
        assert_eq!(interloper(&args).exits(0).stdout, "");
    };
    let text = trace(&[]);
    with(&["-o", &scratch.at("a.std")]);
    assert_eq!(scratch.read("a.std"), text.as_bytes());
    with(&["-o", &scratch.at("a.itl")]);
    with(&["-o", &scratch.at("b.std"), "--to", "binary"]);
    assert_eq!(scratch.read("a.itl"), scratch.read("b.std"));
    with(&["--output", &scratch.at("b.itl"), "--to", "std"]);
    assert_eq!(scratch.read("b.itl"), text.as_bytes());
    let outcome = interloper(&["trace", "convert", &scratch.at("a.itl"), "-"]).exits(0);
    assert!(outcome.stdout == text, "the binary trace holds the same events");
}

#[test]
fn wishes_that_cannot_be_met_are_answered_with_a_sentence() {
    for (wish, answer) in [
        (&["--threads", "0"][..], "`threads` must be from 1 to 100000, but is 0"),
        (&["--vars", "0"], "`vars` must be from 1 to"),
        (&["--locks", "0"], "`locks` must be from 1 to"),
        (&["--events", "0"], "`events` must be from 1 to"),
        (&["--block-length", "0"], "must be from 1 to"),
        (&["--nesting", "0"], "`nesting` must be from 1 to"),
        (&["--locations", "0"], "`locations` must be from 1 to"),
        (&["--burst", "0"], "`burst` must be from 1 to"),
        (&["--unary", "1.5"], "`unary` is a share and must be from 0 to 1, but is 1.5"),
        (&["--unary", "NaN"], "`unary` is a share"),
        (&["--writes", "2"], "`writes` is a share"),
        (&["--threads", "1", "--violation", "last"], "a violation takes two threads"),
        (&["--phases", "9", "--events", "50"], "9 phases of 8 threads take at least"),
        (
            &["--barriers", "9", "--events", "50"],
            "9 rounds of 8 threads that end at a barrier take",
        ),
        (&["--patterns", "9999999"], "`patterns` must be from 0 to 1000000, but is 9999999"),
        (&["--patterns", "9", "--block-length", "999999"], "are more than 1000000 accesses"),
        (&["--phases", "1000000", "--threads", "100000"], "are more than 10000000 threads in all"),
    ] {
        let outcome = interloper(&[&["trace", "generate"], wish].concat()).exits(2);
        assert!(outcome.stderr.starts_with("error: "), "{outcome:?}");
        assert!(outcome.stderr.contains(answer), "{wish:?}: {outcome:?}");
        assert_eq!(outcome.stderr.lines().count(), 1, "{outcome:?}");
        assert_eq!(outcome.stdout, "");
    }
    let outcome = interloper(&["trace", "generate", "--shape", "round"]).exits(2);
    for name in ["locked", "wide", "phases", "long", "unary", "nested", "patterns"] {
        assert!(outcome.stderr.contains(name), "{outcome:?}");
    }
}

#[test]
fn a_wish_that_cannot_be_met_leaves_files_alone() {
    let scratch = Scratch::new();
    let path = scratch.file("kept.std", "kept");
    interloper(&["trace", "generate", "--threads", "0", "-o", &path]).exits(2);
    assert_eq!(scratch.read("kept.std"), b"kept");
}
