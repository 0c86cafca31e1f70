//! `check --format json`: the contract, on traces small enough to be worked out by hand.

use crate::common::{EXACT, LOST_UPDATE, SERIAL, Scratch, fed, gzip, interloper, zstd};
use serde_json::{Value, json};

/// The report on a trace, and the exit code.
fn check(trace: &str, options: &[&str]) -> (Value, i32) {
    let outcome = fed(&[&["check", "-", "-f", "json"], options].concat(), trace.as_bytes());
    (outcome.json(), outcome.code)
}

/// The only finding of the only engine on the only trace.
#[track_caller]
fn only_finding(report: &Value) -> &Value {
    let engine = &report["runs"][0]["engines"][0];
    assert_eq!(engine["findings"].as_array().map(Vec::len), Some(1), "{report:#}");
    &engine["findings"][0]
}

#[test]
fn every_field_of_a_lost_update() {
    let (report, code) = check(LOST_UPDATE, &[]);
    assert_eq!(code, 1);
    assert_eq!(report["schema"], "interloper/1");
    let runs = report["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 1);
    let run = &runs[0];
    assert_eq!(
        (&run["input"], &run["events"], &run["threads"]),
        (&json!("-"), &json!(5), &json!(2))
    );
    assert_eq!((&run["complete"], &run["notes"]), (&json!(true), &json!([])));
    let engine = &run["engines"][0];
    assert_eq!(engine["engine"], "frontier");
    assert_eq!(engine["verdict"], "violation");
    assert_eq!(engine["violations"], 1);
    assert!(engine["guarantee"].as_str().unwrap().starts_with("exact"));

    let finding = only_finding(&report);
    assert_eq!(finding["kind"], "atomicity");
    assert_eq!(finding["event"], 3);
    assert_eq!(finding["count"], 1);
    assert_eq!(finding["message"], "withdraw is not atomic");
    assert_eq!(
        finding["blame"],
        json!({ "thread": "T0", "label": "withdraw", "begin": 0, "certain": true, "refuted": ["withdraw"] })
    );
    let steps: Vec<Value> = finding["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| json!([step["event"], step["thread"], step["op"], step["at"]]))
        .collect();
    assert_eq!(
        steps,
        [
            json!([1, "T0", "r(x)", "Account.java:12"]),
            json!([2, "T1", "w(x)", "Account.java:14"]),
            json!([3, "T0", "w(x)", "Account.java:15"]),
        ]
    );
    let fingerprint = finding["fingerprint"].as_str().unwrap();
    assert!(!fingerprint.is_empty() && fingerprint.bytes().all(|b| b.is_ascii_hexdigit()));
}

#[test]
fn a_serializable_trace() {
    let (report, code) = check(SERIAL, &[]);
    assert_eq!(code, 0);
    let engine = &report["runs"][0]["engines"][0];
    assert_eq!((&engine["verdict"], &engine["findings"]), (&json!("none"), &json!([])));
    assert_eq!(engine["violations"], 0);
    assert_eq!(report["runs"][0]["events"], 6);
}

#[test]
fn an_empty_trace_has_a_run_without_events() {
    let (report, code) = check("", &[]);
    assert_eq!(code, 3);
    assert_eq!(report["runs"][0]["events"], 0);
    assert_eq!(report["runs"][0]["threads"], 0);
    assert_eq!(report["runs"][0]["engines"][0]["verdict"], "none");
}

#[test]
fn positions_count_events_not_lines() {
    let commented = format!("# a comment\n\n{}", LOST_UPDATE.replace('\n', "\r\n\r\n# more\r\n"));
    let (report, _) = check(&commented, &[]);
    assert_eq!(report["runs"][0]["events"], 5);
    assert_eq!(only_finding(&report)["event"], 3);
    assert_eq!(report["runs"], check(LOST_UPDATE, &[]).0["runs"]);
}

#[test]
fn all_blocks_around_both_ends_are_refuted() {
    let (report, _) = check(
        "T1|begin(outer)|A:1\nT1|r(y)|A:2\nT1|begin(inner)|A:3\nT1|r(x)|A:4\nT2|w(x)|B:1\n\
         T1|w(x)|A:5\nT1|end|A:6\nT1|end|A:7\n",
        &["--engine", EXACT],
    );
    for engine in report["runs"][0]["engines"].as_array().unwrap() {
        let finding = &engine["findings"][0];
        assert_eq!(finding["event"], 5);
        assert_eq!(finding["blame"]["label"], "outer");
        assert_eq!(finding["blame"]["begin"], 0);
        assert_eq!(finding["blame"]["refuted"], json!(["outer", "inner"]));
        assert_eq!(finding["message"], "inner is not atomic");
    }
}

#[test]
fn a_block_that_holds_one_end_only_is_not_refuted() {
    let (report, _) = check(
        "T1|begin(outer)|A:1\nT1|r(x)|A:2\nT1|begin(inner)|A:3\nT2|w(x)|B:1\nT1|w(x)|A:5\n",
        &["--engine", EXACT],
    );
    for engine in report["runs"][0]["engines"].as_array().unwrap() {
        let finding = &engine["findings"][0];
        assert_eq!(finding["event"], 4);
        assert_eq!(finding["blame"]["refuted"], json!(["outer"]));
        let refuted: Vec<_> =
            finding["blocks"].as_array().unwrap().iter().map(|block| &block["refuted"]).collect();
        assert_eq!(refuted, [&json!(true), &json!(false)]);
    }
}

#[test]
fn nobody_is_blamed_where_each_block_could_run_alone() {
    // T2 writes y before anything of T1's block reaches T2: the cycle closes at T1's read of y, and
    // yet nothing leads from an event of T1's block back to that block.
    let (report, code) = check(
        "T1|begin(A)|1\nT2|begin(B)|2\nT2|w(y)|3\nT1|w(x)|4\nT2|r(x)|5\nT1|r(y)|6\n",
        &["--engine", EXACT],
    );
    assert_eq!(code, 1);
    for engine in report["runs"][0]["engines"].as_array().unwrap() {
        let finding = &engine["findings"][0];
        assert_eq!(finding["event"], 5, "{report:#}");
        assert_eq!(finding["blame"], Value::Null);
        assert_eq!(finding["message"], "A and B cannot both be atomic");
        let mut events: Vec<u64> = finding["steps"]
            .as_array()
            .unwrap()
            .iter()
            .map(|step| step["event"].as_u64().unwrap())
            .collect();
        events.sort_unstable();
        assert_eq!(events, [2, 3, 4, 5]);
    }
}

#[test]
fn the_same_bug_is_told_once_and_counted() {
    let thrice = LOST_UPDATE.repeat(3);
    let (report, _) = check(&thrice, &["--engine", EXACT]);
    for engine in report["runs"][0]["engines"].as_array().unwrap() {
        assert_eq!(engine["violations"], 3, "{report:#}");
        assert_eq!(engine["findings"].as_array().unwrap().len(), 1);
        assert_eq!(engine["findings"][0]["count"], 3);
        assert_eq!(engine["findings"][0]["event"], 3);
    }
}

#[test]
fn blocks_and_locations_without_names() {
    let (report, _) = check("T0|begin|\nT0|r(x)|\nT1|w(x)|\nT0|w(x)|\n", &[]);
    let finding = only_finding(&report);
    assert_eq!(finding["blame"]["label"], "");
    assert_eq!(finding["blame"]["refuted"], json!([""]));
    assert_eq!(finding["steps"][0]["at"], "");
    assert_eq!(finding["message"], "the block begun at event 0 is not atomic");
}

/// The names of the engines in the report.
fn engines(report: &Value) -> Vec<&str> {
    let engines = report["runs"][0]["engines"].as_array().unwrap();
    engines.iter().map(|engine| engine["engine"].as_str().unwrap()).collect()
}

#[test]
fn engines_are_told_in_the_order_asked_for_each_once() {
    for (options, expected) in [
        (&["--engine", "frontier"][..], &["frontier"][..]),
        (&["--engine", "velodrome"], &["velodrome"]),
        (&["--engine", "frontier,velodrome"], &["frontier", "velodrome"]),
        (&["--engine", "velodrome,frontier"], &["velodrome", "frontier"]),
        (&["-e", "velodrome", "-e", "frontier"], &["velodrome", "frontier"]),
        (&["-e", "velodrome,frontier,velodrome"], &["velodrome", "frontier"]),
    ] {
        let (report, code) = check(LOST_UPDATE, options);
        assert_eq!(code, 1, "{options:?}");
        assert_eq!(engines(&report), expected, "{options:?}");
    }
}

#[test]
fn engines_agree_on_the_bug() {
    let (report, _) = check(LOST_UPDATE, &["-e", EXACT]);
    let [first, others @ ..] = &report["runs"][0]["engines"].as_array().unwrap()[..] else {
        panic!("no engine: {report:#}");
    };
    for other in others {
        for field in ["kind", "fingerprint", "event", "count", "blame", "message"] {
            assert_eq!(other["findings"][0][field], first["findings"][0][field], "{field}");
        }
    }
}

#[test]
fn an_unknown_engine_is_answered_with_the_known_ones() {
    for wanted in ["magic", "frontier,magic", "", "Frontier"] {
        let outcome = interloper(&["check", "-e", wanted, "a.std"]).exits(2);
        assert_eq!(outcome.stdout, "");
        for name in interloper_engines::NAMES.into_iter().chain(["all"]) {
            assert!(outcome.stderr.contains(name), "{wanted}: {outcome:?}");
        }
    }
}

#[test]
fn inputs_are_told_in_their_order() {
    let scratch = Scratch::new();
    let lost = scratch.file("lost.std", LOST_UPDATE);
    let serial = scratch.file("serial.std", SERIAL);
    let outcome =
        interloper(&["check", "-f", "json", "-e", EXACT, &serial, &lost, &serial]).exits(1);
    let report = outcome.json();
    let told: Vec<Value> = report["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| json!([run["input"], run["events"], run["engines"][1]["verdict"]]))
        .collect();
    assert_eq!(
        told,
        [json!([serial, 6, "none"]), json!([lost, 5, "violation"]), json!([serial, 6, "none"])]
    );
}

#[test]
fn the_same_trace_in_every_wrapping_gives_the_same_findings() {
    let scratch = Scratch::new();
    let options = ["--events", "3000", "--vars", "200", "--locks", "20", "--violation", "last"];
    let text = crate::common::generated(&options);
    let std = scratch.file("trace.std", &text);
    let binary = scratch.at("trace.itl");
    interloper(&["trace", "convert", &std, &binary]).exits(0);
    let bytes = scratch.read("trace.itl");
    let wrapped = [
        binary,
        scratch.file("trace.std.gz", gzip(text.as_bytes())),
        scratch.file("trace.std.zst", zstd(text.as_bytes())),
        scratch.file("trace.itl.gz", gzip(&bytes)),
        scratch.file("trace.itl.zst", zstd(&bytes)),
        scratch.file("windows.std", text.replace('\n', "\r\n")),
        scratch.file("marked.std", format!("\u{feff}{text}")),
    ];
    let findings = |path: &str| {
        let report = interloper(&["check", "-e", "all", "-f", "json", path]).exits(1).json();
        let run = &report["runs"][0];
        (run["events"].clone(), run["engines"].clone())
    };
    let expected = findings(&std);
    for path in wrapped {
        assert_eq!(findings(&path), expected, "{path}");
    }
}

#[test]
fn what_was_skipped_and_filtered_is_noted() {
    let trace = "T0|acq(m)|1\nT0|acq(m)|2\nnonsense\nT0|rel(m)|3\nT0|rel(m)|4\nT0|rel(m)|5\n";
    let (report, code) = check(trace, &["--lenient"]);
    assert_eq!(code, 0);
    let run = &report["runs"][0];
    assert_eq!(run["events"], 5);
    assert_eq!(run["complete"], true);
    let notes: Vec<&str> =
        run["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap()).collect();
    let [skipped, filtered] = notes[..] else { panic!("{notes:?}") };
    assert!(skipped.contains("skipped 2"), "{skipped}");
    assert!(filtered.contains("filtered 2 re-entrant"), "{filtered}");
}

#[test]
fn sarif_names_sources_by_their_paths_from_the_working_folder() {
    let scratch = Scratch::new();
    std::fs::create_dir_all(scratch.at("src/bank")).expect("a folder");
    scratch.file("src/bank/A.java", "1\n2\n3\n");
    scratch.file(
        "t.std",
        "T1|begin(m)|A.java:1\nT1|r(x)|A.java:2\nT2|w(x)|B.java:9\nT1|w(x)|A.java:3\n",
    );
    let mut command =
        crate::common::command(&["check", "t.std", "-f", "sarif", "--source-path", "src"]);
    command.current_dir(scratch.at("."));
    let sarif = crate::common::run(command).exits(1).json();
    let text = sarif["runs"][0]["results"][0].to_string();
    assert!(text.contains(r#""uri":"src/bank/A.java""#), "{text}");
    assert!(text.contains(r#""uri":"B.java""#), "not found, and left as it was: {text}");
    assert!(!text.contains(r#""uri":"A.java""#), "{text}");
}
