//! Lock patterns, which were found in code and not in a run, in all formats.
#![allow(clippy::unwrap_used)]

use interloper_findings::{
    Acquisition, BaselineState, Context, Finding, LockPattern, Place, Review, Scope, Site,
    Suppression, Suppressor,
};
use interloper_report::{EngineRun, Report, Run, Scanned, TextOptions, ToolInfo};
use serde_json::Value;

fn site(method: &str, at: &str) -> Site {
    Site { method: method.into(), at: at.into() }
}

/// `m2` locks B by two calls while its caller `m1` holds A.
fn place(lock: &str) -> Place {
    let acquisition = |line: u32| Acquisition {
        calls: vec![site("p.C.m2()", &format!("p/C.java:{line}"))],
        site: site("p.C.m5()", "p/C.java:30"),
        lock: lock.into(),
    };
    Place {
        method: "p.C.m2()".into(),
        witness: lock.into(),
        first_witness: lock.into(),
        context: Context {
            lock: "p.C.A".into(),
            site: site("p.C.m1()", "p/C.java:10"),
            calls: vec![site("p.C.m1()", "p/C.java:11")],
        },
        first: acquisition(20),
        second: acquisition(21),
        others: vec!["p.C.D".into()],
        more: 3,
        suppressed: None,
    }
}

fn pattern(lock: &str) -> Finding {
    let mut further = place(lock);
    further.second.calls[0].at = "p/C.java:22".into();
    let places = vec![place(lock), further];
    LockPattern { scope: Scope::Program, places, more: 7 }.into_finding()
}

/// A new finding, a known one, a suppressed one.
fn report() -> Report {
    let reviewed = |lock, baseline, suppressed: Option<&str>| {
        let suppressed = suppressed
            .map(|reason| Suppression { by: Suppressor::List, reason: reason.to_owned() });
        Finding { review: Review { baseline: Some(baseline), suppressed }, ..pattern(lock) }
    };
    let findings = vec![
        reviewed("p.C.B", BaselineState::New, None),
        reviewed("p.C.Known", BaselineState::Unchanged, None),
        reviewed("p.C.Fine", BaselineState::New, Some("one thread")),
    ];
    let engine =
        EngineRun { engine: "scan".into(), violations: 2, findings, ..EngineRun::default() };
    let scanned = Some(Scanned { classes: 1, methods: 9 });
    let run = Run {
        input: "app.jar".into(),
        complete: true,
        engines: vec![engine],
        scanned,
        ..Run::default()
    };
    Report { runs: vec![run] }
}

fn tool() -> ToolInfo {
    ToolInfo { name: "Interloper".into(), version: "1.2.3".into() }
}

#[test]
fn text_shows_the_ways_and_counts_what_is_closed() {
    let mut out = vec![];
    interloper_report::text(&report(), &TextOptions::default(), &mut out).unwrap();
    let expected = "\
possible: C.m2 locks p.C.B twice while C.m1 holds p.C.A                                  [scan, new]
  │ C.java:10  C.m1 locks p.C.A, and holds it all the while
  │ C.java:11  C.m1 calls C.m2
  │ C.java:20    C.m2 calls C.m5
  │ C.java:30      ① C.m5 locks p.C.B and releases it
  │ C.java:21    C.m2 calls C.m5
  │ C.java:30      ② C.m5 locks p.C.B again
  │
  = between the two, another thread can lock p.C.B and change what it protects: what was read or
    done the first time may no longer hold the second time
  = usually mended by holding the lock for the whole block: hold p.C.B over both in C.m2
  = the same place also locks again: p.C.D and 3 more
  = also at p/C.java:22: C.m2 locks p.C.B twice while C.m1 holds p.C.A
  = 7 further places of this lock not looked at
";
    let text = String::from_utf8(out).unwrap();
    assert!(text.starts_with(expected), "{text}");
    let end = "
app.jar: 1 class, 9 methods with code
  scan  1 finding at 2 places
        not shown: 1 finding known from the baseline, 1 finding suppressed
";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn json_follows_the_schema() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/interloper-1.schema.json");
    let schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let mut out = vec![];
    interloper_report::json(&report(), &tool(), &mut out).unwrap();
    let json: Value = serde_json::from_slice(&out).unwrap();
    let errors: Vec<String> = schema.iter_errors(&json).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let findings = &json["runs"][0]["engines"][0]["findings"];
    assert_eq!(findings[1]["baseline"], "unchanged");
    assert_eq!(findings[2]["suppressed"]["by"], "list");
    let mut bad = json.clone();
    bad["runs"][0]["engines"][0]["findings"][0]["pattern"]["scope"] = "galaxy".into();
    assert!(!schema.is_valid(&bad));
}

#[test]
fn sarif_marks_what_is_known_and_suppressed() {
    let mut out = vec![];
    interloper_report::sarif(&report(), &tool(), &[], &mut out).unwrap();
    let sarif: Value = serde_json::from_slice(&out).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let states: Vec<&str> =
        results.iter().map(|it| it["baselineState"].as_str().unwrap()).collect();
    assert_eq!(states, ["new", "unchanged", "new"]);
    let suppressed: Vec<usize> =
        results.iter().map(|it| it["suppressions"].as_array().unwrap().len()).collect();
    assert_eq!(suppressed, [0, 0, 1]);
    let result = &results[0];
    assert_eq!(result["codeFlows"].as_array().unwrap().len(), 2);
    let levels: Vec<i64> = result["codeFlows"][0]["threadFlows"][0]["locations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["nestingLevel"].as_i64().unwrap())
        .collect();
    assert_eq!(levels, [0, 0, 1, 2, 1, 2]);
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "p/C.java");
    assert_eq!(place["region"]["startLine"], 21);
    // every link of the message leads to a related location
    let text = result["message"]["text"].as_str().unwrap();
    let ids: Vec<i64> = result["relatedLocations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["id"].as_i64().unwrap())
        .collect();
    for number in 1..=6 {
        assert!(
            text.contains(&format!("[({number})]({number})")) && ids.contains(&number),
            "{text}"
        );
    }
}

#[test]
fn dot_draws_methods_and_numbered_calls() {
    let mut out = vec![];
    interloper_report::dot(&report(), &mut out).unwrap();
    let dot = String::from_utf8(out).unwrap();
    for line in [
        "m0 [label=\"C.m1\\nholds p.C.A\", peripheries=2",
        "m0 -> m1 [label=\"  calls  \\n  C.java:11  \"",
        "m1 -> m2 [label=\"  2: calls  \\n  C.java:21  \"",
        "m2 -> witness [label=\"  1: locks p.C.B  \\n  C.java:30  \"",
    ] {
        assert!(dot.contains(line), "{line}: {dot}");
    }
}
