//! Several engines, one report: predictions, races, deadlocks, and how engines are set.

use crate::common::{LOST_UPDATE, Outcome, SERIAL, fed, interloper};
use serde_json::Value;

/// The Vector of Wang and Stoller's Figure 1: each method is synchronized, the constructor is not.
fn vector(options: &[&str]) -> Outcome {
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/vector/vector.std");
    interloper(&[&["check", trace], options].concat())
}

/// Each variable alone is fine, the two together are not.
const TWO_VARIABLES: &str = "\
T1|begin(move)|A:1
T1|acq(m)|A:2
T1|w(from)|A:3
T1|rel(m)|A:4
T1|acq(m)|A:5
T1|w(to)|A:6
T1|rel(m)|A:7
T1|end|A:8
T2|begin(sum)|B:1
T2|acq(m)|B:2
T2|r(from)|B:3
T2|rel(m)|B:4
T2|acq(m)|B:5
T2|r(to)|B:6
T2|rel(m)|B:7
T2|end|B:8
";

/// Wang and Stoller's trace (6), one transaction after the other: any two of the three are atomic.
const THREE_TRANSACTIONS: &str = "\
T1|begin(one)|A:1
T1|w(x)|A:2
T1|w(y)|A:3
T1|end|A:4
T2|begin(two)|B:1
T2|r(x)|B:2
T2|w(z)|B:3
T2|end|B:4
T3|begin(three)|C:1
T3|r(z)|C:2
T3|r(y)|C:3
T3|end|C:4
";

/// Two locks in both orders.
const CROSSED: &str = "\
T1|begin(ab)|A:1
T1|acq(a)|A:2
T1|acq(b)|A:3
T1|rel(b)|A:4
T1|rel(a)|A:5
T1|end|A:6
T2|begin(ba)|B:1
T2|acq(b)|B:2
T2|acq(a)|B:3
T2|rel(a)|B:4
T2|rel(b)|B:5
T2|end|B:6
";

/// A lock around nothing that matters, between two that do.
const EMPTY_SECTION: &str = "\
T1|begin(work)|A:1
T1|acq(a)|A:2
T1|rel(a)|A:3
T1|acq(m)|A:4
T1|w(x)|A:5
T1|rel(m)|A:6
T1|end|A:7
T2|begin(other)|B:1
T2|acq(a)|B:2
T2|acq(m)|B:3
T2|w(x)|B:4
T2|rel(m)|B:5
T2|rel(a)|B:6
T2|end|B:7
";

fn check(trace: &str, options: &[&str]) -> Outcome {
    fed(&[&["check", "-"], options].concat(), trace.as_bytes())
}

/// The part of one engine in a JSON report on one trace.
#[track_caller]
fn part<'a>(report: &'a Value, engine: &str) -> &'a Value {
    let engines = report["runs"][0]["engines"].as_array().unwrap();
    engines.iter().find(|part| part["engine"] == engine).expect("the engine ran")
}

fn json(trace: &str, engines: &str) -> Value {
    check(trace, &["-e", engines, "-f", "json"]).json()
}

#[test]
fn all_are_all_but_the_variant_of_another() {
    let engines = |wanted: &str| {
        let report = check("T0|r(x)|1\n", &["-e", wanted, "-f", "json"]).exits(0).json();
        let engines = report["runs"][0]["engines"].as_array().unwrap().clone();
        engines.iter().map(|part| part["engine"].as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    let all: Vec<&str> = interloper_engines::NAMES
        .into_iter()
        .filter(|name| *name != "velodrome-unmerged")
        .collect();
    assert!(all.len() > 8);
    assert_eq!(engines("all"), all);
    assert_eq!(engines("all,frontier,all"), all);
    assert_eq!(engines("all,velodrome-unmerged").len(), all.len() + 1);
    assert_eq!(engines("velodrome,all")[..2], ["velodrome", "frontier"]);
}

#[test]
fn the_vector_of_the_paper() {
    let report = vector(&["-e", "all", "-f", "json"]).exits(1).json();
    for exact in ["frontier", "velodrome"] {
        assert_eq!(part(&report, exact)["verdict"], "none", "the observed run was fine");
    }
    for races in ["eraser", "objectrace", "multilockset", "hb", "goodlock"] {
        assert_eq!(part(&report, races)["verdict"], "none", "{races}");
    }
    let findings = part(&report, "blocks")["findings"].as_array().unwrap();
    let steps = |finding: &Value| {
        let step = |step: &Value| {
            let text = |field: &str| step[field].as_str().unwrap().to_string();
            assert_eq!(step["held"], serde_json::json!(["v1"]));
            format!("{}: {} @ {}", text("thread"), text("op"), text("at"))
        };
        finding["steps"].as_array().unwrap().iter().map(step).collect::<Vec<_>>()
    };
    // What the paper's Figure 7 says.
    let figure7 = [
        "thread_1: r(v1.elementCount) @ Vector.java:267",
        "thread_2: w(v1.elementCount) @ Vector.java:631",
        "thread_1: r(v1.elementCount) @ Vector.java:690",
    ];
    let seven = findings.iter().find(|finding| steps(finding) == figure7);
    let seven = seven.unwrap_or_else(|| panic!("{findings:#?}"));
    assert_eq!(seven["certainty"], "predicted");
    assert_eq!(seven["subject"], "Vector(Collection)");
    let reduction = &part(&report, "reduction")["findings"][0];
    assert_eq!(reduction["certainty"], "possible");
    assert!(reduction["notes"].to_string().contains("RBLRBBBL"), "{reduction:#}");
    let places: Vec<&str> = reduction["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["at"].as_str().unwrap())
        .collect();
    assert_eq!(places, ["Vector.java:266", "Vector.java:689"]);
}

#[test]
fn one_view_of_the_vector() {
    let text = vector(&["-e", "all"]).exits(1).stdout;
    assert_eq!(
        text.matches("predicted: Vector(Collection) can be cut in two").count(),
        1,
        "{text}"
    );
    assert!(!text.contains("violation:") && !text.contains("\npossible:"), "{text}");
    assert!(text.contains("also: reduction, possible: "), "{text}");
    assert!(text.contains("this order was not observed"), "{text}");
    let table = text.split("block of code").nth(1).unwrap();
    let row = table.lines().find(|line| line.trim_start().starts_with("Vector(Coll")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().skip(1).take(4).collect();
    assert_eq!(cells, ["–", "–", "predicted", "possible"], "{text}");
}

#[test]
fn findings_of_any_engine_are_findings() {
    for engine in ["blocks", "reduction"] {
        vector(&["-e", engine]).exits(1);
    }
    vector(&["-e", "frontier"]).exits(0);
    check(CROSSED, &["-e", "goodlock"]).exits(1);
    check(CROSSED, &["-e", "frontier"]).exits(0);
    check(SERIAL, &["-e", "hb"]).exits(1);
}

#[test]
fn how_far_blocks_looks() {
    for (trace, expected) in [(TWO_VARIABLES, [0, 1, 1]), (THREE_TRANSACTIONS, [0, 0, 1])] {
        let codes = ["1v", "2v", "cycles"]
            .map(|rule| check(trace, &["-e", "blocks", "--blocks", rule]).code);
        assert_eq!(codes, expected, "{trace}");
        assert_eq!(check(trace, &["-e", "blocks"]).code, expected[1], "2v is the default");
    }
}

#[test]
fn improvements_can_be_switched_off() {
    check(EMPTY_SECTION, &["-e", "reduction"]).exits(0);
    let outcome = check(EMPTY_SECTION, &["-e", "reduction", "--without", "acq-rel"]).exits(1);
    assert!(outcome.stdout.contains("possible: work may not be atomic"), "{outcome:?}");
    let joined = "M|begin(a)|1\nM|r(x)|2\nM|w(x)|3\nM|end|4\nM|fork(T)|5\nT|w(x)|6\n";
    check(joined, &["-e", "blocks"]).exits(0);
    check(joined, &["-e", "blocks", "--without", "happens-before,escape"]).exits(1);
    check(joined, &["-e", "reduction", "--without", "escape,happens-before,multilockset,acq-rel"]);
}

#[test]
fn settings_of_engines_that_do_not_run_are_refused() {
    for (options, says) in [
        (&["--blocks", "1v"][..], "--blocks is for blocks, which you did not choose"),
        (&["-e", "reduction", "--blocks", "1v"], "--engine blocks"),
        (&["--without", "escape"], "--without escape is for reduction and blocks"),
        (&["-e", "blocks", "--without", "acq-rel"], "--without acq-rel is for reduction"),
        (&["-e", "blocks", "--without", "escape,multilockset"], "--without multilockset is for"),
        (&["-e", "blocks", "--blocks", "3v"], "[possible values: 1v, 2v, cycles]"),
        (&["-e", "blocks", "--without", "luck"], "escape, happens-before, multilockset, acq-rel"),
    ] {
        let outcome = check(SERIAL, options).exits(2);
        assert!(outcome.stderr.contains(says), "{options:?}: {outcome:?}");
        assert_eq!(outcome.stdout, "");
    }
    check(SERIAL, &["-e", "all", "--blocks", "1v", "--without", "acq-rel", "-f", "json"]);
}

#[test]
fn what_takes_for_granted_that_nothing_deadlocks_says_so_where_it_can() {
    for engine in ["blocks", "reduction", "atomizer"] {
        let alone = json(CROSSED, engine);
        let caveat = part(&alone, engine)["caveat"].as_str().unwrap();
        assert!(caveat.contains("1 potential deadlock was found"), "{caveat}");
        assert!(caveat.contains("`--engine goodlock` shows"), "{caveat}");
        assert_eq!(alone["runs"][0]["engines"].as_array().unwrap().len(), 1);
        let both = json(CROSSED, &format!("{engine},goodlock"));
        let caveat = part(&both, engine)["caveat"].as_str().unwrap();
        assert!(caveat.contains("which goodlock shows"), "{caveat}");
        assert!(part(&both, "goodlock")["caveat"].is_null());
        assert!(part(&json(TWO_VARIABLES, engine), engine)["caveat"].is_null());
    }
    assert!(part(&json(CROSSED, "frontier,hb"), "hb")["caveat"].is_null());
    let text = check(CROSSED, &["-e", "reduction"]).stdout;
    assert!(
        text.contains("but it takes for granted that no schedule can end in a deadlock"),
        "{text}"
    );
    let sarif = check(CROSSED, &["-e", "reduction", "-f", "sarif"]).json();
    let notes = &sarif["runs"][0]["invocations"][0]["toolExecutionNotifications"];
    assert!(notes.to_string().contains("-: reduction: it takes for granted"), "{notes}");
}

#[test]
fn a_deadlock_is_shown_as_a_circle() {
    let text = check(CROSSED, &["-e", "goodlock"]).exits(1).stdout;
    assert!(text.starts_with("predicted: deadlock between b and a"), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[1].ends_with("holding"), "{text}");
    assert!(lines[2].contains("① acquires b") && lines[2].ends_with('a'), "{text}");
    assert!(lines[3].contains("② acquires a") && lines[3].ends_with('b'), "{text}");
    let dot = check(CROSSED, &["-e", "goodlock", "-f", "dot"]).stdout;
    assert!(dot.contains("waits for b, held by"), "{dot}");
}

#[test]
fn a_race_is_told_once_by_all_who_find_it() {
    let trace = "T1|acq(m)|A:1\nT1|w(x)|A:2\nT1|rel(m)|A:3\nT2|w(x)|B:1\nT1|w(x)|A:2\n";
    let text = check(trace, &["-e", "hb,multilockset,eraser"]).exits(1).stdout;
    assert_eq!(text.matches("race on x").count(), 1, "{text}");
    assert!(text.starts_with("observed: race on x"), "{text}");
    assert!(text.contains("[hb, certain; multilockset + eraser, possible]"), "{text}");
    assert!(text.contains("holding"), "{text}");
    let table = text.split("\n  race").nth(1).unwrap();
    assert!(table.contains("observed  possible      possible"), "{text}");
    let sarif = check(trace, &["-e", "hb,multilockset,eraser", "-f", "sarif"]).json();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["ruleId"], "interloper/race");
}

#[test]
fn what_was_observed_comes_before_what_is_predicted() {
    let trace = format!("{TWO_VARIABLES}{}", LOST_UPDATE.replace('T', "U"));
    let text = check(&trace, &["-e", "reduction,blocks,frontier"]).exits(1).stdout;
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}\n{text}"));
    assert!(at("violation: withdraw is not atomic") < at("predicted: "), "{text}");
    assert!(at("also: blocks, predicted: ") < at("predicted: move"), "{text}");
}
