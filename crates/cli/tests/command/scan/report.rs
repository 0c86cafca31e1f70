//! What is found, in all formats.

use super::{CLEAN, GLOBAL, LINE, compiled, jar, scan};
use crate::common::interloper;

#[test]
fn figure_1_in_words() {
    let Some(scratch) = jar(&[("Line.java", LINE)]) else { return };
    let outcome = scan(&scratch, &["app.jar"]).exits(1);
    let expected = "\
possible: Line.contains locks point twice while it holds this                                 [scan]
  │ Line.java:5   Line.contains locks this, and holds it all the while
  │ Line.java:5   Line.contains calls Location.distanceTo
  │ Line.java:12    ① Location.distanceTo locks this, which is point, and releases it
  │ Line.java:6   Line.contains calls Location.distanceTo
  │ Line.java:12    ② Location.distanceTo locks this, which is point, again
  │
  = between the two, another thread can lock point and change what it protects: what was read or
    done the first time may no longer hold the second time
  = usually mended by holding the lock for the whole block: hold point over both in Line.contains
  = fingerprint ";
    assert!(outcome.stdout.starts_with(expected), "{}", outcome.stdout);
    let end = "\napp.jar: 2 classes, 4 methods with code\n  scan  1 finding\n";
    assert!(outcome.stdout.ends_with(end), "{}", outcome.stdout);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn source_lines_are_shown() {
    let Some(scratch) = jar(&[("Line.java", LINE)]) else { return };
    let outcome = scan(&scratch, &["app.jar", "--source-path", "src"]).exits(1);
    for line in ["geo/Line.java:5", "double r1 = point.distanceTo(start);", "② Location.distanceTo"]
    {
        assert!(outcome.stdout.contains(line), "{line}: {}", outcome.stdout);
    }
    let outcome = scan(&scratch, &["app.jar", "--source-path", "nowhere"]).exits(2);
    assert!(outcome.stderr.contains("nowhere: there is no such folder"), "{outcome:?}");
}

#[test]
fn global_witnesses() {
    let Some(scratch) = compiled(&[("Global.java", GLOBAL)]) else { return };
    let json = scan(&scratch, &["classes", "-f", "json"]).exits(1).json();
    let finding = &json["runs"][0]["engines"][0]["findings"][0];
    assert_eq!(finding["subject"], "geo.Global.B");
    assert_eq!(finding["pattern"]["scope"], "program");
    assert_eq!(finding["pattern"]["places"][0]["context"]["lock"], "geo.Global.A");
}

#[test]
fn json_tells_all_of_it() {
    let Some(scratch) = jar(&[("Line.java", LINE)]) else { return };
    let json = scan(&scratch, &["app.jar", "--format", "json"]).exits(1).json();
    let run = &json["runs"][0];
    assert_eq!((&run["scanned"]["classes"], &run["scanned"]["methods"]), (&2.into(), &4.into()));
    let engine = &run["engines"][0];
    assert_eq!((&engine["engine"], &engine["judges"]), (&"scan".into(), &"pattern".into()));
    assert_eq!((&engine["verdict"], &engine["violations"]), (&"violation".into(), &1.into()));
    let finding = &engine["findings"][0];
    assert_eq!(finding["kind"], "pattern");
    assert_eq!(finding["certainty"], "possible");
    assert_eq!(finding["subject"], "point in geo.Line.contains(Location)");
    assert_eq!(finding["steps"].as_array().unwrap().len(), 5);
    assert_eq!(finding["steps"][4]["op"], "acq(this)");
    assert!(finding.get("baseline").is_none() && finding.get("suppressed").is_none());
    let place = &finding["pattern"]["places"][0];
    assert_eq!((&place["witness"], &place["context"]["lock"]), (&"point".into(), &"this".into()));
    assert_eq!(place["second"]["calls"][0]["at"], "geo/Line.java:6");
    assert_eq!(place["second"]["site"]["method"], "geo.Location.distanceTo(Location)");
}

#[test]
fn sarif_has_a_flow_for_each_place() {
    let Some(scratch) = jar(&[("Line.java", LINE)]) else { return };
    let sarif = scan(&scratch, &["app.jar", "-f", "sarif", "--source-path", "src"]).exits(1).json();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "interloper/pattern");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/geo/Line.java");
    assert_eq!(place["region"]["startLine"], 6);
    let flow = &result["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(flow.as_array().unwrap().len(), 5);
    assert_eq!((&flow[4]["nestingLevel"], &flow[3]["nestingLevel"]), (&1.into(), &0.into()));
    assert_eq!(result["relatedLocations"].as_array().unwrap().len(), 5);
    assert_eq!(result["suppressions"], serde_json::json!([]));
    assert!(result.get("baselineState").is_none());
}

#[test]
fn dot_draws_the_calls() {
    let Some(scratch) = jar(&[("Line.java", LINE)]) else { return };
    let dot = scan(&scratch, &["app.jar", "-f", "dot"]).exits(1).stdout;
    for part in ["digraph", "Line.contains\\nholds this", "2: calls", "witness [label=\"point\""] {
        assert!(dot.contains(part), "{part}: {dot}");
    }
}

#[test]
fn explain_prints_the_facts() {
    let Some(scratch) = jar(&[("Line.java", LINE)]) else { return };
    let outcome = scan(&scratch, &["app.jar", "--explain", "Line.contains"]).exits(0);
    for line in ["geo.Line.contains(Location)\n", "LOCKSHELD = {point, this}", "FINAL_P = {point}"]
    {
        assert!(outcome.stdout.contains(line), "{line}: {}", outcome.stdout);
    }
    let outcome = scan(&scratch, &["app.jar", "--explain", "Nowhere.m"]).exits(2);
    assert!(outcome.stderr.contains("--explain Nowhere.m: there is no such method"), "{outcome:?}");
    scan(&scratch, &["app.jar", "--explain", "Line.contains", "-f", "json"]).exits(2);
}

#[test]
fn a_lock_of_a_class_is_one_finding() {
    let source = "package geo; class C { Object lock;
        synchronized void m() { k(); k(); }
        synchronized void n() { k(); k(); }
        void k() { synchronized (lock) { } } }";
    let Some(scratch) = compiled(&[("C.java", source)]) else { return };
    let json = scan(&scratch, &["classes", "-f", "json"]).exits(1).json();
    let findings = json["runs"][0]["engines"][0]["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0]["subject"], "this.lock in geo.C");
    assert_eq!(findings[0]["count"], 2);
}

#[test]
fn nothing_found_is_told_with_what_that_is_worth() {
    let Some(scratch) = compiled(&[("Clean.java", CLEAN)]) else { return };
    let outcome = scan(&scratch, &["classes"]).exits(0);
    assert!(outcome.stdout.contains("no pattern found"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("neither sound nor complete"), "{}", outcome.stdout);
}

#[test]
fn the_output_does_not_depend_on_the_number_of_threads() {
    let Some(scratch) = compiled(&[("Line.java", LINE), ("Global.java", GLOBAL)]) else { return };
    for format in ["text", "json", "sarif"] {
        let with = |jobs| scan(&scratch, &["classes", "-f", format, "--jobs", jobs, "--stats"]);
        assert_eq!(with("1").exits(1).stdout, with("2").exits(1).stdout);
    }
}

/// A jar of 1,600 classes, with findings of all kinds of locks.
const LARGE: &str = "/usr/share/java/xalan2.jar";

#[test]
fn the_output_for_a_large_jar_does_not_depend_on_the_number_of_threads() {
    if !std::path::Path::new(LARGE).exists() {
        eprintln!("\n==== SKIPPED: no {LARGE} (package libxalan2-java) ====\n");
        return;
    }
    let with = |jobs| interloper(&["scan", LARGE, "-f", "json", "--jobs", jobs, "--stats"]);
    let one = with("1").exits(1).stdout;
    for jobs in ["2", "4"] {
        assert!(with(jobs).exits(1).stdout == one, "{jobs} threads report something else");
    }
}

#[test]
fn the_report_goes_where_it_should() {
    let Some(scratch) = jar(&[("Line.java", LINE)]) else { return };
    let outcome = scan(&scratch, &["app.jar", "-f", "sarif", "-o", "out.sarif"]).exits(1);
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("", ""));
    assert!(scratch.read("out.sarif").starts_with(b"{"));
    scan(&scratch, &["app.jar", "-o", "app.jar"]).exits(2);
    scan(&scratch, &["app.jar", "--write-baseline", "app.jar"]).exits(2);
    let help = interloper(&["scan", "--help"]).exits(0).stdout;
    assert!(help.contains("interloper.toml"), "{help}");
}
