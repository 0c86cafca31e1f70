//! De-duplication, limits, and words.

use interloper_findings::{
    Access, Certainty, Collector, Dependence, Key, Kind, Mark, OpenBlock, Sameness, Sink,
    Violation, Warning, Witness,
};
use interloper_trace::{LabelId, Names, Op, Position, SiteId, ThreadId};

struct Case {
    names: Names,
    alice: ThreadId,
    bob: ThreadId,
    label: LabelId,
    balance: u32,
    sites: Vec<SiteId>,
}

fn case() -> Case {
    let mut names = Names::default();
    let (alice, bob) = (names.thread("alice"), names.thread("bob"));
    let label = names.label("Account.withdraw");
    let balance = names.var("balance").0;
    let sites = (0..5).map(|line| names.site(&format!("Account.java:{line}"))).collect();
    Case { names, alice, bob, label, balance, sites }
}

impl Case {
    fn access(&self, event: Position, thread: ThreadId, op: Op, site: usize) -> Access {
        let label = if thread == self.alice { self.label } else { LabelId::OUTSIDE };
        let (operand, site) = (self.balance, self.sites[site]);
        Access { event, thread, op, operand, site, label, same_transaction: true }
    }

    /// alice reads, bob writes at `interloper`, alice writes at `last`.
    fn violation(&self, at: Position, interloper: usize, last: usize) -> (Key, Violation) {
        let read = self.access(at - 2, self.alice, Op::Read, 4);
        let write = self.access(at - 1, self.bob, Op::Write, interloper);
        let closing = self.access(at, self.alice, Op::Write, last);
        let blocks =
            vec![OpenBlock { label: self.label, begin: 0, site: self.sites[0], refuted: true }];
        let key = Key::new((self.label, self.sites[0]), true, write.site, closing.site);
        let cycle =
            vec![Dependence { from: read, to: write }, Dependence { from: write, to: closing }];
        (key, Violation { event: at, thread: self.alice, blocks, cycle })
    }

    fn report(&self, collector: &mut Collector, at: Position, interloper: usize, last: usize) {
        let (key, violation) = self.violation(at, interloper, last);
        if collector.count(at, key) {
            collector.explain(key, violation);
        }
    }
}

#[test]
fn same_block_and_same_pair_of_places_is_one_finding() {
    let case = case();
    let mut collector = Collector::default();
    case.report(&mut collector, 5, 1, 2);
    case.report(&mut collector, 9, 1, 3);
    case.report(&mut collector, 12, 1, 2);
    let findings = collector.findings(&case.names);
    let told: Vec<_> = findings.iter().map(|finding| (finding.event, finding.count)).collect();
    assert_eq!(told, [(5, 2), (9, 1)]);
    assert_ne!(findings[0].fingerprint, findings[1].fingerprint);
    assert_eq!((collector.total(), collector.unlisted()), (3, 0));
}

#[test]
fn beyond_the_limit_known_kinds_are_still_counted() {
    let case = case();
    let mut collector = Collector::with_limit(1);
    case.report(&mut collector, 5, 1, 2);
    case.report(&mut collector, 9, 1, 3);
    case.report(&mut collector, 12, 1, 2);
    assert_eq!(collector.findings(&case.names)[0].count, 2);
    assert_eq!((collector.findings(&case.names).len(), collector.unlisted()), (1, 1));
    assert_eq!(collector.total(), 3);
}

#[test]
fn a_block_with_a_label_is_the_same_wherever_it_begins() {
    let case = case();
    let key = |label, begins: usize| {
        Key::new((label, case.sites[begins]), true, case.sites[2], case.sites[3])
    };
    assert_eq!(key(case.label, 0), key(case.label, 1));
    assert_ne!(key(LabelId::UNNAMED, 0), key(LabelId::UNNAMED, 1));
}

#[test]
fn of_huge_explanations_a_few_are_enough() {
    let case = case();
    let mut collector = Collector::default();
    let mut listed = 0;
    for i in 0..100 {
        let (key, mut violation) = case.violation(5 + i, 1, 2);
        let key = Key { closes: SiteId(100 + i as u32), ..key };
        violation.blocks = vec![violation.blocks[0]; 100_000];
        if collector.count(5 + i, key) {
            listed += 1;
            collector.explain(key, violation);
        }
    }
    assert_eq!(listed, 11, "about a million blocks in all");
    assert_eq!(collector.unlisted(), 89);
}

#[test]
fn fingerprints_depend_on_names_not_on_ids() {
    let case_a = case();
    let mut case_b = case();
    // The same names under other numbers.
    case_b.names = Names::default();
    for line in (0..5).rev() {
        case_b.sites[line] = case_b.names.site(&format!("Account.java:{line}"));
    }
    case_b.names.label("another");
    case_b.label = case_b.names.label("Account.withdraw");
    case_b.bob = case_b.names.thread("bob");
    case_b.alice = case_b.names.thread("alice");
    case_b.balance = case_b.names.var("balance").0;
    let fingerprint = |case: &Case| {
        let mut collector = Collector::default();
        case.report(&mut collector, 5, 1, 2);
        collector.findings(&case.names)[0].fingerprint.clone()
    };
    assert_eq!(fingerprint(&case_a), fingerprint(&case_b));
}

#[test]
fn in_words() {
    let case = case();
    let mut collector = Collector::default();
    case.report(&mut collector, 5, 1, 2);
    let finding = &collector.findings(&case.names)[0];
    assert_eq!(finding.message, "Account.withdraw is not atomic");
    let actions: Vec<_> =
        finding.steps.iter().map(|step| format!("{} {}", step.thread, step.action)).collect();
    assert_eq!(actions, ["alice reads balance", "bob writes balance", "alice writes balance"]);
    let reasons: Vec<_> = finding.edges.iter().map(|edge| edge.reason.as_str()).collect();
    assert_eq!(reasons, ["read before write of balance", "write before write of balance"]);
    assert_eq!(finding.transactions.len(), 2);
    assert!(finding.transactions[0].blamed && finding.transactions[1].label.is_none());
    assert!(finding.edges[1].closing && finding.edges[1].to == 0);
}

#[test]
fn without_blame_nobody_is_named() {
    let case = case();
    let (_, mut violation) = case.violation(5, 1, 2);
    violation.blocks[0].refuted = false;
    let key = Key::new((case.label, case.sites[0]), false, case.sites[1], case.sites[2]);
    let mut collector = Collector::default();
    assert!(collector.count(5, key));
    collector.explain(key, violation);
    let finding = &collector.findings(&case.names)[0];
    assert_eq!(finding.blame, None);
    assert_eq!(finding.message, "these runs of Account.withdraw cannot all be atomic");
}

/// A warning of the two accesses of `violation`, with `m` held at the first.
fn warning(case: &mut Case, kind: Kind, certainty: Certainty) -> Warning {
    let lock = case.names.lock("m");
    let (_, violation) = case.violation(5, 1, 2);
    let Violation { event, thread, blocks, cycle } = violation;
    let steps = vec![
        Witness { access: cycle[0].from, held: vec![lock] },
        Witness { access: cycle[0].to, held: vec![] },
    ];
    let cycle = if certainty == Certainty::Predicted { cycle } else { vec![] };
    let notes = vec!["because".to_string()];
    Warning { kind, certainty, message: None, event, thread, blocks, steps, cycle, notes }
}

fn told(case: &mut Case, kind: Kind, certainty: Certainty) -> interloper_findings::Finding {
    let warning = warning(case, kind, certainty);
    let same = Sameness::new(kind, &[Mark::Site(case.sites[1])]);
    let mut collector = Collector::default();
    assert!(collector.warn(5, same));
    collector.describe(same, warning);
    assert!(!collector.warn(9, same), "known by now");
    assert_eq!((collector.total(), collector.listed()), (2, 1));
    collector.findings(&case.names).remove(0)
}

#[test]
fn warnings_never_claim_what_was_not_observed() {
    let mut case = case();
    for (kind, certainty, message) in [
        (Kind::Atomicity, Certainty::Predicted, "Account.withdraw can be cut in two"),
        (Kind::Atomicity, Certainty::Possible, "Account.withdraw may not be atomic"),
        (Kind::Race, Certainty::Observed, "race on balance"),
        (Kind::Race, Certainty::Possible, "possible race on balance"),
        (Kind::Deadlock, Certainty::Predicted, "possible deadlock between balance"),
    ] {
        let finding = told(&mut case, kind, certainty);
        assert_eq!(finding.message, message);
        assert_eq!((finding.kind, finding.certainty), (kind, certainty));
        assert_eq!(finding.blame.is_some(), kind == Kind::Atomicity);
        assert!(finding.blame.is_none_or(|blame| !blame.certain));
        assert_eq!(finding.notes, ["because"]);
        assert_eq!((finding.event, finding.count), (5, 2));
    }
}

#[test]
fn warnings_keep_their_order_and_their_locks() {
    let mut case = case();
    let finding = told(&mut case, Kind::Race, Certainty::Possible);
    let held: Vec<_> = finding.steps.iter().map(|step| step.held.clone().unwrap()).collect();
    assert_eq!(held, [vec!["m".to_string()], vec![]]);
    assert_eq!((finding.subject.as_str(), finding.edges.len()), ("balance", 0));
    let finding = told(&mut case, Kind::Atomicity, Certainty::Predicted);
    assert_eq!((finding.subject.as_str(), finding.edges.len()), ("Account.withdraw", 2));
    assert!(finding.edges[0].source.as_ref().is_some_and(|step| step.held.is_none()));
}

#[test]
fn the_same_warning_has_the_same_fingerprint() {
    let case = case();
    let fingerprint = |marks: &[Mark]| {
        let mut case = self::case();
        let warning = warning(&mut case, Kind::Race, Certainty::Possible);
        let same = Sameness::new(Kind::Race, marks);
        let mut collector = Collector::default();
        collector.warn(5, same);
        collector.describe(same, warning);
        collector.findings(&case.names)[0].fingerprint.clone()
    };
    let [one, other] = [Mark::Site(case.sites[1]), Mark::Site(case.sites[2])];
    assert_eq!(fingerprint(&[one, other]), fingerprint(&[one, other]));
    assert_ne!(fingerprint(&[one, other]), fingerprint(&[one]));
}
