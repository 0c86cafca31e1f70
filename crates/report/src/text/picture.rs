//! The interleaving as a picture: a column for each thread, time going down, the events' positions
//! in the margin, brackets around what is meant to be one block, the locks held where they are known.
//!
//! Where that does not fit the terminal, the interloper gets an arrow only, and locations lose their method; where that is
//! not enough, the steps are listed instead, thread by name.

use super::explain::Shown;
use super::paint::{FAINT, FRAME, INTERLOPER, PLAIN, Paint, STRONG, tint};
use crate::chain::Chain;
use crate::frame::{brief, short};
use crate::words::{circled, columns, count, fill, locks, name, number};
use annotate_snippets::renderer::Style;
use interloper_findings::{Certainty, Finding, Kind};
use std::io::{self, Write};

/// How many nested blocks get a bracket: the outermost and the innermost ones.
const MOST_BRACKETS: usize = 4;
/// Space between columns.
const GAP: usize = 3;
/// What stands beside what comes between.
const MARK: &str = "← interloper";
/// The same where there is little room.
const ARROW: &str = "←";
/// The head of the column of locks.
const HOLDING: &str = "holding";

/// One line of the picture.
#[derive(Default)]
struct Row {
    event: String,
    /// One for each thread.
    cells: Vec<Cell>,
    at: String,
    held: String,
    interloper: bool,
}

#[derive(Clone, Default)]
struct Cell {
    bracket: String,
    own: bool,
    text: String,
    style: Style,
}

impl Cell {
    fn width(&self) -> usize {
        columns(&self.bracket) + columns(&self.text)
    }
}

/// Writes the steps, then the notes.
pub(super) fn write(
    finding: &Finding,
    chain: &Chain<'_>,
    shown: &[Shown<usize>],
    notes: &[String],
    width: usize,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let lines = Picture::new(finding, chain, shown).fitting(width);
    let margin = lines.rows.iter().map(|row| columns(&row.event)).max().unwrap_or(0);
    let margin = margin.max(columns("event"));
    let frame = |left: &str, mark: &str| {
        paint.paint(FRAME, &format!("{}{left} {mark}", fill(left, margin)))
    };
    let head = lines.head(paint);
    writeln!(out, "{}", format!("{} {head}", frame("event", "╷")).trim_end())?;
    for row in &lines.rows {
        let row_text = lines.row(row, paint);
        writeln!(out, "{}", format!("{} {row_text}", frame(&row.event, "│")).trim_end())?;
    }
    if !notes.is_empty() {
        writeln!(out, "{}", frame("", "│"))?;
    }
    for (i, note) in notes.iter().enumerate() {
        let last = i + 1 == notes.len();
        for (j, line) in note.lines().enumerate() {
            let mark = match (last, j) {
                (false, 0) => "├",
                (true, 0) => "╰",
                (false, _) => "│",
                (true, _) => " ",
            };
            writeln!(out, "{} {line}", frame("", mark))?;
        }
    }
    Ok(())
}

/// Rows ready to print.
struct Lines {
    heads: Vec<String>,
    rows: Vec<Row>,
    widths: Vec<usize>,
    at: usize,
    held: usize,
    own: Style,
    mark: &'static str,
}

impl Lines {
    fn new(heads: Vec<String>, rows: Vec<Row>, own: Style) -> Lines {
        let cell_width = |i: usize| rows.iter().map(|row| row.cells[i].width()).max().unwrap_or(0);
        let widths =
            heads.iter().enumerate().map(|(i, head)| columns(head).max(cell_width(i))).collect();
        let at = rows.iter().map(|row| columns(&row.at)).max().unwrap_or(0);
        let held = match rows.iter().map(|row| columns(&row.held)).max() {
            Some(held) if held > 0 => held.max(columns(HOLDING)),
            _ => 0,
        };
        Lines { heads, rows, widths, at, held, own, mark: MARK }
    }

    fn width(&self) -> usize {
        let events = self.rows.iter().map(|row| columns(&row.event)).max().unwrap_or(0);
        let cells: usize = self.widths.iter().map(|width| width + GAP).sum();
        let marked = self.rows.iter().any(|row| row.interloper);
        let mark = if marked { GAP + columns(self.mark) } else { 0 };
        let held = if self.held > 0 { GAP + self.held } else { 0 };
        events.max(5) + 3 + cells + self.at + held + mark
    }

    fn head(&self, paint: Paint) -> String {
        let mut line = String::new();
        for (head, width) in self.heads.iter().zip(&self.widths) {
            line += &paint.paint(STRONG, head);
            line += &fill(head, width + GAP);
        }
        if self.held > 0 {
            line += &" ".repeat(if self.at > 0 { self.at + GAP } else { 0 });
            line += &paint.paint(FAINT, HOLDING);
        }
        line
    }

    fn row(&self, row: &Row, paint: Paint) -> String {
        let mut line = String::new();
        for (cell, width) in row.cells.iter().zip(&self.widths) {
            line += &paint.paint(if cell.own { self.own } else { FAINT }, &cell.bracket);
            line += &paint.paint(cell.style, &cell.text);
            line += &" ".repeat((width + GAP).saturating_sub(cell.width()));
        }
        line += &paint.paint(FAINT, &row.at);
        line += &fill(&row.at, self.at);
        if self.held > 0 {
            line += if self.at > 0 { "   " } else { "" };
            line += &format!("{}{}", row.held, fill(&row.held, self.held));
        }
        if row.interloper {
            line += if self.at + self.held > 0 { "   " } else { "" };
            line += &paint.paint(INTERLOPER, self.mark);
        }
        line
    }
}

struct Picture<'a> {
    finding: &'a Finding,
    chain: &'a Chain<'a>,
    shown: &'a [Shown<usize>],
    threads: Vec<&'a str>,
    /// Whether locations are told in the least room.
    brief: bool,
}

impl<'a> Picture<'a> {
    fn new(finding: &'a Finding, chain: &'a Chain<'a>, shown: &'a [Shown<usize>]) -> Picture<'a> {
        let mut threads: Vec<&str> = vec![];
        let acting = shown.iter().filter_map(|shown| match *shown {
            Shown::Item(i) => Some(chain.steps[i].step.thread.as_str()),
            Shown::Gap(_) => None,
        });
        // The thread whose block it is comes first.
        let own = (finding.kind == Kind::Atomicity).then_some(finding.thread.as_str());
        for thread in own.into_iter().chain(acting) {
            if !threads.contains(&thread) {
                threads.push(thread);
            }
        }
        Picture { finding, chain, shown, threads, brief: false }
    }

    /// The first of all ways to show it that fits; the narrowest if none does.
    fn fitting(mut self, width: usize) -> Lines {
        for lines in [Picture::columns, Picture::list] {
            for (brief, mark) in [(false, MARK), (false, ARROW), (true, MARK), (true, ARROW)] {
                self.brief = brief;
                let lines = Lines { mark, ..lines(&self) };
                if lines.width() <= width {
                    return lines;
                }
            }
        }
        Lines { mark: ARROW, ..self.list_without(true) }
    }

    fn columns(&self) -> Lines {
        let mut brackets = Brackets::new(self);
        let mut rows = vec![];
        for shown in self.shown {
            match *shown {
                Shown::Gap(left_out) => {
                    let mut cells = brackets.cells();
                    if let Some(cell) = cells.first_mut() {
                        cell.text = format!("… {} …", count(left_out as u64, "more step"));
                    }
                    rows.push(Row { event: "⋮".into(), cells, ..Row::default() });
                }
                Shown::Item(i) => {
                    brackets.open(i, &mut rows);
                    rows.push(brackets.step(i));
                }
            }
        }
        let heads = self.threads.iter().map(|thread| name(thread)).collect();
        Lines::new(heads, rows, tint(self.finding.certainty))
    }

    fn list(&self) -> Lines {
        self.list_without(self.finding.transactions.is_empty())
    }

    fn list_without(&self, blocks: bool) -> Lines {
        let mut heads = vec!["thread".into(), "step".into(), "block".into()];
        if blocks {
            heads.pop();
        }
        let mut rows = vec![];
        for shown in self.shown {
            let plain = |text: String, style| Cell { text, style, ..Cell::default() };
            match *shown {
                Shown::Gap(left_out) => {
                    let text = format!("… {} …", count(left_out as u64, "more step"));
                    let mut cells = vec![Cell::default(), plain(text, PLAIN), Cell::default()];
                    cells.truncate(heads.len());
                    rows.push(Row { event: "⋮".into(), cells, ..Row::default() });
                }
                Shown::Item(i) => {
                    let told = &self.chain.steps[i];
                    let label = told.transaction.and_then(|t| self.finding.transactions.get(t));
                    let label =
                        label.and_then(|t| t.label.as_deref()).map(name).unwrap_or_default();
                    let style = self.style(i);
                    let action = format!("{} {}", circled(i + 1), name(&told.step.action));
                    let mut cells = vec![
                        plain(name(&told.step.thread), style),
                        plain(action, style),
                        plain(label, FAINT),
                    ];
                    cells.truncate(heads.len());
                    rows.push(self.row(i, cells));
                }
            }
        }
        Lines::new(heads, rows, tint(self.finding.certainty))
    }

    fn row(&self, i: usize, cells: Vec<Cell>) -> Row {
        let told = &self.chain.steps[i];
        let block = told.transaction.and_then(|t| self.finding.transactions.get(t));
        let block = block.and_then(|block| block.label.as_deref());
        let (event, at) = (number(told.step.event), self.at(&told.step.at, block));
        let held = locks(told.step).unwrap_or_default();
        Row { event, cells, at, held, interloper: told.interloper }
    }

    fn at(&self, at: &str, block: Option<&str>) -> String {
        if self.brief { brief(at) } else { short(at, block) }
    }

    fn style(&self, i: usize) -> Style {
        let told = &self.chain.steps[i];
        match told.transaction {
            _ if told.interloper => INTERLOPER,
            Some(0) => tint(self.finding.certainty),
            _ => PLAIN,
        }
    }

    fn column(&self, thread: &str) -> usize {
        self.threads.iter().position(|t| *t == thread).unwrap_or(0)
    }
}

/// Which brackets are open in each column, from row to row.
struct Brackets<'a> {
    picture: &'a Picture<'a>,
    /// For each column: how many brackets are open, and whether they are the blamed thread's own.
    open: Vec<(usize, bool)>,
    /// The blocks of the thread in which the cycle closed that are still to open.
    blocks: std::collections::VecDeque<(u64, String, String)>,
}

impl<'a> Brackets<'a> {
    fn new(picture: &'a Picture<'a>) -> Brackets<'a> {
        // Only blocks that are said not to be atomic are worth a bracket.
        let all = match picture.finding.kind {
            Kind::Atomicity => &picture.finding.blocks[..],
            _ => &[],
        };
        let inner = all.len().saturating_sub(MOST_BRACKETS - 1).max(1);
        let blocks = all
            .iter()
            .enumerate()
            .filter(|(i, _)| *i == 0 || *i >= inner)
            .map(|(_, block)| (block.begin, block.label.clone(), block.at.clone()))
            .collect();
        Brackets { picture, open: vec![(0, false); picture.threads.len()], blocks }
    }

    /// A row that only continues what is open.
    fn cells(&self) -> Vec<Cell> {
        let cell = |&(depth, own): &(usize, bool)| Cell {
            bracket: "│ ".repeat(depth),
            own,
            ..Cell::default()
        };
        self.open.iter().map(cell).collect()
    }

    /// Adds the rows that open the blocks around step `i`.
    fn open(&mut self, i: usize, rows: &mut Vec<Row>) {
        let told = &self.picture.chain.steps[i];
        // Positions tell the order of time only where the order is the observed one.
        let finding = self.picture.finding;
        let now = finding.certainty == Certainty::Observed || told.step.thread == finding.thread;
        while now && self.blocks.front().is_some_and(|(begin, ..)| *begin <= told.step.event) {
            let Some((begin, label, at)) = self.blocks.pop_front() else { break };
            let own = self.picture.column(&self.picture.finding.thread);
            let at = self.picture.at(&at, Some(&label));
            rows.push(self.opening(own, true, number(begin), &label, at));
        }
        let transaction = told.transaction.filter(|&t| t != 0 && told.enters);
        let label = transaction.and_then(|t| self.picture.finding.transactions.get(t));
        if let Some(label) = label.and_then(|t| t.label.as_deref()) {
            let column = self.picture.column(&told.step.thread);
            rows.push(self.opening(column, false, String::new(), label, String::new()));
        }
    }

    fn opening(&mut self, column: usize, own: bool, event: String, label: &str, at: String) -> Row {
        let mut cells = self.cells();
        let cell = &mut cells[column];
        cell.own = own;
        cell.bracket += "┌ ";
        cell.text = if label.is_empty() { "block".into() } else { name(label) };
        cell.style = if own { STRONG } else { PLAIN };
        self.open[column] = (self.open[column].0 + 1, own);
        Row { event, cells, at, ..Row::default() }
    }

    fn step(&mut self, i: usize) -> Row {
        let told = &self.picture.chain.steps[i];
        let column = self.picture.column(&told.step.thread);
        let mut cells = self.cells();
        let (depth, _) = self.open[column];
        let cell = &mut cells[column];
        if told.leaves && depth > 0 {
            cell.bracket = format!("└{} ", "─┴".repeat(depth - 1));
            self.open[column] = (0, false);
        }
        cell.text = format!("{} {}", circled(i + 1), name(&told.step.action));
        cell.style = self.picture.style(i);
        let row = self.picture.row(i, cells);
        // The bracket shows that the rest of the transaction is of the same kind.
        Row { interloper: row.interloper && told.enters, ..row }
    }
}
