//! The text report, against expected output and for what must never happen.
#![allow(clippy::unwrap_used)]

mod samples;

use interloper_report::{Report, Run, TextOptions, text};
use samples::{engine, everything, expect, one, run};
use std::path::PathBuf;

fn render(report: &Report, opts: &TextOptions) -> String {
    let mut out = vec![];
    text(report, opts, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn source() -> Vec<PathBuf> {
    vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/source")]
}

#[test]
fn every_sample_without_source() {
    for (name, finding) in samples::all() {
        let actual = render(&one("bank.std", finding), &TextOptions::default());
        expect(&format!("{name}.txt"), actual.as_bytes());
    }
}

#[test]
fn with_source() {
    let opts = TextOptions { sources: source(), ..Default::default() };
    let actual = render(&one("bank.std", samples::lost_update()), &opts);
    expect("lost-update.source.txt", actual.as_bytes());
}

#[test]
fn with_source_for_some_steps_only() {
    let mut finding = samples::lost_update();
    let lost = finding.edges[0].target.as_mut().unwrap();
    lost.at = "Lost.java:7".into();
    finding.edges[1].source = finding.edges[0].target.clone();
    finding.steps[1] = finding.edges[0].target.clone().unwrap();
    let opts = TextOptions { sources: source(), ..Default::default() };
    let actual = render(&one("bank.std", finding), &opts);
    expect("lost-update.mixed.txt", actual.as_bytes());
}

#[test]
fn coloured() {
    let opts = TextOptions { colour: true, sources: source(), ..Default::default() };
    let sourced = render(&one("bank.std", samples::lost_update()), &opts);
    expect("lost-update.source.ansi", sourced.as_bytes());
    let opts = TextOptions { colour: true, ..Default::default() };
    let bare = render(&one("bank.std", samples::three_threads()), &opts);
    expect("three-threads.ansi", bare.as_bytes());
    // Colour changes nothing but colour.
    assert_eq!(
        strip(&bare),
        render(&one("bank.std", samples::three_threads()), &TextOptions::default())
    );
}

/// The text without colours.
fn strip(text: &str) -> String {
    let mut out = String::new();
    let mut parts = text.split('\x1b');
    out += parts.next().unwrap();
    for part in parts {
        out += part.split_once('m').unwrap().1;
    }
    out
}

#[test]
fn narrow_terminals_get_a_list() {
    let opts = TextOptions { width: 60, ..Default::default() };
    expect(
        "three-threads.narrow.txt",
        render(&one("a.std", samples::three_threads()), &opts).as_bytes(),
    );
}

#[test]
fn all_steps_of_a_long_cycle_if_asked() {
    let count = |text: &str| text.matches("Ring.java:8").count();
    let report = one("ring.std", samples::long(40));
    let short = render(&report, &TextOptions::default());
    let full = render(&report, &TextOptions { full: true, ..Default::default() });
    assert!(short.contains("… 69 more steps …") && short.contains("more links …"), "{short}");
    assert!(!full.contains("more steps"));
    assert_eq!(count(&full), 40);
    assert!(count(&short) < 12);
}

#[test]
fn engines_that_agree_tell_a_bug_once() {
    let report = everything();
    let text = render(&report, &TextOptions { stats: true, ..Default::default() });
    assert_eq!(text.matches("[frontier + velodrome").count(), samples::all().len() - 1);
    assert!(text.contains("also: frontier + velodrome, possible: R B L R"), "{text}");
    let summary = text.split("traces/all of them.std: ").nth(1).unwrap();
    expect("summary.txt", format!("traces/all of them.std: {summary}").as_bytes());
}

#[test]
fn many_engines_give_one_view() {
    let report = samples::many_engines();
    for (width, file) in [(100, "many-engines.txt"), (80, "many-engines.narrow.txt")] {
        let text = render(&report, &TextOptions { width, ..Default::default() });
        expect(file, text.as_bytes());
        let (_, summary) = text.split_once("traces/vector.std: ").unwrap();
        assert!(summary.lines().all(|line| line.chars().count() <= width), "{summary}");
    }
    let opts = TextOptions { colour: true, ..Default::default() };
    let coloured = render(&report, &opts);
    expect("many-engines.ansi", coloured.as_bytes());
    assert_eq!(strip(&coloured), render(&report, &TextOptions::default()));
}

#[test]
fn the_most_certain_comes_first_and_each_block_once() {
    let text = render(&samples::many_engines(), &TextOptions::default());
    let at = |headline: &str| {
        assert_eq!(text.matches(headline).count(), 1, "{headline}\n{text}");
        text.find(headline).unwrap()
    };
    let order = [
        "\n",
        "violation: Account.withdraw is not atomic",
        "predicted: Vector.<init> can be cut in two",
        "possible: Cache.refreshAll",
        "observed: race on stats.hits",
        "predicted: deadlock between a, b and c",
    ];
    let places: Vec<usize> = order[1..].iter().map(|headline| at(headline)).collect();
    assert!(places.is_sorted(), "{text}");
    assert!(text.contains("[hb, certain; multilockset + eraser, possible]"), "{text}");
}

#[test]
fn blocks_around_the_one_in_question_are_in_the_table_too() {
    let outer = |mut finding: interloper_findings::Finding| {
        finding.blocks.truncate(1);
        finding.subject = "p".into();
        finding.certainty = interloper_findings::Certainty::Possible;
        finding.edges.clear();
        finding
    };
    let engines = vec![
        engine("frontier", vec![samples::nested()]),
        engine("reduction", vec![outer(samples::nested())]),
    ];
    let text = render(&run("a.std", 9, 2, engines), &TextOptions::default());
    let row = |start: &str| {
        let table = text.split("block of code").nth(1).unwrap();
        let row = table.lines().find(|line| line.trim_start().starts_with(start)).unwrap();
        row.split_whitespace().map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(row("p "), ["p", "observed", "possible"], "{text}");
    assert_eq!(row("q "), ["q", "observed", "–"], "{text}");
}

#[test]
fn long_tables_are_elided_unless_all_is_wanted() {
    let many = |certainty| {
        let finding = |i: usize| {
            let mut finding = samples::does_not_reduce();
            finding.certainty = certainty;
            finding.subject = format!("Block{i}.run");
            finding.blocks[0].label = finding.subject.clone();
            finding.fingerprint = format!("{i:016x}");
            finding
        };
        (0..40).map(finding).collect::<Vec<_>>()
    };
    use interloper_findings::Certainty::{Possible, Predicted};
    let engines = vec![engine("blocks", many(Predicted)), engine("reduction", many(Possible))];
    let report = run("a.std", 9, 2, engines);
    let rows = |full| {
        let text = render(&report, &TextOptions { full, ..Default::default() });
        let table = text.split("block of code").nth(1).unwrap().to_string();
        (table.matches("predicted").count(), table.contains("more rows"))
    };
    assert_eq!(rows(true), (40, false));
    assert_eq!(rows(false), (11, true));
}

#[test]
fn many_engines_in_a_narrow_terminal_go_by_number() {
    let names = ["frontier", "velodrome", "velodrome-unmerged", "blocks", "reduction", "atomizer"];
    let engines = names.map(|name| engine(name, vec![samples::lost_update()])).to_vec();
    let text =
        render(&run("a.std", 9, 2, engines), &TextOptions { width: 80, ..Default::default() });
    let table = text.split("block of code").nth(1).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), ["1", "2", "3", "4", "5", "6"]);
    assert!(lines[1].ends_with("obs  obs  obs  obs  obs  obs"), "{table}");
    assert!(table.contains("3 velodrome-unmerged"), "{table}");
}

#[test]
fn nothing_found_says_what_that_is_worth() {
    let mut report = run("ok.std", 12, 2, vec![engine("frontier", vec![])]);
    expect("none.txt", render(&report, &TextOptions::default()).as_bytes());
    report.runs[0].events = 0;
    let text = render(&report, &TextOptions::default());
    assert!(text.contains("nothing was checked") && !text.contains("no violation found"), "{text}");
}

#[test]
fn no_name_reaches_the_terminal_raw() {
    let mut report = one("\x1b[2Jevil\n.std", samples::hostile());
    report.runs[0].notes = vec!["\x1b[31mnote".into()];
    report.runs[0].engines[0].engine = "fron\x07tier".into();
    for opts in [TextOptions::default(), TextOptions { width: 500, ..Default::default() }] {
        let text = render(&report, &opts);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        assert!(!text.contains('\u{202e}'));
    }
}

#[test]
fn nothing_that_predicting_engines_say_reaches_the_terminal_raw() {
    let evil = || "\x1b[2J\u{202e}evil\n".to_string();
    let mut report = samples::many_engines();
    for engine in &mut report.runs[0].engines {
        engine.caveat = Some(evil());
        for finding in &mut engine.findings {
            finding.subject = evil();
            finding.notes = vec![evil().repeat(1_000)];
            finding.steps.iter_mut().for_each(|step| step.held = Some(vec![evil()]));
        }
    }
    for width in [0, 40, 80, 500] {
        let text = render(&report, &TextOptions { width, ..Default::default() });
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        assert!(!text.contains('\u{202e}'));
        assert!(text.len() < 100_000, "long notes are cut");
    }
}

#[test]
fn hostile_source_is_shown_safely() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    std::fs::write(
        folder.path().join("src/a b%#?.c"),
        b"\n\n\n\n\n\nx\t= \x1b[2J\xff1; // \xe2\x80\xae\n",
    )
    .unwrap();
    let opts = TextOptions { sources: vec![folder.path().into()], ..Default::default() };
    let text = render(&one("a.std", samples::hostile()), &opts);
    assert!(text.contains("= \\u{1b}[2J\u{fffd}1; // \\u{202e}"), "{text}");
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
}

#[test]
fn inconsistent_findings_do_no_harm() {
    let mut finding = samples::three_threads();
    finding.transactions.clear();
    finding.steps.truncate(1);
    finding.blocks.clear();
    finding.edges[1].from = 99;
    render(&one("a.std", finding.clone()), &TextOptions::default());
    finding.edges.clear();
    finding.steps.clear();
    let text = render(&one("a.std", finding), &TextOptions { width: 0, ..Default::default() });
    assert!(text.starts_with("violation: A is not atomic"));
}

#[test]
fn an_input_that_failed_is_left_out() {
    let fine = run("ok.std", 12, 2, vec![engine("frontier", vec![])]);
    let expected = render(&fine, &TextOptions::default());
    let failed = Run::failed("bad.std", "bad.std:3: what is this?");
    let runs = vec![failed.clone(), fine.runs[0].clone(), failed];
    assert_eq!(render(&Report { runs }, &TextOptions::default()), expected);
}

#[test]
fn long_notes_are_folded_and_keep_their_middle() {
    let name = "java.util.concurrent.locks.ReentrantReadWriteLock";
    let note = format!(
        "{name} was asked for, but it is not instrumented: the probe itself depends on this class"
    );
    let mut report = run("app", 9, 2, vec![]);
    report.runs[0].notes.push(note.clone());
    let shown = render(&report, &TextOptions::default());
    assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&shown).contains(&words(&note)), "{shown}");
}
