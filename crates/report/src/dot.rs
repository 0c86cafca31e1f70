//! The error graphs, for Graphviz: one digraph for each finding, one after the other.
//!
//! Boxes are transactions, edges the dependences between them with the two operations that make
//! them. The blamed box has a double outline, the edge that closed the cycle is dashed, and the
//! order of one thread's transactions is dotted.
//!
//! A race is two boxes for the accesses with a plain line between them; a deadlock a circle of
//! threads, each waiting for a lock of the next. Of what has no such shape only a comment tells.

mod pattern;

use crate::model::Report;
use crate::view::Told;
use crate::words::{holding, name, number, times};
use interloper_findings::{Certainty, Edge, Finding, Kind, Step, Transaction};
use std::io::{self, Write};

/// Writes a digraph for each finding; engines that agree on a finding draw it once.
pub fn dot(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut graphs = 0;
    for run in &report.runs {
        for told in run.told() {
            let finding = told.finding;
            let body = match finding.kind {
                _ if !finding.edges.is_empty() => cycle(finding),
                Kind::Race => race(finding),
                Kind::Deadlock => circle(finding),
                Kind::Pattern => pattern::body(finding),
                Kind::Atomicity => vec![],
            };
            if body.is_empty() {
                let who = told.engines().join(", ");
                let what = format!("{}: nothing to draw, found by {who}", finding.message);
                writeln!(out, "// {}", name(&what))?;
                continue;
            }
            graphs += 1;
            graph(&told, &body, &run.input, graphs, out)?;
        }
    }
    Ok(())
}

fn graph(
    told: &Told<'_>,
    body: &[String],
    input: &str,
    index: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let finding = told.finding;
    let seen =
        if finding.certainty == Certainty::Observed { "seen" } else { finding.certainty.word() };
    let title = quoted(&[
        name(&finding.message),
        format!(
            "{}: event {}, {seen} {}, found by {}",
            name(input),
            number(finding.event),
            times(finding.count),
            name(&told.engines().join(", "))
        ),
        // Keeps the title off the boxes.
        String::new(),
    ]);
    writeln!(out, "digraph \"finding {index}\" {{")?;
    writeln!(out, "  graph [label={title}, labelloc=t, fontname=\"Helvetica\", fontsize=14,")?;
    writeln!(out, "         nodesep=1.0, ranksep=1.0, pad=0.3];")?;
    writeln!(out, "  node [shape=box, fontname=\"Helvetica\", fontsize=12, margin=\"0.2,0.12\"];")?;
    writeln!(out, "  edge [fontname=\"Helvetica\", fontsize=10, color=gray25];")?;
    for line in body {
        writeln!(out, "  {line};")?;
    }
    writeln!(out, "}}")
}

/// Transactions and the dependences between them.
fn cycle(finding: &Finding) -> Vec<String> {
    let boxes = finding.transactions.iter().enumerate();
    let boxes = boxes.map(|(i, transaction)| format!("t{i} [{}]", node(transaction)));
    let edges = finding.edges.iter();
    let edges = edges.map(|drawn| format!("t{} -> t{} [{}]", drawn.from, drawn.to, edge(drawn)));
    boxes.chain(edges).collect()
}

/// Two accesses that nothing keeps apart.
fn race(finding: &Finding) -> Vec<String> {
    let [one, other] = &finding.steps[..] else { return vec![] };
    let label = quoted(&[format!("  {}  ", name(&finding.subject))]);
    let line = format!("s0 -> s1 [label={label}, dir=none, color=firebrick, fontcolor=firebrick]");
    vec![format!("s0 [label={}]", act(one)), format!("s1 [label={}]", act(other)), line]
}

/// Each thread waits for a lock that the next one holds.
fn circle(finding: &Finding) -> Vec<String> {
    let n = finding.steps.len();
    let boxes = finding.steps.iter().enumerate();
    let boxes = boxes.map(|(i, step)| format!("s{i} [label={}]", act(step)));
    let arrows = finding.steps.iter().enumerate().map(|(i, step)| {
        let lock =
            step.op.split_once('(').map_or(&*step.op, |(_, lock)| lock.trim_end_matches(')'));
        let label = quoted(&[format!("  waits for {}, held by  ", name(lock))]);
        format!("s{i} -> s{} [label={label}, color=firebrick, fontcolor=firebrick]", (i + 1) % n)
    });
    boxes.chain(arrows).collect()
}

/// What a thread does, and with which locks in hand.
fn act(step: &Step) -> String {
    let held = holding(step);
    let lines = [Some(format!("thread {}", name(&step.thread))), Some(end(step)), held];
    quoted(&lines.into_iter().flatten().collect::<Vec<_>>())
}

fn node(transaction: &Transaction) -> String {
    let label = match transaction.label.as_deref() {
        None => "outside any block".to_string(),
        Some("") => "block".to_string(),
        Some(label) => name(label),
    };
    let label = quoted(&[label, format!("thread {}", name(&transaction.thread))]);
    match (transaction.blamed, &transaction.label) {
        (true, _) => format!("label={label}, peripheries=2, penwidth=2, color=firebrick"),
        (false, Some(_)) => format!("label={label}"),
        (false, None) => format!("label={label}, style=rounded"),
    }
}

fn edge(edge: &Edge) -> String {
    let (Some(source), Some(target)) = (&edge.source, &edge.target) else {
        let label = quoted(&[format!("  {}  ", name(&edge.reason))]);
        return format!("label={label}, style=dotted, color=gray50, fontcolor=gray50");
    };
    // The margin of spaces keeps the label off the line.
    let lines = [end(source), format!("→ {}", end(target)), name(&edge.reason)];
    let label = quoted(&lines.map(|line| format!("  {line}  ")));
    if edge.closing {
        format!("label={label}, style=dashed, color=firebrick, fontcolor=firebrick")
    } else {
        format!("label={label}")
    }
}

fn end(step: &Step) -> String {
    match step.at.as_str() {
        "" => name(&step.op),
        at => format!("{} @ {}", name(&step.op), name(at)),
    }
}

/// A quoted string of lines. In labels a backslash begins an escape and `&` an entity.
fn quoted(lines: &[String]) -> String {
    let line =
        |line: &String| line.replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;");
    let lines: Vec<String> = lines.iter().map(line).collect();
    format!("\"{}\"", lines.join("\\n"))
}
