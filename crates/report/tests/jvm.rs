//! Programs that were checked while they ran: what is told of them, and locations as Java writes them.
#![allow(clippy::unwrap_used)]

mod samples;

use interloper_report::{Jvm, LeftAlone, Report, Run, TextOptions, json, sarif, text};
use samples::{dependence, engine, finding, step, tool};
use serde_json::{Value, json};
use std::path::PathBuf;

/// A bank whose `transfer` uses two methods of the account, all in a package.
fn report() -> Report {
    let at = |method: &str, line| format!("bank.{method}(Account.java:{line})");
    let read = step(3, "main", "r(Account#1.balance)", &at("Account.balance", 12));
    let write = step(5, "bob", "w(Account#1.balance)", &at("Account.deposit", 16));
    let last = step(8, "main", "w(Account#1.balance)", &at("Bank.transfer", 21));
    let edges = vec![
        dependence(0, 1, read, write.clone(), "read before write of Account#1.balance"),
        dependence(1, 0, write, last, "write before write of Account#1.balance"),
    ];
    let blocks = vec![samples::block("bank.Bank.transfer", 2, &at("Bank.transfer", 20), true)];
    let transactions =
        [("main", Some("bank.Bank.transfer")), ("bob", Some("bank.Account.deposit"))];
    let found = finding("bank.Bank.transfer is not atomic", "f00d", blocks, &transactions, edges);
    let left_alone = LeftAlone {
        reason: "the method would be too long".into(),
        count: 3,
        examples: vec!["bank.Big.parse".into(), "bank.Big.lex".into()],
    };
    let jvm = Jvm {
        pid: 4711,
        java: "17.0.15".into(),
        classes: 2,
        methods: 9,
        atomic: 7,
        blocks: 1234,
        left_alone: vec![left_alone],
    };
    let run = Run {
        input: "java -cp bank Main".into(),
        events: 9_310,
        threads: 2,
        complete: true,
        engines: vec![engine("frontier", vec![found])],
        jvm: Some(jvm),
        ..Run::default()
    };
    Report { runs: vec![run] }
}

fn render(sources: Vec<PathBuf>, width: usize) -> String {
    let mut out = vec![];
    text(&report(), &TextOptions { sources, width, ..Default::default() }, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn text_without_source_names_methods_where_they_are_not_the_block() {
    let text = render(vec![], 140);
    samples::expect("jvm.txt", text.as_bytes());
    assert!(text.contains("Account.balance(Account.java:12)"), "{text}");
    assert!(text.contains(" Account.java:16"), "the block is the method: {text}");
    assert!(!text.contains("bank.Account.balance("), "{text}");
}

#[test]
fn locations_lose_their_methods_before_the_picture_becomes_a_list() {
    let text = render(vec![], 100);
    samples::expect("jvm.narrow.txt", text.as_bytes());
    assert!(text.contains("┌ bank.Bank.transfer"), "{text}");
    assert!(!text.contains("Account.balance("), "{text}");
}

#[test]
fn source_is_found_by_package_and_file() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("main/bank");
    std::fs::create_dir_all(&package).unwrap();
    let lines: String = (1..30).map(|line| format!("line {line}\n")).collect();
    std::fs::write(package.join("Account.java"), lines).unwrap();
    // a file of the same name elsewhere does not disturb
    let other = folder.path().join("other");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join("Account.java"), "wrong\n").unwrap();
    let text = render(vec![folder.path().to_path_buf()], 100);
    for line in ["line 12", "line 16", "line 21", "bank/Account.java:12", "by Account.balance"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(!text.contains("by Account.deposit"), "that is the block itself: {text}");
}

#[test]
fn json_tells_what_was_done_to_the_program() {
    let mut out = vec![];
    json(&report(), &tool(), &mut out).unwrap();
    let document: Value = serde_json::from_slice(&out).unwrap();
    let expected = json!({
        "pid": 4711, "java": "17.0.15", "classes": 2, "methods": 9, "atomic": 7, "blocks": 1234,
        "left_alone": [{
            "reason": "the method would be too long", "count": 3,
            "examples": ["bank.Big.parse", "bank.Big.lex"],
        }],
    });
    assert_eq!(document["runs"][0]["jvm"], expected);
    let at = &document["runs"][0]["engines"][0]["findings"][0]["steps"][0]["at"];
    assert_eq!(at, "bank.Account.balance(Account.java:12)", "as it was recorded");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/interloper-1.schema.json");
    let schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    assert!(schema.is_valid(&document));
}

#[test]
fn sarif_names_the_file_in_its_package() {
    let mut out = vec![];
    sarif(&report(), &tool(), &[], &mut out).unwrap();
    let document: Value = serde_json::from_slice(&out).unwrap();
    let location = &document["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "bank/Account.java");
    assert_eq!(location["region"]["startLine"], 20);
}
