//! Code that was scanned, not run: the lock patterns in it, and how much code there was.
//!
//! Each finding shows where the context is locked, then the way to the first and to the second acquisition of the witness,
//! in the source's own lines where they can be found, else as a list.

use super::paint::{CLEAR, FAINT, FRAME, Paint, STRONG, VIOLATION, tint};
use super::{TextOptions, summary};
use crate::location::Location;
use crate::model::{EngineRun, Run};
use crate::source::Sources;
use crate::words::{circled, columns, count, escape, fill, fold, name, source_line};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use interloper_findings::{Finding, LockPattern, PatternStep, Place, Role, short_method};
use std::io::{self, Write};

/// How many further places are listed unless the user asks for all.
const MOST_PLACES: usize = 8;
/// The widest message.
const WIDEST: usize = 110;

/// Writes what was found in code, and a summary. Findings that are suppressed or known from the baseline are only counted.
pub(super) fn write(
    run: &Run,
    opts: &TextOptions,
    sources: &mut Sources,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    for engine in &run.engines {
        for finding in engine.findings.iter().filter(|finding| finding.review.is_open()) {
            let Some(pattern) = &finding.pattern else { continue };
            finding_text(finding, pattern, &engine.engine, opts, sources, paint, out)?;
            writeln!(out)?;
        }
    }
    totals(run, opts, paint, out)
}

fn finding_text(
    finding: &Finding,
    pattern: &LockPattern,
    engine: &str,
    opts: &TextOptions,
    sources: &mut Sources,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (word, message) = (finding.certainty.word(), name(&finding.message));
    let tag = match finding.review.baseline {
        Some(state) => format!("[{}, {}]", name(engine), state.word()),
        None => format!("[{}]", name(engine)),
    };
    let used = columns(word) + 2 + columns(&message) + columns(&tag);
    let gap = " ".repeat(opts.width.min(100).saturating_sub(used).max(2));
    let message = paint.paint(STRONG, &format!(": {message}"));
    let word = paint.paint(tint(finding.certainty), word);
    writeln!(out, "{word}{message}{gap}{}", paint.paint(FAINT, &tag))?;
    let Some((place, further)) = pattern.places.split_first() else { return Ok(()) };
    let notes = notes(finding, place, (further, pattern.more), opts);
    let steps = place.steps();
    let lines: Vec<Option<Line>> = steps.iter().map(|step| Line::find(step, sources)).collect();
    if lines.iter().any(Option::is_some) {
        excerpts(&steps, lines, &notes, opts.width, paint, out)
    } else {
        list(&steps, &notes, paint, out)
    }
}

/// `① Location.distanceTo locks this, which is point, and releases it`
fn told(step: &PatternStep<'_>) -> String {
    let mark = match step.role {
        Role::First => circled(1) + " ",
        Role::Second => circled(2) + " ",
        Role::Context | Role::Call => String::new(),
    };
    format!("{mark}{} {}", name(&short_method(&step.site.method)), name(&step.action))
}

/// The steps in lines of their own, with the places in front.
fn list(
    steps: &[PatternStep<'_>],
    notes: &[String],
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let place = |step: &PatternStep<'_>| match step.site.at.rsplit('/').next() {
        None | Some("") => "no source".to_owned(),
        Some(at) => name(at),
    };
    let width = steps.iter().map(|step| columns(&place(step))).max().unwrap_or(0);
    for step in steps {
        let (at, indent) = (place(step), "  ".repeat(step.depth.min(12)));
        let frame = paint.paint(FRAME, &format!("  │ {at}{}", fill(&at, width)));
        let text = match step.role {
            Role::Call => told(step),
            _ => paint.paint(STRONG, &told(step)),
        };
        writeln!(out, "{frame}  {indent}{text}")?;
    }
    writeln!(out, "{}", paint.paint(FRAME, "  │"))?;
    for note in notes {
        for (i, line) in note.lines().enumerate() {
            let mark = if i == 0 { "=" } else { " " };
            writeln!(out, "  {} {line}", paint.paint(FRAME, mark))?;
        }
    }
    Ok(())
}

/// A line of source, safe to print, and which part of it is meant.
struct Line {
    path: String,
    number: usize,
    text: String,
    span: std::ops::Range<usize>,
}

impl Line {
    fn find(step: &PatternStep<'_>, sources: &mut Sources) -> Option<Line> {
        let location = Location::parse(&step.site.at)?;
        let raw = sources.line(&location)?;
        let (text, trimmed) = (source_line(&raw), source_line(raw.trim_end()));
        let start = trimmed.len() - trimmed.trim_start().len();
        let path = name(&location.path);
        Some(Line { path, number: location.line, text, span: start..trimmed.len() })
    }
}

/// The steps in the source's own lines; those without a line in words.
fn excerpts(
    steps: &[PatternStep<'_>],
    lines: Vec<Option<Line>>,
    notes: &[String],
    width: usize,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut group = Group::with_level(Level::INFO);
    for (step, line) in steps.iter().zip(lines) {
        let told = told(step);
        group = match line {
            Some(line) => {
                let kind = match step.role {
                    Role::Call => AnnotationKind::Context,
                    _ => AnnotationKind::Primary,
                };
                let label = kind.span(line.span).label(told);
                let snippet = Snippet::source(line.text).line_start(line.number);
                group.element(snippet.path(line.path).annotation(label))
            }
            None if step.site.at.is_empty() => group.element(Level::NOTE.no_name().message(told)),
            None => {
                let text = format!("{}: {told}", name(&step.site.at));
                group.element(Level::NOTE.no_name().message(text))
            }
        };
    }
    for note in notes {
        group = group.element(Level::NOTE.no_name().message(note.clone()));
    }
    let renderer = if paint.on { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.decor_style(DecorStyle::Unicode).term_width(width.max(40));
    writeln!(out, "{}", renderer.render(&[group]).trim_end())
}

/// What could go wrong, how it is mended, where else.
fn notes(
    finding: &Finding,
    place: &Place,
    (further, unlisted): (&[Place], u64),
    opts: &TextOptions,
) -> Vec<String> {
    let mut notes = finding.notes.clone();
    if !place.others.is_empty() {
        let mut others = place.others.join(", ");
        if place.more > 0 {
            others += &format!(" and {} more", place.more);
        }
        notes.push(format!("the same place also locks again: {others}"));
    }
    let shown = if opts.full { further.len() } else { further.len().min(MOST_PLACES) };
    for place in &further[..shown] {
        let at = &place.second.start().at;
        let at = if at.is_empty() { "elsewhere" } else { at.as_str() };
        notes.push(format!("also at {at}: {}", place.message()));
    }
    let hidden = (further.len() - shown) as u64;
    if hidden > 0 {
        notes.push(format!("also at {}; --full shows them", count(hidden, "more place")));
    }
    if unlisted > 0 {
        let places = count(unlisted, "further place");
        notes.push(format!("{places} of this lock not looked at"));
    }
    notes.push(format!("fingerprint {}", finding.fingerprint));
    let width = opts.width.min(WIDEST).saturating_sub(6);
    notes.iter().map(|note| fold(&escape(note), width).join("\n")).collect()
}

/// How much code there was, and how much was found in it.
fn totals(run: &Run, opts: &TextOptions, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    let scanned = run.scanned.unwrap_or_default();
    let size = format!(
        ": {}, {} with code",
        plural(scanned.classes, "class", "classes"),
        count(scanned.methods, "method")
    );
    writeln!(out, "{}{size}", paint.paint(STRONG, &name(&run.input)))?;
    for engine in &run.engines {
        let indent = columns(&engine.engine) + 4;
        let (verdict, closed) = verdict(engine, run, paint);
        writeln!(out, "  {}  {verdict}", name(&engine.engine))?;
        let faint = (!engine.found() && scanned.methods > 0).then_some(&engine.guarantee);
        for line in closed.iter().chain(faint) {
            for line in fold(&escape(line), opts.width.saturating_sub(indent)) {
                writeln!(out, "{}{}", " ".repeat(indent), paint.paint(FAINT, &line))?;
            }
        }
    }
    for note in &run.notes {
        for (i, line) in fold(&escape(note), opts.width.saturating_sub(4)).iter().enumerate() {
            writeln!(out, "  {} {line}", if i == 0 { "=" } else { " " })?;
        }
    }
    if opts.stats { summary::stats(&run.engines, opts, paint, out) } else { Ok(()) }
}

/// The verdict of an engine; then what was left out of it.
fn verdict(engine: &EngineRun, run: &Run, paint: Paint) -> (String, Option<String>) {
    let open = engine.findings.iter().filter(|finding| finding.review.is_open()).count() as u64;
    let suppressed = |finding: &&Finding| finding.review.suppressed.is_some();
    let suppressed = engine.findings.iter().filter(suppressed).count() as u64;
    let known = engine.findings.len() as u64 - open - suppressed;
    let text = if open > 0 {
        let places = match engine.violations {
            places if places > open => format!(" at {}", count(places, "place")),
            _ => String::new(),
        };
        paint.paint(tint(interloper_findings::Certainty::Possible), &count(open, "finding"))
            + &places
    } else if run.scanned.unwrap_or_default().methods == 0 {
        paint.paint(VIOLATION, "nothing was scanned: there is no method with code")
    } else {
        let further =
            if known + suppressed > 0 { "no new pattern found" } else { "no pattern found" };
        paint.paint(CLEAR, further)
    };
    let parts = [(known, "known from the baseline"), (suppressed, "suppressed")];
    let parts = parts.iter().filter(|(n, _)| *n > 0);
    let parts: Vec<String> =
        parts.map(|(n, what)| format!("{} {what}", count(*n, "finding"))).collect();
    let closed = (!parts.is_empty()).then(|| format!("not shown: {}", parts.join(", ")));
    (text, closed)
}

fn plural(value: u64, one: &str, many: &str) -> String {
    format!("{} {}", crate::words::number(value), if value == 1 { one } else { many })
}
