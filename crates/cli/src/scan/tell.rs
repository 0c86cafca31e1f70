//! What is told of a scan beside its findings.

use super::config::Settings;
use crate::failure::say;
use interloper_findings::Suppressions;
use interloper_report::{count, number};
use interloper_scan::Outcome;
use interloper_scan::hierarchy::Capped;
use interloper_scan::input::Input;
use interloper_scan::lower::{Lowered, Problem};

/// How many things of a kind are named one by one.
const FEW: usize = 3;

/// Names on standard error what could not be read; whether there is any.
pub fn skipped(input: &Input) -> bool {
    for skipped in &input.skipped {
        say(format_args!("error: {}: {}; skipped", skipped.origin, skipped.why));
    }
    !input.skipped.is_empty()
}

/// Names on standard error what could not be understood; whether there is any.
pub fn problems(lowered: &Lowered) -> bool {
    let is_bad = |problem: &&Problem| !matches!(problem, Problem::Duplicate { .. });
    let mut bad = false;
    for problem in lowered.problems.iter().filter(is_bad) {
        say(format_args!("error: {problem}; skipped"));
        bad = true;
    }
    bad
}

/// What the user must know of the input.
pub fn notes(input: &Input, lowered: &Lowered) -> Vec<String> {
    let mut notes = vec![];
    let several = input.multi_release.len();
    for (origin, release) in input.multi_release.iter().take(FEW) {
        notes.push(format!(
            "{origin} is a multi-release jar: of classes that it has several times, those for the newest \
             release (up to {release}) were scanned"
        ));
    }
    if several > FEW {
        notes.push(format!("so are {}", count((several - FEW) as u64, "other jar")));
    }
    let duplicates = lowered.problems.iter().filter_map(|problem| match problem {
        Problem::Duplicate { origin } => Some(origin),
        _ => None,
    });
    if let Some(first) = duplicates.clone().next() {
        let classes = match duplicates.count() as u64 {
            1 => format!("1 class is there more than once: {first}"),
            n => format!("{} classes are there more than once: {first} and others", number(n)),
        };
        notes.push(format!("{classes}; the first of each was scanned, as on a class path"));
    }
    notes
}

/// What was found and is not listed, and how to have it listed.
pub fn left_out(outcome: &Outcome, depth: Option<usize>, notes: &mut Vec<String>) {
    let left_out = outcome.left_out;
    let calls = count(depth.unwrap_or(usize::MAX) as u64, "call");
    let deeper = format!("that more than {calls} lead to; --depth shows them");
    let all = [
        (left_out.elsewhere, "within the JDK; --within-jdk shows them"),
        (left_out.deep, deeper.as_str()),
        (
            left_out.handed_on,
            "where the lock may be the one that is held, which objects hand on to each other; --aliases shows them",
        ),
        (
            left_out.leads_back,
            "where the lock may be the one that is held, to which a path leads back; --aliases shows them",
        ),
        (
            left_out.comes_to_itself,
            "where a call would have to come to itself with the same arguments; --unlikely shows them",
        ),
        (
            left_out.some_targets,
            "where a loop would have to meet two objects that take the lock, and not all do; --unlikely shows them",
        ),
        (
            left_out.library,
            "where only Vector, StringBuffer or the like is locked twice; --all shows them",
        ),
        (left_out.untold, "for which there is no chain of calls to show"),
        (left_out.unseen, "without being looked at, because many others of the same locks are"),
    ];
    for (places, which) in all.into_iter().filter(|(places, _)| *places > 0) {
        notes.push(format!("{} left out {which}", count(places as u64, "place")));
    }
}

/// Places that were taken out of findings, and entries that are of no use any more.
pub fn suppressed(places: usize, suppressions: &Suppressions, notes: &mut Vec<String>) {
    if places > 0 {
        notes.push(format!("{} of other findings suppressed", count(places as u64, "place")));
    }
    let unused: Vec<&str> = suppressions.unused().collect();
    if !unused.is_empty() {
        notes.push(format!("suppresses nothing: {}", listed(&unused)));
    }
}

/// Findings of the baseline that are no more.
pub fn gone(gone: &[&str], notes: &mut Vec<String>) {
    if !gone.is_empty() {
        let findings = count(gone.len() as u64, "finding");
        notes.push(format!("{findings} of the baseline no longer found: {}", listed(gone)));
    }
}

fn listed(names: &[&str]) -> String {
    let mut shown = names.iter().take(FEW).copied().collect::<Vec<_>>().join("; ");
    if names.len() > FEW {
        shown += &format!("; and {} more", names.len() - FEW);
    }
    shown
}

/// What was scanned, in a word.
pub fn input(settings: &Settings) -> String {
    let jdk = settings.jdk.as_ref().filter(|_| settings.paths.is_empty());
    let all: Vec<String> =
        settings.paths.iter().chain(jdk).map(|path| path.display().to_string()).collect();
    match &all[..] {
        [first, rest @ ..] if rest.len() >= FEW => format!("{first} and {} more", rest.len()),
        all => all.join(", "),
    }
}

/// What was counted.
pub fn stats(
    lowered: &Lowered,
    outcome: &Outcome,
    archives: usize,
    capped: Capped,
) -> Vec<(String, u64)> {
    let (counts, stats) = (&lowered.counts, &outcome.stats);
    let all = [
        ("archives", archives),
        ("classes", counts.classes),
        ("methods with code", counts.methods),
        ("instructions of methods that lock, call or assign", counts.instructions),
        ("synchronized methods", counts.synchronized_methods),
        ("places where a monitor is entered", counts.monitors),
        ("places where an explicit lock is taken", counts.explicit_locks),
        ("places where locks are not nested as blocks", counts.unstructured),
        ("methods with such places", counts.unstructured_methods),
        ("calls", stats.calls),
        ("call targets too many to follow", capped.dispatches),
        ("call targets of types that are not scanned, not followed", capped.callbacks),
        ("methods that lock, themselves or by calls", stats.locking_methods),
        ("static locks", stats.global_locks),
        ("components of the call graph", stats.components),
        ("methods of the largest one", stats.largest_component),
        ("methods and call targets with too many locks to hand on", stats.capped_locks),
        ("methods with too many pairs of locks", stats.capped_pairs),
        ("places of library classes left out", outcome.left_out.library),
        ("places within the JDK left out", outcome.left_out.elsewhere),
        ("places with long chains of calls left out", outcome.left_out.deep),
        ("places with a lock that is handed on left out", outcome.left_out.handed_on),
        ("places with a path that leads back left out", outcome.left_out.leads_back),
        ("places with a call that comes to itself left out", outcome.left_out.comes_to_itself),
        (
            "places with a loop over objects that do not all lock left out",
            outcome.left_out.some_targets,
        ),
        ("places without a chain of calls left out", outcome.left_out.untold),
        ("places left out without being looked at", outcome.left_out.unseen),
    ];
    all.into_iter().map(|(name, value)| (name.to_owned(), value as u64)).collect()
}
