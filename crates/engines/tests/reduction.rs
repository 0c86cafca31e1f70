//! Reduction, offline and online, on examples by hand: those of Wang and Stoller's paper with the paper's
//! answers, and those that show what it takes to be right.

mod common;

use common::schedules::Schedules;
use common::text::{Trace, trace};
use interloper_engines::reduction::{Atomizer, Reduction};
use interloper_engines::{Checker, Engine, Outcome, Settings, Without};
use interloper_findings::{Certainty, Finding, Kind};

fn run(engine: impl Engine + 'static, Trace { names, events }: &Trace) -> Outcome {
    let mut checker = Checker::of(engine);
    events.iter().for_each(|&event| checker.push(event, names));
    checker.finish(names);
    checker.outcomes(names).remove(0)
}

fn reduction(without: Without) -> Reduction {
    Reduction::new(Settings { without, ..Settings::default() })
}

/// What offline reduction finds.
fn offline(text: &str) -> Vec<Finding> {
    run(reduction(Without::default()), &trace(text)).findings
}

/// What the Atomizer finds.
fn online(text: &str) -> Vec<Finding> {
    run(Atomizer::default(), &trace(text)).findings
}

/// What the findings are about.
fn subjects(findings: &[Finding]) -> Vec<&str> {
    findings.iter().map(|finding| finding.subject.as_str()).collect()
}

/// The blocks that offline reduction reports.
fn reported(text: &str) -> Vec<String> {
    offline(text).into_iter().map(|finding| finding.subject).collect()
}

/// Each step as `acq(v1) at Vector.java:266`.
fn steps(finding: &Finding) -> Vec<String> {
    finding.steps.iter().map(|step| format!("{} at {}", step.op, step.at)).collect()
}

/// Whether all schedules are serializable, and none ends in a deadlock.
fn is_atomic(text: &str) -> bool {
    let schedules = Schedules::new(&trace(text).events);
    assert_eq!(schedules.deadlocks(), Some(false), "{text}");
    schedules.is_atomic().expect("few enough schedules")
}

/// `one; two; three` as lines, each an event of the thread.
fn thread(name: &str, events: &str) -> String {
    events.split(';').map(|event| format!("{name}|{}\n", event.trim())).collect()
}

// The paper's examples.

const CONSTRUCTOR: &str = "\
1|begin(Vector(Collection))|Vector.java:151
1|acq(v1)|Vector.java:266
1|r(v1.elementCount)|Vector.java:267
1|rel(v1)|Vector.java:267
1|acq(v1)|Vector.java:689
1|r(v1.elementCount)|Vector.java:690
1|r(v1.elementData)|Vector.java:693
1|r(v1.elementCount)|Vector.java:695
1|rel(v1)|Vector.java:698
1|end|Vector.java:155
";
const REMOVE_ALL: &str = "\
2|begin(removeAllElements())|Vector.java:629
2|acq(v1)|Vector.java:629
2|r(v1.elementCount)|Vector.java:630
2|w(v1.elementData)|Vector.java:630
2|w(v1.elementCount)|Vector.java:631
2|rel(v1)|Vector.java:632
2|end|Vector.java:632
";

/// Figure 1, with the pattern of Figure 5 and the report of Figure 7.
#[test]
fn the_constructor_of_vector() {
    let found = offline(&format!("{CONSTRUCTOR}{REMOVE_ALL}"));
    let [finding] = &found[..] else { panic!("{found:#?}") };
    assert_eq!(finding.message, "Vector(Collection) may not be atomic");
    assert_eq!((finding.kind, finding.certainty), (Kind::Atomicity, Certainty::Possible));
    assert_eq!(steps(finding), ["acq(v1) at Vector.java:266", "acq(v1) at Vector.java:689"]);
    assert_eq!(finding.event, 4);
    let blame = finding.blame.as_ref().expect("somebody is to blame");
    assert_eq!((blame.thread.as_str(), blame.begin, blame.certain), ("1", 0, false));
    assert_eq!(
        finding.notes,
        [
            "other threads can come between the release of v1 at Vector.java:267 and the \
             acquisition of v1 at Vector.java:689",
            "the events move as RBLRBBBL, which is not R*N?L*",
        ]
    );
}

/// Online, the lock is taken for thread-local until a second thread uses it: the violation is missed if
/// the constructor comes first. That is the Atomizer's known unsoundness.
#[test]
fn the_atomizer_sees_the_constructor_only_afterwards() {
    assert_eq!(subjects(&online(&format!("{CONSTRUCTOR}{REMOVE_ALL}"))), [""; 0]);
    let found = online(&format!("{REMOVE_ALL}{CONSTRUCTOR}"));
    let [finding] = &found[..] else { panic!("{found:#?}") };
    assert_eq!(finding.message, "Vector(Collection) may not be atomic");
    assert_eq!(finding.event, 11, "at the very event that does not fit");
    assert_eq!(steps(finding), ["rel(v1) at Vector.java:267", "acq(v1) at Vector.java:689"]);
    assert_eq!(finding.steps[0].held, Some(vec!["v1".to_string()]));
    assert_eq!(finding.steps[1].held, Some(vec![]));
    assert_eq!(
        finding.notes,
        ["other threads can come between the release of v1 at Vector.java:267 and the \
          acquisition of v1 at Vector.java:689"]
    );
}

const T1: &str = "begin(t1);acq(o1);acq(o2);w(x);w(x);rel(o2);rel(o1);end";
const T2: &str = "begin(t2);acq(o2);r(x);rel(o2);end";
const T3: &str = "begin(t3);acq(o1);r(x);rel(o1);end";
const T4: &str = "begin(t4);r(x);acq(o1);acq(o2);w(x);rel(o2);rel(o1);end";

/// Figure 4, where `x` has escaped from the thread that made it: many locksets see that there is no
/// race on it, one does not.
#[test]
fn many_locksets_avoid_a_false_alarm() {
    let text =
        thread("0", "w(x);escape(x)") + &thread("3", T3) + &thread("2", T2) + &thread("1", T1);
    assert_eq!(reported(&text), [""; 0]);
    let one = Without { multilockset: true, ..Without::default() };
    assert_eq!(subjects(&run(reduction(one), &trace(&text)).findings), ["t1"]);
    assert!(is_atomic(text.trim_start_matches("0|w(x)\n")));
}

/// Figure 4 with t4: reduction raises a false alarm, for an alleged race on `x`.
#[test]
fn a_false_race_is_a_false_alarm() {
    let text = thread("3", T3) + &thread("2", T2) + &thread("4", T4);
    assert!(is_atomic(&text));
    let found = offline(&text);
    assert_eq!(subjects(&found), ["t4"]);
    assert!(found[0].notes[1].contains("NRRNLL"), "{:?}", found[0].notes);
    let ops: Vec<&str> = found[0].steps.iter().map(|step| step.op.as_str()).collect();
    assert_eq!(ops, ["r(x)", "acq(o1)"]);
}

/// Section 8.2: `modCount++` beside a method that only reads it. Serializable, but not for reduction.
#[test]
fn a_benign_race_on_modcount_is_a_false_alarm() {
    let add = "begin(add);acq(v);r(modCount);w(modCount);rel(v);end";
    let text = thread("1", add)
        + &thread("2", "begin(next);r(modCount);end")
        + &thread("3", "begin(size);acq(v);r(count);rel(v);end");
    assert!(is_atomic(&text));
    let found = offline(&text);
    assert_eq!(subjects(&found), ["add"]);
    let why = "other threads can come between the racy read of modCount (event 2) and the racy \
               write of modCount (event 3)";
    assert_eq!(found[0].notes[0], why);
    assert!(found[0].notes[1].contains("RNNL"));
}

/// Table 2: each column has one improvement more, and each is good for one of four blocks.
#[test]
fn the_columns_of_table_2() {
    // A constructor, before its object escapes; later races on the field are benign.
    let escape = "0|begin(constructor)\n0|w(o.f)\n0|w(o.f)\n0|end\n0|escape(o)\n0|w(o.f)\n";
    // Before, in and after a thread that is started and awaited.
    let order = "begin(phase);w(y);w(y);end";
    let text = thread("0", order)
        + "0|fork(1)\n"
        + &thread("1", "w(y);w(y)")
        + "0|join(1)\n"
        + &thread("0", order)
        + escape
        + &(thread("5", "w(o.f)") + &thread("0", "w(o.f)") + &thread("5", "w(o.f)"))
        // Figure 4, long enough that ownership has been transferred.
        + &(thread("3", T3) + &thread("2", T2) + &thread("4", T1) + &thread("3", T3) + &thread("2", T2))
        // Locks around what is only read.
        + &thread("6", "begin(twice);acq(m);r(c);rel(m);acq(m);r(c);rel(m);end")
        + &thread("7", "begin(once);acq(m);r(c);rel(m);end");
    let columns =
        [(0, "none"), (1, "escape"), (2, "happen-before"), (3, "multi-lockset"), (4, "AcqA*Rel")];
    let found: Vec<String> = columns
        .iter()
        .map(|&(improvements, _)| {
            let without = Without {
                escape: improvements < 1,
                happens_before: improvements < 2,
                multilockset: improvements < 3,
                acq_rel: improvements < 4,
            };
            let findings = run(reduction(without), &trace(&text)).findings;
            let mut blocks = subjects(&findings);
            blocks.sort_unstable();
            blocks.dedup();
            blocks.join(" ")
        })
        .collect();
    let expected = ["constructor phase t1 twice", "phase t1 twice", "t1 twice", "twice", ""];
    assert_eq!(found, expected);
}

// What AcqA*Rel may leave out.

/// The smallest trace on which Theorem 2, as printed, is wrong. The writer must come between the two reads,
/// which another thread makes under `m`; so its own use of `m`, around nothing, cannot be run there. No
/// schedule ends in a deadlock.
const CROSSING: &str = "\
2|acq(m)
2|r(x)
1|begin(write)
1|w(x)
2|r(x)
2|rel(m)
1|acq(m)
1|rel(m)
1|end
";

#[test]
fn a_lock_that_crosses_transactions_counts() {
    assert!(!is_atomic(CROSSING));
    let found = offline(CROSSING);
    assert_eq!(subjects(&found), ["write"]);
    assert!(found[0].notes[1].contains("NRL,"), "{:?}", found[0].notes);
    // The same if the lock is held from one block to the next.
    let blocks = "2|begin(a)\n2|acq(m)\n2|r(x)\n2|end\n2|begin(b)\n2|r(x)\n2|rel(m)\n2|end\n";
    let text = blocks.to_string() + &thread("1", "begin(write);w(x);acq(m);rel(m);end");
    assert!(!is_atomic(&text));
    assert_eq!(reported(&text), ["write"]);
    // But not if it never leaves a transaction.
    let whole = thread("2", "begin(a);acq(m);r(x);rel(m);end;r(x)");
    let text = whole + &thread("1", "begin(write);w(x);acq(m);rel(m);end");
    assert!(is_atomic(&text));
    assert_eq!(reported(&text), [""; 0]);
}

#[test]
fn blocks_around_nothing_that_matters_are_left_out() {
    let other = thread("2", "begin(b);acq(m);r(c);acq(n);rel(n);rel(m);end");
    let text = |middle: &str| thread("1", &format!("begin(a);{middle};end")) + &other;
    let free = ["acq(m);rel(m);acq(m);rel(m)", "acq(m);r(c);w(d);rel(m);acq(n);rel(n)"];
    for middle in free {
        assert_eq!(reported(&text(middle)), [""; 0], "{middle}");
        let theorem_1 = Without { acq_rel: true, ..Without::default() };
        let found = run(reduction(theorem_1), &trace(&text(middle))).findings;
        assert_eq!(subjects(&found), ["a"], "{middle}");
    }
    // One within the other, twice.
    let nested = "acq(m);acq(n);rel(n);rel(m);acq(m);acq(n);r(c);rel(n);rel(m)";
    assert_eq!(reported(&text(nested)), [""; 0]);
    // What is guarded counts.
    let guarded = thread("1", "begin(a);acq(m);w(c);rel(m);acq(m);w(c);rel(m);end") + &other;
    assert_eq!(reported(&guarded), ["a"]);
}

/// The table is filled before the readers start: no lock is needed, so the locks around it do not count.
/// The paper has this for variables that are never written only.
#[test]
fn what_the_order_of_threads_keeps_apart_is_left_out() {
    let twice = "begin(find);acq(m);r(table);rel(m);acq(m);r(table);rel(m);end";
    let text = "0|w(table)\n0|fork(1)\n0|fork(2)\n".to_string()
        + &thread("1", twice)
        + &thread("2", twice)
        + "0|join(1)\n0|join(2)\n0|w(table)\n";
    assert_eq!(reported(&text), [""; 0]);
    let unordered = Without { happens_before: true, ..Without::default() };
    assert_eq!(subjects(&run(reduction(unordered), &trace(&text)).findings), ["find"]);
}

// Locks.

#[test]
fn thread_local_and_protected_locks_move_both_ways() {
    let twice = "begin(a);acq(g);acq(m);w(x);rel(m);acq(m);w(x);rel(m);rel(g);end";
    let protected = thread("1", twice) + &thread("2", twice);
    assert_eq!(reported(&protected), [""; 0]);
    assert_eq!(subjects(&online(&protected)), [""; 0]);
    let local = "begin(a);acq(m);w(x);rel(m);acq(m);w(x);rel(m);end";
    assert_eq!(reported(&thread("1", local)), [""; 0]);
    assert_eq!(subjects(&online(&thread("1", local))), [""; 0]);
    assert_eq!(reported(&(thread("1", local) + &thread("2", local))), ["a"]);
    assert_eq!(subjects(&online(&(thread("1", local) + &thread("2", local)))), ["a"]);
    // Protected for a while only: offline knows what came later, online does not.
    let late = protected.clone() + &thread("1", "acq(m);w(x);rel(m)");
    assert_eq!(reported(&late), ["a"]);
    assert_eq!(subjects(&online(&late)), [""; 0]);
}

/// Hand over hand: locks that do not nest.
#[test]
fn locks_need_not_nest() {
    let other = thread("2", "acq(a);acq(b);w(x);w(y);rel(b);rel(a)");
    let hand_over_hand = "begin(walk);acq(a);w(x);acq(b);rel(a);w(y);rel(b);end";
    assert_eq!(reported(&(thread("1", hand_over_hand) + &other)), [""; 0]);
    let longer = "begin(walk);acq(a);w(x);acq(b);rel(a);w(y);acq(c);rel(b);rel(c);end";
    let found = offline(&(thread("1", longer) + &other + &thread("3", "acq(c);rel(c)")));
    assert_eq!(subjects(&found), ["walk"]);
    assert!(found[0].notes[1].contains("RBRLBRLL"), "{:?}", found[0].notes);
}

/// Where a racy access is in a block matters when locks do not nest, and when one was held before.
#[test]
fn the_order_of_a_release_and_a_racy_access_matters() {
    let other = thread("2", "w(x);acq(m);rel(m)");
    let before = "acq(m);begin(a);w(x);rel(m);end";
    let after = "acq(m);begin(a);rel(m);w(x);end";
    assert_eq!(reported(&(thread("1", before) + &other)), [""; 0]);
    assert_eq!(reported(&(thread("1", after) + &other)), ["a"]);
}

#[test]
fn a_wait_is_a_release() {
    let text = thread("1", "begin(take);acq(q);r(n);wait(q);acq(q);w(n);rel(q);end")
        + &thread("2", "begin(put);acq(q);w(n);notify(q);rel(q);end");
    let found = offline(&text);
    assert_eq!(subjects(&found), ["take"]);
    assert!(found[0].notes[0].contains("between the wait, which is a release, of q"));
    assert_eq!(subjects(&online(&(text.clone() + &text))), ["take"]);
}

// Blocks and transactions.

/// Exactly the blocks around both events are refuted; an inner block is reported for itself.
#[test]
fn inner_blocks_have_a_verdict_of_their_own() {
    let other = thread("2", "acq(m);w(x);rel(m)");
    let section = "acq(m);w(x);rel(m)";
    let refuted = |finding: &Finding| finding.blame.as_ref().map(|blame| blame.refuted.clone());
    let both = format!("begin(outer);{section};begin(inner);{section};{section};end;end");
    let found = offline(&(thread("1", &both) + &other));
    assert_eq!(subjects(&found), ["outer", "inner"]);
    assert_eq!(refuted(&found[0]), Some(vec!["outer".into()]));
    assert_eq!(found[0].blocks.len(), 2, "the inner one is open, but not refuted by this");
    assert_eq!(refuted(&found[1]), Some(vec!["outer".into(), "inner".into()]));
    let outer = format!("begin(outer);{section};begin(inner);{section};end;end");
    assert_eq!(reported(&(thread("1", &outer) + &other)), ["outer"]);
    // Online the same, once the lock is known to be shared.
    let found = online(&(thread("1", "acq(m);w(x);rel(m)") + &other + &thread("1", &both)));
    assert_eq!(subjects(&found), ["outer", "inner"]);
    assert_eq!(refuted(&found[1]), Some(vec!["outer".into(), "inner".into()]));
}

/// Starting a thread ends a transaction; what comes after it is another.
#[test]
fn forks_split_transactions() {
    let section = "acq(m);w(x);rel(m)";
    let split = thread("1", &format!("begin(a);{section};fork(3);{section};end"));
    assert_eq!(reported(&(split + &thread("2", section))), [""; 0]);
    let late = thread("1", &format!("begin(a);{section};fork(3);{section};{section};end"));
    assert_eq!(reported(&(late + &thread("2", section))), ["a"]);
}

#[test]
fn a_block_that_never_ends_is_judged() {
    let section = "acq(m);w(x);rel(m)";
    let text = thread("1", &format!("begin(a);{section};{section}")) + &thread("2", section);
    assert_eq!(reported(&text), ["a"]);
}

/// A thousand objects with the same bug at the same places are one finding; a block without a name is
/// told apart by its place.
#[test]
fn the_same_bug_is_one_finding() {
    let mut text = String::new();
    for object in 0..1000 {
        let section = format!("acq(m{object})|A:2\n1|w(x{object})|A:3\n1|rel(m{object})|A:4");
        text += &format!("1|begin|A:1\n1|{section}\n1|{section}\n1|end|A:5\n");
        text += &format!("2|acq(m{object})|B:1\n2|w(x{object})|B:2\n2|rel(m{object})|B:3\n");
    }
    let found = offline(&text);
    let [finding] = &found[..] else { panic!("{}", found.len()) };
    assert_eq!((finding.subject.as_str(), finding.count), ("the block at A:1", 1000));
}

// Accesses.

#[test]
fn volatile_accesses_and_updates_are_accesses() {
    let update = |op: &str| thread("1", &format!("begin(a);{op};end")) + &thread("2", "rmw(x)");
    assert_eq!(reported(&update("rmw(x)")), [""; 0], "one step");
    assert_eq!(reported(&update("vr(x);vw(x)")), ["a"]);
    let guarded = "begin(a);acq(m);vr(x);vw(x);rel(m);end";
    assert_eq!(reported(&(thread("1", guarded) + &thread("2", guarded))), [""; 0]);
}

/// Accesses before the escape of an object do not count, neither in the block that makes it nor for races.
#[test]
fn accesses_before_the_escape_do_not_count() {
    let make = thread("1", "begin(make);w(o.f);w(o.g);r(o.f);escape(o);end");
    let use_it = "begin(use);acq(m);r(o.f);w(o.f);rel(m);end";
    let text = make + &thread("1", use_it) + &thread("2", use_it);
    assert_eq!(reported(&text), [""; 0]);
    let blind = Without { escape: true, ..Without::default() };
    let found = run(reduction(blind), &trace(&text)).findings;
    assert_eq!(subjects(&found), ["make", "use"], "as if it had been shared from the start");
}

// Repetition.

fn stat(outcome: &Outcome, name: &str) -> u64 {
    outcome.stats.iter().find(|stat| stat.name == name).expect("a number of that name").value
}

/// What repeats is kept once: whole transactions, and parts of them.
#[test]
fn repetition_costs_no_memory() {
    let body = "r(x);acq(m);w(y);w(y);rel(m);begin(inner);r(x);w(z);end;acq(n);rel(n);w(x)";
    let other = thread("2", "acq(m);rel(m);acq(n);rel(n)");
    let again = |times: usize| vec![body; times].join(";");
    let transactions =
        |times: usize| thread("1", &format!("begin(a);{};end", again(2))).repeat(times);
    let loops = |times: usize| thread("1", &format!("begin(a);{};end", again(times)));
    let kept = |text: &str| {
        let outcome = run(reduction(Without::default()), &trace(&(text.to_string() + &other)));
        (stat(&outcome, "distinct transactions kept"), stat(&outcome, "events kept"))
    };
    assert_eq!(kept(&transactions(1)), kept(&transactions(500)));
    assert_eq!(kept(&loops(20)), kept(&loops(2000)));
    assert_eq!(kept(&transactions(500)).0, 1);
}

/// A variable that two threads touch in turn is not written down each time.
#[test]
fn contended_accesses_cost_no_memory() {
    let begin = "1|begin(a)\n2|begin(b)\n".to_string();
    let text = begin + &"1|w(x)\n2|w(x)\n".repeat(5_000) + "1|end\n2|end\n";
    let outcome = run(reduction(Without::default()), &trace(&text));
    assert_eq!(stat(&outcome, "events kept"), 6, "begin and two accesses, twice");
    assert_eq!(subjects(&outcome.findings), ["a", "b"]);
}
