//! What each engine says of an input, and what that is worth.

use super::notes::LONGEST_NOTE;
use super::paint::{CLEAR, FAINT, INTERLOPER, PLAIN, Paint, STRONG, VIOLATION, tint};
use super::{TextOptions, jvm};
use crate::model::{EngineRun, Run};
use crate::words::{columns, count, escape, fill, fold, name, number, shorten};
use annotate_snippets::renderer::Style;
use interloper_findings::{Certainty, Finding, Kind};
use std::io::{self, Write};

/// Writes the summary of one input.
pub(super) fn write(
    run: &Run,
    opts: &TextOptions,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let input = if run.input == "-" { "standard input".to_string() } else { name(&run.input) };
    let size = format!(": {}, {}", count(run.events, "event"), count(run.threads, "thread"));
    writeln!(out, "{}{size}", paint.paint(STRONG, &input))?;
    let width = run.engines.iter().map(|engine| columns(&engine.engine)).max().unwrap_or(0);
    for engine in &run.engines {
        let mut head = name(&engine.engine);
        for part in parts(engine, run) {
            let lines = fold(&part.text, opts.width.saturating_sub(width + 4));
            for (i, line) in lines.iter().enumerate() {
                let strong = if i == 0 { part.strong.min(line.len()) } else { 0 };
                let (strong, rest) = line.split_at(strong);
                let text = paint.paint(part.style, strong) + &paint.paint(part.rest, rest);
                writeln!(out, "  {head}{}  {text}", fill(&head, width))?;
                head.clear();
            }
        }
    }
    for note in &run.notes {
        note_line(&shorten(&escape(note), LONGEST_NOTE), opts, out)?;
    }
    if !run.complete {
        let part = "the input is incomplete: this holds for the part that was read";
        writeln!(out, "  = {part}")?;
    }
    if let Some(program) = &run.jvm {
        jvm::write(program, opts, out)?;
    }
    if opts.stats {
        stats(&run.engines, opts, paint, out)?;
    }
    Ok(())
}

/// Writes a note below the verdicts, in as many lines as it takes.
pub(super) fn note_line(note: &str, opts: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
    for (i, line) in fold(note, opts.width.saturating_sub(4)).iter().enumerate() {
        writeln!(out, "  {} {line}", if i == 0 { "=" } else { " " })?;
    }
    Ok(())
}

/// Something to say of an engine, in lines of its own.
struct Part {
    text: String,
    /// How many bytes at its beginning are in `style`.
    strong: usize,
    style: Style,
    rest: Style,
}

impl Part {
    fn new(style: Style, strong: &str, rest: &str) -> Part {
        Part { text: format!("{strong}{rest}"), strong: strong.len(), style, rest: PLAIN }
    }

    fn all(style: Style, text: &str) -> Part {
        Part { text: escape(text), strong: 0, style, rest: style }
    }
}

/// How many engines may run for each to tell what its verdicts are worth.
const FEW: usize = 2;

/// What is to be said of an engine.
fn parts(engine: &EngineRun, run: &Run) -> Vec<Part> {
    let mut parts = vec![verdict(engine, run)];
    let clear = !engine.found() && run.events > 0;
    if clear && !engine.guarantee.is_empty() && run.engines.len() <= FEW {
        parts.push(Part::all(FAINT, &format!("({})", engine.guarantee)));
    }
    if let Some(caveat) = &engine.caveat {
        parts.push(Part::all(INTERLOPER, &format!("but {caveat}")));
    }
    parts
}

fn verdict(engine: &EngineRun, run: &Run) -> Part {
    let found = engine.findings.len() as u64;
    if engine.found() {
        let surest = engine.findings.iter().map(|finding| finding.certainty).min();
        let style = tint(surest.unwrap_or(Certainty::Observed));
        let observed = |finding: &Finding| finding.certainty == Certainty::Observed;
        let observed = engine.findings.iter().all(observed);
        let times = match engine.violations {
            n if n > found && observed => format!(", {} in all", count(n, thing(engine.judges))),
            n if n > found => format!(", {} in all", count(n, "warning")),
            _ => String::new(),
        };
        return Part::new(style, &count(found, "finding"), &times);
    }
    if run.events == 0 {
        return Part::new(VIOLATION, "nothing was checked: there was no event to check", "");
    }
    // A verdict on a part is no verdict on the run.
    let part = match (run.complete, run.skipped) {
        (false, _) => " in the part that was read",
        (true, 0) => "",
        (true, _) => " among the events that were kept",
    };
    let clear = format!("no {} found{part}", thing(engine.judges));
    let meaning = match engine.all_clear.as_str() {
        meaning if !meaning.is_empty() && run.complete && run.skipped == 0 => {
            format!(": {}", escape(meaning))
        }
        _ => String::new(),
    };
    Part::new(CLEAR, &clear, &meaning)
}

/// What an engine looks for.
fn thing(kind: Kind) -> &'static str {
    match kind {
        Kind::Atomicity => "violation",
        Kind::Race => "race",
        Kind::Deadlock => "deadlock",
        Kind::Pattern => "pattern",
    }
}

/// The engines' numbers side by side.
pub(super) fn stats(
    engines: &[EngineRun],
    opts: &TextOptions,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut rows: Vec<&str> = vec![];
    for (stat, _) in engines.iter().flat_map(|engine| &engine.stats) {
        if !rows.contains(&stat.as_str()) {
            rows.push(stat);
        }
    }
    if rows.is_empty() {
        return Ok(());
    }
    let value = |engine: &EngineRun, row: &str| {
        let stat = engine.stats.iter().find(|(stat, _)| stat == row);
        stat.map_or("–".to_string(), |(_, value)| number(*value))
    };
    let left = rows.iter().map(|row| columns(&name(row))).max().unwrap_or(0);
    let wide = |engine: &EngineRun| {
        let values = rows.iter().map(|row| columns(&value(engine, row)));
        values.max().unwrap_or(0).max(columns(&name(&engine.engine)))
    };
    let widths: Vec<usize> = engines.iter().map(wide).collect();
    writeln!(out)?;
    if engines.len() > 2
        && 2 + left + widths.iter().map(|width| width + 3).sum::<usize>() > opts.width
    {
        return listed_stats(engines, opts, paint, out);
    }
    write!(out, "  {}", " ".repeat(left))?;
    for (engine, width) in engines.iter().zip(&widths) {
        let head = name(&engine.engine);
        write!(out, "   {}{}", fill(&head, *width), paint.paint(STRONG, &head))?;
    }
    writeln!(out)?;
    for row in rows {
        let head = name(row);
        write!(out, "  {head}{}", fill(&head, left))?;
        for (engine, width) in engines.iter().zip(&widths) {
            let value = value(engine, row);
            write!(out, "   {}{value}", fill(&value, *width))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// The engines' numbers one engine after the other, where side by side they take too much room.
fn listed_stats(
    engines: &[EngineRun],
    opts: &TextOptions,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let width = engines.iter().map(|engine| columns(&name(&engine.engine))).max().unwrap_or(0);
    for engine in engines.iter().filter(|engine| !engine.stats.is_empty()) {
        let stat = |(stat, value): &(String, u64)| format!("{}: {}", name(stat), number(*value));
        let stats: Vec<String> = engine.stats.iter().map(stat).collect();
        let mut head = name(&engine.engine);
        for line in fold(&stats.join("; "), opts.width.saturating_sub(width + 5)) {
            writeln!(out, "  {}{}   {line}", paint.paint(STRONG, &head), fill(&head, width))?;
            head.clear();
        }
    }
    Ok(())
}
