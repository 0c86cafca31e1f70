//! The block-based engine on the examples of Wang and Stoller's paper, sections 6 and 8, and on
//! examples where the paper's conditions need to be put right.

mod common;

use common::cuts::{rule, warnings};
use common::schedules::Schedules;
use common::shapes::{Shape, named};
use common::text::{Trace, text, trace};
use interloper_engines::blocks::Blocks;
use interloper_engines::{BlockRule, Checker, Engine, Settings, Unwatched, Without};
use interloper_findings::{Certainty, Kind, Warning, Witness};
use interloper_trace::{Batch, Event, Names};

/// The threads' code one after the other, a line each: `T1: begin(t) acq(m) r(v)@12 rel(m) end`.
fn code(lines: &str) -> Trace {
    let mut text = String::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (thread, events) = line.split_once(':').expect("a thread");
        for event in events.split_whitespace() {
            let (event, site) = event.split_once('@').unwrap_or((event, ""));
            text.push_str(&format!("{}|{event}|{site}\n", thread.trim()));
        }
    }
    trace(&text)
}

fn step(names: &Names, step: &Witness) -> String {
    let access = &step.access;
    let held: Vec<&str> = step.held.iter().map(|lock| names.locks.text(lock.0)).collect();
    let held = if held.is_empty() { String::new() } else { format!(" under {}", held.join(" ")) };
    let site = names.sites.text(access.site.0);
    let at = if site.is_empty() { String::new() } else { format!(" at {site}") };
    let thread = names.threads.text(access.thread.0);
    format!("{thread} {}{at}{held}", names.op_text(access.op, access.operand))
}

/// The steps of each finding.
fn stories(trace: &Trace, settings: Settings) -> Vec<Vec<String>> {
    let told = warnings(settings, &trace.events, &trace.names);
    for warning in &told {
        check_form(trace, warning);
    }
    told.iter()
        .map(|warning| warning.steps.iter().map(|one| step(&trace.names, one)).collect())
        .collect()
}

/// What every warning of this engine must be like.
fn check_form(trace: &Trace, warning: &Warning) {
    assert_eq!(warning.kind, Kind::Atomicity);
    assert_ne!(warning.certainty, Certainty::Observed);
    for step in &warning.steps {
        let event = &trace.events[step.access.event as usize];
        assert_eq!(event.thread, step.access.thread);
        assert_eq!((event.op, event.operand), (step.access.op, step.access.operand));
        assert_eq!(event.site, step.access.site);
    }
    let (first, last) = (&warning.cycle[0], &warning.cycle[warning.cycle.len() - 1]);
    assert_eq!((first.from.thread, last.to.thread), (warning.thread, warning.thread));
    assert_eq!(warning.event, last.to.event);
    let block = &warning.blocks[0];
    assert!(block.refuted && block.begin <= first.from.event && block.begin <= last.to.event);
    for dependence in &warning.cycle {
        let place = |event| warning.steps.iter().position(|step| step.access.event == event);
        assert!(place(dependence.from.event) < place(dependence.to.event));
    }
}

const ONE: BlockRule = BlockRule::OneVariable;
const TWO: BlockRule = BlockRule::TwoVariables;
const CYCLES: BlockRule = BlockRule::Cycles;

/// What the rule finds in code.
fn found(lines: &str, blocks: BlockRule) -> Vec<Vec<String>> {
    stories(&code(lines), rule(blocks))
}

/// Whether the oracle finds the transactions of the code atomic.
fn is_atomic(lines: &str) -> bool {
    Schedules::new(&code(lines).events).is_atomic().expect("a small example")
}

/// An engine that has seen the code.
fn fed(trace: &Trace) -> Blocks {
    let mut engine = Blocks::new(Settings::default());
    let batch = Batch { first: 0, events: trace.events.clone() };
    engine.feed(&batch, &trace.names, &mut common::cuts::Told::default());
    engine
}

fn blocks_1v(lines: &str) -> Vec<String> {
    let trace = code(lines);
    fed(&trace).listed_1v(&trace.names).into_iter().collect()
}

fn blocks_2v(lines: &str) -> Vec<String> {
    let trace = code(lines);
    fed(&trace).listed_2v(&trace.names).into_iter().collect()
}

/// Transaction (1).
const T1: &str = "T: begin(t) acq(l1) r(v) acq(l2) w(v) r(v) rel(l2) rel(l1) end\n";

#[test]
fn transaction_1_has_blocks_2() {
    assert_eq!(
        blocks_1v(T1),
        [
            "<v, R, W, false, true, T, {l1}, {l1, l2}, {l1}>",
            "<v, W, R, true, false, T, {l1, l2}, {l1, l2}, {l1, l2}>",
        ]
    );
}

#[test]
fn a_write_breaks_transaction_1_twice_and_a_read_does_not() {
    let write = format!("{T1} U: begin(u) w(v) end");
    let blocks = blocks_1v(&write);
    assert!(blocks.contains(&"<v, W, dummy, true, false, U, {}, {}, {}>".to_string()));
    assert_eq!(
        found(&write, ONE),
        [
            ["T w(v) under l1 l2", "U w(v)", "T r(v) under l1 l2"],
            ["T r(v) under l1", "U w(v)", "T w(v) under l1 l2"],
        ]
    );
    let read = format!("{T1} U: begin(u) r(v) end");
    let blocks = blocks_1v(&read);
    assert!(blocks.contains(&"<v, R, dummy, false, false, U, {}, {}, {}>".to_string()));
    assert!(found(&read, CYCLES).is_empty() && is_atomic(&read));
}

/// Example (3): by the sets of locks, `e` can come between `e1` and `e2`; in truth it cannot, because
/// the two would come to a deadlock. The exact check knows.
#[test]
fn transactions_3_are_not_reported() {
    let lines = "T: begin(t) acq(l1) acq(l2) rel(l2) w(v) rel(l1) end
                 U: begin(u) acq(l2) acq(l1) rel(l1) r(v) r(v) rel(l2) end";
    let schedules = Schedules::new(&code(lines).events);
    assert_eq!(schedules.deadlocks(), Some(true));
    let (write, first, last) = (4, 11, 12);
    assert_eq!(schedules.can_be_between(write, first, last), Some(false));
    assert!(found(lines, CYCLES).is_empty());
}

#[test]
fn transaction_4_has_one_block() {
    let blocks = blocks_1v("T: begin(t) w(v) r(v) r(v) r(v) end");
    assert_eq!(blocks, ["<v, W, R, true, false, T, {}, {}, {}>"]);
}

#[test]
fn transaction_5_has_two_2v_blocks() {
    assert_eq!(
        blocks_2v("T: begin(t) r(x) w(y) w(x) w(y) r(x) end"),
        ["<x, y, R, W, T, {}, {}, {}, {}>", "<x, y, W, W, T, {}, {}, {}, {}>"]
    );
}

#[test]
fn heldmid_is_what_was_held_between_only() {
    assert_eq!(
        blocks_2v("T: begin(t) acq(a) r(x) acq(b) rel(b) acq(c) w(y) rel(c) rel(a) end"),
        ["<x, y, R, W, T, {a}, {a, c}, {a}, {b}>"]
    );
}

/// Figure 4, threads t2, t3 and t4, with the blocks of section 6.5: atomic, although reduction says
/// otherwise.
#[test]
fn figure_4_is_atomic() {
    let lines = "T3: begin(t3) acq(o1) r(x) rel(o1) end
                 T2: begin(t2) acq(o2) r(x) rel(o2) end
                 T4: begin(t4) r(x) acq(o1) acq(o2) w(x) rel(o2) rel(o1) end";
    assert_eq!(
        blocks_1v(lines),
        [
            "<x, R, W, false, true, T4, {}, {o1, o2}, {}>",
            "<x, R, dummy, false, false, T2, {o2}, {}, {}>",
            "<x, R, dummy, false, false, T3, {o1}, {}, {}>",
        ]
    );
    assert!(found(lines, CYCLES).is_empty() && is_atomic(lines));
}

/// Figure 1, the constructor of `Vector`, with the report of Figure 7.
#[test]
fn the_vector_of_figure_1() {
    let trace = code(
        "Thread_1: begin(Vector(Collection))@Vector.java:1
                   acq(v1)@Vector.java:266 r(v1.elementCount)@Vector.java:267 rel(v1)@Vector.java:266
                   w(v2.elementCount)@Vector.java:2
                   acq(v1)@Vector.java:689 r(v1.elementCount)@Vector.java:690
                   r(v1.elementData)@Vector.java:691 r(v1.elementCount)@Vector.java:692
                   rel(v1)@Vector.java:689 end
         Thread_2: begin(Vector.removeAllElements()) acq(v1)@Vector.java:628
                   r(v1.elementCount)@Vector.java:629 w(v1.elementData[0])@Vector.java:630
                   w(v1.elementCount)@Vector.java:631 rel(v1)@Vector.java:628 end"
            .replace("\n                   ", " ")
            .as_str(),
    );
    let mut checker = Checker::of(Blocks::new(Settings::default()));
    checker.feed(&Batch { first: 0, events: trace.events.clone() }, &trace.names);
    checker.finish(&trace.names);
    let outcome = &checker.outcomes(&trace.names)[0];
    let [finding] = &outcome.findings[..] else { panic!("{:?}", outcome.findings) };
    assert_eq!(finding.subject, "Vector(Collection)");
    assert_eq!(finding.certainty, Certainty::Predicted);
    let steps: Vec<String> = finding
        .steps
        .iter()
        .map(|step| {
            let held = step.held.clone().unwrap_or_default().join(" ");
            format!("{} {} at {} under {held}", step.thread, step.action, step.at)
        })
        .collect();
    assert_eq!(
        steps,
        [
            "Thread_1 reads v1.elementCount at Vector.java:267 under v1",
            "Thread_2 writes v1.elementCount at Vector.java:631 under v1",
            "Thread_1 reads v1.elementCount at Vector.java:690 under v1",
        ]
    );
    assert_eq!(finding.edges.len(), 2);
    let blame = finding.blame.as_ref().expect("somebody to blame");
    assert_eq!((blame.thread.as_str(), blame.label.as_str()), ("Thread_1", "Vector(Collection)"));
    assert_eq!(finding.notes, ["Thread_1 holds no lock from its first to its last step here"]);
    assert_eq!(stories(&trace, rule(ONE)).len(), 1);
}

/// Section 8.2: one method counts modifications, another one looks at the count.
#[test]
fn a_read_between_read_and_write_does_no_harm() {
    let lines = "T: begin(m1) r(modCount) w(modCount) end
                 U: begin(m2) r(modCount) end";
    assert!(found(lines, CYCLES).is_empty() && is_atomic(lines));
}

/// Trace (6): each two of the transactions are atomic, all three are not.
#[test]
fn trace_6_takes_three() {
    let trace = trace(
        "1|begin(t1)|
         1|w(x)|
         2|begin(t2)|
         2|r(x)|
         2|w(z)|
         2|end|
         3|begin(t3)|
         3|r(z)|
         3|r(y)|
         3|end|
         1|w(y)|
         1|end|",
    );
    assert!(stories(&trace, rule(TWO)).is_empty());
    let story = ["1 w(x)", "2 r(x)", "2 w(z)", "3 r(z)", "3 r(y)", "1 w(y)"];
    let stories = stories(&trace, rule(CYCLES));
    assert!(stories.contains(&story.map(String::from).to_vec()), "{stories:?}");
    // Each of the three can be the one that is cut, and is blamed once.
    let mut cut: Vec<&str> = stories.iter().map(|story| &story[0][..1]).collect();
    cut.sort_unstable();
    assert_eq!(cut, ["1", "2", "3"]);
}

/// Two transactions of one thread between two steps of another: their order is part of the round.
#[test]
fn the_order_of_a_thread_closes_a_round() {
    let lines = "T: begin(t) r(x) r(y) end
                 U: begin(u1) w(x) end begin(u2) w(y) end";
    assert!(found(lines, TWO).is_empty() && !is_atomic(lines));
    assert_eq!(found(lines, CYCLES), [["T r(x)", "U w(x)", "U w(y)", "T r(y)"]]);
}

/// All patterns on one variable: what comes between two accesses, and whether that is wrong.
#[test]
fn patterns_on_one_variable() {
    for first in ["r", "w"] {
        for between in ["r", "w"] {
            for last in ["r", "w"] {
                let wrong = [("w", "r", "w"), ("r", "w", "r"), ("w", "w", "r"), ("r", "w", "w")];
                let wrong = wrong.contains(&(first, between, last));
                let pair = format!("begin(t) {first}(x) {last}(x) end");
                let single = format!("begin(u) {between}(x) end");
                let story =
                    [format!("T {first}(x)"), format!("U {between}(x)"), format!("T {last}(x)")];
                for lines in [format!("T: {pair}\nU: {single}"), format!("U: {single}\nT: {pair}")]
                {
                    let expected = if wrong { vec![story.to_vec()] } else { vec![] };
                    assert_eq!(found(&lines, TWO), expected, "{lines}");
                    assert_eq!(is_atomic(&lines), !wrong, "{lines}");
                }
            }
        }
    }
}

/// A write that is not final does no harm between a read and a write.
#[test]
fn only_a_final_write_comes_between_read_and_write() {
    let lines = "T: begin(t) acq(m) r(x) rel(m) acq(m) w(x) rel(m) end
                 U: begin(u) acq(m) w(x) rel(m) acq(n) acq(m) w(x) rel(m) rel(n) end";
    let stories = found(lines, ONE);
    let cut = |story: &Vec<String>| story[0].starts_with('T') && story[1] == "U w(x) under m";
    assert!(!stories.iter().any(cut), "{stories:?}");
    assert!(stories.iter().any(|story| story[1] == "U w(x) under n m"));
}

/// All patterns on two variables, in all orders of both transactions: against the oracle, and always
/// with an order that does it.
#[test]
fn patterns_on_two_variables() {
    let ops = ["r", "w"];
    for bits in 0..64 {
        let op = |bit: usize| ops[bits >> bit & 1];
        let swap = |bit: usize| if bits >> bit & 1 == 1 { ["y", "x"] } else { ["x", "y"] };
        let ([a, b], [c, d]) = (swap(4), swap(5));
        let lines = format!(
            "T: begin(t) {}({a}) {}({b}) end\nU: begin(u) {}({c}) {}({d}) end",
            op(0),
            op(1),
            op(2),
            op(3)
        );
        let stories = found(&lines, TWO);
        assert_eq!(stories.is_empty(), is_atomic(&lines), "{lines}\n{stories:?}");
        assert!(found(&lines, ONE).is_empty());
        let conflicts = |at: usize, other: usize| op(at) == "w" || op(other) == "w";
        let both = match a == c {
            true => conflicts(0, 2) && conflicts(1, 3),
            false => conflicts(0, 3) && conflicts(1, 2),
        };
        // Each can be cut by the whole of the other.
        assert_eq!(stories.len(), if both { 2 } else { 0 }, "{lines}\n{stories:?}");
    }
}

/// The table of section 6.2.
#[test]
fn the_examples_of_the_second_table() {
    let none = "T: begin(t) w(x) w(y) end\nU: begin(u) w(x) w(y) end";
    assert_eq!(found(none, TWO)[0], ["T w(x)", "U w(x)", "U w(y)", "T w(y)"]);
    let one = "T: begin(t) r(x) w(y) end\nU: begin(u) w(y) w(x) end";
    assert_eq!(found(one, TWO)[0], ["T r(x)", "U w(y)", "U w(x)", "T w(y)"]);
    let two = "T: begin(t) r(x) r(y) end\nU: begin(u) w(x) w(y) end";
    assert_eq!(found(two, TWO)[0], ["T r(x)", "U w(x)", "U w(y)", "T r(y)"]);
}

/// Locks that leave no room for one within the other, but for both to overlap. (It takes locks that are
/// not nested: otherwise there would be a deadlock.)
#[test]
fn transactions_that_only_overlap() {
    let lines = "T: begin(t) acq(m) acq(l) w(x) rel(m) w(y) rel(l) end
                 U: begin(u) acq(m) w(y) acq(l) w(x) rel(l) rel(m) end";
    assert!(!is_atomic(lines));
    let story = ["T w(x) under m l", "U w(y) under m", "T w(y) under l", "U w(x) under m l"];
    assert_eq!(found(lines, TWO), [story]);
}

/// `heldmid` matters: the other transaction needs the lock on its way from the one to the other.
#[test]
fn a_lock_needed_on_the_way() {
    let lines = "T: begin(t) acq(m) r(x) r(y) rel(m) end
                 U: begin(u) w(x) acq(m) rel(m) w(y) end";
    assert!(found(lines, TWO).iter().all(|story| story[0].starts_with('U')));
    assert!(!is_atomic(lines));
    let lines = "T: begin(t) acq(m) r(x) r(y) rel(m) end
                 U: begin(u) acq(m) w(x) rel(m) acq(m) w(y) rel(m) end";
    let stories = found(lines, TWO);
    let [story] = &stories[..] else { panic!("{stories:?}") };
    assert_eq!(story[..], ["U w(x) under m", "T r(x) under m", "T r(y) under m", "U w(y) under m"]);
}

/// The paper lets any read between two writes count. A read of what its own transaction wrote, under
/// the same lock, is none.
#[test]
fn a_read_of_an_own_write_between_two_writes() {
    let lines = "T: begin(t) acq(m) w(x) rel(m) acq(m) w(x) rel(m) end
                 U: begin(u) acq(m) w(x) r(x) rel(m) end";
    assert!(is_atomic(lines));
    assert!(found(lines, CYCLES).is_empty());
}

/// The paper's Theorem 3 speaks of whole sets. But a lost update that a later transaction of the same
/// thread writes over is lost on nobody: the set is atomic, though two of it are not. What is reported
/// is true of the two.
#[test]
fn two_of_an_atomic_set_that_are_not() {
    let lines = "T: begin(t) r(x) w(x) end begin(after) w(x) end
                 U: begin(u) w(x) end";
    assert!(is_atomic(lines));
    let schedules = Schedules::new(&code(lines).events);
    assert_eq!(schedules.is_atomic_among(&[0, 2]), Some(false));
    assert_eq!(found(lines, ONE), [["T r(x)", "U w(x)", "T w(x)"]]);
}

/// Hand over hand: at no time does the one hold no lock of the other, though no lock is held
/// throughout. The paper's test takes locks for nested; the exact check does not.
#[test]
fn locks_hand_over_hand() {
    let lines = "T: begin(t) acq(a) r(x) acq(b) rel(a) r(x) rel(b) end
                 U: begin(u) acq(a) acq(b) w(x) rel(b) rel(a) end";
    assert!(is_atomic(lines) && found(lines, CYCLES).is_empty());
}

/// With locks in hand from before the transactions and released out of order, what happened before
/// matters, which is not known: no more than possible.
#[test]
fn crooked_locks_from_before() {
    let trace = code(
        "T: acq(m) acq(n) begin(t) r(x) rel(m) r(x) rel(n) end
         U: acq(m) acq(n) rel(n) begin(u) w(x) end rel(m)",
    );
    let told = warnings(rule(ONE), &trace.events, &trace.names);
    assert_eq!(told.iter().map(|one| one.certainty).collect::<Vec<_>>(), [Certainty::Possible]);
    assert_eq!(Schedules::new(&trace.events).is_atomic(), Some(true));
}

/// A thread is started while its parent holds a lock that it needs: its transaction cannot end before
/// the parent's write, and no serial order has its read before that. Not a matter of blocks.
#[test]
fn a_lock_held_across_a_fork() {
    let trace = trace(
        "1|acq(m)\n1|fork(2)\n2|begin(b)\n1|w(x)\n2|r(x)\n1|rel(m)\n2|acq(m)\n2|rel(m)\n2|end",
    );
    assert_eq!(Schedules::new(&trace.events).is_atomic(), Some(false));
    assert!(stories(&trace, rule(CYCLES)).is_empty());
}

#[test]
fn an_update_is_one_step() {
    assert!(found("T: begin(t) rmw(x) end\nU: begin(u) rmw(x) end", CYCLES).is_empty());
    let lines = "T: begin(t) vr(x) rmw(x) end\nU: begin(u) rmw(x) end";
    assert_eq!(found(lines, ONE)[0], ["T vr(x)", "U rmw(x)", "T rmw(x)"]);
}

/// Exactly the blocks around both events are refuted.
#[test]
fn inner_blocks_are_blamed() {
    let trace = code(
        "T: begin(outer) begin(inner) r(x) begin(deep) r(z) end w(x) end end
         U: begin(u) w(x) end",
    );
    let told = warnings(rule(ONE), &trace.events, &trace.names);
    let [warning] = &told[..] else { panic!("{told:?}") };
    let label = |block: &interloper_findings::OpenBlock| {
        (trace.names.labels.text(block.label.0).to_string(), block.begin, block.refuted)
    };
    let blocks: Vec<_> = warning.blocks.iter().map(label).collect();
    assert_eq!(blocks, [("outer".into(), 0, true), ("inner".into(), 1, true)]);
}

/// A fork in a block splits it in two transactions: nothing is said of both together.
#[test]
fn forks_split_transactions() {
    let split = trace("1|begin(b)\n1|r(x)\n1|fork(2)\n1|w(x)\n1|end\n2|w(x)");
    assert!(stories(&split, rule(ONE)).is_empty());
    let after = trace("1|begin(b)\n1|fork(2)\n1|r(x)\n1|w(x)\n1|end\n2|w(x)");
    assert_eq!(stories(&after, rule(ONE)).len(), 1);
}

#[test]
fn without_happens_before() {
    let joined = trace("1|fork(2)\n2|w(x)\n1|join(2)\n1|begin(b)\n1|r(x)\n1|w(x)\n1|end");
    assert!(stories(&joined, rule(TWO)).is_empty());
    let without = Without { happens_before: true, ..Without::default() };
    let settings = Settings { without, ..Settings::default() };
    assert_eq!(stories(&joined, settings).len(), 1);
}

#[test]
fn without_escape() {
    let made = trace(
        "1|begin(init)\n1|r(o.f)\n1|w(o.f)\n1|end\n1|escape(o)\n2|begin(b)\n2|w(o.f)\n2|end\n1|r(o.f)",
    );
    assert!(stories(&made, rule(TWO)).is_empty());
    let without = Without { escape: true, ..Without::default() };
    let settings = Settings { without, ..Settings::default() };
    assert_eq!(stories(&made, settings).len(), 1);
}

/// An object that escapes in the middle of a transaction: what came before does not count with what
/// comes after.
#[test]
fn escape_within_a_transaction() {
    let trace = trace("1|begin(b)\n1|r(o.f)\n1|escape(o)\n1|w(o.f)\n1|end\n2|w(o.f)");
    assert!(stories(&trace, rule(TWO)).is_empty());
}

/// Transactions too long to be kept as they are, and such that repeat themselves within.
#[test]
fn long_transactions() {
    for reads in [10, 100, 20_000] {
        let between: String = (0..reads).map(|n| format!("r(y{n}) ")).collect();
        let lines =
            format!("T: begin(t) r(x) {between} begin(in) w(x) end end\nU: begin(u) w(x) end");
        assert_eq!(found(&lines, TWO), [["T r(x)", "U w(x)", "T w(x)"]]);
        let section = "acq(m) r(x) r(z) rel(m) ".repeat(reads);
        let lines = format!("T: begin(t) acq(k) {section} w(y) rel(k) end\nU: acq(k) w(x) rel(k)");
        assert!(found(&lines, TWO).is_empty());
        let lines = format!("T: begin(t) acq(k) {section} w(y) rel(k) end\nU: acq(m) w(x) rel(m)");
        assert_eq!(
            found(&lines, TWO),
            [["T r(x) under k m", "U w(x) under m", "T r(x) under k m"]]
        );
    }
}

/// Repeating a trace changes nothing but counts: whatever is remembered of it is remembered right.
#[test]
fn repetitions_tell_nothing_new() {
    let shape =
        Shape { threads: 3, vars: 3, steps: 9, waits: true, volatiles: true, ..Shape::PLAIN };
    for seed in 0..200 {
        let once = shape.trace(seed);
        let again: Vec<Event> = std::iter::repeat_n(&once[..], 5).flatten().copied().collect();
        let told = |events: &[Event]| {
            let trace = named(events);
            let mut stories = stories(&trace, rule(TWO));
            stories.sort();
            stories
        };
        assert_eq!(told(&once), told(&again), "{}", text(&once));
    }
}

/// The same code in many threads and on many objects is one finding.
#[test]
fn the_same_bug_is_found_once() {
    let mut text = String::new();
    for round in 0..100 {
        for thread in 0..4 {
            let object = (round * 7 + thread) % 50;
            for line in [
                "begin(inc)|1".to_string(),
                format!("r(o{object}.n)|2"),
                format!("w(o{object}.n)|3"),
                "end|4".to_string(),
            ] {
                text.push_str(&format!("T{thread}|{line}\n"));
            }
        }
    }
    let trace = trace(&text);
    let mut checker = Checker::of(Blocks::new(Settings::default()));
    checker.feed(&Batch { first: 0, events: trace.events.clone() }, &trace.names);
    checker.finish(&trace.names);
    let outcome = &checker.outcomes(&trace.names)[0];
    assert_eq!(outcome.findings.len(), 1, "{:?}", outcome.findings);
    assert_eq!(outcome.findings[0].count, 50);
}

/// The same code in hundreds of threads one after the other, and in the end in two at a time: those two
/// are found, on one variable and on two.
#[test]
fn a_few_of_many_runs_overlap() {
    let block = |n: usize, body: &str| {
        let lines = body.split(' ').map(|event| format!("T{n}|{event}\n"));
        lines.collect::<String>()
    };
    for body in ["begin(b) r(x) w(x) end", "begin(b) w(x) w(y) end"] {
        let mut text = String::new();
        for n in 0..300 {
            text += &format!("M|fork(T{n})\n{}M|join(T{n})\n", block(n, body));
        }
        assert!(stories(&trace(&text), rule(TWO)).is_empty());
        text += &format!("M|fork(T300)\nM|fork(T301)\n{}{}", block(300, body), block(301, body));
        let stories = stories(&trace(&text), rule(TWO));
        let [story, ..] = &stories[..] else { panic!("nothing found") };
        assert!(story.iter().all(|step| step.starts_with("T30")), "{story:?}");
    }
}

/// A hundred thousand different blocks on one variable: by their locks, by their threads, by both.
#[test]
fn many_blocks_on_one_variable() {
    const MANY: usize = 30_000;
    for kind in 0..4 {
        let mut text = String::new();
        for n in 0..MANY {
            let thread = match kind {
                0 | 3 => n % 2,
                _ => n,
            };
            if kind == 1 {
                text.push_str(&format!("M|fork(T{thread})\n"));
            }
            let locks: Vec<String> = match kind {
                0 => vec!["m".into(), format!("l{n}")],
                3 => vec![
                    ["ab", "bc", "ac"][n % 3][..1].into(),
                    ["ab", "bc", "ac"][n % 3][1..].into(),
                    format!("l{}", n / 2),
                ],
                _ => vec![],
            };
            text.push_str(&format!("T{thread}|begin(b)\n"));
            locks.iter().for_each(|lock| text.push_str(&format!("T{thread}|acq({lock})\n")));
            text.push_str(&format!("T{thread}|r(x)\nT{thread}|w(x)\n"));
            locks.iter().rev().for_each(|lock| text.push_str(&format!("T{thread}|rel({lock})\n")));
            text.push_str(&format!("T{thread}|end\n"));
            if kind == 1 {
                text.push_str(&format!("M|join(T{thread})\n"));
            }
        }
        let trace = trace(&text);
        let (mut engine, mut told) =
            (Blocks::new(Settings::default()), common::cuts::Told::default());
        engine.feed(&Batch { first: 0, events: trace.events.clone() }, &trace.names, &mut told);
        engine.finish(&trace.names, &mut told, &mut Unwatched);
        assert_eq!(told.warnings.is_empty(), kind != 2, "{kind}");
    }
}
