//! What is said below the steps of a finding: why, who is to blame, what other engines say.

use super::TextOptions;
use super::explain::{Shown, elide};
use crate::chain::{Chain, Link};
use crate::frame::short;
use crate::model::Run;
use crate::view::Told;
use crate::words::{circled, count, escape, fold, name, number, shorten, times};
use interloper_findings::{Block, Certainty, Finding, Kind, Step};

/// How many nested blocks a note names.
const MOST_BLOCKS: usize = 8;
/// How many other things that are said of a block are shown unless the user asks for all.
const MOST_OTHERS: usize = 6;
/// A note that is longer, because of names without end, is no longer read.
pub(super) const LONGEST_NOTE: usize = 1_000;
/// What stands to the left of a note, and some air to its right.
const MARGIN: usize = 10;

/// What stands below the steps; each note may have several lines.
pub(super) fn notes(
    finding: &Finding,
    chain: &Chain<'_>,
    also: &[Told<'_>],
    run: &Run,
    opts: &TextOptions,
) -> Vec<String> {
    let mut notes = vec![];
    if !chain.links.is_empty() {
        notes.push(order(finding, chain, opts));
    } else if let Some(why) = why(finding) {
        notes.push(why.to_string());
    }
    let width = opts.width.saturating_sub(MARGIN);
    notes.extend(finding.notes.iter().map(|note| folded(note, width)));
    if finding.kind == Kind::Atomicity {
        notes.extend(blame(finding).iter().map(|note| folded(note, width)));
    }
    notes.extend(others(also, opts.full).iter().map(|line| folded(line, width)));
    notes.push(folded(&occurrence(finding, run), width));
    notes
}

/// In lines that fit, safe for a terminal.
fn folded(text: &str, width: usize) -> String {
    fold(&shorten(&escape(text), LONGEST_NOTE), width).join("\n  ")
}

/// When and how often.
fn occurrence(finding: &Finding, run: &Run) -> String {
    let position = finding.event.saturating_add(1);
    let event = if position <= run.events {
        format!("event {} of {}", number(finding.event), number(run.events))
    } else {
        format!("event {}", number(finding.event))
    };
    let first = if finding.count == 1 { "at" } else { "first at" };
    // What was not observed was not seen.
    let seen = if finding.certainty == Certainty::Observed { "seen" } else { "found" };
    let (times, fingerprint) = (times(finding.count), name(&finding.fingerprint));
    format!("{seen} {times}, {first} {event}; fingerprint {fingerprint}")
}

/// What the steps mean, where neither dependences nor the engine explain them.
fn why(finding: &Finding) -> Option<&'static str> {
    match (finding.kind, finding.certainty) {
        (Kind::Atomicity, Certainty::Predicted) => {
            Some("this order was not observed, but another schedule allows it")
        }
        _ if !finding.notes.is_empty() => None,
        (Kind::Race, Certainty::Observed) => Some("nothing orders these two accesses"),
        (Kind::Race, _) => Some("nothing seems to keep these two accesses apart"),
        (Kind::Deadlock, _) => Some("each waits for a lock that the next one holds"),
        _ => None,
    }
}

/// A line for each other thing that is said of the same block.
fn others(also: &[Told<'_>], full: bool) -> Vec<String> {
    let shown = if full || also.len() <= MOST_OTHERS { also.len() } else { MOST_OTHERS - 1 };
    let mut lines: Vec<String> = also[..shown].iter().map(other).collect();
    if shown < also.len() {
        lines
            .push(format!("also: {} more; --full shows them", number((also.len() - shown) as u64)));
    }
    lines
}

/// `also: reduction, possible: R B L R … does not reduce (Vector.java:689, Vector.java:266)`
fn other(told: &Told<'_>) -> String {
    let finding = told.finding;
    let what = match finding.certainty {
        Certainty::Observed | Certainty::Predicted => in_order(finding),
        Certainty::Possible => with_places(finding),
    };
    format!("also: {}, {}: {what}", told.engines().join(" + "), finding.certainty.word())
}

/// The steps in a line: `T1 r(x) at A.java:1, then T2 w(x) at B.java:7`.
fn in_order(finding: &Finding) -> String {
    const MOST: usize = 6;
    let step = |step: &Step| {
        let at = if step.at.is_empty() {
            String::new()
        } else {
            format!(" at {}", short(&step.at, None))
        };
        format!("{} {}{at}", step.thread, step.op)
    };
    let mut steps: Vec<String> = finding.steps.iter().take(MOST).map(step).collect();
    if finding.steps.len() > MOST {
        steps.push("…".to_string());
    }
    if steps.is_empty() { finding.message.clone() } else { steps.join(", then ") }
}

/// Why, and the places if they are not said there.
fn with_places(finding: &Finding) -> String {
    const MOST: usize = 4;
    let what = finding.notes.first().unwrap_or(&finding.message);
    let mut places: Vec<&str> = vec![];
    for step in &finding.steps {
        let at = step.at.as_str();
        if !at.is_empty() && !places.contains(&at) {
            places.push(at);
        }
    }
    if places.is_empty() || places.iter().any(|at| what.contains(at)) {
        return what.clone();
    }
    let mut places: Vec<String> = places.iter().map(|at| short(at, None)).collect();
    if places.len() > MOST {
        places[MOST - 1] = "…".to_string();
        places.truncate(MOST);
    }
    format!("{what} ({})", places.join(", "))
}

fn order(finding: &Finding, chain: &Chain<'_>, opts: &TextOptions) -> String {
    let heading = match finding.certainty {
        Certainty::Observed => "no serial order exists:",
        Certainty::Predicted => {
            "this order was not observed, but another schedule allows it; no serial one is equivalent:"
        }
        Certainty::Possible => "if the steps can come in this order, no serial one is equivalent:",
    };
    let mut lines = fold(heading, opts.width.saturating_sub(MARGIN));
    for shown in elide(&chain.links, opts.full) {
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
        return match finding.certainty {
            Certainty::Possible => vec![],
            _ => {
                let nobody = "no single block is to blame: each could run alone, not all together";
                vec![nobody.to_string()]
            }
        };
    };
    let (mut refuted, rest): (Vec<_>, Vec<_>) = finding.blocks.iter().partition(|b| b.refuted);
    let (label, begin, at) = match refuted.pop() {
        Some(block) => (block.label.as_str(), block.begin, block.at.as_str()),
        None => (blame.label.as_str(), blame.begin, ""),
    };
    let at = if at.is_empty() { String::new() } else { format!(" at {}", short(at, Some(label))) };
    let label = if label.is_empty() { "a block".to_string() } else { name(label) };
    let thread = name(&blame.thread);
    let (to_blame, doomed) = match finding.certainty {
        Certainty::Observed => ("to blame", "refuted"),
        Certainty::Predicted => ("can be cut in two", "in danger"),
        Certainty::Possible => ("in question", "in question"),
    };
    let mut notes = vec![format!(
        "{to_blame}: {label}, begun by thread {thread}{at} (event\u{a0}{})",
        number(begin)
    )];
    let around = (!refuted.is_empty()).then(|| format!("{doomed} with it: {}", list(&refuted)));
    let within = (!rest.is_empty()).then(|| format!("not {doomed}: {}", list(&rest)));
    let others: Vec<String> = around.into_iter().chain(within).collect();
    if !others.is_empty() {
        notes.push(others.join("; "));
    }
    notes
}

fn list(blocks: &[&Block]) -> String {
    let called = |block: &&Block| match (block.label.as_str(), block.at.as_str()) {
        ("", "") => format!("the block begun at event {}", number(block.begin)),
        ("", at) => format!("the block at {}", short(at, None)),
        (label, _) => name(label),
    };
    let mut names: Vec<String> = blocks.iter().take(MOST_BLOCKS).map(called).collect();
    if blocks.len() > MOST_BLOCKS {
        names.push(format!("{} more", number((blocks.len() - MOST_BLOCKS) as u64)));
    }
    names.join(", ")
}
