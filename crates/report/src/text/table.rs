//! Who says what, at a glance: a row for each block of code, race and deadlock, a column for each
//! engine that looks for such things, the most certain rows first.

use super::TextOptions;
use super::explain::{Shown, elide};
use super::paint::{FAINT, Paint, STRONG, tint};
use crate::model::Run;
use crate::view::{About, Topic, rank};
use crate::words::{columns, count, fill, fold, name, shorten};
use interloper_findings::{Certainty, Finding, Kind};
use std::collections::HashMap;
use std::io::{self, Write};

/// The least width of the first column that still tells rows apart.
const LEAST: usize = 24;
/// Space between columns.
const GAP: usize = 2;
/// The widest that a table gets, however wide the terminal.
const WIDEST: usize = 100;
/// Where an engine says nothing.
const NOTHING: &str = "–";

/// Writes the tables of one input; nothing where one engine ran alone, or found nothing.
pub(super) fn write(
    run: &Run,
    topics: &[Topic<'_>],
    opts: &TextOptions,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    if run.engines.len() < 2 {
        return Ok(());
    }
    let opinions = run.opinions();
    for kind in [Kind::Atomicity, Kind::Race, Kind::Deadlock, Kind::Pattern] {
        let table = Table::new(kind, run, topics, &opinions);
        if !table.rows.is_empty() {
            writeln!(out)?;
            table.write(opts, paint, out)?;
        }
    }
    Ok(())
}

struct Table {
    kind: Kind,
    engines: Vec<String>,
    rows: Vec<Row>,
}

struct Row {
    subject: String,
    /// One for each engine.
    cells: Vec<Option<Certainty>>,
}

impl Table {
    fn new<'a>(
        kind: Kind,
        run: &'a Run,
        topics: &[Topic<'a>],
        opinions: &HashMap<(usize, About<'a>), Certainty>,
    ) -> Table {
        let looks = |i: &usize| {
            let engine = &run.engines[*i];
            engine.judges == kind || engine.findings.iter().any(|finding| finding.kind == kind)
        };
        let engines: Vec<usize> = (0..run.engines.len()).filter(looks).collect();
        let row = |topic: &Topic<'a>| Row {
            subject: subject(topic.told.first().map(|told| told.finding)),
            cells: engines
                .iter()
                .map(|&i| opinions.get(&(i, topic.about.clone())).copied())
                .collect(),
        };
        let is_kind = |topic: &&Topic<'_>| {
            topic.told.first().is_some_and(|told| rank(told.finding.kind) == rank(kind))
        };
        let mut rows: Vec<Row> = topics.iter().filter(is_kind).map(row).collect();
        // The most certain first; of these, those of which the most engines speak.
        rows.sort_by_cached_key(|row| {
            let best = row.cells.iter().flatten().min().copied();
            let silent = row.cells.iter().filter(|cell| cell.is_none()).count();
            (best.unwrap_or(Certainty::Possible), silent)
        });
        let engines = engines.iter().map(|&i| name(&run.engines[i].engine)).collect();
        Table { kind, engines, rows }
    }

    fn write(&self, opts: &TextOptions, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
        let width = opts.width.clamp(40, WIDEST);
        let longest = self.rows.iter().map(|row| columns(&row.subject)).max().unwrap_or(0);
        let longest = longest.max(columns(title(self.kind)));
        let wide = Columns::new(self, false);
        let columns = match wide.room(width) {
            room if room >= longest.min(LEAST) => wide,
            _ => Columns::new(self, true),
        };
        let left = longest.min(columns.room(width).max(LEAST));
        let head = title(self.kind);
        let mut line = format!("  {}{}", paint.paint(STRONG, head), fill(head, left));
        for (head, width) in columns.heads.iter().zip(&columns.widths) {
            line +=
                &format!("{}{}{}", " ".repeat(GAP), paint.paint(STRONG, head), fill(head, *width));
        }
        writeln!(out, "{}", line.trim_end())?;
        let all: Vec<usize> = (0..self.rows.len()).collect();
        for shown in elide(&all, opts.full) {
            match shown {
                Shown::Gap(left_out) => {
                    let more =
                        format!("… {}; --full shows them …", count(left_out as u64, "more row"));
                    writeln!(out, "  {}", paint.paint(FAINT, &more))?;
                }
                Shown::Item(i) => self.row(&self.rows[i], left, &columns, paint, out)?,
            }
        }
        for line in columns.legend.iter().flat_map(|legend| fold(legend, width.saturating_sub(2))) {
            writeln!(out, "  {}", paint.paint(FAINT, &line))?;
        }
        Ok(())
    }

    fn row(
        &self,
        row: &Row,
        left: usize,
        columns: &Columns,
        paint: Paint,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let subject = shorten(&row.subject, left);
        let mut line = format!("  {subject}{}", fill(&subject, left));
        for (cell, width) in row.cells.iter().zip(&columns.widths) {
            let (text, style) = match cell {
                Some(certainty) => (columns.word(*certainty), tint(*certainty)),
                None => (NOTHING, FAINT),
            };
            let cell = paint.paint(style, text);
            line += &format!("{}{cell}{}", " ".repeat(GAP), fill(text, *width));
        }
        writeln!(out, "{}", line.trim_end())
    }
}

/// The engines' columns: by name, or by number where names take too much room.
struct Columns {
    heads: Vec<String>,
    widths: Vec<usize>,
    narrow: bool,
    legend: Option<String>,
}

impl Columns {
    fn new(table: &Table, narrow: bool) -> Columns {
        let numbered = || table.engines.iter().enumerate().map(|(i, name)| (i + 1, name));
        let heads: Vec<String> = match narrow {
            true => numbered().map(|(number, _)| number.to_string()).collect(),
            false => table.engines.clone(),
        };
        let legend: Vec<String> =
            numbered().map(|(number, name)| format!("{number} {name}")).collect();
        let mut columns =
            Columns { heads, widths: vec![], narrow, legend: narrow.then(|| legend.join(", ")) };
        let width = |(i, head): (usize, &String)| {
            let cells = table.rows.iter().filter_map(|row| row.cells[i]);
            let widest = cells.map(|cell| self::columns(columns.word(cell))).max();
            self::columns(head).max(widest.unwrap_or(1))
        };
        columns.widths = columns.heads.iter().enumerate().map(width).collect();
        columns
    }

    /// How much of the line is left for the first column.
    fn room(&self, width: usize) -> usize {
        let taken: usize = self.widths.iter().map(|width| width + GAP).sum();
        width.saturating_sub(taken + 2)
    }

    fn word(&self, certainty: Certainty) -> &'static str {
        match (self.narrow, certainty) {
            (false, certainty) => certainty.word(),
            (true, Certainty::Observed) => "obs",
            (true, Certainty::Predicted) => "pred",
            (true, Certainty::Possible) => "poss",
        }
    }
}

fn title(kind: Kind) -> &'static str {
    match kind {
        Kind::Atomicity => "block of code",
        Kind::Race => "race",
        Kind::Deadlock => "deadlock",
        Kind::Pattern => "pattern",
    }
}

/// What a row is about. The same variable can be raced for at several pairs of places.
fn subject(finding: Option<&Finding>) -> String {
    let Some(finding) = finding else { return String::new() };
    // Blocks without names of which no single one is to blame have no word for themselves.
    let subject = if finding.subject.is_empty() { &finding.message } else { &finding.subject };
    let mut subject = name(subject);
    if finding.kind == Kind::Race {
        let mut last = "";
        let mut places: Vec<String> = vec![];
        for at in finding.steps.iter().map(|step| step.at.as_str()).filter(|at| !at.is_empty()) {
            // Of a second place in the same file, the line.
            let file = at.rsplit_once(':').map_or("", |(file, _)| file);
            let same = !file.is_empty() && file == last;
            places.push(name(if same { &at[file.len()..] } else { at }));
            last = file;
        }
        if !places.is_empty() {
            subject += &format!(": {}", places.join(", "));
        }
    }
    subject
}
