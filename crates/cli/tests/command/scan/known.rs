//! Baselines, suppression, settings in a file.

use super::{GLOBAL, LINE, compiled, scan, tool};
use crate::common::Scratch;
use std::fs;

#[test]
fn a_baseline_hides_what_is_known() {
    let Some(scratch) = compiled(&[("Line.java", LINE), ("Global.java", GLOBAL)]) else { return };
    let outcome = scan(&scratch, &["classes", "--write-baseline", "base.json"]).exits(0);
    assert!(outcome.stdout.contains("not shown: 2 findings known from the baseline"));
    let baseline = String::from_utf8(scratch.read("base.json")).unwrap();
    assert!(baseline.contains("\"interloper-baseline/1\"") && baseline.contains("geo.Global.B"));
    // lines move, and it is still known
    let moved = LINE.replace("  Location start", "\n\n  // more\n  Location start");
    scratch.file("src/geo/Line.java", &moved);
    tool("javac", &["-g", "-d", "classes", "src/geo/Line.java"], scratch.path());
    scan(&scratch, &["classes", "--baseline", "base.json"]).exits(0);
    // a third call is a new place of a known finding
    let more = LINE.replace("return r1", "point.distanceTo(end); return r1");
    scratch.file("src/geo/Line.java", &more);
    tool("javac", &["-g", "-d", "classes", "src/geo/Line.java"], scratch.path());
    let outcome = scan(&scratch, &["classes", "--baseline", "base.json"]).exits(1);
    assert!(outcome.stdout.contains("[scan, updated]"), "{}", outcome.stdout);
    let sarif = scan(&scratch, &["classes", "--baseline", "base.json", "-f", "sarif"]).json();
    let states = sarif["runs"][0]["results"].as_array().unwrap().iter();
    let states: Vec<_> = states.map(|it| it["baselineState"].as_str().unwrap()).collect();
    assert_eq!(states.iter().filter(|it| **it == "unchanged").count(), 1, "{states:?}");
    assert_eq!(states.iter().filter(|it| **it == "updated").count(), 1, "{states:?}");
    // what is gone is told
    fs::remove_file(scratch.path().join("classes/geo/Global.class")).unwrap();
    let outcome = scan(&scratch, &["classes", "--baseline", "base.json"]).exits(1);
    assert!(outcome.stdout.contains("no longer found: geo.Global.B"), "{}", outcome.stdout);
}

#[test]
fn bad_baselines_are_refused() {
    let scratch = Scratch::new();
    for (text, says) in [
        ("{}", "not a baseline: missing field `schema`"),
        ("{\"schema\": \"interloper-baseline/9\"}", "interloper-baseline/9"),
        ("[", "not a baseline"),
    ] {
        scratch.file("base.json", text);
        let outcome = scan(&scratch, &[".", "--baseline", "base.json"]).exits(2);
        assert!(outcome.stderr.contains(says), "{outcome:?}");
    }
    scan(&scratch, &[".", "--baseline", "nowhere.json"]).exits(2);
}

#[test]
fn suppression_by_list_entry_and_annotation() {
    let annotated = GLOBAL.replace("void m()", "@Fine void m()");
    let Some(scratch) = compiled(&[("Line.java", LINE), ("Global.java", &annotated)]) else {
        return;
    };
    let outcome = scan(&scratch, &["classes", "--suppress", "geo.Line.contains"]).exits(1);
    assert!(outcome.stdout.contains("not shown: 1 finding suppressed"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("Line.contains"), "{}", outcome.stdout);
    let all = ["classes", "--suppress", "geo.Line", "--suppress-annotation", "Fine"];
    scan(&scratch, &all).exits(0);
    scratch.file("list.txt", "# ours\ngeo.Line.*  # drawn by one thread\nother.Code\n");
    let listed = ["classes", "--suppressions", "list.txt", "--suppress-annotation", "geo.Fine"];
    let outcome = scan(&scratch, &listed).exits(0);
    assert!(outcome.stdout.contains("suppresses nothing: other.Code"), "{}", outcome.stdout);
    let sarif = scan(&scratch, &[&listed[..], &["-f", "sarif"]].concat()).exits(0).json();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let suppressions: Vec<_> = results.iter().map(|it| it["suppressions"][0].clone()).collect();
    let has = |kind: &str, reason: &str| {
        suppressions.iter().any(|it| it["kind"] == kind && it["justification"] == reason)
    };
    assert!(has("external", "geo.Line.*: drawn by one thread"), "{suppressions:?}");
    assert!(has("inSource", "@geo.Fine"), "{suppressions:?}");
    let outcome = scan(&scratch, &["classes", "--suppress", "*"]).exits(2);
    assert!(outcome.stderr.contains("this would suppress everything"), "{outcome:?}");
}

#[test]
fn suppression_by_fingerprint() {
    let Some(scratch) = compiled(&[("Line.java", LINE)]) else { return };
    let json = scan(&scratch, &["classes", "-f", "json"]).exits(1).json();
    let finding = &json["runs"][0]["engines"][0]["findings"][0];
    for fingerprint in [&finding["fingerprint"], &finding["pattern"]["places"][0]["fingerprint"]] {
        scan(&scratch, &["classes", "--suppress", fingerprint.as_str().unwrap()]).exits(0);
    }
}

#[test]
fn settings_stand_in_a_file() {
    let Some(scratch) = compiled(&[("Line.java", LINE)]) else { return };
    scratch.file("interloper.toml", "[scan]\npaths = [\"classes\"]\nformat = \"json\"\n");
    let json = scan(&scratch, &[]).exits(1).json();
    assert_eq!(json["runs"][0]["input"], "classes");
    let text = scan(&scratch, &["-f", "text"]).exits(1).stdout;
    assert!(text.starts_with("possible: "), "{text}");
    scratch.file("interloper.toml", "[scan]\nsuppress = [\"geo.Line\"]\n");
    scan(&scratch, &["classes"]).exits(0);
    scratch.file("interloper.toml", "[scan]\nfilter = [\"geo.Location\"]\n");
    scan(&scratch, &["classes"]).exits(0);
    scratch.file("interloper.toml", "[scan]\nvariant = true\nfiltre = []\n");
    let outcome = scan(&scratch, &["classes"]).exits(2);
    for says in ["interloper.toml: ", "line 3", "unknown field `filtre`"] {
        assert!(outcome.stderr.contains(says), "{says}: {outcome:?}");
    }
    scratch.file("other.toml", "[scan]\nsuppress = [\"geo.Line\"]\n");
    scan(&scratch, &["classes", "--config", "other.toml"]).exits(0);
    scan(&scratch, &["classes", "--config", "nowhere.toml"]).exits(2);
}
