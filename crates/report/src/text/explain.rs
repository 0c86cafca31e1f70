//! One finding: headline, body, notes.

use super::paint::{FAINT, Paint, STRONG, VIOLATION};
use super::{TextOptions, picture, snippets};
use crate::chain::{Chain, Link};
use crate::model::{Run, Told};
use crate::source::Sources;
use crate::words::{circled, columns, count, name, number, times};
use interloper_findings::{Block, Finding};
use std::io::{self, Write};

/// The longest list of steps or links that is shown whole unless the user asks for all.
const LONGEST: usize = 12;
/// How many of a longer list are shown at its beginning and at its end.
const ENDS: (usize, usize) = (6, 5);
/// How many nested blocks a note names.
const MOST_BLOCKS: usize = 8;

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

/// Writes one finding.
pub(super) fn write(
    told: &Told<'_>,
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
    let notes = notes(finding, &chain, run, opts.full);
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

fn headline(told: &Told<'_>, width: usize, paint: Paint) -> String {
    let message = name(&told.finding.message);
    let certainty = match &told.finding.blame {
        Some(blame) if blame.certain => "certain",
        Some(_) => "possible",
        None => "no blame",
    };
    let engines: Vec<String> = told.engines.iter().map(|engine| name(engine)).collect();
    let tag = format!("[{}, {certainty}]", engines.join(" + "));
    let used = columns("violation: ") + columns(&message) + columns(&tag);
    let gap = width.min(100).saturating_sub(used).max(2);
    format!(
        "{}{}{}{}",
        paint.paint(VIOLATION, "violation"),
        paint.paint(STRONG, &format!(": {message}")),
        " ".repeat(gap),
        paint.paint(FAINT, &tag)
    )
}

/// What stands below the steps; each note may have several lines.
fn notes(finding: &Finding, chain: &Chain<'_>, run: &Run, full: bool) -> Vec<String> {
    let mut notes = vec![];
    if !chain.links.is_empty() {
        notes.push(order(finding, chain, full));
    }
    notes.extend(blame(finding));
    let position = finding.event.saturating_add(1);
    let event = if position <= run.events {
        format!("event {} of {}", number(finding.event), number(run.events))
    } else {
        format!("event {}", number(finding.event))
    };
    let first = if finding.count == 1 { "at" } else { "first at" };
    notes.push(format!(
        "seen {}, {first} {event}; fingerprint {}",
        times(finding.count),
        name(&finding.fingerprint)
    ));
    notes
}

fn order(finding: &Finding, chain: &Chain<'_>, full: bool) -> String {
    let mut lines = vec!["no serial order exists:".to_string()];
    for shown in elide(&chain.links, full) {
        lines.push(match shown {
            Shown::Gap(left_out) => format!("  … {} …", count(left_out as u64, "more link")),
            Shown::Item(link) => format!("  {}", self::link(finding, link)),
        });
    }
    lines.join("\n")
}

fn link(finding: &Finding, link: Link<'_>) -> String {
    let block = |transaction: usize| match finding.transactions.get(transaction) {
        Some(t) => match t.label.as_deref() {
            Some("") => format!("one block of thread {}", name(&t.thread)),
            Some(label) => format!("one block, {} of thread {}", name(label), name(&t.thread)),
            None => format!("one step of thread {}", name(&t.thread)),
        },
        None => "one block".to_string(),
    };
    match link {
        Link::Before(from, to, reason) => {
            format!("{} before {}: {}", circled(from), circled(to), name(reason))
        }
        Link::ProgramOrder(from, to, thread) => {
            let thread = name(thread);
            format!("{} before {}: program order of thread {thread}", circled(from), circled(to))
        }
        Link::OneBlock(a, b, t) => {
            format!("{} and {} are {}", circled(a.min(b)), circled(a.max(b)), block(t))
        }
        Link::Closed(a, b, t) => {
            format!("but {} and {} are {}", circled(a.min(b)), circled(a.max(b)), block(t))
        }
    }
}

/// Who is to blame: the innermost block that contains the interloper; then what of the blocks
/// around and within it.
fn blame(finding: &Finding) -> Vec<String> {
    let Some(blame) = &finding.blame else {
        return vec![
            "no single block is to blame: each could run alone, not all together".to_string(),
        ];
    };
    let (mut refuted, rest): (Vec<_>, Vec<_>) = finding.blocks.iter().partition(|b| b.refuted);
    let (label, begin, at) = match refuted.pop() {
        Some(block) => (block.label.as_str(), block.begin, block.at.as_str()),
        None => (blame.label.as_str(), blame.begin, ""),
    };
    let at = if at.is_empty() { String::new() } else { format!(" at {}", name(at)) };
    let label = if label.is_empty() { "a block".to_string() } else { name(label) };
    let thread = name(&blame.thread);
    let mut notes =
        vec![format!("to blame: {label}, begun by thread {thread}{at} (event {})", number(begin))];
    let around = (!refuted.is_empty()).then(|| format!("refuted with it: {}", list(&refuted)));
    let within = (!rest.is_empty()).then(|| format!("not refuted: {}", list(&rest)));
    let others: Vec<String> = around.into_iter().chain(within).collect();
    if !others.is_empty() {
        notes.push(others.join("; "));
    }
    notes
}

fn list(blocks: &[&Block]) -> String {
    let called = |block: &&Block| match (block.label.as_str(), block.at.as_str()) {
        ("", "") => format!("the block begun at event {}", number(block.begin)),
        ("", at) => format!("the block at {}", name(at)),
        (label, _) => name(label),
    };
    let mut names: Vec<String> = blocks.iter().take(MOST_BLOCKS).map(called).collect();
    if blocks.len() > MOST_BLOCKS {
        names.push(format!("{} more", number((blocks.len() - MOST_BLOCKS) as u64)));
    }
    names.join(", ")
}
