//! The corpus of bad traces, as the command meets them.

use crate::common::{EXACT, LOST_UPDATE, Scratch, interloper};
use std::fs;
use std::path::{Path, PathBuf};

/// The traces of the corpus with what is expected of them.
fn corpus() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../trace/tests/corpus");
    let paths = fs::read_dir(folder).expect("the corpus").map(|entry| entry.unwrap().path());
    let text = |path: PathBuf| path.to_str().unwrap().to_string();
    let mut corpus: Vec<(String, String)> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "std"))
        .map(|path| {
            let expected = fs::read_to_string(path.with_extension("expected")).unwrap();
            (text(path), expected)
        })
        .collect();
    corpus.sort();
    assert!(corpus.len() >= 35, "the corpus is there");
    corpus
}

#[test]
fn bad_traces_are_told_and_end_with_two() {
    for (path, expected) in corpus() {
        let (verdict, lenient) = expected.split_once("lenient: ").unwrap();
        let outcome = interloper(&["check", &path]);
        match verdict.strip_prefix("error at line ") {
            Some(told) => {
                let told = format!("error: {path}:{told}");
                assert!(outcome.stderr.starts_with(&told), "{outcome:?}");
                assert_eq!(outcome.stdout, "");
                outcome.exits(2);
            }
            None if lenient == "0 skipped\n" => {
                outcome.exits(3);
            }
            None => {
                assert_eq!(outcome.stderr, "");
                outcome.exits(0);
            }
        }
    }
}

#[test]
fn what_is_left_of_bad_traces_is_analysed() {
    let scratch = Scratch::new();
    for (path, expected) in corpus() {
        let (_, lenient) = expected.split_once("lenient: ").unwrap();
        let (skipped, kept) = lenient.split_once(" skipped\n").unwrap();
        let kept = kept.lines().count() as u64;
        // A lost update between threads of their own, behind what is bad.
        let mut trace = fs::read(&path).unwrap();
        trace.extend(format!("\n{}", LOST_UPDATE.replace('T', "new")).bytes());
        let trace = scratch.file("trace.std", trace);
        let outcome =
            interloper(&["check", "--lenient", "-e", EXACT, "-f", "json", &trace]).exits(1);
        let report = outcome.json();
        let run = &report["runs"][0];
        assert_eq!(run["events"], kept + 5, "{path}");
        assert_eq!(run["complete"], true, "{path}");
        let noted = run["notes"].to_string().contains(&format!("skipped {skipped} "));
        assert_eq!(noted, skipped != "0", "{path}: {}", run["notes"]);
        for engine in run["engines"].as_array().unwrap() {
            let findings = engine["findings"].as_array().unwrap();
            assert_eq!(findings.len(), 1, "{path}: {engine:#}");
            assert_eq!(findings[0]["event"], kept + 3, "{path}");
            assert_eq!(findings[0]["message"], "withdraw is not atomic", "{path}");
        }
    }
}
