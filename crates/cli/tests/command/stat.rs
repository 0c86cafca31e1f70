//! `trace stat`: counts, compared with a count by hand.

use crate::common::{BAD, LOST_UPDATE, Scratch, fed, interloper};
use serde_json::json;

/// Two transactions of thread A (6 and 2 events) and one, unfinished, of B (3 events).
const TRACE: &str = "\
A|fork(B)|1
A|begin(f)|2
A|begin(g)|3
A|acq(m)|4
B|begin(f)|2
A|rel(m)|5
A|end|6
A|end|7
B|acq(m)|4
B|acq(m)|4
A|r(x)|8
A|w(y)|
A|begin|9
A|end|10
";

#[test]
fn numbers_for_tools() {
    let outcome = fed(&["trace", "stat", "--format", "json", "-"], TRACE.as_bytes()).exits(0);
    let json = outcome.json();
    assert_eq!(json["schema"], "interloper-stat/1");
    let trace = &json["traces"][0];
    assert_eq!(trace["input"], "-");
    assert_eq!(trace["format"], "text");
    assert_eq!(trace["complete"], true);
    assert_eq!(
        trace["counts"],
        json!({
            "events": 14,
            "events begin": 4,
            "events end": 3,
            "events r": 1,
            "events w": 1,
            "events acq": 2,
            "events rel": 1,
            "events fork": 1,
            "events dummy": 1, // the lock that B takes again
            "threads": 2,
            "variables": 2,
            "locks": 1,
            "labels": 2,
            "locations": 10,
            "transactions": 3,
            "events outside blocks": 3,
            "longest transaction": 6,
            "deepest nesting": 2,
            "blocks open at the end": 1,
            "locks held at the end": 1,
            "re-entrant events filtered": 1,
            "skipped": 0,
        })
    );
}

#[test]
fn numbers_for_people() {
    let outcome = fed(&["trace", "stat", "-"], TRACE.as_bytes()).exits(0);
    let mut lines = outcome.stdout.lines();
    assert_eq!(lines.next(), Some("- (text)"));
    let rows: Vec<(String, &str)> = lines
        .map(|line| {
            let (name, value) = line.trim().rsplit_once(' ').unwrap();
            (name.trim().to_string(), value)
        })
        .collect();
    let value = |name: &str| rows.iter().find(|(row, _)| row == name).map(|(_, value)| *value);
    assert_eq!(value("events"), Some("14"));
    assert_eq!(value("events begin"), Some("4"));
    assert_eq!(value("longest transaction"), Some("6"));
    assert_eq!(value("blocks open at the end"), Some("1"));
    assert_eq!(value("events join"), None, "what there is none of is left out");
}

#[test]
fn large_numbers_are_grouped_for_people() {
    let outcome = fed(&["trace", "stat", "-"], "T0|r(x)|1\n".repeat(12_345).as_bytes()).exits(0);
    assert!(outcome.stdout.lines().nth(1).unwrap().ends_with(" 12,345"), "{outcome:?}");
}

#[test]
fn several_traces_one_of_them_bad() {
    let scratch = Scratch::new();
    let lost = scratch.file("lost.std", LOST_UPDATE);
    let bad = scratch.file("bad.std", BAD);
    let outcome = interloper(&["trace", "stat", "-f", "json", &lost, &bad, &lost]).exits(2);
    let traces = outcome.json();
    let inputs: Vec<_> =
        traces["traces"].as_array().unwrap().iter().map(|trace| &trace["input"]).collect();
    assert_eq!(inputs, [&json!(lost), &json!(lost)]);
    assert!(outcome.stderr.starts_with(&format!("error: {bad}:3: ")), "{outcome:?}");

    let outcome = interloper(&["trace", "stat", "-f", "json", "--lenient", &bad]).exits(0);
    assert_eq!(outcome.json()["traces"][0]["counts"]["skipped"], 1);
}
