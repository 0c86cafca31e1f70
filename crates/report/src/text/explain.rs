//! One finding: headline, body, notes.

use super::notes::notes;
use super::paint::{FAINT, Paint, STRONG, tint};
use super::{TextOptions, picture, snippets};
use crate::chain::Chain;
use crate::model::Run;
use crate::source::Sources;
use crate::view::Told;
use crate::words::{columns, name};
use interloper_findings::{Certainty, Finding, Kind};
use std::io::{self, Write};

/// The longest list of steps or links that is shown whole unless the user asks for all.
const LONGEST: usize = 12;
/// How many of a longer list are shown at its beginning and at its end.
const ENDS: (usize, usize) = (6, 5);

/// One line of a list that may be elided.
#[derive(Clone, Copy)]
pub(super) enum Shown<T> {
    /// This one.
    Item(T),
    /// So many are left out here.
    Gap(usize),
}

/// All of the list, or its two ends if it is long.
pub(super) fn elide<T: Copy>(items: &[T], full: bool) -> Vec<Shown<T>> {
    if full || items.len() <= LONGEST {
        return items.iter().map(|&item| Shown::Item(item)).collect();
    }
    let (head, tail) = (&items[..ENDS.0], &items[items.len() - ENDS.1..]);
    let gap = Shown::Gap(items.len() - ENDS.0 - ENDS.1);
    let item = |&item: &T| Shown::Item(item);
    head.iter().map(item).chain([gap]).chain(tail.iter().map(item)).collect()
}

/// Writes one finding, and what else is said of the same.
pub(super) fn write(
    told: &Told<'_>,
    also: &[Told<'_>],
    run: &Run,
    opts: &TextOptions,
    sources: &mut Sources,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let finding = told.finding;
    let chain = Chain::new(finding);
    writeln!(out, "{}", headline(told, opts.width, paint))?;
    let numbers: Vec<usize> = (0..chain.steps.len()).collect();
    let shown = elide(&numbers, opts.full);
    let notes = notes(finding, &chain, also, run, opts);
    let lines = snippets::lines(&chain, &shown, sources);
    let missing = lines.iter().any(|line| matches!(line, Shown::Item((_, None))));
    if missing || lines.is_empty() {
        let sourced = lines.iter().any(|line| matches!(line, Shown::Item((_, Some(_)))));
        let rest = if sourced { &[][..] } else { &notes };
        picture::write(finding, &chain, &shown, rest, opts.width, paint, out)?;
        if !sourced {
            return Ok(());
        }
        writeln!(out)?;
    }
    snippets::write(finding, &chain, lines, &notes, opts.width, paint, out)
}

/// `violation: Account.withdraw is not atomic        [frontier, certain]`
fn headline(told: &Told<'_>, width: usize, paint: Paint) -> String {
    let finding = told.finding;
    let word = match (finding.kind, finding.certainty) {
        (Kind::Atomicity, Certainty::Observed) => "violation",
        (_, certainty) => certainty.word(),
    };
    let message = name(&finding.message);
    // Messages that hedge for themselves need not hedge twice.
    let message = match finding.certainty {
        Certainty::Observed => &message[..],
        _ => message.strip_prefix("possible ").unwrap_or(&message),
    };
    let tag = format!("[{}]", who(told));
    let used = columns(word) + 2 + columns(message) + columns(&tag);
    let room = width.min(100).saturating_sub(used);
    let gap = match room {
        // A long list of engines gets a line of its own.
        0..2 if told.by.len() > 2 => format!("\n{}", " ".repeat(columns(word) + 2)),
        room => " ".repeat(room.max(2)),
    };
    format!(
        "{}{}{gap}{}",
        paint.paint(tint(finding.certainty), word),
        paint.paint(STRONG, &format!(": {message}")),
        paint.paint(FAINT, &tag)
    )
}

/// Who says so, and how sure they are where the headline does not tell.
fn who(told: &Told<'_>) -> String {
    let alike = told.by.iter().all(|(_, certainty)| *certainty == told.finding.certainty);
    let mut parts: Vec<String> = vec![];
    for certainty in [Certainty::Observed, Certainty::Predicted, Certainty::Possible] {
        let engines = told.by.iter().filter(|(_, sure)| *sure == certainty);
        let engines: Vec<String> = engines.map(|(engine, _)| name(engine)).collect();
        let engines = engines.join(" + ");
        match sureness(told.finding, certainty) {
            _ if engines.is_empty() => {}
            None if alike => parts.push(engines),
            sure => parts.push(format!("{engines}, {}", sure.unwrap_or(certainty.word()))),
        }
    }
    parts.join("; ")
}

/// What observed findings are besides observed.
fn sureness(finding: &Finding, certainty: Certainty) -> Option<&'static str> {
    if certainty != Certainty::Observed {
        return None;
    }
    match (finding.kind, &finding.blame) {
        (Kind::Atomicity, None) => Some("no blame"),
        (Kind::Atomicity, Some(blame)) if !blame.certain => Some("possible"),
        _ => Some("certain"),
    }
}
