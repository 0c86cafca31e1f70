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
    assert_eq!(inputs, [&bad, &empty, "nowhere.std", &lost, &serial]);
    for (failed, says) in [(0, "lets go of lock m"), (2, "nowhere.std: No such file")] {
        let run = &json["runs"][failed];
        assert_eq!((&run["complete"], &run["engines"]), (&false.into(), &serde_json::json!([])));
        assert!(run["error"].as_str().unwrap().contains(says), "{run:#}");
    }
    assert!(json["runs"][1].get("error").is_none());
    assert_eq!(json["runs"][3]["engines"][0]["verdict"], "violation");
    assert_eq!(json["runs"][4]["engines"][0]["verdict"], "none");
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
fn sarif_tells_of_inputs_that_failed() {
    let scratch = Scratch::new();
    let [_, lost, bad, _] = traces(&scratch).map(|(_, path)| path);
    let outcome = interloper(&["check", "-f", "sarif", &bad, &lost]).exits(2);
    let run = &outcome.json()["runs"][0];
    assert_eq!(run["results"].as_array().unwrap().len(), 1);
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let note = &invocation["toolExecutionNotifications"][0];
    assert_eq!(note["level"], "error");
    assert!(note["message"]["text"].as_str().unwrap().starts_with(&format!("{bad}:3: ")));
}

#[test]
fn a_trace_without_blocks_is_not_said_to_be_free_of_violations_and_no_more() {
    let scratch = Scratch::new();
    let racy = "T1|w(x)|1\nT2|r(x)|2\nT1|w(x)|3\n";
    let trace = scratch.file("racy.std", racy);
    let says = "but no atomic block begins in the trace";
    let outcome = interloper(&["check", &trace]).exits(0);
    assert!(outcome.stdout.contains(says), "{outcome:?}");
    let outcome = interloper(&["check", "--engine", "hb", &trace]).exits(1);
    assert!(!outcome.stdout.contains(says), "{outcome:?}");
    let trace = scratch.file("block.std", format!("T1|begin(m)|1\n{racy}T1|end|4\n"));
    let outcome = interloper(&["check", &trace]).exits(1);
    assert!(!outcome.stdout.contains(says), "{outcome:?}");
}

#[test]
fn of_inputs_that_failed_nothing_goes_to_standard_output() {
    let scratch = Scratch::new();
    let [_, lost, bad, _] = traces(&scratch).map(|(_, path)| path);
    assert_eq!(interloper(&["check", &bad, "nowhere.std"]).exits(2).stdout, "");
    let alone = interloper(&["check", &lost]).stdout;
    assert_eq!(interloper(&["check", &bad, &lost, &bad]).exits(2).stdout, alone);
}

#[test]
fn a_trace_of_which_nothing_remains_is_never_green() {
    let skipped = "T0|rel(m)|1\nT0|end|2\nnonsense\n";
    for (trace, options, says, skips) in [
        ("T0|dummy|1\n", &[][..], "the only event was skipped or is `dummy`", None),
        ("T0|dummy|1\nT1|dummy|1\n", &[], "all 2 events were skipped or are `dummy`", None),
        (skipped, &["--lenient"], "all 2 events were skipped or are `dummy`", Some("skipped 3 ")),
        ("nonsense\n", &["--lenient"], "no event seen", Some("skipped 1 entry that is no")),
    ] {
        let scratch = Scratch::new();
        let path = scratch.file("trace.std", trace);
        let outcome = interloper(&[&["check", &path], options].concat()).exits(3);
        let warning = format!("warning: {path}: {says}, nothing was checked\n");
        assert_eq!(outcome.stderr, warning);
        assert!(outcome.stdout.contains("nothing was checked"), "{outcome:?}");
        assert!(!outcome.stdout.contains("no violation found"), "{outcome:?}");
        let json = interloper(&[&["check", "-f", "json", &path], options].concat()).exits(3).json();
        assert_eq!(json["runs"][0]["events"], 0, "none of them was analysed");
        let notes = json["runs"][0]["notes"].to_string();
        assert!(notes.contains(says) && skips.is_none_or(|says| notes.contains(says)), "{notes}");
    }
    // One event that means something is enough, wherever it is.
    let scratch = Scratch::new();
    let trace = "T0|dummy|1\n".repeat(5000) + "T0|r(x)|1\n" + &"T0|dummy|1\n".repeat(5000);
    interloper(&["check", &scratch.file("trace.std", trace)]).exits(0);
}

/// Two lost updates of different blocks.
#[test]
fn what_is_found_counts_whether_it_is_listed_or_not() {
    let scratch = Scratch::new();
    let twice = format!("{LOST_UPDATE}{}", LOST_UPDATE.replace("withdraw", "deposit"));
    let path = scratch.file("twice.std", twice);
    let outcome = interloper(&["check", "-f", "json", "--limit", "1", &path]).exits(1);
    let run = &outcome.json()["runs"][0];
    assert_eq!(run["engines"][0]["findings"].as_array().unwrap().len(), 1);
    assert_eq!(run["engines"][0]["violations"], 2);
    let note = "frontier: 1 violation of a further kind is counted but not listed";
    assert!(run["notes"].to_string().contains(note), "{run:#}");
    let outcome = interloper(&["check", "--limit", "0", &path]).exits(2);
    assert!(outcome.stderr.contains("0 is not in 1.."), "{outcome:?}");
    let help = interloper(&["check", "--help"]).stdout;
    assert!(help.contains("[default: 10000]"), "{help}");
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
