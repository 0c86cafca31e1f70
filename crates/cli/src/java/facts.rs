//! What a report says of a JVM.

use interloper_report::{Jvm, LeftAlone, Run, count};
use interloper_tap::Facts;
use interloper_trace::{Extent, Remarks};
use std::collections::HashMap;

/// How many things that were left alone for the same reason are named.
const EXAMPLES: usize = 3;
/// How many notes of the agent are passed on.
const MOST_NOTES: usize = 10;

/// The run with what is known of its JVM, and with what went wrong through a fault of ours.
pub fn describe(run: Run, facts: &Facts, internal: Option<&str>) -> Run {
    let mut notes = run.notes;
    notes.extend(all_notes(facts, internal));
    let input = if facts.command.is_empty() { run.input } else { facts.command.clone() };
    let mut described = Run { input, notes, jvm: Some(jvm(facts)), ..run };
    if let Some(idle) = idle(facts) {
        described.doubt_atomicity(idle);
    }
    described
}

/// The same for a recording, whose report others write. `cut_short`: the JVM was not watched to its end.
pub fn remarks(facts: &Facts, internal: Option<&str>, cut_short: bool) -> Remarks {
    let extent = match () {
        _ if internal.is_some() => Extent::Doubtful,
        _ if facts.stopped.is_some() => Extent::Limited,
        _ if cut_short || facts.is_cut_off() => Extent::Cut,
        _ => Extent::Whole,
    };
    Remarks { extent, notes: all_notes(facts, internal) }
}

fn all_notes(facts: &Facts, internal: Option<&str>) -> Vec<String> {
    let mut notes = notes(facts);
    notes.extend(stopped(facts));
    notes.extend(internal.map(|error| format!("internal error: {error}")));
    notes
}

/// What the agent notes, and what is missing through nobody's fault.
pub fn notes(facts: &Facts) -> Vec<String> {
    let mut notes: Vec<String> = facts.notes.iter().take(MOST_NOTES).cloned().collect();
    let more = facts.notes_count.saturating_sub(MOST_NOTES as u64);
    if more > 0 {
        notes.push(format!("{} of the agent", count(more, "further note")));
    }
    if facts.ended.is_none() {
        let last = "what it did last may be missing";
        notes.push(format!("the JVM ended without a word, or still runs: {last}"));
    }
    if facts.dropped > 0 {
        let events = count(facts.dropped, "event");
        notes.push(format!("{events} left out: there was no room to tell more variables apart, or their beginnings were not seen"));
    }
    notes
}

/// Why nothing can be said about atomicity, if so.
fn idle(facts: &Facts) -> Option<&'static str> {
    match (facts.atomic_methods, facts.blocks) {
        (_, 1..) => None,
        (0, 0) => Some("no method that was loaded is atomic: there was nothing to violate"),
        (_, 0) => Some("no atomic block was executed: there was nothing to violate"),
    }
}

/// Which limit the recorder came to, if it did.
fn stopped(facts: &Facts) -> Option<String> {
    let reason = facts.stopped.as_ref()?;
    Some(format!("recording stopped in the middle of the run: {reason}"))
}

/// The same as a message, with what can be done about it.
pub fn limit(facts: &Facts) -> Option<String> {
    let (stopped, pid) = (stopped(facts)?, facts.pid);
    let advice = "a smaller or shorter run, or one with fewer classes (--only), may get to its end";
    Some(format!("process {pid}: {stopped}; only what came before counts: {advice}"))
}

/// What went wrong through no fault of the program: the `error` that ended the stream of events, or what is wrong with it.
pub fn internal_error(facts: &Facts, error: Option<String>) -> Option<String> {
    let broken = (facts.broken > 0).then(|| {
        let orders = count(facts.broken, "order");
        format!("{orders} of events could not be kept: findings are in doubt")
    });
    error.or(facts.damaged.clone()).or(broken)
}

/// The same as a message.
pub fn our_fault(facts: &Facts, error: &str) -> String {
    let pid = facts.pid;
    format!("process {pid}: internal error: {error}; this is a bug of interloper, please report it")
}

fn jvm(facts: &Facts) -> Jvm {
    Jvm {
        pid: facts.pid,
        java: facts.java.clone(),
        classes: facts.classes,
        methods: facts.methods,
        atomic: facts.atomic_methods,
        blocks: facts.blocks,
        left_alone: left_alone(facts),
    }
}

/// By reason, the most frequent first.
fn left_alone(facts: &Facts) -> Vec<LeftAlone> {
    let mut all: Vec<LeftAlone> = vec![];
    let mut known: HashMap<&str, usize> = HashMap::new();
    for skipped in &facts.skipped {
        let i = *known.entry(&skipped.reason).or_insert(all.len());
        if i == all.len() {
            all.push(LeftAlone { reason: skipped.reason.clone(), ..LeftAlone::default() });
        }
        all[i].count += 1;
        if all[i].examples.len() < EXAMPLES {
            all[i].examples.push(skipped.what.clone());
        }
    }
    all.sort_by_key(|left| std::cmp::Reverse(left.count));
    let unlisted = facts.skipped_count.saturating_sub(facts.skipped.len() as u64);
    if unlisted > 0 {
        let reason = "too many to list".to_string();
        all.push(LeftAlone { reason, count: unlisted, examples: vec![] });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use interloper_findings::Kind;
    use interloper_report::EngineRun;
    use interloper_tap::Omission;

    #[test]
    fn what_was_left_alone_is_counted_by_reason() {
        let skip = |what: &str, reason: &str| Omission { what: what.into(), reason: reason.into() };
        let mut skipped = vec![skip("a.B.c", "native")];
        skipped.extend((0..5).map(|i| skip(&format!("a.Big.m{i}"), "too long")));
        let facts = Facts { skipped, skipped_count: 8, ..Facts::default() };
        let left = left_alone(&facts);
        let counts: Vec<(&str, u64)> = left.iter().map(|it| (&*it.reason, it.count)).collect();
        assert_eq!(counts, [("too long", 5), ("native", 1), ("too many to list", 2)]);
        assert_eq!(left[0].examples, ["a.Big.m0", "a.Big.m1", "a.Big.m2"]);
    }

    #[test]
    fn where_nothing_was_atomic_that_is_said_by_those_who_need_it() {
        let engine = |judges| EngineRun { judges, ..EngineRun::default() };
        let caveats = |atomic_methods, blocks| {
            let facts = Facts { atomic_methods, blocks, ..Facts::default() };
            let engines = vec![engine(Kind::Atomicity), engine(Kind::Race)];
            let run = describe(Run { engines, ..Run::default() }, &facts, None);
            run.engines.into_iter().map(|it| it.caveat.unwrap_or_default()).collect::<Vec<_>>()
        };
        assert_eq!(caveats(3, 9), ["", ""]);
        for (atomic, says) in [(0, "no method that was loaded is atomic"), (3, "no atomic block")] {
            let caveats = caveats(atomic, 0);
            assert!(caveats[0].starts_with(says) && caveats[1].is_empty(), "{caveats:?}");
        }
    }

    #[test]
    fn a_limit_is_told_and_is_no_error_of_ours() {
        let reason = "more than 9 threads ran at once";
        let ended = Some("exit".to_string());
        let facts = Facts { stopped: Some(reason.into()), ended, pid: 7, ..Facts::default() };
        assert_eq!(internal_error(&facts, None), None);
        let run = describe(Run::default(), &facts, None);
        assert_eq!(run.notes, [format!("recording stopped in the middle of the run: {reason}")]);
        let told = limit(&facts).unwrap();
        assert!(told.starts_with("process 7: ") && told.contains(reason), "{told}");
        assert_eq!(limit(&Facts::default()), None);
    }

    #[test]
    fn errors_of_ours_are_never_silent() {
        let fine = Facts { ended: Some("exit".into()), ..Facts::default() };
        assert_eq!(internal_error(&fine, None), None);
        assert_eq!(describe(Run::default(), &fine, None).notes, [""; 0]);
        let broken = Facts { broken: 2, pid: 7, ..fine.clone() };
        let damaged = Facts { damaged: Some("a log makes no sense".into()), ..fine.clone() };
        let wrong = Some("T1: end without begin".to_string());
        for (facts, error) in [(&broken, None), (&damaged, None), (&fine, wrong)] {
            let error = internal_error(facts, error).unwrap();
            assert!(our_fault(facts, &error).contains("bug"));
            let run = describe(Run::default(), facts, Some(&error));
            assert_eq!(run.notes, [format!("internal error: {error}")]);
        }
    }
}
