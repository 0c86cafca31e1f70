//! The SARIF report: the standard's schema, and what GitHub's code scanning asks beyond it.
#![allow(clippy::unwrap_used)]

mod samples;

use interloper_findings::Finding;
use interloper_report::{Report, Run, sarif};
use samples::{everything, expect, one, tool};
use serde_json::Value;
use std::process::Command;

fn render(report: &Report) -> Vec<u8> {
    let mut out = vec![];
    sarif(report, &tool(), &[], &mut out).unwrap();
    out
}

fn parse(report: &Report) -> Value {
    serde_json::from_slice(&render(report)).unwrap()
}

#[test]
fn text_is_stable() {
    expect("lost-update.sarif", &render(&one("bank.std", samples::lost_update())));
}

#[test]
fn reads_back() {
    let read: serde_sarif::sarif::Sarif = serde_json::from_slice(&render(&everything())).unwrap();
    let results = read.runs[0].results.as_ref().unwrap();
    assert_eq!(read.runs.len(), 1);
    assert_eq!(results.len(), samples::all().len());
}

/// The standard's schema as the `serde-sarif` package brings it along.
fn schema() -> Option<Value> {
    let rustc = Command::new("rustc").arg("-vV").output().ok()?;
    let rustc = String::from_utf8(rustc.stdout).ok()?;
    let host = rustc.lines().find_map(|line| line.strip_prefix("host: "))?;
    // Packages for other platforms need not have been downloaded.
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline", "--filter-platform", host])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .ok()?;
    let metadata: Value = serde_json::from_slice(&metadata.stdout).ok()?;
    let packages = metadata["packages"].as_array()?;
    let package = packages.iter().find(|package| package["name"] == "serde-sarif")?;
    let manifest = std::path::Path::new(package["manifest_path"].as_str()?);
    let schema = manifest.with_file_name("src").join("schema.json");
    let schema = std::fs::read_to_string(schema).ok()?;
    // The pattern for languages ends in a stray bracket, which not every regex engine takes.
    serde_json::from_str(&schema.replace("{2}]?$", "{2}?$")).ok()
}

#[test]
fn follows_the_standards_schema() {
    let Some(schema) = schema() else {
        eprintln!("skipped: the schema was not found in the serde-sarif package");
        return;
    };
    let schema = jsonschema::validator_for(&schema).unwrap();
    for report in [everything(), samples::many_engines(), Report::default(), with_a_failure()] {
        let document = parse(&report);
        let errors: Vec<String> =
            schema.iter_errors(&document).map(|e| format!("{} {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
    let mut bad = parse(&everything());
    bad["version"] = "2.0.0".into();
    assert!(!schema.is_valid(&bad));
}

#[test]
fn tool_and_rules_are_what_github_asks_for() {
    let document = parse(&everything());
    assert!(document["$schema"].as_str().unwrap().contains("sarif-schema-2.1.0"));
    assert_eq!(document["version"], "2.1.0");
    assert_eq!(document["runs"].as_array().unwrap().len(), 1);
    let driver = &document["runs"][0]["tool"]["driver"];
    assert_eq!(
        (&driver["name"], &driver["semanticVersion"]),
        (&"Interloper".into(), &"1.2.3".into())
    );
    for rule in driver["rules"].as_array().unwrap() {
        assert!(rule["id"].as_str().unwrap().starts_with("interloper/"));
        for text in ["shortDescription", "fullDescription", "help"] {
            let text = rule[text]["text"].as_str().unwrap();
            assert!(!text.is_empty() && text.len() < 1024, "{text}");
        }
        let level = rule["defaultConfiguration"]["level"].as_str().unwrap();
        assert!(["error", "warning", "note"].contains(&level));
    }
}

#[test]
fn results_are_what_github_asks_for() {
    let document = parse(&everything());
    let run = &document["runs"][0];
    for result in run["results"].as_array().unwrap() {
        let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        assert_eq!(result["locations"].as_array().unwrap().len(), 1);
        assert_eq!(result["partialFingerprints"]["interloper/v1"].as_str().unwrap().len(), 16);
        assert!(!result["partialFingerprints"]["primaryLocationLineHash"].is_null());
        let related = result["relatedLocations"].as_array().unwrap();
        let flow = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
        assert_eq!(related.len(), flow.len());
        for (i, step) in flow.iter().enumerate() {
            assert_eq!(step["executionOrder"], i + 1);
            assert!(!step["location"]["message"]["text"].as_str().unwrap().is_empty());
        }
        for location in result["locations"].as_array().unwrap().iter().chain(related) {
            check_location(location);
        }
    }
}

/// A relative URI of legal characters, and a line.
fn check_location(location: &Value) {
    let physical = &location["physicalLocation"];
    let uri = physical["artifactLocation"]["uri"].as_str().unwrap();
    assert!(!uri.is_empty() && !uri.starts_with('/') && !uri.contains(':'), "{uri}");
    assert!(!uri.split('/').any(|part| part == ".."), "{uri}");
    let legal = |b: u8| b.is_ascii_alphanumeric() || b"-._~/%".contains(&b);
    assert!(uri.bytes().all(legal), "{uri}");
    assert!(physical["region"]["startLine"].as_u64().unwrap() >= 1);
}

#[test]
fn messages_link_to_existing_locations() {
    let mut report = everything();
    report
        .runs
        .extend(one("ring.std", Finding { fingerprint: "f".into(), ..samples::long(700) }).runs);
    let document = parse(&report);
    for result in document["runs"][0]["results"].as_array().unwrap() {
        let text = result["message"]["text"].as_str().unwrap();
        let related = result["relatedLocations"].as_array().unwrap();
        let mut links = 0;
        for part in text.split("](").skip(1) {
            let id: u64 = part.split_once(')').unwrap().0.parse().unwrap();
            assert!(related.iter().any(|location| location["id"] == id), "{text}");
            links += 1;
        }
        assert!(links >= 2, "{text}");
        assert!(related.len() <= 1_000);
    }
}

#[test]
fn levels_and_rules_follow_certainty() {
    let document = parse(&samples::many_engines());
    let run = &document["runs"][0];
    let results: Vec<(&str, &str, String)> = run["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| {
            let text = |field: &str| result[field].as_str().unwrap();
            let engines = result["properties"]["engines"].as_array().unwrap();
            let engines: Vec<&str> =
                engines.iter().map(|engine| engine.as_str().unwrap()).collect();
            (text("ruleId"), text("level"), engines.join(" "))
        })
        .collect();
    let expected = [
        ("interloper/atomicity", "error", "frontier velodrome"),
        ("interloper/atomicity-predicted", "warning", "blocks"),
        ("interloper/atomicity-predicted", "warning", "blocks"),
        ("interloper/atomicity-possible", "note", "reduction"),
        ("interloper/atomicity-possible", "note", "reduction"),
        ("interloper/atomicity-possible", "note", "reduction atomizer"),
        ("interloper/race", "error", "hb multilockset eraser"),
        ("interloper/deadlock", "warning", "goodlock"),
    ];
    let expected = expected.map(|(rule, level, who)| (rule, level, who.to_string()));
    assert_eq!(results, expected);
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let precision = |id: &str| {
        let rule = rules.iter().find(|rule| rule["id"] == id).unwrap();
        rule["properties"]["precision"].as_str().unwrap()
    };
    assert_eq!(precision("interloper/atomicity"), "very-high");
    assert_eq!(precision("interloper/atomicity-possible"), "medium");
    let text = run["results"][1]["message"]["text"].as_str().unwrap();
    assert!(text.contains("This order was not observed"), "{text}");
    assert!(text.contains("thread t1 reads v1.elementCount, holding v1 [(1)](1)"), "{text}");
    let notes = run["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
    assert_eq!(notes.len(), 1);
    let note = notes[0]["message"]["text"].as_str().unwrap();
    assert!(note.starts_with("traces/vector.std: reduction: it takes for granted"), "{note}");
}

#[test]
fn without_a_file_the_trace_is_the_place() {
    let document = parse(&one("traces/a b.std", samples::three_threads()));
    let location = &document["runs"][0]["results"][0]["relatedLocations"][0];
    assert_eq!(location["physicalLocation"]["artifactLocation"]["uri"], "traces/a%20b.std");
    assert_eq!(location["logicalLocations"][0]["fullyQualifiedName"], "12");
}

#[test]
fn a_bug_seen_in_two_inputs_is_one_result() {
    let mut report = one("a.std", samples::lost_update());
    report.runs.extend(one("b.std", samples::lost_update()).runs);
    let document = parse(&report);
    let results = document["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["occurrenceCount"], 6);
}

#[test]
fn what_the_user_must_know_is_a_notification() {
    let document = parse(&everything());
    let notes =
        document["runs"][0]["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
    let texts: Vec<&str> =
        notes.iter().map(|note| note["message"]["text"].as_str().unwrap()).collect();
    assert_eq!(
        texts,
        ["/abs/cut.ilt: skipped 3 bad lines", "/abs/cut.ilt: the input is incomplete"]
    );
}

/// A report of which one input could not be analysed.
fn with_a_failure() -> Report {
    let mut report = one("a.std", samples::lost_update());
    report.runs.insert(0, Run::failed("bad.std", "bad.std:3: what is \x1b this?"));
    report
}

#[test]
fn an_input_that_failed_is_told_and_the_run_is_no_success() {
    let invocation = |report: &Report| parse(report)["runs"][0]["invocations"][0].clone();
    assert_eq!(invocation(&everything())["executionSuccessful"], true);
    let invocation = invocation(&with_a_failure());
    assert_eq!(invocation["executionSuccessful"], false);
    let notes = invocation["toolExecutionNotifications"].as_array().unwrap();
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0]["level"], "error");
    assert_eq!(notes[0]["message"]["text"], "bad.std:3: what is \\u{1b} this?");
    let document = parse(&with_a_failure());
    assert_eq!(document["runs"][0]["results"].as_array().unwrap().len(), 1);
}

#[test]
fn lines_that_no_file_has_are_no_places() {
    let mut finding = samples::lost_update();
    for step in &mut finding.steps {
        step.at = "A.java:18446744073709551615".into();
    }
    for step in finding.edges.iter_mut().flat_map(|e| [&mut e.source, &mut e.target]).flatten() {
        step.at = "A.java:18446744073709551615".into();
    }
    finding.blocks.clear();
    let document = parse(&one("a.std", finding));
    let result = &document["runs"][0]["results"][0];
    for location in result["relatedLocations"].as_array().unwrap() {
        check_location(location);
        assert_eq!(location["physicalLocation"]["artifactLocation"]["uri"], "a.std");
    }
    check_location(&result["locations"][0]);
}
