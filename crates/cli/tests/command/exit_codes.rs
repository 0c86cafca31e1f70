//! 0 nothing found, 1 findings, 2 bad usage or bad input, 3 nothing checked; of several inputs the
//! worst decides: 2 over 1 over 3 over 0.

use crate::common::{BAD, LOST_UPDATE, SERIAL, Scratch, interloper};

/// The four kinds of trace, as `(exit code, path)`.
fn traces(scratch: &Scratch) -> [(i32, String); 4] {
    [
        (0, scratch.file("serial.std", SERIAL)),
        (1, scratch.file("lost.std", LOST_UPDATE)),
        (2, scratch.file("bad.std", BAD)),
        (3, scratch.file("empty.std", "\n# nothing\n")),
    ]
}

/// How bad an exit code is.
fn badness(code: i32) -> usize {
    [0, 3, 1, 2].iter().position(|&known| known == code).expect("an exit code")
}

#[test]
fn each_kind_of_trace_has_its_code() {
    let scratch = Scratch::new();
    for (code, path) in traces(&scratch) {
        interloper(&["check", &path]).exits(code);
    }
}

#[test]
fn the_worst_of_two_inputs_decides_in_either_order() {
    let scratch = Scratch::new();
    let traces = traces(&scratch);
    for (first, one) in &traces {
        for (second, other) in &traces {
            let worst = if badness(*first) > badness(*second) { *first } else { *second };
            interloper(&["check", one, other]).exits(worst);
        }
    }
}

#[test]
fn a_bad_trace_does_not_keep_the_others_from_being_analysed() {
    let scratch = Scratch::new();
    let [serial, lost, bad, empty] = traces(&scratch).map(|(_, path)| path);
    let outcome = interloper(&["check", "-f", "json", &bad, &empty, "nowhere.std", &lost, &serial]);
    let json = outcome.json();
    let inputs: Vec<&str> =
        json["runs"].as_array().unwrap().iter().map(|run| run["input"].as_str().unwrap()).collect();
    assert_eq!(inputs, [&empty, &lost, &serial]);
    assert_eq!(json["runs"][1]["engines"][0]["verdict"], "violation");
    assert_eq!(json["runs"][2]["engines"][0]["verdict"], "none");
    let stderr = &outcome.stderr;
    assert!(stderr.contains(&format!("error: {bad}:3: ")), "{stderr}");
    assert!(stderr.contains("error: nowhere.std: "), "{stderr}");
    assert!(stderr.contains(&format!("warning: {empty}: no event seen")), "{stderr}");
    outcome.exits(2);
}

#[test]
fn an_empty_trace_says_that_nothing_was_checked() {
    for contents in ["", "\n\n", "# only a comment\n", "\u{feff}", "\r\n \t\r\n"] {
        let scratch = Scratch::new();
        let path = scratch.file("empty.std", contents);
        let outcome = interloper(&["check", &path]).exits(3);
        assert!(outcome.stderr.contains("nothing was checked"), "{outcome:?}");
        interloper(&["trace", "validate", &path]).exits(3);
    }
}

#[test]
fn validate_stat_and_convert_have_codes_too() {
    let scratch = Scratch::new();
    let [serial, lost, bad, empty] = traces(&scratch).map(|(_, path)| path);
    interloper(&["trace", "validate", &serial, &lost]).exits(0);
    interloper(&["trace", "validate", &empty, &serial]).exits(3);
    interloper(&["trace", "validate", &serial, &empty]).exits(3);
    interloper(&["trace", "validate", &empty, &bad, &serial]).exits(2);
    interloper(&["trace", "stat", &serial, &lost]).exits(0);
    interloper(&["trace", "stat", &bad, &serial]).exits(2);
    interloper(&["trace", "convert", &serial, &scratch.at("out.itl")]).exits(0);
    interloper(&["trace", "convert", &empty, &scratch.at("out.itl")]).exits(3);
    let unreadable = scratch.file("unreadable.std", "T0|what|1\n");
    interloper(&["trace", "convert", &unreadable, &scratch.at("out.itl")]).exits(2);
}

#[test]
fn bad_usage_is_two_and_goes_to_standard_error() {
    for args in [
        &["check"][..],
        &[],
        &["nonsense"],
        &["check", "--nonsense", "a.std"],
        &["check", "-f", "html6", "a.std"],
        &["check", "--color", "sometimes", "a.std"],
        &["trace"],
        &["trace", "stat"],
        &["trace", "convert", "a.std"],
        &["trace", "generate", "--events", "many"],
        &["completions", "cmd.exe"],
    ] {
        let outcome = interloper(args).exits(2);
        assert!(outcome.stdout.is_empty(), "{args:?}: {outcome:?}");
        let leads_on = ["Usage: interloper", "try '--help'"];
        assert!(leads_on.iter().any(|says| outcome.stderr.contains(says)), "{args:?}: {outcome:?}");
    }
}
