//! The JSON report: the contract, its schema, its expected text.
#![allow(clippy::unwrap_used)]

mod samples;

use interloper_report::{Report, Run, json};
use samples::{everything, expect, one, run, tool};
use serde_json::Value;

fn render(report: &Report) -> Vec<u8> {
    let mut out = vec![];
    json(report, &tool(), &mut out).unwrap();
    out
}

fn parse(report: &Report) -> Value {
    serde_json::from_slice(&render(report)).unwrap()
}

fn schema() -> jsonschema::Validator {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/interloper-1.schema.json");
    let schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

fn failed() -> Report {
    Report { runs: vec![Run::failed("bad.std", "bad.std:3: what is this?")] }
}

#[test]
fn an_input_that_failed_is_a_run_with_an_error() {
    let document = parse(&failed());
    let expected = serde_json::json!([{
        "input": "bad.std", "events": 0, "threads": 0,
            "skipped": 0, "complete": false,
        "error": "bad.std:3: what is this?", "notes": [], "engines": [],
    }]);
    assert_eq!(document["runs"], expected);
    let fine = parse(&run("-", 1, 1, vec![]));
    assert_eq!(fine["runs"][0].get("error"), None, "only where there is one");
    let mut bad = document;
    bad["runs"][0]["error"] = 3.into();
    assert!(!schema().is_valid(&bad));
}

#[test]
fn what_was_found_need_not_be_listed() {
    let mut report = run("a.std", 9, 2, vec![samples::engine("frontier", vec![])]);
    assert!(!report.found());
    report.runs[0].engines[0].violations = 1;
    assert!(report.found() && report.findings() == 0);
    assert_eq!(parse(&report)["runs"][0]["engines"][0]["verdict"], "violation");
    assert!(!failed().found());
}

#[test]
fn text_is_stable() {
    expect("lost-update.json", &render(&one("bank.std", samples::lost_update())));
}

#[test]
fn every_report_follows_the_schema() {
    let schema = schema();
    let many = samples::many_engines();
    for report in [everything(), many, Report::default(), run("-", 0, 0, vec![]), failed()] {
        let errors: Vec<String> = schema
            .iter_errors(&parse(&report))
            .map(|e| format!("{} {e}", e.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
}

#[test]
fn the_schema_refuses_what_breaks_the_contract() {
    let schema = schema();
    let good = parse(&one("bank.std", samples::lost_update()));
    let finding = "/runs/0/engines/0/findings/0";
    let breaks: [(&str, Value); 10] = [
        ("/schema", "interloper/2".into()),
        ("/runs/0/events", (-1).into()),
        ("/runs/0/engines/0/verdict", "maybe".into()),
        (&format!("{finding}/kind"), "typo".into()),
        (&format!("{finding}/blame"), "alice".into()),
        (&format!("{finding}/steps/0/event"), "3".into()),
        (&format!("{finding}/steps/0/held"), "m".into()),
        (&format!("{finding}/certainty"), "sure".into()),
        (&format!("{finding}/notes"), "why".into()),
        ("/runs/0/engines/0/caveat", true.into()),
    ];
    for (pointer, value) in breaks {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        assert!(!schema.is_valid(&bad), "{pointer}");
    }
    let mut lacking = good;
    lacking.pointer_mut(finding).unwrap().as_object_mut().unwrap().remove("fingerprint");
    assert!(!schema.is_valid(&lacking));
}

#[test]
fn the_fields_of_the_contract() {
    let document = parse(&one("a.std", samples::nested()));
    assert_eq!(document["schema"], "interloper/1");
    let run = &document["runs"][0];
    assert_eq!(
        (&run["input"], &run["events"], &run["threads"]),
        (&"a.std".into(), &9_310.into(), &2.into())
    );
    let engine = &run["engines"][0];
    assert_eq!((&engine["engine"], &engine["verdict"]), (&"frontier".into(), &"violation".into()));
    let finding = &engine["findings"][0];
    assert_eq!(finding["kind"], "atomicity");
    assert_eq!(finding["event"], 6);
    assert_eq!(finding["blame"]["label"], "p");
    assert_eq!(finding["blame"]["begin"], 0);
    assert_eq!(finding["blame"]["certain"], true);
    assert_eq!(finding["blame"]["refuted"], serde_json::json!(["p", "q"]));
    let step = &finding["steps"][0];
    assert_eq!(
        (&step["op"], &step["at"], &step["event"]),
        (&"r(x)".into(), &"N.java:3".into(), &2.into())
    );
}

#[test]
fn nobody_to_blame_is_null_and_nothing_found_is_none() {
    let document = parse(&one("a.std", samples::no_blame()));
    assert!(document.pointer("/runs/0/engines/0/findings/0/blame").unwrap().is_null());
    let document = parse(&run("a.std", 1, 1, vec![samples::engine("frontier", vec![])]));
    assert_eq!(document.pointer("/runs/0/engines/0/verdict").unwrap(), "none");
}

#[test]
fn what_was_not_observed_says_so() {
    let document = parse(&samples::many_engines());
    let engines = document["runs"][0]["engines"].as_array().unwrap();
    let engine = |name: &str| engines.iter().find(|engine| engine["engine"] == name).unwrap();
    let first = |name: &str| &engine(name)["findings"][0];
    assert_eq!(first("frontier")["certainty"], "observed");
    assert!(first("frontier")["steps"][0]["held"].is_null());
    let predicted = first("blocks");
    assert_eq!(predicted["certainty"], "predicted");
    assert_eq!(predicted["subject"], "Vector.<init>");
    assert_eq!(predicted["blame"]["certain"], false);
    let events: Vec<_> =
        predicted["steps"].as_array().unwrap().iter().map(|s| &s["event"]).collect();
    assert_eq!(events, [&5, &18, &9], "in the order that makes the trouble");
    assert_eq!(predicted["steps"][0]["held"], serde_json::json!(["v1"]));
    assert_eq!(first("reduction")["notes"], serde_json::json!(["R B L R B B B L does not reduce"]));
    assert!(engine("reduction")["caveat"].as_str().unwrap().contains("deadlock"));
    assert!(engine("blocks")["caveat"].is_null());
    let race = first("hb");
    assert_eq!((&race["kind"], &race["blame"]), (&"race".into(), &Value::Null));
    assert_eq!(race["steps"][1]["held"], serde_json::json!([]));
    assert_eq!(engine("hb")["judges"], "race");
    assert_eq!(first("goodlock")["kind"], "deadlock");
    for engine in engines {
        let found = !engine["findings"].as_array().unwrap().is_empty();
        assert_eq!(engine["verdict"], if found { "violation" } else { "none" });
    }
}

#[test]
fn names_come_through_unharmed() {
    let document = parse(&one("a.std", samples::hostile()));
    let thread = document.pointer("/runs/0/engines/0/findings/0/steps/1/op").unwrap();
    assert_eq!(thread, "w(\x1b[31mred\x1b[0m)");
}
