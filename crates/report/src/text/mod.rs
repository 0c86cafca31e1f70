//! The report for a person at a terminal, in the manner of a compiler's diagnostics: a headline,
//! the steps in the order of time (in the source's own lines where they can be found, else as a
//! picture of the interleaving), why no serial order exists, and a summary for each input.
//!
//! What several engines say of one block of code is told in one piece: the most certain in full, the
//! others in a line each. Observed violations are all told in full.

mod explain;
mod jvm;
mod notes;
mod paint;
mod pattern;
mod picture;
mod snippets;
mod summary;
mod table;

use crate::model::Report;
use crate::source::Sources;
use crate::view::Told;
use interloper_findings::Certainty;
use paint::Paint;
use std::io::{self, Write};
use std::path::PathBuf;

/// How the text is to look.
#[derive(Clone, Debug)]
pub struct TextOptions {
    /// Whether to colour it, with ANSI escape sequences.
    pub colour: bool,
    /// The folders in which source files are looked for.
    pub sources: Vec<PathBuf>,
    /// How many columns the terminal has.
    pub width: usize,
    /// Whether to show the engines' statistics.
    pub stats: bool,
    /// Whether to show every step of long cycles, and every row of long tables.
    pub full: bool,
}

impl Default for TextOptions {
    fn default() -> TextOptions {
        TextOptions { colour: false, sources: vec![], width: 100, stats: false, full: false }
    }
}

/// Writes the report for people. Inputs that could not be analysed are left out: the command has
/// told why by then.
pub fn text(report: &Report, opts: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
    let paint = Paint { on: opts.colour };
    let mut sources = Sources::new(&opts.sources);
    let analysed = report.runs.iter().filter(|run| run.error.is_none());
    for (i, run) in analysed.enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        if run.scanned.is_some() {
            pattern::write(run, opts, &mut sources, paint, out)?;
            continue;
        }
        let topics = run.topics();
        for topic in &topics {
            let observed = |told: &&Told<'_>| told.finding.certainty == Certainty::Observed;
            let whole = topic.told.iter().take_while(observed).count().max(1);
            let (told, also) = topic.told.split_at(whole.min(topic.told.len()));
            for (i, one) in told.iter().enumerate() {
                let also = if i + 1 == told.len() { also } else { &[] };
                explain::write(one, also, run, opts, &mut sources, paint, out)?;
                writeln!(out)?;
            }
        }
        summary::write(run, opts, paint, out)?;
        table::write(run, &topics, opts, paint, out)?;
    }
    Ok(())
}
