//! The steps in the source's own lines, each its own excerpt, so that the order of time is kept.

use super::explain::Shown;
use super::paint::{INTERLOPER, POSSIBLE, PREDICTED, Paint};
use crate::chain::{Chain, Told};
use crate::frame::Frame;
use crate::location::Location;
use crate::source::Sources;
use crate::words::{circled, count, holding, name, source_line};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use interloper_findings::{Certainty, Finding};
use std::io::{self, Write};

/// A line of source, safe to print, and which part of it is meant.
pub(super) struct Line {
    path: String,
    number: usize,
    text: String,
    span: std::ops::Range<usize>,
}

/// Looks up the source of the shown steps.
pub(super) fn lines(
    chain: &Chain<'_>,
    shown: &[Shown<usize>],
    sources: &mut Sources,
) -> Vec<Shown<(usize, Option<Line>)>> {
    let mut line = |i: usize| {
        let location = Location::parse(&chain.steps[i].step.at)?;
        let raw = sources.line(&location)?;
        let span = span(&raw, location.column);
        let path = name(&location.path);
        Some(Line { path, number: location.line, text: source_line(&raw), span })
    };
    let look = |shown: &Shown<usize>| match *shown {
        Shown::Item(i) => Shown::Item((i, line(i))),
        Shown::Gap(left_out) => Shown::Gap(left_out),
    };
    shown.iter().map(look).collect()
}

/// The bytes of the cleaned line that are underlined: from the column, if recorded, or from the
/// first visible character, to the last one.
fn span(raw: &str, column: Option<usize>) -> std::ops::Range<usize> {
    let end = raw.trim_end().len();
    let indent = raw.len() - raw.trim_start().len();
    let start = column.and_then(|column| raw.char_indices().nth(column - 1)).map(|(byte, _)| byte);
    let start = start.filter(|&byte| byte < end).unwrap_or(indent).min(end);
    source_line(&raw[..start]).len()..source_line(&raw[..end]).len()
}

/// Writes the excerpts, then the notes.
pub(super) fn write(
    finding: &Finding,
    chain: &Chain<'_>,
    lines: Vec<Shown<(usize, Option<Line>)>>,
    notes: &[String],
    width: usize,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut group = Group::with_level(match finding.certainty {
        Certainty::Observed => Level::ERROR,
        Certainty::Predicted => Level::WARNING,
        Certainty::Possible => Level::INFO,
    });
    for shown in lines {
        match shown {
            Shown::Gap(left_out) => {
                let more = format!("… {} …", count(left_out as u64, "more step"));
                group = group.element(Level::NOTE.no_name().message(more));
            }
            Shown::Item((i, Some(line))) => group = group.element(excerpt(finding, chain, i, line)),
            Shown::Item((_, None)) => {}
        }
    }
    for note in notes {
        group = group.element(Level::NOTE.no_name().message(note.clone()));
    }
    let renderer = match paint.on {
        true => Renderer::styled().context(INTERLOPER).warning(PREDICTED).info(POSSIBLE),
        false => Renderer::plain(),
    };
    let renderer = renderer.decor_style(DecorStyle::Unicode).term_width(width.max(40));
    writeln!(out, "{}", renderer.render(&[group]).trim_end())
}

fn excerpt(
    finding: &Finding,
    chain: &Chain<'_>,
    i: usize,
    line: Line,
) -> Snippet<'static, annotate_snippets::Annotation<'static>> {
    let told = &chain.steps[i];
    let own = told.transaction.map_or(!told.interloper, |transaction| transaction == 0);
    let kind = if own { AnnotationKind::Primary } else { AnnotationKind::Context };
    Snippet::source(line.text)
        .line_start(line.number)
        .path(line.path)
        .annotation(kind.span(line.span).label(label(finding, told, i + 1)))
}

/// `② bob writes balance, in Account.deposit, holding m   ← interloper`; with the method where that is not the block's own:
/// `in Bank.transfer, by Account.deposit`
fn label(finding: &Finding, told: &Told<'_>, number: usize) -> String {
    let transaction = told.transaction.and_then(|t| finding.transactions.get(t));
    let place = transaction.map(|transaction| match (transaction.label.as_deref(), told.enters) {
        (None, _) => ", outside any block".to_string(),
        (Some(""), true) => ", in a block".to_string(),
        (Some(""), false) => ", still in that block".to_string(),
        (Some(label), true) => format!(", in {}", name(label)),
        (Some(label), false) => format!(", still in {}", name(label)),
    });
    let block = transaction.and_then(|transaction| transaction.label.as_deref());
    let frame = Frame::parse(&told.step.at).filter(|frame| Some(frame.method) != block);
    let frame = frame.map(|frame| format!(", by {}", name(frame.short_method())));
    let held = holding(told.step).map(|held| format!(", {held}"));
    format!(
        "{} {} {}{}{}{}{}",
        circled(number),
        name(&told.step.thread),
        name(&told.step.action),
        place.unwrap_or_default(),
        frame.unwrap_or_default(),
        held.unwrap_or_default(),
        if told.interloper { "   ← interloper" } else { "" }
    )
}
