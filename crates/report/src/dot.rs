//! The error graphs, for Graphviz: one digraph for each finding, one after the other.
//!
//! Boxes are transactions, edges the dependences between them with the two operations that make
//! them. The blamed box has a double outline, the edge that closed the cycle is dashed, and the
//! order of one thread's transactions is dotted.

use crate::model::{Report, Told};
use crate::words::{name, number, times};
use interloper_findings::{Edge, Step, Transaction};
use std::io::{self, Write};

/// Writes a digraph for each finding; engines that agree on a finding draw it once.
pub fn dot(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut graphs = 0;
    for run in &report.runs {
        for told in run.told() {
            graphs += 1;
            graph(&told, &run.input, graphs, out)?;
        }
    }
    Ok(())
}

fn graph(told: &Told<'_>, input: &str, index: usize, out: &mut dyn Write) -> io::Result<()> {
    let finding = told.finding;
    let title = quoted(&[
        name(&finding.message),
        format!(
            "{}: event {}, seen {}, found by {}",
            name(input),
            number(finding.event),
            times(finding.count),
            name(&told.engines.join(", "))
        ),
        // Keeps the title off the boxes.
        String::new(),
    ]);
    writeln!(out, "digraph \"finding {index}\" {{")?;
    writeln!(out, "  graph [label={title}, labelloc=t, fontname=\"Helvetica\", fontsize=14,")?;
    writeln!(out, "         nodesep=1.0, ranksep=1.0, pad=0.3];")?;
    writeln!(out, "  node [shape=box, fontname=\"Helvetica\", fontsize=12, margin=\"0.2,0.12\"];")?;
    writeln!(out, "  edge [fontname=\"Helvetica\", fontsize=10, color=gray25];")?;
    for (i, transaction) in finding.transactions.iter().enumerate() {
        writeln!(out, "  t{i} [{}];", node(transaction))?;
    }
    for drawn in &finding.edges {
        writeln!(out, "  t{} -> t{} [{}];", drawn.from, drawn.to, edge(drawn))?;
    }
    writeln!(out, "}}")
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
