//! `trace validate`: what it says of good and bad traces.

use crate::common::{BAD, LOST_UPDATE, Scratch, fed, interloper};

#[test]
fn good_traces_are_called_valid() {
    let scratch = Scratch::new();
    let path = scratch.file("lost.std", LOST_UPDATE);
    let outcome = interloper(&["trace", "validate", &path, &path]).exits(0);
    let line = format!("{path}: valid: 5 events of 2 threads\n");
    assert_eq!((outcome.stdout, outcome.stderr), (line.repeat(2), String::new()));
}

#[test]
fn one_is_one() {
    let valid = fed(&["trace", "validate", "-"], b"T0|r(x)|1\n").exits(0).stdout;
    assert_eq!(valid, "-: valid: 1 event of 1 thread\n");
    let wrong = fed(&["trace", "validate", "--lenient", "-"], b"T0|end|1\n").exits(2).stdout;
    assert_eq!(wrong, "-: not valid: 1 event, 1 entry that is no valid event\n");
    let lock = b"T0|acq(m)|1\nT0|acq(m)|1\nnonsense\n";
    let report = fed(&["check", "--lenient", "-"], lock).exits(0).stdout;
    assert!(report.contains("= skipped 1 entry that is no valid event\n"), "{report}");
    assert!(report.contains("= filtered 1 re-entrant acquire\n"), "{report}");
}

#[test]
fn a_bad_trace_is_shown_with_its_line() {
    let scratch = Scratch::new();
    let path = scratch.file("bad.std", BAD);
    let good = scratch.file("good.std", LOST_UPDATE);
    let outcome = interloper(&["trace", "validate", &path, &good]).exits(2);
    assert_eq!(
        outcome.stderr,
        format!(
            "error: {path}:3: thread T0 lets go of lock m, which it does not hold\n  | T0|rel(m)|3\n  \
             = help: no run of a program gives this order; `--lenient` skips such events and counts \
             them\n"
        )
    );
    assert_eq!(outcome.stdout, format!("{good}: valid: 5 events of 2 threads\n"));
}

#[test]
fn a_bad_binary_trace_is_shown_with_its_event() {
    let scratch = Scratch::new();
    let (std, itl) = (scratch.file("bad.std", BAD), scratch.at("bad.itl"));
    interloper(&["trace", "convert", &std, &itl]).exits(0);
    let outcome = interloper(&["trace", "validate", &itl]).exits(2);
    let expected = format!("error: {itl}: event 2: thread T0 lets go of lock m");
    assert!(outcome.stderr.starts_with(&expected), "{outcome:?}");
    assert!(outcome.stderr.contains("\n  | T0|rel(m)|3\n"), "{outcome:?}");
}

#[test]
fn lenient_counts_what_is_wrong_and_still_calls_it_wrong() {
    let scratch = Scratch::new();
    let path = scratch.file("bad.std", format!("{BAD}T0|end|4\nT0|end|5\nnonsense\n"));
    let outcome = interloper(&["trace", "validate", "--lenient", &path]).exits(2);
    assert!(
        outcome.stdout.contains(": not valid: 5 events, 3 entries that are no valid events\n"),
        "{outcome:?}"
    );
}
