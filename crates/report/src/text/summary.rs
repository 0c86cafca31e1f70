//! What each engine says of an input, and what that is worth.

use super::TextOptions;
use super::paint::{CLEAR, FAINT, Paint, STRONG, VIOLATION};
use crate::model::{EngineRun, Run};
use crate::words::{columns, count, fill, name, number};
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
        verdict(engine, run, width, paint, out)?;
    }
    for note in &run.notes {
        writeln!(out, "  = {}", name(note))?;
    }
    if !run.complete {
        let part = "the input is incomplete: this holds for the part that was read";
        writeln!(out, "  = {part}")?;
    }
    if opts.stats {
        stats(&run.engines, paint, out)?;
    }
    Ok(())
}

fn verdict(
    engine: &EngineRun,
    run: &Run,
    width: usize,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let who = name(&engine.engine);
    let pad = fill(&who, width);
    let found = engine.findings.len() as u64;
    if engine.found() {
        let how_many = count(found, "finding");
        let times = match engine.violations {
            n if n > found => format!(", {} in all", count(n, "violation")),
            _ => String::new(),
        };
        return writeln!(out, "  {who}{pad}  {}{times}", paint.paint(VIOLATION, &how_many));
    }
    if run.events == 0 {
        let nothing = paint.paint(VIOLATION, "nothing was checked: there was no event to check");
        return writeln!(out, "  {who}{pad}  {nothing}");
    }
    // A verdict on a part is no verdict on the run.
    let clear = match (run.complete, run.skipped) {
        (false, _) => "no violation found in the part that was read",
        (true, 0) => "no violation found",
        (true, _) => "no violation found among the events that were kept",
    };
    let meaning = match engine.all_clear.as_str() {
        meaning if !meaning.is_empty() && run.complete && run.skipped == 0 => {
            format!(": {}", name(meaning))
        }
        _ => String::new(),
    };
    writeln!(out, "  {who}{pad}  {}{meaning}", paint.paint(CLEAR, clear))?;
    if !engine.guarantee.is_empty() {
        let guarantee = format!("({})", name(&engine.guarantee));
        writeln!(out, "  {}  {}", " ".repeat(width), paint.paint(FAINT, &guarantee))?;
    }
    Ok(())
}

/// The engines' numbers side by side.
fn stats(engines: &[EngineRun], paint: Paint, out: &mut dyn Write) -> io::Result<()> {
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
