//! The rules of the SARIF report. A rule's precision is what its results are worth, so what was
//! observed, predicted and only possible are rules of their own.

use interloper_findings::{Certainty, Kind};
use serde_json::json;
use serde_sarif::sarif as s;
use std::collections::BTreeMap;

struct Rule {
    kind: Kind,
    /// The certainties of its results.
    of: &'static [Certainty],
    id: &'static str,
    title: &'static str,
    level: &'static str,
    precision: &'static str,
    short: &'static str,
    full: &'static str,
    help: &'static str,
}

use Certainty::{Observed, Possible, Predicted};

/// In the order of the driver's list: new ones go to the end.
const RULES: [Rule; 7] = [
    Rule {
        kind: Kind::Atomicity,
        of: &[Observed],
        id: "interloper/atomicity",
        title: "AtomicityViolation",
        level: "error",
        precision: "very-high",
        short: "A block of code is not atomic",
        full: "Another thread came between the accesses of a block that was meant to run as one \
               step. The observed order of events is equivalent to no serial one.",
        help: "The result shows the block's accesses and the interloper: the access of another \
               thread that came between them. Each step must stay before the next because the two \
               conflict (they use the same variable or lock, or start or await a thread), so the \
               block cannot be moved to one side of the interloper.\n\nTo mend it, hold one lock \
               over all accesses of the block, and the same lock in the other thread, or use an \
               operation that is atomic by itself.",
    },
    Rule {
        kind: Kind::Atomicity,
        of: &[Predicted],
        id: "interloper/atomicity-predicted",
        title: "PredictedAtomicityViolation",
        level: "warning",
        precision: "high",
        short: "A block of code can be cut in two",
        full: "In the observed run the block was whole, but another schedule of the same steps, \
               which locks, starts and joins of threads allow, lets another thread come between \
               its accesses. That order is equivalent to no serial one.",
        help: "The result shows the steps in the order that breaks the block, with the locks held \
               at each. The prediction takes the observed steps as given: if the program would do \
               something else in that order, it may not come about.\n\nTo mend it, hold one lock \
               over all accesses of the block, and the same lock in the other thread, or use an \
               operation that is atomic by itself.",
    },
    Rule {
        kind: Kind::Atomicity,
        of: &[Possible],
        id: "interloper/atomicity-possible",
        title: "PossibleAtomicityViolation",
        level: "note",
        precision: "medium",
        short: "A block of code may not be atomic",
        full: "The steps of the block do not follow a pattern that makes a block atomic whatever \
               the other threads do: it may be cut in two.",
        help: "A block is atomic if it first only acquires locks, does at most one thing that does \
               not commute with other threads, and from then on only releases locks. The result \
               shows where this one does not. Other reasons can still keep it whole.\n\nTo mend \
               it, hold one lock over all accesses of the block.",
    },
    Rule {
        kind: Kind::Race,
        of: &[Observed],
        id: "interloper/race",
        title: "DataRace",
        level: "error",
        precision: "very-high",
        short: "Two threads access a variable and nothing orders them",
        full: "Two accesses of one variable by different threads, at least one of them a write, \
               are not ordered by locks, volatile variables, starts or joins of threads.",
        help: "The result shows both accesses and the locks held at each.\n\nTo mend it, hold a \
               common lock at both, or make the variable volatile or atomic.",
    },
    Rule {
        kind: Kind::Race,
        of: &[Predicted, Possible],
        id: "interloper/race-possible",
        title: "PossibleDataRace",
        level: "note",
        precision: "medium",
        short: "No lock keeps two accesses of a variable apart",
        full: "Two accesses of one variable by different threads, at least one of them a write, \
               hold no lock in common. They may be kept apart by other means that were not seen.",
        help: "The result shows both accesses and the locks held at each.\n\nTo mend it, hold a \
               common lock at both, or make the variable volatile or atomic.",
    },
    Rule {
        kind: Kind::Deadlock,
        of: &[Observed, Predicted, Possible],
        id: "interloper/deadlock",
        title: "PotentialDeadlock",
        level: "warning",
        precision: "medium",
        short: "Threads can come to wait for each other for ever",
        full: "Threads acquire the same locks in different orders: under another schedule each can \
               hold the lock that the next one waits for.",
        help: "The result shows each thread's acquisition and the locks it held by then.\n\nTo \
               mend it, acquire the locks in one order everywhere, or guard both orders by one \
               further lock.",
    },
    Rule {
        kind: Kind::Pattern,
        of: &[Observed, Predicted, Possible],
        id: "interloper/pattern",
        title: "LockPattern",
        level: "note",
        precision: "low",
        short: "Code acquires a lock twice where once seems meant",
        full: "A piece of code acquires and releases a lock more than once: between the two \
               another thread can change what the lock protects.",
        help: "Look whether what was read under the lock the first time is relied upon the second \
               time.\n\nTo mend it, hold the lock over both.",
    },
];

/// The place of a finding's rule in the list.
pub(crate) fn index(kind: Kind, certainty: Certainty) -> usize {
    let rule = |rule: &Rule| rule.kind == kind && rule.of.contains(&certainty);
    RULES.iter().position(rule).unwrap_or(0)
}

/// The id of a rule.
pub(crate) fn id(index: usize) -> &'static str {
    RULES[index].id
}

/// All rules.
pub(crate) fn all() -> Vec<s::ReportingDescriptor> {
    RULES.iter().map(descriptor).collect()
}

fn descriptor(rule: &Rule) -> s::ReportingDescriptor {
    let multiformat = |text: &str| s::MultiformatMessageString::builder().text(text).build();
    // What GitHub calls a note's severity.
    let severity = if rule.level == "note" { "recommendation" } else { rule.level };
    s::ReportingDescriptor::builder()
        .id(rule.id)
        .name(rule.title)
        .short_description(multiformat(rule.short))
        .full_description(multiformat(rule.full))
        .help(multiformat(rule.help))
        .default_configuration(
            s::ReportingConfiguration::builder().level(json!(rule.level)).build(),
        )
        .properties(
            s::PropertyBag::builder()
                .tags(vec!["concurrency".to_string(), "correctness".to_string()])
                .additional_properties(BTreeMap::from([
                    ("precision".to_string(), json!(rule.precision)),
                    ("problem.severity".to_string(), json!(severity)),
                ]))
                .build(),
        )
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_and_certainty_has_one_rule() {
        for kind in [Kind::Atomicity, Kind::Race, Kind::Deadlock, Kind::Pattern] {
            for certainty in [Observed, Predicted, Possible] {
                let fits = |rule: &&Rule| rule.kind == kind && rule.of.contains(&certainty);
                assert_eq!(RULES.iter().filter(fits).count(), 1, "{kind:?} {certainty:?}");
                assert_eq!(RULES[index(kind, certainty)].kind, kind);
            }
        }
    }
}
