//! Binary traces that lost their end or were altered: what precedes the damage is reported.

use crate::common::{Outcome, Scratch, interloper};

/// A binary trace of several blocks, with a violation in the first or the last of them.
fn trace(violation: &str) -> Vec<u8> {
    let scratch = Scratch::new();
    let path = scratch.at("trace.itl");
    let shape = ["--events", "100000", "--vars", "300", "--locks", "30", "--violation", violation];
    interloper(&[&["trace", "generate", "-o", &path], &shape[..]].concat()).exits(0);
    scratch.read("trace.itl")
}

fn check(bytes: &[u8]) -> Outcome {
    let scratch = Scratch::new();
    interloper(&["check", "-f", "json", &scratch.file("trace.itl", bytes)])
}

#[test]
fn of_a_cut_off_trace_what_precedes_the_cut_decides() {
    let early = trace("early");
    let whole = check(&early).exits(1).json();
    assert_eq!(whole["runs"][0]["complete"], true);

    let outcome = check(&early[..early.len() * 2 / 3]).exits(1);
    let run = &outcome.json()["runs"][0];
    assert_eq!(run["complete"], false);
    let (events, all) = (run["events"].as_u64(), whole["runs"][0]["events"].as_u64());
    assert!(Some(20_000) < events && events < all, "{events:?} of {all:?}");
    assert_eq!(run["engines"][0]["findings"], whole["runs"][0]["engines"][0]["findings"]);
    assert!(outcome.stderr.starts_with("warning: "), "{outcome:?}");
    assert!(outcome.stderr.contains("trace.itl: at byte "), "{outcome:?}");
    assert!(outcome.stderr.contains("the trace is cut off"), "{outcome:?}");
    let notes = run["notes"].to_string();
    assert!(notes.contains("the trace is cut off"), "{notes}");

    let last = trace("last");
    check(&last).exits(1);
    let outcome = check(&last[..last.len() * 2 / 3]).exits(0);
    assert_eq!(outcome.json()["runs"][0]["complete"], false);
}

#[test]
fn a_trace_without_its_end_mark_is_cut_off() {
    let early = trace("early");
    let outcome = check(&early[..early.len() - 1]).exits(1);
    let run = &outcome.json()["runs"][0];
    assert_eq!(run["complete"], false);
    assert!(run["events"].as_u64() >= Some(100_000), "{run:#}");
}

#[test]
fn a_trace_cut_off_in_its_first_block_has_nothing_to_check() {
    let early = trace("early");
    let outcome = check(&early[..100]).exits(3);
    assert_eq!(outcome.json()["runs"][0]["events"], 0);
    check(&early[..16]).exits(3);
    // Not even a header: there is nothing to go by.
    let outcome = check(&early[..10]).exits(2);
    assert!(outcome.stderr.contains("the file header is cut off"), "{outcome:?}");
}

#[test]
fn an_altered_trace_is_bad_input_and_still_reported_up_to_the_damage() {
    let mut early = trace("early");
    let middle = early.len() * 2 / 3;
    early[middle] ^= 0x10;
    let outcome = check(&early).exits(2);
    let run = &outcome.json()["runs"][0];
    assert_eq!(run["complete"], false);
    assert!(run["events"].as_u64() >= Some(20_000), "{run:#}");
    assert_eq!(run["engines"][0]["verdict"], "violation");
    assert!(outcome.stderr.contains("is damaged: its payload does not match"), "{outcome:?}");

    let scratch = Scratch::new();
    let path = scratch.file("trace.itl", &early);
    let outcome = interloper(&["trace", "validate", &path]).exits(2);
    assert!(outcome.stderr.contains("is damaged"), "{outcome:?}");
    let outcome = interloper(&["trace", "stat", "-f", "json", &path]).exits(2);
    assert_eq!(outcome.json()["traces"][0]["complete"], false);
    let outcome = interloper(&["trace", "convert", &path, &scratch.at("saved.std")]).exits(2);
    assert!(outcome.stderr.contains("is damaged"), "{outcome:?}");
    interloper(&["trace", "validate", &scratch.at("saved.std")]).exits(0);
}

#[test]
fn a_trace_of_the_future_is_refused() {
    let mut early = trace("early");
    early[8] = 9;
    let outcome = check(&early).exits(2);
    assert!(
        outcome.stderr.contains("format version 9; this program reads version 1"),
        "{outcome:?}"
    );
}
