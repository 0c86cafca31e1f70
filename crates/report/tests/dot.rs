//! The error graphs: expected text, and what Graphviz makes of them.
#![allow(clippy::unwrap_used)]

mod samples;

use interloper_report::{Report, dot};
use samples::{everything, expect, one};
use std::io::Write;
use std::process::{Command, Stdio};

fn render(report: &Report) -> Vec<u8> {
    let mut out = vec![];
    dot(report, &mut out).unwrap();
    out
}

#[test]
fn text_is_stable() {
    for name in ["lost-update", "program-order", "hostile", "race", "deadlock"] {
        let finding = samples::all().into_iter().find(|(n, _)| *n == name).unwrap().1;
        expect(&format!("{name}.dot"), &render(&one("bank.std", finding)));
    }
}

#[test]
fn the_parts_of_the_drawing() {
    let text = String::from_utf8(render(&one("a.std", samples::program_order_hop()))).unwrap();
    let line = |start: &str| text.lines().find(|l| l.trim().starts_with(start)).unwrap();
    assert!(line("t0 [").contains("peripheries=2"));
    assert!(!line("t1 [").contains("peripheries"));
    assert!(line("t1 -> t2").contains("style=dotted"));
    assert!(line("t2 -> t0").contains("style=dashed"));
    assert!(!line("t0 -> t1").contains("style="));
}

/// Graphviz's drawing of the graphs, or `None` where it is not installed.
fn graphviz(input: &[u8]) -> Option<String> {
    let spawned = Command::new("dot")
        .arg("-Tsvg")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = spawned else {
        eprintln!("skipped: Graphviz's `dot` is not installed");
        return None;
    };
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaints}");
    assert!(!complaints.contains("syntax error"), "{complaints}");
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn graphviz_draws_every_finding() {
    let Some(svg) = graphviz(&render(&everything())) else { return };
    // All but the one that has no shape.
    assert_eq!(svg.matches("<svg ").count(), samples::all().len() - 1);
}

#[test]
fn graphviz_shows_names_as_they_are() {
    let Some(svg) = graphviz(&render(&one("a.std", samples::hostile()))) else { return };
    let svg = svg.replace("&#45;", "-").replace("&#160;", " ").replace("&quot;", "\"");
    for shown in ["thread 残高スレッド", "bad\\u{7}\"label\"\\n", "r(a\\b&amp;amp;&lt;x&gt;[1](2))"]
    {
        assert!(svg.contains(shown), "{shown} is not in\n{svg}");
    }
}

#[test]
fn what_has_no_shape_is_a_comment() {
    let text = String::from_utf8(render(&one("a.std", samples::does_not_reduce()))).unwrap();
    assert_eq!(text, "// Vector.<init> may not be atomic: nothing to draw, found by frontier\n");
}

#[test]
fn nothing_found_draws_nothing() {
    assert!(render(&Report::default()).is_empty());
}
